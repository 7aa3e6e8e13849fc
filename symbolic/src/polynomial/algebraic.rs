//! Real algebraic numbers that are not rational, each a root of an irreducible polynomial.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::Signed;

use super::isolate::{Cell, isolate};
use super::{Univariate, sign};
use crate::exact::Rational;

/// A real root, of degree two at the least, of an irreducible polynomial.
#[derive(Clone, Debug)]
pub struct Algebraic(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Irreducible, with a positive leading coefficient.
    minimal: Univariate,
    /// How many of its real roots are smaller.
    index: usize,
    /// A cell with no other root of it, at most 2⁻⁶⁴ wide.
    cell: Cell,
    /// The sign of the minimal polynomial at the lower end of the cell.
    left: i8,
}

impl Algebraic {
    /// The real roots, ascending, of an irreducible polynomial of degree two at the least.
    #[must_use]
    pub(crate) fn roots_of(minimal: &Univariate) -> Vec<Self> {
        let minimal = minimal.clone().positive();
        let number = |(index, cell): (usize, Cell)| {
            let left = sign(&cell.lower_value(&minimal));
            Self(Arc::new(Inner { minimal: minimal.clone(), index, cell, left }))
        };
        isolate(&minimal).into_iter().enumerate().map(number).collect()
    }

    /// The irreducible polynomial with a positive leading coefficient that it is a root of.
    #[must_use]
    pub fn minimal(&self) -> &Univariate {
        &self.0.minimal
    }

    /// How many of the real roots of the minimal polynomial are smaller.
    #[must_use]
    pub fn index(&self) -> usize {
        self.0.index
    }

    /// The multiples of 2^−`bits` next to the number, which equals neither.
    #[must_use]
    pub fn enclosure(&self, bits: u32) -> (Rational, Rational) {
        self.0.cell.refined(&self.0.minimal, bits).bounds(bits)
    }

    /// Compares the number with a rational one; they are never equal.
    #[must_use]
    pub fn cmp_rational(&self, x: &Rational) -> Ordering {
        // The ends of the cell are rational, so the number is neither of them. In the cell the
        // sign of the minimal polynomial changes at the number alone, because the root is simple.
        let scaled: BigInt = (x.numer() << self.0.cell.bits) - &self.0.cell.lower * x.denom();
        if !scaled.is_positive() {
            Ordering::Greater
        } else if scaled >= *x.denom() || self.0.minimal.sign_at(x) != self.0.left {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    /// The sign of the value of a polynomial at the number: −1, 0 or 1.
    ///
    /// It is 0 exactly if the minimal polynomial divides the polynomial.
    #[must_use]
    pub fn sign_of(&self, p: &Univariate) -> i8 {
        if let Some(sign) = self.0.cell.sign_of(p) {
            return sign;
        }
        if p.divided_by(&self.0.minimal).is_some() {
            return 0;
        }
        // The value is not 0, so a cell that is small enough shows its sign.
        let mut cell = self.0.cell.clone();
        loop {
            cell = cell.refined(&self.0.minimal, 2 * cell.bits);
            if let Some(sign) = cell.sign_of(p) {
                return sign;
            }
        }
    }
}

impl PartialEq for Algebraic {
    fn eq(&self, other: &Self) -> bool {
        // Minimal polynomials are primitive with a positive lead, so a number has one of them
        // only.
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.index == other.0.index && self.0.minimal == other.0.minimal
    }
}

impl Eq for Algebraic {}

impl PartialOrd for Algebraic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By value.
impl Ord for Algebraic {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) || self.0.minimal == other.0.minimal {
            return self.0.index.cmp(&other.0.index);
        }
        // Different irreducible polynomials have no root in common, so this ends.
        let (mut a, mut b) = (self.0.cell.clone(), other.0.cell.clone());
        loop {
            let bits = a.bits.max(b.bits);
            (a, b) = (a.refined(&self.0.minimal, bits), b.refined(&other.0.minimal, bits));
            let level = a.bits.max(b.bits);
            let (low, high) = (a.at(level), b.at(level));
            if low.1 <= high.0 {
                return Ordering::Less;
            } else if high.1 <= low.0 {
                return Ordering::Greater;
            }
            // The next round brings the other one to as many bits.
            a = a.refined(&self.0.minimal, 2 * bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use num_traits::One;

    use super::*;
    use crate::exact::{integer, ratio};
    use crate::polynomial::univariate::testing::{polynomial, random};

    fn largest(coefficients: &[i64]) -> Algebraic {
        Algebraic::roots_of(&polynomial(coefficients)).pop().expect("a real root")
    }

    #[test]
    fn numbers_order_by_value() {
        let (two, three) = (largest(&[-2, 0, 1]), largest(&[-3, 0, 1]));
        assert!(two < three);
        assert_eq!(two.cmp_rational(&ratio(3, 2)), Ordering::Less);
        assert_eq!(three.cmp_rational(&ratio(3, 2)), Ordering::Greater);
        assert_eq!(two, largest(&[2, 0, -1]));
        // ±√2 ± √3 with the roots of x² − 2 and of x³ − x − 1 ≈ 1.3247.
        let mut all = Algebraic::roots_of(&polynomial(&[1, 0, -10, 0, 1]));
        all.extend(Algebraic::roots_of(&polynomial(&[-2, 0, 1])));
        all.push(largest(&[-1, -1, 0, 1]));
        all.sort();
        let found: Vec<_> = all.iter().map(|a| (a.minimal().degree(), a.index())).collect();
        assert_eq!(found, [(4, 0), (2, 0), (4, 1), (4, 2), (3, 0), (2, 1), (4, 3)]);
    }

    #[test]
    fn close_numbers_are_told_apart() {
        // √2 and the root of (10²⁰ x)² = 2·10⁴⁰ + 1
        let scale = Rational::from_integer(BigInt::from(10).pow(40));
        let near = [-(&scale * integer(2) + integer(1)), integer(0), scale];
        let near = Algebraic::roots_of(&Univariate::new(&near));
        let two = Algebraic::roots_of(&polynomial(&[-2, 0, 1]));
        assert!(two[1] < near[1]);
        assert!(near[0] < two[0]);
        assert_eq!(near[1].cmp(&two[1]), Ordering::Greater);
        assert_eq!(near[1].sign_of(two[1].minimal()), 1);
        // Mignotte's x⁵ − 2 (1000 x − 1)² has two roots near 1/1000.
        let roots = Algebraic::roots_of(&polynomial(&[-2, 4_000, -2_000_000, 0, 0, 1]));
        assert_eq!(roots.len(), 3);
        assert_eq!(roots[0].cmp_rational(&ratio(1, 1000)), Ordering::Less);
        assert_eq!(roots[1].cmp_rational(&ratio(1, 1000)), Ordering::Greater);
        assert!(roots.is_sorted());
    }

    #[test]
    fn signs_are_exact() {
        let square = polynomial(&[-2, 0, 1]);
        let roots = Algebraic::roots_of(&polynomial(&[1, 0, -10, 0, 1]));
        let signs: Vec<_> = roots.iter().map(|root| root.sign_of(&square)).collect();
        assert_eq!(signs, [1, -1, -1, 1]);
        let x = polynomial(&[0, 1]);
        assert_eq!(roots.iter().map(|root| root.sign_of(&x)).collect::<Vec<_>>(), [-1, -1, 1, 1]);
        for root in &roots {
            assert_eq!(root.sign_of(root.minimal()), 0);
            assert_eq!(root.sign_of(&root.minimal().times(&square)), 0);
            assert_eq!(root.sign_of(&polynomial(&[])), 0);
            assert_eq!(root.sign_of(&polynomial(&[-1])), -1);
        }
    }

    #[test]
    fn enclosures_are_narrow_and_hold_the_root() {
        let mut state = 7;
        for degree in 2..14 {
            let p = random(&mut state, degree, 100);
            if p.factors(10_000).is_none_or(|factors| factors[0].0 != p.clone().positive()) {
                continue;
            }
            for root in Algebraic::roots_of(&p) {
                for bits in [1, 64, 65, 100, 256, 1_000] {
                    let (lower, upper) = root.enclosure(bits);
                    let width = Rational::new(BigInt::one(), BigInt::one() << bits);
                    assert_eq!(&upper - &lower, width);
                    assert_eq!(p.sign_at(&lower), -p.sign_at(&upper));
                    assert_eq!(root.cmp_rational(&lower), Ordering::Greater);
                    assert_eq!(root.cmp_rational(&upper), Ordering::Less);
                }
            }
        }
        // Chebyshev's T₁₁(x)/x has ten real roots, and none of (x + 100)¹⁰ + 1 is real.
        let chebyshev = [-11, 0, 220, 0, -1232, 0, 2816, 0, -2816, 0, 1024];
        assert_eq!(Algebraic::roots_of(&polynomial(&chebyshev)).len(), 10);
        assert_eq!(Algebraic::roots_of(&polynomial(&[10_001, 200, 1])).len(), 0);
    }
}
