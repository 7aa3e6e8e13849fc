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
/// Beyond so many standard deviations nothing counts.
const DEVIATIONS: f64 = 9.0;
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

/// How far from the end of a piece that has no other one a knot is to divide it, with q in powers of the distance from the end;
/// `None` if nothing is gained.
#[must_use]
pub fn division(q: [f64; 4]) -> Option<f64> {
    let largest = q[1..].iter().fold(0.0_f64, |largest, c| largest.max(c.abs()));
    let q = q.map(|c| c / largest);
    let unit = last_turn(&q)?;
    let q = in_units(&q.map(|c| [c, 0.0]), unit);
    let whole = |omega: f64| square_on(&q, DEVIATIONS / omega, omega);
    let at_end = |omega: f64| size(&q, 0.0, omega) / whole(omega);
    // From 1/8 to 16.
    let omegas = || (-6..=8).map(|i| libm::exp2(0.5 * f64::from(i)));
    if omegas().all(|omega| at_end(omega) <= ENOUGH) {
        return None;
    }
    let worst = |place: f64| {
        let beyond = around(&q, place);
        omegas().fold(0.0_f64, |worst, omega| {
            // The bounded piece is narrow up to here, and has its tails at the end from there on.
            worst.max(if omega * place < WIDE {
                size(&beyond, place, omega) / whole(omega)
            } else {
                at_end(omega)
            })
        })
    };
    let places = (2..=12).map(|i| 0.25 * f64::from(i));
    let best = places.map(|place| (worst(place), place)).min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, place)| place * unit)
}

/// The last root of q′ or q″ beyond 0.
fn last_turn(q: &[f64; 4]) -> Option<f64> {
    let [_, a, b, c] = *q;
    // q′ = a + 2bx + 3cx²
    let discriminant = b * b - 3.0 * a * c;
    let root = libm::sqrt(discriminant.max(0.0));
    let (turns, bend) = if c == 0.0 {
        ([-0.5 * a / b; 2], f64::NAN)
    } else {
        ([(-b - root) / (3.0 * c), (-b + root) / (3.0 * c)], -b / (3.0 * c))
    };
    let turns = if discriminant < 0.0 { [f64::NAN; 2] } else { turns };
    let all = [turns[0], turns[1], bend];
    let is_found = |x: &f64| x.is_finite() && *x > 0.0;
    all.into_iter().filter(is_found).max_by(f64::total_cmp)
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
    integral(value, place, DEVIATIONS / omega, omega)
}

/// E\[q²; piece\].
fn on_piece(q: &[f64; 4], omega: f64) -> f64 {
    square_on(q, 1.0, omega)
}

/// E\[q²\] up to a place.
fn square_on(q: &[f64; 4], place: f64, omega: f64) -> f64 {
    let value = |x: f64| {
        let value = q.iter().rev().fold(0.0, |sum, c| sum * x + c);
        value * value
    };
    integral(value, 0.0, place, omega)
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
