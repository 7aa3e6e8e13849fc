//! Two straight functions: the covariance and its five derivatives as sums over pairs of knots.
//!
//! In units of the standard deviations let z and z′ have the correlation ρ, and let g jump by C_k and have a kink of the slope D_k at the
//! knot α_k, h C′_l and D′_l at β_l. With ŝ, ŝ′ the expected slopes and f = ΣCφ(α), f′ = ΣC′φ(β),
//!
//! ```text
//! Cov = ρ (ŝ ŝ′ + ŝ f′ + f ŝ′) + Σ_kl (D D′ I₁ + C D′ A₁ + D C′ B₁ + C C′ I₀)
//! I₀ = ∫ φ₂ dr   I₁ = ∫ (ρ−r) φ₂ dr   A₁ = ∫ (ρ−r) A φ₂ dr   A = (α − rβ)/(1 − r²)   B₁, B with α and β exchanged,
//! ```
//!
//! from 0 to ρ, where φ₂ is the density of the correlation r at (α, β). This is ∂Cov/∂ρ = E\[g′h′\] (Price's theorem), once
//! or twice integrated. A derivative in a mean lowers the order of each term by one, as −∂/∂α does: −∂φ₂/∂α = A φ₂, and
//! ∂²φ₂/∂α∂β = ∂φ₂/∂r is integrated by parts. With A₀ = ∫ A φ₂ dr,
//!
//! ```text
//! −∂I₁ = A₁   −∂A₁ = αA₁ + I₁ − ρI₀   −∂²A₁ = α(−∂A₁) − ρA₀   −∂I₀ = A₀   −∂A₀ = αA₀ − ρφ₂(ρ)
//! −∂B₁ = I₀ (with what ρ f′ŝ loses)
//! ```
//!
//! Everything is proportional to ρ by its form. [`unit`] has what belongs to one of the functions, [`integral`] the sums over nodes, [`terms`] what is
//! made of them. Beyond |ρ| = [`STRONGEST`] forms in 1 − |ρ| and α − σβ are taken, with σ the sign of ρ.
//!
//! A result is used where its terms do not cancel ([`LOSS`]), for knots within [`FARTHEST`](unit::FARTHEST) deviations and [`STRENGTH`], or so far that they do not
//! count. Tails of opposite sides at ρ < 0 and pieces narrower than ξ do cancel.

pub(super) mod integral;
pub(super) mod terms;
pub(super) mod unit;

use super::correlation::{graded_rule, rule};
use super::knots::StraightKnots;
use super::{Inputs, PairMoments};
use crate::Activation;
use crate::kernel::pieces::Table;
use crate::kernel::{Lanes, Mask, number};
use integral::{KnotPair, Node, Path, Sums, determinant};
use terms::Terms;

use unit::Knot;
pub(super) use unit::{Units, numbers, row, see};

/// The largest |ρ| of the integral with few nodes.
pub(super) const STRONGEST: f64 = 0.95;
/// The least 1 − |t_ρ| for which many nodes cost less than pairs of tails: of the covariance alone (|ρ| = 0.999), and with derivatives
/// (1 − 4·10⁻⁶).
const LEAST_REST: [f64; 2] = [0.0437, 0.0028];
/// The largest product of |ρ| and the farthest knot: with few nodes, and with many.
pub(super) const STRENGTH: [f64; 2] = [7.6, 8.0];
/// How many times a result its terms may be: for the covariance, and for its derivatives.
const LOSS: [f64; 2] = [8.0, 32.0];

/// The covariance, and its derivatives in γ, γ′, ξ², ξ′² and c.
#[derive(Clone, Copy)]
pub(super) struct Found<V: Lanes> {
    pub(super) values: [V; 6],
    /// Where the terms do not cancel.
    pub(super) serves: V::Mask,
}

impl<V: Lanes> Found<V> {
    /// Takes others where these do not serve.
    #[inline(always)]
    pub(super) fn or(&mut self, others: &Self) {
        for (value, other) in self.values.iter_mut().zip(others.values) {
            *value = V::select(self.serves, *value, other);
        }
        self.serves = self.serves.or(others.serves);
    }
}

/// Of lanes of pairs. `GRADIENT`: with derivatives; `JUMPS`: a function jumps; `STRONG`: beyond |ρ| = [`STRONGEST`], and no others.
#[inline(always)]
pub(super) fn pairs<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
    const LEFT: bool,
    const RIGHT: bool,
>(
    left: &Units<'_, LEFT>,
    right: &Units<'_, RIGHT>,
    c: V,
) -> Found<V> {
    if left.knots * right.knots == 1 {
        pairs_of::<V, GRADIENT, JUMPS, STRONG, LEFT, RIGHT, 1>(left, right, c)
    } else {
        pairs_of::<V, GRADIENT, JUMPS, STRONG, LEFT, RIGHT, 4>(left, right, c)
    }
}

#[inline(always)]
fn pairs_of<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
    const LEFT: bool,
    const RIGHT: bool,
    const SIDE_BY_SIDE: usize,
>(
    left: &Units<'_, LEFT>,
    right: &Units<'_, RIGHT>,
    c: V,
) -> Found<V> {
    let (zero, one) = (number::<V>(0.0), number::<V>(1.0));
    let inverses = [left.get::<V>(row::INVERSE), right.get(row::INVERSE)];
    let given = c * inverses[0] * inverses[1];
    let reach = left.get::<V>(row::REACH).max(right.get(row::REACH));
    let strength = given.abs() * reach;
    let is_near = strength.le(number(STRENGTH[usize::from(STRONG)]));
    let (is_inside, path, nodes);
    if STRONG {
        let variances = [left.get::<V>(row::VARIANCE), right.get(row::VARIANCE)];
        let [product, determinant] = determinant(variances, c);
        let is_strong = number::<V>(STRONGEST).lt(given.abs()).and(zero.lt(determinant));
        let is_candidate = is_near.and(is_strong);
        // Other lanes compute with ρ = 0, of which nothing overflows; no one reads them.
        let rho = V::select(is_candidate, given.max(-one).min(one), zero);
        path = Path::strong(rho, V::select(is_candidate, determinant / product, one));
        let least = number::<V>(LEAST_REST[usize::from(GRADIENT)]);
        is_inside = is_candidate.and(least.le(path.end_rest));
        if !is_inside.any() {
            return Found { values: [zero; 6], serves: is_inside };
        }
        nodes = graded_rule(V::select(is_inside, path.end_rest, one));
    } else {
        is_inside = is_near.and(given.abs().le(number(STRONGEST)));
        path = Path::weak(V::select(is_inside, given, zero));
        nodes = rule(path.rho, V::select(is_inside, strength, zero));
    }
    let steep = [
        [left.get::<V>(row::STEEP), left.get(row::STEEP_FLUX)],
        [right.get(row::STEEP), right.get(row::STEEP_FLUX)],
    ];
    let mut terms = Terms::new::<GRADIENT, JUMPS>(path.rho, &left.slope(), &right.slope(), steep);

    let count = left.knots * right.knots;
    for start in (0..count).step_by(SIDE_BY_SIDE) {
        let nothing = KnotPair { square: zero, product: zero, density: zero };
        let mut at_pairs = [nothing; SIDE_BY_SIDE];
        let mut seen = false;
        for (i, at_pair) in at_pairs.iter_mut().enumerate() {
            // The last pair stands for those that there are not.
            let [k, l] = knots(left, right, (start + i).min(count - 1));
            *at_pair = KnotPair::new::<STRONG>(&k, &l, path.sign);
            seen |= zero.lt(at_pair.density).any();
        }
        if !seen {
            continue;
        }
        let mut sums: [Sums<V>; SIDE_BY_SIDE] = [[zero; 6]; SIDE_BY_SIDE];
        for [x, x_low, weight] in nodes {
            let numbers = [number::<V>(*x), number((1.0 - x) - x_low), number(*weight)];
            let node = Node::new::<STRONG>(&path, numbers);
            for (at_pair, sums) in at_pairs.iter().zip(&mut sums) {
                node.add::<GRADIENT, JUMPS>(at_pair, sums);
            }
        }
        for i in 0..SIDE_BY_SIDE.min(count - start) {
            let [k, l] = knots(left, right, start + i);
            terms.add_pair::<GRADIENT, JUMPS, STRONG>(&path, &k, &l, &at_pairs[i], sums[i]);
        }
    }

    let Terms { mut values, sizes, scales } = terms;
    let get = |which: usize| [left.get::<V>(which), right.get(which)];
    let ([weight, weight_h], [far, far_h]) = (get(row::WEIGHT), get(row::FAR));
    // Knots that are too far have a density of 0 above. A bound of what they would add takes its place.
    let neglected = far.mul_add(weight_h, weight * far_h) * number(1.0 / (f64::EPSILON * LOSS[0]));
    let whole = scales[0].abs();
    let mut serves = is_inside.and((sizes[0] + neglected).le(number::<V>(LOSS[0]) * whole));
    if GRADIENT {
        for i in 1..6 {
            let most = if i < 5 { values[i].abs().max(whole) } else { scales[1].abs() };
            serves = serves.and((sizes[i] + neglected).le(number::<V>(LOSS[1]) * most));
        }
        values = Terms::in_units(inverses, values);
    }
    Found { values, serves }
}

/// A pair of knots by its number.
#[inline(always)]
fn knots<V: Lanes<Element = f64>, const LEFT: bool, const RIGHT: bool>(
    left: &Units<'_, LEFT>,
    right: &Units<'_, RIGHT>,
    pair: usize,
) -> [Knot<V>; 2] {
    [left.knot(pair / right.knots), right.knot(pair % right.knots)]
}

/// The most knots of a function of a single pair.
const MOST_KNOTS: usize = 16;

/// A single unit.
struct One {
    numbers: [f64; row::KNOTS + row::OF_KNOT * MOST_KNOTS],
    knots: usize,
}

impl One {
    fn new(g: StraightKnots<'_>, gamma: f64, xi2: f64) -> Self {
        let mut numbers = [0.0; row::KNOTS + row::OF_KNOT * MOST_KNOTS];
        see(g, gamma, xi2, |row, value| numbers[row] = value);
        Self { numbers, knots: g.count() }
    }

    fn units(&self) -> Units<'_, false> {
        Units { rows: &self.numbers, stride: 1, at: 0, knots: self.knots }
    }
}

/// The covariance of a single pair with its derivatives, and both means.
pub(super) struct Single {
    /// E\[g\] and E\[h\] where their terms do not cancel.
    means: [Option<f64>; 2],
    /// Whether both functions are 0 where the means are.
    vanish: bool,
    /// The covariance, and its derivatives in γ, γ′, ξ², ξ′² and c.
    values: [f64; 6],
}

impl Single {
    /// From the numbers of both units.
    pub(super) fn new(of: impl Fn(usize, usize) -> f64, values: [f64; 6]) -> Self {
        let mean = |unit: usize| {
            let [mean, size] = [of(unit, row::MEAN), of(unit, row::MEAN_SIZE)];
            (size <= LOSS[0] * mean.abs()).then_some(mean)
        };
        let vanish = of(0, row::BASE) == 0.0 && of(1, row::BASE) == 0.0;
        Self { means: [mean(0), mean(1)], vanish, values }
    }

    /// All numbers of the pair of functions; `None` if E\[g h\] is far less than it is a sum of, and there is a better way to it.
    pub(super) fn moments(self, g: &Table<'_>, h: &Table<'_>, at: &Inputs) -> Option<PairMoments> {
        let [first, second] = self.means;
        let first = first.unwrap_or_else(|| g.moments(at.gamma, at.xi2).mean);
        let second = second.unwrap_or_else(|| h.moments(at.gamma_h, at.xi2_h).mean);
        let [covariance, gamma, gamma_h, xi2, xi2_h, cov] = self.values;
        if self.vanish && cancels(covariance, first * second) {
            return None;
        }
        Some(PairMoments {
            mixed: covariance + first * second,
            covariance,
            dcovariance_dgamma: gamma,
            dcovariance_dxi2: xi2,
            dcovariance_dgamma_h: gamma_h,
            dcovariance_dxi2_h: xi2_h,
            dcovariance_dcov: cov,
        })
    }
}

/// Whether little is left of a sum.
pub(super) fn cancels(a: f64, b: f64) -> bool {
    LOSS[0] * (a + b).abs() < a.abs() + b.abs()
}

/// A single pair, where the integral serves; the variances need not be positive, nor the correlation be one.
pub(super) fn single(g: StraightKnots<'_>, h: StraightKnots<'_>, at: &Inputs) -> Option<Single> {
    if g.count().max(h.count()) > MOST_KNOTS {
        return None;
    }
    let left = One::new(g, at.gamma, at.xi2);
    let right = One::new(h, at.gamma_h, at.xi2_h);
    let (first, second) = (left.units(), right.units());
    let jumps = g.jumps() || h.jumps();
    let of = |unit: usize, row: usize| [&left, &right][unit].numbers[row];
    let is_strong = (at.cov * of(0, row::INVERSE) * of(1, row::INVERSE)).abs() > STRONGEST;
    let pairs = match (jumps, is_strong) {
        (true, false) => pairs::<f64, true, true, false, false, false>,
        (false, false) => pairs::<f64, true, false, false, false, false>,
        (true, true) => pairs::<f64, true, true, true, false, false>,
        (false, true) => pairs::<f64, true, false, true, false, false>,
    };
    let found = pairs(&first, &second, at.cov);
    found.serves.then(|| Single::new(of, found.values))
}
