//! Where to cut a curved piece whose terms nearly cancel.
//!
//! Beyond an end of a piece, the square of q − q(end) is a sum of tails, whose signs may alternate. With γ on the end, their sizes
//! are κ times the integral over the piece. κ is large only while the piece is a few ξ wide: a narrower one is integrated around
//! its middle, and on a wider one the first term counts. A piece with a large κ is cut: the part at the end is integrated around
//! its middle as long as it is narrow, and tails are taken from the cut. The place of the cut is the one of a few for which what
//! is left of κ is least.

use crate::precision::Precision;

/// A piece is wide from this width on, in units of ξ.
const WIDE: f64 = 2.83;
/// κ that is small enough.
const ENOUGH: f64 = 8.0;
/// Places to cut, as fractions of the width.
const PLACES: [f64; 7] = [0.5, 0.25, 0.75, 0.3125, 0.6875, 0.375, 0.625];

/// Where to cut a piece of some width, as a fraction of it, given by its coefficients around both ends; `None` if it need not be.
pub fn cut(width: f64, ends: [&[[f64; 2]]; 2]) -> Option<f64> {
    // From each end inwards, in units of the width.
    let inwards = [in_units(ends[0], width), in_units(ends[1], -width)];
    let cancels =
        // κ is largest where the piece has just become wide.
        inwards.map(|q| [1.0, 1.3, 1.7].into_iter().any(|r| at_end(&q, r * WIDE) > ENOUGH));
    if !cancels[0] && !cancels[1] {
        return None;
    }
    let mut best: Option<(f64, f64)> = None;
    for place in PLACES {
        let mut worst = 0.0_f64;
        for (end, q) in inwards.iter().enumerate() {
            if !cancels[end] {
                continue;
            }
            let part = if end == 0 { place } else { 1.0 - place };
            // The part at the end is narrow up to here.
            let last = WIDE / part;
            worst = worst.max(at_end(q, last));
            for omega in [WIDE, 0.5 * (WIDE + last), last] {
                worst = worst.max(size(&around(q, part), part, omega) / on_piece(q, omega));
            }
        }
        if best.is_none_or(|(_, least)| worst < least) {
            best = Some((place, worst));
        }
    }
    best.map(|(place, _)| place)
}

/// q − q(end) in powers of the distance from the end in units of the width.
fn in_units(given: &[[f64; 2]], width: f64) -> [f64; 4] {
    let (mut q, mut power) = ([0.0; 4], 1.0);
    for (q, [c, _]) in q.iter_mut().zip(given) {
        *q = c * power;
        power *= width;
    }
    q[0] = 0.0;
    q
}

/// A polynomial around another place.
fn around(q: &[f64; 4], place: f64) -> [f64; 4] {
    let mut q = *q;
    for k in 0..3 {
        for j in (k..3).rev() {
            q[j] += q[j + 1] * place;
        }
    }
    q
}

/// κ at an end of a piece that is ω units of ξ wide.
fn at_end(q: &[f64; 4], omega: f64) -> f64 {
    size(q, 0.0, omega) / on_piece(q, omega)
}

/// Σ |c_j| E\[(x − place)ʲ; x > place\] with c_j the coefficients of q² around the place.
fn size(q: &[f64; 4], place: f64, omega: f64) -> f64 {
    let mut square = [0.0; 7];
    for i in 0..4 {
        for j in 0..4 {
            square[i + j] += q[i] * q[j];
        }
    }
    let value = |x: f64| square.iter().rev().fold(0.0, |sum, c| sum * x + c.abs());
    // Nine standard deviations: nothing that counts lies beyond.
    integral(value, place, 9.0 / omega, omega)
}

/// E\[q²; piece\].
fn on_piece(q: &[f64; 4], omega: f64) -> f64 {
    let value = |x: f64| {
        let value = q.iter().rev().fold(0.0, |sum, c| sum * x + c);
        value * value
    };
    integral(value, 0.0, 1.0, omega)
}

/// The integral of a function of the distance from a place against the density there, over some length, by Simpson's rule.
fn integral(f: impl Fn(f64) -> f64, place: f64, length: f64, omega: f64) -> f64 {
    const STEPS: u32 = 40;
    let mut sum = 0.0;
    for i in 0..=STEPS {
        let x = length * f64::from(i) / f64::from(STEPS);
        let weight = if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        let z = (place + x) * omega;
        sum += weight * f(x) * libm::exp(-0.5 * z * z);
    }
    sum * length / (3.0 * f64::from(STEPS)) * (omega / f64::ROOT_TAU)
}
