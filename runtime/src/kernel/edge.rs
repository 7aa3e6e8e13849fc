//! A knot seen from the pre-activation, and the density there.
//!
//! The knot t is given to three times the precision. Its distance d = t − γ is a double word (two-sum). The distance
//! s = d/ξ in units of ξ is d·(1/ξ) plus a correction: the residual d − sξ divided by ξ, less what the root of the variance
//! lost. The exponent s²/2 is needed to an absolute error of u, at s = 37 ten bits more than a word
//! holds. So s² is a double word, whose low word, at most 2⁻⁴¹, goes into the exponential too.
//!
//! Error, measured: `z` within 0.50 ulp while s and d are well above underflow; φ within 0.99 ulp, wherever φ is
//! a normal number in its unit.

use super::exponential::{density, density_in_units, farthest};
use super::number::{number, words};
use super::{Deviation, Pair};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::double::{fast_two_sum, two_product, two_square, two_sum};
use crate::lanes::twice::Twice;
use crate::lanes::{Lanes, Mask};
use crate::precision::Precision;

/// A knot t seen from the pre-activation u ~ N(γ, ξ²), in units of ξ.
#[derive(Clone, Copy, Debug)]
pub struct Edge<V> {
    /// (t − γ)/ξ, with its sign; may be infinite.
    pub z: V,
    /// |z|, but no more than a cut-off (106; in vectors 53, f32 18, f64 for f32 30; 2³⁰ with wide
    /// exponents), so that polynomials in
    /// `s` cannot overflow.
    pub s: V,
    /// t − γ: ξ times the distance with its sign; where every input is handled, no farther than the cut-off.
    pub d: V,
    /// The density φ(s) in its [unit](super::density_unit), 0 beyond the cut-off. In f64 for results of f32 it is the
    /// density at the cut-off there.
    pub h: V,
    /// The rounding error of `h`, 0 unless precise.
    pub h_low: V,
    /// The rounding error of `s`, 0 unless precise.
    pub s_low: V,
}

/// A knot in words of the precision. One that is a number of the precision, above all 0, costs less.
pub(crate) struct KnotWords<V> {
    /// What the knot is the sum of.
    pub(crate) words: [V; 3],
    /// Whether the first word is 0 in all lanes.
    is_zero: bool,
    /// Whether the second word is.
    is_single: bool,
}

impl<V: Lanes> KnotWords<V> {
    /// The same knot in all lanes.
    #[inline(always)]
    pub(crate) fn new(knot: [f64; 3]) -> Self {
        let [high, low, lowest] = words::<V::Scalar>(knot);
        Self {
            words: [V::splat(high), V::splat(low), V::splat(lowest)],
            is_zero: high == V::Scalar::ZERO,
            is_single: low == V::Scalar::ZERO,
        }
    }
}

#[cfg(feature = "source")]
impl<V> KnotWords<V> {
    /// A knot of each lane, none of whose words is known to be 0.
    pub(crate) fn of_lanes(words: [V; 3]) -> Self {
        Self { words, is_zero: false, is_single: false }
    }
}

impl<V: Lanes> KnotWords<Twice<V>> {
    /// Two knots side by side.
    #[inline(always)]
    pub(crate) fn two(knots: [[f64; 3]; 2]) -> Self {
        let [left, right] = [KnotWords::<V>::new(knots[0]), KnotWords::<V>::new(knots[1])];
        let [[a, b, c], [other_a, other_b, other_c]] = [left.words, right.words];
        Self {
            words: [Twice(a, other_a), Twice(b, other_b), Twice(c, other_c)],
            is_zero: left.is_zero && right.is_zero,
            is_single: left.is_single && right.is_single,
        }
    }
}

impl<V: Lanes> Edge<Twice<V>> {
    /// Two knots side by side, seen from the same γ.
    #[inline(always)]
    pub(super) fn at_both(gamma: V, knots: [[f64; 3]; 2], deviation: &Deviation<V>) -> Self {
        Self::seen::<false>(Twice(gamma, gamma), &KnotWords::two(knots), &deviation.twice())
    }

    /// The edges of the two knots, apart.
    #[inline(always)]
    pub(super) fn apart(self) -> [Edge<V>; 2] {
        let Self { z, s, d, h, h_low, s_low } = self;
        [
            Edge { z: z.0, s: s.0, d: d.0, h: h.0, h_low: h_low.0, s_low: s_low.0 },
            Edge { z: z.1, s: s.1, d: d.1, h: h.1, h_low: h_low.1, s_low: s_low.1 },
        ]
    }
}

/// The distance in units of ξ from which on φ is negligible in single precision. There φ times any power of ξ is
/// still a normal number of double precision.
const FARTHEST_GLANCE: f64 = 30.0;

impl<V: Lanes> Edge<V> {
    /// The knot, a sum of three words, seen from γ, which is not on it if ξ is 0.
    #[inline(always)]
    pub fn at(gamma: V, knot: [f64; 3], deviation: &Deviation<V>) -> Self {
        Self::seen::<false>(gamma, &KnotWords::new(knot), deviation)
    }

    /// The knot seen from γ, with the rounding errors of `s` and `h`.
    #[inline(always)]
    pub fn precisely_at(gamma: V, knot: [f64; 3], deviation: &Deviation<V>) -> Self {
        Self::seen::<true>(gamma, &KnotWords::new(knot), deviation)
    }

    /// The knot in three words of the lanes, none of which is known to be 0.
    #[cfg(feature = "source")]
    pub(crate) fn of_words<const PRECISE: bool>(
        gamma: V,
        words: [V; 3],
        deviation: &Deviation<V>,
    ) -> Self {
        let knot = KnotWords::of_lanes(words);
        Self::seen::<PRECISE>(gamma, &knot, deviation)
    }

    /// A knot of each lane, with the rounding errors of `s` and `h` where these are wanted.
    #[inline(always)]
    pub(crate) fn seen<const PRECISE: bool>(
        gamma: V,
        knot: &KnotWords<V>,
        deviation: &Deviation<V>,
    ) -> Self {
        let KnotWords { words: [high, low, lowest], is_zero, is_single } = *knot;
        if !V::Accuracy::COMPENSATED {
            // Exact where they are near each other.
            let difference = if is_zero { -gamma } else { high - gamma };
            let d = if is_single { difference } else { difference + low };
            return Self::glance(d, deviation);
        }
        if !is_single {
            let [difference, error] = two_sum(high, -gamma);
            // Where γ is the number next to the knot, the words below are the whole difference.
            let [d, d_low] = fast_two_sum(difference, low);
            let d_low = d_low + (error + lowest);
            Self::look::<PRECISE>(difference, d, Some(d_low), deviation)
        } else if !is_zero {
            let [difference, error] = two_sum(high, -gamma);
            Self::look::<PRECISE>(difference, difference, Some(error), deviation)
        } else {
            Self::look::<PRECISE>(-gamma, -gamma, None, deviation)
        }
    }

    /// The edge from t − γ, in double precision for results of single precision: rounding does not matter, and the
    /// unit of the density is 1.
    #[inline(always)]
    fn glance(d: V, deviation: &Deviation<V>) -> Self {
        let z = d * deviation.inverse;
        let s = z.abs().min(number(FARTHEST_GLANCE));
        let h = density(s * s);
        let zero = V::splat(V::Scalar::ZERO);
        Self { z, s, d, h, h_low: zero, s_low: zero }
    }

    /// The edge from t − γ rounded (`difference`), and as one word or two (`d`, `d_low`).
    #[inline(always)]
    fn look<const PRECISE: bool>(
        difference: V,
        d: V,
        d_low: Option<V>,
        deviation: &Deviation<V>,
    ) -> Self {
        let (zero, farthest) = (V::splat(V::Scalar::ZERO), farthest::<V>());
        let quotient = d * deviation.inverse;
        // d − qξ would be noise if the product were rounded: it is taken with its error.
        let residual = if V::is_fused() {
            quotient.neg_mul_add(deviation.xi, d)
        } else {
            let [product, product_low] = two_product(quotient, deviation.xi);
            (d - product) - product_low
        };
        let residual = match d_low {
            Some(d_low) => residual + d_low,
            None => residual,
        };
        // The true root is ξ + ℓ, so that q is too large by qℓ/ξ.
        let correction = quotient.neg_mul_add(deviation.lost, residual) * deviation.inverse;
        // NaN if ξ is infinite.
        let correction = if V::GENERAL {
            V::select(correction.abs().le(V::splat(V::Scalar::ONE)), correction, zero)
        } else {
            correction
        };
        let [z, z_low] = fast_two_sum(quotient, correction);
        // An underflow of the residual's product means that s is negligible against 1.
        let s = z.abs().min(farthest);
        let s_low = if PRECISE { V::select(zero.le(z), z_low, -z_low) } else { zero };
        // (q + correction)²: the square of the correction is beneath the low word.
        let [square, square_low] = two_square(quotient);
        let rest = (quotient + quotient).mul_add(correction, square_low);
        let [h, h_low, power] = density_in_units::<V, PRECISE>(square, rest);
        if !V::GENERAL {
            // Where no result is a normal number, nothing is computed with subnormal ones, which
            // takes a hundred times as long. Beyond the farthest distance h may be anything.
            let seen = deviation.least.le(power);
            let [h, h_low] = [V::select(seen, h, zero), V::select(seen, h_low, zero)];
            return Self { z, s, d, h, h_low, s_low };
        }
        // |z| ≤ `farthest` bounds every product above. Where z is larger, they may be NaN and are not used.
        let near = z.abs().le(farthest);
        let infinite = V::splat(V::Scalar::INFINITY);
        // The error of an infinite difference is NaN.
        let far = V::select(difference.abs().lt(infinite), quotient, difference);
        // Without variance a knot off γ is infinitely far, on the side where it lies.
        let side = V::select(zero.lt(d), infinite, -infinite);
        let at_zero_variance = deviation.xi.equals(zero);
        let seen = near.and(at_zero_variance.not());
        let z = V::select(at_zero_variance, side, V::select(near, z, far));
        let s = V::select(at_zero_variance, farthest, s);
        Self {
            z,
            s,
            // From s, which is cut off: t − γ may be infinite, and is multiplied with a density of 0.
            d: deviation.xi * V::select(z.lt(zero), -s, s),
            h: V::select(seen, h, zero),
            h_low: V::select(seen, h_low, zero),
            s_low: V::select(seen, s_low, zero),
        }
    }

    /// `s` with the sign of `z`.
    #[inline(always)]
    pub fn score(&self) -> V {
        V::select(self.z.lt(V::splat(V::Scalar::ZERO)), -self.s, self.s)
    }

    /// `s` to twice the precision.
    #[inline(always)]
    pub fn distance_pair(&self) -> Pair<V> {
        Pair::new(self.s, self.s_low)
    }

    /// `h` to twice the precision.
    #[inline(always)]
    pub fn density_pair(&self) -> Pair<V> {
        Pair::new(self.h, self.h_low)
    }

    /// Whether the knot lies to the right of γ.
    #[inline(always)]
    pub fn is_right(&self) -> V::Mask {
        V::splat(V::Scalar::ZERO).lt(self.z)
    }
}

/// The lanes whose γ lies between two neighbouring knots, `None` standing for no knot.
#[inline(always)]
pub fn between<V: Lanes>(left: Option<&Edge<V>>, right: Option<&Edge<V>>) -> V::Mask {
    match (left, right) {
        (Some(left), Some(right)) => left.is_right().not().and(right.is_right()),
        (Some(left), None) => left.is_right().not(),
        (None, Some(right)) => right.is_right(),
        (None, None) => V::splat(V::Scalar::ZERO).equals(V::splat(V::Scalar::ZERO)),
    }
}

/// The lanes in which the density at some knot is not negligible. In the other lanes the square of the mean of T is
/// negligible relative to the mean of its square: (E\[T\])² ≤ E\[T²\] P(T ≠ 0).
#[inline(always)]
pub fn is_seen<V: Lanes>(edges: &[&Edge<V>]) -> V::Mask {
    let largest = edges.iter().fold(V::splat(V::Scalar::ZERO), |h, edge| edge.h.max(h));
    let negligible = V::Scalar::NEGLIGIBLE_EXPONENT + V::Accuracy::DENSITY_EXPONENT;
    V::splat(V::Scalar::power_of_two(negligible)).lt(largest)
}
