//! Compiles the declarations of the library: the file that is always there, and those of features.

fn main() -> Result<(), gaussform_codegen::BuildError> {
    let families = [("splines.gf", "SPLINES"), ("approximations.gf", "APPROXIMATIONS")];
    let on = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let chosen = families.iter().filter(|(_, feature)| on(feature)).map(|(file, _)| *file);
    let files: Vec<&str> = std::iter::once("activations.gf").chain(chosen).collect();
    gaussform_codegen::Config::new().compile(&files)
}
