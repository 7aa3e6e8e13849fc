//! Triple words: numbers to three times the precision of a double, for knots that are computed from
//! parameters.
//!
//! A word `[high, middle, low]` is the sum of the three, each at most half an ulp of the one before.
//! Where γ is the number nearest to a knot, the lower two are the distance of both, which is needed to
//! twice the precision itself ([`Edge`](super::Edge)). As in Fabiano, Muller and Picot, "Algorithms
//! for Triple-Word Arithmetic", IEEE Transactions on Computers 68 (2019), an operation is a sum of
//! doubles, made so that what is left out is of the fourth word, and renormalized by sweeps of
//! two-sums. There are more of them here than one that does not cancel needs: it is done once for a call.
//!
//! Relative error, measured: sum 2⁻¹⁶⁰, also where it cancels; product 2⁻¹⁵⁸; quotient 2⁻¹⁵⁶. Where a
//! result overflows or a splitting does (factors beyond 1e300), it is a plain number with lower words
//! of 0.

use super::double::{two_product, two_sum};

/// a + b
#[inline]
pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let words = normal([a[0], b[0], a[1], b[1], a[2], b[2]]);
    finite(words, a[0] + b[0])
}

/// −a
#[inline]
pub fn negate(a: [f64; 3]) -> [f64; 3] {
    a.map(|word| -word)
}

/// a·b
#[inline]
pub fn multiply(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let [product, low] = two_product(a[0], b[0]);
    let [left, left_low] = two_product(a[0], b[1]);
    let [right, right_low] = two_product(a[1], b[0]);
    let rest = (left_low + right_low) + (a[1] * b[1] + (a[0] * b[2] + a[2] * b[0]));
    finite(normal([product, low, left, right, rest]), product)
}

/// a/b
#[inline]
pub fn divide(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    let first = a[0] / b[0];
    let [product, low] = two_product(first, b[0]);
    let [next, next_low] = two_product(first, b[1]);
    // Exact, as the remainder of a quotient is.
    let rest = (a[0] - product) - low;
    let rest = normal([rest, a[1], -next, (a[2] - next_low) - first * b[2]]);
    let second = rest[0] / b[0];
    let [product, low] = two_product(second, b[0]);
    let rest = ((rest[0] - product) - low) + (rest[1] - second * b[1]);
    finite(normal([first, second, rest / b[0]]), first)
}

/// The sum of any words as one: a sweep is exact and moves what cancels to the end.
#[inline]
fn normal<const N: usize>(mut words: [f64; N]) -> [f64; 3] {
    for _ in 1..N {
        for i in (1..N).rev() {
            [words[i - 1], words[i]] = two_sum(words[i - 1], words[i]);
        }
    }
    [words[0], words[1], words[2]]
}

/// The words if they are numbers, and a plain number if not.
#[inline]
fn finite(words: [f64; 3], plain: f64) -> [f64; 3] {
    if words.iter().all(|word| word.is_finite()) { words } else { [plain, 0.0, 0.0] }
}
