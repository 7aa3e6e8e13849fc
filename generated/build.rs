//! Compiles the declarations of the library.

fn main() -> Result<(), gaussform_codegen::BuildError> {
    gaussform_codegen::Config::new().compile(&["activations.gf"])
}
