//! Modules of WGSL, checked by naga. `tests/emit_wgsl` runs them.

use gaussform_codegen::Kernel;
use gaussform_codegen::wgsl::{self, NameError};
use gaussform_symbolic::Activation;

use crate::{CASES, Case};

/// Asserts that a driver accepts the text, without anything beyond the standard.
fn assert_valid(text: &str) {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty());
    if let Err(error) = validator.validate(&module) {
        panic!("{}\n{text}", error.emit_to_string(text));
    }
}

/// The module with one activation.
fn module(text: &str) -> String {
    let activation = Activation::parse(text).expect("valid");
    let kernel = wgsl::kernel(&activation).expect("a kernel");
    wgsl::text(&[kernel]).expect("a name of WGSL")
}

fn kernel(case: &Case) -> Kernel {
    wgsl::kernel(&case.activation()).expect("a kernel")
}

#[test]
fn modules_are_valid() {
    let kernels: Vec<Kernel> = CASES.iter().map(kernel).collect();
    for kernel in &kernels {
        assert_valid(&wgsl::text(std::slice::from_ref(kernel)).expect("names of WGSL"));
    }
    assert_valid(&wgsl::text(&kernels).expect("names of WGSL"));
    for text in [
        // Parameters with names that mean something in WGSL, and a name that does.
        "fn(x; let, var, f32, let < var) = clamp(x, let, var) + f32*x",
        "var(x; a, b, a < b) = clamp(x, a, b)^3",
        "max(0, x)^64",
        "x^3",
        // Parameters that are not used.
        "f(x; a > 0) = min(x^2, |x|)",
        "f(x; a) = x^3",
        "f(x; a) = 1",
    ] {
        assert_valid(&module(text));
    }
}

#[test]
fn few_knots_and_low_degrees_need_no_loop() {
    for (text, has_loop) in [
        ("max(0, x)", false),
        ("max(0, x)^3", false),
        ("|x| + |x - 1| + |x - 2|", false),
        ("max(0, x)^4", true),
        ("|x| + |x - 1| + |x - 2| + |x - 3| + |x - 4| + |x - 5|", true),
    ] {
        assert_eq!(module(text).contains("for ("), has_loop, "{text}");
    }
}

#[test]
fn text_grows_as_the_number_of_knots() {
    let lines = |knots: usize, power: usize| {
        let hinges: Vec<String> =
            (0..knots).map(|t| format!("({})*max(0, x - {t}/3)^{power}", t % 5 + 1)).collect();
        let text = module(&hinges.join(" + "));
        assert_valid(&text);
        text.lines().count()
    };
    for power in [1, 3] {
        let grown = lines(64, power) - lines(16, power);
        assert!(grown <= 25 * 48, "{grown} lines for 48 knots");
    }
}

#[test]
fn the_example_is_valid() {
    let module = wgsl::text(&[kernel(&CASES[0])]).expect("a name of WGSL");
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
        let kernel = wgsl::kernel(&activation).expect("a kernel");
        assert_eq!(wgsl::text(&[kernel]), Err(expected));
    }
}

#[test]
fn a_parameter_in_wgsl() {
    insta::assert_snapshot!(wgsl::text(&[kernel(&CASES[1])]).expect("a name of WGSL"));
}

/// The text behind the prelude.
fn functions<'a>(text: &'a str, name: &str) -> &'a str {
    &text[text.find(&format!("// `{name}`")).expect("the functions")..]
}

#[test]
fn a_table_in_wgsl() {
    let text = module("bent(x) = max(0, x) - 2*max(0, x - 1/3) + step(x - 2)/7");
    insta::assert_snapshot!(functions(&text, "bent"));
}

#[test]
fn a_table_of_parameters_in_wgsl() {
    let text = module("steps(x; a > 0) = step(x + a) + step(x - a)");
    insta::assert_snapshot!(functions(&text, "steps"));
}

#[test]
fn a_narrow_piece_in_wgsl() {
    let text = wgsl::text(&[kernel(&CASES[2])]).expect("a name of WGSL");
    insta::assert_snapshot!(functions(&text, "hard_tanh"));
}
