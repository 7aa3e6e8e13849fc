//! Cov(tail_i(z), tail_j(z′)) of two tails, seen from the corner where their knots meet.
//!
//! Where the correlation is weak the covariance is the series Σ ρᵏ/k! J_{i−k} J_{j−k}, in proportion to c; elsewhere the joint tail is an
//! integral over directions from the corner, with the tails R_n as its radial part. Everything summed in it is positive.

use alloc::vec::Vec;

use super::law::Law;
use super::ratio::{
    INV_SQRT_TAU, Ratios, binomial, factorial, half_exponential, hermite, power, ratios, tail,
};
use super::side::Tail;
use crate::constants::nodes;
use crate::kernel::word;

/// Up to which |ρ| and |ρ|(α + 1)(β + 1) the series is used, and how many of its terms.
pub(super) const WEAK: f64 = 0.3;
pub(super) const WEAK_PRODUCT: f64 = 1.5;
pub(super) const TERMS: usize = 32;
/// From which square of the distance of the corner on the rule is used twice.
const FAR: f64 = 300.0;

/// Two tails: distances α, β of their knots, their correlation r, and the corner.
pub(super) struct Corner {
    a: f64,
    b: f64,
    /// α² and β².
    qa: [f64; 2],
    qb: [f64; 2],
    /// The square of the distance of the corner.
    q: [f64; 2],
    /// v b − c a and v′ a − c b, rounded once.
    na: f64,
    nb: f64,
    /// The same in units that make them distances.
    ya: f64,
    yb: f64,
    r: f64,
    law: Law,
}

impl Corner {
    pub(super) fn new(first: &Tail, second: &Tail, law: &Law) -> Self {
        let sign = first.side * second.side;
        let law = Law { covariance: sign * law.covariance, rho: sign * law.rho, ..*law };
        let (a, b) = (first.distance, second.distance);
        let [[v, w], [s, t]] = [law.variance, law.deviation];
        let c = [law.covariance, 0.0];
        let (v, w) = ([v, 0.0], [w, 0.0]);
        let square = |x: [f64; 2], v| word::divide(word::multiply(x, x), v);
        let less = |x: [f64; 2], y| word::add(x, word::negate(y));
        let na = less(word::multiply(v, b), word::multiply(c, a));
        let nb = less(word::multiply(w, a), word::multiply(c, b));
        let (qa, qb) = (square(a, v), square(b, w));
        let (mut ya, mut yb, mut q) = (0.0, 0.0, [0.0; 2]);
        if !law.is_degenerate() {
            let root = libm::sqrt(law.determinant[0]);
            (ya, yb) = (na[0] / (s * root), nb[0] / (t * root));
            q = word::add(qa, square(na, word::multiply(v, law.determinant)));
        }
        Self { a: a[0] / s, b: b[0] / t, qa, qb, q, na: na[0], nb: nb[0], ya, yb, r: law.rho, law }
    }

    fn swapped(&self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            qa: self.qb,
            qb: self.qa,
            na: self.nb,
            nb: self.na,
            ya: self.yb,
            yb: self.ya,
            law: self.law.swapped(),
            ..*self
        }
    }

    /// Whether the series is used.
    pub(super) fn is_weak(&self) -> bool {
        is_weak(self.r, self.a, self.b)
    }

    /// α, β and r.
    pub(super) fn numbers(&self) -> [f64; 3] {
        [self.a, self.b, self.r]
    }

    fn densities(&self) -> [f64; 2] {
        [self.qa, self.qb].map(|q| INV_SQRT_TAU * half_exponential(q))
    }

    /// Cov of two tails.
    pub(super) fn covariance(&self, first: &Tail, second: &Tail) -> f64 {
        if self.is_weak() {
            return self.series(first, second);
        }
        let [fa, fb] = self.densities();
        let top = [first.top().max(0), second.top().max(0)].map(|top| top as usize);
        let joint = if first.top() >= 0 && second.top() >= 0 {
            if self.a < 0.0 || self.b < 0.0 { self.leaf(top, false) } else { self.joint(top) }
        } else {
            Vec::new()
        };
        let mut sum = 0.0;
        for (i, c) in first.terms() {
            for (j, d) in second.terms() {
                // What is not there counts nothing where masses meet, either.
                if c * d == 0.0 {
                    continue;
                }
                let value = match (usize::try_from(i), usize::try_from(j)) {
                    (Ok(m), Ok(n)) => {
                        let apart = self.tail(i, self.a, fa) * self.tail(j, self.b, fb);
                        joint[m * (top[1] + 1) + n] - apart
                    }
                    (Err(_), _) => self.mass(i, j, fa, fb),
                    (_, Err(_)) => self.swapped().mass(j, i, fb, fa),
                };
                sum += c * d * value;
            }
        }
        sum
    }

    /// J_n from the density, which knows more of the distance.
    fn tail(&self, n: i32, z: f64, density: f64) -> f64 {
        match usize::try_from(n) {
            Ok(order) if z >= 0.0 => ratios(z, order + 1)[order] * density,
            Ok(_) => tail(n, z),
            Err(_) => hermite(z, (-n) as usize).last().map_or(0.0, |he| he * density),
        }
    }

    /// E\[tail_j(z′) | z = α\], for j < 0 of the point mass or its derivatives.
    fn conditional(&self, j: i32) -> f64 {
        if self.law.is_degenerate() {
            let x = -self.na / (self.law.variance[0] * self.law.deviation[1]);
            return match usize::try_from(j) {
                Ok(0) if x == 0.0 => 0.5,
                Ok(n) if x > 0.0 => power(x, n) / factorial(n),
                _ => 0.0,
            };
        }
        let rest = self.law.rest;
        let unit = if j >= 0 { power(rest, j as usize) } else { 1.0 / power(rest, (-j) as usize) };
        let value = tail(j, self.ya);
        if value == 0.0 { 0.0 } else { unit * value }
    }

    /// The part E\[…\] of the covariance with a derivative of the point mass at α.
    pub(super) fn joint_mass(&self, i: i32, j: i32) -> f64 {
        let fa = INV_SQRT_TAU * half_exponential(self.qa);
        if fa == 0.0 {
            return 0.0;
        }
        let n = (-1 - i) as usize;
        let he = hermite(self.a, n + 1);
        let term = |k: usize| {
            let weight = binomial(n, k) * power(-self.r, k) * he[n - k];
            if weight == 0.0 { 0.0 } else { weight * self.conditional(j - k as i32) }
        };
        fa * (0..=n).map(term).sum::<f64>()
    }

    /// Cov of a derivative of the point mass at α, i < 0, and any tail.
    fn mass(&self, i: i32, j: i32, fa: f64, fb: f64) -> f64 {
        if fa == 0.0 {
            return 0.0;
        }
        self.joint_mass(i, j) - self.tail(i, self.a, fa) * self.tail(j, self.b, fb)
    }

    fn series(&self, first: &Tail, second: &Tail) -> f64 {
        let unit = half_exponential(word::add(self.qa, self.qb)) / core::f64::consts::TAU;
        if unit == 0.0 {
            return 0.0;
        }
        let features = |tail: &Tail, z: f64| -> Vec<f64> {
            let depth = TERMS + usize::try_from(-tail.first.min(0)).unwrap_or(0) + 1;
            let ratios = Ratios::new(z, depth, tail.top());
            let feature = |k: i32| tail.terms().map(|(i, c)| c * ratios.get(i - k)).sum();
            (1..=TERMS as i32).map(feature).collect()
        };
        let (f, g) = (features(first, self.a), features(second, self.b));
        unit * series(self.r, &f, &g)
    }

    /// J_ij for i ≤ top\[0\] and j ≤ top\[1\], for α, β ≥ 0.
    fn joint(&self, top: [usize; 2]) -> Vec<f64> {
        let is_degenerate = self.law.is_degenerate();
        let (r, rest) = (self.r, self.law.rest);
        if is_degenerate && r < 0.0 {
            return alloc::vec![0.0; (top[0] + 1) * (top[1] + 1)];
        }
        if !is_degenerate && self.na >= 0.0 && self.nb >= 0.0 {
            return self.leaf(top, true);
        }
        // The farther of two implies the other for the most part: the rest is a corner without obtuse angle.
        let swap = if is_degenerate { self.b > self.a } else { self.nb < 0.0 };
        if swap {
            let other = self.swapped().reduced([top[1], top[0]], r, rest);
            let at = |i: usize, j: usize| other[j * (top[0] + 1) + i];
            return (0..=top[0])
                .flat_map(|i| (0..=top[1]).map(move |j| (i, j)))
                .map(|(i, j)| at(i, j))
                .collect();
        }
        self.reduced(top, r, rest)
    }

    /// The joint tails where α is the farther knot.
    fn reduced(&self, top: [usize; 2], r: f64, rest: f64) -> Vec<f64> {
        let [fa, _] = self.densities();
        let gap = -self.na / (self.law.variance[0] * self.law.deviation[1]);
        let leaf = if self.law.is_degenerate() {
            alloc::vec![0.0; (top[0] + 1) * (top[1] + 1)]
        } else {
            let e = half_exponential(self.q) / core::f64::consts::TAU;
            wedge(0.0, [-self.ya, self.yb], rest, r, top, self.q[0], e)
        };
        let far = ratios(self.a, top[0] + top[1] + 1);
        let mut values = Vec::with_capacity(leaf.len());
        for i in 0..=top[0] {
            for j in 0..=top[1] {
                let mut sum = 0.0;
                for k in 0..=(if fa == 0.0 { 0 } else { j }) {
                    for l in 0..=(j - k) / 2 {
                        let m = j - k - 2 * l;
                        sum += power(r, k) * binomial(i + k, k) * far[i + k] * power(gap, m)
                            / factorial(m)
                            * power(rest * rest / 2.0, l)
                            / factorial(l);
                    }
                }
                let whole = if fa == 0.0 { 0.0 } else { sum * fa };
                let part = leaf[i * (top[1] + 1) + j];
                values.push(if j % 2 == 0 { whole - part } else { whole + part });
            }
        }
        values
    }

    /// The joint tails by the integral from the corner itself.
    fn leaf(&self, top: [usize; 2], may_be_obtuse: bool) -> Vec<f64> {
        if self.law.is_degenerate() {
            return alloc::vec![0.0; (top[0] + 1) * (top[1] + 1)];
        }
        let e = half_exponential(self.q) / core::f64::consts::TAU;
        debug_assert!(may_be_obtuse || self.r <= 0.0, "a flipped tail");
        wedge(self.a + self.b, [self.ya, self.yb], self.law.rest, -self.r, top, self.q[0], e)
    }
}

/// Whether a pair of tails is in reach of the series.
pub(super) fn is_weak(r: f64, a: f64, b: f64) -> bool {
    r.abs() <= WEAK && r.abs() * (a.abs() + 1.0) * (b.abs() + 1.0) <= WEAK_PRODUCT
}

/// Σ rᵏ/k! f_k g_k, from k = 1 on, small terms first.
pub(super) fn series(r: f64, f: &[f64], g: &[f64]) -> f64 {
    let mut weight = 1.0;
    let mut terms = Vec::with_capacity(f.len());
    for (k, (f, g)) in f.iter().zip(g).enumerate() {
        weight *= r / (k + 1) as f64;
        terms.push(weight * f * g);
    }
    terms.iter().rev().sum()
}

/// `unit` · ∫ over a wedge whose corner is its point nearest to the mean.
///
/// `y`: the distances of the mean along the two edges, `sine` and `cosine` of the angle between them. Directions are
/// (1 − τ)e₁ + τe₂, so that no angle is computed; an obtuse wedge is cut at its bisector.
fn wedge(
    distances: f64,
    y: [f64; 2],
    sine: f64,
    cosine: f64,
    top: [usize; 2],
    square: f64,
    unit: f64,
) -> Vec<f64> {
    let mut sums = alloc::vec![0.0; (top[0] + 1) * (top[1] + 1)];
    if unit == 0.0 {
        return sums;
    }
    let mut add = |so: f64, sp: f64, z: f64, weight: f64| {
        let order = top[0] + top[1] + 1;
        let radial = ratios(z.max(0.0), order + 1);
        let mut first = weight;
        for i in 0..=top[0] {
            let mut both = first;
            for j in 0..=top[1] {
                sums[i * (top[1] + 1) + j] += both * radial[i + j + 1];
                both *= sp;
            }
            first *= so;
        }
    };
    let panels: &[f64] = if square < FAR { &[0.0, 1.0] } else { &[0.0, 0.25, 1.0] };
    let mirrored: &[f64] = if square < FAR { &[0.0, 1.0] } else { &[0.0, 0.25, 0.75, 1.0] };
    if cosine >= 0.0 {
        for (t, weight) in rule(mirrored) {
            let d2 = 1.0 - 2.0 * t * (1.0 - t) * (1.0 - cosine);
            let rd = 1.0 / libm::sqrt(d2);
            let z = ((1.0 - t) * y[0] + t * y[1]) * rd;
            add(sine * t * rd, sine * (1.0 - t) * rd, z, weight * sine / d2);
        }
    } else {
        let sd = libm::sqrt((1.0 - cosine) / 2.0);
        let cd = if cosine < -0.5 { sine / (2.0 * sd) } else { libm::sqrt((1.0 + cosine) / 2.0) };
        let middle = distances / (2.0 * sd);
        for (t, weight) in rule(panels) {
            let d2 = 1.0 - 2.0 * t * (1.0 - t) * (1.0 - cd);
            let rd = 1.0 / libm::sqrt(d2);
            let (u, v) = (sd * t * rd, sd * (2.0 * cd * (1.0 - t) + t) * rd);
            let weight = weight * sd / d2;
            add(u, v, ((1.0 - t) * y[0] + t * middle) * rd, weight);
            add(v, u, ((1.0 - t) * y[1] + t * middle) * rd, weight);
        }
    }
    for i in 0..=top[0] {
        for j in 0..=top[1] {
            // (i + j + 1)!/(i! j!)
            sums[i * (top[1] + 1) + j] *= binomial(i + j, i) * (i + j + 1) as f64 * unit;
        }
    }
    sums
}

/// The rule of 32 nodes on each panel.
fn rule(panels: &[f64]) -> impl Iterator<Item = (f64, f64)> + '_ {
    panels.windows(2).flat_map(|ends| {
        let (from, width) = (ends[0], ends[1] - ends[0]);
        let both = |node: &nodes::Node<f64>| [(node.near, node.weight), (node.far, node.weight)];
        nodes::F64.iter().flat_map(both).map(move |(t, weight)| (from + width * t, width * weight))
    })
}
