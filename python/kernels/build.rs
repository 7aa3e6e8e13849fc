//! Writes the function that finds the compiled type of each activation of the library by its name.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

use gaussform_codegen::rust::type_name;
use gaussform_symbolic::{Activation, Library};

/// The declarations whose compiled types are taken. The splines and the approximations of `gaussform-generated` are long sums: their
/// declared kernels take 1.4 to 1.7 times as long, and their compiled ones would take most of the time of the build.
const FILE: &str = "../../generated/activations.gf";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed={FILE}");
    let text = fs::read_to_string(FILE)?;
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
            [] => format!("Some(shared({path}))"),
            given => format!("{path}::new({}).ok().map(shared)", given.join(", ")),
        };
        writeln!(code, "        ({:?}, [{}]) => {value},", activation.name, names.join(", "))?;
    }
    code.push_str("        _ => None,\n    }\n}\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("compiled.rs"), code)?;
    Ok(())
}
