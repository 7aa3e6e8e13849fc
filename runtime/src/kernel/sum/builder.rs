//! Rows from a function in words.
//!
//! Coefficients are in double words, so that a row has them rounded once, but where they cancel by more than 40 digits. A
//! polynomial is given by its coefficients in powers of the distance from a place, the constant first, up to degree 3.

use super::rows::{Cut, Jump, Knot, Piece, Place, Side, Span};
use crate::Float;
use crate::kernel::triple;
use crate::kernel::word::{add, multiply, subtract};
use crate::lanes::Lanes;

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
    // Any number: each is written over.
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

/// The difference of two pieces around a knot. Each coefficient is rounded once, however near they are to each other.
fn jump<V: Lanes>(left: &[Word<V>], right: &[Word<V>]) -> Jump<V> {
    let (left, right) = (padded(left), padded(right));
    let (mut difference, mut sum) = (left, left);
    for j in 0..4 {
        difference[j] = subtract(right[j], left[j]);
        sum[j] = add(right[j], left[j]);
    }
    let mut product = [[V::splat(V::Scalar::ZERO); 2]; 7];
    for i in 0..4 {
        for j in 1..4 {
            product[i + j] = add(product[i + j], multiply(difference[i], sum[j]));
        }
    }
    let times_factorial = |word: Word<V>, j: usize| multiply(word, constant(FACTORIALS[j]))[0];
    Jump {
        value: difference[0][0],
        mean: [1, 2, 3].map(|j| times_factorial(difference[j], j)),
        square: [1, 2, 3, 4, 5, 6].map(|j| times_factorial(product[j], j)),
    }
}

/// The row of a knot in three words, from the pieces to its left and right around it.
pub fn knot<V: Lanes>(at: [V; 3], left: &[Word<V>], right: &[Word<V>]) -> Knot<V> {
    Knot { at, sides: [side(left), side(right)], jump: jump(left, right) }
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

/// The row of a piece of some width that begins at a knot in three words, around which it is given; in two parts besides, if it
/// is cut at a fraction of its width.
pub fn piece<V: Lanes>(
    from: [V; 3],
    width: Word<V>,
    around: &[Word<V>],
    cut: Option<f64>,
) -> Piece<V> {
    let start = padded(around);
    // From one fraction of the width to another one.
    let part = |left: f64, right: f64| {
        let middle = multiply(width, constant(0.5 * (left + right)));
        let half = multiply(width, constant(0.5 * (right - left)));
        span(add([from[0], from[1]], middle), half, shifted(start, middle))
    };
    let cut = cut.map(|place| {
        let distance = multiply(width, constant(place));
        let [high, low] = distance;
        let side = side(&shifted(start, distance));
        let at = triple::add(from, [high, low, V::splat(V::Scalar::ZERO)]);
        Cut { at, side, parts: [part(0.0, place), part(place, 1.0)] }
    });
    Piece { whole: part(0.0, 1.0), cut }
}

/// The row of a place in three words, around which a piece is given.
pub fn place<V: Lanes>([at, low, _]: [V; 3], around: &[Word<V>], from: Word<V>) -> Place<V> {
    let c = padded(around);
    Place { from, at: [at, low], value: c[0], taylor: [c[1][0], c[2][0], c[3][0]] }
}
