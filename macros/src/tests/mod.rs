//! A function read by the macro and its text have one normal form, and functions outside the class get errors.

mod agreement;
mod attribute;
mod forms;
mod items;

use std::rc::Rc;

use gaussform_symbolic::Activation;

use crate::attribute::Attribute;
use crate::declaration::{activation, check_nesting};
use crate::known::Known;
use crate::place::Report;
use crate::scope::{Meaning, Scope};

fn read(attribute: &str, function: &str) -> Result<Activation, Vec<String>> {
    let mut report = Report::default();
    let attribute = Attribute::parse(attribute.parse().expect("tokens"), &mut report);
    let tokens: proc_macro2::TokenStream = function.parse().expect("tokens");
    check_nesting(tokens.clone()).map_err(|error| vec![error.to_string()])?;
    let function: syn::ItemFn = syn::parse2(tokens).expect("a function");
    let (known, mut scope) = (Known::function(&function, &Rc::new(())), Scope::default());
    scope.bind(&function.sig.ident, Meaning::Item(known.clone()), &mut report);
    let read = activation(&attribute, &function, &known, &scope, &mut report);
    assert_eq!(read.is_none(), report.error.is_some(), "{}", function.sig.ident);
    let errors = report.error.into_iter().flatten().map(|error| error.to_string());
    read.map(|(activation, _)| activation).ok_or_else(|| errors.collect())
}

#[track_caller]
fn same_with(attribute: &str, function: &str, text: &str) {
    let (read, parsed) = (read(attribute, function), Activation::parse(text).expect("the text"));
    assert_eq!(read, Ok(parsed), "{function}");
}

#[track_caller]
fn same(body: &str, text: &str) {
    same_with("", &format!("fn g(x: f64) -> f64 {{ {body} }}"), &format!("g(x) = {text}"));
}

#[track_caller]
fn fails(body: &str, expected: &[&str]) {
    fails_with("", &format!("fn g(x: f64) -> f64 {{ {body} }}"), expected);
}

#[track_caller]
fn fails_with(attribute: &str, function: &str, expected: &[&str]) {
    let errors = read(attribute, function).expect_err(function);
    assert_eq!(errors.len(), expected.len(), "{errors:#?}");
    for (error, expected) in errors.iter().zip(expected) {
        assert!(error.contains(expected), "{error}\ndoes not contain\n{expected}");
    }
}

#[test]
fn arithmetic() {
    same("x * (x + 3.0).clamp(0.0, 6.0) / 6.0", "x * clamp(x + 3, 0, 6) / 6");
    same("-x * -(2.0 - x) - 1.0 - x", "-x * -(2 - x) - 1 - x");
    same("1e-3_f64 * x + 0.01 - 1_000.5 + 2_f64", "x/1000 + 1/100 - 1000.5 + 2");
    same("x / (3.0 - 1.0) / 4.0", "x / 8");
    same("x.mul_add(2.0, 1.0) - f64::from(3) * f64::from(-2_i8)", "2*x + 1 + 6");
    same("(x).powi(2) - x.powi((3)) + f64::powi(x, 0)", "x^2 - x^3 + 1");
}

#[test]
fn methods() {
    same("x.max(0.0)", "max(0, x)");
    same("f64::max(x, f64::min(1.0, x * x))", "max(x, min(1, x^2))");
    same("f64::clamp(x, -1.0, 1.0).abs()", "|clamp(x, -1, 1)|");
    same("x.signum() + (x - 1.0).abs()", "sign(x) + |x - 1|");
    same("x.copysign(x - 1.0)", "|x|*sign(x - 1)");
    same("x / 4.0_f64.recip()", "4*x");
}

#[test]
fn branches() {
    same("if x > 0.0 { x } else { 0.0 }", "relu(x)");
    same(
        "if x < -1.0 { 0.0 } else if x < 0.0 { 1.0 + x } else if x < 1.0 { 1.0 - x } else { 0.0 }",
        "piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 1 - x; else: 0 }",
    );
    same("if x > -1.0 && x <= 1.0 { x } else { 0.0 }", "piecewise { -1 < x <= 1: x; else: 0 }");
    same("if x < -1.0 || x > 1.0 { 0.0 } else { x }", "piecewise { -1 < x < 1: x; else: 0 }");
    same("if !(x < -1.0 || (x > 1.0)) { x } else { 0.0 }", "piecewise { -1 < x < 1: x; else: 0 }");
    same(
        "if (x > 0.0 && x < 1.0) || x > 2.0 && !(x > 3.0) { 1.0 } else { 0.0 }",
        "step(x) - step(x - 1) + step(x - 2) - step(x - 3)",
    );
    same("2.0 * if x * x >= 4.0 { x } else { { 0.0 } }", "2*x*step(|x| - 2)");
}

#[test]
fn values_on_the_knots() {
    let on = |body: &str| {
        let activation = read("", &format!("fn g(x: f64) -> f64 {{ {body} }}")).expect("sound");
        activation.function.at_knots()[0].as_constant().expect("a number").to_string()
    };
    assert_eq!(on("if x >= 1.0 { 2.0 } else { 0.0 }"), "2");
    assert_eq!(on("if x > 1.0 { 2.0 } else { 0.0 }"), "0");
    assert_eq!(on("if !(x >= 1.0) { 2.0 } else { 0.0 }"), "0");
    assert_eq!(on("if x <= 1.0 && x <= 2.0 && x > -x.abs() - 1.0 { 2.0 } else { 0.0 }"), "2");
}

#[test]
fn bindings() {
    same("const A: f64 = 0.5; let y: f64 = A * x; ({ let y = y.abs(); y }) + y", "|x|/2 + x/2");
    same(
        "let x = x + 1.0; let _ = x; let y = { const B: f64 = -(A); B }; const A: f64 = 2.0; x * y",
        "-2*(x + 1)",
    );
    same("const N: i32 = 3; let n = 2; x.powi(N) + x.powi(n)", "x^3 + x^2");
    same("#[allow(clippy::all)] let y = x; y", "x");
    fails("let y = x.exp(); let z = y + y; z + x.sin()", &["`exp` is not", "`sin` is not"]);
    fails("let mut y = x; y += 1.0; y = y + x; y", &["`mut`"]);
    fails("let y = x; y = x; y", &["assignment"]);
    fails("({ let y = x; y }) + y", &["unknown name `y`; known here: `x`\n"]);
    fails("#[cfg(any())] let x = 0.0; x", &["this attribute"]);
    fails("let (a, b) = (x, x); a + b", &["this pattern"]);
}

#[test]
fn signatures() {
    for (function, expected) in [
        ("async fn g(x: f64) -> f64 { x }", "`async`"),
        ("unsafe fn g(x: f64) -> f64 { x }", "`unsafe`"),
        ("fn g<T, U>(x: T, y: T) -> T { x }", "generic in nothing but its type"),
        ("fn g<const N: usize>(x: f64) -> f64 { x }", "generic in nothing but its type"),
        ("fn g(x: f64) { x }", "the return type is missing\nhelp: write `-> f64`"),
        ("fn g(&self, x: f64) -> f64 { x }", "not a method"),
        ("fn g() -> f64 { 1.0 }", "at least one number is needed"),
        ("fn g(x: i32, y: i32) -> i32 { x }", "are plain numbers"),
        ("fn g(x: f64, y: f32) -> f64 { x }", "all of one type; here `f64`"),
        ("fn g(x: f32) -> f64 { x }", "all of one type; here `f32`"),
        ("fn g(mut x: f64) -> f64 { x }", "`mut`"),
        ("fn g((x, y): (f64, f64)) -> f64 { x }", "a plain name"),
    ] {
        let errors = read("", function).expect_err(function);
        assert!(errors[0].contains(expected), "{errors:?}");
    }
}

#[test]
fn unsupported() {
    for (body, expected) in [
        ("x.exp()", "`exp` is not piecewise polynomial"),
        ("x.powf(2.0)", "write `.powi(n)`"),
        ("x.floor()", "infinitely many pieces"),
        ("x.relu()", "unknown method `relu`"),
        ("1.0 / x", "division by"),
        ("x / 0.0", "division by"),
        ("x % 2.0", "`%` has infinitely many pieces"),
        ("x.powi(-1)", "the exponent `−1`"),
        ("x.powi(y)", "the exponent of `powi`"),
        ("x.powi(65)", "degree of a piece"),
        ("x.max()", "write `x.max(y)`"),
        ("max(x, 0.0)", "write `x.max(y)`"),
        ("helper(x)", "calls of `helper`"),
        ("x.clamp(1.0, 0.0)", "the lower bound of `clamp` exceeds"),
        ("2 * x", "write `2.0`"),
        ("let n = 2; x * n", "`n` is an integer"),
        ("if x > 0.0 { x } 0.0", "this `if` has no `else`"),
        ("if x == 0.0 { x } else { 0.0 }", "single points"),
        ("if let y = x { x } else { 0.0 }", "`if let`"),
        ("if true { x } else { 0.0 }", "expected a comparison"),
        ("if x > 0.0 && x { x } else { 0.0 }", "expected a comparison"),
        ("x * (x > 0.0)", "a comparison is no number"),
        ("for i in 0..3 { } x", "a loop"),
        ("while x > 0.0 { } x", "a loop"),
        ("return;", "`return`"),
        ("let y = { return x; }; y", "`return`"),
        ("return x; x", "`return`"),
        ("x + if x > 0.0 { return x; } else { 0.0 }", "`return`"),
        ("if x > 0.0 { return x; } else { x } 0.0", "this value is lost"),
        ("if x > 0.0 { } 0.0", "this `if` has no `else`"),
        ("if x > 0.0 { return x; }", "this `if` has no `else`"),
        ("x.clamp(f64::NEG_INFINITY, 1.0)", "write `max` or `min`"),
        ("if x.is_sign_negative() { 0.0 } else { x }", "compare numbers"),
        ("x;", "remove the semicolon"),
        ("", "the block has no value"),
        ("x as f64", "a conversion with `as`"),
        ("unsafe { x }", "`unsafe`"),
        ("assert!(x > 0.0); x", "in the attribute"),
        ("f64::EPSILON * x", "write the number out"),
        ("std::f64::consts::SQRT_3 * x", "write the number out"),
        ("*x", "this operator"),
        ("struct H; x", "only `const` and `fn`"),
        ("x.max(0.0).min(|y| y)", "a closure"),
        ("(x, x).0", "this expression"),
    ] {
        fails(body, &[expected]);
    }
}

#[test]
fn limits() {
    let nested = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    same(&nested(40), "x");
    for n in [60, 10_000] {
        fails(&nested(n), &["levels of nesting"]);
    }
    fails(&format!("x{}", ".abs()".repeat(200)), &["levels of nesting"]);
    fails(&format!("{}x", "-".repeat(5_000)), &["levels of nesting"]);
    same(&format!("x{}", " + x".repeat(500)), "501*x");
    fails(&format!("x{}", " + x".repeat(2_500)), &["numbers, names and operators"]);
    fails(&"x +".repeat(20_000).replace("++", "+"), &["numbers, names and operators"]);
    let doubled = |n: usize| format!("{} x", "let x = x + x;".repeat(n));
    same(&doubled(4), "16*x");
    fails(&doubled(60), &["numbers, names and operators"]);
    let deepened = |n: usize| format!("{} x", "let x = x.abs();".repeat(n));
    same(&deepened(10), "|x|");
    fails(&deepened(60), &["levels of nesting"]);
    let chain = "if x > 0.0 { x } else ".repeat(100) + "{ 0.0 }";
    same(&chain, "relu(x)");
    fails("1e9999", &["bits in a coefficient"]);
}
