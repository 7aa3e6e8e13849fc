//! Compiles the declarations of the library, and those that only its tests use.

fn main() -> Result<(), gaussform_codegen::BuildError> {
    gaussform_codegen::Config::new().compile(&["activations.gf", "tests/moving.gf"])
}
