//! Polynomials in one variable, coefficients from the constant term on.

use crate::real::{Real, integer, one, zero};

/// The coefficients, constant term first; no coefficient is 0.
pub type Polynomial = Vec<Real>;

/// p(x), to the precision of the operands.
#[must_use]
pub fn value(p: &[Real], x: &Real) -> Real {
    p.iter().rev().fold(zero(x.precision()), |sum, c| &(&sum * x) + c)
}

/// The coefficients in powers of x − `at`.
#[must_use]
pub fn taylor(p: &[Real], at: &Real) -> Polynomial {
    let mut p = p.to_vec();
    for lowest in 0..p.len() {
        for i in (lowest..p.len() - 1).rev() {
            p[i] = &p[i] + &(&p[i + 1] * at);
        }
    }
    p
}

/// p′.
#[must_use]
pub fn derivative(p: &[Real]) -> Polynomial {
    let terms = p.iter().enumerate().skip(1);
    terms.map(|(k, c)| c * &integer(k, c.precision())).collect()
}

/// a + b.
#[must_use]
pub fn sum(a: &[Real], b: &[Real]) -> Polynomial {
    let (long, short) = if a.len() > b.len() { (a, b) } else { (b, a) };
    let mut out = long.to_vec();
    for (to, term) in out.iter_mut().zip(short) {
        *to = &*to + term;
    }
    out
}

/// a b.
#[must_use]
pub fn product(a: &[Real], b: &[Real]) -> Polynomial {
    let (Some(first), Some(_)) = (a.first(), b.first()) else { return Vec::new() };
    let mut out = vec![zero(first.precision()); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] = &out[i + j] + &(x * y);
        }
    }
    out
}

/// p².
#[must_use]
pub fn square(p: &[Real]) -> Polynomial {
    product(p, p)
}

/// The powers x⁰ … xⁿ.
#[must_use]
pub fn powers(x: &Real, n: usize) -> Vec<Real> {
    let mut out = vec![one(x.precision())];
    for k in 0..n {
        out.push(&out[k] * x);
    }
    out
}
