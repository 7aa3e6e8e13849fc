//! Derivatives in parameters around a constant, where γ lies on a narrow piece: Var g = E\[(g − m)²\], piece by piece.

use gaussform_symbolic::polynomial::Polynomial;
use gaussform_symbolic::{Difference, Regime};

use super::{Fluxes, Lowering};
use crate::builder::Builder;
use crate::ir::{Condition, Operand};
use crate::tail::{Factor, Less};
use crate::xi_term::XiTerm;

/// The terms that all quantities are made of.
pub(super) struct Deviation<'a> {
    /// The piece.
    pub(super) base: usize,
    /// The constant.
    pub(super) level: &'a Polynomial,
    /// g less the constant on each piece.
    pub(super) differences: Vec<Difference>,
    /// E\[g⁽ᵏ⁾\].
    pub(super) slopes: Vec<XiTerm>,
    /// E\[g\] less the constant.
    pub(super) rise: Operand,
}

impl Deviation<'_> {
    /// g − E\[g\].
    pub(super) fn centred(&self, place: &Difference) -> Factor<'_> {
        let polynomial = place.polynomial.clone();
        Factor { polynomial, less: Less::Number(self.rise.clone()) }
    }

    /// E\[g\].
    pub(super) fn mean(&self, b: &mut Builder) -> Operand {
        self.slopes[0].clone().finish(b)
    }
}

impl Lowering<'_> {
    /// The results where γ lies on a narrow piece.
    pub(super) fn narrow(&self, b: &mut Builder, base: usize, fluxes: &Fluxes) -> Vec<Operand> {
        let levels = Regime::levels(&self.activation().function, base);
        self.nearest_level(b, base, &levels, fluxes)
    }

    /// The results around the first of some levels whose piece is not narrow, or around the last one.
    fn nearest_level(
        &self,
        b: &mut Builder,
        base: usize,
        levels: &[(Regime<'_>, usize)],
        fluxes: &Fluxes,
    ) -> Vec<Operand> {
        let [(level, piece), others @ ..] = levels else { unreachable!("one level at least") };
        if others.is_empty() {
            return self.around(b, base, level, fluxes);
        }
        b.branch(Condition::Narrow(*piece), 2, |b, arm| match arm {
            0 => self.nearest_level(b, base, others, fluxes),
            _ => self.around(b, base, level, fluxes),
        })
    }

    fn around(
        &self,
        b: &mut Builder,
        base: usize,
        regime: &Regime<'_>,
        fluxes: &Fluxes,
    ) -> Vec<Operand> {
        let deviation = self.deviation(b, base, regime, fluxes);
        self.in_parameters_around_constant(b, &deviation, fluxes).flatten()
    }

    fn deviation<'a>(
        &self,
        b: &mut Builder,
        base: usize,
        regime: &'a Regime<'_>,
        fluxes: &Fluxes,
    ) -> Deviation<'a> {
        let pieces = self.activation().function.pieces();
        let (level, differences) = (regime.polynomial(), regime.differences());
        let g: Vec<(&Difference, Factor<'_>)> =
            differences.iter().map(|d| (d, Factor::whole(pieces[d.piece].clone()))).collect();
        let slopes = self.derivatives(b, &g, Some(base), &fluxes.own, self.orders());
        // The constant is taken off exactly, so that nothing cancels in the rise.
        let deviations: Vec<(&Difference, Factor<'_>)> =
            differences.iter().map(|d| (d, Factor::whole(&pieces[d.piece] - level))).collect();
        let rise = self.derivatives(b, &deviations, Some(base), &fluxes.own, 1);
        let rise = rise[0].clone().finish(b);
        Deviation { base, level, differences, slopes, rise }
    }
}
