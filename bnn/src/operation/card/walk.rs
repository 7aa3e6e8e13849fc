//! A graph as operations of a kernel, written while the kernel is built.
//!
//! A compiler of a card may fuse and reorder sums and products, and its quotients and roots may be some units wrong. So what
//! must be rounded by itself passes through an operation on bits that compilers do not see through, and quotients and roots
//! are corrected. Both sides of a choice are computed: the elements of a card go in step.

#![allow(unreachable_pub, reason = "what CubeCL's macro writes is public")]

use cubecl::prelude::*;
use cubecl::unexpanded;
use gaussform_codegen::recorded::{Graph, Operation, Value};

use crate::programs::Program;

/// The results of a program on γ and ξ², or on x and anything.
pub(super) fn evaluate(_: f32, _: f32, _: Program) -> Sequence<f32> {
    unexpanded!()
}

/// Where CubeCL looks for what [`evaluate`] stands for in a kernel.
pub(super) mod evaluate {
    use super::*;

    pub(in super::super) fn expand(
        scope: &Scope,
        gamma: NativeExpand<f32>,
        xi2: NativeExpand<f32>,
        program: Program,
    ) -> SequenceExpand<f32> {
        let contents = program.contents();
        let mut walk = Walk { scope, graph: &contents.graph, values: Vec::new() };
        for (at, is_rounded) in contents.is_rounded.iter().enumerate() {
            let mut value = walk.value(at, [gamma, xi2]);
            if let (Written::Number(number), true) = (value, *is_rounded) {
                value = Written::Number(rounded::expand(scope, number));
            }
            walk.values.push(value);
        }
        let mut results = Sequence::<f32>::__expand_new(scope);
        for result in &contents.graph.results {
            results.__expand_push_method(scope, walk.number(*result));
        }
        results
    }
}

/// The value of a node in a kernel.
#[derive(Clone, Copy)]
enum Written {
    Number(NativeExpand<f32>),
    Truth(NativeExpand<bool>),
}

struct Walk<'a> {
    scope: &'a Scope,
    graph: &'a Graph,
    /// The values of the nodes so far.
    values: Vec<Written>,
}

impl Walk<'_> {
    fn number(&self, value: Value) -> NativeExpand<f32> {
        match self.values[value] {
            Written::Number(number) => number,
            Written::Truth(_) => unreachable!("a graph has numbers where numbers are read"),
        }
    }

    fn truth(&self, value: Value) -> NativeExpand<bool> {
        match self.values[value] {
            Written::Truth(truth) => truth,
            Written::Number(_) => unreachable!("a graph has truth values where these are read"),
        }
    }

    /// The value of a node, whose operands are written.
    fn value(&self, at: Value, inputs: [NativeExpand<f32>; 2]) -> Written {
        let (scope, node) = (self.scope, &self.graph.nodes[at]);
        let [a, b, c] = [0, 1, 2].map(|i| node.operands.get(i).copied().unwrap_or_default());
        let number = |value: Value| self.number(value);
        let truth = |value: Value| self.truth(value);
        let value = match node.operation {
            Operation::Input(at) => inputs[at],
            Operation::Constant(bits) => constant(scope, f64::from_bits(bits)),
            Operation::Truth(known) => return Written::Truth(known.into_expand(scope)),
            Operation::Negate => negated::expand(scope, number(a)),
            Operation::Abs => absolute::expand(scope, number(a)),
            Operation::Root => root::expand(scope, number(a)),
            Operation::InverseRoot => {
                divided::expand(scope, constant(scope, 1.0), root::expand(scope, number(a)))
            }
            Operation::Inverse => divided::expand(scope, constant(scope, 1.0), number(a)),
            Operation::Add => sum::expand(scope, number(a), number(b)),
            Operation::Subtract => difference::expand(scope, number(a), number(b)),
            Operation::Multiply => product::expand(scope, number(a), number(b)),
            Operation::Divide => divided::expand(scope, number(a), number(b)),
            Operation::MultiplyAdd => {
                sum::expand(scope, product::expand(scope, number(a), number(b)), number(c))
            }
            Operation::MultiplySubtract => {
                difference::expand(scope, product::expand(scope, number(a), number(b)), number(c))
            }
            Operation::NegateMultiplyAdd => {
                difference::expand(scope, number(c), product::expand(scope, number(a), number(b)))
            }
            Operation::Scale | Operation::Raise => raised::expand(scope, number(a), number(b)),
            Operation::Larger => larger::expand(scope, number(a), number(b)),
            Operation::Smaller => smaller::expand(scope, number(a), number(b)),
            Operation::Less => return Written::Truth(less::expand(scope, number(a), number(b))),
            Operation::AtMost => {
                return Written::Truth(at_most::expand(scope, number(a), number(b)));
            }
            Operation::Equals => return Written::Truth(equal::expand(scope, number(a), number(b))),
            Operation::And => return Written::Truth(both::expand(scope, truth(a), truth(b))),
            Operation::Or => return Written::Truth(either::expand(scope, truth(a), truth(b))),
            Operation::Not => return Written::Truth(not::expand(scope, truth(a))),
            Operation::Carried { .. } | Operation::Loop(_) | Operation::Last(_) => {
                unreachable!("the graph has no loops")
            }
            Operation::Call { .. } | Operation::Part(_) => unreachable!("nothing is called"),
            Operation::Select | Operation::Branch => match self.values[b] {
                Written::Number(yes) => select::expand(scope, truth(a), yes, number(c)),
                Written::Truth(yes) => {
                    return Written::Truth(select::expand(scope, truth(a), yes, truth(c)));
                }
            },
        };
        Written::Number(value)
    }
}

/// A number of single precision. An infinite one is the largest there is: what is taken 0 times is to be 0.
fn constant(scope: &Scope, value: f64) -> NativeExpand<f32> {
    (value as f32).clamp(f32::MIN, f32::MAX).into_expand(scope)
}

#[cube]
fn negated(a: f32) -> f32 {
    -a
}

#[cube]
fn absolute(a: f32) -> f32 {
    f32::abs(a)
}

#[cube]
fn sum(a: f32, b: f32) -> f32 {
    a + b
}

#[cube]
fn difference(a: f32, b: f32) -> f32 {
    a - b
}

#[cube]
fn product(a: f32, b: f32) -> f32 {
    a * b
}

#[cube]
fn larger(a: f32, b: f32) -> f32 {
    max(a, b)
}

#[cube]
fn smaller(a: f32, b: f32) -> f32 {
    min(a, b)
}

#[cube]
fn less(a: f32, b: f32) -> bool {
    a < b
}

#[cube]
fn at_most(a: f32, b: f32) -> bool {
    a <= b
}

#[cube]
fn equal(a: f32, b: f32) -> bool {
    a == b
}

#[cube]
fn both(a: bool, b: bool) -> bool {
    a & b
}

#[cube]
fn either(a: bool, b: bool) -> bool {
    a | b
}

#[cube]
fn not(a: bool) -> bool {
    !a
}

/// x, rounded: no number has larger bits than these, which compilers do not know, so that nothing is fused or reordered
/// across it.
#[cube]
fn rounded(x: f32) -> f32 {
    f32::reinterpret(min(u32::reinterpret(x), 0xffff_fffeu32))
}

/// a = high + low, each with half of the bits: the high part.
#[cube]
fn high(a: f32) -> f32 {
    let c = rounded(4097.0f32 * a);
    rounded(c - rounded(c - a))
}

/// The rounding error of a product.
#[cube]
fn lost(product: f32, a: f32, b: f32) -> f32 {
    let (a_high, b_high) = (high(a), high(b));
    let (a_low, b_low) = (rounded(a - a_high), rounded(b - b_high));
    let first = rounded(rounded(a_high * b_high) - product);
    let second = rounded(first + rounded(a_high * b_low));
    let third = rounded(second + rounded(a_low * b_high));
    rounded(third + rounded(a_low * b_low))
}

/// a/b, of which division may get several units wrong.
#[cube]
fn divided(a: f32, b: f32) -> f32 {
    let quotient = rounded(a / b);
    let back = rounded(quotient * b);
    let rest = rounded(rounded(a - back) - lost(back, quotient, b));
    quotient + rest / b
}

/// The root of a number from 2⁻⁶⁰ to 2⁶⁰, or of 0: that of a card may be several units wrong.
#[cube]
fn root(a: f32) -> f32 {
    let positive = max(a, 1.175_494_4e-38f32);
    let near = rounded(f32::sqrt(positive));
    let square = rounded(near * near);
    let rest = rounded(rounded(positive - square) - lost(square, near, near));
    select(a == 0.0f32, 0.0f32, near + 0.5f32 * rest / near)
}

/// a 2ⁿ for shifted = n + 1.5 · 2²³; 0 if 2ⁿ is no normal number.
#[cube]
fn raised(a: f32, shifted: f32) -> f32 {
    let n = max(shifted, 12_582_785.0f32);
    a * f32::reinterpret((u32::reinterpret(n) << 23u32) + 0x3f80_0000u32)
}

/// Whether a number is neither infinite nor NaN.
#[cube]
pub(crate) fn is_finite(x: f32) -> bool {
    (u32::reinterpret(x) & 0x7fff_ffffu32) < 0x7f80_0000u32
}

/// Whether γ is finite, and ξ² finite and no less than 0.
#[cube]
pub(super) fn is_valid(gamma: f32, xi2: f32) -> bool {
    is_finite(gamma) & is_finite(xi2) & (xi2 >= 0.0f32)
}

/// Whether a number is not NaN.
#[cube]
pub(super) fn is_number(x: f32) -> bool {
    (u32::reinterpret(x) & 0x7fff_ffffu32) <= 0x7f80_0000u32
}

/// NaN, of bits that no compiler knows.
#[cube]
pub(super) fn not_a_number(x: f32) -> f32 {
    f32::reinterpret(u32::reinterpret(x) | 0x7fc0_0000u32)
}
