//! The functions that are recorded: all that kernels in other languages call.

use std::ops::{Add, Mul};

use gaussform_runtime::Float;
use gaussform_runtime::kernel::record;
use gaussform_runtime::kernel::{FIT_COUNTS, Pair, triple, word};

use super::inputs::{DEVIATION, EDGE, Inputs, TRIPLE};
use super::pieces::record_steps;
use crate::script::function::{Function, Group, PAIR, Parameter, Shape};
use crate::script::graph::{Arithmetic, Style, Value};
use crate::script::lanes::{Traced, Truth};
use crate::script::session::{define, functions, is_wanted};

const POWERS: Group = Group {
    name: "powers",
    fields: &[
        "integrals[0]",
        "integrals[1]",
        "integrals[2]",
        "integrals[3]",
        "integrals[4]",
        "scale",
        "middle",
        "half",
    ],
    is_word: false,
};
const WORD: Group = Group { name: "word", fields: &["high", "low"], is_word: true };

/// The primitives, each after those that it calls.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) functions: Vec<Function>,
}

impl Library {
    /// The primitives of a precision.
    pub(crate) fn new<T: Float>() -> Self {
        Self { functions: functions(Arithmetic::of::<T>(Style::Strict), None, primitives::<T>) }
    }

    /// The primitives in double precision of a machine that rounds a product and a sum once.
    pub(crate) fn fused() -> Self {
        Self { functions: functions(Arithmetic::of::<f64>(Style::Fused), None, primitives::<f64>) }
    }

    /// A primitive alone, with those that it calls before it.
    pub(crate) fn of<T: Float>(name: &str) -> Self {
        Self {
            functions: functions(Arithmetic::of::<T>(Style::Strict), Some(name), primitives::<T>),
        }
    }

    /// A constant knot seen from γ, under the name `edge_at`.
    pub(crate) fn edge_at<T: Float>(knot: [f64; 3]) -> Self {
        let inputs = [("gamma", Shape::Number), ("deviation", Shape::Group(&DEVIATION))];
        let functions = functions(Arithmetic::of::<T>(Style::Strict), None, || {
            function("edge_at", &inputs, Shape::Group(&EDGE), |i: &mut Inputs| {
                let (gamma, deviation) = (i.number::<T>(), i.numbers());
                record::edge_at(gamma, knot, deviation)
            });
        });
        Self { functions }
    }

    /// Leaves a primitive its first results.
    pub(crate) fn keep(&mut self, name: &str, count: usize) {
        let function = self.functions.iter_mut().find(|function| function.name == name);
        function.expect("a primitive").keep(count);
    }

    /// A primitive.
    pub(crate) fn get(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}

/// Results of a function.
trait Results {
    fn values(self) -> Vec<Value>;
}

impl<T> Results for Traced<T> {
    fn values(self) -> Vec<Value> {
        vec![self.value()]
    }
}

impl Results for Truth {
    fn values(self) -> Vec<Value> {
        vec![self.0]
    }
}

impl<R: Results, const N: usize> Results for [R; N] {
    fn values(self) -> Vec<Value> {
        self.into_iter().flat_map(R::values).collect()
    }
}

impl<A: Results, B: Results> Results for (A, B) {
    fn values(self) -> Vec<Value> {
        [self.0.values(), self.1.values()].concat()
    }
}

impl<T: Float> Results for Pair<Traced<T>> {
    fn values(self) -> Vec<Value> {
        self.words().values()
    }
}

/// Records a function with parameters of some names and shapes.
fn function<R: Results>(
    name: &str,
    parameters: &[(&str, Shape)],
    shape: Shape,
    body: impl FnOnce(&mut Inputs) -> R,
) {
    // A function that another one calls is recorded by the call.
    if !is_wanted(name) {
        return;
    }
    let parameter = |(name, shape): &(&str, Shape)| {
        let name = (*name).to_owned();
        Parameter { name, shape: shape.clone() }
    };
    let parameters = parameters.iter().map(parameter).collect();
    define(name, parameters, shape, |inputs| body(&mut Inputs(inputs.into_iter())).values());
}

fn primitives<T: Float>() {
    use Shape::{List, Number, Truth};
    type In<'a> = &'a mut Inputs;
    let record = Shape::Group;
    words::<T>();
    pairs::<T>();
    knots::<T>();
    record_steps::<T>();
    let deviation = ("deviation", record(&DEVIATION));
    let [left, right] = [("left", record(&EDGE)), ("right", record(&EDGE))];
    let inputs = [("narrow", Truth), left, right, ("width", record(&PAIR)), deviation];
    function("powers_on", &inputs, record(&POWERS), |i: In<'_>| {
        let (narrow, edges) = (i.truth(), [i.numbers(), i.numbers()]);
        record::powers::<Traced<T>>(narrow, edges, i.numbers(), i.numbers())
    });
    function("powers_basis", &[("powers", record(&POWERS))], List(2), |i: In<'_>| {
        record::powers_integrals::<Traced<T>>(i.numbers())
    });
    let lines = [("powers", record(&POWERS)), ("a", List(2)), ("b", List(2)), ("less", Number)];
    function("powers_products_1", &lines, List(1), |i: In<'_>| {
        let (powers, a, b) = (i.numbers(), i.numbers(), i.numbers());
        record::powers_products::<Traced<T>, 1>(powers, a, b, i.number())
    });
    function("powers_products_3", &lines, List(3), |i: In<'_>| {
        let (powers, a, b) = (i.numbers(), i.numbers(), i.numbers());
        record::powers_products::<Traced<T>, 3>(powers, a, b, i.number())
    });
}

/// Arithmetic in words, for numbers that are computed from parameters.
fn words<T: Float>() {
    type In<'a> = &'a mut Inputs;
    type V<T> = Traced<T>;
    let two = [("a", Shape::Group(&WORD)), ("b", Shape::Group(&WORD))];
    let word = || Shape::Group(&WORD);
    function("word_negate", &two[..1], word(), |i: In<'_>| word::negate::<V<T>>(i.numbers()));
    function("word_add", &two, word(), |i: In<'_>| word::add::<V<T>>(i.numbers(), i.numbers()));
    function("word_multiply", &two, word(), |i: In<'_>| {
        word::multiply::<V<T>>(i.numbers(), i.numbers())
    });
    function("word_divide", &two, word(), |i: In<'_>| {
        word::divide::<V<T>>(i.numbers(), i.numbers())
    });
    let two = [("a", Shape::Group(&TRIPLE)), ("b", Shape::Group(&TRIPLE))];
    let triple = || Shape::Group(&TRIPLE);
    function("triple_negate", &two[..1], triple(), |i: In<'_>| triple::negate::<V<T>>(i.numbers()));
    function("triple_add", &two, triple(), |i: In<'_>| {
        triple::add::<V<T>>(i.numbers(), i.numbers())
    });
    function("triple_multiply", &two, triple(), |i: In<'_>| {
        triple::multiply::<V<T>>(i.numbers(), i.numbers())
    });
    function("triple_divide", &two, triple(), |i: In<'_>| {
        triple::divide::<V<T>>(i.numbers(), i.numbers())
    });
}

/// Sums that cancel, and polynomials.
fn pairs<T: Float>() {
    type In<'a> = &'a mut Inputs;
    let pair = |name| (name, Shape::Group(&PAIR));
    let two = [pair("a"), pair("b")];
    let pair_of = |i: In<'_>| {
        let [high, low] = i.numbers();
        Pair::<Traced<T>>::new(high, low)
    };
    function("pair_round", &two[..1], Shape::Number, |i: In<'_>| pair_of(i).round());
    function("pair_neg", &two[..1], Shape::Group(&PAIR), |i: In<'_>| -pair_of(i));
    function("pair_add", &two, Shape::Group(&PAIR), |i: In<'_>| pair_of(i).add(pair_of(i)));
    function("pair_sub", &two, Shape::Group(&PAIR), |i: In<'_>| pair_of(i) - pair_of(i));
    function("pair_mul", &two, Shape::Group(&PAIR), |i: In<'_>| pair_of(i).mul(pair_of(i)));
    let step = [pair("value"), pair("x"), pair("c")];
    function("polynomial_step", &step, Shape::Group(&PAIR), |i: In<'_>| {
        record::polynomial_step::<Traced<T>>(i.numbers(), i.numbers(), i.numbers())
    });
    let place = [("x", Shape::Number), pair("knot")];
    function("distance", &place, Shape::Group(&PAIR), |i: In<'_>| {
        record::distance::<Traced<T>>(i.number(), i.numbers())
    });
}

/// Knots seen from γ, and the tails there.
fn knots<T: Float>() {
    use Shape::Number;
    type In<'a> = &'a mut Inputs;
    let record = Shape::Group;
    function("deviation_of", &[("xi2", Number)], record(&DEVIATION), |i: In<'_>| {
        record::deviation::<Traced<T>>(i.number())
    });
    let deviation = ("deviation", record(&DEVIATION));
    let seen = [("gamma", Number), ("knot", record(&TRIPLE)), deviation];
    function("edge_at", &seen, record(&EDGE), |i: In<'_>| {
        let (gamma, knot) = (i.number(), i.numbers());
        record::edge::<Traced<T>>(gamma, knot, i.numbers())
    });
    let edge = [("edge", record(&EDGE))];
    macro_rules! tails {
        ($($at:literal)*) => {$({
            const N: usize = FIT_COUNTS[$at];
            function(&format!("tails_{N}"), &edge, Shape::List(N), |i: In<'_>| {
                record::tails_at::<Traced<T>, N>(i.numbers())
            });
        })*};
    }
    tails!(0 1 2 3);
}
