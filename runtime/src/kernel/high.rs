//! Scaled tails of orders beyond 8, which activations of degree 5 and more need.
//!
//! The backward recurrence of `tails`, in f64 for both precisions and with its rounding errors
//! carried along (exact errors of each product and sum, propagated to first order). It
//! starts at order M = 48 or the number of orders, whichever is more, with the
//! Liouville–Green series: y = J_{M−1}/J_M solves y² − y′ − sy = M, and with S = √(s² + 4M) and p = s/S
//! it is y = Σ_k S^{1−2k} q_k(p), where q₀ = (1 + p)/2 and
//!
//! q_k = (3 − 2k) p q_{k−1} + (1 − p²) q′_{k−1} − Σ_{0<i<k} q_i q_{k−i}.
//!
//! The q_k are of degree k, and their coefficients are dyadic and small enough to be exact.
//!
//! Error: the series is good to 5e-18; all orders within 2.7 ulp in f64 (measured), 0.51 ulp in f32.

use super::double::{fast_two_sum, two_product, two_square, two_sum};

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
fn start(m: f64, s: f64) -> [f64; 2] {
    let [square, square_low] = two_square(s);
    let [radicand, radicand_low] = two_sum(square, 4.0 * m);
    let root = libm::sqrt(radicand);
    let [back, back_low] = two_square(root);
    let root_low = 0.5 * (((radicand - back) - back_low) + (radicand_low + square_low)) / root;
    let (p, step) = (s / root, 1.0 / radicand);
    let later = SERIES[1..]
        .iter()
        .rev()
        .fold(0.0, |sum, q| (sum + q.iter().rev().fold(0.0, |value, c| value * p + c)) * step);
    let [sum, sum_low] = two_sum(s, root);
    fast_two_sum(0.5 * sum, 0.5 * (sum_low + root_low) + root * later)
}

/// R_n(s) for n = 0 … N − 1.
pub(crate) fn tails<const N: usize>(s: f64) -> [f64; N] {
    let m = LOWEST_START.max(N);
    let mut upper = [1.0, 0.0];
    let mut current = start(m as f64, s);
    let mut y = [0.0; N];
    for n in (0..m).rev() {
        if n < N {
            y[n] = current[0] + current[1];
        }
        let factor = (n + 1) as f64;
        let [a, a_low] = two_product(factor, upper[0]);
        let [b, b_low] = two_product(s, current[0]);
        let [sum, sum_low] = two_sum(a, b);
        let low = factor * upper[1] + s * current[1] + ((a_low + b_low) + sum_low);
        (upper, current) = (current, [sum, low]);
    }
    let inverse = 1.0 / (current[0] + current[1]);
    y.map(|value| value * inverse)
}
