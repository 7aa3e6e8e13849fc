//! Products of polynomials with few greatest common divisors: both factors are brought to a common denominator, the
//! numerators are multiplied as integers, and each coefficient of the product is reduced once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{Monomial, Polynomial, Symbol, accumulate};
use crate::exact::{self, Rational, common_denominator};

/// A common denominator of so many times the bits of the longest one is too long: then each product of two terms is
/// reduced by itself.
const LONG: u64 = 4;

/// The product, with powers of knots and quotients that may have to be reduced.
pub(super) fn expanded(left: &Polynomial, right: &Polynomial) -> Polynomial {
    let (short, long) = if left.len() < right.len() { (left, right) } else { (right, left) };
    if short.is_zero() {
        return Polynomial::zero();
    }
    if let (1, Some((monomial, factor))) = (short.len(), short.0.iter().next()) {
        return times_term(long, monomial, factor);
    }
    let Some([first, second]) = Integers::of(short).zip(Integers::of(long)).map(<[_; 2]>::from)
    else {
        return term_by_term(short, long);
    };
    let below = &first.below * &second.below;
    if let Some(symbol) = only_symbol(short) {
        return in_one_symbol(&first.dense(short, &symbol), long, &second.above, &symbol, &below);
    }
    let mut product: BTreeMap<Monomial, BigInt> = BTreeMap::new();
    for (m, c) in short.0.keys().zip(&first.above) {
        for (n, d) in long.0.keys().zip(&second.above) {
            match product.entry(m.times(n)) {
                Entry::Vacant(entry) => drop(entry.insert(c * d)),
                Entry::Occupied(mut entry) => *entry.get_mut() += c * d,
            }
        }
    }
    let terms = product.into_iter().filter(|(_, c)| !c.is_zero());
    Polynomial(terms.map(|(m, c)| (m, exact::reduced(c, below.clone()))).collect())
}

/// The product of a polynomial in one symbol and another one, whose terms are taken together if they differ in that
/// symbol alone. Powers of a knot are reduced while they are integers.
fn in_one_symbol(
    short: &[BigInt],
    long: &Polynomial,
    above: &[BigInt],
    symbol: &Symbol,
    below: &BigInt,
) -> Polynomial {
    // Exponents of ξ² may be negative, but places in a vector may not.
    let lowest = long.lowest(symbol).min(0);
    let mut groups: BTreeMap<Monomial, Vec<BigInt>> = BTreeMap::new();
    for (monomial, value) in long.0.keys().zip(above) {
        let place = usize::try_from(monomial.exponent(symbol) - lowest).unwrap_or(0);
        let dense = groups.entry(monomial.without(symbol)).or_default();
        if dense.len() <= place {
            dense.resize(place + 1, BigInt::zero());
        }
        dense[place].clone_from(value);
    }
    let mut terms = BTreeMap::new();
    for (rest, dense) in groups {
        let product = convolved(short, &dense);
        let (product, below) = match symbol {
            Symbol::Root(root) if lowest == 0 => {
                let (product, scale) = root.minimal().integer_remainder(product);
                (product, below * scale)
            }
            _ => (product, below.clone()),
        };
        for (k, c) in (lowest..).zip(product).filter(|(_, c)| !c.is_zero()) {
            let power = Monomial::power_of(symbol.clone(), k);
            // Groups differ in the other symbols, so no term comes twice.
            terms.insert(rest.times(&power), exact::reduced(c, below.clone()));
        }
    }
    Polynomial(terms)
}

/// Multiplied by one term.
fn times_term(polynomial: &Polynomial, monomial: &Monomial, factor: &Rational) -> Polynomial {
    let is_number = *monomial == Monomial::default();
    let is_one = factor.is_one();
    // Different monomials stay different, so no terms have to be collected.
    let term = |(m, c): (&Monomial, &Rational)| {
        let power = if is_number { m.clone() } else { m.times(monomial) };
        (power, if is_one { c.clone() } else { exact::product(c, factor) })
    };
    Polynomial(polynomial.0.iter().map(term).collect())
}

fn term_by_term(left: &Polynomial, right: &Polynomial) -> Polynomial {
    let mut product = BTreeMap::new();
    for (m, c) in &left.0 {
        for (n, d) in &right.0 {
            accumulate(&mut product, m.times(n), exact::product(c, d));
        }
    }
    Polynomial(product)
}

/// The coefficients of a polynomial over a common denominator.
struct Integers {
    above: Vec<BigInt>,
    below: BigInt,
}

impl Integers {
    /// `None` if that is much longer than the denominators are.
    fn of(polynomial: &Polynomial) -> Option<Self> {
        let values = || polynomial.0.values();
        let below = common_denominator(values());
        let longest = values().map(|c| c.denom().bits()).max().unwrap_or(0);
        if below.bits() > LONG * longest.max(64) {
            return None;
        }
        let above = match below.is_one() {
            true => values().map(|c| c.numer().clone()).collect(),
            false => values().map(|c| c.numer() * (&below / c.denom())).collect(),
        };
        Some(Self { above, below })
    }

    /// All coefficients in powers of the only symbol.
    fn dense(&self, polynomial: &Polynomial, symbol: &Symbol) -> Vec<BigInt> {
        let length = usize::try_from(polynomial.degree(symbol)).unwrap_or(0) + 1;
        let mut dense = vec![BigInt::zero(); length];
        for (monomial, value) in polynomial.0.keys().zip(&self.above) {
            let power = usize::try_from(monomial.exponent(symbol)).unwrap_or(0);
            dense[power].clone_from(value);
        }
        dense
    }
}

/// The symbol that a polynomial is in, if there is no other in it.
fn only_symbol(polynomial: &Polynomial) -> Option<Symbol> {
    let mut found: Option<&Symbol> = None;
    for monomial in polynomial.0.keys() {
        match &monomial.0[..] {
            [] => {}
            // A dense vector has no place for a negative power.
            [(symbol, exponent)] if *exponent > 0 && found.is_none_or(|known| known == symbol) => {
                found = Some(symbol);
            }
            _ => return None,
        }
    }
    found.cloned()
}

/// The coefficients of the product, constant first.
fn convolved(left: &[BigInt], right: &[BigInt]) -> Vec<BigInt> {
    let mut product = vec![BigInt::zero(); left.len() + right.len() - 1];
    for (i, a) in left.iter().enumerate().filter(|(_, a)| !a.is_zero()) {
        for (sum, b) in product[i..].iter_mut().zip(right) {
            if !b.is_zero() {
                *sum += a * b;
            }
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{integer, ratio};

    /// A polynomial in some symbols with so many terms.
    fn random(state: &mut u64, symbols: &[Symbol], terms: usize, below: i64) -> Polynomial {
        let mut next = |range: i64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i64::try_from(*state >> 33).expect("31 bits") % range
        };
        (0..terms).fold(Polynomial::zero(), |sum, _| {
            let value = ratio(next(19) - 9, next(below) + 1);
            let term = symbols.iter().fold(Polynomial::constant(value), |term, symbol| {
                term.shift(symbol, i32::try_from(next(4)).expect("small"))
            });
            &sum + &term
        })
    }

    #[test]
    fn products_are_those_of_the_terms() {
        let mut state = 3;
        let one = [Symbol::Variable];
        let several = [Symbol::Variable, Symbol::Gamma, Symbol::Xi2];
        for symbols in [&one[..], &several] {
            // Denominators of 31 bits have a long common multiple.
            for below in [1, 12, i64::from(i32::MAX)] {
                for terms in [0, 1, 2, 7, 40] {
                    let p = random(&mut state, symbols, terms, below);
                    let q = random(&mut state, symbols, 9, below);
                    let expected = term_by_term(&p, &q);
                    assert_eq!(expanded(&p, &q), expected);
                    assert_eq!(expanded(&q, &p), expected);
                }
            }
        }
    }

    #[test]
    fn negative_powers_multiply() {
        let p = &Polynomial::power(Symbol::Xi2, -2) + &Polynomial::power(Symbol::Xi2, 1);
        let product = &Polynomial::power(Symbol::Xi2, -4) + &Polynomial::power(Symbol::Xi2, 2);
        let mixed = Polynomial::power(Symbol::Xi2, -1).scale(&integer(2));
        assert_eq!(expanded(&p, &p), &product + &mixed);
    }
}
