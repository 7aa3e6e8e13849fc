//! Rows from a function in words.
//!
//! Coefficients are in double words, so that a row has them rounded once, but where they cancel by more than 40 digits. A
//! polynomial is given by its coefficients in powers of the distance from a place, the constant first, up to degree 3.

use super::rows::{Cut, Knot, Piece, Place, Side, Span};
use crate::Float;
use crate::kernel::triple;
use crate::kernel::word::{add, multiply, negate};
use crate::lanes::Lanes;
use crate::precision::Precision;

/// A number in two words.
type Word<V> = [V; 2];

/// The four coefficients of a polynomial.
fn padded<V: Lanes>(given: &[Word<V>]) -> [Word<V>; 4] {
    let mut all = [[V::splat(V::Scalar::ZERO); 2]; 4];
    all[..given.len()].copy_from_slice(given);
    all
}

fn constant<V: Lanes>(value: f64) -> Word<V> {
    [V::splat(V::Scalar::from_f64(value)), V::splat(V::Scalar::ZERO)]
}

/// A polynomial around a place that is so much to the right.
fn shifted<V: Lanes>(mut c: [Word<V>; 4], by: Word<V>) -> [Word<V>; 4] {
    for k in 0..3 {
        for j in (k..3).rev() {
            c[j] = add(c[j], multiply(c[j + 1], by));
        }
    }
    c
}

/// The coefficients 2 … 6 of the square of a polynomial without its constant.
fn square<V: Lanes>(c: &[Word<V>; 4]) -> [Word<V>; 5] {
    let mut square = [[V::splat(V::Scalar::ZERO); 2]; 5];
    for i in 1..4 {
        square[2 * i - 2] = add(square[2 * i - 2], multiply(c[i], c[i]));
        for j in 1..i {
            let product = multiply(c[i], c[j]);
            square[i + j - 2] = add(square[i + j - 2], add(product, product));
        }
    }
    square
}

/// j!
const FACTORIALS: [f64; 7] = [1.0, 1.0, 2.0, 6.0, 24.0, 120.0, 720.0];

fn side<V: Lanes>(given: &[Word<V>]) -> Side<V> {
    let c = padded(given);
    let (mut mean, mut squares) = ([c[0][1]; 3], [c[0][1]; 5]);
    for j in 1..4 {
        mean[j - 1] = multiply(c[j], constant(FACTORIALS[j]))[0];
    }
    let square = square(&c);
    for j in 2..7 {
        squares[j - 2] = multiply(square[j - 2], constant(FACTORIALS[j]))[0];
    }
    Side { value: c[0], mean, square: squares }
}

/// The row of a knot in three words, from the pieces to its left and right around it.
pub fn knot<V: Lanes>(at: [V; 3], left: &[Word<V>], right: &[Word<V>]) -> Knot<V> {
    Knot { at, sides: [side(left), side(right)] }
}

/// A polynomial around the middle of a stretch, as a function of τ.
fn span<V: Lanes>(middle: Word<V>, half: Word<V>, mut g: [Word<V>; 4]) -> Span<V> {
    let mut power = half;
    for j in 1..4 {
        g[j] = multiply(g[j], power);
        power = multiply(power, half);
    }
    let square = square(&g).map(|[high, _]| high);
    let mean = [g[1][0], g[2][0], g[3][0]];
    Span { middle, half: half[0], value: g[0], mean, square }
}

/// The row of a piece of some width that begins at a knot in three words, around which it is given; with what is known of its
/// halves if it is cut.
pub fn piece<V: Lanes>(
    from: [V; 3],
    width: Word<V>,
    around: &[Word<V>],
    is_cut: bool,
) -> Piece<V> {
    let (half, quarter) = (multiply(width, constant(0.5)), multiply(width, constant(0.25)));
    let start = padded(around);
    let at = |distance: Word<V>| add([from[0], from[1]], distance);
    let around_middle = shifted(start, half);
    let whole = span(at(half), half, around_middle);
    let cut = is_cut.then(|| {
        let right = add(half, quarter);
        Cut {
            at: triple::add(from, [half[0], half[1], half[0] - half[0]]),
            side: side(&around_middle),
            halves: [
                span(at(quarter), quarter, shifted(start, quarter)),
                span(at(right), quarter, shifted(start, right)),
            ],
        }
    });
    Piece { whole, cut }
}

/// Whether the terms of the square of a curved piece around one of its ends nearly cancel where tails at both are taken: by
/// more than a few times, for a γ on that end and some ξ beside the width of the piece.
pub fn cancels(width: f64, around: [&[Word<f64>]; 2]) -> bool {
    around.into_iter().enumerate().any(|(end, given)| {
        let c = padded(given);
        let square = square(&c);
        let width = if end == 0 { width } else { -width };
        // In units of the width.
        let mut power = width;
        let terms = square.map(|[term, _]| {
            power *= width;
            term * power
        });
        WIDTHS.into_iter().any(|xi| {
            let (mut size, mut power) = (0.0, xi);
            for (term, tail) in terms.iter().zip(HALF_MOMENTS) {
                power *= xi;
                size += (term * power * tail).abs();
            }
            size > MOST_CANCELLED * on_piece(&terms, xi)
        })
    })
}

/// ξ beside the width of a piece.
const WIDTHS: [f64; 3] = [0.2, 0.26, 0.34];
/// E\[zʲ; z > 0\] for z ~ N(0, 1), j = 2 … 6.
const HALF_MOMENTS: [f64; 5] =
    [0.5, 0.797_884_560_802_865_4, 1.5, 3.191_538_243_211_461_4, 7.5];
/// By how much terms may cancel.
const MOST_CANCELLED: f64 = 8.0;

/// E\[Σ cⱼ xʲ; 0 < x < 1\] for x ~ N(0, ξ²), j = 2 … 6, by Simpson's rule.
fn on_piece(c: &[f64; 5], xi: f64) -> f64 {
    const STEPS: u32 = 32;
    let mut sum = 0.0;
    for i in 0..=STEPS {
        let x = f64::from(i) / f64::from(STEPS);
        let value = c.iter().rev().fold(0.0, |sum, c| sum * x + c) * x * x;
        let weight = if i == 0 || i == STEPS {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let z = x / xi;
        sum += weight * value * libm::exp(-0.5 * z * z);
    }
    sum / (3.0 * f64::from(STEPS) * xi * f64::ROOT_TAU)
}

/// The row of a place in three words, around which a piece is given: of the number next to it.
pub fn place<V: Lanes>([at, low, lowest]: [V; 3], around: &[Word<V>], from: Word<V>) -> Place<V> {
    let c = shifted(padded(around), negate([low, lowest]));
    Place { from, at, value: c[0], taylor: [c[1][0], c[2][0], c[3][0]] }
}
