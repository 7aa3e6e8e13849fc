//! Writes the function that finds the compiled type of each activation of the library by its name.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

use gaussform_codegen::rust::type_name;
use gaussform_symbolic::{Activation, Library};

/// The files of declarations that `gaussform-generated` compiles, with all of its features.
const FILES: [&str; 3] = ["activations.gf", "splines.gf", "approximations.gf"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    for file in FILES {
        let path = Path::new("../../generated").join(file);
        println!("cargo::rerun-if-changed={}", path.display());
        text.push_str(&fs::read_to_string(path)?);
        text.push('\n');
    }
    let library = Activation::parse_file(&text, &Library::new()).map_err(io::Error::other)?;
    let mut code = "fn compiled(name: &str, values: &[f64]) -> Option<Arc<dyn Kernels>> {\n    \
                    match (name, values) {\n"
        .to_owned();
    for activation in &library {
        let names: Vec<String> =
            (0..activation.parameters.len()).map(|i| format!("p{i}")).collect();
        let path = format!("gaussform_generated::{}", type_name(&activation.name));
        let given: Vec<String> = names.iter().map(|name| format!("*{name}")).collect();
        let value = match given.as_slice() {
            [] => format!("Some({path})"),
            given => format!("{path}::new({}).ok()", given.join(", ")),
        };
        writeln!(
            code,
            "        ({:?}, [{}]) => {value}.map(shared),",
            activation.name,
            names.join(", ")
        )?;
    }
    code.push_str("        _ => None,\n    }\n}\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("compiled.rs"), code)?;
    Ok(())
}
