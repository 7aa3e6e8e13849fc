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
//! Everything is proportional to ρ by its form. [`unit`] has what belongs to one of the functions, [`integral`] the sums over nodes. Beyond
//! |ρ| = [`STRONGEST`] forms in 1 − |ρ| and δ = α − σβ are taken, with σ the sign of ρ: (1 − r²)A = δ + σβ(1 − |r|) and
//! (1 − r²)B = −σδ + σα(1 − |r|).
//!
//! Beside each sum stands the sum of the sizes of its terms. A result is used where its terms do not cancel ([`LOSS`]), for knots within
//! [`FARTHEST`](unit::FARTHEST) deviations and [`STRENGTH`], or so far that they do not
//! count. Tails of opposite sides at ρ < 0 and pieces narrower than ξ do cancel.

pub(super) mod integral;
pub(super) mod unit;

use super::{Inputs, PairMoments};
use crate::Activation;
use crate::kernel::pieces::Table;
use crate::kernel::{Deviation, Lanes, Mask, number};
use crate::lanes::twice::Twice;
use crate::precision::Precision;
use integral::{KnotPair, Path, Sums, apart, determinant, graded_rule, rule, sums};
use unit::{Knot, One, Slope, UnitNumbers};

pub(super) use unit::{Columns, StraightKnots, Units, numbers, row, see};

/// The largest |ρ| of the integral with few nodes.
pub(super) const STRONGEST: f64 = 0.95;
/// The least 1 − |t_ρ| for which many nodes cost less than pairs of tails: of the covariance alone (|ρ| = 0.999), and with derivatives
/// (1 − 4·10⁻⁶).
const LEAST_REST: [f64; 2] = [0.0437, 0.0028];
/// The largest product of |ρ| and the farthest knot: with few nodes, and with many.
pub(super) const STRENGTH: [f64; 2] = [7.6, 8.0];
/// The exponent of the least product of variances of which 1 − ρ² is right.
const LEAST_PRODUCT: i32 = -900;
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

/// ρ, of 1/ξ and 1/ξ′.
#[inline(always)]
fn standard<V: Lanes>([inverse, inverse_h]: [V; 2], c: V) -> V {
    // The product of both first: a small covariance times the smaller one may underflow.
    c * (inverse * inverse_h)
}

/// The correlation of units, and whether the integral serves it.
#[derive(Clone, Copy)]
struct Correlation<V: Lanes> {
    /// To ρ, or to 0 where it does not serve: of that nothing overflows, and no one reads it.
    path: Path<V>,
    serves: V::Mask,
}

impl<V: Lanes> Correlation<V> {
    /// Up to [`STRONGEST`].
    #[inline(always)]
    fn weak(inverses: [V; 2], c: V) -> Self {
        let rho = standard(inverses, c);
        let serves = rho.abs().le(number(STRONGEST));
        Self { path: Path::weak(V::select(serves, rho, number(0.0))), serves }
    }

    /// Beyond.
    #[inline(always)]
    fn strong<const GRADIENT: bool>(inverses: [V; 2], variances: [V; 2], c: V) -> Self {
        let (zero, one) = (number::<V>(0.0), number::<V>(1.0));
        let rho = standard(inverses, c);
        let [product, determinant] = determinant(variances, c);
        // Below, what rounding took from the products underflows.
        let least = V::splat(V::Scalar::power_of_two(LEAST_PRODUCT));
        let is_exact = least.le(product).and(zero.lt(determinant));
        let is_strong = number::<V>(STRONGEST).lt(rho.abs()).and(is_exact);
        let rho = V::select(is_strong, rho.max(-one).min(one), zero);
        let path = Path::strong(rho, V::select(is_strong, determinant / product, one));
        let least = number::<V>(LEAST_REST[usize::from(GRADIENT)]);
        Self { path, serves: is_strong.and(least.le(path.end_rest)) }
    }
}

/// Of lanes of pairs. `GRADIENT`: with derivatives; `JUMPS`: a function jumps; `STRONG`: beyond |ρ| = [`STRONGEST`], and no others.
#[inline(always)]
pub(super) fn pairs<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
>(
    left: &impl UnitNumbers<V>,
    right: &impl UnitNumbers<V>,
    c: V,
) -> Found<V> {
    let inverses = [left.get(row::INVERSE), right.get(row::INVERSE)];
    let correlation = if STRONG {
        let variances = [left.get(row::VARIANCE), right.get(row::VARIANCE)];
        Correlation::strong::<GRADIENT>(inverses, variances, c)
    } else {
        Correlation::weak(inverses, c)
    };
    pairs_of::<V, GRADIENT, JUMPS, STRONG>(left, right, c, &correlation)
}

/// [`pairs`] with correlations that are known.
#[inline(always)]
fn pairs_of<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
>(
    left: &impl UnitNumbers<V>,
    right: &impl UnitNumbers<V>,
    c: V,
    correlation: &Correlation<V>,
) -> Found<V> {
    // The sums of one pair of knots are a chain of operations that wait for each other. Where there are more, four run side by side.
    if left.count() * right.count() == 1 {
        knots_of::<V, GRADIENT, JUMPS, STRONG, 1>(left, right, c, correlation)
    } else {
        knots_of::<V, GRADIENT, JUMPS, STRONG, 4>(left, right, c, correlation)
    }
}

#[inline(always)]
fn knots_of<
    V: Lanes<Element = f64>,
    const GRADIENT: bool,
    const JUMPS: bool,
    const STRONG: bool,
    const SIDE_BY_SIDE: usize,
>(
    left: &impl UnitNumbers<V>,
    right: &impl UnitNumbers<V>,
    c: V,
    correlation: &Correlation<V>,
) -> Found<V> {
    let (zero, one) = (number::<V>(0.0), number::<V>(1.0));
    let inverses = [left.get(row::INVERSE), right.get(row::INVERSE)];
    let reach = left.get(row::REACH).max(right.get(row::REACH));
    let strength = standard(inverses, c).abs() * reach;
    let is_near = strength.le(number(STRENGTH[usize::from(STRONG)]));
    let Correlation { path, serves } = *correlation;
    let is_inside = is_near.and(serves);
    let nodes = if STRONG {
        if !is_inside.any() {
            return Found { values: [zero; 6], serves: is_inside };
        }
        graded_rule(V::select(is_inside, path.end_rest, one))
    } else {
        rule(path.rho, V::select(is_inside, strength, zero))
    };
    let steep = [
        [left.get(row::STEEP), left.get(row::STEEP_FLUX)],
        [right.get(row::STEEP), right.get(row::STEEP_FLUX)],
    ];
    let mut terms = Terms::new::<GRADIENT, JUMPS>(path.rho, &left.slope(), &right.slope(), steep);

    let count = left.count() * right.count();
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
        let sums = sums::<V, GRADIENT, JUMPS, STRONG, SIDE_BY_SIDE>(&path, &at_pairs, nodes);
        for i in 0..SIDE_BY_SIDE.min(count - start) {
            let [k, l] = knots(left, right, start + i);
            terms.add_pair::<GRADIENT, JUMPS, STRONG>(&path, &k, &l, &at_pairs[i], sums[i]);
        }
    }

    let Terms { mut values, sizes, scales } = terms;
    let get = |which: usize| [left.get(which), right.get(which)];
    let ([weight, weight_h], [far, far_h]) = (get(row::WEIGHT), get(row::FAR));
    // Knots that are too far have a density of 0 above. A bound of what they would add takes its place.
    let neglected = far.mul_add(weight_h, weight * far_h) * number(1.0 / (f64::EPSILON * LOSS[0]));
    let whole = scales[0].abs();
    let mut serves = is_inside.and((sizes[0] + neglected).le(number::<V>(LOSS[0]) * whole));
    if GRADIENT {
        for i in 1..6 {
            // A derivative may be 0 by symmetry: it is judged beside the covariance then.
            let most = if i < 5 { values[i].abs().max(whole) } else { scales[1].abs() };
            serves = serves.and((sizes[i] + neglected).le(number::<V>(LOSS[1]) * most));
        }
        values = Terms::in_units(inverses, values);
    }
    Found { values, serves }
}

/// A pair of knots by its number.
#[inline(always)]
fn knots<V: Lanes>(
    left: &impl UnitNumbers<V>,
    right: &impl UnitNumbers<V>,
    pair: usize,
) -> [Knot<V>; 2] {
    [left.knot(pair / right.count()), right.knot(pair % right.count())]
}

/// The most knots of a function of a single pair.
const MOST_KNOTS: usize = 16;

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
    let [mut left, mut right] = [[[0.0; row::OF_KNOT]; MOST_KNOTS]; 2];
    let mut units = [(&mut left[..g.count()]), (&mut right[..h.count()])]
        .map(|knots| One { numbers: [0.0; row::KNOTS], knots });
    see_both(&mut units, [g, h], at)
}

fn see_both(
    units: &mut [One<'_>; 2],
    functions: [StraightKnots<'_>; 2],
    at: &Inputs,
) -> Option<Single> {
    let variances = Twice(at.xi2, at.xi2_h);
    let deviation = Deviation::new(variances, [0, 0]);
    let Twice(inverse, inverse_h) = deviation.inverse;
    let inverses = [inverse, inverse_h];
    let is_strong = standard(inverses, at.cov).abs() > STRONGEST;
    // At once, so that it is computed beside the numbers of the units.
    let correlation = if is_strong {
        Correlation::strong::<true>(inverses, [at.xi2, at.xi2_h], at.cov)
    } else {
        Correlation::weak(inverses, at.cov)
    };
    if !correlation.serves {
        return None;
    }
    let means = Twice(at.gamma, at.gamma_h);
    see(&functions, means, variances, &deviation, is_strong, units);
    let [left, right] = units;
    let jumps = left.jumps() || right.jumps();
    let pairs = match (jumps, is_strong) {
        (true, false) => pairs_of::<f64, true, true, false>,
        (false, false) => pairs_of::<f64, true, false, false>,
        (true, true) => pairs_of::<f64, true, true, true>,
        (false, true) => pairs_of::<f64, true, false, true>,
    };
    let found = pairs(left, right, at.cov, &correlation);
    let of = |unit: usize, row: usize| units[unit].numbers[row];
    found.serves.then(|| Single::new(of, found.values))
}

/// The covariance and its derivatives, in units of the deviations.
#[derive(Clone, Copy)]
pub(super) struct Terms<V> {
    /// In nothing, α, β, twice α, twice β, and ρ.
    pub(super) values: [V; 6],
    /// The sums of the sizes of the terms.
    pub(super) sizes: [V; 6],
    /// The covariance, and its derivative in ρ, of the functions that increase as steeply as g and h change.
    pub(super) scales: [V; 2],
}

impl<V: Lanes> Terms<V> {
    /// The part of the expected slopes, and of those of the steep functions with their fluxes.
    #[inline(always)]
    pub(super) fn new<const GRADIENT: bool, const JUMPS: bool>(
        rho: V,
        left: &Slope<V>,
        right: &Slope<V>,
        steep: [[V; 2]; 2],
    ) -> Self {
        let zero = number::<V>(0.0);
        let product = product::<V, JUMPS>([[left.slope, left.flux], [right.slope, right.flux]]);
        let [size, first_size, second_size] = left.sizes;
        let [size_h, first_size_h, second_size_h] = right.sizes;
        let size_rho = rho.abs();
        let mut values = [rho * product, zero, zero, zero, zero, product];
        let mut sizes = [size_rho * size * size_h, zero, zero, zero, zero, size * size_h];
        if GRADIENT {
            let ([first, second], [first_h, second_h]) = (left.derivatives, right.derivatives);
            values[1] = rho * first * right.slope;
            values[2] = rho * first_h * left.slope;
            values[3] = rho * second * right.slope;
            values[4] = rho * second_h * left.slope;
            sizes[1] = size_rho * first_size * size_h;
            sizes[2] = size_rho * first_size_h * size;
            sizes[3] = size_rho * second_size * size_h;
            sizes[4] = size_rho * second_size_h * size;
        }
        let steep = self::product::<V, JUMPS>(steep);
        Self { values, sizes, scales: [rho * steep, steep] }
    }

    /// Adds a multiple of a term, of which the size of what it is a sum of is known.
    #[inline(always)]
    fn add(&mut self, at: usize, factor: V, [term, size]: [V; 2]) {
        self.values[at] = factor.mul_add(term, self.values[at]);
        self.sizes[at] = factor.abs().mul_add(size, self.sizes[at]);
    }

    /// Adds the terms of a pair of knots, from the sums over the nodes.
    #[inline(always)]
    pub(super) fn add_pair<const GRADIENT: bool, const JUMPS: bool, const STRONG: bool>(
        &mut self,
        path: &Path<V>,
        left: &Knot<V>,
        right: &Knot<V>,
        at: &KnotPair<V>,
        sums: Sums<V>,
    ) {
        let Path { rho, end, sign, .. } = *path;
        // √2π of the density, and 2 of the measure.
        let unit = at.density * end * number(2.0 * f64::ROOT_TAU);
        let [i0, i1, s0, s1, m0, m1] = sums.map(|sum| sum * unit);
        let (a, b) = (left.z, right.z);
        let both = left.kink * right.kink;
        let steep_both = left.steep * right.steep;
        self.add(0, both, plain(i1));
        self.scales[0] = steep_both.mul_add(i1, self.scales[0]);
        if !(GRADIENT || JUMPS) {
            return;
        }
        let delta = if STRONG { apart(left, right, sign) } else { number(0.0) };
        let [a1, b1] = crossing::<V, STRONG>([a, b], [sign, delta], [s0, s1]);
        let rest = i1 - rho * i0;
        let (a2, b2) = (moved(a, a1, rest), moved(b, b1, rest));
        if GRADIENT {
            self.add(1, both, a1);
            self.add(2, both, b1);
            self.add(3, both, a2);
            self.add(4, both, b2);
            self.add(5, both, plain(i0));
            self.scales[1] = steep_both.mul_add(i0, self.scales[1]);
        }
        if !JUMPS {
            return;
        }
        let (jump_kink, kink_jump) = (left.jump * right.kink, left.kink * right.jump);
        let jumps = left.jump * right.jump;
        self.add(0, jump_kink, a1);
        self.add(0, kink_jump, b1);
        self.add(0, jumps, plain(i0));
        let jump_steep = left.jump.abs() * right.steep;
        let (steep_jump, steps) = (left.steep * right.jump.abs(), jumps.abs());
        self.scales[0] = self.scales[0] + jump_steep * a1[0] + steep_jump * b1[0] + steps * i0;
        if !GRADIENT {
            return;
        }
        let [a0, b0] = crossing::<V, STRONG>([a, b], [sign, delta], [m0, m1]);
        let joint = path.joint::<STRONG>(at);
        let tail = rho * joint;
        self.add(1, jump_kink, a2);
        self.add(1, kink_jump, plain(i0));
        self.add(1, jumps, a0);
        self.add(2, kink_jump, b2);
        self.add(2, jump_kink, plain(i0));
        self.add(2, jumps, b0);
        self.add(3, jump_kink, moved(a, a2, -(rho * a0[0])));
        self.add(3, kink_jump, a0);
        self.add(3, jumps, moved(a, a0, -tail));
        self.add(4, kink_jump, moved(b, b2, -(rho * b0[0])));
        self.add(4, jump_kink, b0);
        self.add(4, jumps, moved(b, b0, -tail));
        self.add(5, jump_kink, a0);
        self.add(5, kink_jump, b0);
        self.add(5, jumps, plain(joint));
        self.scales[1] = self.scales[1] + jump_steep * a0[0] + steep_jump * b0[0] + steps * joint;
    }

    /// The covariance, and its derivatives in γ, γ′, ξ², ξ′² and c, from 1/ξ and 1/ξ′.
    #[inline(always)]
    pub(super) fn in_units([inverse, inverse_h]: [V; 2], values: [V; 6]) -> [V; 6] {
        let half = number::<V>(0.5);
        let [covariance, first, first_h, second, second_h, rho] = values;
        [
            covariance,
            first * inverse,
            first_h * inverse_h,
            half * second * inverse * inverse,
            half * second_h * inverse_h * inverse_h,
            rho * inverse * inverse_h,
        ]
    }
}

/// ŝ ŝ′ + ŝ f′ + f ŝ′
#[inline(always)]
fn product<V: Lanes, const JUMPS: bool>([[slope, flux], [slope_h, flux_h]]: [[V; 2]; 2]) -> V {
    if JUMPS {
        slope.mul_add(slope_h, slope.mul_add(flux_h, flux * slope_h))
    } else {
        slope * slope_h
    }
}

/// A term that is no sum, and its size.
#[inline(always)]
fn plain<V: Lanes>(x: V) -> [V; 2] {
    [x, x.abs()]
}

/// x − y, and its size.
#[inline(always)]
fn difference<V: Lanes>(x: V, y: V) -> [V; 2] {
    [x - y, x.abs() + y.abs()]
}

/// α x + y, and its size.
#[inline(always)]
fn moved<V: Lanes>(distance: V, [x, size]: [V; 2], y: V) -> [V; 2] {
    [distance.mul_add(x, y), distance.abs().mul_add(size, y.abs())]
}

/// ∫ A f and ∫ B f with their sizes, from the integrals of f and of q f over 1 − r².
#[inline(always)]
fn crossing<V: Lanes, const STRONG: bool>(
    [a, b]: [V; 2],
    [sign, delta]: [V; 2],
    [f, qf]: [V; 2],
) -> [[V; 2]; 2] {
    if STRONG {
        let apart = delta * f;
        let both = [sign * b * qf, sign * a * qf];
        [difference(apart, -both[0]), difference(-(sign * apart), -both[1])]
    } else {
        [difference(a * f, b * qf), difference(b * f, a * qf)]
    }
}
