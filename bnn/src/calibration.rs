//! Calibration of a trained model by held-out rows: factors of standard deviations, temperatures, conformal intervals
//! and sets.
//!
//! The standard deviations of a real target are multiplied by one factor. The probabilities of classes are taken to
//! the power 1/T and normalised. A conformal interval or set for the probability p is bounded by the ⌈(n + 1)p⌉-th
//! smallest of the n held-out scores, and holds a new target with probability p or more. Training must not have seen
//! the held-out rows, and later rows must come from the distribution of the held-out ones.

use serde::{Deserialize, Serialize};

use crate::data::Matrix;
use crate::distribution::Distribution;
use crate::prediction::{ClassPrediction, RealPrediction, entropy};

/// The standard deviation of the Normal prior on the logarithm of a factor or temperature: as strong as some six rows.
const PRIOR_SD: f64 = 0.3;
/// Logarithms of temperatures that are looked at, on either side of 0.
const FARTHEST: f64 = 12.0;

/// Why held-out rows calibrate nothing, or not what was asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// There is no held-out row.
    #[error("there are no held-out rows: at least one is needed")]
    Empty,
    /// The truth has another shape than the predictions.
    #[error("there are predictions for {expected} numbers, but {found} true ones")]
    Shape {
        /// How many numbers or classes are predicted.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// A label has no class.
    #[error("row {row} is of class {label}, but there are {classes} classes")]
    Label {
        /// The row's number, from 0.
        row: usize,
        /// The class of the row.
        label: usize,
        /// The number of classes.
        classes: usize,
    },
    /// A target is not finite.
    #[error("row {row} of the targets is no finite number")]
    NotFinite {
        /// The row's number, from 0.
        row: usize,
    },
    /// A target lies where the model predicts nothing: it learned the logarithm, and the target is not above 0.
    #[error(
        "row {row} of the targets is not above 0, where a model of the target's logarithm predicts nothing: leave the row \
         out, or train with another transform of the target"
    )]
    OutOfRange {
        /// The row's number, from 0.
        row: usize,
    },
    /// A probability lies outside (0, 1).
    #[error("the probability {0} does not lie between 0 and 1")]
    Probability(f64),
    /// There are too few rows for the probability: only an unbounded answer has it.
    #[error(
        "{rows} held-out rows promise no probability of {probability}; hold out at least {needed}, \
         or ask for less"
    )]
    TooFew {
        /// The number of held-out rows.
        rows: usize,
        /// The probability that was asked for.
        probability: f64,
        /// The number of rows that would do.
        needed: usize,
    },
}

/// Calibration of the predictions of real targets, fitted to held-out rows.
///
/// [`scaled`](Self::scaled) multiplies the standard deviations by a factor, the same for all rows of a target.
/// [`intervals`](Self::intervals) hold their probability for any distribution, if held-out and later rows are
/// exchangeable. They are split-conformal predictions with the score |Φ⁻¹(F(y))|, which is |y − mean|/sd for a Normal
/// (Lei et al. 2018, "Distribution-Free Predictive Inference for Regression", 5.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalCalibration {
    /// For each target the scores in ascending order.
    scores: Vec<Vec<f64>>,
}

/// Intervals for each row and target, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervals {
    /// Where they begin.
    pub lower: Matrix,
    /// Where they end.
    pub upper: Matrix,
}

impl NormalCalibration {
    /// Fits the calibration to the targets `y` of held-out rows and the `prediction` for these rows, both of shape
    /// \[rows, targets\].
    ///
    /// # Errors
    ///
    /// [`CalibrationError`], if there is no row, or `y` has another shape, is not finite or lies where nothing is predicted.
    pub fn fit(prediction: &RealPrediction, y: &Matrix) -> Result<Self, CalibrationError> {
        let mean = &prediction.mean;
        if (y.rows(), y.columns()) != (mean.rows(), mean.columns()) {
            let (expected, found) = (mean.values().len(), y.values().len());
            return Err(CalibrationError::Shape { expected, found });
        }
        if y.rows() == 0 {
            return Err(CalibrationError::Empty);
        }
        if let Some(row) = y.iter().position(|row| row.iter().any(|y| !y.is_finite())) {
            return Err(CalibrationError::NotFinite { row });
        }
        let scores = prediction.at(y, |d, y| d.score(y).abs());
        if let Some(row) = scores.iter().position(|row| row.iter().any(|z| !z.is_finite())) {
            return Err(CalibrationError::OutOfRange { row });
        }
        let scores = (0..y.columns()).map(|j| ascending(scores.iter().map(|row| row[j]).collect()));
        Ok(Self { scores: scores.collect() })
    }

    /// For each target the most probable factor > 0 by which every standard deviation is multiplied: the held-out targets
    /// are Normal, and the prior of the factor's logarithm is N(0, 0.3²), so that few rows change little. Of many rows it
    /// is the root of the mean squared score. 1 where all scores are 0.
    #[must_use]
    pub fn factors(&self) -> Vec<f64> {
        self.scores.iter().map(|scores| factor(scores)[0].exp()).collect()
    }

    /// For each target the standard deviation of the factor's logarithm, by the curvature of its posterior.
    #[must_use]
    pub fn factor_errors(&self) -> Vec<f64> {
        self.scores.iter().map(|scores| factor(scores)[1]).collect()
    }

    /// The predictions with every standard deviation multiplied by its target's factor, all parts of a
    /// variance alike.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Shape`], if they are of another number of targets.
    pub fn scaled(&self, prediction: &RealPrediction) -> Result<RealPrediction, CalibrationError> {
        self.check(prediction)?;
        let factors = self.factors();
        let distributions = prediction.distributions().iter().enumerate();
        let widened = distributions.map(|(i, d)| d.widened(factors[i % factors.len()]));
        Ok(RealPrediction::of(factors.len(), widened.collect()))
    }

    /// Intervals between the quantiles of Φ(−q) and Φ(q), mean ± q·sd for a Normal, that hold a new target with at
    /// least this probability, for the predictions as they came from the model. q is the ⌈(n + 1)p⌉-th of the n scores.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`], if the probability lies outside (0, 1) or there are too few held-out rows
    /// for it, or the predictions are of another number of targets.
    pub fn intervals(
        &self,
        prediction: &RealPrediction,
        probability: f64,
    ) -> Result<Intervals, CalibrationError> {
        self.check(prediction)?;
        let q: Result<Vec<f64>, _> = self.scores.iter().map(|s| score(s, probability)).collect();
        let q = q?;
        let columns = prediction.mean.columns();
        let end = |sign: f64| {
            let distributions = prediction.distributions().iter().enumerate();
            let end = |(i, d): (usize, &Distribution)| d.quantile_of_score(sign * q[i % columns]);
            Matrix::filled(columns, distributions.map(end).collect())
        };
        Ok(Intervals { lower: end(-1.0), upper: end(1.0) })
    }

    fn check(&self, prediction: &RealPrediction) -> Result<(), CalibrationError> {
        let (expected, found) = (self.scores.len(), prediction.mean.columns());
        if expected == found { Ok(()) } else { Err(CalibrationError::Shape { expected, found }) }
    }
}

/// Calibration of the probabilities of classes, fitted to held-out rows.
///
/// [`scaled`](Self::scaled) takes the probabilities to the power 1/T and normalises them (Guo et al. 2017, "On
/// Calibration of Modern Neural Networks", 4.2, with log p as the logits). [`sets`](Self::sets) hold their
/// probability for any model, if held-out and later rows are exchangeable. They are split-conformal predictions with
/// the score 1 − p of the true class (Sadinle et al. 2019, "Least Ambiguous Set-Valued Classifiers").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassCalibration {
    classes: usize,
    temperature: f64,
    #[serde(default)]
    temperature_error: f64,
    /// In ascending order.
    scores: Vec<f64>,
}

impl ClassCalibration {
    /// Fits the calibration to the true classes of held-out rows and the `prediction` for these rows. Each label is
    /// the index of a class.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`], if there is no row, not one label for each row, or a label without a
    /// class.
    pub fn fit(prediction: &ClassPrediction, labels: &[usize]) -> Result<Self, CalibrationError> {
        let p = &prediction.probabilities;
        let classes = p.columns();
        if p.rows() != labels.len() {
            return Err(CalibrationError::Shape { expected: p.rows(), found: labels.len() });
        }
        if labels.is_empty() {
            return Err(CalibrationError::Empty);
        }
        if let Some((row, &label)) = labels.iter().enumerate().find(|(_, l)| **l >= classes) {
            return Err(CalibrationError::Label { row, label, classes });
        }
        let scores = p.iter().zip(labels).map(|(row, label)| 1.0 - row[*label]).collect();
        let [log, temperature_error] = temperature(p, labels);
        let scores = ascending(scores);
        Ok(Self { classes, temperature: log.exp(), temperature_error, scores })
    }

    /// The most probable T > 0, above 1 if the model is too sure. The prior of its logarithm is N(0, 0.3²), so that few rows
    /// change little.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// The standard deviation of log T, by the expected curvature of its posterior.
    #[must_use]
    pub fn temperature_error(&self) -> f64 {
        self.temperature_error
    }

    /// The probabilities to the power 1/T, normalised. The ratio of information to entropy stays.
    ///
    /// # Errors
    ///
    /// [`CalibrationError::Shape`], if they are of another number of classes.
    pub fn scaled(
        &self,
        prediction: &ClassPrediction,
    ) -> Result<ClassPrediction, CalibrationError> {
        self.check(prediction)?;
        let beta = 1.0 / self.temperature;
        let probabilities =
            prediction.probabilities.map_rows(|row| tempered(&logarithms(row), beta));
        let (before, after) = (prediction.entropy(), probabilities.iter().map(entropy));
        // A row without entropy has no information, and no ratio.
        let share = |((i, b), a): ((&f64, f64), f64)| if b > 0.0 { i * a / b } else { 0.0 };
        let information = prediction.information.iter().zip(before).zip(after).map(share).collect();
        Ok(ClassPrediction { probabilities, names: prediction.names.clone(), information })
    }

    /// For each row the classes of a set that holds the true one with at least this probability, for
    /// the predictions as they came from the model; the most probable class is always in it. Of n
    /// scores the ⌈(n + 1)p⌉-th is what 1 − p of a class may be.
    ///
    /// # Errors
    ///
    /// [`CalibrationError`], if the probability lies outside (0, 1) or there are too few held-out rows
    /// for it, or the predictions are of another number of classes.
    pub fn sets(
        &self,
        prediction: &ClassPrediction,
        probability: f64,
    ) -> Result<Vec<Vec<usize>>, CalibrationError> {
        self.check(prediction)?;
        let most = score(&self.scores, probability)?;
        let set = |(row, guess): (&[f64], usize)| {
            let inside = |(class, p): &(usize, &f64)| *class == guess || 1.0 - **p <= most;
            row.iter().enumerate().filter(inside).map(|(class, _)| class).collect()
        };
        Ok(prediction.probabilities.iter().zip(prediction.labels()).map(set).collect())
    }

    fn check(&self, prediction: &ClassPrediction) -> Result<(), CalibrationError> {
        let (expected, found) = (self.classes, prediction.probabilities.columns());
        if expected == found { Ok(()) } else { Err(CalibrationError::Shape { expected, found }) }
    }
}

/// The ⌈(n + 1)p⌉-th of the n `scores`.
fn score(scores: &[f64], probability: f64) -> Result<f64, CalibrationError> {
    if !(probability > 0.0 && probability < 1.0) {
        return Err(CalibrationError::Probability(probability));
    }
    let rows = scores.len();
    // Rounding must not turn the 9th of 9 into a 10th.
    let place = |rows: usize| ((rows as f64 + 1.0) * probability - 1e-9).ceil().max(1.0);
    match scores.get(place(rows) as usize - 1) {
        Some(score) => Ok(*score),
        None => {
            let needed = ((probability / (1.0 - probability)) - 1e-9).ceil() as usize;
            Err(CalibrationError::TooFew { rows, probability, needed })
        }
    }
}

fn ascending(mut scores: Vec<f64>) -> Vec<f64> {
    scores.sort_by(f64::total_cmp);
    scores
}

fn logarithms(p: &[f64]) -> Vec<f64> {
    // With a logarithm of −∞ the products p log p would be NaN.
    p.iter().map(|p| p.max(f64::MIN_POSITIVE).ln()).collect()
}

fn tempered(logits: &[f64], beta: f64) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The largest power is 1, so that the sum is never 0.
    let powers: Vec<f64> = logits.iter().map(|l| (beta * (l - most)).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|p| p / sum).collect()
}

/// The most probable logarithm x of a factor, and its standard deviation. With the sum S of n squared scores the slope of
/// −log posterior, n − S e^(−2x) + x/τ², rises.
fn factor(scores: &[f64]) -> [f64; 2] {
    let squares: f64 = scores.iter().map(|s| s * s).sum();
    let (n, precision) = (scores.len() as f64, PRIOR_SD.powi(-2));
    // No factor is likeliest then; the most probable one of the prior is left.
    if !(squares > 0.0 && squares.is_finite()) {
        return [0.0, PRIOR_SD];
    }
    let likeliest = 0.5 * (squares / n).ln();
    let slope = |x: f64| n - squares * (-2.0 * x).exp() + x * precision;
    // The prior draws the likeliest logarithm towards 0, not beyond.
    let x = root(slope, likeliest.min(0.0), likeliest.max(0.0));
    [x, (2.0 * squares * (-2.0 * x).exp() + precision).sqrt().recip()]
}

/// The most probable logarithm x of a temperature, and its standard deviation. The log likelihood is concave in the
/// inverse temperature β = e^(−x), and its slope there is L′, Σ of the true logit less the expected one. So that of
/// −log posterior is β L′ + x/τ².
fn temperature(p: &Matrix, labels: &[usize]) -> [f64; 2] {
    let rows: Vec<(Vec<f64>, usize)> =
        p.iter().zip(labels).map(|(row, label)| (logarithms(row), *label)).collect();
    let expected = |logits: &[f64], p: &[f64], power: i32| -> f64 {
        p.iter().zip(logits).map(|(p, l)| p * l.powi(power)).sum()
    };
    let precision = PRIOR_SD.powi(-2);
    let slope = |x: f64| -> f64 {
        let beta = (-x).exp();
        let of = |(logits, label): &(Vec<f64>, usize)| {
            logits[*label] - expected(logits, &tempered(logits, beta), 1)
        };
        beta * rows.iter().map(of).sum::<f64>() + x * precision
    };
    let x = match slope(0.0) {
        at if at > 0.0 => root(slope, -FARTHEST, 0.0),
        at if at < 0.0 => root(slope, 0.0, FARTHEST),
        _ => 0.0,
    };
    let beta = (-x).exp();
    let spread = |(logits, _): &(Vec<f64>, usize)| {
        let p = tempered(logits, beta);
        expected(logits, &p, 2) - expected(logits, &p, 1).powi(2)
    };
    let curvature = beta * beta * rows.iter().map(spread).sum::<f64>().max(0.0) + precision;
    [x, curvature.sqrt().recip()]
}

/// Where a function that is negative at `low` and positive at `high` is 0.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    // Each step halves the interval: in the end it has no inner number.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
