//! Counting what a kernel does.

use std::fmt;
use std::ops::{Add, AddAssign};

use crate::ir::{Block, Condition, Expr, Function, Stmt, Word};
use crate::kernel::Kernel;

/// How many operations of each kind; additions and multiplications count alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Additions, subtractions, multiplications and changes of sign.
    pub arithmetic: usize,
    /// Divisions.
    pub division: usize,
    /// Square roots.
    pub root: usize,
    /// Exponentials.
    pub exp: usize,
    /// Error functions: none, in this scheme.
    pub erf: usize,
}

impl Add for Operations {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            arithmetic: self.arithmetic + other.arithmetic,
            division: self.division + other.division,
            root: self.root + other.root,
            exp: self.exp + other.exp,
            erf: self.erf + other.erf,
        }
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { arithmetic, division, root, exp, erf } = self;
        write!(f, "{arithmetic} + − ×, {division} ÷, {root} √, {exp} exp, {erf} erf")
    }
}

/// The operations of one function with one base piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegimeCost {
    /// The base piece.
    pub base: usize,
    /// If no other piece is narrow.
    pub wide: Operations,
    /// If every bounded piece but the base piece is narrow; the same where there is none.
    pub narrow: Operations,
}

// What the primitives of the runtime cost in f64; the arithmetic inside of an exponential
// counts as arithmetic of its own.
const DEVIATION: Operations = Operations { arithmetic: 20, division: 2, root: 1, exp: 0, erf: 0 };
const EDGE: Operations = Operations { arithmetic: 54, division: 0, root: 0, exp: 1, erf: 0 };
/// A step of the compensated Horner scheme.
const COMPENSATED_STEP: usize = 30;
/// Quadrature nodes in f64.
const NODES: usize = 18;
/// At each node besides the integrand: weights, offset, exponent.
const NODE: Operations = Operations { arithmetic: 10, division: 0, root: 0, exp: 1, erf: 0 };

impl Kernel {
    /// The operations of the moments, for each base piece, in f64.
    #[must_use]
    pub fn moments_cost(&self) -> Vec<RegimeCost> {
        self.costs(&self.moments().function)
    }

    /// The operations of the moments with their gradients, for each base piece, in f64.
    #[must_use]
    pub fn gradient_cost(&self) -> Vec<RegimeCost> {
        self.costs(&self.gradient().function)
    }

    fn costs(&self, function: &Function) -> Vec<RegimeCost> {
        let mut setup = DEVIATION;
        for (knot, count) in self.knots().iter().zip(&function.tails) {
            setup += word(knot);
            setup += EDGE;
            setup += tails(*count);
        }
        let block = |block: &Block, narrow| count(block, narrow);
        match function.block.statements.as_slice() {
            [Stmt::Branch { condition: Condition::BasePiece, arms, .. }] => arms
                .iter()
                .enumerate()
                .map(|(base, arm)| RegimeCost {
                    base,
                    wide: setup + block(arm, false),
                    narrow: setup + block(arm, true),
                })
                .collect(),
            _ => {
                let whole = block(&function.block, false);
                vec![RegimeCost { base: 0, wide: whole, narrow: whole }]
            }
        }
    }
}

/// Arithmetic in double words.
fn word(value: &Word) -> Operations {
    let sides = |sides: &[Word; 2]| word(&sides[0]) + word(&sides[1]);
    let (mut sum, arithmetic, division) = match value {
        Word::Constant(_) | Word::Parameter(_) => return Operations::default(),
        Word::Negate(a) => (word(a), 2, 0),
        Word::Add(pair) => (sides(pair), 20, 0),
        Word::Multiply(pair) => (sides(pair), 24, 0),
        Word::Divide(pair) => (sides(pair), 30, 2),
    };
    sum += Operations { arithmetic, division, ..Operations::default() };
    sum
}

/// Two polynomials for the start, the recurrence, one division.
fn tails(count: usize) -> Operations {
    let (arithmetic, division) = match count {
        0 => (0, 0),
        1..=3 => (50 + count, 1),
        4..=5 => (59 + count, 1),
        6..=7 => (62 + count, 1),
        8..=9 => (68 + count, 1),
        _ => (46 * count.max(48) + 165, 4),
    };
    Operations { arithmetic, division, ..Operations::default() }
}

fn count(block: &Block, narrow: bool) -> Operations {
    let mut sum = Operations::default();
    for statement in &block.statements {
        sum += match statement {
            Stmt::Let(_, Expr::Word(value)) => word(value),
            Stmt::Let(_, Expr::Polynomial(_, coefficients)) => {
                let steps = Operations {
                    arithmetic: COMPENSATED_STEP * coefficients.len().saturating_sub(1),
                    ..Operations::default()
                };
                coefficients.iter().fold(steps, |sum, coefficient| sum + word(coefficient))
            }
            Stmt::Let(_, Expr::Pole(..) | Expr::Variance(_)) => Operations::default(),
            Stmt::Let(..) => Operations { arithmetic: 1, ..Operations::default() },
            Stmt::Branch { condition: Condition::Narrow(_), arms, .. } => {
                count(&arms[usize::from(!narrow)], narrow)
            }
            Stmt::Branch { arms, .. } => count(&arms[0], narrow),
            Stmt::Quadrature { integrand, .. } => {
                let results =
                    Operations { arithmetic: 2 * integrand.results.len(), ..Operations::default() };
                let node = count(integrand, narrow) + results + NODE;
                (0..NODES).fold(Operations::default(), |all, _| all + node)
            }
        };
    }
    sum
}
