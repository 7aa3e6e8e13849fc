//! From the regimes of an activation to the IR of its moments, as formulas around each piece.
//!
//! Let q be the polynomial of the piece that γ lies on, Q_k = E\[q⁽ᵏ⁾\], T = g − q on the other pieces,
//! m = E\[g\] = Q₀ + E\[T\], and R, U the derivatives of q and g in a parameter θ. Then
//!
//! - ∂E\[g\]/∂γ and 2 ∂E\[g\]/∂ξ² are Q_k + E\[T⁽ᵏ⁾\] and what the jumps of g⁽ʲ⁾, j < k, add, for k = 1, 2;
//! - Var g = Σ_{k≥1} ξ²ᵏ Q_k²/k! − E\[T\]² + E\[T (T + 2(q − Q₀))\], where the last is a difference of
//!   squares, (g − Q₀)² − (q − Q₀)²;
//! - with the derivatives of the sum over k and f = T (T + 2(q − Q₀)), whose derivative with Q₀ held fixed is
//!   E\[f z\]/ξ, ∂Var/∂γ = … + E\[f z\]/ξ − 2 E\[T\] (Q₁ + E\[T z\]/ξ) and ∂Var/∂ξ² = … + ½ E\[f (z² − 1)\]/ξ²
//!   − E\[T\] (Q₂ + E\[T (z² − 1)\]/ξ²): the brackets, derivatives of the mean, are small where g turns back, and
//!   Q₁ and Q₂ alone are not. On narrow pieces E\[T\] goes into the product, T (T + 2(q − m));
//! - ½ ∂Var/∂θ = Σ_{k≥1} ξ²ᵏ Q_k R_k/k! − E\[T\] R₀ + E\[T R + (g − m)(U − R)\], besides the motion of
//!   knots, which is in `boundary`.
//!
//! So that a constant in g cancels before anything is computed, q − m is taken near each knot as
//! (q(u) − q(t)) + (q(t) − Q₀) − E\[T\], or without the last for q − Q₀, with q(t) − Q₀ = Σ_{k≥1} ξᵏ Q_k He_k(z)/k!.
//!
//! Around the pieces of a clamp and its like all this is computed at once: `united`.
//!
//! Where γ lies on a narrow piece, q is a constant instead, and the variance is E\[(g − m)²\], piece by
//! piece: a sum of positive terms, whatever the pieces are.

mod around;
mod at_gamma;
mod boundary;
mod constant;
mod parameter;
pub(crate) mod parts;
mod polynomial;
mod united;
mod variance;

use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Difference};

use self::parts::{inverse_factorial, order};
use crate::builder::Builder;
use crate::ir::{Block, Case, Condition, Operand};
use crate::quantity::{Moment, Quantity, Variable};
use crate::tail::{Contributions, Factor, Integrand};
use crate::xi_term::XiTerm;

/// Lowers quantities, either without derivatives in parameters or nothing but these.
pub(crate) fn lower(activation: &Activation, quantities: &[Quantity]) -> Block {
    if quantities.is_empty() {
        return Block::default();
    }
    let lowering = Lowering { contributions: Contributions::new(activation), quantities };
    let pieces = activation.function.pieces().len();
    Builder::default().block(|b| {
        let fluxes = lowering.fluxes(b);
        match pieces {
            _ if lowering.can_unite() => lowering.united(b, &fluxes),
            1 => lowering.wide(b, 0, &fluxes).results,
            2 => b.sides(|b, piece| lowering.wide(b, piece, &fluxes).results),
            _ => {
                let mut cases: Vec<Case> = (0..pieces).map(Case::Wide).collect();
                // Unbounded pieces are never narrow.
                cases.extend((1..pieces - 1).map(Case::Narrow));
                let values = b.branch(Condition::Case(cases.clone()), cases.len(), |b, arm| {
                    match cases[arm] {
                        Case::Wide(piece) => lowering.wide(b, piece, &fluxes).flatten(),
                        Case::Narrow(piece) => lowering.narrow(b, piece, &fluxes),
                    }
                });
                lowering.integrate(b, &values)
            }
        }
    })
}

/// Lowers g itself: a branch on the place of x, which is the input γ here.
pub(crate) fn value(activation: &Activation) -> Block {
    let contributions = Contributions::new(activation);
    let function = &activation.function;
    Builder::default().block(|b| {
        let places = 2 * function.pieces().len() - 1;
        let at = |b: &mut Builder, place: usize| {
            // Pieces and knots take turns from left to right, and pieces have the even places.
            let polynomials =
                if place.is_multiple_of(2) { function.pieces() } else { function.at_knots() };
            vec![contributions.at_gamma(b, place / 2, &polynomials[place / 2])]
        };
        if places == 1 { at(b, 0) } else { b.branch(Condition::Place, places, at) }
    })
}

struct Lowering<'a> {
    contributions: Contributions<'a>,
    /// The quantities that are computed, in this order.
    quantities: &'a [Quantity],
}

/// The contribution of the jumps at the knots to the derivatives of E\[g\] in γ, and to the derivatives of ∂E\[g\]/∂θ
/// for each parameter θ. It does not depend on the base.
struct Fluxes {
    own: Vec<XiTerm>,
    in_parameters: Vec<Vec<XiTerm>>,
}

impl Lowering<'_> {
    fn activation(&self) -> &Activation {
        self.contributions.activation
    }

    /// How many derivatives of the mean in γ are needed, itself included; as many of the variance.
    fn orders(&self) -> usize {
        let orders = self.quantities.iter().filter_map(|quantity| quantity.order());
        // A derivative in ξ² is half of the second one in γ.
        if orders.into_iter().any(|(_, order)| order > 0) { 3 } else { 1 }
    }

    /// The parameters in which derivatives are taken, ascending.
    fn parameters(&self) -> Vec<usize> {
        let parameter = |quantity: &Quantity| match quantity {
            Quantity::Derivative(_, Variable::Parameter(i)) => Some(*i),
            _ => None,
        };
        let mut parameters: Vec<usize> = self.quantities.iter().filter_map(parameter).collect();
        // Quantities are ascending, so that the same parameter stands side by side.
        parameters.dedup();
        parameters
    }

    fn symbol(&self, parameter: usize) -> Symbol {
        Symbol::Parameter(self.activation().parameters[parameter].name.clone())
    }

    /// The place of a quantity among the results.
    fn place(&self, quantity: Quantity) -> Option<usize> {
        self.quantities.iter().position(|asked| *asked == quantity)
    }

    /// The results, from each moment's derivatives in γ up to a [factor](Quantity::of_order).
    fn results(
        &self,
        b: &mut Builder,
        mut of: impl FnMut(&mut Builder, Moment, usize) -> Operand,
    ) -> Vec<Operand> {
        let mut result = |quantity: &Quantity| {
            let (moment, k) = quantity.order().expect("no derivative in a parameter");
            of(b, moment, k)
        };
        self.quantities.iter().map(&mut result).collect()
    }

    fn fluxes(&self, b: &mut Builder) -> Fluxes {
        let function = &self.activation().function;
        let of = |b: &mut Builder, pieces: &[Polynomial]| {
            let mut sums = vec![XiTerm::zero(); self.orders()];
            for (knot, sides) in pieces.windows(2).enumerate() {
                let [left, right] = sides else { unreachable!("windows of two") };
                let flux = self.contributions.flux(b, knot, [left, right], self.orders());
                accumulate(b, &mut sums, flux);
            }
            sums
        };
        let in_parameter = |b: &mut Builder, parameter: usize| {
            let symbol = self.symbol(parameter);
            let pieces: Vec<Polynomial> =
                function.pieces().iter().map(|p| p.derivative(&symbol)).collect();
            of(b, &pieces)
        };
        let own = of(b, function.pieces());
        let parameters = self.parameters().into_iter();
        Fluxes { own, in_parameters: parameters.map(|i| in_parameter(b, i)).collect() }
    }

    /// The derivatives in γ of an expectation, as sums over pieces and jumps.
    fn derivatives(
        &self,
        b: &mut Builder,
        pieces: &[(&Difference, Factor<'_>)],
        own: Option<usize>,
        fluxes: &[XiTerm],
        count: usize,
    ) -> Vec<XiTerm> {
        let mut sums: Vec<XiTerm> = fluxes.iter().take(count).cloned().collect();
        for (place, factor) in pieces {
            let integrand = [Integrand::Derivatives { factor: factor.clone(), count }];
            let is_own = own == Some(place.piece);
            let mut parts = self.contributions.of(b, place, is_own, &integrand);
            accumulate(b, &mut sums, parts.remove(0));
        }
        sums
    }

    /// Sums over pieces of E\[f He_k(z)\]/ξᵏ for products f.
    fn products<'f>(
        &self,
        b: &mut Builder,
        differences: &[Difference],
        own: Option<usize>,
        count: usize,
        products: impl Fn(&Difference) -> Vec<[Factor<'f>; 2]>,
    ) -> Vec<XiTerm> {
        let mut sums = vec![XiTerm::zero(); count];
        for place in differences {
            for factors in products(place) {
                let product = [Integrand::Product { factors, count }];
                let is_own = own == Some(place.piece);
                let mut parts = self.contributions.of(b, place, is_own, &product);
                accumulate(b, &mut sums, parts.remove(0));
            }
        }
        sums
    }
}

fn accumulate(b: &mut Builder, sums: &mut [XiTerm], parts: Vec<XiTerm>) {
    for (sum, part) in sums.iter_mut().zip(parts) {
        *sum = std::mem::replace(sum, XiTerm::zero()).plus(b, part);
    }
}
