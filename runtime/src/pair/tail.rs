//! Tails of one pre-activation: their moments J_n, and the tails that a function is made of outward from the mean.
//!
//! ```text
//! J_n(z) = E[(x − z)₊ⁿ]/n!      J_{n−1} = −J_n′      so J₋₁ = φ and J_{−1−n} = He_n φ
//! ξᵏE[T⁽ᵏ⁾] = Σ_i cᵢ J_{i−k}(α)      for T = Σ_i cᵢ (z − α)₊ⁱ/i!
//! ```
//!
//! Moments are kept relative to the density at the knot, where each has all of its digits however far out the knot is. The exponent of the density is a
//! double word, since φ multiplies an error of the square by z²/2.
//!
//! Error: some ulp of each ratio J_n/φ (`kernel/tails.rs`, `kernel/high.rs`), and about one of φ.

use alloc::vec::Vec;
use core::cell::OnceCell;

use crate::kernel::exponential::density_after;
use crate::kernel::{Edge, tails, word};
use crate::lanes::double::two_square;
use crate::precision::Precision;

/// 1/√(2π)
pub(super) const INV_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
/// √(2π)
const ROOT_TAU: f64 = <f64 as Precision>::ROOT_TAU;
/// Beyond it the density is 0.
pub(super) const CUT: f64 = 100.0;
/// The highest order, with room: that of the joint tail of two pieces of the highest degree.
pub(super) const ORDERS: usize = 136;

/// R_n(z) = J_n(z)/φ(z) for n = 0 … count − 1 and z ≥ 0; 0 where the density is.
pub(super) fn ratios(z: f64, count: usize) -> Vec<f64> {
    if z > CUT {
        return alloc::vec![0.0; count];
    }
    // A density of 1 makes tails relative to the density.
    let edge = Edge { z, s: z, d: z, h: 1.0, h_low: 0.0, s_low: 0.0 };
    match count {
        0..=3 => tails::<f64, 3>(&edge)[..count].to_vec(),
        4..=5 => tails::<f64, 5>(&edge)[..count].to_vec(),
        6..=9 => tails::<f64, 9>(&edge)[..count].to_vec(),
        _ => tails::<f64, ORDERS>(&edge)[..count].to_vec(),
    }
}

/// He_n(z) for n = 0 … count − 1.
fn hermite(z: f64, count: usize) -> Vec<f64> {
    // The density is 0 beyond the cut, and 0 times a polynomial that overflows is no number.
    let z = z.clamp(-CUT, CUT);
    let mut values = Vec::with_capacity(count);
    let (mut before, mut now) = (0.0, 1.0);
    for n in 0..count {
        values.push(now);
        (before, now) = (now, z * now - n as f64 * before);
    }
    values
}

/// The last of them.
pub(super) fn hermite_of(z: f64, n: usize) -> f64 {
    let z = z.clamp(-CUT, CUT);
    let (mut before, mut now) = (0.0, 1.0);
    for k in 0..n {
        (before, now) = (now, z * now - k as f64 * before);
    }
    now
}

/// J_n(z)/φ(z) for n from some negative order on; those with n ≥ 0 for z ≥ 0 only.
#[derive(Clone, Debug, Default)]
struct Ratios {
    z: f64,
    upper: Vec<f64>,
    depth: usize,
    lower: OnceCell<Vec<f64>>,
}

impl Ratios {
    /// For −`depth` ≤ n ≤ `top`.
    fn new(z: f64, depth: usize, top: i32) -> Self {
        let count = if z >= 0.0 { usize::try_from(top + 1).unwrap_or(0) } else { 0 };
        Self { z, upper: ratios(z, count), depth, lower: OnceCell::new() }
    }

    /// Those with n ≥ 0.
    fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// J_n/φ.
    fn get(&self, n: i32) -> f64 {
        let value = match usize::try_from(-1 - n) {
            // Less than the whole list costs.
            Ok(order) if order < FEW => return hermite_of(self.z, order),
            Ok(order) => self.lower.get_or_init(|| hermite(self.z, self.depth)).get(order),
            Err(_) => usize::try_from(n).ok().and_then(|order| self.upper.get(order)),
        };
        value.copied().unwrap_or(f64::NAN)
    }
}

/// e^{−q/2} for a double word.
pub(super) fn half_exponential(q: [f64; 2]) -> f64 {
    // Beyond, the result is 0 and the low word may be anything.
    if q[0] > 1600.0 { 0.0 } else { libm::exp(-q[0] / 2.0) * (1.0 - q[1] / 2.0) }
}

/// φ(z)
pub(super) fn density(z: f64) -> f64 {
    let [square, low] = two_square(z.clamp(-CUT, CUT));
    density_after(square, low)
}

/// e^{−x}, for x ≥ −500, which a lesser x is taken for.
pub(super) fn falling(x: f64) -> f64 {
    let x = x.max(-500.0);
    // e^(−x) = √2π φ(√(2x)).
    density_after(x + x, 0.0) * ROOT_TAU
}

/// How many tails are kept without an allocation.
const FEW: usize = 3;

/// J_n(z) for any z.
#[derive(Debug)]
pub(super) struct TailValues {
    z: f64,
    density: f64,
    few: [f64; FEW],
    /// Where more are wanted.
    all: Vec<f64>,
}

impl TailValues {
    /// For n < `count`.
    pub(super) fn new(z: f64, count: usize) -> Self {
        // J_n(z) = E[(x − z)ⁿ]/n! − (−1)ⁿ J_n(|z|) for z < 0.
        let mut values = Self::before(z, count);
        if z < 0.0 {
            let add = |(value, mean): (&mut f64, &f64)| *value += mean;
            if values.all.is_empty() {
                values.few.iter_mut().zip(&[1.0, -z, 0.5 * (z * z + 1.0)]).for_each(add);
            } else {
                values.all.iter_mut().zip(&power_means(-z, count)).for_each(add);
            }
        }
        values
    }

    /// For n < `count`, where z < 0 without E\[(x − z)ⁿ\]/n!: what J_n(|z|) takes from it or adds to it.
    pub(super) fn before(z: f64, count: usize) -> Self {
        let (density, s) = (density(z), z.abs());
        let (mut few, mut all) = ([0.0; FEW], Vec::new());
        if count > FEW {
            all = ratios(s, count);
            all.iter_mut().for_each(|value| *value *= density);
        } else if s <= CUT {
            few = tails(&Edge { z: s, s, d: s, h: density, h_low: 0.0, s_low: 0.0 });
        }
        if z < 0.0 {
            few.iter_mut().step_by(2).for_each(|value| *value = -*value);
            all.iter_mut().step_by(2).for_each(|value| *value = -*value);
        }
        Self { z, density, few, all }
    }

    /// J_n.
    pub(super) fn get(&self, n: i32) -> f64 {
        match usize::try_from(n) {
            Ok(order) if self.all.is_empty() => self.few.get(order).copied().unwrap_or(f64::NAN),
            Ok(order) => self.all.get(order).copied().unwrap_or(f64::NAN),
            Err(_) => hermite_of(self.z, (-1 - n) as usize) * self.density,
        }
    }
}

/// E\[(x + a)ⁿ\]/n! for n = 0 … count − 1.
pub(super) fn power_means(a: f64, count: usize) -> Vec<f64> {
    let mut means: Vec<f64> = Vec::with_capacity(count);
    for n in 0..count {
        // n m_n = a m_{n−1} + m_{n−2}
        let mean = match n {
            0 => 1.0,
            1 => a,
            _ => (a * means[n - 1] + means[n - 2]) / n as f64,
        };
        means.push(mean);
    }
    means
}

/// n!
pub(super) fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// n!/(k! (n − k)!)
pub(super) fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64)
}

/// xⁿ
pub(super) fn power(x: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |p, _| p * x)
}

/// The function itself, and its first two derivatives.
pub(super) const DERIVATIVES: usize = 3;

/// The most terms of the series in ρ of weakly correlated tails ([`tail_pair`](super::tail_pair)).
pub(super) const TERMS: usize = 32;

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
    fn mirrored(&self) -> Self {
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
        // Behind the mean tails are no ratios to the density: they tend to a polynomial.
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
