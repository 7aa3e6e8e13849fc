//! Integrals over narrow pieces of degree 0 and 1, by series.
//!
//! With τ from −1 to 1 over the piece, z₀ its middle and a half its width, both in units of ξ, the
//! density there is φ(z₀)·exp(−yτ − a²τ²/2) with y = z₀a. Where e^(−yτ) is expanded in powers of y, the
//! integrals of τᵏ against it, less a factor 2φ(z₀)e^(−a²/2), are
//!
//! J₀ = F₀, J₁ = −y F₁, J₂ = F₁ + y² F₂, J₃ = −y (3F₂ + y² F₃), J₄ = 3F₂ + 6y² F₃ + y⁴ F₄
//!
//! with F_j = Σ_m (y²/2)ᵐ/m! M_{m+j} and M_n the integral of τ²ⁿ e^(−a²(τ² − 1)/2) from 0 to 1, divided by
//! (2n − 1)!!. Integration by parts gives M_n = 1/(2n + 1)!! + a² M_{n+1}, which is used from the highest
//! n down. All terms are positive, and on a narrow piece y and a are at most 1. A term takes one
//! fused multiplication. Terms of different sums do not wait for each other.
//!
//! The factor is twice the geometric mean of the densities at both ends. It is computed as e^(−|y|) times the density at the
//! end that is nearer to γ, which is multiplied in last.
//!
//! Error: a few units in the last place of J₀ in all of J₀ … J₄. The terms that the series leave out are less than
//! half a unit.

use super::exponential::farthest;
use super::number::{number, pair};
use super::polynomial::horner;
use super::{Deviation, Edge};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::accuracy::limits::{COUNT, LONGEST};
pub use crate::accuracy::limits::{INVERSE_FACTORIALS, Series};
use crate::constants::decay::Decay;
use crate::lanes::{Lanes, Mask};
use crate::precision::Precision;

/// The integrals of τᵏ over a narrow piece; 0 in the lanes in which it is not narrow.
#[derive(Clone, Copy, Debug)]
pub struct Powers<V: Lanes> {
    /// J_k.
    integrals: [V; COUNT],
    /// The unit of J_k, with the density in its unit.
    scale: V,
    /// The middle and half the width, in units of ξ.
    middle: V,
    half: V,
}

/// A straight line by its coefficients, of which a number has one only.
type Line<V> = (V, Option<V>);

#[inline(always)]
fn line<V: Lanes>(coefficients: &[V]) -> Line<V> {
    (coefficients[0], coefficients.get(1).copied())
}

impl<V: Lanes> Powers<V> {
    /// The integrals on the piece between two edges, with its width in two words.
    #[inline(always)]
    pub fn on(
        narrow: V::Mask,
        left: &Edge<V>,
        right: &Edge<V>,
        width: [f64; 2],
        deviation: &Deviation<V>,
    ) -> Self {
        if narrow.any() {
            return Self::new(narrow, [left, right], pair(width), deviation);
        }
        let zero = V::splat(V::Scalar::ZERO);
        Self { integrals: [zero; COUNT], scale: zero, middle: zero, half: zero }
    }

    #[inline(always)]
    pub(super) fn new(
        narrow: V::Mask,
        [left, right]: [&Edge<V>; 2],
        [width, _]: [V; 2],
        deviation: &Deviation<V>,
    ) -> Self {
        let (zero, one_half) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::HALF));
        // By the middle of the piece: far away both ends have the same place.
        let sum = left.z + right.z;
        let h = V::select(narrow, V::select(zero.le(sum), left.h, right.h), zero);
        // Where the piece is not narrow, or nothing is left of the density, anything finite.
        let farthest: V = if V::UNBOUNDED { farthest() } else { V::splat(V::Scalar::S_MAX) };
        let farthest = farthest + farthest;
        let half = (one_half * width * deviation.inverse).min(V::splat(V::Scalar::ONE));
        let middle = (one_half * sum).min(farthest).max(-farthest);
        let y = middle * half;
        let integrals = integrals(y, half * half);
        let scale = h * ((half + half) * decay(y.abs()));
        Self { integrals, scale, middle, half }
    }

    /// The integrals of 1 and τ against the density of u, in the [unit](super::density_unit) of densities.
    #[inline(always)]
    pub fn integrals(&self) -> [V; 2] {
        [self.scale(self.integrals[0]), self.scale(self.integrals[1])]
    }

    /// The integrals, against the density of u in its unit, of A·B, and of A·(B − less)·He_k(z) with z = (u − γ)/ξ for
    /// 0 < k < H, H being 1 or 3. A and B are straight lines, by their middle and half their rise; a number has a middle
    /// only.
    #[inline(always)]
    pub fn products<const N: usize, const M: usize, const H: usize>(
        &self,
        a: [V; N],
        b: [V; M],
        less: V,
    ) -> [V; H] {
        let (first, second) = (line(&a), line(&b));
        let mut sums = [self.scale(self.product(first, second, 0)); H];
        if H == 1 {
            return sums;
        }
        let (middle, rise) = second;
        let second = (middle - less, rise);
        let (z, half) = (self.middle, self.half);
        let [p0, p1] = [self.product(first, second, 0), self.product(first, second, 1)];
        sums[1] = self.scale(z.mul_add(p0, half * p1));
        let p2 = self.product(first, second, 2);
        let square = z.mul_sub(z, V::splat(V::Scalar::ONE));
        let rest = half * (half.mul_add(p2, (z + z) * p1));
        sums[2] = self.scale(square.mul_add(p0, rest));
        sums
    }

    /// The integral of τᵏ and a product of two straight lines.
    #[inline(always)]
    fn product(&self, (a, rise): Line<V>, b: Line<V>, k: usize) -> V {
        let even = self.power(b, k);
        match rise {
            Some(rise) => a.mul_add(even, rise * self.power(b, k + 1)),
            None => a * even,
        }
    }

    /// The integral of τᵏ and a straight line.
    #[inline(always)]
    fn power(&self, (middle, rise): Line<V>, k: usize) -> V {
        match rise {
            Some(rise) => middle.mul_add(self.integrals[k], rise * self.integrals[k + 1]),
            None => middle * self.integrals[k],
        }
    }

    /// J_0 … J_4, their unit, and the middle and half the width.
    #[cfg(feature = "source")]
    pub(super) fn numbers(&self) -> [V; COUNT + 3] {
        let [j0, j1, j2, j3, j4] = self.integrals;
        [j0, j1, j2, j3, j4, self.scale, self.middle, self.half]
    }

    /// Back from there.
    #[cfg(feature = "source")]
    pub(super) fn of([j0, j1, j2, j3, j4, scale, middle, half]: [V; COUNT + 3]) -> Self {
        Self { integrals: [j0, j1, j2, j3, j4], scale, middle, half }
    }

    /// A value times the unit of J_k. It is never −0: where the density is 0 in every lane nothing is computed, and
    /// the result is +0.
    #[inline(always)]
    fn scale(&self, value: V) -> V {
        self.scale.mul_add(value, V::splat(V::Scalar::ZERO))
    }
}

/// J_0 … J_4, from y and a².
#[inline(always)]
pub(super) fn integrals<V: Lanes>(y: V, square: V) -> [V; COUNT] {
    let Series { last, start } = V::Accuracy::POWERS;
    let mut moments = [V::splat(V::Scalar::ZERO); LONGEST];
    moments[start] = number(INVERSE_FACTORIALS[start]);
    for n in (0..start).rev() {
        moments[n] = square.mul_add(moments[n + 1], number(INVERSE_FACTORIALS[n]));
    }
    let y_square = y * y;
    let mut f = [V::splat(V::Scalar::ZERO); COUNT];
    for j in 0..COUNT {
        // Horner's scheme by the ratio of each coefficient to the one before: (y²/2)ᵐ/m! is not formed.
        f[j] = moments[last[j] + j];
        for m in (0..last[j]).rev() {
            let ratio = y_square * number(0.5 / (m + 1) as f64);
            f[j] = ratio.mul_add(f[j], moments[m + j]);
        }
    }
    let thrice = number::<V>(3.0) * f[2];
    [
        f[0],
        -(y * f[1]),
        y_square.mul_add(f[2], f[1]),
        -(y * y_square.mul_add(f[3], thrice)),
        y_square.mul_add(y_square.mul_add(f[4], number::<V>(6.0) * f[3]), thrice),
    ]
}

/// e^(−y) for y from 0 to 1.
#[inline(always)]
pub(super) fn decay<V: Lanes>(y: V) -> V {
    let Decay { middle: [middle, middle_low], slope, even, odd } = V::Accuracy::DECAY;
    // Around the middle of the interval: it is half as far to its ends, so that the series is shorter.
    let x = y - V::splat(V::Scalar::HALF);
    let square = x * x;
    let series = x.mul_add(horner(odd, square), horner(even, square));
    let start = x.mul_add(V::splat(slope), V::splat(middle_low));
    V::splat(middle) + square.mul_add(series, start)
}
