//! The emitted Python modules: their text and what is refused. `tests/emit_python` runs them.

use gaussform_codegen::Kernel;
use gaussform_codegen::python::{self, PairReason, PairRefusal, PythonError, Target};
use gaussform_symbolic::Activation;

const TARGETS: [Target; 3] = [Target::Numpy, Target::Jax, Target::PyTorch];

fn kernel(text: &str) -> Kernel {
    Kernel::new(&Activation::parse(text).expect("a valid activation")).expect("a kernel")
}

fn module(text: &str, target: Target) -> String {
    python::module(&kernel(text), target).expect("a module")
}

#[test]
fn relu_in_numpy() {
    insta::assert_snapshot!(module("relu(x) = max(0, x)", Target::Numpy));
}

#[test]
fn a_moving_knot_in_jax() {
    let text = "step_between(x; a, b, a < b) = step(x - (a + b)/2)";
    insta::assert_snapshot!(module(text, Target::Jax));
}

#[test]
fn hard_tanh_in_pytorch() {
    insta::assert_snapshot!(module("hard_tanh(x) = clamp(x, -1, 1)", Target::PyTorch));
}

fn pair(g: &str, h: &str, target: Target) -> Result<String, PairRefusal> {
    python::pair_module(&kernel(g), &kernel(h), target)
}

#[test]
fn two_relus_in_numpy() {
    let module = pair("relu(x) = max(0, x)", "relu(x) = max(0, x)", Target::Numpy);
    insta::assert_snapshot!(module.expect("a module"));
}

#[test]
fn the_text_of_two_functions_grows_as_their_knots() {
    let hinges = |knots: usize| {
        let hinges = (0..knots).map(|t| format!("({})*max(0, x - {t}/3)", t % 5 + 1));
        hinges.collect::<Vec<_>>().join(" + ")
    };
    for target in TARGETS {
        let length = |g: &str, h: &str| pair(g, h, target).expect("a module").len();
        let [few, more, most] = [8, 16, 32].map(|n| length(&hinges(n), &hinges(n)));
        assert!(most - more <= 3 * (more - few), "{few}, {more}, {most}");
        // Without jumps there is nothing about jumps.
        let plain = pair("|x|", "clamp(x, -1, 1)", target).expect("a module");
        assert!(!plain.contains("jumps meet:") && !plain.contains("on_jump"));
        let jumping = pair("step(x)", "step(x)", target).expect("a module");
        assert!(jumping.contains("jumps meet:") && jumping.contains("on_jump"));
        for code in [plain, jumping] {
            assert!(!code.contains("xp.") && !code.contains("#:") && !code.contains("ARRAY"));
            let (_, body) = code.split_once("import ").expect("a module imports");
            let long = body.lines().filter(|line| line.chars().count() > 100);
            assert_eq!(long.collect::<Vec<_>>(), Vec::<&str>::new(), "{target:?}");
        }
    }
}

#[test]
fn what_has_no_module_for_pairs_says_which_function_and_why() {
    let refusal = |g, h| pair(g, h, Target::Jax).expect_err("a refusal");
    let curved = PairRefusal { function: 1, reason: PairReason::Curved };
    assert_eq!(refusal("|x|", "max(0, x)^2"), curved);
    let parameters = PairRefusal { function: 0, reason: PairReason::Parameters };
    assert_eq!(refusal("leaky(x; a in (0, 1)) = max(a*x, x)", "|x|"), parameters);
    let far = PairRefusal { function: 0, reason: PairReason::FarFromOne };
    assert_eq!(refusal("10^30 * |x|", "|x|"), far);
    // A straight line has no knots.
    assert!(pair("2*x + 1", "|x|", Target::Numpy).is_ok());
}

#[test]
fn a_module_has_what_it_needs_and_nothing_else() {
    for target in TARGETS {
        let polynomial = module("x^2 - 3*x", target);
        assert!(!polynomial.contains("tails") && !polynomial.contains("edge"));
        let one_knot = module("max(0, x)", target);
        assert!(!one_knot.contains("_powers") && !one_knot.contains("_polynomial("));
        assert!(!one_knot.contains("_word_") && !one_knot.contains("PARAMETERS"));
        let curved = module("max(0, 1 - x^2)", target);
        assert!(!curved.contains("is_narrow"));
        assert!(!curved.contains("_pick") && curved.contains("def _gradients_f64("));
        let power = module("max(0, x)^4", target);
        assert!(power.contains("tails_9"));
    }
}

#[test]
fn nothing_of_the_templates_is_left() {
    for target in TARGETS {
        for text in ["|x|", "|x^2 - 2|", "clip(x; a, b, a < b) = clamp(x, a, b)", "max(0, x)^4"] {
            let code = module(text, target);
            let places = ["xp.", "ARRAY", "SIGNATURE", "ARGUMENTS", "NAMED", "CHECK", "#:"];
            for place in places {
                assert!(!code.contains(place), "{place} in {text} for {target:?}");
            }
            assert_eq!(code.contains("_rounded"), target != Target::Numpy, "{text}");
            // The formulas in the docstring may be longer.
            let (_, body) = code.split_once("import ").expect("a module imports");
            let long = body.lines().filter(|line| line.chars().count() > 100);
            assert_eq!(long.collect::<Vec<_>>(), Vec::<&str>::new(), "{text} for {target:?}");
        }
    }
}

#[test]
fn what_formulas_are_too_long_for_is_a_table() {
    let kernel = |text: &str| Kernel::new(&Activation::parse(text).expect("valid")).expect("valid");
    let hinges = |knots: usize| {
        let hinges = (0..knots).map(|t| format!("({})*max(0, x - {t}/3)", t % 5 + 1));
        kernel(&hinges.collect::<Vec<_>>().join(" + "))
    };
    let bent = kernel("bent(x; a > 0) = |x^2 - a^2|");
    let (many, more) = (hinges(16), hinges(24));
    let kernels = [&many, &more, &bent, &kernel("piecewise { x < 0: x^30; else: 1 - x^64 }")];
    for target in TARGETS {
        let codes = kernels.map(|kernel| python::module(kernel, target).expect("a module"));
        let lines = |i: usize| codes[i].lines().count();
        let per_knot = (lines(1) - lines(0)) / 8;
        assert!(per_knot <= 25, "{per_knot} lines a knot");
        assert!(!codes[0].contains("_NODES_") && !codes[0].contains("_common("));
        for (i, code) in codes.iter().enumerate() {
            // The first two are recorded sums.
            assert_eq!(code.contains("def _walk("), i > 1);
            assert_eq!(code.contains("p.numbers"), code.contains("    numbers=_numbers("));
            assert!(!code.contains("tails_24"));
            let places = ["xp.", "TAILS", "SIGNATURE", "CHECK", "#:"];
            places.iter().for_each(|place| assert!(!code.contains(place), "{place} is left"));
            let (_, body) = code.split_once("import ").expect("a module imports");
            let long = body.lines().filter(|line| line.chars().count() > 100);
            assert_eq!(long.collect::<Vec<_>>(), Vec::<&str>::new(), "for {target:?}");
        }
    }
}

#[test]
fn constants_have_the_words_of_each_precision() {
    // 1/10 is a number of neither; the words of single precision are not those of double.
    let code = module("|x - 1/10|", Target::Jax);
    assert!(code.contains("5.551115123125783e-18") && code.contains("1.4901161e-9"));
}

/// A parameter that is declared and not used leaves nothing to compute from it.
#[test]
fn tuples_without_items_are_tuples() {
    for target in [Target::Numpy, Target::Jax, Target::PyTorch] {
        for text in ["f(x; a > 0) = min(x^2, |x|)", "f(x; a) = max(0, x)", "f(x; a) = 1"] {
            let text = module(text, target);
            let empty = text.lines().find(|line| line.contains("(,)"));
            assert_eq!(empty, None, "{target:?}");
        }
    }
}

#[test]
fn names_that_python_has_get_an_underscore() {
    for name in ["lambda", "max", "np", "d_mean"] {
        let other = format!("{name}_");
        let kernel = kernel(&format!("g(x; {name} > 0, {other}) = |x + {name}| + {other}*x"));
        for target in TARGETS {
            let text = python::module(&kernel, target).unwrap();
            let names = format!("PARAMETERS = (\"{name}__\", \"{other}\")");
            assert!(text.contains(&names), "{text}");
        }
    }
}

#[test]
fn names_that_begin_with_an_underscore_are_refused() {
    let kernel = kernel("g(x; _hidden > 0) = |x + _hidden|");
    for target in TARGETS {
        let error = python::module(&kernel, target).unwrap_err();
        assert!(matches!(error, PythonError::Name { .. }));
        let text = error.to_string();
        assert!(text.contains("`_hidden` of `g` begins with an underscore"), "{text}");
    }
}
