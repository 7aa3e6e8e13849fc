//! Compiles the declarations that the suite is about.

fn main() -> Result<(), gaussform_codegen::BuildError> {
    gaussform_codegen::Config::new().compile(&["activations.gf"])
}
