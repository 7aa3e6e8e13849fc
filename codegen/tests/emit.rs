//! The emitted code and its operation counts.

use gaussform_codegen::Kernel;
use gaussform_codegen::rust::{self, Options};
use gaussform_symbolic::Activation;

fn kernel(text: &str) -> Kernel {
    Kernel::new(&Activation::parse(text).expect("a valid activation")).expect("a kernel")
}

#[test]
fn relu_in_rust() {
    insta::assert_snapshot!(rust::text(&kernel("relu(x) = max(0, x)"), &Options::default()));
}

#[test]
fn a_parameter_in_rust() {
    let kernel = kernel("leaky_relu(x; eps in (0, 1)) = max(eps * x, x)");
    insta::assert_snapshot!(rust::text(&kernel, &Options::default()));
}

#[test]
fn a_moving_knot_in_rust() {
    let kernel = kernel("step_between(x; a, b, a < b) = step(x - (a + b)/2)");
    insta::assert_snapshot!(rust::text(&kernel, &Options::default()));
}

#[test]
fn operation_counts() {
    let mut table = String::new();
    for text in ["max(0, x)", "|x|", "step(x)", "clamp(x, -1, 1)", "max(0, x)^2"] {
        let kernel = kernel(text);
        for (name, cost) in
            [("moments", kernel.moments_cost()), ("gradients", kernel.gradient_cost())]
        {
            if let Some(cost) = cost {
                table += &format!("{text:16} {name:9} {cost}\n");
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn pieces_between_knots_alone_need_powers() {
    for (text, has_powers) in [
        ("max(0, x)", false),
        ("x*|x|", false),
        ("step(x - 1/3)", false),
        ("clamp(x, -1, 1)", true),
    ] {
        let code = rust::text(&kernel(text), &Options::default());
        assert_eq!(code.contains("kernel::Powers"), has_powers, "{text}");
    }
}

#[test]
fn a_polynomial_needs_no_tails() {
    let code = rust::text(&kernel("x^2 - 3*x"), &Options::default());
    assert!(!code.contains("tails") && !code.contains("Edge"));
    let m = kernel("x^2").moments_grad(&[], 3.0_f64, 0.25);
    // E[u²] = γ² + ξ², Var u² = 4γ²ξ² + 2ξ⁴.
    assert_eq!([m.mean, m.variance, m.dmean_dgamma, m.dmean_dxi2], [9.25, 9.125, 6.0, 1.0]);
}

#[test]
fn a_variance_beyond_the_range_is_neither_negative_nor_nan() {
    let smoothstep = kernel("clamp(x, 0, 1)^2*(3 - 2*clamp(x, 0, 1))");
    let tiny = smoothstep.moments_grad(&[], 1.0_f64, 1.3e-162);
    assert!(tiny.variance >= 0.0, "{tiny:?}");
    let huge = kernel("max(0, x)^3").moments_grad(&[], 4.5e76_f64, 1.3e154);
    assert_eq!([huge.second, huge.variance], [f64::INFINITY; 2], "{huge:?}");
}

#[test]
fn the_degree_of_formulas_is_limited_where_there_is_a_knot() {
    // The highest degree.
    let m = kernel("max(0, x)^4").moments_grad(&[], 0.0_f64, 1.0);
    // E[max(0, z)⁴] = 3!!/2
    assert!((m.mean / 1.5 - 1.0).abs() < 1e-14, "{m:?}");
    let is_table = |text: &str| kernel(text).table().is_some();
    assert!(!is_table("max(0, x)^4") && is_table("max(0, x)^5"));
    let m = kernel("max(0, x)^20").moments_grad(&[], 0.0_f64, 1.0);
    // E[max(0, z)²⁰] = 19!!/2
    assert!((m.mean / 327_364_537.5 - 1.0).abs() < 1e-14, "{m:?}");
    // Without a knot there are no tails.
    assert!(!is_table("x^20") && !is_table("x^5 + x") && is_table("x^21"));
    let m = kernel("x^20").moments_grad(&[], 0.0_f64, 1.0);
    assert_eq!([m.mean, m.dmean_dxi2], [654_729_075.0, 6_547_290_750.0], "{m:?}");
}

#[test]
fn text_grows_as_the_number_of_knots() {
    let lines = |knots: usize, power: usize| {
        let hinges: Vec<String> =
            (0..knots).map(|t| format!("({})*max(0, x - {t}/3)^{power}", t % 5 + 1)).collect();
        let activation = Activation::parse(&hinges.join(" + ")).expect("valid");
        let kernel = Kernel::new(&activation).expect("a kernel");
        rust::text(&kernel, &Options::default()).lines().count()
    };
    for power in [1, 2, 3] {
        let per_knot = (lines(24, power) - lines(16, power)) / 8;
        assert!(per_knot <= 90, "{per_knot} lines a knot for power {power}");
    }
}
