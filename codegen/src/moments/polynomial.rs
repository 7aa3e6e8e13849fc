//! Moments around the polynomial q of a piece that is not narrow: Q_k + E\[T⁽ᵏ⁾\], and the variance from squares.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Difference, Regime};

use super::around::Around;
use super::parts::Parts;
use super::variance::Squares;
use super::{Fluxes, Lowering};
use crate::builder::{Builder, input};
use crate::ir::{Input, Operand};
use crate::quantity::Moment;
use crate::tail::{Factor, Less};
use crate::xi_term::XiTerm;

/// The terms that all quantities are made of.
pub(super) struct Expansion<'a> {
    /// The piece.
    pub(super) base: usize,
    /// q, the polynomial of the piece.
    pub(super) q: &'a Polynomial,
    /// T = g − q on the other pieces.
    pub(super) differences: Vec<Difference>,
    /// E\[T⁽ᵏ⁾\].
    pub(super) slopes: Vec<XiTerm>,
    /// Q_k, and E\[T\] as its square and products with other tails take it.
    pub(super) g: Parts,
    /// E\[T\] wherever γ lies.
    pub(super) level: XiTerm,
    /// Q₀ − q(t) at each knot.
    pub(super) from_knots: Vec<Operand>,
}

impl Expansion<'_> {
    /// The factors of products, T where nothing is done with it.
    pub(super) fn whole(
        &self,
        of: impl Fn(&Polynomial) -> Polynomial,
    ) -> Vec<(&Difference, Factor<'_>)> {
        self.differences.iter().map(|d| (d, Factor::whole(of(&d.polynomial)))).collect()
    }

    pub(super) fn mean(&self, b: &mut Builder, k: usize) -> Operand {
        self.g.mean(b, &self.slopes, k)
    }
}

impl Lowering<'_> {
    /// The results where γ lies on a piece that is not narrow.
    pub(super) fn wide(&self, b: &mut Builder, base: usize, fluxes: &Fluxes) -> Around {
        let regime = Regime::new(&self.activation().function, base);
        let expansion = self.expansion(b, base, &regime, fluxes);
        if self.parameters().is_empty() {
            self.around_polynomial(b, &expansion)
        } else {
            self.in_parameters_around_polynomial(b, &expansion, fluxes)
        }
    }

    fn expansion<'a>(
        &self,
        b: &mut Builder,
        base: usize,
        regime: &'a Regime<'_>,
        fluxes: &Fluxes,
    ) -> Expansion<'a> {
        let (q, differences) = (regime.polynomial(), regime.differences());
        let t: Vec<_> =
            differences.iter().map(|d| (d, Factor::whole(d.polynomial.clone()))).collect();
        let slopes = self.derivatives(b, &t, None, &fluxes.own, self.orders());
        let degree = usize::try_from(q.degree(&Symbol::Variable)).unwrap_or(0);
        let smooth = self.smooth(b, base, q, degree);
        // In squares and, for derivatives, in products with other tails; far from all knots they would only
        // underflow.
        let level = slopes[0].clone().finish(b);
        let needs_rise = self.orders() > 1 || !self.parameters().is_empty();
        let rise = if needs_rise { b.seen(level.clone()) } else { level.clone() };
        let level = XiTerm::new(level, 0);
        let g = Parts { q: smooth, rise };
        let knots = 0..self.activation().function.knots().len();
        let from_knots = knots.map(|knot| {
            let to_knot = g.rise_to(b, knot);
            XiTerm::zero().minus(b, to_knot).finish(b)
        });
        let from_knots = from_knots.collect();
        Expansion { base, q, differences, slopes, g, level, from_knots }
    }

    /// The moments and their derivatives in γ and ξ².
    fn around_polynomial(&self, b: &mut Builder, around: &Expansion<'_>) -> Around {
        let (two, differences) = (integer(2), &around.differences[..]);
        let double = around.q.scale(&two);
        let from_knots: Vec<Operand> =
            around.from_knots.iter().map(|less| b.scale(less.clone(), &two)).collect();
        let twice_rise = b.scale(around.g.rise.clone(), &two);
        let products = self.bounded(b, differences, Some(around.base), |place| {
            vec![(difference_of_squares(place, &double, &from_knots), twice_rise.clone())]
        });
        let f = self.products(b, differences, None, self.orders(), |place| {
            vec![difference_of_squares(place, &double, &from_knots)]
        });
        // E[T He_k(z)]/ξᵏ without narrow pieces; where there are none, what stands there already.
        let is_bounded = |place: &Difference| place.far.is_some();
        let t = if self.orders() > 1 && differences.iter().any(is_bounded) {
            self.products(b, differences, None, self.orders(), |place| {
                let t = place.polynomial.clone();
                vec![[Factor::whole(t), Factor::whole(Polynomial::one())]]
            })
        } else {
            around.slopes.clone()
        };
        let squares = Squares { g: &around.g, level: &around.level, t: &t, f: &f };
        let results = self.results(b, |b, moment, k| match moment {
            Moment::Mean => around.mean(b, k),
            _ => squares.variance(b, k),
        });
        Around { results, products }
    }

    /// Q₀, Q₁, … up to the degree.
    pub(super) fn smooth(
        &self,
        b: &mut Builder,
        base: usize,
        polynomial: &Polynomial,
        degree: usize,
    ) -> Vec<XiTerm> {
        let order = |k: usize| u32::try_from(k).expect("a small degree");
        let values = (0..=degree).map(|k| {
            let by_xi2: Vec<Operand> = Regime::smooth(polynomial, order(k))
                .iter()
                .map(|p| self.contributions.at_gamma(b, base, p))
                .collect();
            XiTerm::new(b.horner(&by_xi2, &input(Input::Xi2)), 0)
        });
        values.collect()
    }
}

/// T and T + 2(q − Q₀), from 2 q and twice the numbers at the knots.
fn difference_of_squares<'f>(
    place: &Difference,
    double: &'f Polynomial,
    less: &'f [Operand],
) -> [Factor<'f>; 2] {
    let polynomial = &place.polynomial + double;
    let less = Less::AtKnots(double, less);
    [Factor::whole(place.polynomial.clone()), Factor { polynomial, less }]
}
