//! The factors of a polynomial that are linear in a symbol: its roots that are quotients of
//! polynomials in the other symbols.

use std::collections::BTreeSet;

use num_traits::One;

use super::gcd::{gcd, primitive, quotient};
use super::{BUDGET, Monomial, Polynomial, Root, Symbol, Univariate, real_roots};
use crate::exact::{Rational, integer};

/// A root N/D: D·symbol − N is a factor. N and D are coprime polynomials in the other symbols,
/// and D is primitive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinearFactor {
    /// D.
    pub(crate) denominator: Polynomial,
    /// N.
    pub(crate) numerator: Polynomial,
    /// How often the factor occurs.
    pub(crate) multiplicity: u32,
}

impl LinearFactor {
    /// D·symbol − N.
    pub(crate) fn polynomial(&self, symbol: &Symbol) -> Polynomial {
        &self.denominator.shift(symbol, 1) - &self.numerator
    }
}

/// Splits off the factors linear in `symbol`: p = content · Π (D·symbol − N)ᵐ · rest.
///
/// `symbol` does not occur in the content. The rest is primitive, without a content of its own;
/// a factor that takes too long to find stays in it. The factors ascend. The polynomial 0 is its
/// own content.
///
/// # Panics
///
/// If an exponent is negative.
pub(crate) fn linear_factors(
    p: &Polynomial,
    symbol: &Symbol,
) -> (Polynomial, Vec<LinearFactor>, Polynomial) {
    if p.is_zero() {
        return (Polynomial::zero(), Vec::new(), Polynomial::one());
    }
    let (mut factors, mut rest) = (Vec::new(), Polynomial::one());
    for (multiplicity, distinct) in square_free(&exact(p, &content(p, symbol)), symbol) {
        for mut part in by_occurrence(distinct, symbol) {
            for (numerator, denominator) in candidates(&part, symbol) {
                let factor = LinearFactor { denominator, numerator, multiplicity };
                if let Some(smaller) = quotient(&part, &factor.polynomial(symbol)) {
                    part = smaller;
                    factors.push(factor);
                }
            }
            rest = &rest * &part.pow(multiplicity);
        }
    }
    factors.sort();
    let rest = primitive(&rest);
    // The content is divided out of p itself, so that it has the numbers that `primitive` drops.
    let divisor = factors
        .iter()
        .fold(rest.clone(), |product, f| &product * &f.polynomial(symbol).pow(f.multiplicity));
    (exact(p, &divisor), factors, rest)
}

fn exact(a: &Polynomial, b: &Polynomial) -> Polynomial {
    quotient(a, b).expect("a divisor")
}

/// The greatest common divisor of the coefficients of the powers of `symbol`.
fn content(p: &Polynomial, symbol: &Symbol) -> Polynomial {
    p.by_powers(symbol).values().fold(Polynomial::zero(), |divisor, c| gcd(&divisor, c))
}

/// Divisors of `p` with the product `p` up to a number, told apart by the symbols that occur in
/// their factors: what is free of a symbol divides every coefficient of its powers.
fn by_occurrence(p: Polynomial, symbol: &Symbol) -> Vec<Polynomial> {
    let mut parts = vec![p.clone()];
    for other in p.symbols().iter().filter(|s| *s != symbol) {
        let split = |part: Polynomial| {
            let free = content(&part, other);
            [exact(&part, &free), free]
        };
        let split = parts.into_iter().flat_map(split);
        // What does not contain `symbol` has no root in it.
        parts = split.filter(|part| part.degree(symbol) != 0).collect();
    }
    parts
}

/// Polynomials without multiple roots in `symbol` or common ones, with the multiplicities of
/// their roots in `p`, which has no content in the other symbols (after Musser).
fn square_free(p: &Polynomial, symbol: &Symbol) -> Vec<(u32, Polynomial)> {
    let mut parts = Vec::new();
    let mut repeated = gcd(p, &p.derivative(symbol));
    let mut distinct = exact(p, &repeated);
    for multiplicity in 1.. {
        if distinct.degree(symbol) == 0 {
            break;
        }
        let further = gcd(&distinct, &repeated);
        repeated = exact(&repeated, &further);
        let part = exact(&distinct, &further);
        if part.degree(symbol) != 0 {
            parts.push((multiplicity, part));
        }
        distinct = further;
    }
    parts
}

/// Numerators and denominators among which are all the rational roots of a square-free `p`.
fn candidates(p: &Polynomial, symbol: &Symbol) -> Vec<(Polynomial, Polynomial)> {
    let coefficients = p.coefficients(symbol);
    let lead = coefficients.last().expect("not the polynomial 0");
    let reduced = |root: Polynomial| {
        let common = gcd(&root, lead);
        let (numerator, denominator) = (exact(&root, &common), exact(lead, &common));
        // Primitive, so that a root has one denominator; the numerator takes the number.
        let normal = primitive(&denominator);
        let scale = exact(&normal, &denominator).as_constant().expect("a multiple");
        (numerator.scale(&scale), normal)
    };
    multiples(&coefficients).into_iter().map(reduced).collect()
}

/// Points at which the roots are tried before all are left alone.
const ATTEMPTS: i64 = 32;
/// Points with distinct roots that are compared; the fewest rational roots there win.
const COMPARED: usize = 3;

/// The terms of a series beyond which the roots are left alone: the time grows with the square.
const MAX_TERMS: i64 = 150;

/// Polynomials among which are all the rational roots, times the leading coefficient, of a
/// square-free polynomial, given by its coefficients, constant first.
///
/// These multiples are polynomials, because they are the roots of a monic polynomial. They come
/// from the rational roots at a point, lifted to power series around it.
fn multiples(coefficients: &[Polynomial]) -> Vec<Polynomial> {
    // L times the only root −c/L of L x + c.
    if let [constant, _] = coefficients {
        return vec![-constant];
    }
    let symbols: BTreeSet<Symbol> = coefficients.iter().flat_map(Polynomial::symbols).collect();
    let degree = multiple_degree(coefficients);
    // A binomial coefficient, exact at every step.
    let terms = (1..).zip(&symbols).try_fold(1_i64, |terms, (i, _)| {
        Some(terms * (i64::from(degree) + i) / i).filter(|terms| *terms <= MAX_TERMS)
    });
    if terms.is_none() {
        return Vec::new();
    }
    let at = |attempt: i64| {
        let point: Vec<_> =
            (0..).zip(&symbols).map(|(i, s)| (s.clone(), coordinate(attempt, i))).collect();
        let values: Vec<_> = coefficients.iter().map(|c| value(c, &point)).collect();
        let here = Univariate::new(&values);
        // A root is lifted from a point only where it is simple and the degree does not fall.
        let distinct =
            here.degree() + 1 == coefficients.len() && here.gcd(&here.derivative()).degree() == 0;
        distinct.then(|| (rational_roots(&here), point))
    };
    let best = (0..ATTEMPTS).filter_map(at).take(COMPARED).min_by_key(|(roots, _)| roots.len());
    // A quotient of polynomials is rational at the point: without rational roots there is none.
    let Some((roots, point)) = best.filter(|(roots, _)| !roots.is_empty()) else {
        return Vec::new();
    };
    let around: Vec<_> = coefficients.iter().map(|c| moved(c, &point, 1)).collect();
    let lead = around.last().expect("not the polynomial 0");
    // A polynomial of at most this degree is its own series, cut off there.
    let multiple =
        |root| moved(&truncated(&(lead * &lift(&around, root, degree)), degree), &point, -1);
    roots.into_iter().map(multiple).collect()
}

/// Small integers without a pattern that many polynomials share, wider with every attempt.
fn coordinate(attempt: i64, index: i64) -> Rational {
    let width = 11 + attempt;
    integer((5 + 3 * index + attempt * (4 * index + 7) + index * index) % width - width / 2)
}

/// The value at a point that has a coordinate for every symbol.
fn value(p: &Polynomial, point: &[(Symbol, Rational)]) -> Rational {
    let at = |p: Polynomial, (symbol, x): &(Symbol, Rational)| {
        p.substitute(symbol, &Polynomial::constant(x.clone()))
    };
    point.iter().fold(p.clone(), at).as_constant().expect("a value for every symbol")
}

/// Every symbol replaced by itself plus `sign` times its coordinate.
fn moved(p: &Polynomial, point: &[(Symbol, Rational)], sign: i64) -> Polynomial {
    point.iter().fold(p.clone(), |p, (symbol, x)| {
        let x = Polynomial::constant(x * integer(sign));
        p.substitute(symbol, &(&Polynomial::symbol(symbol.clone()) + &x))
    })
}

fn rational_roots(p: &Univariate) -> Vec<Rational> {
    let rational = |(root, _)| match root {
        Root::Rational(root) => Some(root),
        Root::Algebraic(_) => None,
    };
    real_roots(p, BUDGET).unwrap_or_default().into_iter().filter_map(rational).collect()
}

/// A bound of the total degree of a root times the leading coefficient L: were it higher, the
/// highest power in the monic wⁿ + Σ aₙ₋ᵢ Lⁱ⁻¹ wⁿ⁻ⁱ would stand alone.
fn multiple_degree(coefficients: &[Polynomial]) -> i32 {
    let (lead, lower) = coefficients.split_last().expect("not the polynomial 0");
    let lead = total_degree(lead);
    let nonzero = (1..).zip(lower.iter().rev()).filter(|(_, c)| !c.is_zero());
    nonzero.map(|(i, c)| (total_degree(c) + (i - 1) * lead) / i).max().unwrap_or(0)
}

fn total_degree(p: &Polynomial) -> i32 {
    p.terms().map(|(m, _)| monomial_degree(m)).max().unwrap_or(0)
}

fn monomial_degree(monomial: &Monomial) -> i32 {
    monomial.powers().iter().map(|(_, e)| e).sum()
}

/// The simple root with the value `root` at 0, as a power series up to `degree` (after Hensel).
fn lift(coefficients: &[Polynomial], root: Rational, degree: i32) -> Polynomial {
    let (mut slope, mut power) = (Polynomial::zero(), Rational::one());
    for (j, c) in (1..).zip(&coefficients[1..]) {
        slope = &slope + &truncated(c, 0).scale(&(&power * integer(j)));
        power *= &root;
    }
    // The slope at the point suffices: with it each of Newton's steps gains one degree.
    let step = slope.as_constant().expect("of degree 0").recip();
    let mut series = Polynomial::constant(root);
    for k in 1..=degree {
        // Up to k − 1 the value vanishes already.
        let value = coefficients
            .iter()
            .rev()
            .fold(Polynomial::zero(), |sum, c| truncated(&(&(&sum * &series) + c), k));
        series = &series - &value.scale(&step);
    }
    series
}

/// The terms up to a total degree.
fn truncated(p: &Polynomial, degree: i32) -> Polynomial {
    let low = p.terms().filter(|(m, _)| monomial_degree(m) <= degree);
    Polynomial(low.map(|(m, c)| (m.clone(), c.clone())).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::exact::ratio;

    const U: Symbol = Symbol::Variable;

    fn parameter(name: &str) -> Polynomial {
        Polynomial::symbol(Symbol::Parameter(name.into()))
    }

    fn u() -> Polynomial {
        Polynomial::symbol(U)
    }

    fn number(n: i64) -> Polynomial {
        Polynomial::constant(integer(n))
    }

    fn product(factors: &[&Polynomial]) -> Polynomial {
        factors.iter().fold(Polynomial::one(), |product, f| &product * f)
    }

    /// The roots N, D and m, after the factors are seen to recombine.
    fn split(p: &Polynomial) -> (Vec<(Polynomial, Polynomial, u32)>, Polynomial) {
        let (content, factors, rest) = linear_factors(p, &U);
        assert_eq!(content.degree(&U), 0);
        let whole = factors.iter().fold(&content * &rest, |product, f| {
            assert_eq!(gcd(&f.numerator, &f.denominator), Polynomial::one());
            assert_eq!(primitive(&f.denominator), f.denominator);
            &product * &f.polynomial(&U).pow(f.multiplicity)
        });
        assert_eq!(&whole, p);
        assert!(factors.is_sorted());
        (factors.into_iter().map(|f| (f.numerator, f.denominator, f.multiplicity)).collect(), rest)
    }

    /// Asserts the roots, in any order, and the rest.
    fn assert_split(p: &Polynomial, roots: &[(Polynomial, Polynomial, u32)], rest: &Polynomial) {
        let (mut found, left) = split(p);
        let mut roots = roots.to_vec();
        found.sort();
        roots.sort();
        assert_eq!(found, roots);
        assert_eq!(left, primitive(rest));
    }

    #[test]
    fn roots_that_are_parameters() {
        let [a, b, c] = ["a", "b", "c"].map(parameter);
        let one = Polynomial::one();
        let minus = |r: &Polynomial| &u() - r;
        let root = |r: &Polynomial| (r.clone(), one.clone(), 1);
        assert_split(&product(&[&minus(&a), &minus(&b)]), &[root(&a), root(&b)], &one);
        assert_split(&(&u().pow(2) - &a.pow(2)), &[root(&a), root(&-&a)], &one);
        assert_split(
            &product(&[&minus(&a), &minus(&b), &minus(&c)]),
            &[root(&a), root(&b), root(&c)],
            &one,
        );
        assert_split(&product(&[&minus(&one), &minus(&a)]), &[root(&one), root(&a)], &one);
        let far = &one - &b.scale(&integer(2));
        assert_split(
            &(&minus(&a).pow(2) * &minus(&far)),
            &[(a.clone(), one.clone(), 2), root(&far)],
            &one,
        );
    }

    #[test]
    fn roots_that_are_quotients() {
        let [a, b, c] = ["a", "b", "c"].map(parameter);
        let one = Polynomial::one();
        let slope = &one - &a;
        let p = &(&slope * &u()) - &one;
        // The last term of the denominator is positive.
        assert_split(&p, &[(-&one, &a - &one, 1)], &one);
        let (f, g, h) = (&(&a * &u()) + &b, &(&c * &u()) - &one, &u().pow(2) + &a);
        let roots = [(-&b, a.clone(), 1), (one.clone(), c.clone(), 1)];
        assert_split(&product(&[&f, &g, &h]), &roots, &h);
        assert_split(&product(&[&f, &g, &h, &c]), &roots, &h);
        assert_split(
            &(&u().scale(&integer(2)) - &one),
            &[(Polynomial::constant(ratio(1, 2)), one.clone(), 1)],
            &one,
        );
    }

    #[test]
    fn what_has_no_rational_root_stays() {
        let a = parameter("a");
        let one = Polynomial::one();
        let cubic = &(&u().pow(3) - &(&a * &u())) + &number(2);
        for p in [&u().pow(2) - &a, &u().pow(2) - &number(2), cubic] {
            assert_split(&p, &[], &p);
        }
        assert_split(&(&a * &u().pow(3)), &[(Polynomial::zero(), one.clone(), 3)], &one);
        assert_split(&a, &[], &one);
        assert_eq!(linear_factors(&Polynomial::zero(), &U), (Polynomial::zero(), vec![], one));
    }

    /// A polynomial of degree 1 in a and b.
    fn plane() -> impl Strategy<Value = Polynomial> {
        [-3..=3_i64, -3..=3_i64, -3..=3_i64].prop_map(|[m, n, k]| {
            let [a, b] = ["a", "b"].map(parameter);
            &(&a.scale(&integer(m)) + &b.scale(&integer(n))) + &number(k)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::with_cases(48)
        })]

        #[test]
        fn every_linear_factor_is_found(planes in prop::collection::vec((plane(), plane()), 1..4)) {
            let factors: Vec<_> = planes.iter().map(|(d, n)| &(d * &u()) + n).collect();
            let p = factors.iter().fold(&u().pow(2) + &parameter("a"), |p, f| &p * f);
            if !p.is_zero() {
                prop_assert_eq!(split(&p).1, primitive(&(&u().pow(2) + &parameter("a"))));
            }
        }
    }
}
