//! Two straight functions: the covariance and its five derivatives as sums over pairs of knots.
//!
//! In units of the standard deviations let z and z′ have the correlation ρ, and let g jump by C_k and have a kink of the slope D_k at the
//! knot α_k, h C′_l and D′_l at β_l. With ŝ, ŝ′ the expected slopes and f = ΣCφ(α), f′ = ΣC′φ(β),
//!
//! ```text
//! Cov = ρ (ŝ ŝ′ + ŝ f′ + f ŝ′) + Σ_kl (D D′ I₁ + C D′ A₁ + D C′ B₁ + C C′ I₀)
//! I₀ = ∫ φ₂ dr   I₁ = ∫ (ρ−r) φ₂ dr   A₁ = ∫ (ρ−r) A φ₂ dr   A = (α − rβ)/(1 − r²)   B₁, B likewise,
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
//! In t = tan(½ asin r) the integrand needs no sine and no root:
//!
//! ```text
//! φ₂ dr = 2φ(α)φ(β) e^(−e) dt/(1 + t²)   e = 2t (t(α² + β²) − (1 + t²)αβ)/(1 − t²)²   ρ − r = ρ(1 − x)(1 − t_ρ t)/(1 + t²)
//! ```
//!
//! for t = t_ρ x, with nodes of Gauss and Legendre for x ([`correlation`](super::correlation)). Everything is proportional to ρ by its form.
//!
//! Beyond |ρ| = [`STRONGEST`] the terms 1 − |ρ| and α − σβ decide, with σ the sign of ρ. The first is (ξ²ξ′² − c²)/(ξ²ξ′²) over 1 + |ρ|, with an exact
//! numerator; the second is taken from double words. With δ = α − σβ and u = 1 − |t|, in which nothing cancels,
//!
//! ```text
//! e = 2|t|(|t|δ²/u² − σαβ)/(1 + |t|)²   (1 − r²)A = δ + σβ(1 − |r|)   (1 − r²)B = −σδ + σα(1 − |r|)   1 − t_ρ t = u_ρ + |t_ρ|u
//! ```
//!
//! A result is used where its terms do not cancel ([`LOSS`]), for knots within [`FARTHEST`] deviations and [`STRENGTH`], or so far that they do not
//! count. Tails of opposite sides at ρ < 0 and pieces narrower than ξ do cancel.

use super::correlation::{graded_rule, rule};
use super::knots::StraightKnots;
use super::{Inputs, PairMoments};
use crate::Activation;
use crate::kernel::exponential::density;
use crate::kernel::pieces::Table;
use crate::kernel::{Deviation, Lanes, Mask, Pair, density_unit, knot_tails_in_line, number};
use crate::lanes::double::two_sum;
use crate::precision::Precision;

/// The largest |ρ| of the integral with few nodes.
pub(super) const STRONGEST: f64 = 0.95;
/// The least 1 − |t_ρ| for which many nodes cost less than pairs of tails: of the covariance alone (|ρ| = 0.999), and with derivatives
/// (1 − 4·10⁻⁶).
const LEAST_REST: [f64; 2] = [0.0437, 0.0028];
/// The largest product of |ρ| and the farthest knot: with few nodes, and with many.
const STRENGTH: [f64; 2] = [7.6, 8.0];
/// The farthest knot of the integral, in standard deviations: so far, or so much farther than the nearest one, up to an end.
const FARTHEST: [f64; 3] = [8.0, 4.0, 16.0];
/// How many times a result its terms may be: for the covariance, and for its derivatives.
const LOSS: [f64; 2] = [8.0, 32.0];

/// The numbers of a unit, before those of its knots.
pub(super) mod row {
    /// ŝ, the expected slope.
    pub(super) const SLOPE: usize = 0;
    /// ΣCφ.
    pub(super) const FLUX: usize = 1;
    /// ∂ŝ + ∂f, once and twice.
    pub(super) const FIRST: usize = 2;
    pub(super) const SECOND: usize = 3;
    /// The sizes of what ŝ + f, FIRST and SECOND are sums of.
    pub(super) const SIZES: usize = 4;
    /// 1/ξ.
    pub(in super::super) const INVERSE: usize = 7;
    /// The farthest of its near knots.
    pub(super) const REACH: usize = 8;
    /// The size of all jumps and kinks, and a bound of what far ones do.
    pub(super) const WEIGHT: usize = 9;
    pub(super) const FAR: usize = 10;
    /// E\[g\], and the size of what it is a sum of.
    pub(super) const MEAN: usize = 11;
    pub(super) const MEAN_SIZE: usize = 12;
    /// ŝ and f of the function that increases as steeply as g changes.
    pub(super) const STEEP: usize = 13;
    pub(super) const STEEP_FLUX: usize = 14;
    /// 0 if the piece of the mean is 0.
    pub(super) const BASE: usize = 15;
    /// ξ²
    pub(super) const VARIANCE: usize = 16;
    /// For each knot its distance, φ there, the kink, the jump, the kink of the steep function, and what the distance has lost by rounding.
    pub(super) const KNOTS: usize = 17;
    pub(super) const OF_KNOT: usize = 6;
}

/// How many numbers a unit has.
pub(super) fn numbers(knots: usize) -> usize {
    row::KNOTS + row::OF_KNOT * knots
}

/// The numbers of some units, row by row.
#[derive(Clone, Copy)]
pub(super) struct Units<'a, const SEVERAL: bool> {
    pub(super) rows: &'a [f64],
    pub(super) stride: usize,
    pub(super) at: usize,
    pub(super) knots: usize,
}

impl<const SEVERAL: bool> Units<'_, SEVERAL> {
    /// A number of one unit in all lanes, or of a unit for each lane.
    #[inline(always)]
    pub(super) fn get<V: Lanes<Element = f64>>(&self, row: usize) -> V {
        let place = row * self.stride + self.at;
        if SEVERAL { V::load(&self.rows[place..]) } else { number(self.rows[place]) }
    }

    /// A number of a knot.
    #[inline(always)]
    fn knot<V: Lanes<Element = f64>>(&self, knot: usize, part: usize) -> V {
        self.get(row::KNOTS + row::OF_KNOT * knot + part)
    }
}

/// |x| φ(z) (1 + z²)² of a far knot, at least; 0 where it is nothing.
#[inline(always)]
fn beyond<V: Lanes>(size: V, z: V, phi: V) -> V {
    let square = z * z + number(1.0);
    size * phi * square * square
}

/// Writes the numbers of units, with their means and variances in lanes.
#[inline(always)]
pub(super) fn see<V: Lanes<Element = f64>>(
    g: StraightKnots<'_>,
    gamma: V,
    xi2: V,
    mut write: impl FnMut(usize, V),
) {
    let zero = number::<V>(0.0);
    let deviation = Deviation::new(xi2, [0, 0]);
    let xi = deviation.xi;
    let unit = density_unit::<V>();
    let first = g.at(0);
    let distance = |k: usize| ((number::<V>(g.at(k).at[0]) - gamma) * deviation.inverse).abs();
    let nearest = (1..g.count()).fold(distance(0), |nearest, k| nearest.min(distance(k)));
    let [usual, more, most] = FARTHEST.map(number::<V>);
    let farthest = (nearest + more).max(usual).min(most);
    let (mut base, mut flux, mut reach) = (number::<V>(first.slopes[0]), zero, zero);
    let [mut slope, mut first_slope, mut second_slope] = [zero; 3];
    let [mut steep, mut steep_flux] = [zero; 2];
    let mut steep_base = number::<V>(first.slopes[0].abs());
    let [mut size, mut first_size, mut second_size] = [zero; 3];
    let (mut weight, mut far, mut mean, mut mean_size) = (zero, zero, zero, zero);
    let (mut level, mut line) = (number::<V>(first.values[0]), zero);
    for k in 0..g.count() {
        let knot = g.at(k);
        // t − γ, also where that is far beyond all density.
        let apart = displacement(gamma, knot.at);
        let tails = knot_tails_in_line::<V, 2>(gamma, knot.at, &deviation);
        let z = tails.edge.z;
        let phi = tails.edge.h * unit;
        let [beyond_here, rest] = tails.tails.map(|tail| tail * unit);
        let is_right = zero.lt(z);
        let (kink, jump) = (number::<V>(knot.kink) * xi, number::<V>(knot.jump));
        base = V::select(is_right, base, number(knot.slopes[1]));
        let [before, after] = knot.slopes.map(f64::abs);
        steep_base = V::select(is_right, steep_base, number(after));
        let steep_kink = number::<V>(after - before) * xi;
        if k == 0 {
            line = -apart.round() * number(knot.slopes[0]);
        }
        level = V::select(is_right, level, number(knot.values[1]));
        line = V::select(is_right, line, -apart.round() * number(knot.slopes[1]));
        // Beyond the knot, seen from the mean.
        let outward = |x: V| V::select(is_right, x, -x);
        let (more, jumped) = (kink * beyond_here, jump * beyond_here);
        slope = slope + outward(more);
        steep = steep + outward(steep_kink * beyond_here);
        let tail = kink * rest;
        mean = mean + (tail + outward(jumped));
        mean_size = mean_size + (tail.abs() + jumped.abs());
        let point = jump * phi;
        flux = flux + point;
        steep_flux = steep_flux + point.abs();
        let once = phi.mul_add(kink, z * point);
        first_slope = first_slope + once;
        let twice = (kink * z).mul_add(phi, z.mul_add(z, number(-1.0)) * point);
        second_slope = second_slope + twice;
        size = size + (more.abs() + point.abs());
        first_size = first_size + ((phi * kink).abs() + (z * point).abs());
        second_size = second_size + ((kink * z * phi).abs() + (z * z + number(1.0)) * point.abs());
        let is_near = z.abs().le(farthest);
        let size_here = kink.abs() + jump.abs();
        weight = weight + size_here;
        far = far + V::select(is_near, zero, beyond(size_here, tails.edge.s, phi));
        reach = V::select(is_near, z.abs(), zero).max(reach);
        let place = row::KNOTS + row::OF_KNOT * k;
        write(place, V::select(is_near, z, zero));
        write(place + 1, V::select(is_near, phi, zero));
        write(place + 2, kink);
        write(place + 3, jump);
        write(place + 4, steep_kink);
        let lost = Pair::exact(z) - apart * deviation.inverse_pair();
        write(place + 5, V::select(is_near, -lost.round(), zero));
    }
    let whole = base.mul_add(xi, slope);
    write(row::SLOPE, whole);
    write(row::STEEP, steep_base.mul_add(xi, steep));
    write(row::STEEP_FLUX, steep_flux);
    write(row::FLUX, flux);
    write(row::FIRST, first_slope);
    write(row::SECOND, second_slope);
    // The slope of the piece of the mean is exact.
    write(row::SIZES, (whole + flux).abs().max(size));
    write(row::SIZES + 1, first_size);
    write(row::SIZES + 2, second_size);
    // So that the covariance is out of reach.
    let largest = if V::GENERAL { LARGEST[0] } else { LARGEST[1] };
    let [least, most] = [-largest, largest].map(|e| V::splat(V::Scalar::power_of_two(e)));
    let is_near = gamma.abs().lt(number(f64::INFINITY));
    let serves = least.le(xi2).and(xi2.le(most)).and(is_near);
    write(row::INVERSE, V::select(serves, deviation.inverse, number(f64::NAN)));
    write(row::VARIANCE, xi2);
    write(row::REACH, reach);
    write(row::WEIGHT, weight);
    write(row::FAR, far);
    write(row::BASE, level.abs() + base.abs());
    write(row::MEAN, level + (line + mean));
    write(row::MEAN_SIZE, level.abs() + line.abs() + mean_size);
}

/// The exponent of the largest variance, and of the reciprocal of the smallest: of one number, and of vectors.
const LARGEST: [i32; 2] = [1000, 200];

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

/// t − γ
#[inline(always)]
fn displacement<V: Lanes<Element = f64>>(gamma: V, knot: [f64; 3]) -> Pair<V> {
    // Lanes of double precision, whose words are those of the knot.
    let [high, middle, low] = knot.map(number::<V>);
    let [apart, error] = two_sum(high, -gamma);
    Pair::new(apart, error) + Pair::new(middle, low)
}

/// Sums over the nodes for a pair of knots: I₀, I₁, ∫(ρ−r)φ₂/(1−r²), ∫ q(ρ−r)φ₂/(1−r²), ∫φ₂/(1−r²), ∫ qφ₂/(1−r²) with q = r, and 1 − |r| for
/// strong pairs.
type Sums<V> = [V; 6];

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
    let [left_inverse, right_inverse] = [left.get::<V>(row::INVERSE), right.get(row::INVERSE)];
    let given = c * left_inverse * right_inverse;
    let reach = left.get::<V>(row::REACH).max(right.get(row::REACH));
    let strength = given.abs() * reach;
    let is_near = strength.le(number(STRENGTH[usize::from(STRONG)]));
    let (is_inside, rho, squared_rest, end, end_rest, nodes);
    if STRONG {
        let [variance, variance_h] = [left.get::<V>(row::VARIANCE), right.get(row::VARIANCE)];
        let product = Pair::exact(variance) * Pair::exact(variance_h);
        let determinant = (product - Pair::exact(c) * Pair::exact(c)).round();
        let is_strong = number::<V>(STRONGEST).lt(given.abs()).and(zero.lt(determinant));
        let is_candidate = is_near.and(is_strong);
        rho = V::select(is_candidate, given.max(-one).min(one), zero);
        squared_rest = V::select(is_candidate, determinant / product.round(), one);
        let rest = squared_rest.sqrt();
        end = rho / (one + rest);
        end_rest = (rest + squared_rest / (one + rho.abs())) / (one + rest);
        is_inside = is_candidate.and(number::<V>(LEAST_REST[usize::from(GRADIENT)]).le(end_rest));
        if !is_inside.any() {
            return Found { values: [zero; 6], serves: is_inside };
        }
        nodes = graded_rule(V::select(is_inside, end_rest, one));
    } else {
        is_inside = is_near.and(given.abs().le(number(STRONGEST)));
        rho = V::select(is_inside, given, zero);
        squared_rest = (one - rho) * (one + rho);
        end = rho / (one + squared_rest.sqrt());
        end_rest = zero;
        nodes = rule(rho, V::select(is_inside, strength, zero));
    }
    // σ
    let sign = V::select(rho.lt(zero), -one, one);

    let get = |which: usize| (left.get::<V>(which), right.get::<V>(which));
    let ((slope, slope_h), (flux, flux_h)) = (get(row::SLOPE), get(row::FLUX));
    let (first, first_h) = get(row::FIRST);
    let (second, second_h) = get(row::SECOND);
    let (size, size_h) = get(row::SIZES);
    let size_rho = rho.abs();
    let product = if JUMPS {
        slope.mul_add(slope_h, slope.mul_add(flux_h, flux * slope_h))
    } else {
        slope * slope_h
    };
    let mut values = [rho * product, zero, zero, zero, zero, product];
    let mut sizes = [size_rho * size * size_h, zero, zero, zero, zero, size * size_h];
    if GRADIENT {
        let ((first_size, first_size_h), (second_size, second_size_h)) =
            (get(row::SIZES + 1), get(row::SIZES + 2));
        values[1] = rho * first * slope_h;
        values[2] = rho * first_h * slope;
        values[3] = rho * second * slope_h;
        values[4] = rho * second_h * slope;
        sizes[1] = size_rho * first_size * size_h;
        sizes[2] = size_rho * first_size_h * size;
        sizes[3] = size_rho * second_size * size_h;
        sizes[4] = size_rho * second_size_h * size;
    }
    let ((steep, steep_h), (steep_flux, steep_flux_h)) = (get(row::STEEP), get(row::STEEP_FLUX));
    let steep_product = if JUMPS {
        steep.mul_add(steep_h, steep.mul_add(steep_flux_h, steep_flux * steep_h))
    } else {
        steep * steep_h
    };
    // Of the covariance and of its derivative in c.
    let mut scales = [rho * steep_product, steep_product];
    let (weight, weight_h) = get(row::WEIGHT);
    let (far, far_h) = get(row::FAR);
    let neglected = far.mul_add(weight_h, weight * far_h) * number(1.0 / (f64::EPSILON * LOSS[0]));

    let count = left.knots * right.knots;
    for start in (0..count).step_by(SIDE_BY_SIDE) {
        // The last pair stands for those that there are not.
        let place = |i: usize| {
            let pair = (start + i).min(count - 1);
            (pair / right.knots, pair % right.knots)
        };
        // α² + β² and αβ; δ² and σαβ of strong pairs.
        let mut squares = [zero; SIDE_BY_SIDE];
        let mut products = [zero; SIDE_BY_SIDE];
        let mut densities = [zero; SIDE_BY_SIDE];
        let mut seen = false;
        for i in 0..SIDE_BY_SIDE {
            let (k, l) = place(i);
            let (a, b) = (left.knot::<V>(k, 0), right.knot::<V>(l, 0));
            if STRONG {
                let apart = apart(left, right, [k, l], sign);
                squares[i] = apart * apart;
                products[i] = sign * a * b;
            } else {
                squares[i] = a.mul_add(a, b * b);
                products[i] = a * b;
            }
            densities[i] = left.knot::<V>(k, 1) * right.knot::<V>(l, 1);
            seen |= zero.lt(densities[i]).any();
        }
        if !seen {
            continue;
        }
        let mut sums: [Sums<V>; SIDE_BY_SIDE] = [[zero; 6]; SIDE_BY_SIDE];
        for [x, x_low, weight] in nodes {
            let t = end * number(*x);
            let q = t * t;
            let left_out = number::<V>((1.0 - x) - x_low);
            let u = end.abs().mul_add(left_out, end_rest);
            let (p, m) = (one + q, if STRONG { u * (one + t.abs()) } else { one - q });
            let inverse = one / (p * m);
            let (p_inverse, m_inverse) = (m * inverse, p * inverse);
            let four = number::<V>(4.0) * t * m_inverse * m_inverse;
            let (on_squares, on_products) =
                if STRONG { (four * t, four * sign * (u * u)) } else { (four * t, four * p) };
            let weight = number::<V>(*weight) * p_inverse;
            let kept = left_out * p_inverse;
            let moved_end =
                if STRONG { end.abs().mul_add(u, end_rest) } else { end.neg_mul_add(t, one) };
            let distance = rho * kept * moved_end;
            let scale = p * m_inverse;
            let scale = scale * scale;
            let r = if STRONG { u * u * p_inverse } else { (t + t) * p_inverse };
            for i in 0..SIDE_BY_SIDE {
                let y = on_squares.mul_sub(squares[i], on_products * products[i]);
                let f = density(y) * weight;
                let moved = f * distance;
                let sums = &mut sums[i];
                sums[1] = sums[1] + moved;
                if GRADIENT || JUMPS {
                    sums[0] = sums[0] + f;
                    let scaled = moved * scale;
                    sums[2] = sums[2] + scaled;
                    sums[3] = scaled.mul_add(r, sums[3]);
                }
                if GRADIENT && JUMPS {
                    let scaled = f * scale;
                    sums[4] = sums[4] + scaled;
                    sums[5] = scaled.mul_add(r, sums[5]);
                }
            }
        }
        for i in 0..SIDE_BY_SIDE.min(count - start) {
            let (k, l) = place(i);
            // √2π of the density, and 2 of the measure.
            let unit = densities[i] * end * number(2.0 * f64::ROOT_TAU);
            let sums = sums[i].map(|sum| sum * unit);
            let knots = [(left.knot::<V>(k, 0), right.knot::<V>(l, 0))];
            let [(a, b)] = knots;
            let (kink, kink_h) = (left.knot::<V>(k, 2), right.knot::<V>(l, 2));
            // A term, and the size of what it is a sum of.
            let mut add = |at: usize, factor: V, [term, size]: [V; 2]| {
                values[at] = factor.mul_add(term, values[at]);
                sizes[at] = factor.abs().mul_add(size, sizes[at]);
            };
            let difference = |x: V, y: V| [x - y, x.abs() + y.abs()];
            let plain = |x: V| [x, x.abs()];
            // α x + y
            let moved = |distance: V, [x, x_size]: [V; 2], y: V| {
                [distance.mul_add(x, y), distance.abs().mul_add(x_size, y.abs())]
            };
            let both = kink * kink_h;
            let (steep, steep_h) = (left.knot::<V>(k, 4), right.knot::<V>(l, 4));
            let steep_both = steep * steep_h;
            let [i0, i1, s0, s1, m0, m1] = sums;
            add(0, both, plain(i1));
            scales[0] = steep_both.mul_add(i1, scales[0]);
            if !(GRADIENT || JUMPS) {
                continue;
            }
            // ∫ A f and ∫ B f, from the integrals of f and of q f, over 1 − r².
            let between = |[f, qf]: [V; 2]| {
                if STRONG {
                    let apart = apart(left, right, [k, l], sign) * f;
                    let both = [sign * b * qf, sign * a * qf];
                    [difference(apart, -both[0]), difference(-(sign * apart), -both[1])]
                } else {
                    [difference(a * f, b * qf), difference(b * f, a * qf)]
                }
            };
            let [a1, b1] = between([s0, s1]);
            let rest = i1 - rho * i0;
            let (a2, b2) = (moved(a, a1, rest), moved(b, b1, rest));
            if GRADIENT {
                add(1, both, a1);
                add(2, both, b1);
                add(3, both, a2);
                add(4, both, b2);
                add(5, both, plain(i0));
                scales[1] = steep_both.mul_add(i0, scales[1]);
            }
            if !JUMPS {
                continue;
            }
            let (jump, jump_h) = (left.knot::<V>(k, 3), right.knot::<V>(l, 3));
            let (jump_kink, kink_jump, jumps) = (jump * kink_h, kink * jump_h, jump * jump_h);
            add(0, jump_kink, a1);
            add(0, kink_jump, b1);
            add(0, jumps, plain(i0));
            let [jump_steep, steep_jump, steps] =
                [jump.abs() * steep_h, steep * jump_h.abs(), jumps.abs()];
            scales[0] = scales[0] + jump_steep * a1[0] + steep_jump * b1[0] + steps * i0;
            if GRADIENT {
                let [a0, b0] = between([m0, m1]);
                // φ₂(ρ)
                let q = end * end;
                let m = if STRONG { end_rest * (one + end.abs()) } else { one - q };
                let four = number::<V>(4.0) * end / (m * m);
                let on_products = if STRONG { sign * (end_rest * end_rest) } else { one + q };
                let y = (four * end).mul_sub(squares[i], four * on_products * products[i]);
                let joint = density(y) * number(f64::ROOT_TAU) * densities[i];
                let joint = joint / squared_rest.sqrt();
                let tail = rho * joint;
                add(1, jump_kink, a2);
                add(1, kink_jump, plain(i0));
                add(1, jumps, a0);
                add(2, kink_jump, b2);
                add(2, jump_kink, plain(i0));
                add(2, jumps, b0);
                add(3, jump_kink, moved(a, a2, -(rho * a0[0])));
                add(3, kink_jump, a0);
                add(3, jumps, moved(a, a0, -tail));
                add(4, kink_jump, moved(b, b2, -(rho * b0[0])));
                add(4, jump_kink, b0);
                add(4, jumps, moved(b, b0, -tail));
                add(5, jump_kink, a0);
                add(5, kink_jump, b0);
                add(5, jumps, plain(joint));
                scales[1] = scales[1] + jump_steep * a0[0] + steep_jump * b0[0] + steps * joint;
            }
        }
    }

    let whole = scales[0].abs();
    let mut serves = is_inside.and((sizes[0] + neglected).le(number::<V>(LOSS[0]) * whole));
    if GRADIENT {
        for i in 1..6 {
            let most = if i < 5 { values[i].abs().max(whole) } else { scales[1].abs() };
            serves = serves.and((sizes[i] + neglected).le(number::<V>(LOSS[1]) * most));
        }
        let half = number::<V>(0.5);
        values[1] = values[1] * left_inverse;
        values[2] = values[2] * right_inverse;
        values[3] = half * values[3] * left_inverse * left_inverse;
        values[4] = half * values[4] * right_inverse * right_inverse;
        values[5] = values[5] * left_inverse * right_inverse;
    }
    Found { values, serves }
}

/// δ = α − σβ of two knots.
#[inline(always)]
fn apart<V: Lanes<Element = f64>, const LEFT: bool, const RIGHT: bool>(
    left: &Units<'_, LEFT>,
    right: &Units<'_, RIGHT>,
    [k, l]: [usize; 2],
    sign: V,
) -> V {
    let [high, error] = two_sum(left.knot::<V>(k, 0), -(sign * right.knot::<V>(l, 0)));
    high + (error + (left.knot::<V>(k, 5) - sign * right.knot::<V>(l, 5)))
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

/// What is known of a single pair.
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
    let mut found = if jumps {
        pairs::<f64, true, true, false, false, false>(&first, &second, at.cov)
    } else {
        pairs::<f64, true, false, false, false, false>(&first, &second, at.cov)
    };
    if !found.serves {
        found = if jumps {
            pairs::<f64, true, true, true, false, false>(&first, &second, at.cov)
        } else {
            pairs::<f64, true, false, true, false, false>(&first, &second, at.cov)
        };
    }
    let of = |unit: usize, row: usize| [&left, &right][unit].numbers[row];
    found.serves.then(|| Single::new(of, found.values))
}
