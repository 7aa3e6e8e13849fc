//! Lanes that record each operation on them.
//!
//! A condition holds in some lane and not in others: both sides of every choice are computed, but where a condition is
//! known. What is called is written in line, unless functions are recorded: then it is a function of its own.

use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Range, Sub};

use gaussform_runtime::Float;
use gaussform_runtime::kernel::record::{Named, State, Step, Work};
use gaussform_runtime::kernel::{Lanes, Mask};

use super::function::{PAIR, Parameter, Shape};
use super::graph::{Arithmetic, Builder, FIRST_CELL, Graph, Operation, Style, Value};
use super::session::{define, functions, graph, is_exact, with};

/// The graph of the operations of `body` on `inputs` inputs.
pub(crate) fn record<T: Float>(
    inputs: usize,
    style: Style,
    body: impl FnOnce(&[Traced<T>]) -> Vec<Traced<T>>,
) -> Graph {
    recorded(inputs, style, |_| {}, body)
}

/// The graph of the operations of `body` on `inputs` inputs, where a function with a name is called.
pub(crate) fn record_calls<T: Float>(
    inputs: usize,
    style: Style,
    body: impl FnOnce(&[Traced<T>]) -> Vec<Traced<T>>,
) -> Graph {
    let mut graph = Graph::default();
    // What is called is one of the library of primitives, which has it too.
    functions(Arithmetic::of::<T>(style), None, || {
        graph = recorded(inputs, style, |builder| builder.has_calls = true, body);
    });
    graph
}

/// The graph of the operations of `body` on `inputs` inputs, where a loop over the rows of a table is a loop, recorded by the step of
/// its second row, which stands for any.
pub(crate) fn record_loops<T: Float>(
    inputs: usize,
    style: Style,
    body: impl FnOnce(&[Traced<T>]) -> Vec<Traced<T>>,
) -> Graph {
    recorded(inputs, style, |builder| builder.has_loops = true, body)
}

fn recorded<T: Float>(
    inputs: usize,
    style: Style,
    prepare: impl FnOnce(&mut Builder),
    body: impl FnOnce(&[Traced<T>]) -> Vec<Traced<T>>,
) -> Graph {
    let mut builder = Builder::new(Arithmetic::of::<T>(style));
    prepare(&mut builder);
    graph(builder, inputs, |places| {
        let places: Vec<Traced<T>> = places.into_iter().map(Traced::new).collect();
        body(&places).into_iter().map(Traced::value).collect()
    })
}

/// The bits of a table's number that is not known: NaN, with the name in its low bits.
const NAMED: u64 = 0x7FF8_4753_0000_0000;

/// A word of a table that is not known, by its name: an input behind the first two.
pub(crate) fn named(name: usize) -> f64 {
    f64::from_bits(NAMED | name as u64)
}

/// The name of a word.
fn name_of(number: f64) -> Option<usize> {
    let bits = number.to_bits();
    (bits & !0xFFFF_FFFF == NAMED).then_some((bits & 0xFFFF_FFFF) as usize)
}

/// One number of a precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced<T> {
    value: Value,
    precision: PhantomData<T>,
}

impl<T> Traced<T> {
    /// The number, if it is known.
    pub(crate) fn known(self) -> Option<f64> {
        with(|builder| builder.known(self.value))
    }

    /// An input by its place.
    pub(crate) fn input(at: usize) -> Self {
        Self::of(Operation::Input(at), &[])
    }

    /// Whether it is single precision on a card.
    fn is_single_on_card() -> bool {
        Self::is_on_card() && size_of::<T>() == size_of::<f32>()
    }

    fn is_on_card() -> bool {
        with(|builder| builder.arithmetic.style == Style::OnCard)
    }

    /// The number that a node is.
    pub(crate) fn new(value: Value) -> Self {
        Self { value, precision: PhantomData }
    }

    /// The node.
    pub(crate) fn value(self) -> Value {
        self.value
    }

    fn of(operation: Operation, operands: &[Self]) -> Self {
        let operands: Vec<Value> = operands.iter().map(|operand| operand.value).collect();
        Self::new(with(|builder| builder.of(operation, &operands)))
    }
}

/// A truth value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth(pub(crate) Value);

impl Truth {
    fn compare<T>(operation: Operation, [a, b]: [Traced<T>; 2]) -> Self {
        Self(with(|builder| builder.of(operation, &[a.value, b.value])))
    }

    fn known(self) -> Option<bool> {
        with(|builder| builder.known_truth(self.0))
    }
}

impl Mask for Truth {
    fn bits(self) -> u64 {
        unreachable!("asked of slices only")
    }
    // What is not known may hold in some lane and fail in another, so that both sides are
    // recorded.
    fn any(self) -> bool {
        self.known().unwrap_or(true)
    }
    fn all(self) -> bool {
        self.known().unwrap_or(false)
    }
    fn and(self, other: Self) -> Self {
        Self(with(|builder| builder.of(Operation::And, &[self.0, other.0])))
    }
    fn or(self, other: Self) -> Self {
        Self(with(|builder| builder.of(Operation::Or, &[self.0, other.0])))
    }
    fn not(self) -> Self {
        Self(with(|builder| builder.of(Operation::Not, &[self.0])))
    }
}

macro_rules! operators {
    ($($Trait:ident $operator:ident $Operation:ident),*) => {
        $(impl<T> $Trait for Traced<T> {
            type Output = Self;
            fn $operator(self, other: Self) -> Self {
                Self::of(Operation::$Operation, &[self, other])
            }
        })*
    };
}

operators!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide);

impl<T> Neg for Traced<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::of(Operation::Negate, &[self])
    }
}

impl<T: Float> Lanes for Traced<T> {
    type Scalar = T;
    type Element = T;
    type Accuracy = T;
    type Mask = Truth;

    const COUNT: usize = 1;
    const GENERAL: bool = true;
    const LOOPS: bool = false;

    fn is_fused() -> bool {
        with(|builder| matches!(builder.arithmetic.style, Style::Fused | Style::OnCard))
    }

    fn splat(value: T) -> Self {
        Self::new(with(|builder| builder.constant(value.to_f64())))
    }
    fn load(_: &[T]) -> Self {
        unreachable!("asked of slices only")
    }
    fn store(self, _: &mut [T]) {
        unreachable!("asked of slices only")
    }
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self::of(Operation::MultiplyAdd, &[self, factor, term])
    }
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        Self::of(Operation::MultiplySubtract, &[self, factor, term])
    }
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        Self::of(Operation::NegateMultiplyAdd, &[self, factor, term])
    }
    fn abs(self) -> Self {
        Self::of(Operation::Abs, &[self])
    }
    fn sqrt(self) -> Self {
        Self::of(Operation::Root, &[self])
    }
    fn scale(self, shifted: Self) -> Self {
        Self::of(Operation::Scale, &[self, shifted])
    }
    fn raise(self, shifted: Self) -> Self {
        Self::of(Operation::Raise, &[self, shifted])
    }
    /// ξ, 1/ξ and 1/(2ξ) of a variance. On a card they come from its inverse root and its reciprocal, with a step of
    /// Newton's method for each.
    fn roots(self) -> [Self; 3] {
        let smallest = Self::splat(T::power_of_two(T::LEAST_EXPONENT));
        if !Self::is_single_on_card() {
            let root = self.sqrt();
            // Finite at zero variance, where the step that follows takes it times 0.
            let divisor = if Self::is_on_card() { root.max(smallest) } else { root };
            let inverse = Self::splat(T::ONE) / divisor;
            return [root, inverse, Self::splat(T::HALF) * inverse];
        }
        let (half, one) = (Self::splat(T::HALF), Self::splat(T::ONE));
        // The inverse root of 0 is infinite, and 0 times that is NaN.
        let near = Self::of(Operation::InverseRoot, &[self.max(smallest)]);
        let lost = (self * near).neg_mul_add(near, one);
        let inverse = (half * near).mul_add(lost, near);
        [self * inverse, inverse, half * inverse]
    }
    fn quotient(self, divisor: Self) -> Self {
        if !Self::is_single_on_card() {
            return self / divisor;
        }
        let inverse = Self::of(Operation::Inverse, &[divisor]);
        let quotient = self * inverse;
        // The remainder corrects what the approximate reciprocal lost.
        quotient.neg_mul_add(divisor, self).mul_add(inverse, quotient)
    }
    fn max(self, other: Self) -> Self {
        Self::of(Operation::Larger, &[self, other])
    }
    fn min(self, other: Self) -> Self {
        Self::of(Operation::Smaller, &[self, other])
    }
    fn lt(self, other: Self) -> Truth {
        Truth::compare(Operation::Less, [self, other])
    }
    fn le(self, other: Self) -> Truth {
        Truth::compare(Operation::AtMost, [self, other])
    }
    fn equals(self, other: Self) -> Truth {
        Truth::compare(Operation::Equals, [self, other])
    }
    fn select(mask: Truth, yes: Self, no: Self) -> Self {
        Self::new(with(|builder| builder.of(Operation::Select, &[mask.0, yes.value, no.value])))
    }
    fn outlined_in<Unit, W: Work>(work: W) -> W::Output {
        work.run()
    }
    fn named_words(words: [f64; 3]) -> Option<[Option<Self>; 3]> {
        let is_named = words.iter().any(|word| name_of(*word).is_some());
        let word = |word: f64| match name_of(word) {
            Some(name) => Some(Self::input(FIRST_CELL + name)),
            // A word that is 0 in all rows leaves its terms out.
            None => (word != 0.0).then(|| Self::splat(T::from_f64(word))),
        };
        is_named.then(|| words.map(word))
    }
    fn if_any<W: Work<Output = [Self; N]>, const N: usize>(
        mask: Truth,
        work: W,
        otherwise: [Self; N],
    ) -> [Self; N] {
        match mask.known() {
            Some(false) => otherwise,
            Some(true) => work.run(),
            None => {
                let results = work.run();
                std::array::from_fn(|i| {
                    let operands = [mask.0, results[i].value, otherwise[i].value];
                    Self::new(with(|builder| builder.of(Operation::Branch, &operands)))
                })
            }
        }
    }
    fn repeat<S: Step<Self, N, M>, const N: usize, const M: usize>(
        range: Range<usize>,
        step: S,
        first: State<Self, N, M>,
    ) -> State<Self, N, M> {
        if !with(|builder| builder.has_loops) {
            return range.fold(first, |state, i| step.take(i, state).0);
        }
        let values = |(numbers, truths): &State<Self, N, M>| -> Vec<Value> {
            numbers.iter().map(|x| x.value).chain(truths.iter().map(|t| t.0)).collect()
        };
        let state = |values: &[Value]| -> State<Self, N, M> {
            (
                std::array::from_fn(|i| Self::new(values[i])),
                std::array::from_fn(|i| Truth(values[N + i])),
            )
        };
        let (of, first) = (with(Builder::new_loop), values(&first));
        // What a step leaves as it is is not carried.
        let mut carried: Vec<usize> = (0..N + M).collect();
        let ends = loop {
            let mut before = first.clone();
            for (at, place) in carried.iter().enumerate() {
                before[*place] = with(|builder| builder.of(Operation::Carried { of, at }, &[]));
            }
            let (after, _) = step.take(1, state(&before));
            let after = values(&after);
            // A value that is no longer carried may leave others unchanged. So the step is
            // recorded again, and the nodes of earlier attempts are pruned in the end.
            let changed: Vec<usize> =
                carried.iter().copied().filter(|place| after[*place] != before[*place]).collect();
            if changed.len() == carried.len() {
                break after;
            }
            carried = changed;
        };
        let some = |all: &[Value]| carried.iter().map(|place| all[*place]).collect::<Vec<Value>>();
        let kinds = carried.iter().map(|place| *place >= N).collect();
        let node = with(|builder| builder.close_loop(of, kinds, &some(&first), &some(&ends)));
        let mut last = first;
        for (at, place) in carried.iter().enumerate() {
            last[*place] = with(|builder| builder.of(Operation::Last(at), &[node]));
        }
        state(&last)
    }
    fn named<F: Named<I, O>, const I: usize, const O: usize>(inputs: [Self; I]) -> [Self; O] {
        if with(|builder| builder.has_calls) {
            return Self::call::<F, I, O>(inputs);
        }
        // Nodes of an error-free transformation are marked, so that nothing in it is fused.
        let depth = usize::from(is_exact(F::NAME));
        with(|builder| builder.depth += depth);
        let results = F::body(inputs);
        with(|builder| builder.depth -= depth);
        results
    }
}

impl<T: Float> Traced<T> {
    /// A call of a function, which is recorded if it was not yet.
    fn call<F: Named<I, O>, const I: usize, const O: usize>(inputs: [Self; I]) -> [Self; O] {
        let names = ('a'..='z').take(I).map(String::from);
        let parameters = names.map(|name| Parameter { name, shape: Shape::Number }).collect();
        let shape = match O {
            1 => Shape::Number,
            2 => Shape::Group(&PAIR),
            _ => Shape::List(O),
        };
        define(F::NAME, parameters, shape, |places| {
            F::body(std::array::from_fn(|i| Self::new(places[i]))).map(Self::value).to_vec()
        });
        let operands = inputs.iter().map(|input| input.value).collect();
        let results = Self::called(F::NAME, operands, O);
        std::array::from_fn(|i| results[i])
    }

    /// The results of a function.
    pub(crate) fn called(name: &'static str, operands: Vec<Value>, results: usize) -> Vec<Self> {
        let of = |operation, operands: &[Value]| with(|builder| builder.of(operation, operands));
        let call = of(Operation::Call { name, results }, &operands);
        let part = |at| if results == 1 { call } else { of(Operation::Part(at), &[call]) };
        (0..results).map(|at| Self::new(part(at))).collect()
    }
}
