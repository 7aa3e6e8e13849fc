//! The level c around which moments are taken, and the contribution of a truncated piece to the sums around it.

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

impl<V: Lanes> Level<V> {
    /// A value in two words less the level, word by word: both may be huge beside their difference.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn below(&self, [high, low]: [Option<V>; 2]) -> V {
        let zero = V::splat(V::Scalar::ZERO);
        let high = high.unwrap_or(zero) - self.high;
        let low = low.unwrap_or(zero) - self.low;
        (high + low) - self.rise
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
    /// These integrals, with those of the polynomial set to 0 outside `mask`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn only(self, mask: V::Mask) -> Self {
        Self { mass: self.mass, mean: only(mask, self.mean), square: only(mask, self.square) }
    }

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

    /// Adds the integrals of a − c and (a − c)², where the constant of a is `value` more than c, times a weight, to the sums
    /// of shift q; without the level, that of a less its constant to the first one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add<const LEVEL: bool>(self, value: V, weight: V, sums: &mut Sums<V>, q: usize) {
        let Self { mass, mean, square } = self;
        let (first, twice) = match mean {
            Some(mean) => {
                let first = value.mul_add(mass, mean);
                (first, first + mean)
            }
            None => (value * mass, value * mass),
        };
        let second = match square {
            Some(square) => value.mul_add(twice, square),
            None => value * twice,
        };
        if LEVEL {
            sums[2 * q] = weight.mul_add(first, sums[2 * q]);
        } else if let Some(mean) = mean {
            sums[2 * q] = weight.mul_add(mean, sums[2 * q]);
        }
        sums[2 * q + 1] = weight.mul_add(second, sums[2 * q + 1]);
    }
}

/// A number in some lanes, 0 elsewhere.
#[cfg_attr(not(debug_assertions), inline(always))]
fn only<V: Lanes>(mask: V::Mask, value: Option<V>) -> Option<V> {
    match value {
        Some(value) => Some(V::select(mask, value, V::splat(V::Scalar::ZERO))),
        None => None,
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
