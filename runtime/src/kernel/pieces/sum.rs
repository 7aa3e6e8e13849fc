//! Mean, variance and their derivatives of a table, as the sum of the contributions of its pieces.
//!
//! Up to degree 3 the sum of truncated moments ([`sum`]) computes all of them. Above, the loop over the pieces
//! ([`walk`]) joins what each contributes, by Gauss–Legendre quadrature.

use super::contribution::Contribution;
use super::curved::{self, Nodes, most_nodes};
use super::panel::{End, Panel};
use super::table::{MAX_DEGREE, Table};
use super::walk::{Visitor, walk};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::number::number;
use crate::kernel::sum;
use crate::kernel::{Deviation, Edge, Lanes, Pair, density_unit};
use crate::lanes::Work;
use crate::precision::Precision;

/// Mean and variance of a table, for finite γ and ξ² ≥ 0, not for ξ² = 0 on a knot.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn moments<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 2] {
    let [mean, variance, ..] = results_of::<V, false>(table, gamma, xi2);
    [mean, variance]
}

/// Mean, variance and their derivatives in γ and ξ², for finite γ and ξ² ≥ 0, not for ξ² = 0 on a knot.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn gradients<V: Lanes>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    results_of::<V, true>(table, gamma, xi2)
}

/// Mean, variance and their derivatives in γ and ξ² for ξ² = 0 and γ on a knot; `None` elsewhere.
#[must_use]
pub fn gradients_at_zero_variance(table: &Table<'_>, gamma: f64) -> Option<[f64; 6]> {
    table.limits_at(gamma)
}

/// Whether the pieces are integrated at quadrature nodes.
fn is_at_nodes(table: &Table<'_>) -> bool {
    table.degree > sum::MAX_DEGREE
}

/// The results of a table. Each kind of table is a function of its own: one for all would take the stack of the largest.
#[cfg_attr(not(debug_assertions), inline(always))]
fn results_of<V: Lanes, const SLOPES: bool>(table: &Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    if !V::GENERAL && table.exponent != 0 {
        // What is beyond the range of a vector counts: for single numbers.
        return [gamma * V::splat(V::Scalar::NAN); 6];
    }
    let sum = Sum::<V, SLOPES> { table, gamma, xi2 };
    if is_at_nodes(table) {
        return match table.degree {
            4 => V::outlined_in::<(), _>(ByNodes::<V, SLOPES, 5, { most_nodes(4) }>(sum)),
            _ => V::outlined_in::<(), _>(ByNodes::<
                V,
                SLOPES,
                { MAX_DEGREE + 1 },
                { most_nodes(MAX_DEGREE) },
            >(sum)),
        };
    }
    match table.degree {
        1 => V::outlined_in::<(), _>(ByRows::<V, SLOPES, 1>(sum)),
        2 => V::outlined_in::<(), _>(ByRows::<V, SLOPES, 2>(sum)),
        _ => V::outlined_in::<(), _>(ByRows::<V, SLOPES, 3>(sum)),
    }
}

struct Sum<'a, V, const SLOPES: bool> {
    table: &'a Table<'a>,
    gamma: V,
    xi2: V,
}

/// The sum of truncated moments, for a degree up to D and any number of knots.
struct ByRows<'a, V, const SLOPES: bool, const D: usize>(Sum<'a, V, SLOPES>);

impl<V: Lanes, const SLOPES: bool, const D: usize> Work for ByRows<'_, V, SLOPES, D> {
    type Output = [V; 6];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> [V; 6] {
        let Sum { table, gamma, xi2 } = self.0;
        let rows = &table.rows;
        let mut results = [V::splat(V::Scalar::ZERO); 6];
        if SLOPES {
            results = sum::gradients::<V, 0, D, false>(rows, gamma, xi2, 0);
        } else {
            let [mean, variance] = sum::moments::<V, 0, D, false>(rows, gamma, xi2, 0);
            (results[0], results[1]) = (mean, variance);
        }
        raised(results, table.exponent, 0)
    }
}

/// The loop over the pieces, with room for `COUNT` coefficients and `NODES` nodes.
struct ByNodes<'a, V, const SLOPES: bool, const COUNT: usize, const NODES: usize>(
    Sum<'a, V, SLOPES>,
);

impl<V: Lanes, const SLOPES: bool, const COUNT: usize, const NODES: usize> Work
    for ByNodes<'_, V, SLOPES, COUNT, NODES>
{
    type Output = [V; 6];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> [V; 6] {
        let Sum { table, gamma, xi2 } = self.0;
        let degree = table.degree as i32;
        let deviation = Deviation::new(xi2, [if SLOPES { -2 } else { 0 }, 2 * degree]);
        let mut parts = Parts::<V, SLOPES, NODES> {
            table,
            deviation: &deviation,
            whole: Contribution::nothing(),
            flux: Flux::none(),
            nodes: Nodes::new(),
        };
        let [[level, offset]] = walk::<V, 1, COUNT>([table], gamma, &deviation, &mut parts);
        let Parts { mut whole, flux, .. } = parts;
        whole.mean = (level + offset) + whole.mean;
        let cancels = number(cancels(table.degree));
        let results = results::<V, SLOPES>(&whole, &flux, &deviation, cancels);
        raised(results, table.exponent, -V::Accuracy::DENSITY_EXPONENT)
    }
}

/// The contribution of the parts of the line so far, with the jumps at the knots between them.
struct Parts<'a, V: Lanes, const SLOPES: bool, const NODES: usize> {
    table: &'a Table<'a>,
    deviation: &'a Deviation<V>,
    whole: Contribution<V>,
    flux: Flux<V>,
    nodes: Nodes<V, NODES>,
}

impl<V: Lanes, const SLOPES: bool, const NODES: usize> Visitor<V, 1>
    for Parts<'_, V, SLOPES, NODES>
{
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn panel(&mut self, panel: &Panel<V>, [coefficients]: [&mut [Pair<V>]; 1]) {
        let Self { deviation, nodes, .. } = self;
        let contribution = contribution::<V, SLOPES, NODES>(panel, coefficients, deviation, nodes);
        self.whole = self.whole.join::<SLOPES>(contribution);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn knot(&mut self, knot: usize, end: &End<V>) {
        if SLOPES {
            self.flux.add(end, self.table.jumps(knot), self.deviation);
        }
    }
}

/// The contribution of a panel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn contribution<V: Lanes, const SLOPES: bool, const NODES: usize>(
    panel: &Panel<V>,
    coefficients: &mut [Pair<V>],
    deviation: &Deviation<V>,
    nodes: &mut Nodes<V, NODES>,
) -> Contribution<V> {
    struct Curved<'a, V: Lanes, const SLOPES: bool, const NODES: usize> {
        panel: &'a Panel<V>,
        coefficients: &'a mut [Pair<V>],
        deviation: &'a Deviation<V>,
        nodes: &'a mut Nodes<V, NODES>,
    }
    impl<V: Lanes, const SLOPES: bool, const NODES: usize> Work for Curved<'_, V, SLOPES, NODES> {
        type Output = Contribution<V>;
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn run(self) -> Contribution<V> {
            let Self { panel, coefficients, deviation, nodes } = self;
            curved::contribution::<V, SLOPES, NODES>(panel, coefficients, deviation, nodes)
        }
    }
    V::outlined(Curved::<V, SLOPES, NODES> { panel, coefficients, deviation, nodes })
}

/// The contribution of the jumps of g and of its slope to the derivatives of the mean in γ and ξ². The sizes are the
/// sums of the absolute values of the terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flux<V> {
    pub(super) sums: [V; 2],
    pub(super) sizes: [V; 2],
}

impl<V: Lanes> Flux<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn none() -> Self {
        let none = [V::splat(V::Scalar::ZERO); 2];
        Self { sums: none, sizes: none }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(&mut self, end: &End<V>, [jump, bend]: [f64; 2], deviation: &Deviation<V>) {
        if jump == 0.0 && bend == 0.0 {
            return;
        }
        *self = self.with(&end.edge, [number(jump), number(bend)], deviation);
    }

    /// The contribution with one more knot, at which g and its slope jump.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn with(
        &self,
        edge: &Edge<V>,
        [jump, bend]: [V; 2],
        deviation: &Deviation<V>,
    ) -> Self {
        let density = edge.h * deviation.inverse;
        let (jump, bend) = (jump * density, bend * density);
        let moved = jump * (edge.score() * deviation.inverse);
        Self {
            sums: [self.sums[0] + jump, self.sums[1] + (bend + moved)],
            sizes: [self.sizes[0] + jump.abs(), self.sizes[1] + (bend.abs() + moved.abs())],
        }
    }
}

/// Mean, variance and derivatives of ĝ from the contribution of the whole line, in the unit of densities.
///
/// The derivatives of the mean are E\[(g − m) He_k\]/ξᵏ, with an error that is small beside √Var g/ξᵏ, or E\[g⁽ᵏ⁾\], with
/// one that is small beside E|g⁽ᵏ⁾|: whichever is less.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn results<V: Lanes, const SLOPES: bool>(
    whole: &Contribution<V>,
    flux: &Flux<V>,
    deviation: &Deviation<V>,
    cancels: V,
) -> [V; 6] {
    let mean = whole.mean.round();
    let squares = whole.squares.round();
    let zero = V::splat(V::Scalar::ZERO);
    let mut results = [mean, squares, zero, zero, zero, zero];
    if !SLOPES {
        return results;
    }
    let slopes = &whole.slopes;
    let unit = density_unit::<V>();
    let deviate = (squares * unit).sqrt();
    let inverse = deviation.inverse_pair();
    let half = V::splat(V::Scalar::HALF);
    let weights = [inverse.round(), half * (inverse * inverse).round()];
    let lengths = [deviation.xi, deviation.xi * deviation.xi];
    for k in 0..2 {
        let size = (slopes.size[k] + flux.sizes[k]) * unit;
        let by_hermite = slopes.first[k] * weights[k];
        let smooth = slopes.smooth[k] + flux.sums[k];
        let smooth = if k == 1 { half * smooth } else { smooth };
        let is_smooth = (cancels * size * lengths[k]).lt(deviate);
        results[2 + k] = V::select(is_smooth, smooth, by_hermite);
        results[4 + k] = slopes.second[k] * weights[k];
    }
    results
}

/// The factor by which the terms of a polynomial of a degree, or of its derivatives, may exceed their sum in plain
/// numbers.
pub(super) fn cancels(degree: usize) -> f64 {
    f64::power_of_two(degree as i32 - 1)
}

/// The results of g = 2ᵉ ĝ in the unit 1, from those of ĝ in the unit 2ᵘ but for its mean.
#[cfg_attr(not(debug_assertions), inline(always))]
fn raised<V: Lanes>(mut results: [V; 6], exponent: i32, unit: i32) -> [V; 6] {
    results[0] = raise(results[0], exponent);
    for i in [2, 3] {
        results[i] = raise(results[i], exponent + unit);
    }
    for i in [1, 4, 5] {
        results[i] = raise(results[i], 2 * exponent + unit);
    }
    results
}

/// value · 2ᵉ
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn raise<V: Lanes>(mut value: V, mut exponent: i32) -> V {
    while exponent != 0 {
        let step = exponent.clamp(-V::Scalar::MOST_EXPONENT, V::Scalar::MOST_EXPONENT);
        value = value * V::splat(V::Scalar::power_of_two(step));
        exponent -= step;
    }
    value
}
