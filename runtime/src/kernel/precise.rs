//! Scaled tails as double words.
//!
//! Where sums of tails cancel, as at a kink that turns back, an error of a tail counts several times. The
//! recurrence is that of `tails`, in double words: its products come with their rounding errors.
//! Horner's rule for the start needs these in its last steps only, since the recurrence damps the errors of earlier ones.
//! The density and s come with their low words.
//!
//! Error of a pair, measured: 0.35 ε of R_n. A pair takes about twice the operations of a tail.

use super::polynomial::horner;
use super::tails::{fit, tails};
use super::{Edge, Pair};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::constants::fits::Fit;
use crate::lanes::double::{two_product, two_sum};
use crate::lanes::{Lanes, Named};

/// The number of steps of Horner's rule for the start that are made in double words.
pub const DOUBLE_STEPS: usize = 2;

/// Tails beyond an edge as double words: those of [`tails`](super::tails) before they are rounded.
#[inline(always)]
pub fn precise_tails<V: Lanes, const N: usize>(edge: &Edge<V>) -> [Pair<V>; N] {
    if !V::Accuracy::COMPENSATED {
        let mut pairs = [Pair::exact(edge.h); N];
        for (pair, tail) in pairs.iter_mut().zip(tails::<V, N>(edge)) {
            *pair = Pair::exact(tail);
        }
        return pairs;
    }
    let Multiples::<V, N> { y, slopes, divisor: [divisor, divisor_low] } =
        from_fit(fit::<V::Accuracy, N>().expect("formulas need no more tails"), edge.s);
    let inverse = V::splat(V::Scalar::ONE).quotient(divisor);
    let scale = edge.h * inverse;
    let [back, back_low] = two_product(scale, divisor);
    let rest = scale.neg_mul_add(divisor_low, edge.h_low - back_low);
    let scale_low = ((edge.h - back) + rest) * inverse;
    let mut tails = [Pair::exact(scale); N];
    for ((tail, [value, low]), slope) in tails.iter_mut().zip(y).zip(slopes) {
        let low = edge.s_low.neg_mul_add(slope, low);
        let [product, product_low] = two_product(value, scale);
        *tail = Pair::normal(product, value.mul_add(scale_low, low.mul_add(scale, product_low)));
    }
    tails
}

/// Multiples of the R_n as double words, and that of R₋₁ = 1.
struct Multiples<V, const N: usize> {
    /// Y_n = Y₋₁ R_n for n = 0 … N − 1.
    y: [[V; 2]; N],
    /// (n + 1) Y_{n+1}: by how much Y_n/Y₋₁ falls with s.
    slopes: [V; N],
    /// Y₋₁.
    divisor: [V; 2],
}

#[inline(always)]
fn from_fit<V: Lanes, const N: usize>(fit: &Fit<V::Scalar>, s: V) -> Multiples<V, N> {
    let mut upper = start(fit.p, s);
    let mut current = start(fit.q, s);
    let mut y = [[V::splat(V::Scalar::ZERO); 2]; N];
    let mut slopes = [V::splat(V::Scalar::ZERO); N];
    for n in (0..fit.start).rev() {
        let factor = V::splat(V::Scalar::from_f64((n + 1) as f64));
        if n < N {
            y[n] = current;
            slopes[n] = factor * upper[0];
        }
        let inputs = [s, factor, upper[0], upper[1], current[0], current[1]];
        (upper, current) = (current, V::named::<Step, 6, 2>(inputs));
    }
    Multiples { y, slopes, divisor: current }
}

/// Y_{n−1} from n + 1, Y_{n+1} and Y_n.
struct Step;

impl Named<6, 2> for Step {
    const NAME: &'static str = "precise_step";

    #[inline(always)]
    fn body<V: Lanes>([s, factor, upper, upper_low, current, current_low]: [V; 6]) -> [V; 2] {
        let [first, first_low] = two_product(s, current);
        let [second, second_low] = two_product(factor, upper);
        let [lower, low] = two_sum(first, second);
        let low = low + (first_low + second_low);
        [lower, s.mul_add(current_low, factor.mul_add(upper_low, low))]
    }
}

/// A polynomial with positive coefficients, its last steps in double words.
#[inline(always)]
fn start<V: Lanes>(coefficients: &[V::Scalar], s: V) -> [V; 2] {
    let (last, first) = coefficients.split_at(DOUBLE_STEPS);
    let mut value = [horner(first, s), V::splat(V::Scalar::ZERO)];
    for &coefficient in last.iter().rev() {
        let [product, error] = two_product(value[0], s);
        let [sum, rest] = two_sum(product, V::splat(coefficient));
        value = [sum, value[1].mul_add(s, rest + error)];
    }
    value
}
