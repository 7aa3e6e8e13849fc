//! The emitted code and its operation counts.

use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::{Kernel, KernelError};
use gaussform_symbolic::Activation;

fn kernel(text: &str) -> Kernel {
    Kernel::with_formulas(&Activation::parse(text).expect("a valid activation")).expect("a kernel")
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
    for text in ["max(0, x)", "|x|", "step(x)", "clamp(x, -1, 1)", "max(0, x)^2", "max(0, 1 - |x|)"]
    {
        let kernel = kernel(text);
        for (name, costs) in
            [("moments", kernel.moments_cost()), ("gradients", kernel.gradient_cost())]
        {
            for cost in costs {
                table += &format!("{text:16} {name:9} {cost}\n");
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn one_knot_needs_no_quadrature() {
    for text in ["max(0, x)", "x*|x|", "step(x - 1/3)"] {
        let code = rust::text(&kernel(text), &Options::default());
        assert!(!code.contains("Linear") && !code.contains("Curved"), "{text}");
    }
}

#[test]
fn the_rule_of_the_quadrature_follows_the_degree() {
    for (text, rule) in [("clamp(x, -1, 1)", "Linear"), ("clamp(x, -1, 1)^2", "Curved")] {
        let code = rust::text(&kernel(text), &Options::default());
        assert!(code.contains(&format!("kernel::{rule}")), "{text}");
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
fn the_degree_of_formulas_is_limited() {
    let parse = |text: &str| Activation::parse(text).expect("valid");
    let formulas = |text: &str| Kernel::with_formulas(&parse(text));
    assert!(matches!(formulas("max(0, x)^5"), Err(KernelError::Degree { degree: 5, .. })));
    let m = formulas("max(0, x)^4").expect("the highest degree").moments_grad(&[], 0.0_f64, 1.0);
    // E[max(0, z)⁴] = 3!!/2
    assert!((m.mean / 1.5 - 1.0).abs() < 1e-14, "{m:?}");
    // Beyond it a kernel is a table.
    let high = Kernel::new(&parse("max(0, x)^20")).expect("a kernel");
    let m = high.moments_grad(&[], 0.0_f64, 1.0);
    // E[max(0, z)²⁰] = 19!!/2
    assert!(high.table().is_some() && (m.mean / 327_364_537.5 - 1.0).abs() < 1e-14, "{m:?}");
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
