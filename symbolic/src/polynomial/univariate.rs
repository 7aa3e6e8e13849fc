//! Dense polynomials in one variable over the rationals: division, gcd, Sturm sequences.

use num_traits::{One, Signed, Zero};

use crate::exact::{Rational, integer};

/// A polynomial in one variable, constant coefficient first, the last coefficient not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Univariate(Vec<Rational>);

impl Univariate {
    /// From coefficients, constant first.
    #[must_use]
    pub fn new(mut coefficients: Vec<Rational>) -> Self {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    /// The coefficients, constant first; empty for the polynomial 0.
    #[must_use]
    pub fn coefficients(&self) -> &[Rational] {
        &self.0
    }

    /// Whether this is the polynomial 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value at `x`.
    #[must_use]
    pub fn evaluate(&self, x: &Rational) -> Rational {
        self.0.iter().rev().fold(Rational::zero(), |sum, c| sum * x + c)
    }

    /// −1, 0 or 1: the sign of the value at `x`.
    #[must_use]
    pub fn sign_at(&self, x: &Rational) -> i8 {
        sign(&self.evaluate(x))
    }

    /// The derivative.
    #[must_use]
    pub fn derivative(&self) -> Self {
        Self::new((1..).zip(self.0.iter().skip(1)).map(|(k, c): (i64, _)| c * integer(k)).collect())
    }

    /// Scaled so that the leading coefficient is ±1, its sign kept.
    fn normalised(mut self) -> Self {
        if let Some(lead) = self.0.last().map(Signed::abs) {
            for c in &mut self.0 {
                *c /= &lead;
            }
        }
        self
    }

    /// Quotient and remainder.
    fn divide(&self, divisor: &Self) -> (Self, Self) {
        let lead = divisor.0.last().expect("division by the zero polynomial");
        let shift = divisor.0.len() - 1;
        let mut rest = self.0.clone();
        let mut quotient = vec![Rational::zero(); self.0.len().saturating_sub(shift)];
        for i in (0..quotient.len()).rev() {
            let factor = &rest[i + shift] / lead;
            for (j, c) in divisor.0.iter().enumerate() {
                rest[i + j] -= c * &factor;
            }
            quotient[i] = factor;
        }
        (Self::new(quotient), Self::new(rest))
    }

    fn gcd(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let remainder = a.divide(&b).1.normalised();
            (a, b) = (b, remainder);
        }
        a
    }

    /// The polynomial with the same roots, each of them once.
    #[must_use]
    pub fn square_free(&self) -> Self {
        if self.0.len() < 3 {
            return self.clone();
        }
        self.divide(&self.gcd(&self.derivative())).0
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
            let mut next = a.divide(b).1.normalised();
            for c in &mut next.0 {
                *c = -&*c;
            }
            sequence.push(next);
        }
    }

    /// Every real root lies strictly between −bound and bound (Cauchy).
    #[must_use]
    pub(super) fn root_bound(&self) -> Rational {
        let Some((lead, rest)) = self.0.split_last() else { return Rational::one() };
        let largest = rest.iter().map(|c| (c / lead).abs()).max().unwrap_or_else(Rational::zero);
        largest + integer(1)
    }
}

/// −1, 0 or 1.
pub(crate) fn sign(value: &Rational) -> i8 {
    if value.is_zero() {
        0
    } else if value.is_negative() {
        -1
    } else {
        1
    }
}
