//! Domains and relations say the same in the attribute as in text.

use super::{fails_with, read, same_with};

#[test]
fn parameters() {
    same_with(
        "eps in (0, 1)",
        "pub fn leaky(x: f64, eps: f64) -> f64 { if x > 0.0 { x } else { eps * x } }",
        "leaky(x; eps in (0, 1)) = max(x, eps*x)",
    );
    let body = "fn g(x: f64, a: f64, b: f64) -> f64 { x * a + b }";
    for (attribute, text) in [
        ("", "a, b"),
        ("b", "a, b"),
        ("a > 0, b <= -1.5", "a > 0, b <= -1.5"),
        ("b in [-1, 1], a in (-inf, 2),", "a < 2, b in [-1, 1]"),
        ("0 < a <= 1, 1 > b >= 0", "a in (0, 1], b in [0, 1)"),
        ("0 <= a, inf > b", "a >= 0, b"),
        ("a in (0.01, 1e2)", "a in (0.01, 100), b"),
        ("a > 0, a < 1, a <= 1", "a in (0, 1), b"),
        ("a in (0, 2), 1 < a", "a in (1, 2), b"),
        ("a < 1.0 / 3.0 - -1", "a < 4/3, b"),
    ] {
        same_with(attribute, body, &format!("g(x; {text}) = a*x + b"));
    }
    let raw = "fn g(r#type: f32, r#in: f32) -> f32 { (r#type * r#type - r#in).abs() }";
    fails_with("r#in > 0", raw, &["a knot at a root of"]);
    let unknown = "fn g(x: f64) -> f64 { SLOPE * slope }";
    fails_with("", unknown, &["const SLOPE: f64", "a body sees its arguments"]);
    fails_with("a > 0, c < 1, x in (0, 1)", body, &["`c` is no parameter", "`x` is the variable"]);
    fails_with("a in (0, 1), a in (0, 2)", body, &["`a` has a domain already"]);
    fails_with("a in (1, 0)", body, &["no number lies in the domain of `a`"]);
    fails_with("0 < a > 1", body, &["different directions"]);
    fails_with(
        "a in 1, b: 3, crate = a::b, a === 1",
        body,
        &["an interval", "expected `,`, `in`", "expected `,`"],
    );
    let many = "fn g(x: f64, a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64, i: f64) -> f64 { x }";
    fails_with("", many, &["this needs 9"]);
}

#[test]
fn relations() {
    let body = "fn g(x: f64, a: f64, b: f64) -> f64 { x.clamp(a, b) }";
    for (attribute, text) in [
        ("a < b", "a < b"),
        ("b >= a", "a <= b"),
        ("0 < a < b < 1", "0 < a < b < 1"),
        ("0.0 < a, a < b, b in (0, 1)", "a > 0, b in (0, 1), a < b"),
        ("-inf < a < b < inf", "a < b"),
        ("a < b, 2 * (a + 1) / 3 <= -b * b", "a < b, 2*(a + 1)/3 <= -b*b"),
        ("b > 2 * a, a > 0", "a > 0, b > 2*a"),
    ] {
        same_with(attribute, body, &format!("g(x; {text}) = clamp(x, a, b)"));
    }
    for (attribute, expected) in [
        ("a < b <", "expected a number, a parameter or `inf`"),
        ("a < b > 1", "different directions"),
        ("a + 1", "expected `<`, `<=`, `>` or `>=`"),
        ("a < (b", "expected"),
        ("a < (b 1)", "expected an operator or `)`"),
        ("a < b.powi(2)", "write a power as a product"),
        ("a < b, b < -inf", "this holds for no number"),
        ("a < b + inf", "expected a number, a parameter"),
        ("a in (0, b)", "a relation: `a < b`"),
        ("a < c", "`c` is no parameter"),
        ("a < 2 * x", "`x` is the variable"),
        ("a < b, 1 < 2", "this holds without any declaration"),
        ("a < b, b < a", "no values of the parameters"),
        ("a < 1 / b", "division by `b`"),
        ("b > 0, a < 1 / b", "a relation between quotients"),
    ] {
        if let Ok(tokens) = attribute.parse::<proc_macro2::TokenStream>() {
            let errors = read(&tokens.to_string(), body).expect_err(attribute);
            assert!(errors[0].contains(expected), "{attribute}: {errors:?}");
        }
    }
    let deep = format!("a < {}b{}", "(".repeat(60), ")".repeat(60));
    assert!(read(&deep, body).expect_err("deep")[0].contains("levels of nesting"));
    let long = format!("a < b{}", " + b".repeat(3_000));
    assert!(read(&long, body).expect_err("long")[0].contains("numbers, names"));
    fails_with("", body, &["the sign of `b − a`"]);
}
