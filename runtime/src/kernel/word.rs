//! Double words: numbers to twice the precision of a double, for coefficients and widths that are computed from parameters.
//!
//! A word `[high, low]` is the sum high + low with |low| ≤ ½ ulp(high). A coefficient that depends on
//! parameters is needed to twice the precision, as the constant ones are, and so is a difference of
//! parameters that nearly cancels. Knots are [`triple`](super::triple) words. The algorithms and their bounds are those of
//! Joldes, Muller and Popescu, "Tight and Rigorous Error Bounds for Basic Building Blocks of
//! Double-Word Arithmetic", ACM TOMS 44 (2017), in f64 for both precisions of kernels.
//!
//! Relative error, with u = 2⁻⁵³: sum 3u² + 13u³, also where the sum cancels; product 7u²; quotient
//! 15u² + 56u³. Where a result or a splitting overflows (factors beyond 1e300), the result is a plain
//! number with a low word of 0.

use super::number::number;
use crate::Float;
use crate::lanes::Lanes;
use crate::lanes::double::{fast_two_sum, two_product, two_sum};

/// a + b
#[inline]
pub fn add<V: Lanes>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    let [sum, sum_low] = two_sum(a[0], b[0]);
    let [lower, lowest] = two_sum(a[1], b[1]);
    // Twice, since the first words may cancel: then the second words come up, and what they lost counts.
    let [high, low] = normal(sum, sum_low + lower);
    normal(high, lowest + low)
}

/// −a
#[inline]
pub fn negate<V: Lanes>(a: [V; 2]) -> [V; 2] {
    [-a[0], -a[1]]
}

/// a − b
#[inline]
pub fn subtract<V: Lanes>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    add(a, negate(b))
}

/// a·b
#[inline]
pub fn multiply<V: Lanes>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    let [product, low] = two_product(a[0], b[0]);
    // The product of both low words is less than the rounding of these.
    normal(product, low + (a[0] * b[1] + a[1] * b[0]))
}

/// a/b
#[inline]
pub fn divide<V: Lanes>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    let quotient = a[0] / b[0];
    let back = multiply(b, [quotient, V::splat(V::Scalar::ZERO)]);
    let rest = (a[0] - back[0]) + (a[1] - back[1]);
    normal(quotient, rest / b[0])
}

/// The nearest number of a kernel's precision.
#[inline(always)]
pub fn round<V: Lanes>(word: [f64; 2]) -> V {
    number(word[0])
}

/// high + low as a word, for |high| ≥ |low|.
#[inline]
fn normal<V: Lanes>(high: V, low: V) -> [V; 2] {
    let [sum, rest] = fast_two_sum(high, low);
    let finite = rest.abs().lt(V::splat(V::Scalar::INFINITY));
    [V::select(finite, sum, high), V::select(finite, rest, V::splat(V::Scalar::ZERO))]
}
