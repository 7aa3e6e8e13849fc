//! Greatest common divisors and exact division over the integers.

mod methods;
mod nested;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::{Polynomial, Symbol};
use crate::exact::Rational;
use nested::Nested;

/// Scaled to coprime integer coefficients, the last term in canonical order positive. 0 stays 0.
pub(crate) fn primitive(p: &Polynomial) -> Polynomial {
    if p.is_zero() { Polynomial::zero() } else { p.scale(&numeric_content(p).recip()) }
}

/// The greatest common divisor, primitive; gcd(0, p) = primitive(p); 1 for coprime polynomials.
///
/// # Panics
///
/// If an exponent is negative.
pub(crate) fn gcd(a: &Polynomial, b: &Polynomial) -> Polynomial {
    if a.is_zero() || a == b {
        return primitive(b);
    }
    if b.is_zero() {
        return primitive(a);
    }
    if a.as_constant().is_some() || b.as_constant().is_some() {
        return Polynomial::one();
    }
    // Only monomials divide a monomial.
    if a.len() == 1 || b.len() == 1 {
        return common_monomial(a, b);
    }
    let symbols = union(a, b);
    let divisor = Nested::new(&primitive(a), &symbols).gcd(&Nested::new(&primitive(b), &symbols));
    primitive(&divisor.polynomial(&symbols))
}

/// a / b if b divides a.
///
/// # Panics
///
/// If an exponent is negative.
pub(crate) fn quotient(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    if b.is_zero() {
        return None;
    }
    if a.is_zero() {
        return Some(Polynomial::zero());
    }
    if let Some(divisor) = b.as_constant() {
        return Some(a.scale(&divisor.recip()));
    }
    if let [(monomial, coefficient)] = b.0.iter().collect::<Vec<_>>()[..] {
        let below = monomial.inverse();
        // A monomial keeps no exponent 0, so one that divides leaves positive exponents.
        let divisible = a.0.keys().all(|m| m.times(&below).0.iter().all(|(_, e)| *e > 0));
        let terms = a.0.iter().map(|(m, c)| (m.times(&below), c / coefficient));
        return divisible.then(|| Polynomial(terms.collect()));
    }
    // By the lemma of Gauss a quotient of primitive polynomials has integer coefficients.
    let symbols = union(a, b);
    let (content, divisor) = (numeric_content(a), numeric_content(b));
    let p = Nested::new(&a.scale(&content.recip()), &symbols);
    let q = Nested::new(&b.scale(&divisor.recip()), &symbols);
    Some(p.divide(&q)?.polynomial(&symbols).scale(&(content / divisor)))
}

/// The lowest power of each symbol in all terms of both.
fn common_monomial(a: &Polynomial, b: &Polynomial) -> Polynomial {
    union(a, b).into_iter().fold(Polynomial::one(), |product, symbol| {
        let lowest = a.lowest(&symbol).min(b.lowest(&symbol));
        if lowest == 0 { product } else { product.shift(&symbol, lowest) }
    })
}

/// The rational whose quotient is primitive, for a polynomial that is not 0.
fn numeric_content(p: &Polynomial) -> Rational {
    let numerator = p.0.values().fold(BigInt::zero(), |gcd, c| gcd.gcd(c.numer()));
    let denominator = p.0.values().fold(BigInt::one(), |lcm, c| lcm.lcm(c.denom()));
    let content = Rational::new(numerator, denominator);
    if p.0.values().next_back().is_some_and(Signed::is_negative) { -content } else { content }
}

fn union(a: &Polynomial, b: &Polynomial) -> Vec<Symbol> {
    a.symbols().union(&b.symbols()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::methods::by_sequence;
    use super::*;
    use crate::exact::{integer, ratio};

    fn symbol(i: usize) -> Polynomial {
        let name = |name: &str| Symbol::Parameter(name.into());
        Polynomial::symbol([name("a"), name("b"), name("c"), Symbol::Variable][i].clone())
    }

    /// Up to four terms in the first `symbols` symbols, not 0.
    fn polynomial(symbols: usize) -> impl Strategy<Value = Polynomial> {
        let term = (prop::collection::vec(0..3_u32, symbols), -9..=9_i64, 1..=4_i64);
        prop::collection::vec(term, 1..5)
            .prop_map(|terms| {
                terms.iter().fold(Polynomial::zero(), |sum, (exponents, n, d)| {
                    let constant = Polynomial::constant(ratio(*n, *d));
                    let powers = exponents.iter().enumerate().map(|(i, e)| symbol(i).pow(*e));
                    &sum + &powers.fold(constant, |product, power| &product * &power)
                })
            })
            .prop_filter("0 divides nothing", |p| !p.is_zero())
    }

    fn three() -> impl Strategy<Value = (Polynomial, Polynomial, Polynomial)> {
        (1..=4_usize).prop_flat_map(|n| (polynomial(n), polynomial(n), polynomial(n)))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::with_cases(96)
        })]

        #[test]
        fn the_common_factor_is_found((f, g, h) in three()) {
            let (a, b) = (&f * &g, &f * &h);
            let divisor = gcd(&a, &b);
            prop_assert!(quotient(&divisor, &f).is_some());
            let (p, q) = (quotient(&a, &divisor).unwrap(), quotient(&b, &divisor).unwrap());
            prop_assert_eq!(&p * &divisor, a.clone());
            prop_assert_eq!(gcd(&p, &q), Polynomial::one());
            let symbols = union(&a, &b);
            let nested = |p| Nested::new(&primitive(p), &symbols);
            if let (Nested::Powers(level, m), Nested::Powers(same, n)) = (nested(&a), nested(&b))
                && level == same
            {
                let by_sequence = by_sequence(level, &m, &n).polynomial(&symbols);
                prop_assert_eq!(primitive(&by_sequence), divisor.clone());
            }
            prop_assert_eq!(&primitive(&divisor), &divisor);
            prop_assert_eq!(quotient(&(&f * &g), &g), Some(f));
        }
    }

    #[test]
    fn known_divisors() {
        let [a, b, c, x] = [0, 1, 2, 3].map(symbol);
        let one = Polynomial::one();
        let (sum, difference) = (&a + &b, &a - &b);
        assert_eq!(gcd(&(&a.pow(2) - &b.pow(2)), &sum.pow(2)), primitive(&sum));
        assert_eq!(gcd(&sum, &difference), one);
        assert_eq!(gcd(&a, &b), one);
        assert_eq!(gcd(&(&a * &x), &(&a * &c)), a);
        assert_eq!(gcd(&a.pow(2).scale(&integer(4)), &a.scale(&integer(6))), a);
        let (p, q) = (&(&x.pow(2) * &a) + &b, &(&x * &c) - &one);
        assert_eq!(gcd(&p, &q), one);
        assert_eq!(gcd(&(&p * &q), &(&q * &sum)), primitive(&q));
        assert_eq!(gcd(&Polynomial::zero(), &p.scale(&ratio(-2, 3))), primitive(&p));
        assert_eq!(gcd(&Polynomial::zero(), &Polynomial::zero()), Polynomial::zero());
    }

    #[test]
    fn primitive_polynomials_are_normal() {
        let (a, x) = (symbol(0), symbol(3));
        let p = &x.scale(&ratio(-4, 3)) + &a.scale(&integer(2));
        assert_eq!(primitive(&p), &x.scale(&integer(2)) - &a.scale(&integer(3)));
    }

    #[test]
    fn quotients_are_exact_or_none() {
        let [a, b, _, x] = [0, 1, 2, 3].map(symbol);
        let p = &(&x - &a) * &(&x + &b);
        assert_eq!(quotient(&p, &(&x - &a)), Some(&x + &b));
        assert_eq!(quotient(&p, &(&x + &a)), None);
        assert_eq!(quotient(&x, &p), None);
        assert_eq!(quotient(&x, &Polynomial::zero()), None);
        assert_eq!(quotient(&Polynomial::zero(), &x), Some(Polynomial::zero()));
        assert_eq!(quotient(&x, &Polynomial::constant(ratio(2, 3))), Some(x.scale(&ratio(3, 2))));
    }
}
