//! Rational numbers next to the values of polynomials in irrational knots.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::{Polynomial, Symbol};
use crate::exact::{self, Rational, common_denominator};

/// The bits after the point of what stands for an irrational number, to begin with.
const FEWEST: u32 = 300;
/// More than this many are never taken.
const MOST: u32 = 1 << 14;

impl Polynomial {
    /// A rational number so near to the value of a polynomial in irrational knots that about `bits` of its bits are
    /// right; the value itself if it is rational, and 0 only for 0. `None` if other symbols occur.
    ///
    /// Such a polynomial is reduced modulo the minimal polynomials, so that it is 0 only if it looks like 0.
    #[must_use]
    pub fn approximate(&self, bits: u32) -> Option<Rational> {
        if let Some(value) = self.as_constant() {
            return Some(value);
        }
        if !self.symbols().iter().all(|symbol| matches!(symbol, Symbol::Root(_))) {
            return None;
        }
        let mut fine = FEWEST.max(bits);
        let mut last = self.with_knots_to(fine);
        // Terms may cancel: then the knots are taken to more bits.
        while fine < MOST {
            fine *= 2;
            let next = self.with_knots_to(fine);
            let distance = (&next - &last).abs() * Rational::from(BigInt::one() << bits);
            // A 0 has no digits to agree: all of them may have cancelled.
            let is_close = !next.is_zero() && distance <= next.abs();
            last = next;
            if is_close {
                break;
            }
        }
        Some(last)
    }

    /// The value where each knot is known to so many bits after the point, rounded to as many bits.
    fn with_knots_to(&self, bits: u32) -> Rational {
        let below = common_denominator(self.0.values());
        let (above, exponent) = self.scale(&Rational::from(below.clone())).dyadic(bits);
        // Every product with a knot makes the number longer, but only about `bits` of it are
        // right.
        let surplus = above.bits().saturating_sub(u64::from(bits));
        let above = above >> surplus;
        match exponent.checked_sub(surplus) {
            Some(exponent) => exact::reduced(above, below << exponent),
            None => exact::reduced(above << (surplus - exponent), below),
        }
    }

    /// The value of a polynomial in knots with integer coefficients as n/2ᵉ, by Horner's rule.
    fn dyadic(&self, bits: u32) -> (BigInt, u64) {
        let Some(symbol @ Symbol::Root(root)) = &self.symbols().into_iter().next() else {
            return (self.as_constant().unwrap_or_default().to_integer(), 0);
        };
        let (lower, upper) = root.enclosure(bits);
        // Twice the middle of both, times 2ᵇⁱᵗˢ: an integer, as the bounds are multiples of 2⁻ᵇⁱᵗˢ.
        let place = ((lower + upper) * Rational::from(BigInt::one() << bits)).to_integer();
        let step = u64::from(bits) + 1;
        let (mut sum, mut exponent) = (BigInt::zero(), 0);
        for coefficient in self.coefficients(symbol).iter().rev() {
            let (value, of_value) = coefficient.dyadic(bits);
            let of_product = exponent + step;
            exponent = of_product.max(of_value);
            sum = ((sum * &place) << (exponent - of_product)) + (value << (exponent - of_value));
        }
        (sum, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{integer, ratio};
    use crate::polynomial::{Root, real_roots};

    /// The largest root of x² − n.
    fn root_of(n: i64) -> Polynomial {
        let square = Polynomial::symbol(Symbol::Variable).pow(2);
        let square = &square - &Polynomial::constant(integer(n));
        let roots = square.univariate(&Symbol::Variable).and_then(|p| real_roots(&p, 1_000));
        match roots.expect("little work").pop() {
            Some((Root::Algebraic(root), _)) => Polynomial::symbol(Symbol::Root(root)),
            _ => unreachable!("{n} is no square"),
        }
    }

    #[test]
    fn values_are_near() {
        let (two, three) = (root_of(2), root_of(3));
        let sum = &(&two * &three).scale(&ratio(3, 7)) - &two.pow(3);
        let value = sum.approximate(200).expect("of knots alone");
        let [a, b] = [&two, &three].map(|p| p.approximate(300).expect("a knot"));
        assert!((&a * &a - integer(2)).abs() < Rational::new(1.into(), BigInt::one() << 290));
        let expected = &a * b * ratio(3, 7) - &a * integer(2);
        assert!((value - expected).abs() < Rational::new(1.into(), BigInt::one() << 200));
        assert_eq!((&two * &two).approximate(10), Some(integer(2)));
        assert_eq!(Polynomial::symbol(Symbol::Gamma).approximate(10), None);
    }

    #[test]
    fn what_cancels_keeps_its_digits() {
        // √(n² + 1) − n is 1/(2n), less a little, for a large n.
        let large = Rational::from(BigInt::one() << 500);
        let square = &large * &large + integer(1);
        let x = Polynomial::symbol(Symbol::Variable);
        let minimal = (&x.pow(2) - &Polynomial::constant(square)).univariate(&Symbol::Variable);
        let roots = minimal.and_then(|p| real_roots(&p, 100_000)).expect("little work");
        let Some((Root::Algebraic(root), _)) = roots.into_iter().last() else {
            unreachable!("it has an irrational root")
        };
        let small = &Polynomial::symbol(Symbol::Root(root)) - &Polynomial::constant(large.clone());
        let value = small.approximate(200).expect("of a knot alone");
        let relative = value * large * integer(2) - integer(1);
        assert!(relative.abs() < Rational::new(1.into(), BigInt::one() << 190), "{relative}");
    }
}
