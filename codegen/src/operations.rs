//! Counting what a kernel does.

use std::fmt;
use std::ops::{Add, AddAssign};

use gaussform_runtime::Float;
use gaussform_runtime::kernel::FIT_COUNTS;
use gaussform_runtime::kernel::powers::Series;

use crate::ir::{Block, Case, Condition, Expr, Function, Product, Stmt, Word};
use crate::kernel::Kernel;
use crate::rounding::Length;

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

impl fmt::Display for RegimeCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.case {
            None => write!(f, "everywhere: {}", self.wide)?,
            Some(Case::Wide(piece)) => write!(f, "on piece {piece}: {}", self.wide)?,
            Some(Case::Narrow(piece)) => write!(f, "on piece {piece}, narrow: {}", self.wide)?,
        }
        if self.narrow != self.wide {
            let others =
                if self.case.is_some() { "others narrow" } else { "where a piece is narrow" };
            write!(f, "; {others}: {}", self.narrow)?;
        }
        Ok(())
    }
}

/// The operations of one function in one regime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegimeCost {
    /// Where γ lies; `None` where everything is computed everywhere.
    pub case: Option<Case>,
    /// If no piece is narrow, or no other one than that of the case.
    pub wide: Operations,
    /// If every bounded piece is narrow; the same where there is none, or no other one.
    pub narrow: Operations,
}

// What the primitives of the runtime cost in f64; the arithmetic inside of an exponential
// counts as arithmetic of its own.
const DEVIATION: Operations = Operations { arithmetic: 20, division: 2, root: 1, exp: 0, erf: 0 };
const EDGE: Operations = Operations { arithmetic: 50, division: 0, root: 0, exp: 1, erf: 0 };
/// What its low words take.
const EDGE_LOW: usize = 30;
/// Of pairs, without fused multiplication.
const PAIR_SUM: usize = 8;
const PAIR_PRODUCT: usize = 21;
/// A step of the compensated Horner scheme.
const COMPENSATED_STEP: usize = 30;
/// The width of a piece in units of ξ.
const WIDTH: usize = 25;
/// At each node besides the sums: place, exponent, weight.
const NODE: Operations = Operations { arithmetic: 6, division: 0, root: 0, exp: 1, erf: 0 };
/// The integrals of powers over a piece besides the series: what it takes of the density.
const POWERS: Operations = Operations { arithmetic: 53, division: 0, root: 0, exp: 0, erf: 0 };
/// What the integral of a straight line times a power takes.
const LINE: usize = 3;

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
        if self.table().is_some() {
            return Vec::new();
        }
        let mut setup = DEVIATION;
        for (knot, count) in self.knots().iter().zip(&function.tails) {
            setup += words(Length::Triple, knot);
            setup += EDGE;
            if self.is_precise() {
                setup += Operations { arithmetic: EDGE_LOW, ..Operations::default() };
            }
            setup += tails::<f64>(*count, self.is_precise());
        }
        let by_case = function.block.statements.iter().find_map(|stmt| match stmt {
            Stmt::Branch { condition: Condition::Case(cases), arms, .. } => Some((cases, arms)),
            _ => None,
        });
        match by_case {
            Some((cases, arms)) => {
                // What stands around the branch is computed in every regime.
                let shared = setup + count(&besides(&function.block), false);
                let regimes = cases.iter().zip(arms);
                regimes
                    .map(|(case, arm)| {
                        let quadrature = |narrow: bool| {
                            let is_own = |piece: usize| *case == Case::Narrow(piece);
                            let pieces = 0..function.integrals.len();
                            let pieces =
                                pieces.filter(|i| is_own(*i) || narrow && *i != case.piece());
                            pieces.fold(Operations::default(), |sum, piece| {
                                sum + self.quadrature(function, piece)
                            })
                        };
                        let cost = |narrow| shared + quadrature(narrow) + count(arm, narrow);
                        RegimeCost { case: Some(*case), wide: cost(false), narrow: cost(true) }
                    })
                    .collect()
            }
            None => {
                // Whatever the piece that γ lies on.
                let pieces = 0..function.integrals.len();
                let narrow = pieces.fold(setup + count(&function.block, true), |sum, piece| {
                    sum + self.quadrature(function, piece)
                });
                let wide = setup + count(&function.block, false);
                vec![RegimeCost { case: None, wide, narrow }]
            }
        }
    }

    /// What is integrated over a narrow piece.
    fn quadrature(&self, function: &Function, piece: usize) -> Operations {
        let basis = self.basis();
        let products = quadratures(&function.block, piece);
        let integrals = if function.integrals[piece] { 2 * basis } else { 0 };
        if products.is_empty() && integrals == 0 {
            return Operations::default();
        }
        if self.is_linear() {
            // For each order the first line times the second at two powers; a number costs one product.
            let factor = |product: &Product| if product.second.len() > 1 { LINE } else { 1 };
            let of = |(product, orders): &(&Product, usize)| orders * (2 * factor(product) + LINE);
            let products: usize = products.iter().map(of).sum();
            let arithmetic = POWERS.arithmetic + series::<f64>() + integrals + products;
            return Operations { arithmetic, ..POWERS };
        }
        // The factors, their product, and a sum with its Hermite polynomial for each order.
        let of = |(_, orders): &(&Product, usize)| 4 * basis + 3 + 4 * (orders - 1);
        let products: usize = products.iter().map(of).sum();
        let width = Operations { arithmetic: WIDTH, ..Operations::default() };
        let arithmetic = NODE.arithmetic + 2 * basis + integrals + products;
        let node = Operations { arithmetic, ..NODE };
        (0..nodes::<f64>()).fold(width, |all, _| all + node)
    }
}

/// The nodes of the quadrature.
fn nodes<T: Float>() -> usize {
    2 * T::NODES.len()
}

/// The sums of the series for straight pieces, and the quotients in them.
fn series<T: Float>() -> usize {
    let Series { last, start } = T::POWERS;
    2 * (start + last.iter().sum::<usize>()) + last[0]
}

/// What is integrated over a piece, each with the number of integrals, blocks inside included.
fn quadratures(block: &Block, piece: usize) -> Vec<(&Product, usize)> {
    let of = |stmt| match stmt {
        &Stmt::Quadrature { piece: at, ref product, ref outputs } if at == piece => {
            vec![(product, outputs.len())]
        }
        Stmt::Quadrature { .. } | Stmt::Let(..) => Vec::new(),
        Stmt::Branch { arms, .. } => arms.iter().flat_map(|arm| quadratures(arm, piece)).collect(),
    };
    block.statements.iter().flat_map(of).collect()
}

/// The statements of a block that are not a branch by cases.
fn besides(block: &Block) -> Block {
    let is_case = |stmt: &&Stmt| matches!(stmt, Stmt::Branch { condition: Condition::Case(_), .. });
    let statements = block.statements.iter().filter(|stmt| !is_case(stmt)).cloned().collect();
    Block { statements, results: Vec::new(), in_pairs: block.in_pairs }
}

/// Arithmetic in double or triple words.
fn words(length: Length, value: &Word) -> Operations {
    let word = |value: &Word| words(length, value);
    let sides = |sides: &[Word; 2]| word(&sides[0]) + word(&sides[1]);
    let cost = |double, triple| match length {
        Length::Double => double,
        Length::Triple => triple,
    };
    let (mut sum, (arithmetic, division)) = match value {
        Word::Constant(_) | Word::Parameter(_) => return Operations::default(),
        Word::Negate(a) => (word(a), cost((2, 0), (3, 0))),
        Word::Add(pair) => (sides(pair), cost((20, 0), (93, 0))),
        Word::Multiply(pair) => (sides(pair), cost((24, 0), (84, 0))),
        Word::Divide(pair) => (sides(pair), cost((30, 2), (93, 3))),
    };
    sum += Operations { arithmetic, division, ..Operations::default() };
    sum
}

/// Two polynomials for the start, the recurrence, one division.
fn tails<T: Float>(count: usize, precise: bool) -> Operations {
    let fit = FIT_COUNTS.iter().position(|served| count <= *served);
    let (arithmetic, division) = match fit.map(|fit| &T::FITS[fit]) {
        _ if count == 0 => (0, 0),
        Some(fit) => {
            let polynomials = 2 * (fit.p.len() + fit.q.len() - 2);
            if precise {
                (polynomials + 68 + 46 * fit.start + 22 * count, 1)
            } else {
                (polynomials + 3 * fit.start + count, 1)
            }
        }
        None => (46 * count.max(48) + 165, 4),
    };
    Operations { arithmetic, division, ..Operations::default() }
}

fn count(block: &Block, narrow: bool) -> Operations {
    let mut sum = Operations::default();
    for statement in &block.statements {
        sum += match statement {
            Stmt::Let(_, Expr::Word(value)) => words(Length::Double, value),
            Stmt::Let(_, Expr::Polynomial(_, coefficients)) => {
                let steps = Operations {
                    arithmetic: COMPENSATED_STEP * coefficients.len().saturating_sub(1),
                    ..Operations::default()
                };
                let word = |coefficient: &Word| words(Length::Double, coefficient);
                coefficients.iter().fold(steps, |sum, coefficient| sum + word(coefficient))
            }
            Stmt::Let(_, Expr::Pole(..) | Expr::Side(..) | Expr::Nearer(..) | Expr::Seen(_)) => {
                Operations::default()
            }
            Stmt::Let(_, expr) => {
                Operations { arithmetic: cost(block.in_pairs, expr), ..Operations::default() }
            }
            Stmt::Quadrature { .. } => Operations::default(),
            Stmt::Branch { condition: Condition::Narrow(_), arms, .. } => {
                count(&arms[usize::from(!narrow)], narrow)
            }
            Stmt::Branch { arms, .. } => count(&arms[0], narrow),
        };
    }
    sum
}

/// Sums and products of numbers, or of pairs without fused multiplication.
fn cost(in_pairs: bool, expr: &Expr) -> usize {
    match expr {
        _ if !in_pairs => 1,
        Expr::Negate(_) => 2,
        Expr::Multiply(..) => PAIR_PRODUCT,
        _ => PAIR_SUM,
    }
}
