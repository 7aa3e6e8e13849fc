//! The joint tails of two knots: integrals over the quadrant beyond both, by directions from its vertex.
//!
//! In coordinates in which the two pre-activations are independent, the quadrant is a wedge; the cosine of its angle ω is −ρ. Let a direction from the
//! vertex make the angles θ and ω − θ with the edges, and let z(θ) be the distance of the vertex from the mean along it. With R_n = J_n/φ the radial part,
//!
//! ```text
//! E[tail_i tail_j] = (i + j + 1)!/(i! j!) φ₂(vertex) ∫ sinⁱ(θ) sinʲ(ω − θ) R_{i+j+1}(z(θ)) dθ
//! ```
//!
//! where nothing is negative. Directions are (1 − τ)e₁ + τe₂, so that no angle is computed; a Gauss–Legendre rule in τ has all digits. It has 32 nodes, 16
//! where the integrand changes little, and is used on several panels where the vertex is far out. An obtuse wedge is cut at its bisector.
//!
//! Nodes are independent, and each costs some tails R_n: many are computed side by side, those of one quadrant (`in_vectors`) or
//! the same node of many quadrants (`layer`).
//!
//! Error: some ulp of each joint tail, since no term is negative.

use alloc::vec::Vec;

use super::tail::{CUT, ORDERS, binomial};
use crate::Float;
use crate::constants::rules::{F64, PAIRS, Row};
use crate::kernel::{Edge, number, tails};
use crate::lanes::dispatch::{Task, Vectors};
use crate::lanes::{Lanes, Mask};

/// From which square of the distance of the vertex on the rule is used twice.
pub(super) const FAR: f64 = 300.0;
/// Up to which square, which order of both tails together and from which cosine of the angle or of its half on the short
/// rule serves.
const SHORT: (f64, usize, f64) = (100.0, 2, 0.4);

/// Nodes on \[0, 1\] and their weights.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) nodes: &'static [f64],
    pub(super) weights: &'static [f64],
}

const LONG_RULE: Rule =
    Rule { nodes: &column::<32>(PAIRS[4], 0), weights: &column::<32>(PAIRS[4], 2) };
const SHORT_RULE: Rule =
    Rule { nodes: &column::<16>(F64[0], 0), weights: &column::<16>(F64[0], 2) };

/// A column of the rows of a rule.
const fn column<const N: usize>(rule: &[Row<f64>], at: usize) -> [f64; N] {
    let mut list = [0.0; N];
    let mut i = 0;
    while i < N {
        list[i] = rule[i][at];
        i += 1;
    }
    list
}

impl Rule {
    /// Of 16 nodes or of 32.
    pub(super) fn new(is_short: bool) -> &'static Self {
        if is_short { &SHORT_RULE } else { &LONG_RULE }
    }
}

/// Where the [short rule](Rule::new) serves: the square of the distance of the vertex, and the cosine of the angle, of which an obtuse one is
/// halved.
#[inline(always)]
pub(super) fn is_short<V: Lanes>(square: V, cosine: V, top: [usize; 2]) -> V::Mask {
    let (most, order, least) = SHORT;
    let most = if top[0] + top[1] <= order { most } else { 0.0 };
    let acute = number::<V>(least).le(cosine);
    let halved = number::<V>(2.0 * least * least - 1.0).le(cosine).and(cosine.lt(number(0.0)));
    square.lt(number(most)).and(acute.or(halved))
}

/// How the integrand is summed over the nodes, for all orders up to two of them, row by row. The sums are 0 before.
pub(super) type Summation = fn(&Quadrant, [usize; 2], &mut [f64]);

/// A quadrant whose vertex is its point nearest to the mean.
pub(super) struct Quadrant {
    /// The distances of the mean along the two edges.
    pub(super) y: [f64; 2],
    /// The sine and the cosine of the angle between the edges.
    pub(super) sine: f64,
    pub(super) cosine: f64,
    /// The sum of the distances of both knots, for an obtuse quadrant.
    pub(super) distances: f64,
    /// The square of the distance of the vertex.
    pub(super) square: f64,
}

impl Quadrant {
    /// `unit` · the integrals for i ≤ top\[0\] and j ≤ top\[1\], row by row.
    pub(super) fn integrals(&self, top: [usize; 2], unit: f64, summation: Summation) -> Vec<f64> {
        let mut sums = alloc::vec![0.0; (top[0] + 1) * (top[1] + 1)];
        if unit == 0.0 {
            return sums;
        }
        summation(self, top, &mut sums);
        for i in 0..=top[0] {
            for j in 0..=top[1] {
                sums[i * (top[1] + 1) + j] *= weight(i, j) * unit;
            }
        }
        sums
    }

    /// The [`Summation`] that computes one node after the other.
    pub(super) fn one_by_one(&self, top: [usize; 2], into: &mut [f64]) {
        match top[0] + top[1] + 2 {
            0..=3 => self.add_nodes::<f64, 3>(top, into),
            4..=5 => self.add_nodes::<f64, 5>(top, into),
            6..=9 => self.add_nodes::<f64, 9>(top, into),
            _ => self.add_nodes::<f64, ORDERS>(top, into),
        }
    }

    /// Adds the integrand at all nodes, of which lanes take several.
    #[inline(always)]
    fn add_nodes<V: Lanes<Element = f64>, const N: usize>(&self, top: [usize; 2], sums: &mut [V]) {
        let is_obtuse = self.cosine < 0.0;
        let is_near = self.square < FAR;
        let rule = Rule::new(is_short(self.square, self.cosine, top));
        // Far out the integrand changes fastest at the edges, of which a half has one.
        let panels: &[f64] = match (is_near, is_obtuse) {
            (true, _) => &[0.0, 1.0],
            (false, true) => &[0.0, 0.25, 1.0],
            (false, false) => &[0.0, 0.25, 0.75, 1.0],
        };
        let y = [number(self.y[0]), number(self.y[1])];
        let shape = [self.sine, self.cosine, self.distances];
        let fan =
            Fan::<V>::new(y, [number(shape[0]), number(shape[1]), number(shape[2])], is_obtuse);
        for panel in panels.windows(2) {
            let (from, width) = (number(panel[0]), number(panel[1] - panel[0]));
            for start in (0..rule.nodes.len()).step_by(V::COUNT) {
                let t = V::load(&rule.nodes[start..]).mul_add(width, from);
                let weight = V::load(&rule.weights[start..]) * width;
                fan.add::<N>(t, weight, top, sums);
            }
        }
    }
}

/// (i + j + 1)!/(i! j!)
pub(super) fn weight(i: usize, j: usize) -> f64 {
    binomial(i + j, i) * (i + j + 1) as f64
}

/// The directions of a quadrant, or of both halves of an obtuse one.
pub(super) struct Fan<V> {
    y: [V; 2],
    /// Of the angle, or of half of it.
    sine: V,
    cosine: V,
    /// The distance along the bisector, if there is one.
    middle: Option<V>,
}

impl<V: Lanes> Fan<V> {
    /// From the distances along the edges; the sine, the cosine and the sum of the distances of both knots.
    #[inline(always)]
    pub(super) fn new(y: [V; 2], [sine, cosine, distances]: [V; 3], is_obtuse: bool) -> Self {
        if !is_obtuse {
            return Self { y, sine, cosine, middle: None };
        }
        let (one, half) = (number::<V>(1.0), number::<V>(0.5));
        let twice = ((one - cosine) * half).sqrt();
        let twice = twice + twice;
        // The half angle's cosine. Near a straight angle 1 + cos ω has lost its digits, and sin ω/(2 sin(ω/2)) has not.
        let is_wide = cosine.lt(-half);
        let narrow = V::select(is_wide, half, (one + cosine) * half).sqrt();
        Self {
            y,
            sine: twice * half,
            cosine: V::select(is_wide, sine / twice, narrow),
            middle: Some(distances / twice),
        }
    }

    /// Adds weight · the integrand in one direction, of each half.
    #[inline(always)]
    pub(super) fn add<const N: usize>(&self, t: V, weight: V, top: [usize; 2], sums: &mut [V]) {
        let Self { y, sine, cosine, middle } = *self;
        let one = number::<V>(1.0);
        let s = one - t;
        // The square of the length of (1 − τ)e₁ + τe₂: at least ½, since the angle is acute or half of an obtuse one.
        let d2 = (t * s).neg_mul_add((one - cosine) + (one - cosine), one);
        let [_, rd, _] = d2.roots();
        let weight = weight * sine * (rd * rd);
        let first = sine * t * rd;
        match middle {
            Some(middle) => {
                // To the far edge of the whole angle 2h: sin(2h − θ) ∝ s sin 2h + t sin h.
                let second = sine * s.mul_add(cosine + cosine, t) * rd;
                let z = (s * y[0] + t * middle) * rd;
                add::<V, N>(sums, top, [first, second], z, weight);
                let z = (s * y[1] + t * middle) * rd;
                add::<V, N>(sums, top, [second, first], z, weight);
            }
            None => {
                let z = (s * y[0] + t * y[1]) * rd;
                add::<V, N>(sums, top, [first, sine * s * rd], z, weight);
            }
        }
    }
}

/// Adds weight · sinⁱ sinʲ R_{i+j+1}(z) for the sines of the angles to both edges.
#[inline(always)]
fn add<V: Lanes, const N: usize>(sums: &mut [V], top: [usize; 2], sines: [V; 2], z: V, weight: V) {
    let (zero, cut) = (number::<V>(0.0), number::<V>(CUT));
    // The vertex is the nearest point, so that z is negative by rounding alone.
    let s = z.max(zero).min(cut);
    let h = V::select(cut.lt(z), zero, number(1.0));
    let radial = tails::<V, N>(&Edge { z: s, s, d: s, h, h_low: zero, s_low: zero });
    let mut first = weight;
    for i in 0..=top[0] {
        let mut both = first;
        for j in 0..=top[1] {
            let sum = &mut sums[i * (top[1] + 1) + j];
            *sum = both.mul_add(radial[i + j + 1], *sum);
            both = both * sines[1];
        }
        first = first * sines[0];
    }
}

/// How many sums vectors take at once; more are for single numbers.
pub(super) const SUMS: usize = 20;
/// No vector has more numbers.
pub(super) const WIDEST: usize = 8;

impl Quadrant {
    /// The [`Summation`] that computes many nodes side by side.
    pub(super) fn in_vectors(&self, top: [usize; 2], into: &mut [f64]) {
        match top[0] + top[1] + 2 {
            0..=3 if into.len() <= SUMS => f64::dispatch(Nodes::<3> { quadrant: self, top, into }),
            4..=5 if into.len() <= SUMS => f64::dispatch(Nodes::<5> { quadrant: self, top, into }),
            6..=9 if into.len() <= SUMS => f64::dispatch(Nodes::<9> { quadrant: self, top, into }),
            _ => self.one_by_one(top, into),
        }
    }
}

struct Nodes<'a, const N: usize> {
    quadrant: &'a Quadrant,
    top: [usize; 2],
    into: &'a mut [f64],
}

impl<const N: usize> Task<f64> for Nodes<'_, N> {
    type Unit = ();

    #[inline(always)]
    fn run<V: Lanes<Element = f64>, R: Lanes<Element = f64>>(self) {
        let mut sums = [V::splat(V::Scalar::from_f64(0.0)); SUMS];
        self.quadrant.add_nodes::<V, N>(self.top, &mut sums);
        for (into, sum) in self.into.iter_mut().zip(sums) {
            let mut lanes = [0.0; WIDEST];
            sum.store(&mut lanes);
            *into = lanes[..V::COUNT].iter().sum();
        }
    }

    fn run_one_by_one(self) {
        self.quadrant.add_nodes::<f64, N>(self.top, self.into);
    }
}

#[cfg(test)]
mod tests {
    use super::{Fan, Rule, SHORT};

    fn sums(rule: &Rule, y: [f64; 2], angle: f64, middle: Option<f64>) -> [f64; 4] {
        let fan = Fan { y, sine: libm::sin(angle), cosine: libm::cos(angle), middle };
        let mut sums = [0.0; 4];
        for (t, weight) in rule.nodes.iter().zip(rule.weights) {
            fan.add::<5>(*t, *weight, [1, 1], &mut sums);
        }
        sums
    }

    /// Wherever it is taken, the short rule differs from the long one by rounding.
    #[test]
    fn both_rules_agree_where_the_short_one_serves() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (square, _, cosine) = SHORT;
        let mut worst = 0.0_f64;
        for round in 0..20_000 {
            // Of an obtuse quadrant a half is taken.
            let is_half = round % 2 == 1;
            let most = libm::acos(cosine);
            let least = if is_half { core::f64::consts::FRAC_PI_4 } else { 0.0 };
            let half = least + (most - least) * random();
            let angle = if is_half { 2.0 * half } else { half };
            let distance = libm::sqrt(square * random()) * if round % 3 == 0 { 0.1 } else { 1.0 };
            // The vertex is the point nearest to the mean: neither edge runs towards it.
            let turn = (core::f64::consts::PI - angle) * (random() - 0.5);
            let y = [turn + angle / 2.0, turn - angle / 2.0].map(|a| distance * libm::cos(a));
            let middle = is_half.then(|| distance * libm::cos(turn));
            let [short, long] =
                [true, false].map(|is_short| sums(Rule::new(is_short), y, half, middle));
            for (short, long) in short.into_iter().zip(long) {
                worst = worst.max((short / long - 1.0).abs());
            }
        }
        assert!(worst < 2e-15 && worst > 0.0, "{worst}");
    }
}
