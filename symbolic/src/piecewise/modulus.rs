//! The sign-linear normal form g(u) = c(u) + Σₖ sₖ(u) sgn(u − tₖ), and its form with |u − tₖ|.

use std::collections::{BTreeMap, BTreeSet};

use super::Piecewise;
use crate::domain::Knot;
use crate::exact::{integer, ratio};
use crate::polynomial::{Polynomial, Symbol};

impl Piecewise {
    /// The sign-linear form with the given pieces.
    #[must_use]
    pub fn sign_form(&self) -> SignForm {
        let half = ratio(1, 2);
        // Left of all knots every sign is −1 and right of them it is 1, so c is the mean of the
        // two ends.
        let ends = &self.pieces[0] + &self.pieces[self.pieces.len() - 1];
        let jumps = self.knots.iter().zip(self.pieces.windows(2));
        let signs = jumps.map(|(t, p)| (t.clone(), (&p[1] - &p[0]).scale(&half)));
        // A knot where only the value differs has no jump.
        let signs = signs.filter(|(_, sign)| !sign.is_zero()).collect();
        SignForm { smooth: ends.scale(&half), signs }
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
    ///
    /// Collected, sgn(u − t) gets sₜ times the value of the other function at t, taken half from
    /// each side, and the other way round.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let (left, right) = (self.means(), other.means());
        let total = |form: &Self| form.signs.values().fold(Polynomial::zero(), |sum, s| &sum + s);
        let mut product = Self {
            // The mean of the ends (c ± S)(c′ ± S′), with S and S′ the sums of the signs'
            // coefficients.
            smooth: &(&self.smooth * &other.smooth) + &(&total(self) * &total(other)),
            signs: BTreeMap::new(),
        };
        let knots: BTreeSet<&Knot> = self.signs.keys().chain(other.signs.keys()).collect();
        for knot in knots {
            let ours = self.signs.get(knot).map(|sign| sign * right.at(knot));
            let theirs = other.signs.get(knot).map(|sign| sign * left.at(knot));
            let sum = &ours.unwrap_or_default() + &theirs.unwrap_or_default();
            if !sum.is_zero() {
                product.signs.insert(knot.clone(), sum);
            }
        }
        product
    }

    /// c + Σ_{t before} sₜ − Σ_{t after} sₜ at every knot and between the knots.
    fn means(&self) -> Means<'_> {
        let sum = self.signs.values().fold(self.smooth.clone(), |sum, sign| &sum - sign);
        let mut between = vec![sum];
        let mut knots = Vec::new();
        for (knot, sign) in &self.signs {
            let last = &between[between.len() - 1];
            let (on, after) = (last + sign, last + &sign.scale(&integer(2)));
            knots.push((knot, on));
            between.push(after);
        }
        Means { knots, between }
    }

    /// Written with |u − t| as the paper does, by
    /// s(u) sgn(u − t) = s(t) sgn(u − t) + r(u) |u − t| with s(u) = s(t) + r(u)(u − t).
    #[must_use]
    pub fn modulus_form(&self) -> ModulusForm {
        let variable = &Symbol::Variable;
        let mut form = ModulusForm { smooth: self.smooth.clone(), ..ModulusForm::default() };
        for (knot, sign) in &self.signs {
            // Division by u − t leaves s(t).
            let place = knot.polynomial();
            let mut quotient = Vec::new();
            let mut jump = Polynomial::zero();
            for coefficient in sign.coefficients(variable).iter().rev() {
                quotient.push(jump.clone());
                jump = &(&jump * &place) + coefficient;
            }
            // The first entry is the 0 that Horner's rule starts with.
            let powers = (0..).zip(quotient.iter().skip(1).rev());
            let kink = powers.fold(Polynomial::zero(), |sum, (power, coefficient)| {
                &sum + &coefficient.shift(variable, power)
            });
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

/// The polynomials of a function between its knots, and on each knot the mean of the two.
struct Means<'a> {
    knots: Vec<(&'a Knot, Polynomial)>,
    between: Vec<Polynomial>,
}

impl Means<'_> {
    fn at(&self, knot: &Knot) -> &Polynomial {
        match self.knots.binary_search_by(|(other, _)| (*other).cmp(knot)) {
            Ok(index) => &self.knots[index].1,
            Err(index) => &self.between[index],
        }
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
