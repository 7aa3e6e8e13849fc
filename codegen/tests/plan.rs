//! How slices of each activation of the library are computed.

use std::fmt::Write as _;

use gaussform_codegen::Kernel;
use gaussform_runtime::plan::Plan;
use gaussform_symbolic::{Activation, Library};

/// The files of declarations that the library is made of.
const FILES: [&str; 3] = ["activations.gf", "approximations.gf", "splines.gf"];

#[test]
fn of_every_activation_of_the_library() {
    let mut plans = String::new();
    for file in FILES {
        let path = format!("{}/../generated/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a file of declarations");
        let activations = Activation::parse_file(&text, &Library::new()).expect("declarations");
        for activation in activations {
            let kernel = Kernel::new(&activation).expect("a kernel");
            let plan = Plan::of_form(kernel.form());
            let form = if kernel.table().is_some() { "table" } else { "formulas" };
            writeln!(plans, "{}: {form}, {plan}", activation.name).expect("a string takes it");
        }
    }
    insta::assert_snapshot!(plans);
}
