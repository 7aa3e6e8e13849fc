//! The walk over a block of the IR: statements in order, branches with their arms, values where they are read.

use std::collections::{BTreeMap, BTreeSet};

use super::inline::{is_read, read_once};
use super::language::Of;
use super::{Factors, Fragment, Language, Numbers, Operation, Test};
use crate::ir::{Block, Condition, Expr, Input, Operand, Product, Stmt, Var};
use crate::rounding::{ROOT_TWO_OVER_PI, double};

/// A language with its way to write a branch, whose arms the printer writes.
pub(crate) trait Branching: Language {
    /// Writes a branch, as [`vector`](super::vector) does.
    fn branch(
        printer: &Printer<'_, Self>,
        condition: &Condition,
        arms: &[Block],
        outputs: &[Var],
        source: &mut Self::Source,
    );
}

/// Prints blocks in a language.
pub(crate) struct Printer<'a, L> {
    pub(crate) language: &'a L,
    /// The kind of number that the block at hand computes with.
    pub(crate) numbers: Numbers,
    /// The variables that hold pairs.
    pairs: &'a BTreeSet<Var>,
    /// Whether tails are pairs.
    is_precise: bool,
}

/// The values that are written where they are read.
type Inlined<T> = BTreeMap<Var, Fragment<T>>;

impl<'a, L: Branching> Printer<'a, L> {
    /// A printer for a function with the variables that hold pairs; `is_precise` says that tails are pairs.
    pub(crate) fn new(language: &'a L, pairs: &'a BTreeSet<Var>, is_precise: bool) -> Self {
        Self { language, numbers: Numbers::Plain, pairs, is_precise }
    }

    /// A printer for blocks without pairs.
    pub(crate) fn plain(language: &'a L) -> Self {
        Self::new(language, const { &BTreeSet::new() }, false)
    }

    fn with(&self, numbers: Numbers) -> Self {
        Self { numbers, ..*self }
    }

    /// Prints the statements of a block, and returns its results as what surrounds it computes with.
    pub(crate) fn block(&self, block: &Block, source: &mut L::Source) -> Vec<L::Text> {
        let numbers = Numbers::of(block);
        let results = self.with(numbers).inside(block, source);
        let results = results.into_iter().map(|result| self.convert(result, numbers));
        results.map(|result| self.language.result(&result)).collect()
    }

    /// A value that is held in such numbers, in those of the block at hand.
    fn convert(&self, value: Of<L>, held: Numbers) -> Of<L> {
        match (held, self.numbers) {
            (Numbers::Pairs, Numbers::Plain) => self.language.round(value),
            (Numbers::Plain, Numbers::Pairs) => self.language.extend(value),
            _ => value,
        }
    }

    fn inside(&self, block: &Block, source: &mut L::Source) -> Vec<Of<L>> {
        let language = self.language;
        let once = read_once(block);
        let mut inlined = Inlined::new();
        for statement in &block.statements {
            match statement {
                Stmt::Let(var, expr) => {
                    let value = self.expr(*var, expr, &inlined, source);
                    if once.contains(var) && language.is_short(&value.text) {
                        inlined.insert(*var, value);
                    } else {
                        language.bind(*var, &value.text, self.numbers, source);
                    }
                }
                Stmt::Branch { condition, arms, outputs } => {
                    L::branch(self, condition, arms, outputs, source);
                }
                Stmt::Integrate { piece, product, outputs } => {
                    let factors = self.factors(product, &inlined);
                    let integrals =
                        language.integrate(*piece, &factors, outputs, self.numbers, source);
                    for (var, integral) in outputs.iter().zip(integrals) {
                        let value = self.convert(integral, Numbers::Plain);
                        if once.contains(var) {
                            inlined.insert(*var, value);
                        } else if is_read(block, *var) {
                            language.bind(*var, &value.text, self.numbers, source);
                        }
                    }
                }
            }
        }
        block.results.iter().map(|result| self.operand(result, &inlined)).collect()
    }

    fn factors(&self, product: &Product, inlined: &Inlined<L::Text>) -> Factors<L::Text> {
        let plain = self.with(Numbers::Plain);
        let rounded = |o: &Operand| plain.convert(self.operand(o, inlined), self.numbers);
        Factors {
            first: product.first.iter().map(rounded).collect(),
            second: product.second.iter().map(rounded).collect(),
            less: rounded(&product.less),
        }
    }

    fn expr(
        &self,
        var: Var,
        expr: &Expr,
        inlined: &Inlined<L::Text>,
        source: &mut L::Source,
    ) -> Of<L> {
        let (language, numbers) = (self.language, self.numbers);
        let operand = |o: &Operand| self.operand(o, inlined);
        let binary = |operation, [a, b]: [&Operand; 2]| {
            language.binary(operation, [&operand(a), &operand(b)], numbers)
        };
        let select = |test, [a, b]: [&Operand; 2]| {
            language.select(test, [&operand(a), &operand(b)], numbers)
        };
        match expr {
            Expr::Add(a, b) => binary(Operation::Add, [a, b]),
            Expr::Subtract(a, b) => binary(Operation::Subtract, [a, b]),
            Expr::Multiply(a, b) => binary(Operation::Multiply, [a, b]),
            Expr::Negate(a) => language.negate(&operand(a), numbers),
            Expr::Word(word) => language.word(word, numbers),
            Expr::Polynomial(around, coefficients) => {
                language.polynomial(var, *around, coefficients, numbers, source)
            }
            Expr::Pole(a, b) => language.pole([&operand(a), &operand(b)]),
            Expr::Seen(value) => {
                let zero = language.constant([0.0; 2], numbers);
                language.select(Test::Seen, [&operand(value), &zero], numbers)
            }
            Expr::Side(knot, a, b) => select(Test::Right(*knot), [a, b]),
        }
    }

    fn operand(&self, operand: &Operand, inlined: &Inlined<L::Text>) -> Of<L> {
        match operand {
            Operand::Constant(value) => self.language.constant(double(value), self.numbers),
            Operand::Var(var) => inlined.get(var).cloned().unwrap_or_else(|| {
                let held = if self.pairs.contains(var) { Numbers::Pairs } else { Numbers::Plain };
                self.convert(Fragment::atom(self.language.variable(*var)), held)
            }),
            Operand::Input(input) => self.input(input),
        }
    }

    fn input(&self, input: &Input) -> Of<L> {
        let language = self.language;
        let held = match input {
            Input::RootTwoOverPi => {
                return language.constant([ROOT_TWO_OVER_PI, 0.0], self.numbers);
            }
            Input::Tail(..) if self.is_precise => Numbers::Pairs,
            _ => Numbers::Plain,
        };
        let pair = match self.numbers {
            Numbers::Pairs => language.input_pair(input),
            Numbers::Plain => None,
        };
        pair.unwrap_or_else(|| self.convert(language.input(input), held))
    }
}
