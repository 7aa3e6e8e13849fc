//! Hensel lifting: factors modulo a prime become factors modulo one of its powers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::modular::{Field, Residues};

/// The work on factors that may still be done. A unit is a factorisation modulo a prime for each degree,
/// a step of lifting a pair of factors, or a combination of modular factors tried.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new(units: usize) -> Self {
        Self(units)
    }

    /// Takes units away; `None` if there are not so many left.
    pub(super) fn spend(&mut self, units: usize) -> Option<()> {
        self.0 = self.0.checked_sub(units)?;
        Some(())
    }
}

/// Coefficients, constant first.
type Dense = Vec<BigInt>;

/// The factors of `f` modulo primeᵉ that are `factors` modulo the prime, all with leading
/// coefficient 1; a step of a pair of factors is one unit of work.
pub(super) fn lift(
    f: Dense,
    factors: &[Residues],
    field: Field,
    exponent: u32,
    budget: &mut Budget,
) -> Option<Vec<Dense>> {
    if factors.len() == 1 {
        return Some(vec![f]);
    }
    // Halves make a tree of logarithmic depth, so a coefficient is lifted only so many times.
    let (left, right) = factors.split_at(factors.len() / 2);
    let product = |part: &[Residues]| part.iter().fold(vec![1], |p, f| field.times(&p, f));
    let (g, h) = (product(left), product(right));
    let (s, t) = field.bezout(&g, &h);
    let mut pair = CoprimeFactors { g: dense(&g), h: dense(&h), s: dense(&s), t: dense(&t) };
    for e in exponents(exponent) {
        budget.spend(1)?;
        pair.step(&f, &BigInt::from(field.prime()).pow(e), e == exponent);
    }
    let mut lifted = lift(pair.g, left, field, exponent, budget)?;
    lifted.extend(lift(pair.h, right, field, exponent, budget)?);
    Some(lifted)
}

/// Ascending from 2 to `last`, each at most twice the one before.
fn exponents(last: u32) -> Vec<u32> {
    // Halved from the last one down and rounded up, so no step works beyond the precision asked
    // for.
    let mut exponents: Vec<u32> =
        std::iter::successors(Some(last), |e| Some(e - e / 2)).take_while(|e| *e > 1).collect();
    exponents.reverse();
    exponents
}

/// f = g h and s g + t h = 1, modulo some m.
struct CoprimeFactors {
    g: Dense,
    h: Dense,
    s: Dense,
    t: Dense,
}

impl CoprimeFactors {
    /// From m to `modulus`, which divides m²; s and t stay behind in the last step.
    fn step(&mut self, f: &Dense, modulus: &BigInt, last: bool) {
        let Self { g, h, s, t } = self;
        let error = sum(f, &times(g, h, modulus), -1, modulus);
        // The change of h has a lower degree than h, so h keeps its leading coefficient 1; g takes
        // what the division leaves.
        let (quotient, remainder) = divide(times(s, &error, modulus), h, modulus);
        let change = sum(&times(t, &error, modulus), &times(&quotient, g, modulus), 1, modulus);
        *g = sum(g, &change, 1, modulus);
        *h = sum(h, &remainder, 1, modulus);
        if last {
            return;
        }
        // The new g and h have an error in s g + t h = 1 too, and the next step needs s and t.
        let one = vec![BigInt::one()];
        let error = sum(&times(s, g, modulus), &times(t, h, modulus), 1, modulus);
        let error = sum(&error, &one, -1, modulus);
        let (quotient, remainder) = divide(times(s, &error, modulus), h, modulus);
        let change = sum(&times(t, &error, modulus), &times(&quotient, g, modulus), 1, modulus);
        *s = sum(s, &remainder, -1, modulus);
        *t = sum(t, &change, -1, modulus);
    }
}

fn dense(residues: &[u64]) -> Dense {
    residues.iter().map(|c| BigInt::from(*c)).collect()
}

/// f + sign · g.
fn sum(f: &Dense, g: &Dense, sign: i8, modulus: &BigInt) -> Dense {
    let zero = BigInt::zero();
    let term = |f: &Dense, i| f.get(i).unwrap_or(&zero).clone();
    let length = f.len().max(g.len());
    let values = (0..length).map(|i| (term(f, i) + term(g, i) * sign).mod_floor(modulus));
    trim(values.collect())
}

pub(super) fn times(f: &Dense, g: &Dense, modulus: &BigInt) -> Dense {
    let mut product = vec![BigInt::zero(); (f.len() + g.len()).saturating_sub(1)];
    for (i, a) in f.iter().enumerate() {
        for (c, b) in product[i..].iter_mut().zip(g) {
            *c += a * b;
        }
    }
    trim(product.into_iter().map(|c| c.mod_floor(modulus)).collect())
}

/// Quotient and remainder by a polynomial with leading coefficient 1.
fn divide(mut f: Dense, divisor: &Dense, modulus: &BigInt) -> (Dense, Dense) {
    let shift = divisor.len() - 1;
    let mut quotient = vec![BigInt::zero(); f.len().saturating_sub(shift)];
    for i in (0..quotient.len()).rev() {
        let factor = f[i + shift].mod_floor(modulus);
        for (c, d) in f[i..].iter_mut().zip(&divisor[..shift]) {
            *c -= &factor * d;
        }
        quotient[i] = factor;
    }
    f.truncate(shift);
    (quotient, trim(f.into_iter().map(|c| c.mod_floor(modulus)).collect()))
}

fn trim(mut f: Dense) -> Dense {
    while f.last().is_some_and(Zero::is_zero) {
        f.pop();
    }
    f
}
