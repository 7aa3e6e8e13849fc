//! Monte Carlo predictions: means of class probabilities over S = 1, 2, 4, … drawn networks, and their scores.
//!
//! ```text
//! p(y) = 1/S Σ_s softmax(f(x; w_s))_y        w_s ~ q(w)
//! ```
//!
//! A score is averaged over disjoint groups of S draws. All S use the same draws.

use burn::tensor::Tensor;
use gaussform_bnn::{ModelError, Network, Pass, Signal};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use super::PredictionPlan;
use crate::failure::Failure;
use crate::tensor::numbers;

/// The largest number of networks in a mean.
const MOST: usize = 512;

/// Scores of the mean probabilities of `samples` drawn networks, averaged over disjoint groups of draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Average {
    /// Number of draws in a group, which is the number of samples inside the logarithm.
    pub(crate) samples: usize,
    pub(crate) groups: usize,
    /// Fraction of errors, and its standard deviation over the groups where there are several.
    pub(crate) error: f64,
    pub(crate) error_sd: Option<f64>,
    /// Mean log likelihood of an image in nats.
    pub(crate) log_likelihood: f64,
    /// Seconds of the draws of one group, for all test images: the mean of all draws, times the draws of a group.
    pub(crate) seconds: f64,
}

/// The sums of probabilities of 2ᵏ draws. Two of them make a sum of 2ᵏ⁺¹ draws.
#[derive(Default)]
struct Level {
    waiting: Option<Vec<f64>>,
    errors: Vec<f64>,
    log_likelihoods: Vec<f64>,
}

/// The scores for all numbers of samples, for the test images `x` and from the same draws.
pub(super) fn averages(
    network: &Network,
    x: &Tensor<2>,
    labels: &[usize],
    plan: &PredictionPlan,
    bar: &ProgressBar,
) -> Result<Vec<Average>, Failure> {
    let mut levels: Vec<Level> = Vec::new();
    let mut seconds = 0.0;
    for sample in 0..plan.samples {
        let start = std::time::Instant::now();
        let mut pass = Pass::new(gaussform_bnn::WeightUse::Drawn, plan.seed, sample as u64);
        let output = network.output(Signal::known(x.clone()), &mut pass);
        let outputs = numbers(output.map_err(ModelError::from)?.mean)?;
        let mut sums = probabilities(outputs, labels.len());
        seconds += start.elapsed().as_secs_f64() / plan.samples as f64;
        let (mut level, mut draws) = (0, 1);
        while draws <= MOST {
            if levels.len() == level {
                levels.push(Level::default());
            }
            let at = &mut levels[level];
            at.errors.push(error(&sums, labels));
            at.log_likelihoods.push(log_likelihood(&sums, draws, labels));
            let Some(other) = at.waiting.take() else {
                at.waiting = Some(sums);
                break;
            };
            sums.iter_mut().zip(other).for_each(|(sum, other)| *sum += other);
            (level, draws) = (level + 1, 2 * draws);
        }
        bar.inc(1);
    }
    let average = |(level, at): (usize, &Level)| {
        let (groups, samples) = (at.errors.len(), 1 << level);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / groups as f64;
        let centre = mean(&at.errors);
        let squares: f64 = at.errors.iter().map(|e| (e - centre).powi(2)).sum();
        Average {
            samples,
            groups,
            error: centre,
            error_sd: (groups > 1).then(|| (squares / (groups - 1) as f64).sqrt()),
            log_likelihood: mean(&at.log_likelihoods),
            seconds: seconds * samples as f64,
        }
    };
    Ok(levels.iter().enumerate().map(average).collect())
}

/// The softmax of each row.
fn probabilities(mut outputs: Vec<f64>, rows: usize) -> Vec<f64> {
    let classes = outputs.len() / rows.max(1);
    for row in outputs.chunks_exact_mut(classes.max(1)) {
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|f| *f = (*f - most).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|p| *p /= sum);
    }
    outputs
}

/// Fraction of rows whose largest value is not that of their class.
pub(super) fn error(values: &[f64], labels: &[usize]) -> f64 {
    let wrong = rows(values, labels).filter(|(row, label)| {
        let largest = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        largest.is_none_or(|(class, _)| class != *label)
    });
    wrong.count() as f64 / labels.len() as f64
}

/// Mean log probability of the true class, in nats.
fn log_likelihood(sums: &[f64], draws: usize, labels: &[usize]) -> f64 {
    // One probability that rounds to 0 would make the mean over all rows −∞.
    let of_row = |(row, label): (&[f64], usize)| (row[label] / draws as f64).max(1e-300).ln();
    rows(sums, labels).map(of_row).sum::<f64>() / labels.len() as f64
}

fn rows<'a>(values: &'a [f64], labels: &'a [usize]) -> impl Iterator<Item = (&'a [f64], usize)> {
    let classes = (values.len() / labels.len().max(1)).max(1);
    values.chunks_exact(classes).zip(labels.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_two_rows() {
        let sums = [1.5, 0.5, 0.6, 1.4];
        assert_eq!(error(&sums, &[0, 0]), 0.5);
        let expected = 0.5 * (0.75f64.ln() + 0.3f64.ln());
        assert!((log_likelihood(&sums, 2, &[0, 0]) - expected).abs() < 1e-15);
        let p = probabilities(vec![1000.0, 1000.0, 0.0, 3f64.ln()], 2);
        for (p, expected) in p.iter().zip([0.5, 0.5, 0.25, 0.75]) {
            assert!((p - expected).abs() < 1e-15, "{p}");
        }
    }
}
