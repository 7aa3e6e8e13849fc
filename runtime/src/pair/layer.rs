//! Slices of pairs, and all pairs of a layer.

mod columns;
mod rows;
mod strong;
mod tails;
mod wedges;

use alloc::vec::Vec;

use rows::Rows;
use strong::Strong;

use super::covariance::covariances;
use super::law::Law;
use super::side::Side;
use super::wedge::Wedge;
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
/// Integrals are computed with the vectors of the machine, so that results differ in the last digits from those of
/// [`moments`](super::moments) and between machines. A covariance in `f32` that exceeds
/// its bound by rounding counts as the bound.
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
    let is_rounded = T::from_f64(f64::EPSILON + 1.0) == T::ONE;
    for i in 0..count {
        let [gamma, xi2, gamma_h, xi2_h, cov] = inputs.map(|slice| slice[i].to_f64());
        let at = Inputs { gamma, xi2, gamma_h, xi2_h, cov };
        let at = if is_rounded { at.pulled(f32::EPSILON.into()) } else { at };
        let result: PairMoments = of_tables(g, h, at, Wedge::in_vectors);
        for (column, value) in columns.iter_mut().zip(result.to_array()) {
            column[i] = T::from_f64(value);
        }
    }
}

/// What the pairs of a layer need of one unit.
struct Unit {
    side: Side,
    exponent: i32,
}

/// The covariance matrix of g(u₁), …, g(u_n), given means (n), and the covariance matrix of u (n × n, row by row, of which the
/// diagonal and what is below it are read). All of `out` (n × n) is written; it is symmetric.
///
/// What belongs to one unit is computed once. Weakly correlated pairs are a sum of products, many at a time, with the vectors of the machine.
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
    let mut rows = Rows::new(n);
    for (i, unit) in units.iter().enumerate() {
        if let Some(Unit { side, exponent }) = unit {
            let inverse = scale(1.0 / side.unit[1], -exponent);
            rows.set(i, inverse, side.reach(), |count| side.features(count));
        }
    }
    let mut strong = None;
    let mut covariances = alloc::vec![0.0; rows.stride()];
    let mut sums = covariances.clone();
    for i in 0..n {
        out[i * n + i] = g.moments(gamma[i], cov[i * n + i]).variance;
        covariances[..i].copy_from_slice(&cov[i * n..][..i]);
        rows.sums(i, &covariances, &mut sums);
        if sums[..i].iter().any(|sum| sum.is_nan()) {
            let strong = strong.get_or_insert_with(|| Strong::new(&units));
            strong.fill(i, &covariances[..i], &mut sums[..i]);
        }
        for j in 0..i {
            out[i * n + j] = match (&units[i], &units[j]) {
                (Some(a), Some(b)) if sums[j].is_nan() => one_pair(g, a, b, covariances[j]),
                (Some(_), Some(_)) if g.exponent == 0 => sums[j],
                (Some(_), Some(_)) => scale(sums[j], 2 * g.exponent),
                _ => {
                    let at = Inputs {
                        gamma: gamma[i],
                        xi2: cov[i * n + i],
                        gamma_h: gamma[j],
                        xi2_h: cov[j * n + j],
                        cov: covariances[j],
                    };
                    if at.check().is_ok() { 0.0 } else { f64::NAN }
                }
            };
        }
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
        let exponent = libm::ilogb(xi2).div_euclid(2);
        Unit { side: Side::new(g, gamma, quartered(xi2, exponent), exponent), exponent }
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
        let law = Law { summation: Wedge::in_vectors, ..law };
        let [value] = covariances(&a.side, &b.side, &law, &[[0, 0]]);
        scale(value, 2 * g.exponent)
    })
}
