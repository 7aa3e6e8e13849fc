//! Irrational knots of degree two, written with square roots.

use num_bigint::BigInt;
use num_traits::{One, Zero};

use crate::exact::{Rational, integer};
use crate::polynomial::{Algebraic, Polynomial, Symbol, Univariate};

/// Square factors of a radicand are looked for up to this number.
const SQUARES: u32 = 1_000;

/// The polynomial with every knot (−b ± √d)/(2a) written by the square root of a number.
pub(super) fn simplified(polynomial: &Polynomial) -> Polynomial {
    polynomial.symbols().into_iter().fold(polynomial.clone(), |result, symbol| match &symbol {
        Symbol::Root(root) if radicand(root).is_none() => match by_square_root(root) {
            Some(value) => result.substitute(&symbol, &value),
            None => result,
        },
        _ => result,
    })
}

/// r, if the number is √r for a rational r.
pub(super) fn radicand(root: &Algebraic) -> Option<Rational> {
    match root.minimal().coefficients() {
        // The larger of the two roots: −√r is written as √r with a sign.
        [constant, linear, lead] if linear.is_zero() && root.index() == 1 && lead.is_one() => {
            Some(Rational::from_integer(-constant))
        }
        _ => None,
    }
}

/// Whether a number is written with a square root.
pub(super) fn is_quadratic(root: &Algebraic) -> bool {
    root.minimal().degree() == 2
}

fn by_square_root(root: &Algebraic) -> Option<Polynomial> {
    let [c, b, a] = root.minimal().coefficients() else { return None };
    let (factor, rest) = square_part(b * b - BigInt::from(4) * a * c);
    let minimal = [Rational::from_integer(-rest), integer(0), integer(1)];
    let square_root = Algebraic::roots_of(&Univariate::new(&minimal)).pop()?;
    let below = Rational::from_integer(BigInt::from(2) * a);
    // The leading coefficient is positive, so the larger root has the plus sign.
    let sign = integer(if root.index() == 1 { 1 } else { -1 });
    let slope = sign * Rational::from_integer(factor) / &below;
    let centre = Polynomial::constant(Rational::from_integer(-b) / below);
    Some(&centre + &Polynomial::symbol(Symbol::Root(square_root)).scale(&slope))
}

/// n = s² r, with the square factors of r beyond reach left in it.
fn square_part(mut n: BigInt) -> (BigInt, BigInt) {
    let mut factor = BigInt::one();
    for p in 2..=SQUARES {
        let square = BigInt::from(p * p);
        while (&n % &square).is_zero() {
            n /= &square;
            factor *= p;
        }
    }
    (factor, n)
}
