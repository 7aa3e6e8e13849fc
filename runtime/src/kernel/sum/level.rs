//! The levels around which moments are taken, and the contribution of a truncated piece to the sums around them.
//!
//! Moments are those of g − c with one level c. Knots to the right of γ, and the pieces beyond them, count from a level c′ of
//! their own first: the value of the piece of γ at its right end; to the left likewise. Where γ is s deviations from that end, c
//! differs from the values there by s ξ times the slope, and squares of that would cancel. The integrals of g − q beyond γ's
//! piece with polynomial q, of which the sums consist, do not depend on the level, and those of the square change by
//!
//! ```text
//! (g − c)² − (q − c)² = (g − c′)² − (q − c′)² + 2(c′ − c)(g − q).
//! ```

use super::Sums;
use crate::Float;
use crate::lanes::Lanes;

/// A level c = high + low + rise. The words high and low are the value of the function at a place; the rise is the
/// difference of its value at γ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<V> {
    pub(super) high: V,
    pub(super) low: V,
    pub(super) rise: V,
}

/// The level c of the sums, with those that both sides count from, left and right; without these, both count from c.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels<V> {
    pub(super) center: Level<V>,
    ends: Option<[End<V>; 2]>,
}

/// A level in two words.
#[derive(Clone, Copy, Debug)]
struct End<V> {
    words: [V; 2],
    /// Twice how much it is above the level of the sums.
    twice: V,
}

/// The level that a part of the sums counts from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference<V> {
    words: [V; 2],
    rise: Option<V>,
    /// Twice how much it is above the level of the sums, unless it is that.
    pub(super) twice: Option<V>,
}

impl<V: Lanes> Levels<V> {
    /// One level.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn one(center: Level<V>) -> Self {
        Self { center, ends: None }
    }

    /// A level for the sums, and one in two words for each side of γ.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(center: Level<V>, [left, right]: [[V; 2]; 2]) -> Self {
        Self { center, ends: Some([End::new(left, &center), End::new(right, &center)]) }
    }

    /// The level that a knot or a piece counts from, to the right of γ in the lanes of `is_right` and to its left elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn on(&self, is_right: V::Mask) -> Reference<V> {
        let Level { high, low, rise } = self.center;
        let Some([left, right]) = &self.ends else {
            return Reference { words: [high, low], rise: Some(rise), twice: None };
        };
        let mut words = left.words;
        for i in 0..2 {
            words[i] = V::select(is_right, right.words[i], left.words[i]);
        }
        let twice = V::select(is_right, right.twice, left.twice);
        Reference { words, rise: None, twice: Some(twice) }
    }
}

impl<V: Lanes> End<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(words: [V; 2], center: &Level<V>) -> Self {
        let Level { high, low, rise } = *center;
        let above = ((words[0] - high) + (words[1] - low)) - rise;
        Self { words, twice: above + above }
    }
}

impl<V: Lanes> Reference<V> {
    /// A value in two words less the level, word by word: both may be huge beside their difference.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn below(&self, [high, low]: [Option<V>; 2]) -> V {
        let zero = V::splat(V::Scalar::ZERO);
        let high = high.unwrap_or(zero) - self.words[0];
        let low = low.unwrap_or(zero) - self.words[1];
        let difference = high + low;
        match self.rise {
            Some(rise) => difference - rise,
            None => difference,
        }
    }
}

/// Integrals over a part of the line of 1, of a − a₀ and of (a − a₀)², for a polynomial a with the constant a₀. An
/// integral that is known to be 0 is `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Truncated<V> {
    pub(super) mass: V,
    pub(super) mean: Option<V>,
    pub(super) square: Option<V>,
}

impl<V: Lanes> Truncated<V> {
    /// These integrals times a factor, plus `others`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn plus(self, factor: Option<V>, others: Option<Self>) -> Self {
        let Some(others) = others else {
            let Some(factor) = factor else { return self };
            let Self { mass, mean, square } = self;
            return Self {
                mass: factor * mass,
                mean: plus(factor, mean, None),
                square: plus(factor, square, None),
            };
        };
        let factor = factor.unwrap_or(V::splat(V::Scalar::ONE));
        Self {
            mass: factor.mul_add(self.mass, others.mass),
            mean: plus(factor, self.mean, others.mean),
            square: plus(factor, self.square, others.square),
        }
    }

    /// Adds the integrals of a − c and (a − c)², where the constant of a is `value` more than the level `from`, times a weight,
    /// to the sums of shift q.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add(
        self,
        from: &Reference<V>,
        value: V,
        weight: V,
        sums: &mut Sums<V>,
        q: usize,
    ) {
        let Self { mass, mean, square } = self;
        let (first, twice) = match mean {
            Some(mean) => {
                let first = value.mul_add(mass, mean);
                // (v + a′)² = v (v + 2a′) + a′²: the second number has 2a′.
                (first, first + mean)
            }
            None => (value * mass, value * mass),
        };
        let mut second = match square {
            Some(square) => value.mul_add(twice, square),
            None => value * twice,
        };
        // Around the common level the square has 2(c′ − c)(g − q) more than around that of the side.
        if let Some(above) = from.twice {
            second = above.mul_add(first, second);
        }
        sums[2 * q] = weight.mul_add(first, sums[2 * q]);
        sums[2 * q + 1] = weight.mul_add(second, sums[2 * q + 1]);
    }
}

/// A number times a factor, with another.
#[cfg_attr(not(debug_assertions), inline(always))]
fn plus<V: Lanes>(factor: V, value: Option<V>, other: Option<V>) -> Option<V> {
    match (value, other) {
        (Some(value), Some(other)) => Some(factor.mul_add(value, other)),
        (Some(value), None) => Some(factor * value),
        (None, other) => other,
    }
}
