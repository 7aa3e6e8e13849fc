//! The subject of a picture: an activation with numbers for its parameters, in floating point.

use std::collections::BTreeMap;
use std::ops::Range;

use gaussform_codegen::{Kernel, KernelError};
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::render::text;
use gaussform_symbolic::{Activation, Error};

use crate::evaluate::{constant, place};

/// Bits in which knots are computed before they are rounded.
const BITS: u64 = 128;
/// How far the pictures reach beyond the outer knots, in their distance and at the least.
const MARGIN: f64 = 0.75;
const LEAST_MARGIN: f64 = 3.0;
/// How far a function may go beyond its values between the knots, in their height, before the margin is less;
/// and the least margin then, in the distance of the knots.
const GROWTH: f64 = 2.0;
const CLOSEST: f64 = 0.04;
/// The least margin as a share of the knots' size: below it, the ends of the axis are the same double.
const LEAST_SHARE: f64 = 1e-9;
/// Distances of the outer knots for which ξ = ½, 1, 2 show something.
const USUAL: Range<f64> = 0.5..25.0;
/// Exponents of the unit of ξ: beyond them ξ² is no normal number.
const LARGEST_UNIT: f64 = 500.0;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The values of the parameters do not fit.
    #[error(transparent)]
    Activation(#[from] Box<Error>),
    /// There is no kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

/// An activation without parameters, and its kernel.
pub struct Subject {
    /// The name, and what its parameters are.
    pub(crate) label: String,
    pub(crate) activation: Activation,
    kernel: Kernel,
    knots: Vec<f64>,
    /// The coefficients of each piece, constant first.
    pieces: Vec<Vec<f64>>,
    at: Vec<f64>,
}

impl Subject {
    /// The activation with these values of its parameters.
    ///
    /// # Errors
    ///
    /// If the values do not satisfy what is declared, or there is no kernel.
    pub fn new(
        activation: &Activation,
        values: &BTreeMap<Symbol, Rational>,
    ) -> Result<Self, PlotError> {
        let label = label(activation, values);
        let activation = activation.with_values(values).map_err(Box::new)?;
        let kernel = Kernel::new(&activation)?;
        let function = &activation.function;
        let number = |polynomial: &Polynomial| constant(polynomial).unwrap_or(f64::NAN);
        let knots = function.knots().iter().filter_map(|knot| place::<f64>(knot, BITS)).collect();
        let coefficients =
            |piece: &Polynomial| piece.coefficients(&Symbol::Variable).iter().map(number).collect();
        let pieces = function.pieces().iter().map(coefficients).collect();
        let at = function.at_knots().iter().map(number).collect();
        Ok(Self { label, kernel, knots, pieces, at, activation })
    }

    /// Whether formulas are short enough to be compared with the kernel in a moment.
    #[must_use]
    pub fn has_short_formulas(&self) -> bool {
        self.activation.has_short_formulas()
    }

    pub(crate) fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The piece with this number at u.
    pub(crate) fn piece(&self, piece: usize, u: f64) -> f64 {
        self.pieces[piece].iter().rev().fold(0.0, |sum, coefficient| sum * u + coefficient)
    }

    /// Whether the piece with this number is a straight line.
    pub(crate) fn is_straight(&self, piece: usize) -> bool {
        self.pieces[piece].len() <= 2
    }

    /// The value on the knot with this number.
    pub(crate) fn at_knot(&self, knot: usize) -> f64 {
        self.at[knot]
    }

    /// Mean and variance by the kernel.
    pub(crate) fn moments(&self, gamma: f64, xi: f64) -> [f64; 2] {
        let moments = self.kernel.moments_grad(&[], gamma, xi * xi);
        [moments.mean, moments.variance]
    }

    /// The distance of the outer knots.
    fn span(&self) -> f64 {
        let [first, last] = self.ends();
        last - first
    }

    fn ends(&self) -> [f64; 2] {
        [self.knots.first(), self.knots.last()].map(|knot| knot.copied().unwrap_or(0.0))
    }

    /// The range of u that a picture shows by default: around the knots.
    #[must_use]
    pub fn around(&self) -> Range<f64> {
        let margin = MARGIN * self.span();
        let least =
            if self.span() < USUAL.start && self.knots.len() > 1 { 0.0 } else { LEAST_MARGIN };
        let margin = if self.knots.len() > 1 { margin.max(least) } else { 4.0 };
        self.widened(self.modest(margin))
    }

    /// The range from `margin` before the first knot to `margin` behind the last one, at least so wide that its ends
    /// differ, and at most so wide that its length is a number.
    fn widened(&self, margin: f64) -> Range<f64> {
        let [first, last] = self.ends();
        let margin = margin.max(LEAST_SHARE * first.abs().max(last.abs()));
        let (from, to) = ((first - margin).max(f64::MIN), (last + margin).min(f64::MAX));
        if (to - from).is_finite() { from..to } else { from / 2.0..to / 2.0 }
    }

    /// A margin of at most `most`, so small that the part between the knots is still seen: outside of them the
    /// function may grow fast.
    fn modest(&self, most: f64) -> f64 {
        const SAMPLES: u32 = 256;
        let [first, last] = self.ends();
        let span = self.span();
        let inside = |i: u32| self.value(first + span * f64::from(i) / f64::from(SAMPLES));
        let values = (0..=SAMPLES).map(inside);
        let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(value), high.max(value)]
        });
        let height = high - low;
        let mut margin = most;
        while height > 0.0 && margin > CLOSEST * span {
            let ends = [first - margin, last + margin].map(|u| self.value(u));
            let beyond = ends.map(|value| f64::max(low - value, value - high));
            if beyond[0].max(beyond[1]) <= GROWTH * height {
                break;
            }
            margin *= 0.9;
        }
        margin
    }

    /// The function at u, off the knots.
    fn value(&self, u: f64) -> f64 {
        self.piece(self.knots.iter().take_while(|knot| **knot <= u).count(), u)
    }

    /// The ξ of pictures if nothing is said.
    #[must_use]
    pub fn deviations(&self) -> Vec<f64> {
        let usual = self.knots.len() < 2 || USUAL.contains(&self.span());
        // A power of two, which makes no digits.
        let exponent = || libm::round(libm::log2(self.span() / 4.0));
        let unit =
            if usual { 1.0 } else { libm::exp2(exponent().clamp(-LARGEST_UNIT, LARGEST_UNIT)) };
        [0.5, 1.0, 2.0].map(|xi| xi * unit).to_vec()
    }

    /// The one in the middle.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        let xi = self.deviations();
        xi[xi.len() / 2]
    }

    /// The middle of the outer knots.
    #[must_use]
    pub fn middle(&self) -> f64 {
        let [first, last] = self.ends();
        first + (last - first) / 2.0
    }

    /// The distance of a mean from the farthest knot, in units of ξ.
    pub(crate) fn farthest(&self, gamma: f64, xi: f64) -> f64 {
        let distances = self.knots.iter().map(|knot| libm::fabs(gamma - knot) / xi);
        distances.fold(0.0, f64::max)
    }

    /// Beyond the outer knots, where the textbook's formula has lost all digits.
    #[must_use]
    pub fn far(&self, xi: f64) -> Range<f64> {
        self.widened(14.0 * xi)
    }
}

fn label(activation: &Activation, values: &BTreeMap<Symbol, Rational>) -> String {
    let parameters = activation.parameters.iter().filter_map(|parameter| {
        let symbol = Symbol::Parameter(parameter.name.clone());
        let value = text::form(&Polynomial::constant(values.get(&symbol)?.clone()).into());
        Some(format!(", {} = {value}", text::form(&Polynomial::symbol(symbol).into())))
    });
    activation.name.clone() + &parameters.collect::<String>()
}
