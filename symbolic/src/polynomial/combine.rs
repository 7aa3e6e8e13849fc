//! Combinations of factors modulo a power of a prime that are factors over the integers.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;

use super::Univariate;
use super::hensel::{Budget, times};
use super::modular::Field;

/// The exponent and the power of the prime that tell apart the coefficients of the factors.
///
/// A factor of f of degree m, scaled to the leading coefficient of f, has coefficients of at
/// most C(m, ⌊m/2⌋) ‖f‖₂ (after Mignotte), where C(m, ⌊m/2⌋) ≤ 2ᵐ⁻¹; the sign takes another bit.
pub(super) fn precision(f: &Univariate, field: Field) -> (u32, BigInt) {
    let squares: BigInt = f.coefficients().iter().map(|c| c.pow(2)).sum();
    let bound: BigInt = (squares.sqrt() + 1) << (f.degree() - 1);
    let (mut exponent, mut modulus) = (1, BigInt::from(field.prime()));
    while modulus <= bound {
        modulus *= field.prime();
        exponent += 1;
    }
    (exponent, modulus)
}

/// Finds the true factors among the products of few of the lifted ones.
pub(super) fn combine(
    mut f: Univariate,
    mut lifted: Vec<Vec<BigInt>>,
    modulus: &BigInt,
    degrees: &[bool],
    budget: &mut Budget,
) -> Option<Vec<Univariate>> {
    let mut factors = Vec::new();
    let mut size = 1;
    // A factor made of more than half of them is found as the cofactor of the others.
    while 2 * size <= lifted.len() {
        let mut chosen: Vec<usize> = (0..size).collect();
        let found = loop {
            budget.spend(1)?;
            if let Some(pair) = candidate(&f, &lifted, &chosen, modulus, degrees) {
                break Some(pair);
            }
            // Of two halves, one has the first factor.
            if !advance(&mut chosen, lifted.len()) || 2 * size == lifted.len() && chosen[0] > 0 {
                break None;
            }
        };
        // Smaller combinations have failed for f, and so for each factor of f: the size stays.
        if let Some((factor, quotient)) = found {
            factors.push(factor);
            f = quotient;
            // The highest index goes first, so that the others keep their places.
            for i in chosen.iter().rev() {
                lifted.remove(*i);
            }
        } else {
            size += 1;
        }
    }
    // No product of the lifted factors that are left divides f, so f is irreducible.
    factors.push(f);
    Some(factors)
}

/// The factor that the chosen lifted factors make and its cofactor, if they make one.
fn candidate(
    f: &Univariate,
    lifted: &[Vec<BigInt>],
    chosen: &[usize],
    modulus: &BigInt,
    degrees: &[bool],
) -> Option<(Univariate, Univariate)> {
    let degree: usize = chosen.iter().map(|i| lifted[*i].len() - 1).sum();
    // A true factor has a degree that is possible modulo each prime that was tried.
    if !degrees[degree] {
        return None;
    }
    let symmetric = |c: BigInt| if &c + &c > *modulus { c - modulus } else { c };
    let (first, lead) = (&f.coefficients()[0], f.coefficients().last()?);
    let lead_residue = lead.mod_floor(modulus);
    let constant = chosen
        .iter()
        .fold(lead_residue.clone(), |product, i| (product * &lifted[*i][0]).mod_floor(modulus));
    let constant = symmetric(constant);
    // The constant coefficient, checked before anything is multiplied out: it divides first · lead,
    // as the scaled factor divides lead · f.
    if constant.is_zero() || !(first * lead).is_multiple_of(&constant) {
        return None;
    }
    let product = chosen.iter().fold(vec![lead_residue], |p, i| times(&p, &lifted[*i], modulus));
    let factor = Univariate::primitive(product.into_iter().map(symmetric).collect());
    let quotient = f.divided_by(&factor)?;
    Some((factor, quotient))
}

/// The next combination of indices below `n` in lexicographic order, if there is one.
fn advance(chosen: &mut [usize], n: usize) -> bool {
    let size = chosen.len();
    // An index must leave room below n for those behind it.
    let Some(i) = (0..size).rev().find(|i| chosen[*i] < n - size + i) else { return false };
    let start = chosen[i] + 1;
    for (value, index) in chosen[i..].iter_mut().zip(start..) {
        *value = index;
    }
    true
}
