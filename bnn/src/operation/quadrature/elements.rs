//! The integrals of the moments and of their derivatives for a chunk of elements.
//!
//! ```text
//! E[g] − g(γ) = Σ ∫ (g − g(γ)) φ dz        Var g = Σ ∫ (g − E g)² φ dz
//! ∂E[g]/∂γ = E[g′]        ∂E[g]/∂ξ² = ½ E[g″]
//! ∂Var/∂γ = 2 E[(g − E g) g′]        ∂Var/∂ξ² = E[g′²] + E[(g − E g) g″]
//! ```
//!
//! Derivatives are taken twice, with the derivatives on g and on the density. The sum whose terms are smaller is
//! used.

use burn::tensor::Tensor;

use super::constants::{Constants, columns};
use super::panels::{Knots, Panels};
use super::sum::Sum;
use super::{FAR, LEAST_VARIANCE};

/// A chunk of inputs with its coordinates, before the integrals. Shapes are \[n, 1\] for an element, \[n, knots\] and
/// \[n, panels\]. The panels are the two of γ's piece, then one beyond each knot.
pub(super) struct Elements<'a> {
    constants: &'a Constants<'a>,
    xi2: Tensor<2>,
    /// ξ and its inverse.
    xi: Tensor<2>,
    inverse: Tensor<2>,
    taylor: Vec<Tensor<2>>,
    knots: Option<Knots>,
    panels: Panels,
}

impl<'a> Elements<'a> {
    pub(super) fn new(constants: &'a Constants<'a>, gamma: Tensor<1>, xi2: Tensor<1>) -> Self {
        let (gamma, xi2) = (gamma.unsqueeze_dim::<2>(1), xi2.unsqueeze_dim::<2>(1));
        let xi = xi2.clone().clamp_min(LEAST_VARIANCE).sqrt();
        let inverse = xi.clone().recip();
        let (row, taylor) = constants.around(gamma.clone());
        let column = |i: usize| row.clone().narrow(1, i, 1);
        // The ends of γ's piece, from γ.
        let ends = columns::ENDS.map(|i| (column(i) - gamma.clone()) + column(i + 1));
        let rises = ends.clone().map(|end| {
            let inner = taylor.iter().skip(1).rev().cloned();
            inner.reduce(|sum, a| sum * end.clone() + a).map_or(end.clone(), |s| s * end)
        });
        let [next, before] = ends;
        let far = |length: Tensor<2>, has: Tensor<2>| {
            (length * inverse.clone()).mask_fill(has.lower_elem(0.5), FAR)
        };
        let [has_next, has_before] = columns::HAS_ENDS.map(column);
        let inner = [far(next, has_next), far(before.neg(), has_before)];
        let knots = Knots::new(constants, &row, gamma, &inverse, rises);
        let panels = Panels::new(constants, &taylor, inner, knots.as_ref(), &inverse);
        Self { constants, xi2, xi, inverse, taylor, knots, panels }
    }

    pub(super) fn results(self) -> [Tensor<2>; 6] {
        let Self { constants, xi2, xi, inverse, taylor, knots, panels } = self;
        let [n, count] = panels.near.dims();
        let (at_nodes, degree) = ([n, count, constants.count], constants.pieces.degree);
        let deep = |t: Tensor<2>| t.unsqueeze_dim::<3>(2);
        let sum = |t: Tensor<3>| t.reshape([n, count * constants.count]).sum_dim(1);

        let length = panels.length.clone().min_pair(reach(&panels.near, constants.fall));
        let z = deep(panels.near) + deep(length.clone()) * constants.nodes.clone();
        let mass = z.clone().square().mul_scalar(-0.5).exp()
            * deep(length.clone())
            * constants.weights.clone();
        let step = deep(panels.sign.clone() * length * xi) * constants.nodes.clone();
        let polynomial = |from: usize, factor: &dyn Fn(usize) -> f64| {
            let terms = (from..=degree).rev().map(|j| {
                deep(panels.coefficients[j - 1].clone()).mul_scalar(factor(j)).expand(at_nodes)
            });
            terms.reduce(|sum, c| sum * step.clone() + c)
        };
        // g − g(γ), g′ − g′(γ) and g″ at the nodes.
        let v = polynomial(1, &|_| 1.0).map_or(step.clone(), |p| p * step.clone());
        let v = v + deep(panels.rise);
        let slope = deep(panels.slope).expand(at_nodes);
        let w = match polynomial(2, &|j| j as f64) {
            Some(p) => p * step.clone() + slope,
            None => slope,
        };
        let bend = polynomial(2, &|j| (j * (j - 1)) as f64);

        let offset = sum(mass.clone() * v.clone());
        let apart = v - deep(offset.clone()).expand(at_nodes);
        let weighted = mass.clone() * apart.clone();
        let first_slope = taylor[1].clone();
        let slopes = sum(mass.clone() * w.clone());
        // E(g − E g) is 0, so that E g′ may be taken off the slope: smaller terms are added.
        let slopes_apart = w.clone() - deep(slopes.clone()).expand(at_nodes);
        let steep = deep(first_slope.clone()).expand(at_nodes) + w;
        let squares = weighted.clone() * apart;
        let variance = sum(squares.clone());
        // E[g′], ½ E[g″], 2 E[(g − E g) g′] and E[g′²] + E[(g − E g) g″], each with what its terms come to without sign.
        let signed = |t: Tensor<3>| Sum { size: sum(t.clone().abs()), value: sum(t) };
        let mut direct = [
            Sum { value: first_slope + slopes, size: sum(mass.clone() * steep.clone().abs()) },
            Sum::nothing(&xi2),
            signed(weighted.clone() * slopes_apart).times(2.0),
            signed(mass.clone() * steep.square()),
        ];
        if let Some(bend) = bend {
            direct[1].add(signed(mass * bend.clone()).times(0.5));
            direct[3].add(signed(weighted.clone() * bend));
        }
        // The polynomials know nothing of jumps: at a knot g′ and g″ have point masses.
        if let Some(knots) = knots {
            let flux = knots.flux(constants, &inverse, offset.clone());
            for (sum, flux) in direct.iter_mut().zip(flux) {
                sum.add(flux);
            }
        }
        // The derivatives again, now on the density: E[(g − E g) He_k]/ξᵏ, and with the square.
        let he = [z.clone() * deep(panels.sign), z.square().sub_scalar(1.0)];
        let by = [inverse.clone(), inverse.square().mul_scalar(0.5)];
        // A variance that underflowed gives its sums the size 0, by which they would be taken.
        let is_there = variance.clone().greater_elem(LEAST_VARIANCE);
        let mut stein = Vec::new();
        for (t, size) in [(weighted, variance.clone().sqrt()), (squares, variance.clone())] {
            for (he, by) in he.iter().zip(&by) {
                let value = sum(t.clone() * he.clone()) * by.clone();
                stein.push(Sum { value, size: size.clone() * by.clone() });
            }
        }
        // NaN for what is no variance.
        let valid = xi2.sqrt().mul_scalar(0.0);
        let mean = taylor[0].clone() + offset;
        let mut out = vec![mean, variance];
        for (direct, stein) in direct.into_iter().zip(stein) {
            out.push(direct.or_if_smaller(stein, is_there.clone()));
        }
        let mut out = out.into_iter().map(|t| t + valid.clone());
        std::array::from_fn(|_| out.next().unwrap_or_else(|| valid.clone()))
    }
}

/// The distance from the near end at which the density has fallen by e to the power of `fall`.
fn reach(near: &Tensor<2>, fall: f64) -> Tensor<2> {
    // The root less `near` would cancel far from γ; the quotient does not.
    let root = near.clone().square().add_scalar(2.0 * fall).sqrt();
    (near.clone() + root).recip().mul_scalar(2.0 * fall)
}
