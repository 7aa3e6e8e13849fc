//! Slices of pairs, and all pairs of a layer.

use alloc::vec::Vec;

use super::corner::TERMS;
use super::covariance::{covariance, is_weak_pair};
use super::law::Law;
use super::side::Side;
use super::{Inputs, PairMoments, Piecewise, of_tables, quartered, scale};
use crate::kernel::pieces::Table;
use crate::{Activation, Float};

/// Where [`moments_into`] writes, each as long as the inputs.
#[derive(Debug)]
pub struct Outputs<'a, T> {
    /// In the order of the fields of [`PairMoments`].
    pub columns: [&'a mut [T]; 7],
}

/// [`moments`](super::moments) of slices of γ, ξ², γ′, ξ′² and c, element by element. Single precision is computed in double and rounded once.
///
/// # Panics
///
/// If a slice is not as long as the others.
pub fn moments_into<T: Float, G, H>(g: &G, h: &H, inputs: [&[T]; 5], out: Outputs<'_, T>)
where
    G: Piecewise + ?Sized,
    H: Piecewise + ?Sized,
{
    g.with_pieces(|g| h.with_pieces(|h| slices(g, h, inputs, out)));
}

fn slices<T: Float>(g: &Table<'_>, h: &Table<'_>, inputs: [&[T]; 5], out: Outputs<'_, T>) {
    let count = inputs[0].len();
    assert!(inputs.iter().all(|slice| slice.len() == count), "slices of different lengths");
    assert!(out.columns.iter().all(|slice| slice.len() == count), "slices of different lengths");
    let mut columns = out.columns;
    for i in 0..count {
        let [gamma, xi2, gamma_h, xi2_h, cov] = inputs.map(|slice| slice[i].to_f64());
        let result: PairMoments = of_tables(g, h, Inputs { gamma, xi2, gamma_h, xi2_h, cov });
        for (column, value) in columns.iter_mut().zip(result.to_array()) {
            column[i] = T::from_f64(value);
        }
    }
}

/// What the pairs of a layer need of one unit.
struct Unit {
    side: Side,
    exponent: i32,
    /// The farthest knot, in standard deviations.
    reach: f64,
}

/// The covariance matrix of g(u₁), …, g(u_n), given means (n), and the covariance matrix of u (n × n, row by row, of which the
/// diagonal and what is below it are read). All of `out` (n × n) is written; it is symmetric.
///
/// What belongs to one unit is computed once. Weakly correlated pairs are a sum of products, many at a time.
///
/// # Panics
///
/// If the slices are not of length n and n².
pub fn layer<G: Piecewise + ?Sized>(g: &G, gamma: &[f64], cov: &[f64], out: &mut [f64]) {
    g.with_pieces(|g| matrix(g, gamma, cov, out));
}

fn matrix(g: &Table<'_>, gamma: &[f64], cov: &[f64], out: &mut [f64]) {
    let n = gamma.len();
    assert!(cov.len() == n * n && out.len() == n * n, "a matrix is not n × n for n means");
    let units: Vec<Option<Unit>> = (0..n).map(|i| unit(g, gamma[i], cov[i * n + i])).collect();
    // Row k holds the k-th feature of all units.
    let mut features = alloc::vec![0.0; TERMS * n];
    for (i, unit) in units.iter().enumerate() {
        let Some(unit) = unit else { continue };
        for (k, feature) in unit.side.features(TERMS + 1).into_iter().skip(1).enumerate() {
            features[k * n + i] = feature;
        }
    }
    let (mut rho, mut weight, mut sums) =
        (alloc::vec![0.0; n], alloc::vec![0.0; n], alloc::vec![0.0; n]);
    for i in 0..n {
        let variance = cov[i * n + i];
        out[i * n + i] = g.moments(gamma[i], variance).variance;
        let mut largest = 0.0_f64;
        for j in 0..i {
            let (c, other) = (cov[i * n + j], cov[j * n + j]);
            rho[j] = match (&units[i], &units[j]) {
                (Some(a), Some(b)) => {
                    scale(scale(c, -a.exponent), -b.exponent)
                        / (a.side.deviation * b.side.deviation)
                }
                _ => 0.0,
            };
            let is_weak = match (&units[i], &units[j]) {
                (Some(a), Some(b)) => is_weak_pair(rho[j], [a.reach, b.reach]),
                _ => false,
            };
            if is_weak {
                largest = largest.max(strength(rho[j], units[i].as_ref(), units[j].as_ref()));
            } else {
                let at = Inputs {
                    gamma: gamma[i],
                    xi2: variance,
                    gamma_h: gamma[j],
                    xi2_h: other,
                    cov: c,
                };
                out[i * n + j] = match (&units[i], &units[j]) {
                    (Some(a), Some(b)) if at.check().is_ok() => strong(g, a, b, c),
                    _ if at.check().is_ok() => 0.0,
                    _ => f64::NAN,
                };
                rho[j] = f64::NAN;
            }
        }
        weight[..i].fill(1.0);
        sums[..i].fill(0.0);
        for k in 0..terms(largest) {
            let factor = 1.0 / (k + 1) as f64;
            let feature = features[k * n + i];
            let row = &features[k * n..k * n + i];
            let lanes = weight[..i].iter_mut().zip(&mut sums[..i]).zip(&rho[..i]).zip(row);
            for (((weight, sum), rho), other) in lanes {
                *weight *= *rho * factor;
                *sum += *weight * (feature * *other);
            }
        }
        for j in 0..i {
            if !rho[j].is_nan() {
                out[i * n + j] = scale(sums[j], 2 * g.exponent);
            }
            out[j * n + i] = out[i * n + j];
        }
    }
}

fn unit(g: &Table<'_>, gamma: f64, xi2: f64) -> Option<Unit> {
    let valid = gamma.is_finite() && xi2.is_finite() && xi2 > 0.0;
    valid.then(|| {
        let exponent = libm::ilogb(xi2).div_euclid(2);
        let side = Side::new(g, gamma, quartered(xi2, exponent), exponent);
        let tails = side.tails.iter().map(|tail| tail.distance[0].abs());
        let strips = side.strips.iter().map(|s| s.lower[0].abs().max((s.lower[0] + s.width).abs()));
        let reach = tails.chain(strips).fold(0.0, f64::max) / side.deviation;
        Unit { side, exponent, reach }
    })
}

fn strong(g: &Table<'_>, a: &Unit, b: &Unit, c: f64) -> f64 {
    if c == 0.0 {
        return 0.0;
    }
    let c = scale(scale(c, -a.exponent), -b.exponent);
    let law = Law::new([a.side.variance, b.side.variance], c);
    law.map_or(f64::NAN, |law| scale(covariance(&a.side, &b.side, &law), 2 * g.exponent))
}

/// |ρ|(α + 1)(β + 1), whose powers the terms of the series fall with.
fn strength(rho: f64, a: Option<&Unit>, b: Option<&Unit>) -> f64 {
    let reach = |unit: Option<&Unit>| unit.map_or(0.0, |unit| unit.reach) + 1.0;
    rho.abs() * reach(a) * reach(b)
}

/// How many terms of the series hold all digits.
fn terms(strength: f64) -> usize {
    match strength {
        s if s <= 0.01 => 8,
        s if s <= 0.05 => 12,
        s if s <= 0.15 => 20,
        _ => TERMS,
    }
}
