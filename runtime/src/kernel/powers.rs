//! Integrals over narrow pieces of degree 0 and 1, by recurrence.
//!
//! With τ from −1 to 1 over the piece, z₀ its middle and a half its width, both in units of ξ, the
//! density there is φ(z₀)·exp(−yτ − a²τ²/2) with y = z₀a. Integration by parts of the derivative of τᵏ
//! times that gives, for J_k the integral of τᵏ against it and E± its values at the ends,
//!
//! J_{k−1} = (E₊ − (−1)ᵏ E₋ + y J_k + a² J_{k+1})/k ,
//!
//! which is used backwards: on a narrow piece y and a are at most 1, so that each step divides the error
//! of the start. In units of the double factorial (k − 1)!! a step waits for one fused multiplication
//! only. Both values at the ends are taken relative to the larger one, at the end that is nearer to
//! γ, whose density is multiplied in last.
//!
//! Error: a few units in the last place of J₀ in all of J₀ … J₄. The start leaves less than 10⁻¹⁶ of it in
//! f64 and 10⁻⁸ in f32.

use super::constants::fall::Fall;
use super::double::two_product;
use super::narrow::{Piece, Strip};
use super::number::number;
use super::polynomial::horner;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::{Lanes, Lanewise};
use crate::precision::Precision;

/// 1/k!! and (k − 1)!!/k!! for each k: what the values at the ends and y are multiplied with in a step.
pub const STEPS: [[f64; 2]; 32] = {
    let mut steps = [[1.0; 2]; 32];
    let mut k = 1;
    while k < steps.len() {
        let factorial = double_factorial(k + 1);
        steps[k] = [1.0 / factorial, double_factorial(k) / factorial];
        k += 1;
    }
    steps
};

/// How many integrals are wanted.
const COUNT: usize = 5;

/// (k − 1)!! for them.
const UNITS: [f64; COUNT] = [1.0, 1.0, 1.0, 2.0, 3.0];

/// (k − 1)!!, exact as far as it is used.
const fn double_factorial(k: usize) -> f64 {
    if k < 2 { 1.0 } else { (k - 1) as f64 * double_factorial(k - 2) }
}

/// The integrals of τᵏ over a narrow piece; 0 in the lanes in which it is not narrow.
#[derive(Clone, Copy, Debug)]
pub struct Powers<V: Lanes> {
    /// J_k, less a factor a·h·power.
    integrals: [V; COUNT],
    /// The density at the nearer edge in two factors.
    h: V,
    power: V,
    /// The middle and half the width, in units of ξ.
    middle: V,
    half: V,
}

/// The functions of the basis in terms of τ: middle and slope of a straight line by its ends.
#[inline(always)]
fn line<V: Lanes>(ends: &[V]) -> [V; 2] {
    let half = V::splat(V::Scalar::HALF);
    match ends {
        [left, right] => [half * (*left + *right), half * (*right - *left)],
        _ => [ends[0], V::splat(V::Scalar::ZERO)],
    }
}

impl<V: Lanes> Powers<V> {
    /// The integral of τᵏ and a product of two straight lines.
    #[inline(always)]
    fn product(&self, [a, a_slope]: [V; 2], [b, b_slope]: [V; 2], k: usize) -> V {
        let linear = a.mul_add(b_slope, b * a_slope);
        let [constant, first, second] =
            [self.integrals[k], self.integrals[k + 1], self.integrals[k + 2]];
        (a * b).mul_add(constant, linear.mul_add(first, (a_slope * b_slope) * second))
    }

    /// Times aφ(edge); never −0, as where nothing is left of the density in any lane.
    #[inline(always)]
    fn scale(&self, value: V) -> V {
        self.h.mul_add(self.power * (self.half * value), V::splat(V::Scalar::ZERO))
    }
}

/// J_0 … J_4, less the factor a, from y ≥ 0 and a².
struct Recurrence;

impl Lanewise<2, COUNT> for Recurrence {
    #[inline(always)]
    fn run<V: Lanes>([y, square]: [V; 2]) -> [V; COUNT] {
        // E₊ ∓ E₋ relative to the nearer end.
        let fall = fall(y);
        let ends = [-fall, number::<V>(2.0) - fall];
        let start = V::Accuracy::POWERS_START;
        let upper = number::<V>(STEPS[start + 2][0]) * ends[start % 2];
        let current = number::<V>(STEPS[start + 1][0]) * ends[(start + 1) % 2];
        let mut pair = [current, upper];
        for k in (COUNT + 1..=start).rev() {
            pair = step(k, [y, square], ends, pair);
        }
        let mut integrals = [V::splat(V::Scalar::ZERO); COUNT];
        for k in (1..=COUNT).rev() {
            pair = step(k, [y, square], ends, pair);
            integrals[k - 1] = number::<V>(UNITS[k - 1]) * pair[0];
        }
        integrals
    }
}

/// 1 − e^(−2y), 0 where y is 0.
#[inline(always)]
fn fall<V: Lanes>(y: V) -> V {
    let Fall { middle: [middle, middle_low], slope, even, odd } = V::Accuracy::FALL;
    let x = y - V::splat(V::Scalar::HALF);
    let square = x * x;
    let series = x.mul_add(horner(odd, square), horner(even, square));
    let rise = x.mul_add(x.mul_add(series, V::splat(slope)), V::splat(middle_low));
    if !V::Accuracy::COMPENSATED {
        return y * (V::splat(middle) + rise);
    }
    let [product, error] = two_product(y, V::splat(middle));
    product + y.mul_add(rise, error)
}

/// J_{k−1} and J_k in their units from J_k and J_{k+1}.
#[inline(always)]
fn step<V: Lanes>(k: usize, [y, square]: [V; 2], ends: [V; 2], [current, upper]: [V; 2]) -> [V; 2] {
    let [end, slope] = STEPS[k];
    let lower = square.mul_add(upper, number::<V>(end) * ends[k % 2]);
    [(number::<V>(slope) * y).mul_add(current, lower), current]
}

impl<V: Lanes> Strip<V> for Powers<V> {
    const SMALL: bool = true;

    #[inline(always)]
    fn empty() -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        Self { integrals: [zero; COUNT], h: zero, power: zero, middle: zero, half: zero }
    }

    #[inline(always)]
    fn fill(&mut self, piece: &Piece<V>) {
        let zero = V::splat(V::Scalar::ZERO);
        let Piece { ends: [left, right], omega, from_left, h, power } = *piece;
        // Where nothing is left of the density, anything finite.
        let inside = zero.lt(h);
        let one_half = V::splat(V::Scalar::HALF);
        let half = V::select(inside, one_half * omega, zero);
        let middle = V::select(inside, one_half * (left + right), zero);
        (self.h, self.power) = (h, power);
        (self.middle, self.half) = (middle, half);
        // From the nearer edge on, so that the density falls.
        let y = middle.abs() * half;
        let square = half * half;
        self.integrals = V::masked::<Recurrence, 2, COUNT>(inside, [y, square]);
        for odd in [1, 3] {
            let integral = self.integrals[odd];
            self.integrals[odd] = V::select(from_left, integral, -integral);
        }
    }

    #[inline(always)]
    fn integrate(&self, sums: &mut [V]) {
        let half = V::splat(V::Scalar::HALF);
        let [even, odd, ..] = self.integrals;
        match sums {
            [left, right] => {
                *left = self.scale(half * (even - odd));
                *right = self.scale(half * (even + odd));
            }
            _ => sums[0] = self.scale(even),
        }
    }

    #[inline(always)]
    fn integrate_product(&self, a: &mut [V], b: &mut [V], less: V, sums: &mut [V]) {
        let (first, second) = (line(a), line(b));
        sums[0] = self.scale(self.product(first, second, 0));
        if sums.len() == 1 {
            return;
        }
        let [middle, slope] = second;
        let second = [middle - less, slope];
        let (z, half) = (self.middle, self.half);
        let [p0, p1] = [self.product(first, second, 0), self.product(first, second, 1)];
        sums[1] = self.scale(z.mul_add(p0, half * p1));
        let p2 = self.product(first, second, 2);
        let square = z.mul_sub(z, V::splat(V::Scalar::ONE));
        let rest = half * (half.mul_add(p2, (z + z) * p1));
        sums[2] = self.scale(square.mul_add(p0, rest));
    }
}
