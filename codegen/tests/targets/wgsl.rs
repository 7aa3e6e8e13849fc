//! Modules of WGSL, checked by naga. `tests/emit_wgsl` runs them.

use gaussform_codegen::Kernel;
use gaussform_codegen::wgsl::{self, NameError};
use gaussform_symbolic::Activation;

use crate::{CASES, Case, SHORT};

/// What a driver accepts that has nothing beyond the standard.
fn assert_valid(text: &str) {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty());
    if let Err(error) = validator.validate(&module) {
        panic!("{}\n{text}", error.emit_to_string(text));
    }
}

#[test]
fn modules_are_valid() {
    for case in &CASES[..SHORT] {
        assert_valid(&wgsl::text(&[case.formulas()]).expect("names of WGSL"));
    }
    let all: Vec<Kernel> = CASES[..SHORT].iter().map(Case::formulas).collect();
    assert_valid(&wgsl::text(&all).expect("names of WGSL"));
    let knots: Vec<String> = (0..5).map(|t| format!("|x - {t}/3|")).collect();
    for text in [
        // The highest degree, several knots, and parameters with names that mean something in WGSL.
        "max(0, x)^20",
        &knots.join(" + "),
        "fn(x; let, var, f32, let < var) = clamp(x, let, var) + f32*x",
    ] {
        let kernel = Kernel::with_formulas(&Activation::parse(text).expect("valid"));
        assert_valid(&wgsl::text(&[kernel.expect("a kernel")]).expect("a name of WGSL"));
    }
}

#[test]
fn the_example_is_valid() {
    let module = wgsl::text(&[CASES[0].formulas()]).expect("a name of WGSL");
    assert_valid(&(module + include_str!("../../../examples/emit/relu.wgsl")));
}

#[test]
fn names_that_the_module_needs() {
    for (name, expected) in [
        ("_g", NameError::Reserved("_g".to_owned())),
        ("gsf_f32", NameError::Own("gsf_f32".to_owned())),
        ("GSF_MAX", NameError::Own("GSF_MAX".to_owned())),
    ] {
        let activation = Activation::parse(&format!("{name}(x) = max(0, x)")).expect("valid");
        let kernel = Kernel::with_formulas(&activation).expect("a kernel");
        assert_eq!(wgsl::text(&[kernel]), Err(expected));
    }
}

#[test]
fn a_parameter_in_wgsl() {
    insta::assert_snapshot!(wgsl::text(&[CASES[1].formulas()]).expect("a name of WGSL"));
}

#[test]
fn a_narrow_piece_in_wgsl() {
    let text = wgsl::text(&[CASES[2].formulas()]).expect("a name of WGSL");
    let start = text.find("// `hard_tanh`").expect("the functions");
    insta::assert_snapshot!(&text[start..]);
}
