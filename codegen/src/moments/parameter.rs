//! Derivatives of the moments in a parameter θ: those of the pieces, and the flux through moving knots.
//!
//! ½ ∂Var/∂θ = Σ_{k≥1} ξ²ᵏ Q_k R_k/k! − E\[T\] R₀ + E\[T R + (g − m)(U − R)\] + the flux, with R and U the
//! derivatives of q and g in θ. `boundary` has the flux.

use gaussform_symbolic::Difference;
use gaussform_symbolic::exact::integer;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};

use super::around::Around;
use super::boundary::{Jump, jumps};
use super::constant::Deviation;
use super::parts::Parts;
use super::polynomial::Expansion;
use super::{Fluxes, Lowering, accumulate};
use crate::builder::{Builder, zero};
use crate::ir::Operand;
use crate::quantity::{Moment, Quantity, Variable};
use crate::tail::{Factor, Less};
use crate::xi_term::XiTerm;

/// The derivatives in one parameter of E\[g\] and of Var g.
struct InParameter {
    dmean: Operand,
    dvariance: Operand,
}

impl Lowering<'_> {
    pub(super) fn in_parameters_around_polynomial(
        &self,
        b: &mut Builder,
        around: &Expansion<'_>,
        fluxes: &Fluxes,
    ) -> Around {
        let Expansion { base, q, differences, g, level: rise, from_knots, .. } = around;
        // m − q(t) at each knot.
        let less: Vec<Operand> =
            from_knots.iter().map(|less| b.add(g.rise.clone(), less.clone())).collect();
        // T with R, and g − m with U − R.
        let factors = |place: &Difference, symbol: &Symbol| {
            let t = place.polynomial.clone();
            let (r, u) = (q.derivative(symbol), t.derivative(symbol));
            let level = Factor { polynomial: &t + *q, less: Less::AtKnots(q, &less) };
            [[Factor::whole(t), Factor::whole(r)], [level, Factor::whole(u)]]
        };
        let jumps = jumps(self.activation(), q);
        let degree = g.q.len() - 1;
        let mut derivatives = Vec::new();
        for (parameter, fluxes) in self.parameters().into_iter().zip(&fluxes.in_parameters) {
            let symbol = &self.symbol(parameter);
            let u = around.whole(|p| p.derivative(symbol));
            let u = self.derivatives(b, &u, None, fluxes, 1);
            let cross =
                self.products(b, differences, None, 1, |place| factors(place, symbol).to_vec());
            let r = self.smooth(b, *base, &q.derivative(symbol), degree);
            let [flux, level] = self.moving(b, g, &jumps, symbol);
            let dmean = u[0].clone().plus(b, r[0].clone()).plus(b, flux).finish(b);
            let back = rise.times(b, &r[0]);
            let half = Parts::covariance(b, &g.q, &r, 0);
            let half = cross[0].clone().minus(b, back).plus(b, level).plus(b, half);
            let dvariance = half.scale(b, &integer(2)).finish(b);
            derivatives.push(InParameter { dmean, dvariance });
        }
        let products = self.bounded(b, differences, Some(*base), |place| {
            let parameters = self.parameters().into_iter();
            let factors = parameters.flat_map(|i| factors(place, &self.symbol(i)));
            factors.map(|factors| (factors, zero())).collect()
        });
        let mean = around.mean(b, 0);
        Around { results: self.results_in_parameters(b, &mean, &derivatives), products }
    }

    pub(super) fn in_parameters_around_constant(
        &self,
        b: &mut Builder,
        around: &Deviation<'_>,
        fluxes: &Fluxes,
    ) -> Around {
        let pieces = self.activation().function.pieces();
        let (differences, own) = (&around.differences[..], Some(around.base));
        let jumps = jumps(self.activation(), around.level);
        let g = Parts { q: Vec::new(), rise: around.rise.clone() };
        // What the constant does in the mean and in T cancels.
        let derivative = |place: &Difference, symbol: &Symbol| {
            Factor::whole(pieces[place.piece].derivative(symbol))
        };
        let mut derivatives = Vec::new();
        for (parameter, fluxes) in self.parameters().into_iter().zip(&fluxes.in_parameters) {
            let symbol = &self.symbol(parameter);
            let u: Vec<_> = differences.iter().map(|d| (d, derivative(d, symbol))).collect();
            let u = self.derivatives(b, &u, own, fluxes, 1);
            let cross = self.products(b, differences, own, 1, |place| {
                vec![[around.centred(place), derivative(place, symbol)]]
            });
            let [flux, level] = self.moving(b, &g, &jumps, symbol);
            let dmean = u[0].clone().plus(b, flux).finish(b);
            let dvariance = cross[0].clone().plus(b, level);
            let dvariance = dvariance.scale(b, &integer(2)).finish(b);
            derivatives.push(InParameter { dmean, dvariance });
        }
        let products = self.bounded(b, differences, None, |place| {
            let nothing = || Factor::whole(Polynomial::zero());
            let factors = self.parameters().into_iter().flat_map(|parameter| {
                let u = derivative(place, &self.symbol(parameter));
                // The first slot is for the derivative of q, of which nothing is left here.
                [[nothing(), nothing()], [around.centred(place), u]]
            });
            factors.map(|factors| (factors, zero())).collect()
        });
        let mean = around.mean(b);
        Around { results: self.results_in_parameters(b, &mean, &derivatives), products }
    }

    /// The quantities from the derivatives in each parameter.
    fn results_in_parameters(
        &self,
        b: &mut Builder,
        mean: &Operand,
        derivatives: &[InParameter],
    ) -> Vec<Operand> {
        let parameters = self.parameters();
        let mut result = |quantity: &Quantity| {
            let Quantity::Derivative(moment, Variable::Parameter(parameter)) = quantity else {
                unreachable!("derivatives in parameters are lowered by themselves")
            };
            let place = parameters.iter().position(|i| i == parameter);
            let InParameter { dmean, dvariance } = &derivatives[place.expect("asked for")];
            match moment {
                Moment::Mean => dmean.clone(),
                Moment::Variance => dvariance.clone(),
                Moment::Second => {
                    let twice = b.scale(mean.clone(), &integer(2));
                    let square = b.multiply(twice, dmean.clone());
                    b.add(dvariance.clone(), square)
                }
            }
        };
        self.quantities.iter().map(&mut result).collect()
    }

    /// The flux through the moving knots, in ∂E\[g\]/∂θ and in ½ ∂Var/∂θ.
    fn moving(&self, b: &mut Builder, g: &Parts, jumps: &[Jump], theta: &Symbol) -> [XiTerm; 2] {
        let mut sums = [XiTerm::zero(), XiTerm::zero()];
        for jump in jumps {
            let flux = jump.flux(b, &self.contributions, theta);
            if !flux.is_zero() {
                let level = jump.level(b, &self.contributions, g);
                let level = level.times(b, &flux);
                accumulate(b, &mut sums, vec![flux, level]);
            }
        }
        sums
    }
}
