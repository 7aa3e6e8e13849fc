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

    fn primitive(mut coefficients: Vec<BigInt>) -> Self {
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

    fn negated(mut self) -> Self {
        for c in &mut self.0 {
            *c = -&*c;
        }
        self
    }

    /// The remainder of a positive multiple of `self` by `divisor`.
    fn remainder(&self, divisor: &Self) -> Self {
        let lead = divisor.0.last().expect("division by the zero polynomial");
        let shift = divisor.degree();
        let mut rest = self.0.clone();
        while rest.len() > shift {
            let top = rest.pop().expect("longer than the divisor");
            let top = if lead.is_negative() { -top } else { top };
            let start = rest.len() - shift;
            for c in &mut rest {
                *c *= lead.abs();
            }
            for (c, d) in rest[start..].iter_mut().zip(&divisor.0) {
                *c -= &top * d;
            }
        }
        Self::primitive(rest)
    }

    /// The quotient by a divisor that leaves no remainder.
    fn quotient(&self, divisor: &Self) -> Self {
        let lead = divisor.0.last().expect("division by the zero polynomial");
        let shift = divisor.degree();
        let mut rest = self.0.clone();
        let mut quotient = vec![BigInt::zero(); self.0.len().saturating_sub(shift)];
        for i in (0..quotient.len()).rev() {
            let factor = &rest[i + shift] / lead;
            for (j, c) in divisor.0.iter().enumerate() {
                rest[i + j] -= c * &factor;
            }
            quotient[i] = factor;
        }
        Self::primitive(quotient)
    }

    /// The polynomial with the same roots, each of them once.
    #[must_use]
    pub fn square_free(&self) -> Self {
        if self.degree() < 2 {
            return self.clone();
        }
        let (mut a, mut b) = (self.clone(), self.derivative());
        while !b.is_zero() {
            let remainder = a.remainder(&b);
            (a, b) = (b, remainder);
        }
        self.quotient(&a)
    }

    /// The Sturm sequence p, p′, −rem(p, p′), …
    #[must_use]
    pub(super) fn sturm(&self) -> Vec<Self> {
        let mut sequence = vec![self.clone(), self.derivative()];
        loop {
            let [.., a, b] = sequence.as_slice() else { unreachable!("two at the least") };
            if b.is_zero() {
                sequence.pop();
                return sequence;
            }
            let next = a.remainder(b).negated();
            sequence.push(next);
        }
    }

    /// A power of two beyond the absolute value of every root (after Cauchy).
    #[must_use]
    pub(super) fn root_bound(&self) -> Rational {
        let lead = self.0.last().map_or(0, BigInt::bits);
        Rational::from_integer(BigInt::one() << (self.bits() + 2 - lead))
    }
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
