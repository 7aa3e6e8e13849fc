//! The integral over the directions from the corner at which two knots meet.
//!
//! Its nodes are independent, and each costs some tails R_n: slices and layers compute many side by side (`nodes`).

use alloc::vec::Vec;

use super::ratio::{CUT, ORDERS, binomial};
use crate::Float;
use crate::constants::nodes;
use crate::kernel::{Edge, tails};
use crate::lanes::Lanes;

/// From which square of the distance of the corner on the rule is used twice.
const FAR: f64 = 300.0;
/// The nodes of a panel.
pub(super) const COUNT: usize = 32;
const NODES: [f64; COUNT] = listed(true);
const WEIGHTS: [f64; COUNT] = listed(false);

const fn listed(nodes: bool) -> [f64; COUNT] {
    let mut list = [0.0; COUNT];
    let mut i = 0;
    while 2 * i < COUNT {
        let node = &nodes::F64[i];
        list[2 * i] = if nodes { node.near } else { node.weight };
        list[2 * i + 1] = if nodes { node.far } else { node.weight };
        i += 1;
    }
    list
}

/// How the integrand is summed over the nodes, for all orders up to two of them, row by row. The sums are 0 before.
pub(super) type Summation = fn(&Wedge, [usize; 2], &mut [f64]);

/// A wedge whose corner is its point nearest to the mean.
pub(super) struct Wedge {
    /// The distances of the mean along the two edges.
    pub(super) y: [f64; 2],
    /// The sine and the cosine of the angle between the edges.
    pub(super) sine: f64,
    pub(super) cosine: f64,
    /// The sum of the distances of both knots, for an obtuse wedge.
    pub(super) distances: f64,
    /// The square of the distance of the corner.
    pub(super) square: f64,
}

impl Wedge {
    /// `unit` · the integrals for i ≤ top\[0\] and j ≤ top\[1\], row by row.
    pub(super) fn integrals(&self, top: [usize; 2], unit: f64, summation: Summation) -> Vec<f64> {
        let mut sums = alloc::vec![0.0; (top[0] + 1) * (top[1] + 1)];
        if unit == 0.0 {
            return sums;
        }
        summation(self, top, &mut sums);
        for i in 0..=top[0] {
            for j in 0..=top[1] {
                // (i + j + 1)!/(i! j!)
                sums[i * (top[1] + 1) + j] *= binomial(i + j, i) * (i + j + 1) as f64 * unit;
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

    /// Adds the integrand at all nodes. Directions are (1 − τ)e₁ + τe₂, so that no angle is computed; an obtuse wedge is cut at its
    /// bisector.
    #[inline(always)]
    pub(super) fn add_nodes<V: Lanes<Element = f64>, const N: usize>(
        &self,
        top: [usize; 2],
        sums: &mut [V],
    ) {
        let number = |x: f64| V::splat(V::Scalar::from_f64(x));
        let one = number(1.0);
        let is_obtuse = self.cosine < 0.0;
        let panels: &[f64] = match (self.square < FAR, is_obtuse) {
            (true, _) => &[0.0, 1.0],
            (false, true) => &[0.0, 0.25, 1.0],
            (false, false) => &[0.0, 0.25, 0.75, 1.0],
        };
        let sd = libm::sqrt((1.0 - self.cosine) / 2.0);
        let cd = if self.cosine < -0.5 {
            self.sine / (2.0 * sd)
        } else {
            libm::sqrt((1.0 + self.cosine) / 2.0)
        };
        let (sine, cosine) = if is_obtuse { (sd, cd) } else { (self.sine, self.cosine) };
        let ends = if is_obtuse {
            let middle = self.distances / (2.0 * sd);
            [[self.y[0], middle], [self.y[1], middle]]
        } else {
            [self.y; 2]
        };
        for panel in panels.windows(2) {
            let (from, width) = (number(panel[0]), number(panel[1] - panel[0]));
            let mut start = 0;
            while start < COUNT {
                let t = V::load(&NODES[start..]).mul_add(width, from);
                let weight = V::load(&WEIGHTS[start..]) * width;
                start += V::COUNT;
                let s = one - t;
                let d2 = (t * s).neg_mul_add(number(2.0 * (1.0 - cosine)), one);
                let rd = one / d2.sqrt();
                let weight = weight * number(sine) * (rd * rd);
                let z = |[y, other]: [f64; 2]| (s * number(y) + t * number(other)) * rd;
                let first = number(sine) * t * rd;
                if is_obtuse {
                    let second = number(sd) * s.mul_add(number(2.0 * cd), t) * rd;
                    add::<V, N>(sums, top, [first, second], z(ends[0]), weight);
                    add::<V, N>(sums, top, [second, first], z(ends[1]), weight);
                } else {
                    let second = number(sine) * s * rd;
                    add::<V, N>(sums, top, [first, second], z(ends[0]), weight);
                }
            }
        }
    }
}

/// Adds weight · sinⁱ sinʲ R_{i+j+1}(z) for the sines of the angles to both edges.
#[inline(always)]
fn add<V: Lanes<Element = f64>, const N: usize>(
    sums: &mut [V],
    top: [usize; 2],
    sines: [V; 2],
    z: V,
    weight: V,
) {
    let number = |x: f64| V::splat(V::Scalar::from_f64(x));
    let (zero, cut) = (number(0.0), number(CUT));
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
