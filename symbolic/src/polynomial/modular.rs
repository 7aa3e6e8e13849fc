//! Polynomials over a prime field: how a square-free one factors.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::ToPrimitive;

use super::Univariate;

/// The integers modulo an odd prime below 2¹⁶, so that sums of many products fit 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field(u64);

/// Coefficients below the prime, constant first, the last not zero.
pub(super) type Residues = Vec<u64>;

/// The products of the irreducible factors of equal degree, with that degree.
pub(super) type ByDegree = Vec<(usize, Residues)>;

/// The odd primes below 2¹⁶.
pub(super) fn fields() -> impl Iterator<Item = Field> {
    let prime = |n: &u64| {
        (3..).step_by(2).take_while(|d| d * d <= *n).all(|d| !Integer::is_multiple_of(n, &d))
    };
    // Not 2: `split` needs half of p − 1.
    (3..1 << 16).step_by(2).filter(prime).map(Field)
}

impl Field {
    pub(super) fn prime(self) -> u64 {
        self.0
    }

    /// The polynomial modulo the prime divided by its leading coefficient; `None` where that
    /// lowers the degree or has a multiple factor.
    pub(super) fn square_free(self, polynomial: &Univariate) -> Option<Residues> {
        let residue = |c: &BigInt| c.mod_floor(&self.0.into()).to_u64().unwrap_or(0);
        let residues: Residues = polynomial.coefficients().iter().map(residue).collect();
        if residues.last().is_none_or(|c| *c == 0) {
            return None;
        }
        let residues = self.monic(residues);
        let derivative = (1..).zip(&residues[1..]).map(|(k, c)| k % self.0 * c % self.0).collect();
        (self.gcd(residues.clone(), trim(derivative)).len() == 1).then_some(residues)
    }

    fn inverse(self, value: u64) -> u64 {
        // By Fermat's little theorem the inverse is the power p − 2.
        let (mut power, mut base, mut exponent) = (1, value, self.0 - 2);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = power * base % self.0;
            }
            base = base * base % self.0;
            exponent /= 2;
        }
        power
    }

    fn scaled(self, mut f: Residues, factor: u64) -> Residues {
        for c in &mut f {
            *c = *c * factor % self.0;
        }
        f
    }

    fn monic(self, f: Residues) -> Residues {
        let lead = f.last().map_or(1, |c| self.inverse(*c));
        self.scaled(f, lead)
    }

    pub(super) fn minus(self, mut f: Residues, g: &[u64]) -> Residues {
        f.resize(f.len().max(g.len()), 0);
        for (a, b) in f.iter_mut().zip(g) {
            *a = (*a + self.0 - b) % self.0;
        }
        trim(f)
    }

    pub(super) fn times(self, f: &[u64], g: &[u64]) -> Residues {
        // Residues are taken once at the end: a product is below 2³², and 2³² of them fit 64 bits.
        let mut product = vec![0; (f.len() + g.len()).saturating_sub(1)];
        for (i, a) in f.iter().enumerate() {
            for (c, b) in product[i..].iter_mut().zip(g) {
                *c += a * b;
            }
        }
        product.iter_mut().for_each(|c| *c %= self.0);
        trim(product)
    }

    /// Quotient and remainder by a polynomial with leading coefficient 1.
    fn divide(self, mut f: Residues, divisor: &[u64]) -> (Residues, Residues) {
        let shift = divisor.len() - 1;
        let mut quotient = vec![0; f.len().saturating_sub(shift)];
        for i in (0..quotient.len()).rev() {
            let factor = f[i + shift] % self.0;
            for (c, d) in f[i..].iter_mut().zip(&divisor[..shift]) {
                // p − d stands for −d, which keeps the numbers unsigned.
                *c += factor * (self.0 - d);
            }
            quotient[i] = factor;
        }
        f.truncate(shift);
        f.iter_mut().for_each(|c| *c %= self.0);
        (quotient, trim(f))
    }

    /// The greatest common divisor, with leading coefficient 1.
    fn gcd(self, mut f: Residues, mut g: Residues) -> Residues {
        while !g.is_empty() {
            g = self.monic(g);
            let remainder = self.divide(f, &g).1;
            (f, g) = (g, remainder);
        }
        self.monic(f)
    }

    /// s and t with s f + t g = 1, for coprime f and g with leading coefficient 1.
    pub(super) fn bezout(self, f: &[u64], g: &[u64]) -> (Residues, Residues) {
        let mut row = (f.to_vec(), vec![1], vec![]);
        let mut next = (g.to_vec(), vec![], vec![1]);
        while !next.0.is_empty() {
            // Every remainder gets the leading coefficient 1, so the last one, a number, is 1
            // itself.
            let unit = self.inverse(next.0[next.0.len() - 1]);
            next =
                (self.scaled(next.0, unit), self.scaled(next.1, unit), self.scaled(next.2, unit));
            let (quotient, remainder) = self.divide(row.0, &next.0);
            let s = self.minus(row.1, &self.times(&quotient, &next.1));
            let t = self.minus(row.2, &self.times(&quotient, &next.2));
            (row, next) = (next, (remainder, s, t));
        }
        (row.1, row.2)
    }

    fn power(self, base: &[u64], mut exponent: u64, modulus: &[u64]) -> Residues {
        let mut base = self.divide(base.to_vec(), modulus).1;
        let mut power = self.divide(vec![1], modulus).1;
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = self.divide(self.times(&power, &base), modulus).1;
            }
            exponent /= 2;
            if exponent > 0 {
                base = self.divide(self.times(&base, &base), modulus).1;
            }
        }
        power
    }

    /// The products of the irreducible factors of equal degree, with that degree.
    pub(super) fn by_degree(self, f: &[u64]) -> ByDegree {
        let mut rest = f.to_vec();
        let mut products = Vec::new();
        let x = vec![0, 1];
        let mut power = x.clone();
        for degree in 1.. {
            // The factors that are left have at least this degree, so there is no room for two.
            if rest.len() <= 2 * degree {
                break;
            }
            // x^(pᵈ) − x is the product of the irreducible polynomials whose degree divides d.
            power = self.power(&power, self.0, &rest);
            let product = self.gcd(rest.clone(), self.minus(power.clone(), &x));
            if product.len() > 1 {
                rest = self.divide(rest, &product).0;
                products.push((degree, product));
            }
        }
        if rest.len() > 1 {
            products.push((rest.len() - 1, rest));
        }
        products
    }

    /// The irreducible factors of a product of some of this degree, after Cantor and Zassenhaus.
    pub(super) fn split(self, product: Residues, degree: usize) -> Vec<Residues> {
        let mut factors = Vec::new();
        let mut open = vec![product];
        // The choices look random but are the same each time.
        let mut state = 1_u64;
        while let Some(f) = open.pop() {
            if f.len() - 1 == degree {
                factors.push(f);
                continue;
            }
            let choice = (1..f.len()).map(|_| {
                // The high bits are used, as the low ones of such a generator repeat soon.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % self.0
            });
            let choice = trim(choice.collect());
            // choice^((pᵈ − 1) / 2) is ±1 modulo about half of the factors each.
            // The exponent is (1 + p + … + pᵈ⁻¹) (p − 1)/2. The first factor gives the norm.
            let mut conjugate = choice.clone();
            let mut norm = choice;
            for _ in 1..degree {
                conjugate = self.power(&conjugate, self.0, &f);
                norm = self.divide(self.times(&norm, &conjugate), &f).1;
            }
            let half = self.minus(self.power(&norm, self.0 / 2, &f), &[1]);
            let part = self.gcd(f.clone(), half);
            if part.len() > 1 && part.len() < f.len() {
                open.push(self.divide(f, &part).0);
                open.push(part);
            } else {
                open.push(f);
            }
        }
        factors
    }
}

fn trim(mut f: Residues) -> Residues {
    while f.last() == Some(&0) {
        f.pop();
    }
    f
}
