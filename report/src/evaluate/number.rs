//! Exact numbers in other precisions.

use gaussform_symbolic::Knot;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use puremp::FixedFloat;

use super::Real;

/// Bits in which a polynomial in knots is computed before it is rounded.
const BITS: u64 = 128;

/// A place that is a number.
pub(crate) fn place<T: Real>(knot: &Knot, bits: u64) -> Option<T> {
    let (lower, _) = knot.enclosure(u32::try_from(bits + 64).ok()?)?;
    Some(T::from_rational(&lower, bits))
}

/// A polynomial in irrational knots as a number.
pub(crate) fn constant(polynomial: &Polynomial) -> Option<f64> {
    let mut sum = <FixedFloat as Real>::from_f64(0.0, BITS);
    for (monomial, coefficient) in polynomial.terms() {
        let mut term = FixedFloat::from_rational(coefficient, BITS);
        for (symbol, exponent) in monomial.powers() {
            let Symbol::Root(root) = symbol else { return None };
            let root = place(&Knot::Algebraic(root.clone()), BITS)?;
            term = (0..*exponent).fold(term, |term, _| &term * &root);
        }
        sum = &sum + &term;
    }
    Some(sum.with_precision(53).to_f64())
}
