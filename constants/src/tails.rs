//! The tails of the Normal distribution, J_n(s) = E\[(z − s)₊ⁿ\]/n! with J₋₁ = φ, through their
//! ratios r_n = J_n/J_{n−1}, to about the precision of s.
//!
//! For small s from the density and the error function by the forward recurrence
//! n J_n = J_{n−2} − s J_{n−1}, with more bits for what it cancels. For larger s by the backward
//! one, 1/r_n = s + (n + 1) r_{n+1}, from r_N = 0: a step multiplies a relative error by
//! (n + 1) r_{n+1} r_n ≈ 1 − s/√n, so that e^{−2s(√N − √n)} of it are left in r_n.

use crate::number::{Real, erfc, pi, real, with_bits};

/// The backward recurrence is for s from here on.
const BACKWARD: f64 = 2.75;
/// Bits that the forward recurrence loses at most: it amplifies an error of J_n by e^{2s√n}, for s < [`BACKWARD`] and
/// n < 32.
const LOSS: u64 = 50;

/// r_n = J_n/J_{n−1} for n = 0 … top.
pub(crate) fn ratios(s: &Real, top: usize) -> Vec<Real> {
    if *s < real(BACKWARD) { forward(s, top) } else { backward(s, top) }
}

/// R_n = J_n/φ for n = 0 … top, the products of the first ratios.
pub(crate) fn scaled(s: &Real, top: usize) -> Vec<Real> {
    let mut ratios = ratios(s, top);
    for n in 1..=top {
        ratios[n] = &ratios[n] * &ratios[n - 1];
    }
    ratios
}

fn forward(s: &Real, top: usize) -> Vec<Real> {
    let bits = s.precision() + LOSS;
    let constant = |value: f64| with_bits(value, bits);
    let (half, wide) = (constant(0.5), s.with_precision(bits));
    let tau = &constant(2.0) * &pi(bits);
    let density = &(-(&(&wide * &wide) * &half)).exp() / &tau.sqrt();
    let tail = &erfc(&(&wide * &half.sqrt())) * &half;
    let mut j = vec![density, tail];
    for n in 1..=top {
        let difference = &j[n - 1] - &(&wide * &j[n]);
        j.push(&difference / &constant(n as f64));
    }
    j.windows(2).map(|pair| (&pair[1] / &pair[0]).with_precision(s.precision())).collect()
}

fn backward(s: &Real, top: usize) -> Vec<Real> {
    let bits = s.precision();
    let one = with_bits(1.0, bits);
    let root = (top as f64).sqrt() + bits as f64 * std::f64::consts::LN_2 / (2.0 * s.to_f64());
    let steps = (root * root) as usize + 10;
    let mut ratios = Vec::with_capacity(steps);
    let mut ratio = with_bits(0.0, bits);
    for n in (0..steps).rev() {
        ratio = &one / &(s + &(&with_bits((n + 1) as f64, bits) * &ratio));
        ratios.push(ratio.clone());
    }
    ratios.reverse();
    ratios.truncate(top + 1);
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_recurrences_agree() {
        for (s, bits, lost) in [(2.75, 200, 50), (2.75, 80, 50), (6.5, 200, 150), (400.0, 80, 250)]
        {
            // The forward one needs still more bits for an argument that is not its own.
            let truth = forward(&with_bits(s, bits + lost), 11);
            for (value, exact) in backward(&with_bits(s, bits), 11).iter().zip(truth) {
                let error = (&(value / &exact) - &real(1.0)).abs().to_f64();
                assert!(error < 8.0 * 0.5_f64.powi(bits as i32), "s = {s}, {bits} bits: {error}");
            }
        }
    }
}
