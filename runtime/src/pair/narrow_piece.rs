//! A narrow piece: its polynomial, and nodes on it.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::tail::{DEPTH, DERIVATIVES, Place};
use super::truncated_moments::hermite;
use crate::constants::nodes;
use crate::kernel::word;

/// T on a narrow piece: a polynomial in the distance from its lower end.
#[derive(Clone, Debug)]
pub(super) struct NarrowPiece {
    /// The ends less the mean.
    pub(super) lower: [f64; 2],
    pub(super) upper: [f64; 2],
    pub(super) width: f64,
    /// Coefficients in powers of the distance, and those of its derivatives in units of the standard deviation.
    pub(super) polynomials: [Vec<f64>; DERIVATIVES],
    /// Whether the polynomial is differentiated, and not the density.
    pub(super) is_apart: bool,
    /// ξᵏE\[T⁽ᵏ⁾\] for each polynomial.
    pub(super) features: [OnceCell<Vec<f64>>; DERIVATIVES],
}

impl NarrowPiece {
    /// The order of the point mass that stands for a part of the derivative, and its coefficient for a weight 1.
    pub(super) fn mass(&self, at: f64, times: usize, deviation: f64) -> (i32, f64) {
        let (order, polynomial) = if self.is_apart { (0, times) } else { (times, 0) };
        (-1 - order as i32, value(&self.polynomials[polynomial], at) / deviation)
    }

    /// A point of it.
    pub(super) fn place(&self, at: f64, unit: [f64; 2]) -> Place {
        Place::new(word::add(self.lower, [at, 0.0]), true, unit)
    }

    /// ξᵏE\[T⁽ᵏ⁾\] of the derivative, by nodes.
    pub(super) fn feature(&self, k: usize, times: usize, unit: [f64; 2]) -> f64 {
        let (which, k) = if self.is_apart { (times, k) } else { (0, k + times) };
        let polynomial = &self.polynomials[which];
        let of = |depth: usize| {
            let mut features = alloc::vec![0.0; depth];
            for (at, weight) in quadrature(0.0, self.width) {
                let place = self.place(at, unit);
                let mass = weight * value(polynomial, at) / unit[1] * place.density;
                for (feature, he) in features.iter_mut().zip(hermite(place.z, depth)) {
                    *feature += mass * he;
                }
            }
            features
        };
        // More only where the other function has a polynomial of such a degree.
        match self.features[which].get_or_init(|| of(DEPTH)).get(k) {
            Some(feature) => *feature,
            None => of(k + 1)[k],
        }
    }

    /// Its farther end, in standard deviations.
    pub(super) fn reach(&self, deviation: f64) -> f64 {
        self.lower[0].abs().max(self.upper[0].abs()) / deviation
    }
}

/// Σ pᵢ xⁱ
pub(super) fn value(p: &[f64], x: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Nodes and weights on an interval.
pub(super) fn quadrature(from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
    let width = to - from;
    let both = |node: &nodes::Node| [(node.near, node.weight), (node.far, node.weight)];
    let nodes = nodes::SHORT.iter().flat_map(both);
    nodes.map(move |(at, weight)| (from + width * at, width * weight))
}

/// Whether a piece, whose ends are in standard deviations from the mean, is integrated by nodes.
pub(super) fn is_narrow([lower, upper]: [f64; 2]) -> bool {
    if lower.is_infinite() || upper.is_infinite() {
        return false;
    }
    if lower < 0.0 && 0.0 < upper {
        return upper - lower < 1.0;
    }
    let (near, far) = (lower.abs().min(upper.abs()), lower.abs().max(upper.abs()));
    (far * far - near * near) / 2.0 < 3.0 && far - near < 2.0
}
