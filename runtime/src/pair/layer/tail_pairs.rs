//! Strongly correlated pairs of a layer: one unit with others of one shape, side by side in the vectors of the machine.
//!
//! It computes what [`covariances`](crate::pair::covariance::covariances) does for one pair, as two passes. The first one takes pairs as they
//! stand in the row; the second one takes their quadrants, sorted by what they need (`columns`). What vectors do not serve is NaN, and left
//! to that function.
//!
//! Error: that of the function, up to the last digits.

use alloc::vec::Vec;

use super::Unit;
use super::columns::{Class, Column, Columns, Lot, Quadrants, Shape, TailColumns};
use crate::kernel::exponential::density_after;
use crate::kernel::{Lanes, Mask, Pair, number};
use crate::lanes::dispatch::{InDoubles, Vectors};
use crate::lanes::double::two_sum;
use crate::pair::quadrant::{FAR, SUMS, WIDEST, is_short, weight};
use crate::pair::tail::{INV_SQRT_TAU, binomial, factorial};
use crate::pair::tail_pair::{Sum, WEAK, WEAK_PRODUCT, terms};

/// Below it, or above its inverse, a covariance in the units of both may have lost digits.
const LEAST: f64 = 1.0 / (1_u128 << 100) as f64;

/// The units of a layer by their shapes.
#[derive(Debug)]
pub(super) struct Strong {
    groups: Vec<Columns>,
    /// For each unit its group and its place there.
    places: Vec<Option<(usize, usize)>>,
}

impl Strong {
    pub(super) fn new(units: &[Option<Unit>]) -> Self {
        let mut shapes: Vec<(Shape, Vec<usize>)> = Vec::new();
        let mut places = Vec::with_capacity(units.len());
        for (i, unit) in units.iter().enumerate() {
            places.push(unit.as_ref().and_then(Shape::of).map(|shape| {
                // A layer has few shapes.
                let group = shapes.iter().position(|(other, _)| *other == shape);
                let group = group.unwrap_or_else(|| {
                    shapes.push((shape, Vec::new()));
                    shapes.len() - 1
                });
                shapes[group].1.push(i);
                (group, shapes[group].1.len() - 1)
            }));
        }
        let columns = |(shape, members)| Columns::new(shape, members, units);
        Self { groups: shapes.into_iter().map(columns).collect(), places }
    }

    /// Replaces sums that are NaN by the covariances of one unit with the ones before it, given those of its pre-activation with
    /// theirs, where vectors serve.
    pub(super) fn fill(&self, unit: usize, covariances: &[f64], sums: &mut [f64]) {
        let Some((group, at)) = self.places[unit] else { return };
        let left = &self.groups[group];
        for right in &self.groups {
            let before = right.members.partition_point(|j| *j < unit);
            let members = &right.members[..before];
            if !members.iter().any(|j| sums[*j].is_nan()) {
                continue;
            }
            let mut scaled = alloc::vec![f64::NAN; before.next_multiple_of(WIDEST)];
            for (scaled, (j, scale)) in scaled.iter_mut().zip(members.iter().zip(&right.scale)) {
                let c = covariances[*j] * left.scale[at] * scale;
                if sums[*j].is_nan() && (LEAST..1.0 / LEAST).contains(&c.abs()) {
                    *scaled = c;
                }
            }
            let (mut high, mut low) = (scaled.clone(), alloc::vec![0.0; scaled.len()]);
            let quadrants = quadrants(&left.shape, &right.shape, before);
            let into = [&mut high[..], &mut low[..]];
            f64::dispatch(TailPairRow { left, at, right, covariances: &scaled, into, quadrants });
            for (j, (high, low)) in members.iter().zip(high.iter().zip(&low)) {
                if sums[*j].is_nan() {
                    sums[*j] = high + low;
                }
            }
        }
    }
}

/// Room for the quadrants of each class, for each two tails.
fn quadrants(left: &Shape, right: &Shape, most: usize) -> Vec<[Quadrants; 4]> {
    let pairs = left.tails.iter().flat_map(|a| right.tails.iter().map(move |b| [a.1 - 1, b.1 - 1]));
    pairs.map(|top| Class::ALL.map(|class| Quadrants::new(class, top, most))).collect()
}

/// One unit with some of a group.
struct TailPairRow<'a> {
    left: &'a Columns,
    at: usize,
    right: &'a Columns,
    /// In the units of both; NaN where nothing is wanted.
    covariances: &'a [f64],
    /// The high and the low words of the results.
    into: [&'a mut [f64]; 2],
    quadrants: Vec<[Quadrants; 4]>,
}

/// Polynomials of a tail of one side that others change: those of the other side.
struct Beside<V> {
    count: usize,
    /// For each tail, coefficient by coefficient.
    left: Vec<V>,
    right: Vec<V>,
}

impl InDoubles for TailPairRow<'_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(mut self) {
        let count = self.left.shape.polynomial.max(self.right.shape.polynomial);
        let zeros = |tails: usize| alloc::vec![number::<V>(0.0); tails * count];
        let mut beside = Beside {
            count,
            left: zeros(self.left.tails.len()),
            right: zeros(self.right.tails.len()),
        };
        for start in (0..self.covariances.len()).step_by(V::COUNT) {
            self.block::<V>(start, &mut beside);
        }
        let Self { into: [high, low], quadrants, .. } = &mut self;
        for quadrants in quadrants.iter_mut().flatten() {
            quadrants.drain::<V>([&mut **high, &mut **low]);
        }
    }
}

impl TailPairRow<'_> {
    /// Pairs as they stand in the row: all but their quadrants.
    #[inline(always)]
    fn block<V: Lanes<Element = f64>>(&mut self, start: usize, beside: &mut Beside<V>) {
        let Self { left, at, right, covariances, into, quadrants } = self;
        let at = *at;
        let zero = number::<V>(0.0);
        let deviation: [V; 2] = [one(&left.deviation, at), V::load(&right.deviation[start..])];
        let variance: [V; 2] = [one(&left.variance, at), V::load(&right.variance[start..])];
        let c = V::load(&covariances[start..]);
        let product = Pair::exact(variance[0]) * Pair::exact(variance[1]);
        let determinant = product - Pair::exact(c) * Pair::exact(c);
        // NaN is not positive: lanes in which nothing is wanted do not serve.
        let mut serves = zero.lt(determinant.round());
        if !serves.any() {
            number::<V>(f64::NAN).store(&mut into[0][start..]);
            return;
        }
        let both = deviation[0] * deviation[1];
        let rho = (c / both).max(number(-1.0)).min(number(1.0));
        let root = determinant.round().sqrt();
        let law = Lawful { variance, deviation, c, determinant, rho, root, rest: root / both };
        let mut sum = Sum([zero; 2]);
        let mut power = number::<V>(1.0);
        let shared = left.shape.polynomial.min(right.shape.polynomial);
        for k in 1..shared {
            power = power * (rho / number(k as f64));
            sum.add(
                power * one::<V>(&left.polynomial[k], at) * V::load(&right.polynomial[k][start..]),
            );
        }
        for k in 0..beside.count {
            let polynomial = match right.polynomial.get(k) {
                Some(column) => V::load(&column[start..]),
                None => zero,
            };
            for m in 0..left.tails.len() {
                beside.left[m * beside.count + k] = polynomial;
            }
            let polynomial = match left.polynomial.get(k) {
                Some(column) => one(column, at),
                None => zero,
            };
            for n in 0..right.tails.len() {
                beside.right[n * beside.count + k] = polynomial;
            }
        }
        for (m, tail) in left.tails.iter().enumerate() {
            for (n, other) in right.tails.iter().enumerate() {
                let sides = left.shape.tails[m].0 * right.shape.tails[n].0;
                let tails = TwoTails { tail, at, other, start, sides };
                let quadrants = &mut quadrants[m * right.tails.len() + n];
                let beside = [
                    &mut beside.right[n * beside.count..][..beside.count],
                    &mut beside.left[m * beside.count..][..beside.count],
                ];
                serves = tails.add(&law, beside, serves, &mut sum, quadrants);
            }
        }
        let mut power = number::<V>(1.0);
        for k in 1..beside.count {
            power = power * (rho / number(k as f64));
            for (m, tail) in left.tails.iter().enumerate() {
                let sign = if k % 2 == 1 { left.shape.tails[m].0 } else { 1.0 };
                let feature = number::<V>(sign * tail.features[k][at] * tail.density[at]);
                sum.add(power * feature * beside.left[m * beside.count + k]);
            }
            for (n, tail) in right.tails.iter().enumerate() {
                let sign = if k % 2 == 1 { right.shape.tails[n].0 } else { 1.0 };
                let feature = V::load(&tail.features[k][start..]) * V::load(&tail.density[start..]);
                sum.add(power * number(sign) * feature * beside.right[n * beside.count + k]);
            }
        }
        V::select(serves, sum.0[0], number(f64::NAN)).store(&mut into[0][start..]);
        sum.0[1].store(&mut into[1][start..]);
    }
}

/// The number of one unit in all lanes.
#[inline(always)]
fn one<V: Lanes<Element = f64>>(column: &[f64], at: usize) -> V {
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
struct Lawful<V> {
    variance: [V; 2],
    deviation: [V; 2],
    c: V,
    determinant: Pair<V>,
    rho: V,
    /// The root of the determinant.
    root: V,
    rest: V,
}

/// A tail of one unit with a tail of others.
struct TwoTails<'a> {
    tail: &'a TailColumns,
    at: usize,
    other: &'a TailColumns,
    start: usize,
    /// The product of their sides.
    sides: f64,
}

impl TwoTails<'_> {
    /// Adds the covariances but for their quadrants, which are sorted; and says which lanes still serve.
    #[inline(always)]
    fn add<V: Lanes<Element = f64>>(
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
        // The exponential takes a low word that is much smaller than 1, and that of a sum of pairs may be larger than a rounding.
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
                // (z − α)₊ⁱ is a polynomial less (−1)ⁱ (α − z)₊ⁱ.
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
                // The product of both means, which a covariance is without.
                sum.add(V::select(wanted, -apart, zero));
                let mut weight = product * unit * number(weight(i, j));
                if i % 2 == 0 {
                    // Before the near knot the polynomial is (−1)ⁱ times a tail to the other side, which is taken away.
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
        // The constant does not count, since no covariance has it.
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
