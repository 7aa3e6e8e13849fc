//! Scaled tails of orders beyond 8, which two pre-activations need.
//!
//! The recurrence is the backward one of `tails`. It carries its rounding errors along: the exact errors of each product
//! and sum, propagated to first order. It starts at order M = 48 or the number of orders, whichever is more, with the
//! Liouville–Green series: y = J_{M−1}/J_M solves y² − y′ − sy = M, and with S = √(s² + 4M) and p = s/S
//! it is y = Σ_k S^{1−2k} q_k(p), where q₀ = (1 + p)/2 and
//!
//! q_k = (3 − 2k) p q_{k−1} + (1 − p²) q′_{k−1} − Σ_{0<i<k} q_i q_{k−i}.
//!
//! The q_k are of degree k. Their coefficients are dyadic and small enough to be exact.
//!
//! Error: the series is good to 5e-18; all orders within 2.7 ulp in f64 (measured), 0.51 ulp in f32.

use super::Edge;
use crate::Float;
use crate::lanes::Lanes;
use crate::lanes::double::{fast_two_sum, two_product, two_square, two_sum};
use crate::precision::Precision;

/// The number of terms of the series.
const TERMS: usize = 10;
/// The recurrence never starts below this order.
const LOWEST_START: usize = 48;

/// Coefficients of q_k, constant term first.
const SERIES: [[f64; TERMS]; TERMS] = series();

const fn series() -> [[f64; TERMS]; TERMS] {
    let mut q = [[0.0; TERMS]; TERMS];
    q[0][0] = 0.5;
    q[0][1] = 0.5;
    let mut k = 1;
    while k < TERMS {
        let mut j = 0;
        while j + 1 < TERMS {
            // Of (1 − p²) q′ the power j gives j pʲ⁻¹ and −j pʲ⁺¹.
            let c = q[k - 1][j];
            q[k][j + 1] += (3.0 - 2.0 * k as f64 - j as f64) * c;
            if j > 0 {
                q[k][j - 1] += j as f64 * c;
            }
            j += 1;
        }
        let mut i = 1;
        while i < k {
            let mut a = 0;
            while a <= i {
                let mut b = 0;
                while b <= k - i {
                    q[k][a + b] -= q[i][a] * q[k - i][b];
                    b += 1;
                }
                a += 1;
            }
            i += 1;
        }
        k += 1;
    }
    q
}

/// J_{M−1}/J_M at s as a double word.
#[inline(always)]
fn start<V: Lanes>(m: f64, s: V) -> [V; 2] {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    let (zero, half) = (constant(0.0), constant(0.5));
    let [square, square_low] = two_square(s);
    let [radicand, radicand_low] = two_sum(square, constant(4.0 * m));
    let root = radicand.sqrt();
    let [back, back_low] = two_square(root);
    // Half of what the root leaves of the radicand, over the root, is the second word of the root.
    let rest = ((radicand - back) - back_low) + (radicand_low + square_low);
    let root_low = half * rest / root;
    let (p, step) = (s / root, constant(1.0) / radicand);
    let mut later = zero;
    for (k, q) in SERIES.iter().enumerate().skip(1).rev() {
        let mut value = constant(q[k]);
        for &c in q[..k].iter().rev() {
            value = value.mul_add(p, constant(c));
        }
        later = (later + value) * step;
    }
    let [sum, sum_low] = two_sum(s, root);
    // S q₀ = (s + S)/2 is by far the largest term and alone needs two words.
    fast_two_sum(half * sum, half * (sum_low + root_low) + root * later)
}

/// h·R_n(s) for n = 0 … N − 1.
#[inline(always)]
pub(super) fn tails<V: Lanes, const N: usize>(edge: &Edge<V>) -> [V; N] {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    let (m, s) = (LOWEST_START.max(N), edge.s);
    let scale = V::splat(V::Scalar::HIGH_SCALE);
    // Y_M and Y_{M−1} in the ratio 1 : J_{M−1}/J_M, both so small that Y₋₁ does not overflow.
    let mut upper = [scale, constant(0.0)];
    let mut current = start(m as f64, s);
    for word in &mut current {
        *word = *word * scale;
    }
    // Multiples Y_n of R_n, down to Y₋₁.
    let mut y = [[scale; 2]; N];
    for n in (0..m).rev() {
        if n < N {
            y[n] = current;
        }
        (upper, current) = (current, step(s, constant((n + 1) as f64), upper, current));
    }
    let scale = edge.h / (current[0] + current[1]);
    let mut tails = [scale; N];
    for (tail, [value, low]) in tails.iter_mut().zip(y) {
        *tail = (value + low) * scale;
    }
    tails
}

/// R_n(s) for n = 0 … so many, in one word: up to some 10 ulp.
#[cfg(feature = "pairs")]
pub(crate) fn ratios_in_one_word(s: f64, into: &mut [f64]) {
    let m = LOWEST_START.max(into.len());
    let (mut upper, mut current) = (1.0, start(m as f64, s)[0]);
    for n in (0..m).rev() {
        if let Some(value) = into.get_mut(n) {
            *value = current;
        }
        (upper, current) = (current, s * current + (n + 1) as f64 * upper);
    }
    let scale = 1.0 / current;
    into.iter_mut().for_each(|value| *value *= scale);
}

/// Y_{n−1} from n + 1, Y_{n+1} and Y_n.
#[inline(always)]
fn step<V: Lanes>(
    s: V,
    factor: V,
    [upper, upper_low]: [V; 2],
    [current, current_low]: [V; 2],
) -> [V; 2] {
    let [a, a_low] = two_product(factor, upper);
    let [b, b_low] = two_product(s, current);
    let [sum, sum_low] = two_sum(a, b);
    let carried = factor.mul_add(upper_low, s * current_low);
    [sum, carried + ((a_low + b_low) + sum_low)]
}
