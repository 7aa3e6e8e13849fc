//! Factors over the rational numbers, after Zassenhaus: factors modulo a small prime are
//! lifted to a power of it and combined.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::Univariate;
use super::combine::{combine, precision};
use super::hensel::{Budget, lift};
use super::modular::{ByDegree, Field, Residues, fields};

/// How many primes compete for the fewest factors.
const PRIMES: usize = 5;

impl Univariate {
    /// The irreducible factors over the rational numbers with their multiplicities, by degree
    /// and then by coefficients; their product is `self` up to sign. None for a constant.
    ///
    /// Each has a positive leading coefficient. `None` if finding them takes more than `budget`
    /// units of work: factorisations modulo a prime (a unit for each degree), lifting steps and
    /// combinations of modular factors. Linear and quadratic polynomials take none.
    #[must_use]
    pub fn factors(&self, budget: usize) -> Option<Vec<(Self, u32)>> {
        let mut budget = Budget::new(budget);
        let mut factors = Vec::new();
        // Powers of x are split off, because `combine` takes it that 0 is no root.
        let zeros = self.coefficients().iter().take_while(|c| c.is_zero()).count();
        let rest = Self::primitive(self.coefficients()[zeros..].to_vec()).positive();
        if let Ok(multiplicity @ 1..) = u32::try_from(zeros) {
            factors.push((Self::primitive(vec![BigInt::zero(), BigInt::one()]), multiplicity));
        }
        for (part, multiplicity) in rest.square_free_parts() {
            let irreducible = part.split(&mut budget)?;
            factors.extend(irreducible.into_iter().map(|factor| (factor, multiplicity)));
        }
        factors.sort_by(|(f, _), (g, _)| {
            f.degree().cmp(&g.degree()).then_with(|| f.coefficients().cmp(g.coefficients()))
        });
        Some(factors)
    }

    /// The products of the factors of equal multiplicity, with that multiplicity (after Musser).
    fn square_free_parts(self) -> Vec<(Self, u32)> {
        if self.degree() == 0 {
            return Vec::new();
        }
        // One prime that keeps the polynomial square-free is much cheaper than a common divisor.
        if fields().take(PRIMES).any(|field| field.square_free(&self).is_some()) {
            return vec![(self, 1)];
        }
        let divide = |f: &Self, g: &Self| f.divided_by(g).expect("a divisor").positive();
        let mut parts = Vec::new();
        let mut repeated = self.gcd(&self.derivative());
        let mut radical = divide(&self, &repeated);
        for multiplicity in 1.. {
            if radical.degree() == 0 {
                break;
            }
            // `radical` has each factor of at least this multiplicity once, `repeated` as often as
            // its multiplicity exceeds this one.
            let next = radical.gcd(&repeated);
            let part = divide(&radical, &next);
            if part.degree() > 0 {
                parts.push((part, multiplicity));
            }
            repeated = divide(&repeated, &next);
            radical = next;
        }
        parts
    }

    /// The factors of a square-free polynomial that 0 is no root of.
    fn split(self, budget: &mut Budget) -> Option<Vec<Self>> {
        match self.coefficients() {
            [] | [_] | [_, _] => return Some(vec![self]),
            [c, b, a] => return Some(quadratic(c, b, a).unwrap_or_else(|| vec![self])),
            _ => {}
        }
        let mut degrees = vec![true; self.degree() + 1];
        let mut best: Option<(usize, Field, ByDegree)> = None;
        let good = fields().filter_map(|field| Some((field, field.square_free(&self)?)));
        for (field, residues) in good.take(PRIMES) {
            budget.spend(self.degree())?;
            let products = field.by_degree(&residues);
            let count = products.iter().map(|(degree, f)| (f.len() - 1) / degree).sum();
            for (possible, sum) in degrees.iter_mut().zip(sums(&products, residues.len())) {
                *possible &= sum;
            }
            // Only the degrees 0 and its own are possible for a factor: it is irreducible.
            if degrees.iter().filter(|possible| **possible).count() == 2 {
                return Some(vec![self]);
            }
            // The number of combinations is exponential in the number of modular factors.
            if best.as_ref().is_none_or(|(least, ..)| count < *least) {
                best = Some((count, field, products));
            }
        }
        // That no prime below 2¹⁶ is good takes a discriminant of some 90 000 bits.
        let (_, field, products) = best?;
        let modular: Vec<_> =
            products.into_iter().flat_map(|(degree, f)| field.split(f, degree)).collect();
        let (exponent, modulus) = precision(&self, field);
        let lead = self.coefficients().last().expect("not zero");
        let unit = lead.modinv(&modulus).expect("the prime does not divide it");
        // Lifting needs the leading coefficient 1; `combine` multiplies by the true one again.
        let monic = self.coefficients().iter().map(|c| (c * &unit).mod_floor(&modulus)).collect();
        let lifted = lift(monic, &modular, field, exponent, budget)?;
        combine(self, lifted, &modulus, &degrees, budget)
    }
}

/// The linear factors of a x² + b x + c, if it has any.
fn quadratic(c: &BigInt, b: &BigInt, a: &BigInt) -> Option<Vec<Univariate>> {
    let discriminant = b * b - BigInt::from(4) * a * c;
    let root = (!discriminant.is_negative()).then(|| discriminant.sqrt())?;
    // (−b ± √d)/(2a) is the root of 2a x + b ∓ √d.
    let linear = |root: &BigInt| Univariate::primitive(vec![b - root, a * 2]).positive();
    (&root * &root == discriminant).then(|| vec![linear(&root), linear(&-&root)])
}

/// Which degrees are sums of degrees of modular factors.
fn sums(products: &[(usize, Residues)], length: usize) -> Vec<bool> {
    let mut sums = vec![false; length];
    sums[0] = true;
    for (degree, product) in products {
        for _ in 0..(product.len() - 1) / degree {
            // From the top down, so that each factor is taken once.
            for i in (*degree..length).rev() {
                sums[i] |= sums[i - degree];
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::polynomial::univariate::testing::{polynomial, random};

    const ENOUGH: usize = 100_000;

    /// The factors, checked to recombine and to be in order.
    fn factors(p: &Univariate) -> Vec<(Univariate, u32)> {
        let factors = p.factors(ENOUGH).expect("little work");
        let powers = factors.iter().flat_map(|(f, n)| (0..*n).map(move |_| f));
        let product = powers.fold(polynomial(&[1]), |product, f| product.times(f));
        assert_eq!(product, p.clone().positive());
        assert!(factors.is_sorted_by_key(|(f, _)| (f.degree(), f.coefficients().to_vec())));
        factors
    }

    fn irreducible(p: &Univariate) -> bool {
        matches!(factors(p).as_slice(), [(_, 1)])
    }

    #[test]
    fn known_factors_are_found() {
        // −x³ (2x − 1)² (x² + 1) (x² − 3) (x³ − 2)
        let parts = [&[-1, 2][..], &[1, 0, 1], &[-3, 0, 1], &[-2, 0, 0, 1]].map(polynomial);
        let p = parts.iter().fold(polynomial(&[0, 0, 0, 1, -2]), |p, f| p.times(f));
        let [half, i, three, cubic] = parts;
        let x = polynomial(&[0, 1]);
        assert_eq!(factors(&p), [(half, 2), (x, 3), (three, 1), (i, 1), (cubic, 1)]);
        assert_eq!(polynomial(&[]).factors(0), Some(Vec::new()));
        assert!(factors(&polynomial(&[-4])).is_empty());
        assert_eq!(factors(&polynomial(&[-6, 1, 2])).len(), 2);
        // x⁴ + 4 and x⁴ + 1 both split modulo every prime.
        assert_eq!(factors(&polynomial(&[4, 0, 0, 0, 1])).len(), 2);
        assert!(irreducible(&polynomial(&[1, 0, 0, 0, 1])));
    }

    #[test]
    fn roots_of_unity_have_a_factor_for_each_divisor() {
        for n in 1..=30 {
            let mut coefficients = vec![0; n + 1];
            (coefficients[0], coefficients[n]) = (-1, 1);
            let divisors = (1..=n).filter(|d| n % d == 0).count();
            assert_eq!(factors(&polynomial(&coefficients)).len(), divisors);
        }
    }

    #[test]
    fn swinnerton_dyer_polynomials_are_irreducible() {
        let mut p = polynomial(&[-2, 0, 1]);
        for n in [3, 5, 7] {
            p = sum_with_root(&p, n);
            assert!(irreducible(&p));
        }
        assert_eq!(p.degree(), 16);
        let square = p.times(&p).times(&polynomial(&[3, 1]));
        assert_eq!(factors(&square).into_iter().map(|(_, n)| n).collect::<Vec<_>>(), [1, 2]);
    }

    /// p(x + √n) p(x − √n)
    fn sum_with_root(p: &Univariate, n: i64) -> Univariate {
        // p(x + √n) = a(x) + b(x) √n, by Horner's rule.
        let mut a = vec![BigInt::zero(); p.degree() + 2];
        let mut b = a.clone();
        for c in p.coefficients().iter().rev() {
            for i in (0..a.len()).rev() {
                let (left, right) = if i == 0 {
                    (c.clone(), 0.into())
                } else {
                    (a[i - 1].clone(), b[i - 1].clone())
                };
                (a[i], b[i]) = (&b[i] * n + left, &a[i] + right);
            }
        }
        let mut norm = vec![BigInt::zero(); 2 * a.len()];
        for (i, j) in (0..a.len()).flat_map(|i| (0..a.len()).map(move |j| (i, j))) {
            norm[i + j] += &a[i] * &a[j] - &b[i] * &b[j] * n;
        }
        Univariate::primitive(norm)
    }

    #[test]
    fn random_products_recombine() {
        let mut state = 1;
        for round in 0..40 {
            let parts: Vec<_> =
                (0..3).map(|i| random(&mut state, 1 + (round + 3 * i) % 5, 20)).collect();
            let p = parts.iter().fold(parts[round % 3].clone(), |p, f| p.times(f));
            let found = factors(&p);
            assert!(found.iter().map(|(_, n)| n).sum::<u32>() >= 4);
            assert!(found.iter().all(|(f, _)| irreducible(f)));
        }
    }

    #[test]
    fn the_budget_is_kept() {
        let p = polynomial(&[1, 0, -10, 0, 1]);
        assert_eq!(p.factors(3), None);
        assert_eq!(p.factors(20), None);
        assert!(p.factors(100).is_some());
        assert!(polynomial(&[0, -2, 1, 1]).factors(0).is_some());
    }
}
