//! All pairs of a layer: the covariance matrix, and what a loss of it loses by the means and covariances that come in.
//!
//! Numbers of a unit are computed once for all of its pairs, and many pairs at a time with the vectors of the machine.
//!
//! - Straight functions take the integral over the correlation (`straight`).
//! - Curved functions take the series in ρ where pairs are weak, one unit with many others: Cov = Σ_k≥1 ρᵏ (f_k/√k!)(f′_k/√k!) with the features f_k of each
//!   unit as rows.
//! - What is left takes tails side by side (`tail_pairs`).
//! - What even these do not serve is computed as single pairs are ([`covariances`]).

mod columns;
mod straight;
mod tail_pairs;

use alloc::vec::Vec;
use core::cell::OnceCell;

use tail_pairs::Strong;

use super::covariance::{covariances, one_by_one};
use super::decomposition::Decomposition;
use super::law::{Law, quartered, scale};
use super::quadrant::Quadrant;
use super::straight::StraightKnots;
use super::tail::TERMS;
use super::tail_pair::{WEAK, WEAK_PRODUCT, terms};
use super::{Inputs, PairMoments, Piecewise};
use crate::kernel::pieces::Table;
use crate::lanes::dispatch::{Task, Vectors};
use crate::lanes::twice::Twice;
use crate::lanes::{Lanes, Mask};
use crate::{Activation, Float};

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
                // Features are those of the function less its power of two.
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
        let m = m.unwrap_or(PairMoments::OF_NO_LAW);
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
    let c = scale(c, -(a.exponent + b.exponent));
    let law = Law::new([a.side.unit[0], b.side.unit[0]], c);
    law.filter(|_| c.is_finite()).map_or(f64::NAN, |law| {
        let law = Law { summation: Quadrant::in_vectors, ..law };
        let [value] = covariances(&a.side, &b.side, &law, &[[0, 0]]);
        scale(value, 2 * g.exponent)
    })
}

/// Features of the units of a layer, each row with room for whole vectors.
struct UnitFeatures {
    stride: usize,
    /// Row k − 1 holds the k-th feature of all units, over √k!.
    features: Vec<f64>,
    weights: [f64; TERMS],
    /// 1/ξ, and one more than the farthest knot in standard deviations.
    inverse: Vec<f64>,
    reach: Vec<f64>,
}

/// How many pairs are summed with as many terms as the strongest of them needs: four of the widest vectors.
const BLOCK: usize = 32;
/// Below it c/ξ may have lost digits.
const LEAST: f64 = f64::MIN_POSITIVE * (1_u64 << 60) as f64;

impl UnitFeatures {
    fn new(units: usize) -> Self {
        let stride = units.next_multiple_of(BLOCK);
        let mut square = 1.0;
        let weights = core::array::from_fn(|k| {
            square *= (k + 1) as f64;
            // A root for each of both units: their product has 1/k!.
            1.0 / libm::sqrt(square)
        });
        let row = || alloc::vec![0.0; stride];
        let features = alloc::vec![0.0; TERMS * stride];
        Self { stride, features, weights, inverse: row(), reach: row() }
    }

    /// The length of a row.
    fn stride(&self) -> usize {
        self.stride
    }

    /// A unit whose 1/ξ, farthest knot and features are these.
    fn set(&mut self, unit: usize, inverse: f64, reach: f64, features: impl Fn(usize) -> Vec<f64>) {
        (self.inverse[unit], self.reach[unit]) = (inverse, reach + 1.0);
        let features = features(TERMS + 1);
        for (k, (feature, weight)) in features.iter().skip(1).zip(&self.weights).enumerate() {
            self.features[k * self.stride + unit] = feature * weight;
        }
    }

    /// The covariances of one unit with the first ones, given those of its pre-activation with theirs; NaN where the series does
    /// not serve. Slices have the length of a row.
    fn sums(&self, unit: usize, covariances: &[f64], into: &mut [f64]) {
        f64::dispatch(SeriesRow { rows: self, unit, covariances, into });
    }
}

struct SeriesRow<'a> {
    rows: &'a UnitFeatures,
    unit: usize,
    covariances: &'a [f64],
    into: &'a mut [f64],
}

impl SeriesRow<'_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(self) {
        let UnitFeatures { stride, features, inverse, reach, .. } = self.rows;
        let number = |x: f64| V::splat(V::Scalar::from_f64(x));
        let least = number(LEAST);
        for start in (0..self.unit).step_by(V::COUNT) {
            let c = V::load(&self.covariances[start..]);
            let part = c * number(inverse[self.unit]);
            let rho = part * V::load(&inverse[start..]);
            // Terms fall with the powers of this.
            let strength = rho.abs() * number(reach[self.unit]) * V::load(&reach[start..]);
            let is_exact = least.le(part.abs()).and(least.le(rho.abs())).or(c.equals(number(0.0)));
            let is_weak = rho.abs().le(number(WEAK)).and(strength.le(number(WEAK_PRODUCT)));
            let serves = is_weak.and(is_exact);
            let terms = terms(strength, serves);
            let mut sum = number(0.0);
            for k in (0..terms).rev() {
                let feature = number(features[k * stride + self.unit]);
                sum = sum.mul_add(rho, feature * V::load(&features[k * stride + start..]));
            }
            V::select(serves, sum * rho, number(f64::NAN)).store(&mut self.into[start..]);
        }
    }
}

impl Task<f64> for SeriesRow<'_> {
    type Unit = ();

    #[inline(always)]
    fn run<V: Lanes<Element = f64>, R: Lanes<Element = f64>>(self) {
        // Each step of the sum waits for the one before: four registers are four sums at a time.
        self.with::<Twice<Twice<V>>>();
    }

    fn run_one_by_one(self) {
        self.with::<f64>();
    }
}
