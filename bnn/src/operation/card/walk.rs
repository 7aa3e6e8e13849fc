//! A graph as operations of a kernel, written while the kernel is built.
//!
//! A compiler of a card may fuse and reorder sums and products, and its quotients and roots may be some units wrong. So what
//! must be rounded by itself passes through an operation on bits that compilers do not see through, and quotients and roots
//! are corrected. Both sides of a choice are computed: the elements of a card go in step. A loop of the graph is one of the kernel,
//! whose step is walked once. It reads its rows from memory.

#![allow(unreachable_pub, reason = "what CubeCL's macro writes is public")]

use std::collections::BTreeMap;

use cubecl::frontend::branch::for_expand;
use cubecl::prelude::*;
use cubecl::std::tensor::layout::linear::LinearView;
use cubecl::unexpanded;
use gaussform_codegen::recorded::{Graph, Loop, Operation, Source, Value};

use crate::programs::{Program, Rows};

/// The numbers that loops read, one row after the other; none where there are no loops.
pub(super) type Numbers<'a> = ComptimeOption<LinearView<'a, f32>>;
type View<'a> = <LinearView<'a, f32> as CubeType>::ExpandType;

/// The results of a program on γ and ξ², or on x and anything.
pub(super) fn evaluate(_: f32, _: f32, _: Numbers<'_>, _: Program) -> Sequence<f32> {
    unexpanded!()
}

/// Where CubeCL looks for what [`evaluate`] stands for in a kernel.
pub(super) mod evaluate {
    use super::*;

    pub(in super::super) fn expand(
        scope: &Scope,
        gamma: NativeExpand<f32>,
        xi2: NativeExpand<f32>,
        numbers: <Numbers<'_> as CubeType>::ExpandType,
        program: Program,
    ) -> SequenceExpand<f32> {
        let contents = program.contents();
        let numbers = match numbers {
            ComptimeOptionExpand::Some(view) => Some(view),
            ComptimeOptionExpand::None => None,
        };
        let kernel = Kernel { numbers, loops: &contents.loops };
        let inputs = [gamma, xi2].map(Written::Number);
        let walk = Walk::over(scope, kernel, &contents.graph, [&contents.is_rounded, &[]], &inputs);
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
    /// The number of a loop, among all that the walk came to.
    Loop(usize),
}

/// What a loop carries from row to row.
enum Carried {
    Number(<RuntimeCell<f32> as CubeType>::ExpandType),
    Truth(<RuntimeCell<bool> as CubeType>::ExpandType),
}

impl Carried {
    fn new(scope: &Scope, first: Written) -> Self {
        match first {
            Written::Number(number) => {
                Self::Number(RuntimeCell::<f32>::__expand_new(scope, number))
            }
            Written::Truth(truth) => Self::Truth(RuntimeCell::<bool>::__expand_new(scope, truth)),
            Written::Loop(_) => unreachable!("a loop carries numbers and truth values"),
        }
    }

    fn read(&self, scope: &Scope) -> Written {
        match self {
            Self::Number(cell) => Written::Number(cell.__expand_read_method(scope)),
            Self::Truth(cell) => Written::Truth(cell.__expand_read_method(scope)),
        }
    }

    fn store(&self, scope: &Scope, value: Written) {
        match (self, value) {
            (Self::Number(cell), Written::Number(number)) => {
                cell.__expand_store_method(scope, number);
            }
            (Self::Truth(cell), Written::Truth(truth)) => cell.__expand_store_method(scope, truth),
            _ => unreachable!("a loop ends with values of the kinds that it starts with"),
        }
    }
}

/// What all walks of a kernel read.
#[derive(Clone, Copy)]
struct Kernel<'a> {
    numbers: Option<View<'a>>,
    loops: &'a BTreeMap<usize, Rows>,
}

struct Walk<'a, 'k> {
    scope: &'a Scope,
    kernel: Kernel<'k>,
    graph: &'a Graph,
    /// Where the graph is the step of a loop, whether each node is a number of the row.
    is_of_row: &'a [bool],
    inputs: &'a [Written],
    /// The values of the nodes so far.
    values: Vec<Written>,
    /// The values that loops ended with.
    ended: Vec<Vec<Written>>,
}

impl<'a, 'k> Walk<'a, 'k> {
    /// The values of all nodes of a graph, of which some are rounded by themselves.
    fn over(
        scope: &'a Scope,
        kernel: Kernel<'k>,
        graph: &'a Graph,
        [is_rounded, is_of_row]: [&'a [bool]; 2],
        inputs: &'a [Written],
    ) -> Self {
        let (values, ended) = (Vec::new(), Vec::new());
        let mut walk = Self { scope, kernel, graph, is_of_row, inputs, values, ended };
        for (at, is_rounded) in is_rounded.iter().enumerate() {
            let mut value = match graph.nodes[at].operation {
                Operation::Loop(number) => {
                    let ended = walk.repeated(at, number);
                    walk.ended.push(ended);
                    Written::Loop(walk.ended.len() - 1)
                }
                _ => walk.value(at),
            };
            if let (Written::Number(number), true) = (value, *is_rounded) {
                value = Written::Number(rounded::expand(scope, number));
            }
            walk.values.push(value);
        }
        walk
    }

    /// The values that a loop ends with.
    fn repeated(&self, at: Value, number: usize) -> Vec<Written> {
        let (scope, rows) = (self.scope, &self.kernel.loops[&number]);
        let Loop { carried, inputs, step } = &self.graph.loops[&number];
        let operands = self.graph.nodes[at].operands.iter().map(|operand| self.values[*operand]);
        let operands: Vec<Written> = operands.collect();
        let (first, outside) = operands.split_at(carried.len());
        let carried: Vec<Carried> = first.iter().map(|first| Carried::new(scope, *first)).collect();
        let numbers = self.kernel.numbers.expect("a kernel with loops is given their rows");
        let constant = |number: usize| -> NativeExpand<usize> { number.into_expand(scope) };
        let range = RangeExpand::new(constant(0), constant(rows.count));
        for_expand(scope, range, false, |scope, row| {
            let start = row_start::expand(scope, row, rows.cells.len(), rows.first);
            let input = |source: &Source| match *source {
                Source::Outside(at) => outside[at],
                Source::Carried(at) => carried[at].read(scope),
                Source::Cell(name) => {
                    let at = rows.cells.iter().position(|cell| *cell == name);
                    let at = behind::expand(scope, start, at.expect("a cell of the row"));
                    Written::Number(numbers.__expand_read_method(scope, at))
                }
            };
            let inputs: Vec<Written> = inputs.iter().map(input).collect();
            let walk =
                Walk::over(scope, self.kernel, step, [&rows.is_rounded, &rows.is_of_row], &inputs);
            for (cell, end) in carried.iter().zip(&step.results) {
                cell.store(scope, walk.values[*end]);
            }
        });
        carried.iter().map(|cell| cell.read(scope)).collect()
    }

    fn number(&self, value: Value) -> NativeExpand<f32> {
        match self.values[value] {
            Written::Number(number) => number,
            _ => unreachable!("a graph has numbers where numbers are read"),
        }
    }

    fn truth(&self, value: Value) -> NativeExpand<bool> {
        match self.values[value] {
            Written::Truth(truth) => truth,
            _ => unreachable!("a graph has truth values where these are read"),
        }
    }

    /// A product. A number of a row may be 0, and what is taken 0 times is to be 0: a power of ξ beside it may be infinite.
    fn product(&self, a: Value, b: Value) -> NativeExpand<f32> {
        let [first, second] = [a, b].map(|value| self.number(value));
        let mut product = product::expand(self.scope, first, second);
        for (value, factor) in [(a, first), (b, second)] {
            if self.is_of_row.get(value).is_some_and(|is_of_row| *is_of_row) {
                product = unless_zero::expand(self.scope, factor, product);
            }
        }
        product
    }

    /// The value of a node, whose operands are written.
    fn value(&self, at: Value) -> Written {
        let (scope, node) = (self.scope, &self.graph.nodes[at]);
        let [a, b, c] = [0, 1, 2].map(|i| node.operands.get(i).copied().unwrap_or_default());
        let number = |value: Value| self.number(value);
        let truth = |value: Value| self.truth(value);
        let value = match node.operation {
            Operation::Input(at) => return self.inputs[at],
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
            Operation::Multiply => self.product(a, b),
            Operation::Divide => divided::expand(scope, number(a), number(b)),
            Operation::MultiplyAdd => sum::expand(scope, self.product(a, b), number(c)),
            Operation::MultiplySubtract => difference::expand(scope, self.product(a, b), number(c)),
            Operation::NegateMultiplyAdd => {
                difference::expand(scope, number(c), self.product(a, b))
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
            Operation::Last(at) => {
                let Written::Loop(number) = self.values[a] else {
                    unreachable!("a loop ends with values")
                };
                return self.ended[number][at];
            }
            Operation::Carried { .. } | Operation::Loop(_) => {
                unreachable!("loops are graphs of their own, and walked as such")
            }
            Operation::Call { .. } | Operation::Part(_) => unreachable!("nothing is called"),
            Operation::Select | Operation::Branch => match self.values[b] {
                Written::Number(yes) => select::expand(scope, truth(a), yes, number(c)),
                Written::Truth(yes) => {
                    return Written::Truth(select::expand(scope, truth(a), yes, truth(c)));
                }
                Written::Loop(_) => unreachable!("a choice is between values"),
            },
        };
        Written::Number(value)
    }
}

/// A number of single precision. An infinite one is the largest there is: what is taken 0 times is to be 0.
fn constant(scope: &Scope, value: f64) -> NativeExpand<f32> {
    (value as f32).clamp(f32::MIN, f32::MAX).into_expand(scope)
}

/// The place of a row of some length, where the first one has a place too.
#[cube]
fn row_start(row: usize, #[comptime] length: usize, #[comptime] first: usize) -> usize {
    row * length + first
}

/// The place so far behind another one.
#[cube]
fn behind(place: usize, #[comptime] by: usize) -> usize {
    place + by
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

/// A product, or 0 where a factor is 0.
#[cube]
fn unless_zero(factor: f32, product: f32) -> f32 {
    select((u32::reinterpret(factor) & 0x7fff_ffffu32) == 0u32, 0.0f32, product)
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
    // 2¹² + 1 divides the 24 bits in the middle (Veltkamp).
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
    // What is left is divided by the root, which must not be 0.
    let positive = max(a, 1.175_494_4e-38f32);
    let near = rounded(f32::sqrt(positive));
    let square = rounded(near * near);
    let rest = rounded(rounded(positive - square) - lost(square, near, near));
    select(a == 0.0f32, 0.0f32, near + 0.5f32 * rest / near)
}

/// a 2ⁿ for shifted = n + 1.5 · 2²³; 0 if 2ⁿ is no normal number.
#[cube]
fn raised(a: f32, shifted: f32) -> f32 {
    // 1.5 · 2²³ − 127: the exponent −127 has the bits of 0.
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
