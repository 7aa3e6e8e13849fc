//! Signs of piecewise polynomials, from the roots of their pieces.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Piecewise;
use crate::domain::{Domain, Knot, Obstacle};
use crate::error::Limit;
use crate::exact::integer;
use crate::polynomial::{
    BUDGET, LinearFactor, Polynomial, Root, Symbol, linear_factors, real_roots,
};

/// The use of a sign, which decides whether it matters where the function is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For the sign itself.
    Value,
    /// To be multiplied by the function: where that is zero, the sign does not matter.
    Modulus,
}

/// The roots between two knots, and the signs around them.
pub(super) type Signs = Result<(Vec<Knot>, Vec<i8>), Obstacle>;

impl Piecewise {
    /// sgn of the function: −1, 0 or 1 at every point.
    pub(crate) fn sign(&self, domain: &Domain, purpose: Purpose) -> Result<Self, Obstacle> {
        self.signs(
            |piece, lower, upper| signs_between(piece, lower, upper, domain, purpose),
            |value, knot| value_sign(value, knot, domain, purpose),
        )
    }

    /// Signs from those between two knots, with the roots there, and from those on knots.
    pub(super) fn signs(
        &self,
        between: impl Fn(&Polynomial, Option<&Knot>, Option<&Knot>) -> Signs,
        on: impl Fn(&Polynomial, &Knot) -> Result<i8, Obstacle>,
    ) -> Result<Self, Obstacle> {
        let mut knots: Vec<Knot> = Vec::new();
        let mut pieces = Vec::new();
        let mut at = Vec::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            if i > 0 {
                let knot = &self.knots[i - 1];
                at.push(on(&self.at[i - 1], knot)?);
                knots.push(knot.clone());
            }
            let lower = i.checked_sub(1).map(|i| &self.knots[i]);
            let (roots, signs) = between(piece, lower, self.knots.get(i))?;
            at.extend(roots.iter().map(|_| 0));
            knots.extend(roots);
            pieces.extend(signs);
        }
        let constants = |signs: Vec<i8>| {
            signs.into_iter().map(|sign| Polynomial::constant(integer(i64::from(sign)))).collect()
        };
        Ok(Self::new(knots, constants(pieces), constants(at)))
    }
}

/// The sign of what does not depend on u.
fn constant_sign(value: &Polynomial, domain: &Domain, purpose: Purpose) -> Result<i8, Obstacle> {
    let sign = match purpose {
        Purpose::Value => domain.sign(value),
        Purpose::Modulus => domain.weak_sign(value),
    };
    sign.ok_or_else(|| Obstacle::Undecided(value.clone()))
}

/// The sign of a value on a knot, which holds the knot itself if that is irrational.
fn value_sign(
    value: &Polynomial,
    knot: &Knot,
    domain: &Domain,
    purpose: Purpose,
) -> Result<i8, Obstacle> {
    let Knot::Algebraic(root) = knot else { return constant_sign(value, domain, purpose) };
    let symbol = Symbol::Root(root.clone());
    let (content, linear, rest) = linear_factors(&value.numerator(), &symbol);
    let mut sign = match value.denominator() {
        Some(below) => constant_sign(below, domain, Purpose::Value)?,
        None => 1,
    };
    sign *= constant_sign(&content, domain, purpose)?;
    for LinearFactor { numerator, denominator, multiplicity } in linear {
        let below = constant_sign(&denominator, domain, Purpose::Value)?;
        let place = domain.knot(quotient(&numerator, &denominator));
        let side = match domain.order(knot, &place)? {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
        sign *= (below * side).pow(multiplicity);
    }
    let rest = rest.univariate(&symbol).ok_or_else(|| Obstacle::Undecided(value.clone()))?;
    Ok(sign * root.sign_of(&rest))
}

fn quotient(numerator: &Polynomial, denominator: &Polynomial) -> Polynomial {
    numerator * &denominator.reciprocal().expect("the denominator of a root is not zero")
}

/// The roots of a piece strictly between two knots, and its signs around them.
fn signs_between(
    piece: &Polynomial,
    lower: Option<&Knot>,
    upper: Option<&Knot>,
    domain: &Domain,
    purpose: Purpose,
) -> Signs {
    let mut piece = Cow::Borrowed(piece);
    loop {
        let coefficients = piece.coefficients(&Symbol::Variable);
        let Some(lead) = coefficients.last() else { return Ok((Vec::new(), vec![0])) };
        let sign = constant_sign(lead, domain, purpose)?;
        let degree = coefficients.len() - 1;
        if degree == 0 {
            return Ok((Vec::new(), vec![sign]));
        }
        if sign != 0 {
            return arranged(sign, roots(&piece, domain, purpose)?, lower, upper, domain);
        }
        // A coefficient may be 0 for all values of the parameters, such as a for a in [0, 0]. What is
        // left of the piece has a lower degree, with a sign and roots of its own.
        let power = Polynomial::power(Symbol::Variable, i32::try_from(degree).unwrap_or(i32::MAX));
        piece = Cow::Owned(&*piece - &(lead * &power));
    }
}

/// The roots strictly between two knots in ascending order, and the signs around them, for a
/// function that has the given sign to the right of all its roots.
pub(super) fn arranged(
    mut sign: i8,
    roots: Vec<(Knot, u32)>,
    lower: Option<&Knot>,
    upper: Option<&Knot>,
    domain: &Domain,
) -> Signs {
    // Inserted one by one: an order that does not follow is an error, which a sort cannot return.
    let mut inside: Vec<(Knot, u32)> = Vec::new();
    for (root, multiplicity) in roots {
        let right = match upper {
            Some(upper) => domain.order(&root, upper)?.is_ge(),
            None => false,
        };
        let left = match lower {
            Some(lower) => domain.order(&root, lower)?.is_le(),
            None => false,
        };
        // The given sign holds at ∞ and turns at every root on the way to the upper knot.
        if right {
            sign = flipped(sign, multiplicity);
        } else if !left {
            let mut place = inside.len();
            while place > 0 && domain.order(&inside[place - 1].0, &root)?.is_gt() {
                place -= 1;
            }
            inside.insert(place, (root, multiplicity));
        }
    }
    let mut signs = vec![sign];
    for (_, multiplicity) in inside.iter().rev() {
        sign = flipped(sign, *multiplicity);
        signs.push(sign);
    }
    signs.reverse();
    Ok((inside.into_iter().map(|(root, _)| root).collect(), signs))
}

/// The sign beyond a root.
fn flipped(sign: i8, multiplicity: u32) -> i8 {
    if multiplicity.is_multiple_of(2) { sign } else { -sign }
}

/// The distinct real roots of a piece with their multiplicities, in no order.
fn roots(
    piece: &Polynomial,
    domain: &Domain,
    purpose: Purpose,
) -> Result<Vec<(Knot, u32)>, Obstacle> {
    let variable = &Symbol::Variable;
    let piece = piece.numerator();
    let (linear, rest) = match piece.univariate(variable) {
        Some(_) => (Vec::new(), piece),
        None => {
            let (_, linear, rest) = linear_factors(&piece, variable);
            (linear, rest)
        }
    };
    let mut roots = Vec::new();
    for LinearFactor { numerator, denominator, multiplicity } in linear {
        if domain.sign(&denominator).is_none_or(|sign| sign == 0) {
            return Err(Obstacle::Undecided(denominator));
        }
        roots.push((domain.knot(quotient(&numerator, &denominator)), multiplicity));
    }
    match rest.univariate(variable) {
        Some(numbers) => {
            let work = numbers.degree().saturating_mul(numbers.bits() as usize);
            if numbers.degree() > 1 && work > Limit::Roots.maximum() {
                return Err(Obstacle::Work(work));
            }
            let found = real_roots(&numbers, BUDGET);
            let found: Vec<(Root, u32)> = found.ok_or(Obstacle::Work(work))?;
            roots.extend(found.into_iter().map(|(root, m)| (Knot::from(root), m)));
        }
        // A sign that is the same for all u and all parameters leaves no root, or only such at
        // which the sign does not change.
        None if constant_sign(&rest, domain, purpose).is_ok() => {}
        None => return Err(Obstacle::Parametric(rest)),
    }
    Ok(roots)
}
