//! The numbers of a unit: γ and ξ² with a straight function, for all pairs that the unit is in.
//!
//! With α the distance of a knot in units of ξ, D its kink times ξ and C its jump, seen from the mean,
//!
//! ```text
//! ŝ = ξ s + Σ ±D J₀(|α|)   f = Σ C φ(α)   −∂(ŝ + f) = Σ (D + α C) φ(α)   ∂²(ŝ + f) = Σ (α D + (α² − 1) C) φ(α)
//! ```
//!
//! with s the slope of the piece of the mean and + for knots to its right. Distances are right to an ulp, and what they lost by rounding is kept.

use crate::kernel::pieces::Table;
use crate::kernel::{
    Deviation, Edge, KnotWords, Lanes, Mask, Pair, density_unit, number, tails, word,
};
use crate::lanes::double::two_sum;
use crate::lanes::twice::Twice;
use crate::pair::decomposition::jump;
use crate::precision::Precision;

/// The widest piece of which the terms of the integral over the correlation surely cancel, and the farthest, in standard deviations.
const NARROW: f64 = 0.3;
const NEAR: f64 = 8.0;

/// A function whose pieces are straight lines.
#[derive(Clone, Copy, Debug)]
pub(in crate::pair) struct StraightKnots<'a> {
    table: &'a Table<'a>,
}

/// The pieces beside a knot of a straight function.
#[derive(Clone, Copy, Debug)]
pub(in crate::pair) struct StraightKnot {
    /// By how much the function jumps.
    pub(in crate::pair) jump: f64,
    /// By how much its slope changes.
    pub(in crate::pair) kink: f64,
    /// The value to the right.
    value: f64,
    /// The slopes on both sides.
    pub(in crate::pair) slopes: [f64; 2],
}

impl<'a> StraightKnots<'a> {
    /// `None` if a piece is curved, or the coefficients have a unit of their own.
    pub(in crate::pair) fn of(table: &'a Table<'a>) -> Option<Self> {
        let is_straight = table.degree == 1 && table.exponent == 0 && !table.knots.is_empty();
        is_straight.then_some(Self { table })
    }

    /// How many knots there are.
    pub(in crate::pair) fn count(self) -> usize {
        self.table.knots.len()
    }

    /// The value at the first knot and the slope of the piece to its left.
    fn leftmost(self) -> [f64; 2] {
        let left = self.table.left_of(0);
        [left[0][0], left[1][0]]
    }

    /// The place of a knot, in three words.
    #[inline(always)]
    pub(in crate::pair) fn place(self, knot: usize) -> [f64; 3] {
        self.table.knots[knot]
    }

    /// One of the knots.
    #[inline(always)]
    pub(in crate::pair) fn at(self, knot: usize) -> StraightKnot {
        // The value and the slope to the left, then those to the right.
        let sides = &self.table.sides[4 * knot..][..4];
        StraightKnot {
            jump: jump(sides[0], sides[2]),
            kink: word::subtract(sides[3], sides[1])[0],
            value: sides[2][0],
            slopes: [sides[1][0], sides[3][0]],
        }
    }

    /// One of the knots; beyond the last, the last again.
    #[inline(always)]
    fn at_or_last(self, knot: usize) -> StraightKnot {
        let last = self.count() - 1;
        if knot <= last { self.at(knot) } else { self.at(last).again() }
    }

    /// Whether a piece is so narrow, and so near, that the terms of its two knots cancel.
    pub(in crate::pair) fn is_narrow(self, mean: f64, variance: f64) -> bool {
        if self.count() == 1 {
            return false;
        }
        let deviation = libm::sqrt(variance);
        let [narrow, near] = [NARROW, NEAR].map(|most| most * deviation);
        self.table.knots.windows(2).any(|ends| {
            let [from, to] = [ends[0][0], ends[1][0]];
            to - from <= narrow && from - mean < near && mean - to < near
        })
    }

    /// Whether the function jumps somewhere.
    pub(in crate::pair) fn jumps(self) -> bool {
        (0..self.count()).any(|knot| self.at(knot).jump != 0.0)
    }
}

impl StraightKnot {
    /// A knot at the same place, where the function neither jumps nor turns.
    #[inline(always)]
    fn again(self) -> Self {
        Self { jump: 0.0, kink: 0.0, slopes: [self.slopes[1]; 2], ..self }
    }
}

/// The functions of units side by side.
pub(in crate::pair) trait Functions<V> {
    /// The most knots that one of them has.
    fn count(&self) -> usize;
    /// Numbers of the function of each lane.
    fn numbers<const N: usize>(&self, of: impl Fn(StraightKnots<'_>) -> [f64; N]) -> [V; N];
    /// A knot of the function of each lane.
    fn knot(&self, knot: usize) -> KnotWords<V>;
}

/// One function of all units.
impl<V: Lanes> Functions<V> for StraightKnots<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        StraightKnots::count(*self)
    }
    #[inline(always)]
    fn numbers<const N: usize>(&self, of: impl Fn(StraightKnots<'_>) -> [f64; N]) -> [V; N] {
        let mut numbers = [number(0.0); N];
        for (into, from) in numbers.iter_mut().zip(of(*self)) {
            *into = number(from);
        }
        numbers
    }
    #[inline(always)]
    fn knot(&self, knot: usize) -> KnotWords<V> {
        KnotWords::new(self.place(knot))
    }
}

/// A function for each of two units.
impl<V: Lanes> Functions<Twice<V>> for [StraightKnots<'_>; 2] {
    #[inline(always)]
    fn count(&self) -> usize {
        self[0].count().max(self[1].count())
    }
    #[inline(always)]
    fn numbers<const N: usize>(&self, of: impl Fn(StraightKnots<'_>) -> [f64; N]) -> [Twice<V>; N] {
        let [first, second] = [of(self[0]), of(self[1])];
        core::array::from_fn(|i| Twice(number(first[i]), number(second[i])))
    }
    #[inline(always)]
    fn knot(&self, knot: usize) -> KnotWords<Twice<V>> {
        KnotWords::two(self.map(|g| g.place(knot.min(g.count() - 1))))
    }
}

/// The farthest knot of the integral, in standard deviations: so far, or so much farther than the nearest one, up to an end.
pub(in crate::pair) const FARTHEST: [f64; 3] = [8.0, 4.0, 16.0];

/// The numbers of a unit, before those of its knots.
pub(in crate::pair) mod row {
    /// ŝ, the expected slope.
    pub(crate) const SLOPE: usize = 0;
    /// ΣCφ.
    pub(crate) const FLUX: usize = 1;
    /// ∂ŝ + ∂f, once and twice.
    pub(crate) const FIRST: usize = 2;
    pub(crate) const SECOND: usize = 3;
    /// The sizes of what ŝ + f, FIRST and SECOND are sums of.
    pub(crate) const SIZES: usize = 4;
    /// 1/ξ.
    pub(crate) const INVERSE: usize = 7;
    /// The farthest of its near knots.
    pub(crate) const REACH: usize = 8;
    /// The size of all jumps and kinks, and a bound of what far ones do.
    pub(crate) const WEIGHT: usize = 9;
    pub(crate) const FAR: usize = 10;
    /// E\[g\], and the size of what it is a sum of.
    pub(crate) const MEAN: usize = 11;
    pub(crate) const MEAN_SIZE: usize = 12;
    /// ŝ and f of the function that increases as steeply as g changes.
    pub(crate) const STEEP: usize = 13;
    pub(crate) const STEEP_FLUX: usize = 14;
    /// 0 if the piece of the mean is 0.
    pub(crate) const BASE: usize = 15;
    /// ξ²
    pub(crate) const VARIANCE: usize = 16;
    /// For each knot its distance, φ there, the kink, the jump, the kink of the steep function, and what the distance has lost by rounding.
    pub(crate) const KNOTS: usize = 17;
    pub(crate) const OF_KNOT: usize = 6;
}

/// How many numbers a unit has.
pub(in crate::pair) fn numbers(knots: usize) -> usize {
    row::KNOTS + row::OF_KNOT * knots
}

/// The numbers of some units, row by row.
#[derive(Clone, Copy)]
pub(in crate::pair) struct Units<'a, const SEVERAL: bool> {
    pub(in crate::pair) rows: &'a [f64],
    pub(in crate::pair) stride: usize,
    pub(in crate::pair) at: usize,
    pub(in crate::pair) knots: usize,
}

/// The numbers of a unit, in all lanes, or of a unit for each lane.
pub(in crate::pair) trait UnitNumbers<V: Lanes> {
    /// How many knots there are.
    fn count(&self) -> usize;
    /// One of the numbers before those of the knots.
    fn get(&self, row: usize) -> V;
    /// The numbers of a knot.
    fn of_knot(&self, knot: usize) -> [V; row::OF_KNOT];

    /// A knot.
    #[inline(always)]
    fn knot(&self, knot: usize) -> Knot<V> {
        let [z, phi, kink, jump, steep, lost] = self.of_knot(knot);
        Knot { z, phi, kink, jump, steep, lost }
    }

    /// The expected slope.
    #[inline(always)]
    fn slope(&self) -> Slope<V> {
        Slope {
            slope: self.get(row::SLOPE),
            flux: self.get(row::FLUX),
            derivatives: [self.get(row::FIRST), self.get(row::SECOND)],
            sizes: [self.get(row::SIZES), self.get(row::SIZES + 1), self.get(row::SIZES + 2)],
        }
    }
}

impl<V: Lanes<Element = f64>, const SEVERAL: bool> UnitNumbers<V> for Units<'_, SEVERAL> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.knots
    }
    #[inline(always)]
    fn get(&self, row: usize) -> V {
        let place = row * self.stride + self.at;
        if SEVERAL { V::load(&self.rows[place..]) } else { number(self.rows[place]) }
    }
    #[inline(always)]
    fn of_knot(&self, knot: usize) -> [V; row::OF_KNOT] {
        let place = row::KNOTS + row::OF_KNOT * knot;
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|part| place + part);
        [self.get(a), self.get(b), self.get(c), self.get(d), self.get(e), self.get(f)]
    }
}

/// Where the numbers of units are written.
pub(in crate::pair) trait Store<V> {
    /// One of the numbers before those of the knots.
    fn number(&mut self, row: usize, value: V);
    /// The numbers of a knot.
    fn knot(&mut self, knot: usize, numbers: [V; row::OF_KNOT]);
}

/// A unit for each lane, row by row.
pub(in crate::pair) struct Columns<'a> {
    pub(in crate::pair) rows: &'a mut [f64],
    pub(in crate::pair) stride: usize,
    pub(in crate::pair) at: usize,
}

impl<V: Lanes<Element = f64>> Store<V> for Columns<'_> {
    #[inline(always)]
    fn number(&mut self, row: usize, value: V) {
        value.store(&mut self.rows[row * self.stride + self.at..]);
    }
    #[inline(always)]
    fn knot(&mut self, knot: usize, numbers: [V; row::OF_KNOT]) {
        let row = row::KNOTS + row::OF_KNOT * knot;
        for (part, value) in numbers.iter().enumerate() {
            self.number(row + part, *value);
        }
    }
}

/// Two units; of the one with fewer knots the last knot comes again, and is not kept.
impl Store<Twice<f64>> for [One<'_>; 2] {
    #[inline(always)]
    fn number(&mut self, row: usize, value: Twice<f64>) {
        (self[0].numbers[row], self[1].numbers[row]) = (value.0, value.1);
    }
    #[inline(always)]
    fn knot(&mut self, knot: usize, numbers: [Twice<f64>; row::OF_KNOT]) {
        let [left, right] = self;
        let parts = [numbers.map(|both| both.0), numbers.map(|both| both.1)];
        for (one, numbers) in [left, right].into_iter().zip(parts) {
            if let Some(place) = one.knots.get_mut(knot) {
                *place = numbers;
            }
        }
    }
}

/// The numbers of one unit.
pub(in crate::pair) struct One<'a> {
    pub(in crate::pair) numbers: [f64; row::KNOTS],
    /// Those of the knots.
    pub(in crate::pair) knots: &'a mut [[f64; row::OF_KNOT]],
}

impl One<'_> {
    /// Whether the function jumps.
    pub(in crate::pair) fn jumps(&self) -> bool {
        self.knots.iter().any(|[_, _, _, jump, ..]| *jump != 0.0)
    }
}

impl UnitNumbers<f64> for One<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.knots.len()
    }
    #[inline(always)]
    fn get(&self, row: usize) -> f64 {
        self.numbers[row]
    }
    #[inline(always)]
    fn of_knot(&self, knot: usize) -> [f64; row::OF_KNOT] {
        self.knots[knot]
    }
}

/// The numbers of a unit that stand for its expected slope.
#[derive(Clone, Copy)]
pub(in crate::pair) struct Slope<V> {
    /// ŝ, the expected slope without jumps.
    pub(in crate::pair) slope: V,
    /// ΣCφ.
    pub(in crate::pair) flux: V,
    /// ∂ŝ + ∂f, once and twice.
    pub(in crate::pair) derivatives: [V; 2],
    /// The sizes of what ŝ + f and its derivatives are sums of.
    pub(in crate::pair) sizes: [V; 3],
}

/// A knot of a unit.
#[derive(Clone, Copy)]
pub(in crate::pair) struct Knot<V> {
    /// The distance from the mean in units of ξ, and φ there; both are 0 of a knot that is too far.
    pub(in crate::pair) z: V,
    pub(in crate::pair) phi: V,
    /// By how much the slope changes, times ξ, and by how much the function jumps.
    pub(in crate::pair) kink: V,
    pub(in crate::pair) jump: V,
    /// The kink of the function that increases as steeply as g changes.
    pub(in crate::pair) steep: V,
    /// The distance less what it is rounded to.
    pub(in crate::pair) lost: V,
}

/// A knot as the mean sees it.
pub(in crate::pair) struct Seen<V: Lanes> {
    /// t − γ
    apart: Pair<V>,
    /// The distance in units of ξ, and |distance|, no more than a cut-off.
    pub(in crate::pair) z: V,
    size: V,
    /// φ there, and the tails beyond, of the orders 0 and 1.
    pub(in crate::pair) phi: V,
    tails: [V; 2],
    /// Whether the knot lies to the right of the mean.
    pub(in crate::pair) is_right: V::Mask,
}

impl<V: Lanes> Seen<V> {
    #[inline(always)]
    pub(in crate::pair) fn new(gamma: V, at: &KnotWords<V>, deviation: &Deviation<V>) -> Self {
        let edge = Edge::seen::<false>(gamma, at, deviation);
        let tails: [V; 2] = tails(&edge);
        let unit = density_unit::<V>();
        Self {
            apart: displacement(gamma, at.words),
            z: edge.z,
            size: edge.s,
            phi: edge.h * unit,
            tails: [tails[0] * unit, tails[1] * unit],
            is_right: number::<V>(0.0).lt(edge.z),
        }
    }

    /// The distance less what it is rounded to.
    #[inline(always)]
    pub(in crate::pair) fn lost(&self, deviation: &Deviation<V>) -> V {
        let lost = Pair::exact(self.z) - self.apart * deviation.inverse_pair();
        -lost.round()
    }

    /// x for a knot to the right of the mean, −x for one to the left: the sign of a tail that begins there, outward.
    #[inline(always)]
    pub(in crate::pair) fn outward(&self, x: V) -> V {
        V::select(self.is_right, x, -x)
    }

    /// The part of a kink in ŝ, but for its sign.
    #[inline(always)]
    pub(in crate::pair) fn beyond(&self, kink: V) -> V {
        kink * self.tails[0]
    }

    /// The parts of a kink and a jump in −∂(ŝ + f) and ∂²(ŝ + f).
    #[inline(always)]
    pub(in crate::pair) fn derivatives(&self, kink: V, jump: V) -> [V; 2] {
        let point = jump * self.phi;
        let first = self.phi.mul_add(kink, self.z * point);
        let second = self.z.mul_add(self.z, number(-1.0)) * point;
        [first, (kink * self.z).mul_add(self.phi, second)]
    }
}

/// |x| φ(z) (1 + z²)² of a far knot, at least; 0 where it is nothing.
#[inline(always)]
fn of_far<V: Lanes>(size: V, z: V, phi: V) -> V {
    let square = z * z + number(1.0);
    size * phi * square * square
}

/// Writes the numbers of units, with their means and variances in lanes. What distances have lost by rounding is 0 unless it is wanted.
#[inline(always)]
pub(in crate::pair) fn see<V: Lanes<Element = f64>>(
    g: &impl Functions<V>,
    gamma: V,
    xi2: V,
    deviation: &Deviation<V>,
    with_lost: bool,
    into: &mut impl Store<V>,
) {
    let zero = number::<V>(0.0);
    let xi = deviation.xi;
    let [leftmost, leftmost_slope] = g.numbers(|g| g.leftmost());
    let distance = |k: usize| ((g.knot(k).words[0] - gamma) * deviation.inverse).abs();
    let nearest = (1..g.count()).fold(distance(0), |nearest, k| nearest.min(distance(k)));
    let [usual, more, most] = FARTHEST.map(number::<V>);
    // Where the nearest knot is far, all is as small as the density there: what counts beside it reaches farther.
    let farthest = (nearest + more).max(usual).min(most);
    let (mut base, mut flux, mut reach) = (leftmost_slope, zero, zero);
    let [mut slope, mut first_slope, mut second_slope] = [zero; 3];
    let [mut steep, mut steep_flux] = [zero; 2];
    let mut steep_base = leftmost_slope.abs();
    let [mut size, mut first_size, mut second_size] = [zero; 3];
    let (mut weight, mut far, mut mean, mut mean_size) = (zero, zero, zero, zero);
    let (mut level, mut line) = (leftmost, zero);
    for k in 0..g.count() {
        let [kink, jump, value, slope_before, slope_after] = g.numbers(|g| {
            let StraightKnot { kink, jump, value, slopes: [before, after] } = g.at_or_last(k);
            [kink, jump, value, before, after]
        });
        let seen = Seen::new(gamma, &g.knot(k), deviation);
        let Seen { z, phi, .. } = seen;
        let [beyond_here, rest] = seen.tails;
        let kink = kink * xi;
        base = V::select(seen.is_right, base, slope_after);
        // The steep function has the slope |g′|: its kinks are the differences of these.
        let (before, after) = (slope_before.abs(), slope_after.abs());
        steep_base = V::select(seen.is_right, steep_base, after);
        let steep_kink = (after - before) * xi;
        // t − γ, also where that is far beyond all density.
        let apart = seen.apart.round();
        if k == 0 {
            line = -apart * slope_before;
        }
        level = V::select(seen.is_right, level, value);
        line = V::select(seen.is_right, line, -apart * slope_after);
        let (more, jumped) = (seen.beyond(kink), jump * beyond_here);
        slope = slope + seen.outward(more);
        steep = steep + seen.outward(steep_kink * beyond_here);
        // Beyond the knot a kink adds J₁ to the line of the mean, and a jump adds J₀.
        let tail = kink * rest;
        mean = mean + (tail + seen.outward(jumped));
        mean_size = mean_size + (tail.abs() + jumped.abs());
        let point = jump * phi;
        flux = flux + point;
        steep_flux = steep_flux + point.abs();
        let [once, twice] = seen.derivatives(kink, jump);
        first_slope = first_slope + once;
        second_slope = second_slope + twice;
        size = size + (more.abs() + point.abs());
        first_size = first_size + ((phi * kink).abs() + (z * point).abs());
        second_size = second_size + ((kink * z * phi).abs() + (z * z + number(1.0)) * point.abs());
        let is_near = z.abs().le(farthest);
        let size_here = kink.abs() + jump.abs();
        weight = weight + size_here;
        far = far + V::select(is_near, zero, of_far(size_here, seen.size, phi));
        reach = V::select(is_near, z.abs(), zero).max(reach);
        let lost = if with_lost { seen.lost(deviation) } else { zero };
        let [z, phi] = [V::select(is_near, z, zero), V::select(is_near, phi, zero)];
        into.knot(k, [z, phi, kink, jump, steep_kink, V::select(is_near, lost, zero)]);
    }
    let whole = base.mul_add(xi, slope);
    into.number(row::SLOPE, whole);
    into.number(row::STEEP, steep_base.mul_add(xi, steep));
    into.number(row::STEEP_FLUX, steep_flux);
    into.number(row::FLUX, flux);
    into.number(row::FIRST, first_slope);
    into.number(row::SECOND, second_slope);
    // The slope of the piece of the mean is exact.
    into.number(row::SIZES, (whole + flux).abs().max(size));
    into.number(row::SIZES + 1, first_size);
    into.number(row::SIZES + 2, second_size);
    // Outside of these limits products overflow. Not a number as 1/ξ puts the pair out of reach of the integral.
    let largest = if V::GENERAL { LARGEST[0] } else { LARGEST[1] };
    let [least, most] = [-largest, largest].map(|e| V::splat(V::Scalar::power_of_two(e)));
    let is_near = gamma.abs().lt(number(f64::INFINITY));
    let serves = least.le(xi2).and(xi2.le(most)).and(is_near);
    into.number(row::INVERSE, V::select(serves, deviation.inverse, number(f64::NAN)));
    into.number(row::VARIANCE, xi2);
    into.number(row::REACH, reach);
    into.number(row::WEIGHT, weight);
    into.number(row::FAR, far);
    into.number(row::BASE, level.abs() + base.abs());
    into.number(row::MEAN, level + (line + mean));
    into.number(row::MEAN_SIZE, level.abs() + line.abs() + mean_size);
}

/// The exponent of the largest variance, and of the reciprocal of the smallest: of one number, and of vectors.
const LARGEST: [i32; 2] = [1000, 200];

/// t − γ
#[inline(always)]
fn displacement<V: Lanes>(gamma: V, [high, middle, low]: [V; 3]) -> Pair<V> {
    let [apart, error] = two_sum(high, -gamma);
    Pair::new(apart, error) + Pair::new(middle, low)
}
