//! A narrow piece: its polynomial, nodes on it, and its moments with the Normal density.
//!
//! ```text
//! ξᵏ E[T⁽ᵏ⁾] = ∫ T(x) He_k(z) φ(z) dx      z = z₀ + x
//! ```
//!
//! with x the distance from the lower end in standard deviations. The density changes little over the piece, so that a Gauss–Legendre rule has all
//! digits. It is the density at the end that is nearer to the mean times e^(−x(z₀ + x/2)), whose exponent is small: only the exponent at the end needs
//! two words.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::tail::{DEPTH, DERIVATIVES, SeenPoint};
use super::truncated_moments::{factorial, falling};
use crate::constants::rules::{PAIRS, Row};

/// T on a narrow piece: a polynomial in the distance from its lower end.
#[derive(Clone, Debug)]
pub(super) struct NarrowPiece {
    /// The ends, seen to the right.
    pub(super) ends: [SeenPoint; 2],
    /// In standard deviations.
    pub(super) width: f64,
    /// The number of its lower end among the [ends of narrow pieces](super::decomposition::NarrowEnd) of the function.
    pub(super) lower_end: usize,
    /// Coefficients in powers of the distance, and those of its derivatives, in standard deviations.
    pub(super) polynomials: [Vec<f64>; DERIVATIVES],
    /// Whether the polynomial is differentiated, and not the density.
    pub(super) is_apart: bool,
    /// ξᵏE\[T⁽ᵏ⁾\] for each polynomial, of small k, and of all.
    features: [OnceCell<[f64; FIRST]>; DERIVATIVES],
    all_features: [OnceCell<Vec<f64>>; DERIVATIVES],
}

/// A node on a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The distance from the lower end.
    pub(super) x: f64,
    /// The distance from the mean.
    pub(super) z: f64,
    /// The weight of the rule times φ(z).
    pub(super) mass: f64,
}

impl NarrowPiece {
    pub(super) fn new(
        ends: [SeenPoint; 2],
        width: f64,
        lower_end: usize,
        polynomial: Vec<f64>,
    ) -> Self {
        let first = derivative(&polynomial);
        let second = derivative(&first);
        Self {
            ends,
            width,
            lower_end,
            polynomials: [polynomial, first, second],
            is_apart: false,
            features: Default::default(),
            all_features: Default::default(),
        }
    }

    /// The nodes of a rule on a part of the piece.
    pub(super) fn nodes<'a>(
        &'a self,
        rule: &'a [Row<f64>],
        [from, to]: [f64; 2],
    ) -> impl Iterator<Item = Node> + 'a {
        let [lower, upper] = &self.ends;
        let width = to - from;
        rule.iter().map(move |[node, _, weight]| {
            let x = from + width * node;
            let (z, density) = if lower.z.abs() <= upper.z.abs() {
                (lower.z + x, lower.density * falling(x * (lower.z + 0.5 * x)))
            } else {
                let y = x - self.width;
                (upper.z + y, upper.density * falling(y * (upper.z + 0.5 * y)))
            };
            Node { x, z, mass: weight * width * density }
        })
    }

    /// ξᵏE\[T⁽ᵏ⁾\] of the derivative, by nodes.
    pub(super) fn feature(&self, k: usize, times: usize) -> f64 {
        let (which, k) = if self.is_apart { (times, k) } else { (0, k + times) };
        if k < FIRST {
            let of = || {
                let mut features = [0.0; FIRST];
                self.integrate(which, &mut features);
                features
            };
            return self.features[which].get_or_init(of)[k];
        }
        // More only where the other function has a polynomial of such a degree.
        match self.all_features(which).get(k) {
            Some(feature) => *feature,
            None => self.integrals(which, k + 1)[k],
        }
    }

    /// ξᵏE\[T⁽ᵏ⁾\] of the derivative for all k of a series, where the density is differentiated.
    pub(super) fn features(&self, times: usize) -> &[f64] {
        &self.all_features(0)[times..]
    }

    fn all_features(&self, which: usize) -> &[f64] {
        self.all_features[which].get_or_init(|| self.integrals(which, DEPTH))
    }

    fn integrals(&self, which: usize, count: usize) -> Vec<f64> {
        let mut features = alloc::vec![0.0; count];
        self.integrate(which, &mut features);
        features
    }

    /// ∫ p He_k φ dx for each k.
    fn integrate(&self, which: usize, features: &mut [f64]) {
        let polynomial = &self.polynomials[which];
        // The first few are integrals of the density alone, which changes as steeply as its distance from the mean is large.
        let is_first = features.len() <= FIRST;
        let size = self.width * (1.0 + 0.25 * self.reach());
        let rule = if is_first { rule(size) } else { PAIRS[FEATURES] };
        let [mut z, mut before, mut now] = [[0.0; MOST_NODES]; 3];
        let z = &mut z[..rule.len()];
        let (before, now) = (&mut before[..rule.len()], &mut now[..rule.len()]);
        for (i, node) in self.nodes(rule, [0.0, self.width]).enumerate() {
            (z[i], now[i]) = (node.z, node.mass * value(polynomial, node.x));
        }
        for (n, feature) in features.iter_mut().enumerate() {
            *feature = sum(now);
            let n = n as f64;
            for ((z, before), now) in z.iter().zip(before.iter_mut()).zip(now.iter_mut()) {
                (*before, *now) = (*now, z * *now - n * *before);
            }
        }
    }

    /// Its farther end, in standard deviations.
    pub(super) fn reach(&self) -> f64 {
        self.ends[0].z.abs().max(self.ends[1].z.abs())
    }
}

/// How many features are computed where no series asks for more.
const FIRST: usize = 4;
/// The most nodes on a piece.
pub(super) const MOST_NODES: usize = 24;

/// Which of the rules the features take: that with 24 nodes.
const FEATURES: usize = 3;

/// Σ xᵢ over the nodes, of which there are a multiple of four, as four sums side by side.
pub(super) fn sum(terms: &[f64]) -> f64 {
    let mut parts = [0.0; 4];
    for some in terms.chunks_exact(4) {
        parts.iter_mut().zip(some).for_each(|(part, term)| *part += term);
    }
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// Σ pᵢ xⁱ
pub(super) fn value(p: &[f64], x: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The coefficients of the derivative.
pub(super) fn derivative(p: &[f64]) -> Vec<f64> {
    p.iter().enumerate().skip(1).map(|(i, c)| i as f64 * c).collect()
}

/// A polynomial and all its derivatives at a place.
pub(super) fn derivatives(p: &[f64], x: f64) -> Vec<f64> {
    let mut p = p.to_vec();
    for start in 0..p.len() {
        for i in (start..p.len() - 1).rev() {
            p[i] += p[i + 1] * x;
        }
    }
    p.iter_mut().enumerate().for_each(|(i, c)| *c *= factorial(i));
    p
}

/// The Gauss–Legendre rule for an integrand that is a polynomial times a Normal density over so many of its deviations.
pub(super) fn rule(deviations: f64) -> &'static [Row<f64>] {
    let most = [0.3, 1.2, 2.8];
    PAIRS[most.iter().position(|most| deviations <= *most).unwrap_or(most.len())]
}

/// The most standard deviations that a narrow piece is wide.
pub(super) const WIDEST: f64 = 2.0;

/// Whether a piece, whose ends are in standard deviations from the mean, is integrated by nodes.
pub(super) fn is_narrow([lower, upper]: [f64; 2]) -> bool {
    if lower.is_infinite() || upper.is_infinite() {
        return false;
    }
    if lower < 0.0 && 0.0 < upper {
        return upper - lower < 1.0;
    }
    let (near, far) = (lower.abs().min(upper.abs()), lower.abs().max(upper.abs()));
    (far * far - near * near) / 2.0 < 3.0 && far - near < WIDEST
}
