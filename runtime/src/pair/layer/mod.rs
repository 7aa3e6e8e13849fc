//! All pairs of a layer: the covariance matrix, and what a loss of it loses by the means and covariances that come in.
//!
//! Straight functions are computed with the vectors of the machine (`straight`). What is left is computed as single pairs are; of curved
//! functions weak pairs by a series (`series`), others by tails side by side (`tail_pairs`).

mod columns;
mod quadrants;
mod series;
mod straight;
mod tail_pairs;
mod tails;

use alloc::vec::Vec;
use core::cell::OnceCell;

use series::UnitFeatures;
use tail_pairs::Strong;

use super::covariance::covariances;
use super::decomposition::Decomposition;
use super::knots::StraightKnots;
use super::law::Law;
use super::quadrant::Quadrant;
use super::{Inputs, Piecewise, one_by_one, quartered, scale};
use crate::Activation;
use crate::kernel::pieces::Table;

/// One unit, as all of its pairs see it.
struct Unit {
    side: Decomposition,
    exponent: i32,
}

/// The covariance matrix of g(u₁), …, g(u_n), given means (n), and the covariance matrix of u (n × n, row by row, of which the
/// diagonal and what is below it are read). All of `out` (n × n) is written; it is symmetric.
///
/// The numbers of one unit are computed once, and many pairs at a time with the vectors of the machine.
///
/// # Panics
///
/// If the slices are not of length n and n².
pub fn layer<G: Piecewise + ?Sized>(g: &G, gamma: &[f64], cov: &[f64], out: &mut [f64]) {
    g.with_pieces(|g| matrix(g, gamma, cov, out));
}

/// The results of [`layer_vjp`], for a loss L that depends on the covariance matrix of g.
#[derive(Debug)]
pub struct LayerGradient<'a> {
    /// ∂L/∂γ (n).
    pub gamma: &'a mut [f64],
    /// ∂L/∂c (n × n), row by row: on the diagonal ∂L/∂ξ², elsewhere what the entry of `cotangent` at the same place makes of ∂Cov/∂c.
    pub cov: &'a mut [f64],
}

/// The covariance matrix that [`layer`] computes, and its vector–Jacobian product: given `cotangent`, the derivatives ∂L/∂K_ij of a
/// loss in its entries (n × n), those in the means, variances and covariances of u.
///
/// K is a function of γ, of the diagonal of c and of each c_ij for its own K_ij. So for a symmetric `cotangent` the result is
/// symmetric, and the derivative in a covariance that stands twice in the matrix is the sum of both entries.
///
/// # Panics
///
/// If the slices are not of length n and n².
pub fn layer_vjp<G: Piecewise + ?Sized>(
    g: &G,
    gamma: &[f64],
    cov: &[f64],
    cotangent: &[f64],
    out: &mut [f64],
    gradient: LayerGradient<'_>,
) {
    g.with_pieces(|g| with_gradient(g, gamma, cov, cotangent, out, gradient));
}

/// The units and what they share, made when the first pair asks.
struct Slow<'a> {
    g: &'a Table<'a>,
    gamma: &'a [f64],
    cov: &'a [f64],
    units: OnceCell<Vec<Option<Unit>>>,
    strong: OnceCell<Strong>,
}

impl<'a> Slow<'a> {
    fn new(g: &'a Table<'a>, gamma: &'a [f64], cov: &'a [f64]) -> Self {
        Self { g, gamma, cov, units: OnceCell::new(), strong: OnceCell::new() }
    }

    fn units(&self) -> &[Option<Unit>] {
        let n = self.gamma.len();
        let unit = |i: usize| unit(self.g, self.gamma[i], self.cov[i * n + i]);
        self.units.get_or_init(|| (0..n).map(unit).collect())
    }

    /// The law of a pair.
    fn at(&self, i: usize, j: usize) -> Inputs {
        let n = self.gamma.len();
        Inputs {
            gamma: self.gamma[i],
            xi2: self.cov[i * n + i],
            gamma_h: self.gamma[j],
            xi2_h: self.cov[j * n + j],
            cov: self.cov[i * n + j],
        }
    }

    /// Fills what is NaN of the covariances of a unit with those before it.
    fn fill(&self, i: usize, values: &mut [f64]) {
        let covariances = &self.cov[i * self.gamma.len()..][..i];
        let is_missing: Vec<bool> = values.iter().map(|value| value.is_nan()).collect();
        if !is_missing.contains(&true) {
            return;
        }
        let units = self.units();
        self.strong.get_or_init(|| Strong::new(units)).fill(i, covariances, values);
        for (j, value) in values.iter_mut().enumerate() {
            let (Some(a), Some(b)) = (&units[i], &units[j]) else {
                *value = if self.at(i, j).check().is_ok() { 0.0 } else { f64::NAN };
                continue;
            };
            if value.is_nan() {
                *value = one_pair(self.g, a, b, covariances[j]);
            } else if is_missing[j] && self.g.exponent != 0 {
                *value = scale(*value, 2 * self.g.exponent);
            }
        }
    }
}

fn matrix(g: &Table<'_>, gamma: &[f64], cov: &[f64], out: &mut [f64]) {
    let n = gamma.len();
    assert!(cov.len() == n * n && out.len() == n * n, "a matrix is not n × n for n means");
    let slow = Slow::new(g, gamma, cov);
    if let Some(g) = StraightKnots::of(g) {
        let mut missing = Vec::new();
        straight::Layer { g, gamma, cov, out, chain: None, missing: &mut missing }.fill();
        // NaN marks what `fill` is to compute.
        for [i, j] in &missing {
            out[i * n + j] = f64::NAN;
        }
        // They come unit by unit, so that a unit shares its work among its pairs.
        for pairs in missing.chunk_by(|a, b| a[0] == b[0]) {
            let i = pairs[0][0];
            slow.fill(i, &mut out[i * n..][..i]);
        }
    } else {
        let mut rows = UnitFeatures::new(n);
        for (i, unit) in slow.units().iter().enumerate() {
            if let Some(Unit { side, exponent }) = unit {
                let inverse = scale(1.0 / side.unit[1], -exponent);
                rows.set(i, inverse, side.reach(), |count| side.features(count));
            }
        }
        let mut covariances = alloc::vec![0.0; rows.stride()];
        let mut sums = covariances.clone();
        for i in 0..n {
            covariances[..i].copy_from_slice(&cov[i * n..][..i]);
            rows.sums(i, &covariances, &mut sums);
            if g.exponent != 0 {
                sums[..i].iter_mut().for_each(|sum| *sum = scale(*sum, 2 * g.exponent));
            }
            slow.fill(i, &mut sums[..i]);
            out[i * n..][..i].copy_from_slice(&sums[..i]);
        }
    }
    for i in 0..n {
        out[i * n + i] = g.moments(gamma[i], cov[i * n + i]).variance;
    }
    mirror(out, n);
}

fn with_gradient(
    g: &Table<'_>,
    gamma: &[f64],
    cov: &[f64],
    cotangent: &[f64],
    out: &mut [f64],
    gradient: LayerGradient<'_>,
) {
    let n = gamma.len();
    let LayerGradient { gamma: on_gamma, cov: on_cov } = gradient;
    let matrices = [cov.len(), cotangent.len(), out.len(), on_cov.len()];
    assert!(matrices == [n * n; 4] && on_gamma.len() == n, "a matrix is not n × n for n means");
    for i in 0..n {
        let at = i * n + i;
        let moments = g.moments_grad(gamma[i], cov[at]);
        out[at] = moments.variance;
        on_gamma[i] = cotangent[at] * moments.dvariance_dgamma;
        on_cov[at] = cotangent[at] * moments.dvariance_dxi2;
    }
    let mut missing = Vec::new();
    if let Some(g) = StraightKnots::of(g) {
        let chain = Some(straight::Chain { cotangent, gamma: on_gamma, cov: on_cov });
        straight::Layer { g, gamma, cov, out, chain, missing: &mut missing }.fill();
    } else {
        missing.extend((0..n).flat_map(|i| (0..i).map(move |j| [i, j])));
    }
    let slow = Slow::new(g, gamma, cov);
    for [i, j] in missing {
        let m = one_by_one(g, g, slow.at(i, j), Quadrant::in_vectors);
        out[i * n + j] = m.covariance;
        let [there, back] = [cotangent[i * n + j], cotangent[j * n + i]];
        on_cov[i * n + j] = there * m.dcovariance_dcov;
        on_cov[j * n + i] = back * m.dcovariance_dcov;
        // Both entries are one number, which depends on the means and variances; of the covariances each has its own.
        let weight = there + back;
        on_gamma[i] += weight * m.dcovariance_dgamma;
        on_gamma[j] += weight * m.dcovariance_dgamma_h;
        on_cov[i * n + i] += weight * m.dcovariance_dxi2;
        on_cov[j * n + j] += weight * m.dcovariance_dxi2_h;
    }
    mirror(out, n);
}

/// Copies what is below the diagonal to the other side, in tiles that stay in the cache.
fn mirror(out: &mut [f64], n: usize) {
    const TILE: usize = 16;
    for rows in (0..n).step_by(TILE) {
        for columns in (0..=rows).step_by(TILE) {
            for i in rows..n.min(rows + TILE) {
                for j in columns..i.min(columns + TILE) {
                    out[j * n + i] = out[i * n + j];
                }
            }
        }
    }
}

fn unit(g: &Table<'_>, gamma: f64, xi2: f64) -> Option<Unit> {
    let valid = gamma.is_finite() && xi2.is_finite() && xi2 > 0.0;
    valid.then(|| {
        // With 1 ≤ ξ < 2 no power of ξ overflows. The exponent comes back at the end.
        let exponent = libm::ilogb(xi2).div_euclid(2);
        Unit { side: Decomposition::new(g, gamma, quartered(xi2, exponent), exponent), exponent }
    })
}

/// A pair that vectors do not serve.
fn one_pair(g: &Table<'_>, a: &Unit, b: &Unit, c: f64) -> f64 {
    if c == 0.0 {
        return 0.0;
    }
    let c = scale(scale(c, -a.exponent), -b.exponent);
    let law = Law::new([a.side.unit[0], b.side.unit[0]], c);
    law.filter(|_| c.is_finite()).map_or(f64::NAN, |law| {
        let law = Law { summation: Quadrant::in_vectors, ..law };
        let [value] = covariances(&a.side, &b.side, &law, &[[0, 0]]);
        scale(value, 2 * g.exponent)
    })
}
