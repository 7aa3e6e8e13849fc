//! Polynomials in powers of the distance from a place.

use num_bigint::BigInt;
use num_traits::One;

use super::{Monomial, Polynomial, Symbol};
use crate::exact::{self, Rational, common_denominator, integer};

impl Polynomial {
    /// The coefficients d₀, d₁, … of the expansion in powers of (`symbol` − `centre`).
    #[must_use]
    pub fn taylor(&self, symbol: &Symbol, centre: &Self) -> Vec<Self> {
        if let Some(coefficients) = self.univariate_coefficients(symbol) {
            if let Some(place) = centre.as_constant() {
                return around_number(&coefficients, &place);
            }
            if let Some(root) = as_root(centre) {
                return around_root(&coefficients, &root);
            }
        }
        // Horner's scheme, repeated: each round leaves one more coefficient of the expansion.
        let mut rest = self.coefficients(symbol);
        for start in 0..rest.len() {
            for i in (start..rest.len() - 1).rev() {
                rest[i] = &rest[i] + &(&rest[i + 1] * centre);
            }
        }
        rest
    }
}

/// An irrational knot, if the polynomial is that alone.
fn as_root(polynomial: &Polynomial) -> Option<Symbol> {
    let (monomial, factor) = polynomial.0.iter().next().filter(|_| polynomial.len() == 1)?;
    match &monomial.0[..] {
        [(symbol @ Symbol::Root(_), 1)] if factor.is_one() => Some(symbol.clone()),
        _ => None,
    }
}

/// Around n/d: with the integers c of the coefficients c/D, those of Dd^N p(v/d) are shifted by n.
fn around_number(coefficients: &[Rational], place: &Rational) -> Vec<Polynomial> {
    let common = common_denominator(coefficients.iter());
    let mut power = BigInt::one();
    let mut shifted: Vec<BigInt> = Vec::with_capacity(coefficients.len());
    let mut powers = Vec::with_capacity(coefficients.len());
    for c in coefficients.iter().rev() {
        shifted.push(c.numer() * (&common / c.denom()) * &power);
        powers.push(power.clone());
        power *= place.denom();
    }
    shifted.reverse();
    for start in 0..shifted.len() {
        for i in (start..shifted.len() - 1).rev() {
            let step = &shifted[i + 1] * place.numer();
            shifted[i] += step;
        }
    }
    let below = powers.into_iter().rev().map(|power| power * &common);
    let values = shifted.into_iter().zip(below).map(|(c, below)| exact::reduced(c, below));
    values.map(Polynomial::constant).collect()
}

/// Around an irrational knot: dⱼ = Σₖ C(k, j) cₖ tᵏ⁻ʲ.
fn around_root(coefficients: &[Rational], root: &Symbol) -> Vec<Polynomial> {
    let mut scaled = coefficients.to_vec();
    let mut expansion = Vec::with_capacity(coefficients.len());
    for j in 0..coefficients.len() {
        let powers = (0_i32..).zip(&scaled[j..]).filter(|(_, c)| **c != Rational::default());
        let terms = powers.map(|(k, c)| (Monomial::power_of(root.clone(), k), c.clone()));
        expansion.push(Polynomial(terms.collect()).reduced());
        // C(k, j + 1) = C(k, j) (k − j)/(j + 1)
        for (k, c) in scaled.iter_mut().enumerate().skip(j + 1) {
            let whole = |n: usize| integer(i64::try_from(n).expect("a small degree"));
            *c = exact::product(c, &(whole(k - j) / whole(j + 1)));
        }
    }
    expansion
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::ratio;
    use crate::polynomial::{Root, real_roots};

    fn recombined(expansion: &[Polynomial], centre: &Polynomial) -> Polynomial {
        let shifted = &Polynomial::symbol(Symbol::Variable) - centre;
        expansion.iter().rev().fold(Polynomial::zero(), |sum, c| &(&sum * &shifted) + c)
    }

    #[test]
    fn expansions_recombine() {
        let x = Polynomial::symbol(Symbol::Variable);
        let p = &(&x.pow(9).scale(&ratio(3, 4)) - &x.pow(3).scale(&ratio(5, 2))) + &x;
        let two = &x.pow(2) - &Polynomial::constant(integer(2));
        let two = two.univariate(&Symbol::Variable).expect("of u alone");
        let roots = real_roots(&two, 1_000).expect("little work");
        let root = roots.into_iter().find_map(|(root, _)| match root {
            Root::Algebraic(root) => Some(Polynomial::symbol(Symbol::Root(root))),
            Root::Rational(_) => None,
        });
        let moving = Polynomial::symbol(Symbol::Parameter("a".into()));
        for centre in
            [Polynomial::zero(), Polynomial::constant(ratio(-2, 3)), root.expect("√2"), moving]
        {
            let expansion = p.taylor(&Symbol::Variable, &centre);
            assert_eq!(expansion.len(), 10);
            assert_eq!(recombined(&expansion, &centre), p, "around {centre:?}");
        }
        assert!(Polynomial::zero().taylor(&Symbol::Variable, &x.pow(0)).is_empty());
    }
}
