//! The other side's expectations: Gauss–Legendre on panels that are the same for all functions,
//! but for the ones between an edge and a break point.

use std::sync::LazyLock;

use super::Normal;
use super::pieces::{Pieces, Polynomial, REACH};
use super::real::{Real, bell, nodes, pi, real, rounded, whole};

/// The highest degree of a piece that is integrated.
pub(crate) const DEGREE: usize = 8;
/// How many powers of z are integrated, up to the cube of a piece.
const POWERS: usize = 3 * DEGREE + 1;
/// Panels in a unit of z, and nodes in a panel: results are right to 40 digits.
const PANELS: i64 = 8;
const NODES: usize = 16;

/// Expectations by integration, each with the expectation of the integrand's modulus, which
/// errors are measured by.
pub(crate) struct Integrals {
    /// E[gⁿ] for n = 1, 2, 3.
    pub(crate) moments: [(Real, f64); 3],
    /// ∂E[gⁿ]/∂γ = E[gⁿ z]/ξ for n = 1, 2.
    pub(crate) in_gamma: [(Real, f64); 2],
    /// ∂E[gⁿ]/∂ξ² = E[gⁿ (z² − 1)]/(2ξ²) for n = 1, 2.
    pub(crate) in_xi2: [(Real, f64); 2],
}

impl Integrals {
    pub(crate) fn of(pieces: &Pieces<Polynomial>, normal: &Normal) -> Self {
        let degree = pieces.values.iter().map(|piece| piece.0.len()).max().unwrap_or(0).max(3) - 1;
        assert!(degree <= DEGREE, "a piece of degree {degree}");
        let powers = 3 * degree + 1;
        let mut totals: [Real; 7] = std::array::from_fn(|_| whole(0));
        let mut sizes = [0.0; 7];
        let mut before = vec![whole(0); powers];
        for (from, to, piece) in pieces.intervals() {
            let after = up_to(&to, powers);
            let masses: Vec<Real> = after.iter().zip(&before).map(|(a, b)| a - b).collect();
            before = after;
            let square = piece.times(piece);
            let cube = square.times(piece);
            let with = |polynomial: &Polynomial, shift: usize| {
                let products = polynomial.0.iter().zip(&masses[shift..]).map(|(c, mass)| c * mass);
                products.fold(whole(0), |sum, product| &sum + &product)
            };
            let (first, second) = (with(piece, 0), with(&square, 0));
            let values = [
                first.clone(),
                second.clone(),
                with(&cube, 0),
                with(piece, 1),
                with(&square, 1),
                &with(piece, 2) - &first,
                &with(&square, 2) - &second,
            ];
            for (total, value) in totals.iter_mut().zip(values) {
                *total = &*total + &value;
            }
            add_sizes(piece, from.to_f64(), to.to_f64(), &mut sizes);
        }
        let xi = real(&normal.xi);
        let height = &whole(1) / &(&whole(2) * &pi()).sqrt();
        let in_gamma = &height / &xi;
        let in_xi2 = &(&in_gamma / &xi) * &rounded(0.5);
        let scaled = |i: usize, scale: &Real| (&totals[i] * scale, sizes[i] * scale.to_f64());
        Self {
            moments: [0, 1, 2].map(|i| scaled(i, &height)),
            in_gamma: [3, 4].map(|i| scaled(i, &in_gamma)),
            in_xi2: [5, 6].map(|i| scaled(i, &in_xi2)),
        }
    }
}

/// The integrals of the moduli, in machine numbers: they are measures only.
fn add_sizes(piece: &Polynomial, from: f64, to: f64, sizes: &mut [f64; 7]) {
    let coefficients: Vec<f64> = piece.0.iter().map(Real::to_f64).collect();
    let count = ((to - from) * 8.0).ceil().max(16.0);
    let width = (to - from) / count;
    for i in 0..count as usize {
        let z = from + (i as f64 + 0.5) * width;
        let g = coefficients.iter().rev().fold(0.0, |value, c| value * z + c).abs();
        let mass = width * (-z * z / 2.0).exp();
        let (gamma, xi2) = (z.abs() * mass, (z * z + 1.0) * mass);
        let values = [
            g * mass,
            g * g * mass,
            g * g * g * mass,
            g * gamma,
            g * g * gamma,
            g * xi2,
            g * g * xi2,
        ];
        for (size, value) in sizes.iter_mut().zip(values) {
            *size += value;
        }
    }
}

/// ∫ zᵏ e^{−z²/2} dz for k = 0, 1, … from the left end of the window to `z`.
fn up_to(z: &Real, powers: usize) -> Vec<Real> {
    let nearest = ((z.to_f64() + REACH as f64) * PANELS as f64).round() as usize;
    let known = EDGES[nearest].iter().take(powers);
    let rest = panel(&edge(nearest), z, powers);
    known.zip(rest).map(|(known, rest)| known + &rest).collect()
}

/// These integrals up to the edges of the panels.
static EDGES: LazyLock<Vec<Vec<Real>>> = LazyLock::new(|| {
    let mut edges = vec![vec![whole(0); POWERS]];
    for i in 0..(2 * REACH * PANELS) as usize {
        let masses = panel(&edge(i), &edge(i + 1), POWERS);
        edges.push(edges[i].iter().zip(&masses).map(|(sum, mass)| sum + mass).collect());
    }
    edges
});

fn edge(i: usize) -> Real {
    rounded(i as f64 / PANELS as f64 - REACH as f64)
}

/// These integrals over one panel.
fn panel(from: &Real, to: &Real, powers: usize) -> Vec<Real> {
    let half = &(to - from) * &rounded(0.5);
    let middle = from + &half;
    let mut sums = vec![whole(0); powers];
    if half.is_zero() {
        return sums;
    }
    for (node, weight) in QUADRATURE.iter() {
        let z = &middle + &(&half * node);
        let mut mass = &(&half * weight) * &bell(&z);
        for sum in &mut sums {
            *sum = &*sum + &mass;
            mass = &mass * &z;
        }
    }
    sums
}

/// The rule on (−1, 1).
static QUADRATURE: LazyLock<Vec<(Real, Real)>> = LazyLock::new(|| nodes(NODES));
