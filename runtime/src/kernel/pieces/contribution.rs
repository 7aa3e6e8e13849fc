//! The contribution of a part of the line to the moments, and the sum of two contributions.
//!
//! A part has its probability, the mean of g on it, and the sum of squares around that mean. The squares of two parts
//! together are the sum of both squares and of the squares of their means around the common one. These terms are not
//! negative, so that nothing cancels whatever g is (Chan, Golub and LeVeque, "Algorithms for Computing the Sample
//! Variance", The American Statistician 37, 1983). The derivatives in γ and ξ² are made of integrals against He₁(z) =
//! z and He₂(z) = z² − 1, which are shifted to the common mean in the same way.

use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::{Lanes, Mask, Pair};

/// The contribution of a part of the line: integrals over the part against the density in its unit. With z = (u −
/// γ)/ξ, m is the mean of g on the part, and k = 1, 2.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contribution<V> {
    /// The integral of 1.
    pub(super) mass: Pair<V>,
    /// m.
    pub(super) mean: Pair<V>,
    /// The integral of (g − m)².
    pub(super) squares: Pair<V>,
    /// The integrals for derivatives.
    pub(super) slopes: Slopes<V>,
}

/// The integrals with Hermite polynomials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slopes<V> {
    /// The integral of He_k(z).
    pub(super) hermite: [V; 2],
    /// The integral of (g − m) He_k(z).
    pub(super) first: [V; 2],
    /// The integral of (g − m)² He_k(z).
    pub(super) second: [V; 2],
    /// The integral of g⁽ᵏ⁾, without the jumps at knots.
    pub(super) smooth: [V; 2],
    /// The integral of |g⁽ᵏ⁾|, without the jumps at knots.
    pub(super) size: [V; 2],
}

impl<V: Lanes> Slopes<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn zero() -> Self {
        let none = [V::splat(V::Scalar::ZERO); 2];
        Self { hermite: none, first: none, second: none, smooth: none, size: none }
    }

    /// The integral of (g − m + more)² He_k.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn second_around(&self, k: usize, more: V) -> V {
        let cross = more.mul_add(self.hermite[k], self.first[k] + self.first[k]);
        more.mul_add(cross, self.second[k])
    }
}

impl<V: Lanes> Contribution<V> {
    /// The contribution of no part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn nothing() -> Self {
        let zero = Pair::exact(V::splat(V::Scalar::ZERO));
        Self { mass: zero, mean: zero, squares: zero, slopes: Slopes::zero() }
    }

    /// The contribution `yes` in the lanes of `mask`, `no` elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn select<const SLOPES: bool>(mask: V::Mask, yes: Self, no: Self) -> Self {
        // Mostly all lanes agree, and that spares a selection for each number.
        if mask.all() {
            return yes;
        }
        let mut slopes = Slopes::zero();
        if SLOPES {
            let (a, b) = (&yes.slopes, &no.slopes);
            for k in 0..2 {
                slopes.hermite[k] = V::select(mask, a.hermite[k], b.hermite[k]);
                slopes.first[k] = V::select(mask, a.first[k], b.first[k]);
                slopes.second[k] = V::select(mask, a.second[k], b.second[k]);
                slopes.smooth[k] = V::select(mask, a.smooth[k], b.smooth[k]);
                slopes.size[k] = V::select(mask, a.size[k], b.size[k]);
            }
        }
        Self {
            mass: Pair::select(mask, yes.mass, no.mass),
            mean: Pair::select(mask, yes.mean, no.mean),
            squares: Pair::select(mask, yes.squares, no.squares),
            slopes,
        }
    }

    /// The contribution of two parts together.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn join<const SLOPES: bool>(self, other: Self) -> Self {
        let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
        let mass = self.mass + other.mass;
        let total = mass.round();
        // Two empty parts have no mass. Their common mean does not count, but has to be a number.
        let inverse = one.quotient(V::select(zero.lt(total), total, one));
        let (mine, others) = (self.mass.round(), other.mass.round());
        let apart = (other.mean - self.mean).round();
        // How far the common mean is from either; the one of the larger mass is the nearer.
        let [my_part, others_part] = [mine * inverse, others * inverse];
        let up = apart * others_part;
        let down = -(apart * my_part);
        let is_larger = others.le(mine);
        let nearer = Pair::select(is_larger, self.mean, other.mean);
        let mean = nearer + Pair::exact(V::select(is_larger, up, down));
        // By the part that is far from underflow.
        let between = V::select(is_larger, others * my_part, mine * others_part);
        let between = apart * (apart * between);
        let squares = add(add(self.squares, other.squares), Pair::exact(between));
        let mut slopes = Slopes::zero();
        if SLOPES {
            let (a, b) = (&self.slopes, &other.slopes);
            // Of each mean less the common one.
            let (mine, others) = (-up, -down);
            for k in 0..2 {
                slopes.hermite[k] = a.hermite[k] + b.hermite[k];
                let shift = mine.mul_add(a.hermite[k], others * b.hermite[k]);
                slopes.first[k] = (a.first[k] + b.first[k]) + shift;
                slopes.second[k] = a.second_around(k, mine) + b.second_around(k, others);
                slopes.smooth[k] = a.smooth[k] + b.smooth[k];
                slopes.size[k] = a.size[k] + b.size[k];
            }
        }
        Self { mass, mean, squares, slopes }
    }
}

/// A sum of terms that are not negative.
#[cfg_attr(not(debug_assertions), inline(always))]
fn add<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let sum = a + b;
    if V::Accuracy::COMPENSATED {
        // One part after the other is added: a low word that grows with each would lose its own digits.
        let [high, low] = sum.words();
        Pair::normal(high, low)
    } else {
        sum
    }
}
