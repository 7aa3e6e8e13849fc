//! Compiles the declarations.

fn main() -> Result<(), gaussform_codegen::BuildError> {
    gaussform_codegen::Config::new().compile(&["activations.gf"])
}
