//! A kernel of formulas that is known only when a program runs: steps over registers, which hold lanes.
//!
//! The steps are the operations of the compiled kernel in their order. Edges, tails and integrals are compiled, and what
//! lies between them is read step by step. A step works on whole vectors, so that reading it costs little. Results are
//! those of the compiled kernel, to the bit, if the numbers are: a parameter is a number here.

mod run;
mod scene;

use alloc::vec::Vec;

use crate::kernel::{Form, Kernel, Lanes};

/// The place of a number or of a pair among those of its kind.
pub type Register = u16;

/// A function with its moments as instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The highest degree of a piece.
    pub degree: u32,
    /// The knots, each a sum of three words, ascending.
    pub knots: Vec<[f64; 3]>,
    /// The widths of the bounded pieces, each a sum of two words.
    pub widths: Vec<[f64; 2]>,
    /// Whether tails are pairs of numbers.
    pub is_precise: bool,
    /// Whether the function is known to be nowhere negative.
    pub is_nonnegative: bool,
    /// g(x).
    pub value: Code,
    /// Mean and variance.
    pub moments: Code,
    /// Mean, variance and their derivatives in γ and ξ².
    pub gradients: Code,
    /// For each parameter the derivatives of mean, second moment and variance.
    pub parameters: Code,
    /// The moments for ξ² = 0 and γ on a knot.
    pub moments_at_rest: Vec<(f64, [f64; 2])>,
    /// The same with derivatives.
    pub gradients_at_rest: Vec<(f64, [f64; 6])>,
    /// The derivatives in parameters there.
    pub parameters_at_rest: Vec<(f64, Vec<[f64; 3]>)>,
}

/// The instructions of one routine.
///
/// Registers of numbers hold the constants first, then the inputs, then the tails where these are numbers, then what is
/// computed; those of pairs likewise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// The lowest and the highest power of ξ that a density is multiplied with.
    pub powers: [i32; 2],
    /// How many tails are needed at each knot.
    pub tails: usize,
    /// Numbers.
    pub constants: Vec<f64>,
    /// Pairs, as sums of two words.
    pub pair_constants: Vec<[f64; 2]>,
    /// Inputs as numbers.
    pub inputs: Vec<Input>,
    /// Inputs as pairs.
    pub pair_inputs: Vec<Input>,
    /// Polynomials of γ, or of the distance from a knot.
    pub polynomials: Vec<(Option<usize>, Vec<[f64; 2]>)>,
    /// Integrals of products over narrow pieces.
    pub products: Vec<Product>,
    /// How many registers of numbers and of pairs there are.
    pub registers: [usize; 2],
    /// How many masks there are beside those of the pieces.
    pub masks: usize,
    /// The steps.
    pub steps: Vec<Step>,
    /// Where the results are, all numbers.
    pub results: Vec<Register>,
}

/// What a routine starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// γ, or x.
    Gamma,
    /// ξ²
    Xi2,
    /// ξ
    Xi,
    /// 1/ξ
    InverseXi,
    /// What densities are in units of.
    DensityUnit,
    /// s of a knot.
    Distance(usize),
    /// s with its sign.
    SignedDistance(usize),
    /// t − γ.
    Displacement(usize),
    /// φ(s).
    Density(usize),
    /// The integral of a function of the basis over a narrow piece: the piece, the function.
    Integral(usize, usize),
}

/// The integrals of A·B, and of A·(B − less)·He_k(z), over a narrow piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// The piece.
    pub piece: usize,
    /// Coefficients of A.
    pub first: Vec<Register>,
    /// Coefficients of B.
    pub second: Vec<Register>,
    /// What is subtracted from B.
    pub less: Register,
    /// Where the integrals go.
    pub outputs: Vec<Register>,
}

/// One operation: its result is the first register, which may be one of those that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// a + b
    Add(Register, Register, Register),
    /// a − b
    Subtract(Register, Register, Register),
    /// a · b
    Multiply(Register, Register, Register),
    /// −a
    Negate(Register, Register),
    /// a · b + c
    MultiplyAdd(Register, [Register; 3]),
    /// a · b − c
    MultiplySubtract(Register, [Register; 3]),
    /// c − a · b
    NegateMultiplyAdd(Register, [Register; 3]),
    /// a + b of pairs.
    AddPairs(Register, Register, Register),
    /// a − b of pairs.
    SubtractPairs(Register, Register, Register),
    /// a · b of pairs.
    MultiplyPairs(Register, Register, Register),
    /// −a of a pair.
    NegatePair(Register, Register),
    /// A pair to a number.
    Round(Register, Register),
    /// A number to a pair.
    Extend(Register, Register),
    /// A polynomial, as a pair.
    Polynomial(Register, u16),
    /// Integrals of products.
    Products(u16),
    /// The limit of a/ξⁿ + b for ξ → 0.
    Pole(Register, Register, Register),
    /// The same number.
    Copy(Register, Register),
    /// The same pair.
    CopyPair(Register, Register),
    /// The first number in the lanes of a mask, the second one in others.
    Select(Choice, Register, [Register; 2]),
    /// The same for pairs.
    SelectPairs(Choice, Register, [Register; 2]),
    /// The mask of a piece on which γ lies. If no lane is in it, the steps go on elsewhere.
    Case {
        /// The mask.
        mask: u16,
        /// The piece.
        piece: u16,
        /// Whether it has to be narrow, if that is asked.
        narrow: Option<bool>,
        /// Where to go on.
        next: u32,
    },
    /// If a piece is narrow in no lane, the steps go on elsewhere.
    Narrow(u16, u32),
    /// The steps go on at one of those that follow: by the place of x, 2i on piece i and 2i + 1 on knot i.
    Place,
    /// The steps go on elsewhere.
    Go(u32),
}

/// What decides in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A mask that was computed.
    Mask(u16),
    /// Whether a piece is narrow.
    Narrow(u16),
    /// Whether the density at some knot is not negligible.
    Seen,
    /// Whether γ lies to the left of a knot.
    Left(u16),
}

/// A program as a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Formulas<'a>(pub(crate) &'a Program);

impl Code {
    /// The results of a block that reads one number.
    #[must_use]
    pub fn run_at(&self, knots: &[[f64; 3]], x: f64) -> Vec<f64> {
        run::at(knots, self, x)
    }
}

impl Kernel for Formulas<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    const FORM: Form = Form::Steps;

    fn bounded_piece(&self) -> Option<[[f64; 3]; 2]> {
        <[_; 2]>::try_from(&self.0.knots[..]).ok()
    }

    fn degree(&self) -> u32 {
        self.0.degree
    }

    fn value(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        self.0.value.run_at(&self.0.knots, x)[0]
    }

    #[inline(always)]
    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        run::results(self.0, &self.0.moments, gamma, xi2)
    }

    #[inline(always)]
    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        run::results(self.0, &self.0.gradients, gamma, xi2)
    }

    fn moments_at_rest(&self, gamma: f64) -> Option<[f64; 2]> {
        at(&self.0.moments_at_rest, gamma).copied()
    }

    fn gradients_at_rest(&self, gamma: f64) -> Option<[f64; 6]> {
        at(&self.0.gradients_at_rest, gamma).copied()
    }

    fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
        run::write(self.0, &self.0.parameters, gamma, xi2, out);
    }

    fn parameter_gradients_at_rest(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let values = at(&self.0.parameters_at_rest, gamma);
        if let Some(values) = values {
            out.copy_from_slice(values);
        }
        values.is_some()
    }
}

/// The results on a knot.
fn at<R>(rests: &[(f64, R)], gamma: f64) -> Option<&R> {
    rests.iter().find(|(knot, _)| *knot == gamma).map(|(_, results)| results)
}
