//! Triple words: numbers to three times the precision of a double, for knots that are computed from
//! parameters.
//!
//! A word `[high, middle, low]` is the sum of the three, each at most half an ulp of the one before.
//! Where γ is the number nearest to a knot, the lower two are the distance of the knot from γ, which itself is needed to
//! twice the precision ([`Edge`](super::Edge)). The operations are sums of doubles and of
//! their errors, as in Fabiano, Muller and Picot, "Algorithms for Triple-Word Arithmetic", IEEE
//! Transactions on Computers 68 (2019), ordered by sweeps of two-sums.
//!
//! Relative error, measured: sum 2⁻¹⁶⁰, also where the sum cancels, as long as 2⁻²¹⁰ of its terms is less;
//! product 2⁻¹⁵⁷; quotient 2⁻¹⁵⁵. Where a result or a splitting overflows (factors beyond 1e300), the result
//! is a plain number with lower words of 0.

use crate::Float;
use crate::lanes::double::{fast_two_sum, two_product, two_sum};
use crate::lanes::{Lanes, Mask};

/// a + b
#[inline(always)]
pub fn add<V: Lanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    let [high, rest] = two_sum(a[0], b[0]);
    let [middle, lower] = two_sum(a[1], b[1]);
    let [low, lowest] = two_sum(a[2], b[2]);
    let [middle, rest] = two_sum(middle, rest);
    let [low, lower] = two_sum(low, lower);
    let [low, rest] = two_sum(low, rest);
    let mut words = [high, middle, low, (lower + lowest) + rest];
    // A sweep is exact, and so many order what has cancelled.
    for _ in 1..4 {
        for i in (1..4).rev() {
            [words[i - 1], words[i]] = two_sum(words[i - 1], words[i]);
        }
    }
    finite([words[0], words[1], words[2]], a[0] + b[0])
}

/// −a
#[inline(always)]
pub fn negate<V: Lanes>(a: [V; 3]) -> [V; 3] {
    a.map(|word| -word)
}

/// a − b
#[inline]
pub fn subtract<V: Lanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    add(a, negate(b))
}

/// a·b
#[inline(always)]
pub fn multiply<V: Lanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    let [product, low] = two_product(a[0], b[0]);
    let [left, left_low] = two_product(a[0], b[1]);
    let [right, right_low] = two_product(a[1], b[0]);
    let [middle, lower] = two_sum(left, right);
    let [middle, rest] = two_sum(middle, low);
    // These products are as small as the third word, so that their errors do not count.
    let cross = a[1] * b[1] + (a[0] * b[2] + a[2] * b[0]);
    let rest = ((left_low + right_low) + (lower + rest)) + cross;
    finite(normal([product, middle, rest]), product)
}

/// a/b
#[inline(always)]
pub fn divide<V: Lanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    // Long division: each word of the quotient from the remainder that those before it leave.
    let first = a[0] / b[0];
    let [product, low] = two_product(first, b[0]);
    let [next, next_low] = two_product(first, b[1]);
    let [middle, lower] = two_sum(a[1], -next);
    // The first difference is exact, as the remainder of a quotient is.
    let [rest, lowest] = two_sum((a[0] - product) - low, middle);
    let cross = (a[2] - next_low) - first * b[2];
    let [rest, lower] = two_sum(rest, (lower + lowest) + cross);
    let second = rest / b[0];
    let [product, low] = two_product(second, b[0]);
    let rest = ((rest - product) - low) + (lower - second * b[1]);
    finite(normal([first, second, rest / b[0]]), first)
}

/// The sum of words as one, the first being larger than the others together.
#[inline(always)]
fn normal<V: Lanes>([high, middle, low]: [V; 3]) -> [V; 3] {
    let [middle, low] = two_sum(middle, low);
    let [high, middle] = fast_two_sum(high, middle);
    let [middle, low] = fast_two_sum(middle, low);
    [high, middle, low]
}

/// The words if they are numbers, and a plain number if not.
#[inline(always)]
fn finite<V: Lanes>(words: [V; 3], plain: V) -> [V; 3] {
    let is_finite = |word: V| word.abs().lt(V::splat(V::Scalar::INFINITY));
    let [high, middle, low] = words;
    let are_finite = is_finite(high).and(is_finite(middle)).and(is_finite(low));
    let zero = V::splat(V::Scalar::ZERO);
    [
        V::select(are_finite, high, plain),
        V::select(are_finite, middle, zero),
        V::select(are_finite, low, zero),
    ]
}
