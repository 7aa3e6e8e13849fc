//! Tails outward from the mean, and places where they begin.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::series::TERMS;
use super::truncated_moments::{INV_SQRT_TAU, Ratios, half_exponential, hermite_of, power};
use crate::kernel::word;

/// The function itself, and its first two derivatives.
pub(super) const DERIVATIVES: usize = 3;

/// How many features of a function are kept.
pub(super) const DEPTH: usize = TERMS + DERIVATIVES;

/// A knot, or a point of a narrow piece, seen from the mean.
#[derive(Clone, Debug)]
pub(super) struct SeenPoint {
    /// ±(t − γ), the sign being `side`.
    pub(super) distance: [f64; 2],
    pub(super) side: f64,
    /// The distance in standard deviations.
    pub(super) z: f64,
    /// Its square.
    pub(super) square: [f64; 2],
    /// φ there.
    pub(super) density: f64,
}

impl SeenPoint {
    /// At a distance to the right of the mean, seen to the right or to the left.
    pub(super) fn new(distance: [f64; 2], is_right: bool, [variance, deviation]: [f64; 2]) -> Self {
        // In two words: φ multiplies an error of the square by z²/2.
        let square = word::divide(word::multiply(distance, distance), [variance, 0.0]);
        let place = Self {
            distance,
            side: 1.0,
            z: distance[0] / deviation,
            square,
            density: INV_SQRT_TAU * half_exponential(square),
        };
        if is_right { place } else { place.mirrored() }
    }

    /// This place, seen to the other side.
    pub(super) fn mirrored(&self) -> Self {
        let distance = word::negate(self.distance);
        Self { distance, side: -self.side, z: -self.z, ..*self }
    }

    /// This place, seen to the right.
    pub(super) fn to_the_right(&self) -> Self {
        if self.side > 0.0 { self.clone() } else { self.mirrored() }
    }
}

/// A tail or a point mass: one of the two that a joint tail is made of.
pub(super) trait Seen {
    /// Where it is.
    fn place(&self) -> &SeenPoint;
    /// J_n/φ for the orders of a tail, if it is outward.
    fn upper(&self) -> &[f64];
    /// How many orders from 0 on it has.
    fn count(&self) -> usize;
    /// Orders and their coefficients, in the derivative.
    fn terms(&self, times: usize) -> impl Iterator<Item = (i32, f64)>;
    /// ξᵏE\[T⁽ᵏ⁾\]/φ of the derivative, up to the sign of its side.
    fn ratio(&self, k: usize, times: usize) -> f64;
}

/// The terms of a tail's derivatives that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TailTerms {
    /// All of them.
    Whole,
    /// The point masses: it is the end of a narrow piece.
    Ends,
    /// All but the point masses.
    Inside,
}

impl TailTerms {
    /// Whether a term of some order counts.
    pub(super) fn has(self, order: i32) -> bool {
        match self {
            Self::Whole => true,
            Self::Ends => order < 0,
            Self::Inside => order >= 0,
        }
    }
}

/// Σ coefficient · tail_i with tail_i(z) = (z − α)₊ⁱ/i! and z the standardised pre-activation times ±1.
///
/// Its derivative has the same coefficients with orders less by one. Order −1 is a point mass, and those below are its derivatives.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    pub(super) place: SeenPoint,
    /// From order 0 on.
    pub(super) coefficients: Vec<f64>,
    pub(super) part: TailTerms,
    /// The number of its knot.
    pub(super) knot: usize,
    ratios: Ratios,
    /// ξᵏE\[T⁽ᵏ⁾\]/φ, up to the sign of its side.
    features: OnceCell<Vec<f64>>,
}

impl Tail {
    pub(super) fn new(
        place: SeenPoint,
        mut coefficients: Vec<f64>,
        part: TailTerms,
        knot: usize,
    ) -> Self {
        let count = coefficients.iter().rposition(|c| *c != 0.0).map_or(0, |last| last + 1);
        coefficients.truncate(count);
        let top = coefficients.len();
        let depth = DEPTH.max(top + DERIVATIVES);
        let ratios = Ratios::new(place.z, depth, top as i32 - 1);
        let features = OnceCell::new();
        Self { place, coefficients, part, knot, ratios, features }
    }

    /// Whether the derivative has no point masses.
    pub(super) fn is_function(&self, times: usize) -> bool {
        self.terms(times).all(|(i, _)| i >= 0)
    }

    /// E of the derivative without its point masses.
    pub(super) fn mean_inside(&self, times: usize) -> f64 {
        let terms = self.terms(times).filter(|(i, _)| *i >= 0);
        self.place.density * terms.map(|(i, c)| c * self.ratios.get(i)).sum::<f64>()
    }

    /// The tail on the other side, which differs by a polynomial.
    pub(super) fn flipped(&self) -> Self {
        // (z − α)₊ⁱ = (z − α)ⁱ − (−1)ⁱ (α − z)₊ⁱ
        let coefficients = self.coefficients.iter().zip(0..);
        let coefficients = coefficients.map(|(c, i)| if i % 2 == 0 { -c } else { *c }).collect();
        let (ratios, features) = (Ratios::default(), OnceCell::new());
        Self { place: self.place.mirrored(), coefficients, ratios, features, ..*self }
    }

    /// ξᵏE\[T⁽ᵏ⁾\] of the derivative.
    pub(super) fn feature(&self, k: usize, times: usize) -> f64 {
        if self.place.density == 0.0 {
            return 0.0;
        }
        let sign = if k % 2 == 1 { self.place.side } else { 1.0 };
        sign * self.ratio(k, times) * self.place.density
    }
}

impl Seen for Tail {
    fn place(&self) -> &SeenPoint {
        &self.place
    }

    fn upper(&self) -> &[f64] {
        self.ratios.upper()
    }

    fn count(&self) -> usize {
        self.coefficients.len()
    }

    fn terms(&self, times: usize) -> impl Iterator<Item = (i32, f64)> {
        let sign = power(self.place.side, times);
        let terms = (-(times as i32)..).zip(&self.coefficients);
        let terms = terms.filter(|(i, c)| **c != 0.0 && self.part.has(*i));
        terms.map(move |(i, c)| (i, sign * c))
    }

    fn ratio(&self, k: usize, times: usize) -> f64 {
        if self.part != TailTerms::Whole {
            let ratio = |n: i32| match usize::try_from(-1 - n) {
                Ok(order) => hermite_of(self.place.z, order),
                Err(_) => self.ratios.get(n),
            };
            return self.terms(times).map(|(i, c)| c * ratio(i - k as i32)).sum();
        }
        let sign = if times % 2 == 1 { self.place.side } else { 1.0 };
        let feature = |k: usize| {
            let terms = (0..).zip(&self.coefficients);
            terms.map(|(i, c)| c * self.ratios.get(i - k as i32)).sum::<f64>()
        };
        if k + times < DERIVATIVES {
            return sign * feature(k + times);
        }
        let all = || (0..DEPTH.max(self.coefficients.len() + DERIVATIVES)).map(feature).collect();
        // Beyond, where the other function has a polynomial of such a degree, there are derivatives of point masses only.
        let beyond = || {
            let mass = |(i, c): (usize, &f64)| c * hermite_of(self.place.z, k + times - i - 1);
            self.coefficients.iter().enumerate().map(mass).sum()
        };
        sign * self.features.get_or_init(all).get(k + times).copied().unwrap_or_else(beyond)
    }
}
