//! Derivatives of mean, second moment and variance in a parameter.
//!
//! With ġ the derivative of g in the parameter at a fixed u, and knots t that move by ṫ, where g jumps by J from g₋ to g₊:
//!
//! ∂E\[g\] = E\[ġ\] − Σ J ṫ p(t)
//! ∂Var g = 2 Cov(g, ġ) − Σ J ṫ p(t) (g₋ + g₊ − 2E\[g\])
//!
//! with p the density of u. The covariance is a sum over pieces, as the variance is.

use super::common::Common;
use super::curved::{self, MAX_NODES, Nodes};
use super::panel::{End, Panel};
use super::sum::raise;
use super::table::{MAX_DEGREE, Table};
use super::walk::{Level, Visitor, above, walk};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::number::{self, number};
use crate::kernel::{Deviation, Edge, Lanes, Pair};
use crate::lanes::Work;

/// How a function moves with a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Tangent<'a> {
    /// The derivative at a fixed place, with the knots and centers of the function; no values and limits at knots.
    pub rate: Table<'a>,
    /// The derivative of each knot.
    pub motion: &'a [f64],
}

/// The derivatives of mean, second moment and variance in a parameter, for finite γ and ξ² ≥ 0, not for ξ² = 0 on a
/// knot.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tangent<V: Lanes>(table: &Table<'_>, tangent: &Tangent<'_>, gamma: V, xi2: V) -> [V; 3] {
    V::outlined_in::<(), _>(Derive { table, tangent, gamma, xi2 })
}

struct Derive<'a, V> {
    table: &'a Table<'a>,
    tangent: &'a Tangent<'a>,
    gamma: V,
    xi2: V,
}

impl<V: Lanes> Work for Derive<'_, V> {
    type Output = [V; 3];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> [V; 3] {
        let Self { table, tangent, gamma, xi2 } = self;
        let exponents = [table.exponent, tangent.rate.exponent];
        if !V::GENERAL && exponents != [0, 0] {
            // What is beyond the range of a vector counts: for single numbers.
            return [gamma * V::splat(V::Scalar::NAN); 3];
        }
        let deviation = Deviation::new(xi2, [-1, 2 * table.degree as i32]);
        let mut parts = Parts {
            deviation: &deviation,
            whole: Common::nothing(),
            nodes: [Nodes::new(), Nodes::new()],
        };
        let tables = [table, &tangent.rate];
        let levels = walk::<V, 2, { MAX_DEGREE + 1 }>(tables, gamma, &deviation, &mut parts);
        let Common { means, product, .. } = parts.whole;
        let zero = V::splat(V::Scalar::ZERO);
        // What the motion of the knots adds to the mean and the variance.
        let mut flux = [zero; 2];
        for (knot, &motion) in tangent.motion.iter().enumerate() {
            let [jump, _] = table.jumps(knot);
            // A knot that stays, or at which g does not jump, moves no mass.
            if jump * motion == 0.0 {
                continue;
            }
            let end = End::new(gamma, table.knots[knot], &deviation);
            let [left, right] = [table.left_of(knot)[0], table.right_of(knot)[0]];
            let sides = [number::pair(left), number::pair(right)];
            let rate = number::<V>(-jump * motion);
            flux = moved(flux, rate, &end.edge, sides, levels[0], means[0], &deviation);
        }
        let unit = -V::Accuracy::DENSITY_EXPONENT;
        let [mean, rate] = [0, 1].map(|f: usize| raise(total(levels[f], means[f]), exponents[f]));
        let flux = [raise(flux[0], exponents[0] + unit), raise(flux[1], 2 * exponents[0] + unit)];
        let product = raise(product + product, exponents[0] + exponents[1] + unit);
        derivatives(mean, rate, product, flux)
    }
}

/// The mean of a function from its level and the mean of the rest.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn total<V: Lanes>([level, offset]: Level<V>, mean: Pair<V>) -> V {
    ((level + offset) + mean).round()
}

/// The flux of the mean and of the variance through moving knots, with one more knot added. At this knot g has the
/// values `sides`, and `rate` is −J ṫ with J the jump of g.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn moved<V: Lanes>(
    flux: [V; 2],
    rate: V,
    edge: &Edge<V>,
    sides: [[V; 2]; 2],
    level: Level<V>,
    mean: Pair<V>,
    deviation: &Deviation<V>,
) -> [V; 2] {
    let rate = rate * (edge.h * deviation.inverse);
    let left = (above(sides[0], level) - mean).round();
    let right = (above(sides[1], level) - mean).round();
    [flux[0] + rate, rate.mul_add(left + right, flux[1])]
}

/// The derivatives of mean, second moment and variance, from the mean, that of ġ, twice the covariance of both, and the
/// flux.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn derivatives<V: Lanes>(mean: V, rate: V, product: V, flux: [V; 2]) -> [V; 3] {
    let dmean = rate + flux[0];
    let dvariance = product + flux[1];
    [dmean, (mean + mean).mul_add(dmean, dvariance), dvariance]
}

/// Mass, means and covariance of g and ġ over the parts of the line so far.
struct Parts<'a, V: Lanes> {
    deviation: &'a Deviation<V>,
    whole: Common<V>,
    nodes: [Nodes<V, MAX_NODES>; 2],
}

impl<V: Lanes> Visitor<V, 2> for Parts<'_, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn panel(&mut self, panel: &Panel<V>, coefficients: [&mut [Pair<V>]; 2]) {
        let Self { deviation, nodes, .. } = self;
        self.whole = self.whole.join(curved::common(panel, coefficients, deviation, nodes));
    }

    fn knot(&mut self, _: usize, _: &End<V>) {}
}
