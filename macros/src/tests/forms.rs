//! Forms that the language has no name for.

use super::{fails, same, same_with};

#[test]
fn matches() {
    same(
        "match x { ..=-1.0 => -1.0, -1.0..=1.0 => x, _ => 1.0 }",
        "piecewise { x <= -1: -1; -1 <= x <= 1: x; else: 1 }",
    );
    same("match x { _ if x < 1.0 => x, _ => 1.0 }", "min(x, 1)");
    same(
        "match () { _ if x < 1.0 => x, _ if x < 2.0 => 1.0, _ => x - 1.0 }",
        "piecewise { x < 1: x; x < 2: 1; else: x - 1 }",
    );
    same(
        "match x - 1.0 { y if y < 0.0 => y, y @ 0.0..2.0 if x > 2.0 => -y, y => y * y }",
        "piecewise { x < 1: x - 1; 2 < x < 3: 1 - x; else: (x - 1)^2 }",
    );
    same("match x { ..-1.0 | 1.0.. => 0.0, (y) => y }", "piecewise { -1 <= x < 1: x; else: 0 }");
    same("match x { _ | ..0.0 => x, 1.0 .. => -x, _ => 1.0 }", "x");
    same("const A: f64 = 2.0; match x { A.. => A, x => { x } }", "min(x, 2)");
    same(
        "1.0 + match x { 0.0..1e3 => x, _ => 0.0 }",
        "piecewise { 0 <= x < 1000: 1 + x; else: 1 }",
    );
    fails("match x { ..=0.0 => 0.0, 0.0.. => x }", &["does not cover all numbers"]);
    fails("match x { _ if x > 0.0 => x }", &["does not cover all numbers"]);
    fails("match x { 0.0 => 1.0, _ => x }", &["a single point"]);
    fails(
        "const A: f64 = 0.0; match x { A => 1.0, -1.0 => 2.0, _ => x }",
        &["a single", "a single"],
    );
    fails("match x { Some(y) => y, (a, b) => a, _ => x }", &["this pattern", "this pattern"]);
    fails("match x.exp() { y if y < 0.0 => y, z => z.sin() }", &["`exp` is not", "`sin` is not"]);
    fails("match x { #[cfg(any())] ..0.0 => x, _ => -x }", &["this attribute"]);
    fails("match x { y if y > 0.0 => y, _ => y }", &["unknown name `y`; known here: `x`\n"]);
}

#[test]
fn early_returns() {
    same("return x.abs();", "|x|");
    same("if x < -1.0 { return -1.0; } if x > 1.0 { return 1.0; } x", "clamp(x, -1, 1)");
    same(
        "if x < -1.0 { return -1.0; } else if x > 1.0 { return 1.0 } return x;",
        "clamp(x, -1, 1)",
    );
    same(
        "if x < 0.0 { return 0.0 }; let x = x - 1.0; if x < 0.0 { return x; } x * x",
        "piecewise { x < 0: 0; x < 1: x - 1; else: (x - 1)^2 }",
    );
    same(
        "if x < 0.0 { if x < -1.0 { return -1.0; } return x; } match x { ..1.0 => return x, y => { return y * y } }",
        "piecewise { x < -1: -1; x < 1: x; else: x^2 }",
    );
    same("if x > 0.0 { return x; } else { return 0.0; }", "relu(x)");
    same(
        "fn half(y: f64) -> f64 { if y < 0.0 { return 0.0; } y / 2.0 } half(x) + half(-x)",
        "|x|/2",
    );
    fails("let y = { if x < 0.0 { return 0.0; } x }; y", &["this `if` has no `else`"]);
    fails("if x.exp() < 0.0 { return 0.0; } x", &["`exp` is not"]);
    fails("#[cfg(any())] if x < 0.0 { return 0.0; } x", &["this attribute"]);
    fails("if x < 0.0 { #[cfg(any())] return 0.0; } x", &["this attribute"]);
    let returns = |n: usize| format!("{} x", "if x < -1.0 { return -1.0; }".repeat(n));
    same(&returns(100), "max(x, -1)");
    let nested =
        |n: usize| format!("{}return x; {}", "if x > -1.0 {".repeat(n), "} return -1.0;".repeat(n));
    same(&nested(8), "max(x, -1)");
}

#[test]
fn constants_of_the_standard_library() {
    same("x * std::f64::consts::PI", "3.141592653589793*x");
    same("x * core::f32::consts::FRAC_1_SQRT_2", "0.70710677*x");
    same("x * f64::consts::E", "2.718281828459045*x");
}

#[test]
fn conditions_with_names() {
    same("let inside = x > -1.0 && x < 1.0; if inside { x } else { 0.0 }", "x*step(1 - |x|)");
    same(
        "let a = !(x < 0.0); let b = a || x < -1.0; x * f64::from(b)",
        "x - x*step(x + 1)*step(-x)",
    );
    same("if (-1.0..=1.0).contains(&x) { x } else { 0.0 }", "x*step(1 - |x|)");
    same(
        "if !(..0.0).contains(&(x - 1.0)) && x < 2.0 { 1.0 } else { 0.0 }",
        "step(x - 1) - step(x - 2)",
    );
    same("const NEAR: bool = 1.0 < 2.0; if NEAR { x } else { -x }", "x");
    same("f64::from(x > 0.0) + f64::from(x)", "step(x) + x");
    fails("let a = x > 0.0; a * x", &["`a` is a condition, not a number"]);
    fails("let a = x; if a { x } else { 0.0 }", &["expected a comparison"]);
    fails("let a = x.exp() > 0.0; if a { x } else { 0.0 }", &["`exp` is not"]);
    fails("let a = x == 0.0; if a { x } else { 1.0 }", &["single points"]);
    fails("if (0.0..1.0).contains(x) { x } else { 1.0 }", &["expected a comparison"]);
}

#[test]
fn integers() {
    same("const N: i32 = 2 * M - 1; const M: i32 = 1 + 1; x.powi(N - 0)", "x^3");
    same("x.powi(7 / 2 - 3 % 2) - x.powi(-(1 - 3))", "0");
    fails("x.powi(2 / 0)", &["the exponent of `powi`"]);
    fails("const N: f64 = 2.0; x.powi(N)", &["the exponent of `powi`"]);
}

#[test]
fn the_sign_of_zero() {
    same("(x.max(0.0) - 1.0).signum()", "sign(x - 1)");
    same("(x - x).max(1.0).signum()", "1");
    for zero in ["x.max(0.0).signum()", "x.copysign(x.min(0.0))", "(x - x).signum()"] {
        fails(zero, &["the sign of 0 on an interval"]);
    }
}

#[test]
fn generic_numbers() {
    same_with(
        "",
        "fn g<T: Float>(x: T) -> T { if x > T::ZERO { x } else { T::ZERO } }",
        "g(x) = max(0, x)",
    );
    same_with(
        "",
        "fn g<T>(x: T) -> T where T: Number { T::max(x, T::zero()) * T::from_f64(0.1) - T::one() * T::ONE }",
        "g(x) = max(0, x)/10 - 1",
    );
    same_with(
        "a > 0",
        "fn g<R: From<u8>>(x: R, a: R) -> R { x.clamp(-a, a) / R::from(2) }",
        "g(x; a > 0) = clamp(x, -a, a)/2",
    );
    fails("T::zero() + x", &["calls of `T::zero`"]);
    fails("f64::ZERO + x", &["a path is not supported"]);
}
