//! Polynomials in one unknown.
//!
//! In double words each step of Horner's scheme takes the product with its error (two-product),
//! adds the coefficient with its error (two-sum) and carries both errors in the low word.
//!
//! Error: ½ ulp of the result plus about 2(C − 1)² u² Σ|c_j||x|^j with u = 2⁻⁵³ (2⁻²⁴). So a value
//! that cancels to the first 40 bits is still right to the last. Where a splitting overflows
//! (terms beyond 1e300) the plain scheme is the answer, right to
//! 2C u Σ|c_j||x|^j only. Where a product underflows, the error is absolute.

use super::Pair;
use super::number::pair;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::double::{fast_two_sum, two_product, two_sum};
use crate::lanes::{Lanes, Work};

/// Σ_j c_j x^j with c_j = `[hi, lo]`, evaluated by Horner's scheme in double words; never NaN for
/// finite input unless the value overflows.
#[inline(always)]
pub fn polynomial<V: Lanes>(coefficients: &[[f64; 2]], x: V) -> Pair<V> {
    let work = Evaluate { coefficients, knot: None, x };
    if V::Accuracy::COMPENSATED { V::outlined(work) } else { work.run() }
}

/// Σ_j c_j (x − t)^j with c_j = `[hi, lo]`, around a knot t of three words, of which two are used. Horner's scheme in
/// double words.
#[inline(always)]
pub fn polynomial_around<V: Lanes>(coefficients: &[[f64; 2]], knot: [f64; 3], x: V) -> Pair<V> {
    V::outlined(Evaluate { coefficients, knot: Some(knot), x })
}

struct Evaluate<'a, V> {
    coefficients: &'a [[f64; 2]],
    knot: Option<[f64; 3]>,
    x: V,
}

impl<V: Lanes> Work for Evaluate<'_, V> {
    type Output = Pair<V>;

    #[inline(always)]
    fn run(self) -> Pair<V> {
        let Self { coefficients, knot, x } = self;
        let zero = V::splat(V::Scalar::ZERO);
        let Some(knot) = knot else { return evaluate(coefficients, [x, zero]) };
        evaluate(coefficients, distance(x, pair([knot[0], knot[1]])))
    }
}

/// x − t in two words.
#[inline(always)]
pub(super) fn distance<V: Lanes>(x: V, [t, t_low]: [V; 2]) -> [V; 2] {
    let [difference, error] = two_sum(x, -t);
    let [high, low] = fast_two_sum(difference, error - t_low);
    // The error of an infinite difference is NaN.
    let finite = difference.abs().lt(V::splat(V::Scalar::INFINITY));
    let low = V::select(finite, low, V::splat(V::Scalar::ZERO));
    [V::select(finite, high, difference), low]
}

/// A step of Horner's scheme.
#[inline(always)]
pub(super) fn step<V: Lanes>(
    [high, low]: [V; 2],
    [x, x_low]: [V; 2],
    [c, c_low]: [V; 2],
) -> [V; 2] {
    let [product, product_low] = two_product(high, x);
    let [sum, sum_low] = two_sum(product, c);
    // The product of both low words is beneath the last digit of the error.
    let error = (product_low + low.mul_add(x, high * x_low)) + (sum_low + c_low);
    fast_two_sum(sum, error)
}

#[inline(always)]
fn evaluate<V: Lanes>(coefficients: &[[f64; 2]], [x, x_low]: [V; 2]) -> Pair<V> {
    let Some((&leading, rest)) = coefficients.split_last() else {
        return Pair::exact(V::splat(V::Scalar::ZERO));
    };
    let [mut high, mut low] = pair(leading);
    for &coefficient in rest.iter().rev() {
        [high, low] = step([high, low], [x, x_low], pair(coefficient));
    }
    // Vectors have inputs in the safe range, where no power overflows.
    if !V::GENERAL {
        return Pair::new(high, low);
    }
    // Where a splitting overflows the double words are NaN, although the value is a number.
    let mut plain = V::splat(V::Scalar::from_f64(leading[0]));
    for c in rest.iter().rev() {
        plain = plain * x + V::splat(V::Scalar::from_f64(c[0]));
    }
    let finite = high.abs().lt(V::splat(V::Scalar::INFINITY));
    Pair::select(finite, Pair::new(high, low), Pair::exact(plain))
}

/// Σ_j c_j x^j by Horner's scheme in working precision.
#[inline(always)]
pub(crate) fn horner<V: Lanes>(coefficients: &[V::Scalar], x: V) -> V {
    let Some((&last, rest)) = coefficients.split_last() else {
        return V::splat(V::Scalar::ZERO);
    };
    let mut sum = V::splat(last);
    for &c in rest.iter().rev() {
        sum = sum.mul_add(x, V::splat(c));
    }
    sum
}
