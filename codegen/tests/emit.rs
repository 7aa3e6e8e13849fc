//! The emitted code, its operation counts, and the errors of the build-script route.

use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::{Config, Kernel, KernelError};
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
fn operation_counts() {
    let mut table = String::new();
    for text in ["max(0, x)", "|x|", "step(x)", "clamp(x, -1, 1)", "max(0, x)^2", "max(0, 1 - |x|)"]
    {
        let kernel = kernel(text);
        for (name, costs) in
            [("moments", kernel.moments_cost()), ("gradients", kernel.gradient_cost())]
        {
            for cost in costs {
                table += &format!("{text:16} {name:9} piece {}: {}\n", cost.base, cost.wide);
                if cost.narrow != cost.wide {
                    table += &format!("{:16} {:9}  narrow: {}\n", "", "", cost.narrow);
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn one_knot_needs_no_quadrature() {
    for text in ["max(0, x)", "x*|x|", "step(x - 1/3)"] {
        let code = rust::text(&kernel(text), &Options::default());
        assert!(!code.contains("kernel::narrow("), "{text}");
    }
    assert!(
        rust::text(&kernel("clamp(x, -1, 1)"), &Options::default()).contains("kernel::narrow(")
    );
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
fn degree_and_knots_are_limited() {
    let new = |text: &str| Kernel::new(&Activation::parse(text).expect("valid"));
    assert!(matches!(new("max(0, x)^21"), Err(KernelError::Degree { degree: 21, .. })));
    let sum: Vec<String> = (0..17).map(|t| format!("|x - {t}|")).collect();
    assert!(matches!(new(&sum.join(" + ")), Err(KernelError::Knots { knots: 17, .. })));
    let m = new("max(0, x)^20").expect("the highest degree").moments_grad(&[], 0.0_f64, 1.0);
    // E[max(0, z)²⁰] = 19!!/2
    assert!((m.mean / 327_364_537.5 - 1.0).abs() < 1e-14, "{m:?}");
}

#[test]
fn declarations_become_a_file_and_errors_name_the_place() {
    let folder = std::env::temp_dir().join(format!("gaussform-emit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let source = folder.join("two.gf");
    let compile = |text: &str| {
        std::fs::write(&source, text).expect("writable");
        Config::new().out_dir(&folder).compile(&[&source])
    };
    compile("# two\nrelu(x) = max(0, x)\nup(x) = relu(x + 1)\n").expect("valid");
    let code = std::fs::read_to_string(folder.join("two.rs")).expect("written");
    assert!(code.contains("pub struct Relu;") && code.contains("pub struct Up;"));

    let error = compile("relu(x) = max(0, x)\nbad(x) = max(0, y)\n").unwrap_err().to_string();
    let expected = format!("{}:2:17: unknown name `y`", source.display());
    assert!(error.starts_with(&expected), "{error}");
    assert!(error.ends_with("\n  bad(x) = max(0, y)\n                  ^"), "{error}");
    let error = Config::new().out_dir(&folder).compile(&[folder.join("none.gf")]).unwrap_err();
    assert!(error.to_string().contains("none.gf"), "{error}");
    std::fs::remove_dir_all(&folder).expect("removable");
}
