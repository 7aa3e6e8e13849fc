//! Cov(T(u), T′(w)) of two tails or point masses, and of their derivatives.
//!
//! Weakly correlated ones meet in a series, which is in proportion to c:
//!
//! ```text
//! Cov = Σ_k≥1 ρᵏ/k! f_k f′_k      f_k = ξᵏE[T⁽ᵏ⁾]
//! ```
//!
//! f_k and f′_k are features of one function each: those of a layer are computed once for each unit, and many pairs at a time (`layer`). Its terms fall as
//! the powers of |ρ|(α + 1)(β + 1).
//!
//! For others the joint tails E\[tail_i tail_j\] are integrals over directions from the vertex where both knots meet ([`quadrant`](super::quadrant)), whose
//! integrand is positive. A pair serves all orders i and j of its knots: what these share is computed once, when it is first asked for. A point
//! mass takes the tails of the other side given its place.
//!
//! Error: the series has all digits where it is taken. A joint tail is right to some ulp of itself, and a covariance J_ij − J_i J_j to some ulp of J_ij.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::law::Law;
use super::quadrant::Quadrant;
use super::tail::{
    Seen, TERMS, TailValues, binomial, factorial, half_exponential, hermite_of, power, ratios,
};
use crate::kernel::{Lanes, Mask, number, word};
use crate::lanes::double::two_sum;

/// How often both functions are differentiated.
pub(super) type Order = [usize; 2];

/// A sum with the errors of its additions.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum<V = f64>(pub(super) [V; 2]);

impl<V: Lanes> Sum<V> {
    #[inline(always)]
    pub(super) fn add(&mut self, term: V) {
        let [sum, error] = two_sum(self.0[0], term);
        self.0 = [sum, self.0[1] + error];
    }
}

impl Sum {
    pub(super) fn value(self) -> f64 {
        let sum = self.0[0] + self.0[1];
        // The rounding error of an infinite sum is NaN.
        if sum.is_nan() { self.0[0] } else { sum }
    }
}

/// Up to which |ρ| and |ρ|(α + 1)(β + 1) the series is used.
pub(super) const WEAK: f64 = 0.3;
pub(super) const WEAK_PRODUCT: f64 = 1.5;

/// Whether a pair of knots is in reach of the series.
pub(super) fn is_weak(r: f64, a: f64, b: f64) -> bool {
    r.abs() <= WEAK && r.abs() * (a.abs() + 1.0) * (b.abs() + 1.0) <= WEAK_PRODUCT
}

/// Σ rᵏ/k! of the products f_k g_k, from k = 1 on, small terms first, for features of knots or points at the distances a and b.
pub(super) fn series(r: f64, [a, b]: [f64; 2], product: impl Fn(usize) -> f64) -> f64 {
    // More where functions are differentiated: their terms fall later.
    let terms = terms(2.0 * r.abs() * (a.abs() + 1.0) * (b.abs() + 1.0), true);
    (1..=terms).rev().fold(0.0, |sum, k| r / k as f64 * (product(k) + sum))
}

/// How many terms hold all digits where they are wanted: those of |ρ|(α + 1)(β + 1), with whose powers they fall.
#[inline(always)]
pub(super) fn terms<V: Lanes>(strength: V, wanted: V::Mask) -> usize {
    let ignored = wanted.not();
    let [least, less, more] = [0.01, 0.05, 0.15];
    if !ignored.or(strength.le(number(more))).all() {
        return TERMS;
    }
    match (
        ignored.or(strength.le(number(least))).all(),
        ignored.or(strength.le(number(less))).all(),
    ) {
        (true, _) => 8,
        (_, true) => 12,
        _ => 20,
    }
}

/// A tail or a mass of each side, with what their covariances of all orders share.
pub(super) struct TailPair<'a, A, B> {
    first: &'a A,
    second: &'a B,
    law: &'a Law,
    /// ρ, or −ρ where the two are seen to different sides.
    pub(super) r: f64,
    joint: OnceCell<JointTails<'a>>,
}

impl<'a, A: Seen, B: Seen> TailPair<'a, A, B> {
    pub(super) fn new(first: &'a A, second: &'a B, law: &'a Law) -> Self {
        let r = first.place().side * second.place().side * law.rho;
        Self { first, second, law, r, joint: OnceCell::new() }
    }

    /// Adds the covariances as they are.
    pub(super) fn add_plainly<const N: usize>(&self, orders: &[Order; N], sums: &mut [Sum; N]) {
        let [first, second] = [self.first.place(), self.second.place()];
        if !is_weak(self.r, first.z, second.z) {
            for (order, sum) in orders.iter().zip(sums) {
                sum.add(self.covariance_of(*order, |_, _| true));
            }
            return;
        }
        let density = first.density * second.density;
        if density == 0.0 {
            return;
        }
        for (order, sum) in orders.iter().zip(sums) {
            let product = |k| self.first.ratio(k, order[0]) * self.second.ratio(k, order[1]);
            sum.add(density * series(self.r, [first.z, second.z], product));
        }
    }

    /// The covariance from the vertex, of the terms whose orders are wanted.
    pub(super) fn covariance_of(&self, order: Order, wanted: impl Fn(i32, i32) -> bool) -> f64 {
        let mut sum = 0.0;
        for (i, c) in self.first.terms(order[0]) {
            for (j, d) in self.second.terms(order[1]).filter(|(j, _)| wanted(i, *j)) {
                let joint =
                    self.joint.get_or_init(|| JointTails::new(self.first, self.second, self.law));
                sum += c * d * joint.covariance(i, j);
            }
        }
        sum
    }
}

/// Two knots of tails, or places of point masses, and the correlation of what lies beyond them.
pub(super) struct JointTails<'a> {
    law: Law,
    /// The knots' distances in standard deviations.
    z: [f64; 2],
    density: [f64; 2],
    /// J_n/φ there, of the orders that are needed, where the distance is positive.
    upper: [&'a [f64]; 2],
    /// How many orders of joint tails are needed.
    counts: [usize; 2],
    /// v b − c a and v′ a − c b, rounded once.
    offset: [f64; 2],
    /// The offsets as distances in deviations: of each knot from where its pre-activation is expected, given that the other one is on its knot.
    y: [f64; 2],
    /// The square of the distance of the vertex.
    square: [f64; 2],
    joint: OnceCell<Vec<f64>>,
    conditional: [OnceCell<TailValues>; 2],
}

impl<'a> JointTails<'a> {
    pub(super) fn new(first: &'a impl Seen, second: &'a impl Seen, law: &Law) -> Self {
        let (upper, counts) = ([first.upper(), second.upper()], [first.count(), second.count()]);
        let places = [first.place(), second.place()];
        let [first, second] = places;
        let sign = first.side * second.side;
        let law = law.mirrored(sign);
        let (a, b) = (first.distance, second.distance);
        let offset = [law.offset(a, b), law.swapped().offset(b, a)];
        let (mut y, mut square) = ([0.0; 2], [0.0; 2]);
        if !law.is_degenerate() {
            let root = libm::sqrt(law.determinant[0]);
            y = [0, 1].map(|i| offset[i][0] / (law.deviation[i] * root));
            let unit = word::multiply([law.variance[0], 0.0], law.determinant);
            let rest = word::divide(word::multiply(offset[0], offset[0]), unit);
            square = word::add(first.square, rest);
        }
        Self {
            law,
            z: places.map(|place| place.z),
            density: places.map(|place| place.density),
            upper,
            counts,
            offset: offset.map(|offset| offset[0]),
            y,
            square,
            joint: OnceCell::new(),
            conditional: [OnceCell::new(), OnceCell::new()],
        }
    }

    /// Cov of the tails of orders i and j, of which negative ones are point masses.
    pub(super) fn covariance(&self, i: i32, j: i32) -> f64 {
        match (usize::try_from(i), usize::try_from(j)) {
            (Ok(m), Ok(n)) => {
                let joint = self.joint.get_or_init(|| self.joint());
                joint[m * self.counts[1] + n] - self.single(0, i) * self.single(1, j)
            }
            (Err(_), _) => self.mass(0, i, j),
            (_, Err(_)) => self.mass(1, j, i),
        }
    }

    /// E of the product of the tails of orders i and j.
    pub(super) fn expectation(&self, i: i32, j: i32) -> f64 {
        match (usize::try_from(i), usize::try_from(j)) {
            (Ok(m), Ok(n)) => self.joint.get_or_init(|| self.joint())[m * self.counts[1] + n],
            (Err(_), _) => self.joint_mass(0, i, j),
            (_, Err(_)) => self.joint_mass(1, j, i),
        }
    }

    /// J_n of one of them.
    fn single(&self, which: usize, n: i32) -> f64 {
        let (z, density) = (self.z[which], self.density[which]);
        match usize::try_from(n) {
            Ok(order) => match self.upper[which].get(order) {
                Some(ratio) => ratio * density,
                None => TailValues::new(z, order + 1).get(n),
            },
            Err(_) => hermite_of(z, (-1 - n) as usize) * density,
        }
    }

    /// E\[tail_n\] of the other one, given that this one is on its knot.
    fn conditional(&self, which: usize, n: i32) -> f64 {
        let law = &self.law;
        if law.is_degenerate() {
            let x = -self.offset[which] / (law.variance[which] * law.deviation[1 - which]);
            return match usize::try_from(n) {
                Ok(0) if x == 0.0 => 0.5,
                Ok(n) if x > 0.0 => power(x, n) / factorial(n),
                // Two masses that meet are the business of `limits`.
                _ => 0.0,
            };
        }
        let values = self.conditional[which]
            .get_or_init(|| TailValues::new(self.y[which], self.counts[1 - which]));
        let value = values.get(n);
        let unit = power(law.rest, n.unsigned_abs() as usize);
        // r may be so small that a power of it underflows. 0/0 is 0, since a mass that is far from the knot is nothing.
        match (value == 0.0, n >= 0) {
            (true, _) => 0.0,
            (false, true) => unit * value,
            (false, false) => value / unit,
        }
    }

    /// The part E\[…\] of the covariance with a derivative of the point mass at this knot, i < 0, and any tail of the other.
    fn joint_mass(&self, which: usize, i: i32, j: i32) -> f64 {
        joint_mass(i, [self.z[which], self.density[which]], self.law.rho, |k| {
            self.conditional(which, j - k as i32)
        })
    }

    /// Cov of a derivative of the point mass at this knot, i < 0, and any tail of the other.
    fn mass(&self, which: usize, i: i32, j: i32) -> f64 {
        if self.density[which] == 0.0 {
            return 0.0;
        }
        self.joint_mass(which, i, j) - self.single(which, i) * self.single(1 - which, j)
    }

    /// J_ij of all orders, row by row.
    fn joint(&self) -> Vec<f64> {
        let [a, b] = self.z;
        let [na, nb] = self.offset;
        if self.law.is_degenerate() && (self.law.rho < 0.0 || a < 0.0 || b < 0.0) {
            return alloc::vec![0.0; self.counts[0] * self.counts[1]];
        }
        // Tails that have been flipped make an acute angle.
        if a < 0.0 || b < 0.0 || (!self.law.is_degenerate() && na >= 0.0 && nb >= 0.0) {
            return self.quadrant(a + b, self.y, -self.law.rho, false);
        }
        // The farther of two implies the other for the most part: the rest is a quadrant without obtuse angle.
        let swap = if self.law.is_degenerate() { b > a } else { nb < 0.0 };
        self.reduced(usize::from(swap))
    }

    /// The integral from the vertex; with the rows for the second knot if it is swapped.
    fn quadrant(&self, distances: f64, y: [f64; 2], cosine: f64, swap: bool) -> Vec<f64> {
        let unit = half_exponential(self.square) / core::f64::consts::TAU;
        let (sine, square) = (self.law.rest, self.square[0]);
        let top = self.counts.map(|count| count - 1);
        let top = if swap { [top[1], top[0]] } else { top };
        let quadrant = Quadrant { y, sine, cosine, distances, square };
        quadrant.integrals(top, unit, self.law.summation)
    }

    /// The joint tails where one knot is the farther one.
    fn reduced(&self, far: usize) -> Vec<f64> {
        let near = 1 - far;
        let (r, rest) = (self.law.rho, self.law.rest);
        let gap = -self.offset[far] / (self.law.variance[far] * self.law.deviation[near]);
        let is_swapped = far == 1;
        let leaf = if self.law.is_degenerate() {
            alloc::vec![0.0; self.counts[0] * self.counts[1]]
        } else {
            self.quadrant(0.0, [-self.y[far], self.y[near]], r, is_swapped)
        };
        let density = self.density[far];
        let ratios = ratios(self.z[far], self.counts[0] + self.counts[1] - 1);
        let whole = |i: usize, j: usize| {
            let mut sum = 0.0;
            for k in 0..=j {
                // Beyond the far knot the near tail is (r (x − a) + gap + rest y)ʲ/j! with x and y independent, and E[yⁿ] is known.
                for l in 0..=(j - k) / 2 {
                    let m = j - k - 2 * l;
                    sum += power(r, k) * binomial(i + k, k) * ratios[i + k] * power(gap, m)
                        / factorial(m)
                        * power(rest * rest / 2.0, l)
                        / factorial(l);
                }
            }
            sum * density
        };
        let mut values = Vec::with_capacity(leaf.len());
        for i in 0..self.counts[0] {
            for j in 0..self.counts[1] {
                let [i, j] = if is_swapped { [j, i] } else { [i, j] };
                let part = leaf[i * self.counts[near] + j];
                let whole = if density == 0.0 { 0.0 } else { whole(i, j) };
                // Before the near knot the polynomial is (−1)ʲ times a tail to the other side, which is taken away.
                values.push(if j % 2 == 0 { whole - part } else { whole + part });
            }
        }
        values
    }
}

/// E of a derivative of the point mass at a place, i < 0, and of what its derivatives are expected to be given that place.
pub(super) fn joint_mass(
    i: i32,
    [z, density]: [f64; 2],
    rho: f64,
    expected: impl Fn(usize) -> f64,
) -> f64 {
    let n = (-1 - i) as usize;
    let term = |k: usize| {
        let weight = binomial(n, k) * power(-rho, k) * hermite_of(z, n - k);
        if weight == 0.0 { 0.0 } else { weight * expected(k) }
    };
    if density == 0.0 { 0.0 } else { density * (0..=n).map(term).sum::<f64>() }
}
