//! Constants and functions that a body uses.

use super::{fails, same};

#[test]
fn constants() {
    same("const A: f64 = B / 3.0; const B: f64 = -2.0; A * x", "-2*x/3");
    same(
        "const A: f64 = 2.0; let y = A; { const A: f64 = 3.0; y * A * x + { const B: f64 = A; B } }",
        "6*x + 3",
    );
}

#[test]
fn functions() {
    same("fn half(x: f64) -> f64 { x / 2.0 } half(x + 1.0) - half(1.0)", "x/2");
    same(
        "fn ramp(y: f64, s: f64) -> f64 { const O: f64 = 1.0; let x = s * y; twice(x.max(O)) }
         #[inline] fn twice<T>(x: T) -> T { x + x }
         ramp(x, 2.0) - ramp(x, -1.0)",
        "2*max(2*x, 1) - 2*max(-x, 1)",
    );
    fails("fn f(x: f64) -> f64 { x.exp() } f(x) + f(2.0)", &["`exp` is not"]);
    fails("fn f(x: f64) -> f64 { y } let y = x; f(y)", &["unknown name `y`; known here: `x`\n"]);
    fails("fn f(x: f64) -> f64 { 1.0 / x } f(x + 1.0)", &["division by `x + 1`"]);
    fails(
        "fn f(x: f64) -> f64 { x } f(x, x) + f()",
        &["takes 1 argument, not 2", "takes 1 argument, not 0"],
    );
    fails("fn f(x: f64) -> f64 { x } x + f", &["`f` is a function\nhelp: call it"]);
    fails("fn f(x: &[f64]) -> f64 { x[0] } f(x)", &["are plain numbers"]);
    fails("fn f(x: f64) -> f64 { x } h(x)", &["can be called here: `f`"]);
    fails("#[cfg(any())] fn f(x: f64) -> f64 { x } f(x)", &["this attribute"]);
}

#[test]
fn recursion() {
    fails("g(x - 1.0)", &["needed for its own value"]);
    fails("fn f(x: f64) -> f64 { f(x) } f(x) + f(x)", &["needed for its own value"]);
    fails(
        "fn f(x: f64) -> f64 { h(x) } fn h(x: f64) -> f64 { f(x) * A } const A: f64 = 1.0; f(x) + h(x)",
        &["needed for its own value"],
    );
    fails("const A: f64 = B; const B: f64 = A; A * x", &["needed for its own value"]);
}

#[test]
fn limits() {
    let chain = |n: usize| {
        let call = |i: usize| format!("fn f{}(x: f64) -> f64 {{ f{i}(x) }} ", i + 1);
        let calls: String = (0..n).map(call).collect();
        format!("fn f0(x: f64) -> f64 {{ x }} {calls} f{n}(x)")
    };
    same(&chain(10), "x");
    fails(&chain(60), &["levels of nesting"]);
    let multiplied = |n: usize| {
        let call = |i: usize| {
            let terms = format!("f{i}(x) + ").repeat(8);
            format!("fn f{}(x: f64) -> f64 {{ {terms} x }} ", i + 1)
        };
        let calls: String = (0..n).map(call).collect();
        format!("fn f0(x: f64) -> f64 {{ x }} {calls} f{n}(x)")
    };
    same(&multiplied(2), "73*x");
    fails(&multiplied(6), &["numbers, names and operators"]);
    let alternatives = "1.0.. | ".repeat(300);
    same(&format!("match x {{ {alternatives} 2.0.. => 1.0, _ => 0.0 }}"), "step(x - 1)");
}
