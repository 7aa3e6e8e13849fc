//! Polynomials in one unknown.
//!
//! In double words each step of Horner's scheme takes the product with its error (two-product),
//! adds the coefficient with its error (two-sum) and carries both in the low word.
//!
//! Error: ½ ulp of the result plus about 2(C − 1)² u² Σ|c_j||x|^j with u = 2⁻⁵³ (2⁻²⁴): a value
//! that cancels to the first 40 bits is still right to the last. Where a splitting overflows
//! (terms beyond 1e300, or 1e34 in f32) the plain scheme is the answer, right to
//! 2C u Σ|c_j||x|^j only. Where a product underflows, the error is absolute.

use super::double::{fast_two_sum, two_product, two_sum};
use crate::Float;

/// Σ_j c_j x^j with c_j = `[hi, lo]`, evaluated by Horner's scheme in double words and
/// rounded once; never NaN for finite input unless the value overflows.
#[inline]
pub fn polynomial<T: Float>(coefficients: &[[T; 2]], x: T) -> T {
    evaluate(coefficients, [x, T::ZERO])
}

/// Σ_j c_j (x − t)^j likewise, around a knot t = `[hi, lo]`.
#[inline]
pub fn polynomial_around<T: Float>(coefficients: &[[T; 2]], knot: [T; 2], x: T) -> T {
    let [difference, error] = two_sum(x, -knot[0]);
    let offset = fast_two_sum(difference, error - knot[1]);
    // The error of an infinite difference is NaN.
    evaluate(coefficients, if difference.is_finite() { offset } else { [difference, T::ZERO] })
}

#[inline]
fn evaluate<T: Float>(coefficients: &[[T; 2]], [x, x_low]: [T; 2]) -> T {
    let Some((&leading, rest)) = coefficients.split_last() else {
        return T::ZERO;
    };
    let [mut high, mut low] = leading;
    for &[c, c_low] in rest.iter().rev() {
        let [product, product_low] = two_product(high, x);
        let [sum, sum_low] = two_sum(product, c);
        let error = (product_low + (low * x + high * x_low)) + (sum_low + c_low);
        [high, low] = fast_two_sum(sum, error);
    }
    if high.is_finite() {
        high
    } else {
        rest.iter().rev().fold(leading[0], |sum, c| sum * x + c[0])
    }
}

/// Σ_j c_j x^j by Horner's scheme in working precision.
#[inline]
pub(crate) fn horner<T: Float>(coefficients: &[T], x: T) -> T {
    match coefficients.split_last() {
        Some((&last, rest)) => rest.iter().rev().fold(last, |sum, &c| sum * x + c),
        None => T::ZERO,
    }
}
