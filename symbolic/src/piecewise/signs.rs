//! Signs of piecewise polynomials, and the sign-linear normal form
//! g(u) = c(u) + Σₖ sₖ(u) sgn(u − tₖ).

use std::collections::BTreeMap;

use super::{Knot, Piecewise};
use crate::error::Limit;
use crate::exact::{integer, ratio};
use crate::parameter::{Parameter, decided_sign};
use crate::polynomial::{Polynomial, Root, Symbol, Univariate, real_roots};

/// Why a sign cannot be given as a piecewise constant with rational knots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The sign of this polynomial in the parameters is not decided by their domains.
    Undecided(Polynomial),
    /// A root of this polynomial moves with a parameter.
    Parametric(Polynomial),
    /// Finding the roots of a polynomial of this degree times bits takes too long.
    Work(usize),
    /// A root of this polynomial is irrational.
    Irrational(Polynomial, Box<Root>),
}

impl Piecewise {
    /// sgn of the function: −1, 0 or 1 at every point.
    pub(crate) fn sign(&self, parameters: &[Parameter]) -> Result<Self, Obstacle> {
        let mut knots: Vec<Knot> = Vec::new();
        let mut pieces = Vec::new();
        let mut at = Vec::new();
        for (i, piece) in self.pieces.iter().enumerate() {
            if i > 0 {
                knots.push(self.knots[i - 1].clone());
                let value = decided(&self.at[i - 1], parameters)?;
                at.push(Polynomial::constant(integer(value)));
            }
            let lower = i.checked_sub(1).map(|i| &self.knots[i]);
            let upper = self.knots.get(i);
            let (roots, signs) = signs_between(piece, lower, upper, parameters)?;
            at.extend(roots.iter().map(|_| Polynomial::zero()));
            knots.extend(roots);
            pieces.extend(signs.into_iter().map(|sign| Polynomial::constant(integer(sign))));
        }
        Ok(Self::new(knots, pieces, at))
    }

    /// The sign-linear form with the given pieces.
    #[must_use]
    pub fn sign_form(&self) -> SignForm {
        let half = ratio(1, 2);
        let ends = &self.pieces[0] + &self.pieces[self.pieces.len() - 1];
        let jumps = self.knots.iter().zip(self.pieces.windows(2));
        let signs = jumps.map(|(t, p)| (t.clone(), (&p[1] - &p[0]).scale(&half)));
        // A knot where only the value differs has no jump.
        let signs = signs.filter(|(_, sign)| !sign.is_zero()).collect();
        SignForm { smooth: ends.scale(&half), signs }
    }
}

fn decided(value: &Polynomial, parameters: &[Parameter]) -> Result<i64, Obstacle> {
    decided_sign(value, parameters).map(i64::from).ok_or_else(|| Obstacle::Undecided(value.clone()))
}

/// The roots of a polynomial strictly between two knots, and its signs around them.
fn signs_between(
    piece: &Polynomial,
    lower: Option<&Knot>,
    upper: Option<&Knot>,
    parameters: &[Parameter],
) -> Result<(Vec<Knot>, Vec<i64>), Obstacle> {
    let (factor, polynomial) = split(piece)?;
    let factor = decided(&factor, parameters)?;
    if factor == 0 || polynomial.is_zero() {
        return Ok((Vec::new(), vec![0]));
    }
    let work = polynomial.degree() * usize::try_from(polynomial.bits()).unwrap_or(usize::MAX >> 8);
    if polynomial.degree() > 1 && work > Limit::Roots.maximum() {
        return Err(Obstacle::Work(work));
    }
    let above = |bound: &_| lower.is_none_or(|knot| knot.value() < bound);
    let below = |bound: &_| upper.is_none_or(|knot| bound < knot.value());
    let mut roots = Vec::new();
    for root in real_roots(&polynomial) {
        match root {
            Root::Rational(root) if above(&root) && below(&root) => roots.push(Knot::new(root)),
            Root::Rational(_) => {}
            // The isolating interval may reach over a knot; which side the root lies on
            // follows from the sign of the polynomial at the knot.
            Root::Irrational { lower: ref low, upper: ref high } => {
                let side = |knot: &Knot| {
                    let same = polynomial.sign_at(knot.value()) == polynomial.sign_at(high);
                    if knot.value() <= low {
                        1
                    } else if knot.value() >= high || same {
                        -1
                    } else {
                        1
                    }
                };
                if lower.is_none_or(|knot| side(knot) > 0)
                    && upper.is_none_or(|knot| side(knot) < 0)
                {
                    return Err(Obstacle::Irrational(piece.clone(), Box::new(root)));
                }
            }
        }
    }
    let mut signs = Vec::with_capacity(roots.len() + 1);
    for i in 0..=roots.len() {
        let left = if i == 0 { lower } else { Some(&roots[i - 1]) };
        let right = roots.get(i).or(upper);
        let sample = match (left, right) {
            (Some(a), Some(b)) => (a.value() + b.value()) / integer(2),
            (Some(a), None) => a.value() + integer(1),
            (None, Some(b)) => b.value() - integer(1),
            (None, None) => integer(0),
        };
        signs.push(factor * i64::from(polynomial.sign_at(&sample)));
    }
    Ok((roots, signs))
}

/// Writes a piece as c(θ) · r(u) with r rational, so that its roots do not move with θ.
fn split(piece: &Polynomial) -> Result<(Polynomial, Univariate), Obstacle> {
    let coefficients = piece.coefficients(&Symbol::Variable);
    let Some(lead) = coefficients.last() else {
        return Ok((Polynomial::zero(), Univariate::new(&[])));
    };
    let (monomial, unit) = lead.terms().next().expect("a leading coefficient is not zero");
    let rational = coefficients.iter().map(|coefficient| {
        let part =
            coefficient.terms().find(|(m, _)| *m == monomial).map_or(integer(0), |(_, c)| c / unit);
        (*coefficient == lead.scale(&part)).then_some(part)
    });
    match rational.collect::<Option<Vec<_>>>() {
        Some(coefficients) => Ok((lead.clone(), Univariate::new(&coefficients))),
        None => Err(Obstacle::Parametric(piece.clone())),
    }
}

/// g(u) = c(u) + Σₖ sₖ(u) sgn(u − tₖ), with no sₖ zero: the unique normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignForm {
    /// c
    pub smooth: Polynomial,
    /// sₖ by knot
    pub signs: BTreeMap<Knot, Polynomial>,
}

impl SignForm {
    /// The product, made linear in signs by the rule
    /// sgn(u−a) sgn(u−b) = 1 + sgn(u−b) − sgn(u−a) for a < b, and sgn² = 1.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self { smooth: &self.smooth * &other.smooth, signs: BTreeMap::new() };
        for (knot, sign) in &other.signs {
            product.add(knot, &(&self.smooth * sign));
        }
        for (a, s) in &self.signs {
            product.add(a, &(s * &other.smooth));
            for (b, r) in &other.signs {
                let both = s * r;
                product.smooth = &product.smooth + &both;
                if a != b {
                    product.add(a.max(b), &both);
                    product.add(a.min(b), &-&both);
                }
            }
        }
        product
    }

    fn add(&mut self, knot: &Knot, sign: &Polynomial) {
        let sum = self.signs.get(knot).map_or_else(|| sign.clone(), |old| old + sign);
        if sum.is_zero() {
            self.signs.remove(knot);
        } else {
            self.signs.insert(knot.clone(), sum);
        }
    }

    /// Written with |u − t| as the paper does, by
    /// s(u) sgn(u − t) = s(t) sgn(u − t) + r(u) |u − t| with s(u) = s(t) + r(u)(u − t).
    #[must_use]
    pub fn modulus_form(&self) -> ModulusForm {
        let variable = &Symbol::Variable;
        let mut form = ModulusForm { smooth: self.smooth.clone(), ..ModulusForm::default() };
        for (knot, sign) in &self.signs {
            let mut expansion = sign.taylor(variable, &knot.polynomial());
            let jump = expansion.remove(0);
            let linear = &Polynomial::symbol(variable.clone()) - &knot.polynomial();
            let kink = expansion
                .iter()
                .rev()
                .fold(Polynomial::zero(), |sum, coefficient| &(&sum * &linear) + coefficient);
            if !kink.is_zero() {
                form.moduli.insert(knot.clone(), kink);
            }
            if !jump.is_zero() {
                form.signs.insert(knot.clone(), jump);
            }
        }
        form
    }
}

/// g(u) = c(u) + Σₖ [ rₖ(u) |u − tₖ| + ρₖ sgn(u − tₖ) ] with ρₖ free of u.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModulusForm {
    /// c
    pub smooth: Polynomial,
    /// rₖ by knot
    pub moduli: BTreeMap<Knot, Polynomial>,
    /// ρₖ by knot
    pub signs: BTreeMap<Knot, Polynomial>,
}
