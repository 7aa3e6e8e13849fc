//! The kernel IR: straight-line arithmetic with shared subexpressions, branches that yield
//! values, and a few primitives of the runtime.
//!
//! Every variable is assigned once, in an order that a printer can follow. An operand is exact;
//! the printer and the interpreter round it to the precision of the kernel. What moves with the
//! parameters, knots above all, is a [`Word`].

use gaussform_symbolic::exact::Rational;

/// A variable of a function.
pub type Var = usize;

/// A value that needs no computation of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    /// An exact constant.
    Constant(Rational),
    /// The result of an earlier statement.
    Var(Var),
    /// An input.
    Input(Input),
}

/// An input of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// γ, or the argument x of the activation itself.
    Gamma,
    /// ξ²
    Xi2,
    /// ξ
    Xi,
    /// 1/ξ
    InverseXi,
    /// A parameter, by its index.
    Parameter(usize),
    /// s = |t − γ|/ξ of a knot.
    Distance(usize),
    /// s with the sign of t − γ.
    SignedDistance(usize),
    /// t − γ of a knot: ξ times the signed distance.
    Displacement(usize),
    /// The unit of densities, tails and integrals, a power of two.
    DensityUnit,
    /// The density φ(s) at a knot, in its unit.
    Density(usize),
    /// φ(s) R_n(s) of a knot, in the unit of densities: knot, n.
    Tail(usize, usize),
    /// The integral over a narrow piece, which is straight, of 1 or τ, with τ from −1 to 1 over the piece, in the unit of
    /// densities: piece, 0 or 1.
    Integral(usize, usize),
    /// √(2/π)
    RootTwoOverPi,
}

/// A number computed from constants and parameters in words of f64, whatever the precision of the
/// kernel: three for a knot, two for all else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Word {
    /// An exact constant.
    Constant(Rational),
    /// A parameter, by its index.
    Parameter(usize),
    /// −a
    Negate(Box<Word>),
    /// a + b
    Add(Box<[Word; 2]>),
    /// a · b
    Multiply(Box<[Word; 2]>),
    /// a/b
    Divide(Box<[Word; 2]>),
}

/// A computation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expr {
    /// a + b
    Add(Operand, Operand),
    /// a − b
    Subtract(Operand, Operand),
    /// a · b
    Multiply(Operand, Operand),
    /// −a
    Negate(Operand),
    /// A word, rounded once.
    Word(Word),
    /// Σ cⱼ γʲ, or Σ cⱼ (γ − t)ʲ around a knot, in double-word arithmetic, rounded once.
    Polynomial(Option<usize>, Vec<Word>),
    /// ±∞ by the sign of the first operand, or the second operand if the first is zero.
    Pole(Operand, Operand),
    /// The first operand where γ lies to the left of a knot, the second where it does not.
    Side(usize, Operand, Operand),
    /// A number where the density at some knot is not negligible, 0 elsewhere.
    Seen(Operand),
}

/// Where γ lies among the knots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// γ lies on this piece, which is not narrow.
    Wide(usize),
    /// γ lies on this piece, which is narrow.
    Narrow(usize),
}

impl Case {
    /// The piece.
    #[must_use]
    pub fn piece(self) -> usize {
        match self {
            Self::Wide(piece) | Self::Narrow(piece) => piece,
        }
    }
}

/// The condition of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Where γ lies: an arm for each case, of which one holds.
    Case(Vec<Case>),
    /// Whether a piece is narrow: the first arm if it is, the second if not.
    Narrow(usize),
    /// Where x lies: an arm for piece 0, knot 0, piece 1, knot 1, …
    Place,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// A computation.
    Let(Var, Expr),
    /// A choice of one of several blocks, whose results become the outputs.
    Branch {
        /// The condition.
        condition: Condition,
        /// The blocks.
        arms: Vec<Block>,
        /// Where the results go.
        outputs: Vec<Var>,
    },
    /// Integrals over a piece, in the unit of densities; 0 where it is not narrow.
    Integrate {
        /// The piece.
        piece: usize,
        /// The integrand.
        product: Product,
        /// Where the integrals go: of A·B, and of A·(B − less)·He_k(z) for k = 1, 2, ….
        outputs: Vec<Var>,
    },
}

/// Two straight lines A and B on a piece, each by its middle and half its rise, and the number by which B is less in the
/// integrals with a Hermite polynomial. B may have one coefficient, for a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// A
    pub first: Vec<Operand>,
    /// B
    pub second: Vec<Operand>,
    /// The number that is subtracted from B.
    pub less: Operand,
}

/// Statements and the values that they are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements, in order.
    pub statements: Vec<Stmt>,
    /// The results.
    pub results: Vec<Operand>,
}

/// The results for ξ² = 0 and γ on a knot.
#[derive(Clone, Debug, PartialEq)]
pub struct AtZeroVariance {
    /// The knot, or the first of a run of knots that have met.
    pub first: usize,
    /// The last of the run; `first` where it is one knot.
    pub last: usize,
    /// The results.
    pub block: Block,
}

/// One function of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The body.
    pub block: Block,
    /// The number of tails R₀, R₁, … that are needed at each knot.
    pub tails: Vec<usize>,
    /// Whether the integrals of the basis are needed on each piece, if it is narrow.
    pub integrals: Vec<bool>,
}

impl Function {
    /// Wraps a block, and notes which tails and integrals it reads.
    #[must_use]
    pub fn new(block: Block, knots: usize) -> Self {
        let mut tails = vec![0; knots];
        // There is one more piece than knots, and the outer ones are never narrow.
        let mut integrals = vec![false; knots + 1];
        block.visit(&mut |operand| match operand {
            Operand::Input(Input::Tail(knot, order)) => {
                tails[*knot] = tails[*knot].max(order + 1);
            }
            Operand::Input(Input::Integral(piece, _)) => integrals[*piece] = true,
            _ => {}
        });
        Self { block, tails, integrals }
    }

    /// Whether the computation depends on the piece that γ lies on.
    #[must_use]
    pub fn is_by_case(&self) -> bool {
        let by_case =
            |stmt: &Stmt| matches!(stmt, Stmt::Branch { condition: Condition::Case(_), .. });
        self.block.statements.iter().any(by_case)
    }
}

/// How a word is computed, for printers, in which all operations have one form.
pub(crate) enum Computed<'a> {
    Constant(&'a Rational),
    Parameter(usize),
    /// An operation by its name in the runtime and in the preludes, on some words.
    Call(&'static str, &'a [Word]),
}

impl Word {
    /// How it is computed.
    pub(crate) fn computed(&self) -> Computed<'_> {
        match self {
            Self::Constant(value) => Computed::Constant(value),
            Self::Parameter(index) => Computed::Parameter(*index),
            Self::Negate(a) => Computed::Call("negate", std::slice::from_ref(&**a)),
            Self::Add(sides) => Computed::Call("add", &**sides),
            Self::Multiply(sides) => Computed::Call("multiply", &**sides),
            Self::Divide(sides) => Computed::Call("divide", &**sides),
        }
    }

    /// The number, if no parameter goes into it.
    #[must_use]
    pub fn as_constant(&self) -> Option<&Rational> {
        match self {
            Self::Constant(value) => Some(value),
            _ => None,
        }
    }
}

impl Expr {
    /// The operands, in order.
    #[must_use]
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Add(a, b)
            | Self::Subtract(a, b)
            | Self::Multiply(a, b)
            | Self::Pole(a, b)
            | Self::Side(_, a, b) => vec![a, b],
            Self::Negate(a) | Self::Seen(a) => vec![a],
            Self::Word(_) | Self::Polynomial(..) => Vec::new(),
        }
    }
}

impl Product {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.first.iter().chain(&self.second).chain([&self.less])
    }
}

impl Block {
    /// Whether the block, or one inside of it, reads such an input.
    pub(crate) fn reads(&self, test: impl Fn(&Input) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |operand| found |= matches!(operand, Operand::Input(i) if test(i)));
        found
    }

    /// Calls `f` on every operand, nested blocks included.
    pub fn visit(&self, f: &mut impl FnMut(&Operand)) {
        for statement in &self.statements {
            match statement {
                Stmt::Let(_, expr) => expr.operands().into_iter().for_each(&mut *f),
                Stmt::Branch { arms, .. } => {
                    for arm in arms {
                        arm.visit(f);
                    }
                }
                Stmt::Integrate { product, .. } => product.operands().for_each(&mut *f),
            }
        }
        self.results.iter().for_each(f);
    }
}
