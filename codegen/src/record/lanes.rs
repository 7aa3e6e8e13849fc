//! Lanes that are places in a graph, and record each operation on them.
//!
//! A condition holds in some lane and not in all, so both sides of every choice are there. A loop whose length
//! is known is there as often as it runs. A function with a name (`Lanes::named`) is recorded once, with inputs of
//! its own, and called.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

use gaussform_runtime::Float;
use gaussform_runtime::kernel::record::{Named, Work};
use gaussform_runtime::kernel::{Lanes, Mask};

use super::function::{Function, Node, Operation, Parameter, Record, Shape, Value};

/// A number to twice the precision.
pub(super) const PAIR: Record = Record { name: "pair", fields: &["high", "low"], is_word: false };

/// The functions that are there, and those that are being recorded, the innermost one last.
#[derive(Default)]
struct Session {
    wanted: Option<String>,
    /// Whether the machine rounds a product and a sum once.
    is_fused: bool,
    functions: Vec<Function>,
    open: Vec<Open>,
    opened: usize,
}

/// A function that is being recorded.
struct Open {
    serial: usize,
    nodes: Vec<Node>,
    places: BTreeMap<(Operation, Vec<Value>), Value>,
}

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// A node of the function that is being recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    function: usize,
    value: Value,
}

impl Place {
    /// The node for an operation, the same one where it is there already.
    fn of(operation: Operation, operands: &[Place]) -> Self {
        SESSION.with_borrow_mut(|session| {
            let open = session.open.last_mut().expect("a function is being recorded");
            let is_inside = |operand: &Place| operand.function == open.serial;
            assert!(operands.iter().all(is_inside), "a function has all that it reads as inputs");
            let operands: Vec<Value> = operands.iter().map(|operand| operand.value).collect();
            let nodes = &mut open.nodes;
            let value =
                *open.places.entry((operation.clone(), operands.clone())).or_insert_with(|| {
                    nodes.push(Node { operation, operands });
                    nodes.len() - 1
                });
            Place { function: open.serial, value }
        })
    }
}

/// Records a function, unless it is there.
pub(super) fn define(
    name: &str,
    parameters: Vec<Parameter>,
    shape: Shape,
    body: impl FnOnce(Vec<Place>) -> Vec<Place>,
) {
    let is_new = SESSION.with_borrow_mut(|session| {
        let is_new = session.functions.iter().all(|function| function.name != name);
        if is_new {
            session.opened += 1;
            let serial = session.opened;
            session.open.push(Open { serial, nodes: Vec::new(), places: BTreeMap::new() });
        }
        is_new
    });
    if !is_new {
        return;
    }
    let count = parameters.iter().map(|parameter| parameter.shape.size()).sum();
    let inputs = (0..count).map(|i| Place::of(Operation::Input(i), &[])).collect();
    let results = body(inputs);
    assert_eq!(results.len(), shape.size(), "the results of `{name}`");
    SESSION.with_borrow_mut(|session| {
        let open = session.open.pop().expect("it was opened");
        assert!(results.iter().all(|result| result.function == open.serial));
        let results = results.iter().map(|result| result.value).collect();
        let nodes = open.nodes;
        let mut function = Function { name: name.to_owned(), parameters, nodes, results, shape };
        function.prune();
        session.functions.push(function);
    });
}

/// Whether a function is asked for by itself, and not only where another one calls it.
pub(super) fn is_wanted(name: &str) -> bool {
    SESSION.with_borrow(|session| session.wanted.as_deref().is_none_or(|wanted| wanted == name))
}

/// The functions that a computation records, each after those that it calls. With a name, only this one and those
/// that it calls. `is_fused` says that the machine rounds a product and a sum once.
pub(super) fn functions(
    wanted: Option<&str>,
    is_fused: bool,
    work: impl FnOnce(),
) -> Vec<Function> {
    let wanted = wanted.map(str::to_owned);
    let outer = SESSION.replace(Session { wanted, is_fused, ..Session::default() });
    work();
    SESSION.replace(outer).functions
}

/// Lanes of one number, with the constants of a precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded<T> {
    place: Place,
    precision: PhantomData<T>,
}

impl<T> Recorded<T> {
    pub(super) fn new(place: Place) -> Self {
        Self { place, precision: PhantomData }
    }

    pub(super) fn place(self) -> Place {
        self.place
    }

    fn of(operation: Operation, operands: &[Self]) -> Self {
        let places: Vec<Place> = operands.iter().map(|operand| operand.place).collect();
        Self::new(Place::of(operation, &places))
    }
}

/// A truth value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truth(pub(super) Place);

impl Truth {
    fn compare<T>(operation: Operation, a: Recorded<T>, b: Recorded<T>) -> Self {
        Self(Place::of(operation, &[a.place, b.place]))
    }
}

impl Mask for Truth {
    fn bits(self) -> u64 {
        unreachable!("asked of slices only")
    }
    fn any(self) -> bool {
        true
    }
    fn all(self) -> bool {
        false
    }
    fn and(self, other: Self) -> Self {
        Self(Place::of(Operation::And, &[self.0, other.0]))
    }
    fn or(self, other: Self) -> Self {
        Self(Place::of(Operation::Or, &[self.0, other.0]))
    }
    fn not(self) -> Self {
        Self(Place::of(Operation::Not, &[self.0]))
    }
}

macro_rules! operators {
    ($($Trait:ident $operator:ident $Operation:ident),*) => {
        $(impl<T> $Trait for Recorded<T> {
            type Output = Self;
            fn $operator(self, other: Self) -> Self {
                Self::of(Operation::$Operation, &[self, other])
            }
        })*
    };
}

operators!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide);

impl<T> Neg for Recorded<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::of(Operation::Negate, &[self])
    }
}

impl<T: Float> Lanes for Recorded<T> {
    type Scalar = T;
    type Element = T;
    type Accuracy = T;
    type Mask = Truth;

    const COUNT: usize = 1;
    const GENERAL: bool = true;

    fn is_fused() -> bool {
        SESSION.with_borrow(|session| session.is_fused)
    }

    fn splat(value: T) -> Self {
        Self::of(Operation::Constant(value.to_f64().to_bits()), &[])
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
    fn lt(self, other: Self) -> Truth {
        Truth::compare(Operation::Less, self, other)
    }
    fn le(self, other: Self) -> Truth {
        Truth::compare(Operation::AtMost, self, other)
    }
    fn equals(self, other: Self) -> Truth {
        Truth::compare(Operation::Equals, self, other)
    }
    fn select(mask: Truth, yes: Self, no: Self) -> Self {
        Self::new(Place::of(Operation::Select, &[mask.0, yes.place, no.place]))
    }
    fn outlined_in<Unit, W: Work>(work: W) -> W::Output {
        work.run()
    }
    fn named<F: Named<I, O>, const I: usize, const O: usize>(inputs: [Self; I]) -> [Self; O] {
        let names = ('a'..='z').take(I).map(String::from);
        let parameters = names.map(|name| Parameter { name, shape: Shape::Number }).collect();
        let shape = match O {
            1 => Shape::Number,
            2 => Shape::Record(&PAIR),
            _ => Shape::List(O),
        };
        define(F::NAME, parameters, shape, |places| {
            let results = F::body(std::array::from_fn(|i| Self::new(places[i])));
            results.map(Self::place).to_vec()
        });
        let call = Self::of(Operation::Call(F::NAME.to_owned()), &inputs);
        std::array::from_fn(|i| if O == 1 { call } else { Self::of(Operation::Part(i), &[call]) })
    }
}
