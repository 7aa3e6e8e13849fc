//! Formulas, recorded for other languages.

use std::cell::RefCell;
use std::iter;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::Lanes as _;
use gaussform_symbolic::exact::Rational;

use super::expression::Expression;
use super::graph::{Graph, Operation, Style};
use super::lanes::{Traced, record, record_calls};
use crate::ir::{Block, Word};
use crate::kernel::{Kernel, Routine};
use crate::rounding::Length;
use crate::run::{self, FormulaInputs, Primitive};

/// A computation of formulas. Its inputs are γ, ξ², and the words of what depends on parameters.
#[derive(Debug)]
pub(crate) struct Formulas {
    pub(crate) graph: Graph,
    pub(crate) words: Vec<Read>,
}

/// A number that depends on parameters: three inputs for a knot, two for all else.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) length: Length,
    pub(crate) word: Word,
    /// Whether one of its inputs is read.
    pub(crate) is_read: bool,
}

/// How formulas are recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) style: Style,
    /// Whether primitives of the runtime are called, and not written in line.
    pub(crate) has_calls: bool,
}

impl Formulas {
    /// A block that reads one number, in place of γ.
    pub(crate) fn block<T: Float>(kernel: &Kernel, block: &Block, manner: Manner) -> Self {
        Self::recorded::<T>(kernel, manner, 0, |of, x, _, _| run::at(of, block, x))
    }

    /// The value, which is NaN for NaN.
    pub(crate) fn value<T: Float>(kernel: &Kernel, manner: Manner) -> Self {
        Self::recorded::<T>(kernel, manner, 0, |of, x, _, _| {
            let [value]: [Traced<T>; 1] = run::array(&run::at(of, kernel.value(), x));
            vec![Traced::select(x.equals(x), value, x)]
        })
    }

    /// The function of a routine.
    pub(crate) fn routine<T: Float>(kernel: &Kernel, routine: &Routine, manner: Manner) -> Self {
        Self::recorded::<T>(kernel, manner, 0, |of, gamma, xi2, _| {
            run::results(of, &routine.function, gamma, xi2)
        })
    }

    /// A routine with its results for ξ² = 0 on knots.
    pub(crate) fn whole<T: Float>(kernel: &Kernel, routine: &Routine, manner: Manner) -> Self {
        Self::recorded::<T>(kernel, manner, 0, |of, gamma, xi2, _| {
            let results = run::results(of, &routine.function, gamma, xi2);
            run::with_limits(of, &routine.on_knots, [gamma, xi2], results)
        })
    }

    /// The results for ξ² = 0 on knots in place of as many other ones, which are inputs behind γ and ξ².
    pub(crate) fn limits<T: Float>(
        kernel: &Kernel,
        routine: &Routine,
        count: usize,
        manner: Manner,
    ) -> Self {
        Self::recorded::<T>(kernel, manner, count, |of, gamma, xi2, results| {
            run::with_limits(of, &routine.on_knots, [gamma, xi2], results.to_vec())
        })
    }

    fn recorded<T: Float>(
        kernel: &Kernel,
        manner: Manner,
        others: usize,
        body: impl FnOnce(&Symbols<'_>, Traced<T>, Traced<T>, &[Traced<T>]) -> Vec<Traced<T>>,
    ) -> Self {
        let first = 2 + others;
        let source = Symbols { kernel, manner, first, words: RefCell::default() };
        let run = |inputs: &[Traced<T>]| body(&source, inputs[0], inputs[1], &inputs[2..]);
        let graph = match manner.has_calls {
            true => record_calls::<T>(first, manner.style, run),
            false => record::<T>(first, manner.style, run),
        };
        let mut words = source.words.into_inner();
        let mut owners: Vec<usize> = Vec::new();
        for (at, read) in words.iter().enumerate() {
            owners.extend(iter::repeat_n(at, read.length.count()));
        }
        for node in &graph.nodes {
            if let Operation::Input(at) = node.operation
                && at >= first
            {
                words[owners[at - first]].is_read = true;
            }
        }
        Self { graph, words }
    }
}

/// How a language writes the inputs of formulas that depend on parameters.
pub(crate) trait Inputs {
    /// The parameter of a number.
    fn parameter(&self, index: usize) -> String;

    /// A field of a word, from its text, as arithmetic reads it.
    fn field(&self, text: String) -> String;

    /// Writes a word under a name.
    fn declare(&mut self, name: &str, read: &Read);
}

impl Formulas {
    /// The expressions of all inputs: the argument, ξ², and the words, of which those that are read are written first.
    pub(crate) fn inputs(&self, argument: &str, language: &mut impl Inputs) -> Vec<Expression> {
        let mut inputs = [argument, "xi2"].map(Expression::atom).to_vec();
        for (i, read) in self.words.iter().enumerate() {
            if let Word::Parameter(index) = read.word {
                // It has as many inputs as its word, so that the inputs behind it keep their
                // places.
                let parameter = Expression::atom(language.parameter(index));
                inputs.extend(iter::repeat_n(parameter, read.length.count()));
                continue;
            }
            let name = format!("w{i}");
            if read.is_read {
                language.declare(&name, read);
            }
            inputs.extend(read.length.fields().iter().enumerate().map(|(at, field)| {
                let text = language.field(format!("{name}.{field}"));
                Expression::field(text, &name, read.length.name(), at)
            }));
        }
        inputs
    }
}

/// Numbers that depend on parameters, as inputs of a graph.
struct Symbols<'a> {
    kernel: &'a Kernel,
    manner: Manner,
    /// The first input that is a word.
    first: usize,
    words: RefCell<Vec<Read>>,
}

impl Symbols<'_> {
    fn words<T: Float, const N: usize>(&self, word: &Word) -> [Traced<T>; N] {
        let length = if N == 3 { Length::Triple } else { Length::Double };
        if let Some(value) = word.as_constant() {
            let words = length.of::<T>(value);
            return std::array::from_fn(|i| Traced::splat(words[i]));
        }
        let mut all = self.words.borrow_mut();
        let is_same = |read: &Read| read.length == length && read.word == *word;
        let at = all.iter().position(is_same).unwrap_or_else(|| {
            all.push(Read { length, word: word.clone(), is_read: false });
            all.len() - 1
        });
        let first = self.first + all[..at].iter().map(|read| read.length.count()).sum::<usize>();
        let is_parameter = matches!(word, Word::Parameter(_));
        std::array::from_fn(|i| match i {
            // A parameter is a number of the precision: it has no low words.
            1.. if is_parameter => Traced::splat(T::ZERO),
            _ => Traced::input(first + i),
        })
    }
}

impl<T: Float> FormulaInputs<Traced<T>> for Symbols<'_> {
    fn kernel(&self) -> &Kernel {
        self.kernel
    }

    fn parameter(&self, index: usize) -> Traced<T> {
        let [value, _] = self.words(&Word::Parameter(index));
        value
    }

    fn knot(&self, knot: usize) -> [Traced<T>; 3] {
        self.words(&self.kernel.knots()[knot])
    }

    fn width(&self, piece: usize) -> [Traced<T>; 2] {
        self.words(&self.kernel.widths()[piece])
    }

    fn word(&self, word: &Word) -> [Traced<T>; 2] {
        self.words(word)
    }

    fn constant(&self, value: &Rational) -> [Traced<T>; 2] {
        let words = Length::Double.of::<T>(value);
        [Traced::splat(words[0]), Traced::splat(words[1])]
    }

    fn compute(
        &self,
        primitive: &Primitive<'_, Traced<T>>,
        body: impl FnOnce() -> Vec<Traced<T>>,
    ) -> Vec<Traced<T>> {
        if !self.manner.has_calls {
            return body();
        }
        let Primitive { name, truth, inputs, results } = *primitive;
        let numbers = inputs.iter().copied().flatten().map(|number| number.value());
        let operands = truth.map(|truth| truth.0).into_iter().chain(numbers).collect();
        Traced::called(name, operands, results)
    }
}
