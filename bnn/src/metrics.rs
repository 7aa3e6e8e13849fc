//! Scores of predictions: error, log likelihood, ranked probability, calibration and the area under a curve.
//!
//! ```text
//! RMSE    √(1/n Σ (mᵢ − yᵢ)²)              log likelihood   1/n Σ log p(yᵢ)
//! CRPS    1/n Σ ∫ (Fᵢ(x) − 1[x ≥ yᵢ])² dx  Brier            1/n Σ Σⱼ (pᵢⱼ − 1[yᵢ = j])²
//! ECE     Σ_b n_b/n |p̄_b − ȳ_b|, b a bin     AUROC            P(a > b) + ½ P(a = b)
//! ```
//!
//! They are sums in f64, in the order of the rows. The CRPS has the error of its distribution (`distribution`): its integral is closed
//! for mixtures of Normals, and else by a rule.

use std::f64::consts::TAU;

use crate::data::Matrix;
use crate::distribution::Distribution;
use crate::prediction::{ClassPrediction, RealPrediction};

/// The root of the mean squared difference of `mean` and `y`, in their units; NaN for none.
///
/// # Panics
///
/// If the slices differ in length.
#[must_use]
pub fn rmse(mean: &[f64], y: &[f64]) -> f64 {
    assert_eq!(mean.len(), y.len(), "`mean` and `y` differ in length");
    let squares: f64 = mean.iter().zip(y).map(|(m, y)| (m - y).powi(2)).sum();
    (squares / y.len() as f64).sqrt()
}

/// The mean of log N(y; mean, variance) over the rows, in nats; NaN for none.
///
/// `variance` is > 0; all three are in the same units, and the result is of that unit's density.
///
/// # Panics
///
/// If the slices differ in length.
#[must_use]
pub fn mean_log_likelihood(mean: &[f64], variance: &[f64], y: &[f64]) -> f64 {
    assert_eq!(mean.len(), y.len(), "`mean` and `y` differ in length");
    assert_eq!(variance.len(), y.len(), "`variance` and `y` differ in length");
    let density = |((m, v), y): ((&f64, &f64), &f64)| -0.5 * ((TAU * v).ln() + (y - m).powi(2) / v);
    mean.iter().zip(variance).zip(y).map(density).sum::<f64>() / y.len() as f64
}

/// One point of a curve of calibration: a promised probability, and the observed fraction of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationPoint {
    /// Probability of the central interval, in \[0, 1\].
    pub promised: f64,
    /// Fraction of the rows whose target lies in it, in \[0, 1\].
    pub observed: f64,
    /// Number of rows behind the point.
    pub rows: usize,
}

/// Calibration of central intervals: for each p of 0.05, 0.10, …, 0.95 the fraction of targets inside the central
/// interval of probability p. For an honest model the fraction is p.
///
/// # Panics
///
/// If `y` has another shape than the predictions.
#[must_use]
pub fn coverage(prediction: &RealPrediction, y: &Matrix) -> Vec<CalibrationPoint> {
    let inside = prediction.at(y, Distribution::central);
    let inside = inside.values();
    let point = |i: u32| {
        let promised = f64::from(i) / 20.0;
        let count = inside.iter().filter(|c| **c <= promised).count();
        let observed = count as f64 / inside.len() as f64;
        CalibrationPoint { promised, observed, rows: inside.len() }
    };
    (1..20).map(point).collect()
}

/// The continuous ranked probability score of predictions, averaged over rows and targets, in the units of the target;
/// less is better.
///
/// # Panics
///
/// If `y` has another shape than the predictions.
#[must_use]
pub fn crps(prediction: &RealPrediction, y: &Matrix) -> f64 {
    let scores = prediction.at(y, Distribution::crps);
    scores.values().iter().sum::<f64>() / y.values().len() as f64
}

/// Scores of probabilities of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassScore {
    /// The mean log probability of the true class in nats.
    pub log_likelihood: f64,
    /// The fraction of rows whose most probable class is not the true one.
    pub error: f64,
    /// The mean squared distance of the probabilities from 1 at the true class and 0 elsewhere.
    pub brier: f64,
    /// The expected calibration error: the mean distance of confidence and accuracy over fifteen
    /// bins of confidence, by their rows.
    pub calibration_error: f64,
    /// Confidence and accuracy of each bin that has rows.
    pub calibration: Vec<CalibrationPoint>,
}

/// The score of probabilities against the true classes.
///
/// # Panics
///
/// If there are not as many labels as rows.
#[must_use]
pub fn class_score(prediction: &ClassPrediction, labels: &[usize]) -> ClassScore {
    const BINS: usize = 15;
    let p = &prediction.probabilities;
    assert_eq!(p.rows(), labels.len(), "there are not as many labels as rows");
    let n = labels.len() as f64;
    let (mut log_likelihood, mut errors, mut brier) = (0.0, 0.0, 0.0);
    let mut bins = [(0.0, 0.0, 0usize); BINS];
    for ((row, &label), guess) in p.iter().zip(labels).zip(prediction.labels()) {
        let probability = row.get(label).copied().unwrap_or(0.0);
        // One probability that rounds to 0 would make the mean over all rows −∞.
        log_likelihood += probability.max(f64::MIN_POSITIVE).ln();
        let right = f64::from(u8::from(guess == label));
        errors += 1.0 - right;
        let distance = |(j, p): (usize, &f64)| (p - f64::from(u8::from(j == label))).powi(2);
        brier += row.iter().enumerate().map(distance).sum::<f64>();
        let confidence = row.get(guess).copied().unwrap_or(0.0);
        // A confidence of 1 belongs to the last bin.
        let bin = ((confidence * BINS as f64) as usize).min(BINS - 1);
        bins[bin].0 += confidence;
        bins[bin].1 += right;
        bins[bin].2 += 1;
    }
    let calibration: Vec<CalibrationPoint> = bins
        .iter()
        .filter(|(_, _, rows)| *rows > 0)
        .map(|&(confidence, right, rows)| CalibrationPoint {
            promised: confidence / rows as f64,
            observed: right / rows as f64,
            rows,
        })
        .collect();
    let gap = |c: &CalibrationPoint| c.rows as f64 / n * (c.promised - c.observed).abs();
    ClassScore {
        log_likelihood: log_likelihood / n,
        error: errors / n,
        brier: brier / n,
        calibration_error: calibration.iter().map(gap).sum(),
        calibration,
    }
}

/// The area under the curve of true against false positives: the probability that a number of
/// `positive` is above one of `negative`, ties counting a half. NaN if either is empty.
#[must_use]
pub fn auroc(positive: &[f64], negative: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        positive.iter().map(|p| (*p, true)).chain(negative.iter().map(|n| (*n, false))).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut wins) = (0.0, 0.0);
    for tied in all.chunk_by(|a, b| a.0 == b.0) {
        let positives = tied.iter().filter(|(_, positive)| *positive).count() as f64;
        let negatives = tied.len() as f64 - positives;
        wins += positives * (below + 0.5 * negatives);
        below += negatives;
    }
    wins / (positive.len() as f64 * negative.len() as f64)
}
