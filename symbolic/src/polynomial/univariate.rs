//! Polynomials in one variable for finding signs and roots: integer coefficients without a
//! common factor, so a polynomial stands for all its positive multiples.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::exact::Rational;

/// A polynomial up to a positive factor, constant coefficient first, the last not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Univariate(Vec<BigInt>);

impl Univariate {
    /// The polynomial with these coefficients, constant first, up to a positive factor.
    #[must_use]
    pub fn new(coefficients: &[Rational]) -> Self {
        let denominator = coefficients.iter().fold(BigInt::one(), |lcm, c| lcm.lcm(c.denom()));
        let integers = coefficients.iter().map(|c| c.numer() * (&denominator / c.denom()));
        Self::primitive(integers.collect())
    }

    /// The polynomial with these integer coefficients, constant first, up to a positive factor.
    pub(super) fn primitive(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        let content = coefficients.iter().fold(BigInt::zero(), |gcd, c| gcd.gcd(c));
        if !content.is_one() {
            for c in &mut coefficients {
                *c /= &content;
            }
        }
        Self(coefficients)
    }

    /// The coefficients, constant first; empty for the polynomial 0.
    #[must_use]
    pub fn coefficients(&self) -> &[BigInt] {
        &self.0
    }

    /// Whether this is the polynomial 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; 0 for the polynomial 0.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// A multiple of the remainder of integer coefficients by this polynomial, and how often it is that.
    pub(super) fn integer_remainder(&self, mut rest: Vec<BigInt>) -> (Vec<BigInt>, BigInt) {
        let (lead, lower) = self.coefficients().split_last().expect("of degree two at the least");
        let mut scale = BigInt::one();
        while rest.len() > lower.len() {
            let top = rest.pop().expect("longer than the divisor");
            // Nothing is to be subtracted, so the multiple stays as small as it is.
            if top.is_zero() {
                continue;
            }
            if !lead.is_one() {
                rest.iter_mut().for_each(|c| *c *= lead);
                scale *= lead;
            }
            let start = rest.len() - lower.len();
            for (c, d) in rest[start..].iter_mut().zip(lower) {
                *c -= &top * d;
            }
        }
        (rest, scale)
    }

    /// The bits of the largest coefficient.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.0.iter().map(BigInt::bits).max().unwrap_or(0)
    }

    /// −1, 0 or 1: the sign of the value at `x`.
    #[must_use]
    pub fn sign_at(&self, x: &Rational) -> i8 {
        // Σ cᵢ nⁱ dᵏ⁻ⁱ for x = n/d, which has the sign of the value because d > 0.
        let mut sum = BigInt::zero();
        let mut power = BigInt::one();
        for c in self.0.iter().rev() {
            sum = sum * x.numer() + c * &power;
            power *= x.denom();
        }
        sign(&sum)
    }

    /// The derivative.
    #[must_use]
    pub fn derivative(&self) -> Self {
        Self::primitive((1_u32..).zip(self.0.iter().skip(1)).map(|(k, c)| c * k).collect())
    }

    /// The polynomial or its negative, so that the leading coefficient is positive.
    #[must_use]
    pub(super) fn positive(mut self) -> Self {
        if self.0.last().is_some_and(Signed::is_negative) {
            for c in &mut self.0 {
                *c = -&*c;
            }
        }
        self
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self(Vec::new());
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (c, b) in product[i..].iter_mut().zip(&other.0) {
                *c += a * b;
            }
        }
        // Without a common factor again, by Gauss's lemma.
        Self(product)
    }

    /// The quotient, if `divisor` leaves no remainder.
    #[must_use]
    pub(super) fn divided_by(&self, divisor: &Self) -> Option<Self> {
        let lead = divisor.0.last().expect("division by the zero polynomial");
        let shift = divisor.degree();
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); self.0.len().saturating_sub(shift)];
        for i in (0..quotient.len()).rev() {
            // By Gauss's lemma the quotient has integer coefficients.
            let (factor, remainder) = rest[i + shift].div_rem(lead);
            if !remainder.is_zero() {
                return None;
            }
            for (c, d) in rest[i..].iter_mut().zip(&divisor.0) {
                *c -= d * &factor;
            }
            quotient[i] = factor;
        }
        rest.iter().all(Zero::is_zero).then_some(Self(quotient))
    }

    /// The greatest common divisor, up to sign.
    #[must_use]
    pub(super) fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.0.clone(), other.0.clone());
        if a.len() < b.len() {
            (a, b) = (b, a);
        }
        // Subresultants: the divisors g hᵏ are known, so no content has to be found.
        let (mut g, mut h) = (BigInt::one(), BigInt::one());
        while b.len() > 1 {
            let gap = u32::try_from(a.len() - b.len()).expect("a degree");
            let divisor = &g * h.pow(gap);
            let rest = pseudo_remainder(a, &b).into_iter().map(|c| c / &divisor).collect();
            (a, b) = (b, rest);
            g = a[a.len() - 1].clone();
            if gap > 0 {
                h = g.pow(gap) / h.pow(gap - 1);
            }
        }
        // The last remainder is 0, or a number, and then 1 is the divisor.
        Self::primitive(if b.is_empty() { a } else { b })
    }
}

/// The remainder of f cᵏ by g, with c the leading coefficient of g and k one more than the
/// difference of the degrees.
fn pseudo_remainder(mut f: Vec<BigInt>, g: &[BigInt]) -> Vec<BigInt> {
    let shift = g.len() - 1;
    while f.len() > shift {
        let top = f.pop().expect("longer than the divisor");
        let start = f.len() - shift;
        for c in &mut f {
            *c *= &g[shift];
        }
        for (c, d) in f[start..].iter_mut().zip(g) {
            *c -= &top * d;
        }
    }
    while f.last().is_some_and(Zero::is_zero) {
        f.pop();
    }
    f
}

/// −1, 0 or 1.
pub(crate) fn sign(value: &impl Signed) -> i8 {
    if value.is_zero() {
        0
    } else if value.is_negative() {
        -1
    } else {
        1
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// The polynomial with these coefficients, constant first.
    pub(crate) fn polynomial(coefficients: &[i64]) -> Univariate {
        Univariate::primitive(coefficients.iter().map(|c| BigInt::from(*c)).collect())
    }

    /// A polynomial of this degree with coefficients of absolute value at most `size`.
    pub(crate) fn random(state: &mut u64, degree: usize, size: i64) -> Univariate {
        let mut next = |size: i64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i64::try_from(*state >> 33).expect("31 bits") % size
        };
        let mut coefficients: Vec<i64> = (0..degree).map(|_| next(2 * size + 1) - size).collect();
        coefficients.push(next(size) + 1);
        polynomial(&coefficients)
    }
}
