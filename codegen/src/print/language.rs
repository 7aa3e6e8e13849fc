//! The interface of a target language: how it writes numbers, operations and statements of the IR.

use super::{Binding, Fragment, Text};
use crate::ir::{Block, Case, Input, Var, Word};

/// The kind of number that a block computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// Numbers of the precision.
    Plain,
    /// Pairs of them, where sums cancel.
    Pairs,
}

impl Numbers {
    /// The kind of number of a block.
    pub(crate) fn of(block: &Block) -> Self {
        if block.in_pairs { Self::Pairs } else { Self::Plain }
    }
}

/// An operation on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Add,
    Subtract,
    Multiply,
}

impl Operation {
    /// The sign between the operands.
    pub(crate) fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
        }
    }

    /// How tightly the operands on the left and on the right of the sign bind at least. The right side binds more
    /// tightly, so that the order of operations is that of the IR.
    fn levels(self) -> [Binding; 2] {
        match self {
            Self::Add | Self::Subtract => [Binding::Sum, Binding::Product],
            Self::Multiply => [Binding::Product, Binding::Sign],
        }
    }

    /// The operation with its sign.
    pub(crate) fn infix<T: Text>(self, [a, b]: [&Fragment<T>; 2]) -> Fragment<T> {
        let [left, right] = self.levels();
        let text = a.at_least(left).infix(self.sign(), &b.at_least(right));
        Fragment::new(text, left)
    }
}

/// The condition of a selection between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// Whether the density at some knot is not negligible.
    Seen,
    /// Whether a knot lies to the right of γ.
    Right(usize),
}

/// The condition of a branch: where γ lies, or whether a piece is narrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Case(Case),
    Narrow(usize),
}

/// The factors of a product that is integrated, as plain numbers.
pub(crate) struct Factors<T> {
    pub(crate) first: Vec<Fragment<T>>,
    pub(crate) second: Vec<Fragment<T>>,
    pub(crate) less: Fragment<T>,
}

/// An expression of a language.
pub(crate) type Of<L> = Fragment<<L as Language>::Text>;

/// How a language writes numbers, operations and statements.
pub(crate) trait Language: Sized {
    /// The material of expressions.
    type Text: Text;
    /// The place where statements are collected.
    type Source;

    /// A constant of two words; a plain number is the first of them.
    fn constant(&self, words: [f64; 2], numbers: Numbers) -> Of<Self>;

    /// A value that is computed in words and rounded once.
    fn word(&self, word: &Word, numbers: Numbers) -> Of<Self>;

    /// An input as a plain number, or as a pair if it is a tail and tails are pairs.
    fn input(&self, input: &Input) -> Of<Self>;

    /// An input as a pair, if it is one before it is rounded.
    fn input_pair(&self, _input: &Input) -> Option<Of<Self>> {
        None
    }

    /// The name of a variable.
    fn variable(&self, var: Var) -> Self::Text;

    /// A pair as a plain number.
    fn round(&self, pair: Of<Self>) -> Of<Self> {
        pair
    }

    /// A plain number as a pair.
    fn extend(&self, number: Of<Self>) -> Of<Self> {
        number
    }

    /// A sum, difference or product.
    fn binary(&self, operation: Operation, sides: [&Of<Self>; 2], _numbers: Numbers) -> Of<Self> {
        operation.infix(sides)
    }

    /// −a
    fn negate(&self, value: &Of<Self>, _numbers: Numbers) -> Of<Self> {
        value.negated()
    }

    /// The first value where a test holds, the second where it does not.
    fn select(&self, test: Test, sides: [&Of<Self>; 2], numbers: Numbers) -> Of<Self>;

    /// ±∞ by the sign of the first value, or the second value if the first is zero.
    fn pole(&self, sides: [&Of<Self>; 2]) -> Of<Self>;

    /// The polynomial in γ, or in γ less a knot, that a variable stands for.
    fn polynomial(
        &self,
        var: Var,
        around: Option<usize>,
        coefficients: &[Word],
        numbers: Numbers,
        source: &mut Self::Source,
    ) -> Of<Self>;

    /// Whether an expression is short enough to be written in the place where it is read.
    fn is_short(&self, _text: &Self::Text) -> bool {
        true
    }

    /// Gives a value its name.
    fn bind(&self, var: Var, value: &Self::Text, numbers: Numbers, source: &mut Self::Source);

    /// A value as the result of a block.
    fn result(&self, value: &Of<Self>) -> Self::Text {
        value.text.clone()
    }

    /// Integrates a product over a piece. Returns the integrals as plain numbers, or nothing where it has given
    /// them their names itself.
    fn integrate(
        &self,
        piece: usize,
        factors: &Factors<Self::Text>,
        outputs: &[Var],
        numbers: Numbers,
        source: &mut Self::Source,
    ) -> Vec<Of<Self>>;
}
