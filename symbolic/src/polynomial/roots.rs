//! Real roots, isolated by Sturm's theorem; the rational ones recognised exactly.

use num_bigint::BigInt;
use num_traits::{One, Signed};

use super::Univariate;
use crate::exact::{Rational, ratio};

/// A real root of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// The root is this number.
    Rational(Rational),
    /// The root is irrational and the only one between these bounds.
    Irrational {
        /// A bound from below.
        lower: Rational,
        /// A bound from above.
        upper: Rational,
    },
}

/// The distinct real roots in ascending order; none for a constant.
#[must_use]
pub fn real_roots(polynomial: &Univariate) -> Vec<Root> {
    let p = polynomial.square_free();
    if p.degree() == 0 {
        return Vec::new();
    }
    let sturm = p.sturm();
    let bound = p.root_bound();
    let mut roots = Vec::new();
    // A stack of half-open intervals (lower, upper], leftmost on top.
    let mut open = vec![(-bound.clone(), bound)];
    while let Some((lower, upper)) = open.pop() {
        match sign_changes(&sturm, &lower) - sign_changes(&sturm, &upper) {
            0 => {}
            1 => roots.push(recognise(&p, lower, upper)),
            _ => {
                let middle = (&lower + &upper) / ratio(2, 1);
                open.push((middle.clone(), upper));
                open.push((lower, middle));
            }
        }
    }
    roots
}

fn sign_changes(sturm: &[Univariate], x: &Rational) -> usize {
    let signs: Vec<i8> = sturm.iter().map(|p| p.sign_at(x)).filter(|s| *s != 0).collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Decides whether the one root in (lower, upper] is rational.
///
/// A rational root of an integer polynomial with leading coefficient L is a multiple of 1/L,
/// so once the interval is shorter than 1/L a single candidate remains.
fn recognise(p: &Univariate, mut lower: Rational, mut upper: Rational) -> Root {
    if p.sign_at(&upper) == 0 {
        return Root::Rational(upper);
    }
    let lead = p.coefficients().last().expect("not the zero polynomial").abs();
    let step = Rational::new(BigInt::one(), lead.clone());
    let at_upper = p.sign_at(&upper);
    while &upper - &lower >= step {
        let middle = (&lower + &upper) / ratio(2, 1);
        match p.sign_at(&middle) {
            0 => return Root::Rational(middle),
            sign if sign == at_upper => upper = middle,
            _ => lower = middle,
        }
    }
    let candidate =
        Rational::new((&upper * Rational::from_integer(lead.clone())).floor().to_integer(), lead);
    if candidate > lower && p.sign_at(&candidate) == 0 {
        Root::Rational(candidate)
    } else {
        Root::Irrational { lower, upper }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::integer;

    fn roots(coefficients: &[i64]) -> Vec<Root> {
        let coefficients: Vec<_> = coefficients.iter().map(|c| integer(*c)).collect();
        real_roots(&Univariate::new(&coefficients))
    }

    #[test]
    fn rational_roots_are_exact() {
        // (3x − 1)(x + 2)² (x − 7)
        let expected = [integer(-2), ratio(1, 3), integer(7)].map(Root::Rational);
        assert_eq!(roots(&[28, -60, -69, -10, 3]).as_slice(), expected.as_slice());
        assert_eq!(roots(&[0, 1]), [Root::Rational(integer(0))]);
        assert!(roots(&[1, 0, 1]).is_empty());
        assert!(roots(&[5]).is_empty());
    }

    #[test]
    fn irrational_roots_are_isolated() {
        let found = roots(&[-2, 0, 1]);
        assert_eq!(found.len(), 2);
        for root in found {
            let Root::Irrational { lower, upper } = root else { panic!("√2 is irrational") };
            assert!(lower < upper);
        }
        // (x² − 2)(x − 1)
        assert!(matches!(
            roots(&[2, -2, -1, 1]).as_slice(),
            [Root::Irrational { .. }, Root::Rational(_), Root::Irrational { .. }]
        ));
    }
}
