//! Proofs of positivity: the polynomial as a sum of products of assumptions and of squares.
//!
//! With cⱼ ≥ 0, a polynomial Σ cⱼ Πⱼ is not negative where no Πⱼ is; and it is positive if a
//! product of strict assumptions only (the empty product 1 among them) has a positive weight.
//! To match all coefficients is a linear program in the weights.

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{Signed, Zero};

use super::{Assumption, Bound, simplex};
use crate::exact::Rational;
use crate::polynomial::{Monomial, Polynomial};

/// How many products are tried; if there are more, some of the factors are left out.
const PRODUCTS: usize = 160;
/// How many products are tried whose degree is higher than that of the polynomial.
const HIGHER: usize = 64;

/// Something that is not negative, or is positive if strict.
#[derive(Clone)]
struct Product {
    polynomial: Polynomial,
    strict: bool,
    degree: i32,
}

impl Product {
    fn new(polynomial: Polynomial, strict: bool) -> Self {
        Self { degree: total_degree(&polynomial), polynomial, strict }
    }

    fn times(&self, other: &Self) -> Self {
        Self {
            polynomial: &self.polynomial * &other.polynomial,
            strict: self.strict && other.strict,
            degree: self.degree + other.degree,
        }
    }
}

/// The best lower bound of `value` that a sum of products of the assumptions proves; none if no sum is found.
pub(super) fn bound(value: &Polynomial, given: &[&Assumption]) -> Option<Bound> {
    let degree = total_degree(value).max(1);
    let linear = degree == 1 && given.iter().all(|a| total_degree(&a.polynomial) <= 1);
    let squares = squares(value, given);
    let few = products(given, &squares, degree, PRODUCTS);
    // If the products are too many, redundant assumptions are left out first, then the squares.
    let found = few.map_or_else(
        || {
            let given = irredundant(given);
            let few = products(&given, &squares, degree, PRODUCTS);
            search(value, &few.or_else(|| products(&given, &[], degree, PRODUCTS))?)
        },
        |few| search(value, &few),
    );
    // By Farkas' lemma nothing is gained by products if all is linear.
    if found == Some(Bound::Positive) || linear {
        return found;
    }
    let higher = products(given, &squares, degree + 1, HIGHER);
    found.max(higher.and_then(|products| search(value, &products)))
}

/// The best lower bound of `value` that a sum of the linear assumptions proves; none if no sum is found.
pub(super) fn linear_bound(value: &Polynomial, given: &[&Assumption]) -> Option<Bound> {
    search(value, &products(given, &[], 1, PRODUCTS)?)
}

/// The assumptions without those that are sums of others: nothing is lost by that, as the
/// products of a sum are sums of products.
fn irredundant<'a>(given: &[&'a Assumption]) -> Vec<&'a Assumption> {
    let mut kept = given.to_vec();
    for assumption in given {
        let others: Vec<_> = kept.iter().copied().filter(|a| a != assumption).collect();
        let needed = if assumption.strict { Bound::Positive } else { Bound::Nonnegative };
        if linear_bound(&assumption.polynomial, &others) >= Some(needed) {
            kept = others;
        }
    }
    kept
}

/// The best lower bound of `value` that a sum of these products with weights ≥ 0 proves, by linear programming.
fn search(value: &Polynomial, products: &[Product]) -> Option<Bound> {
    let mut rows: BTreeMap<&Monomial, Vec<Rational>> = BTreeMap::new();
    let zeros = vec![Rational::zero(); products.len() + 1];
    let columns = products.iter().map(|p| &p.polynomial).chain([value]);
    for (column, polynomial) in columns.enumerate() {
        for (monomial, coefficient) in polynomial.terms() {
            rows.entry(monomial).or_insert_with(|| zeros.clone())[column] = coefficient.clone();
        }
    }
    let mut rows: Vec<_> = rows.into_values().collect();
    let kept = reduce(&mut rows)?;
    let strict: Vec<bool> = kept.iter().map(|j| products[*j].strict).collect();
    simplex::bound(rows, &strict)
}

/// All products up to a degree, the simplest first; none if they are too many.
fn products(
    given: &[&Assumption],
    squares: &[Product],
    degree: i32,
    limit: usize,
) -> Option<Vec<Product>> {
    let given = given.iter().map(|a| Product::new(a.polynomial.clone(), a.strict));
    let factors: Vec<_> = given.chain(squares.iter().cloned()).collect();
    let mut products = vec![Product::new(Polynomial::one(), true)];
    for factor in factors.iter().filter(|f| f.degree > 0) {
        let mut next = 0;
        // The list grows behind `next`: so the powers of the factor are reached too.
        while next < products.len() {
            if products[next].degree + factor.degree <= degree {
                products.push(products[next].times(factor));
            }
            if products.len() > limit {
                return None;
            }
            next += 1;
        }
    }
    Some(products)
}

/// The squares of the parameters, of their sums and of their differences.
fn squares(value: &Polynomial, given: &[&Assumption]) -> Vec<Product> {
    let all = given.iter().map(|a| &a.polynomial).chain([value]);
    let symbols: BTreeSet<_> = all.flat_map(Polynomial::symbols).collect();
    let symbols: Vec<_> = symbols.into_iter().map(Polynomial::symbol).collect();
    let mut roots = symbols.clone();
    for (i, a) in symbols.iter().enumerate() {
        roots.extend(symbols[..i].iter().flat_map(|b| [a - b, a + b]));
    }
    roots.iter().map(|root| Product::new(root.pow(2), false)).collect()
}

/// Drops the columns whose weight must be zero and the rows that say nothing, and tells which
/// columns are left; `None` if no weights can solve the equations.
///
/// In a row that sums to zero and whose entries agree in sign all entries have weight zero.
fn reduce(rows: &mut [Vec<Rational>]) -> Option<Vec<usize>> {
    let width = rows.first().map_or(0, |row| row.len() - 1);
    let mut live = vec![true; width];
    // A column that is dropped may leave another row with entries of one sign.
    loop {
        let before = live.clone();
        for row in rows.iter() {
            let entries = || (0..width).filter(|j| before[*j] && !row[*j].is_zero());
            let (target, up) = (&row[width], entries().any(|j| row[j].is_positive()));
            let down = entries().any(|j| row[j].is_negative());
            if target.is_positive() && !up || target.is_negative() && !down {
                return None;
            }
            if target.is_zero() && up != down {
                entries().for_each(|j| live[j] = false);
            }
        }
        if live == before {
            break;
        }
    }
    let kept: Vec<usize> = (0..width).filter(|j| live[*j]).collect();
    for row in rows {
        *row = kept.iter().chain([&width]).map(|j| row[*j].clone()).collect();
    }
    Some(kept)
}

fn total_degree(polynomial: &Polynomial) -> i32 {
    let degree = |monomial: &Monomial| monomial.powers().iter().map(|(_, e)| e).sum();
    polynomial.terms().map(|(monomial, _)| degree(monomial)).max().unwrap_or(0)
}
