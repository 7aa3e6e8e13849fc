//! Two tails of many pairs: a tail of one unit with a tail of others.

use super::columns::{Column, TailColumns};
use super::quadrants::{Class, Lot, Quadrants};
use crate::kernel::exponential::density_after;
use crate::kernel::{Lanes, Mask, Pair, number};
use crate::lanes::double::two_sum;
use crate::pair::quadrant::{FAR, is_short, weight};
use crate::pair::quadrant_lanes::SUMS;
use crate::pair::series::{WEAK, WEAK_PRODUCT, terms};
use crate::pair::term::Sum;
use crate::pair::truncated_moments::{INV_SQRT_TAU, binomial, factorial};

/// The number of one unit in all lanes.
#[inline(always)]
pub(super) fn one<V: Lanes<Element = f64>>(column: &[f64], at: usize) -> V {
    number(column[at])
}

/// Where the knots of two tails are, and the law of what lies beyond them.
struct JointTails<V> {
    a: V,
    b: V,
    /// ρ, or −ρ where the two are seen to different sides.
    r: V,
    /// √(1 − ρ²)
    rest: V,
    /// v b − c a and v′ a − c b.
    offset: [V; 2],
    /// The offsets as distances in conditional deviations.
    y: [V; 2],
    /// The square of the distance of the vertex.
    square: [V; 2],
}

/// The law of both pre-activations, as [`Law`](crate::pair::law::Law) has it.
pub(super) struct Lawful<V> {
    pub(super) variance: [V; 2],
    pub(super) deviation: [V; 2],
    pub(super) c: V,
    pub(super) determinant: Pair<V>,
    pub(super) rho: V,
    /// The root of the determinant.
    pub(super) root: V,
    pub(super) rest: V,
}

/// A tail of one unit with a tail of others.
pub(super) struct TwoTails<'a> {
    pub(super) tail: &'a TailColumns,
    pub(super) at: usize,
    pub(super) other: &'a TailColumns,
    pub(super) start: usize,
    /// The product of their sides.
    pub(super) sides: f64,
}

impl TwoTails<'_> {
    /// Adds the covariances but for their quadrants, which are sorted; and says which lanes still serve.
    #[inline(always)]
    pub(super) fn add<V: Lanes<Element = f64>>(
        &self,
        law: &Lawful<V>,
        [beside_other, beside_tail]: [&mut [V]; 2],
        serves: V::Mask,
        sum: &mut Sum<V>,
        quadrants: &mut [Quadrants; 4],
    ) -> V::Mask {
        let Self { tail, at, other, start, sides } = *self;
        let zero = number::<V>(0.0);
        let (a, b): (V, V) = (one(&tail.z, at), V::load(&other.z[start..]));
        let r = law.rho * number(sides);
        let reach = r.abs() * (a + number(1.0)) * (b + number(1.0));
        let weak = r.abs().le(number(WEAK)).and(reach.le(number(WEAK_PRODUCT)));
        if weak.and(serves).any() {
            let term = self.series(r, reach, weak);
            sum.add(V::select(weak, term, zero));
        }
        let strong = weak.not().and(serves);
        if !strong.any() {
            return serves;
        }
        // Given the far one, the near one is past its knot: it changes sides if that leaves less.
        let mut flips =
            [a.le(b).and(a.lt(r * b)).and(strong), b.lt(a).and(b.lt(r * a)).and(strong)];
        if flips[0].any() {
            flips[0] = shrink::<V, false>(beside_other, &tail.inside, at, flips[0]);
        }
        if flips[1].any() {
            flips[1] = shrink::<V, true>(beside_tail, &other.inside, start, flips[1]);
        }
        let (plus, minus) = (number::<V>(1.0), number::<V>(-1.0));
        let sign = [V::select(flips[0], minus, plus), V::select(flips[1], minus, plus)];
        let sides = number::<V>(sides) * sign[0] * sign[1];
        let joint = self.joint(law, sign, sides);
        let serves = serves.and(weak.or(joint.square[0].lt(number(FAR))));
        self.add_joint(law, &joint, flips, strong.and(serves), sum, quadrants);
        serves
    }

    /// The series in ρ of pairs that are weak.
    #[inline(always)]
    fn series<V: Lanes<Element = f64>>(&self, r: V, reach: V, weak: V::Mask) -> V {
        let Self { tail, at, other, start, .. } = *self;
        // More than in a row of weak pairs: terms fall later.
        let terms = terms(reach + reach, weak);
        let mut sum = number::<V>(0.0);
        for k in (1..=terms).rev() {
            let product = one::<V>(&tail.features[k], at) * V::load(&other.features[k][start..]);
            sum = r * number(1.0 / k as f64) * (product + sum);
        }
        one::<V>(&tail.density, at) * V::load(&other.density[start..]) * sum
    }

    #[inline(always)]
    fn joint<V: Lanes<Element = f64>>(
        &self,
        law: &Lawful<V>,
        sign: [V; 2],
        sides: V,
    ) -> JointTails<V> {
        let Self { tail, at, other, start, .. } = *self;
        let c = Pair::exact(law.c * sides);
        let [v, v_h] = [Pair::exact(law.variance[0]), Pair::exact(law.variance[1])];
        let [a, a_low] = [one::<V>(&tail.distance[0], at), one::<V>(&tail.distance[1], at)];
        let a = Pair::new(a * sign[0], a_low * sign[0]);
        let [b, b_low] =
            [V::load(&other.distance[0][start..]), V::load(&other.distance[1][start..])];
        let b = Pair::new(b * sign[1], b_low * sign[1]);
        let [first, second] = [v * b - c * a, v_h * a - c * b];
        let rest = divide(first * first, v * law.determinant);
        let square = Pair::new(one(&tail.square[0], at), one(&tail.square[1], at)) + rest;
        let [square, square_low] = square.words();
        let [square, square_low] = two_sum(square, square_low);
        let offset = [first.round(), second.round()];
        let inverse = number::<V>(1.0) / law.root;
        let y = [offset[0] * inverse / law.deviation[0], offset[1] * inverse / law.deviation[1]];
        JointTails {
            a: one::<V>(&tail.z, at) * sign[0],
            b: V::load(&other.z[start..]) * sign[1],
            r: law.rho * sides,
            rest: law.rest,
            offset,
            y,
            square: [square, square_low],
        }
    }

    /// Cov of both tails where it is wanted, but for the quadrants.
    #[inline(always)]
    fn add_joint<V: Lanes<Element = f64>>(
        &self,
        law: &Lawful<V>,
        joint: &JointTails<V>,
        flips: [V::Mask; 2],
        wanted: V::Mask,
        sum: &mut Sum<V>,
        quadrants: &mut [Quadrants; 4],
    ) {
        let Self { tail, at, other, start, .. } = *self;
        let JointTails { a, b, r, rest, offset, y, square } = *joint;
        let zero = number::<V>(0.0);
        // Tails that have been flipped make an acute angle. Else the farther of two implies the other for the most part: the rest is a
        // quadrant without obtuse angle.
        let is_direct = a.lt(zero).or(b.lt(zero)).or(zero.le(offset[0]).and(zero.le(offset[1])));
        let is_second = is_direct.not().and(offset[1].lt(zero));
        let is_first = is_direct.not().and(is_second.not());
        let unit = density_after(square[0], square[1]) * number(INV_SQRT_TAU);
        let top = [tail.coefficients.len() - 1, other.coefficients.len() - 1];
        let mut weights = [zero; SUMS];
        for i in 0..=top[0] {
            let mut first = one::<V>(&tail.coefficients[i], at);
            let [here, beyond] = &tail.single;
            let single = V::select(flips[0], one(&beyond[i], at), one(&here[i], at));
            if i % 2 == 0 {
                first = V::select(flips[0], -first, first);
            }
            for j in 0..=top[1] {
                let mut second = V::load(&other.coefficients[j][start..]);
                let [here, beyond] = [&other.single[0][j][start..], &other.single[1][j][start..]];
                let other_single = V::select(flips[1], V::load(beyond), V::load(here));
                if j % 2 == 0 {
                    second = V::select(flips[1], -second, second);
                }
                let product = first * second;
                let apart = product * single * other_single;
                sum.add(V::select(wanted, -apart, zero));
                let mut weight = product * unit * number(weight(i, j));
                if i % 2 == 0 {
                    weight = V::select(is_second, -weight, weight);
                }
                if j % 2 == 0 {
                    weight = V::select(is_first, -weight, weight);
                }
                weights[i * (top[1] + 1) + j] = weight;
                if is_first.and(wanted).any() {
                    let gap = -offset[0] / (law.variance[0] * law.deviation[1]);
                    let whole = whole::<V, false>(r, gap, rest, (&tail.ratios, at), [i, j]);
                    let whole = whole * one(&tail.density, at);
                    sum.add(V::select(is_first.and(wanted), product * whole, zero));
                }
                if is_second.and(wanted).any() {
                    let gap = -offset[1] / (law.variance[1] * law.deviation[0]);
                    let whole = whole::<V, true>(r, gap, rest, (&other.ratios, start), [j, i]);
                    let whole = whole * V::load(&other.density[start..]);
                    sum.add(V::select(is_second.and(wanted), product * whole, zero));
                }
            }
        }
        let cosine = V::select(is_direct, -r, r);
        let y = [V::select(is_first, -y[0], y[0]), V::select(is_second, -y[1], y[1])];
        let lot = Lot::new([y[0], y[1], rest, cosine, a + b], &weights);
        let obtuse = cosine.lt(zero);
        let short = is_short(square[0], cosine, top);
        for (quadrants, class) in quadrants.iter_mut().zip(Class::ALL) {
            let short = if class.is_short { short } else { short.not() };
            let class = short.and(if class.is_obtuse { obtuse } else { obtuse.not() });
            quadrants.push(&lot, class.and(wanted).bits(), start);
        }
    }
}

/// a/b
#[inline(always)]
fn divide<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let divisor = b.round();
    let quotient = a.round() / divisor;
    let rest = (a - Pair::exact(quotient) * b).round();
    Pair::normal(quotient, rest / divisor)
}

/// The numbers of a column from a place on, or the one there in all lanes.
#[inline(always)]
fn numbers<V: Lanes<Element = f64>, const SEVERAL: bool>(column: &[f64], at: usize) -> V {
    if SEVERAL { V::load(&column[at..]) } else { number(column[at]) }
}

/// Adds a polynomial to another one where that makes it smaller, and says where.
#[inline(always)]
fn shrink<V: Lanes<Element = f64>, const SEVERAL: bool>(
    beside: &mut [V],
    inside: &[Column],
    at: usize,
    mask: V::Mask,
) -> V::Mask {
    let (mut before, mut after) = (number::<V>(0.0), number::<V>(0.0));
    for (k, coefficient) in beside.iter().enumerate().skip(1) {
        before = coefficient.abs().max(before);
        let mut changed = *coefficient;
        if let Some(column) = inside.get(k) {
            changed = changed + numbers::<V, SEVERAL>(column, at);
        }
        after = changed.abs().max(after);
    }
    let shrinks = mask.and(after.lt(before));
    for (coefficient, column) in beside.iter_mut().zip(inside) {
        let changed = *coefficient + numbers::<V, SEVERAL>(column, at);
        *coefficient = V::select(shrinks, changed, *coefficient);
    }
    shrinks
}

/// The joint tail where the far knot implies the near one, over the density of the far one, of which the ratios are given.
#[inline(always)]
fn whole<V: Lanes<Element = f64>, const SEVERAL: bool>(
    r: V,
    gap: V,
    rest: V,
    (ratios, at): (&[Column], usize),
    [far, near]: [usize; 2],
) -> V {
    let half = rest * rest * number(0.5);
    let mut sum = number::<V>(0.0);
    let mut r_power = number::<V>(1.0);
    for k in 0..=near {
        // E[(gap + rest x)ⁿ]/n! for n = near − k
        let n = near - k;
        let mut mean = number::<V>(0.0);
        for l in 0..=n / 2 {
            let mut term = number::<V>(1.0 / (factorial(n - 2 * l) * factorial(l)));
            for _ in 0..n - 2 * l {
                term = term * gap;
            }
            for _ in 0..l {
                term = term * half;
            }
            mean = mean + term;
        }
        let ratio = numbers::<V, SEVERAL>(&ratios[far + k], at);
        sum = sum + r_power * number(binomial(far + k, k)) * ratio * mean;
        r_power = r_power * r;
    }
    sum
}
