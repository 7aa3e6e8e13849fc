//! How hard a network learns from its rows where the options do not say: how often the likelihood counts beside the prior, and for
//! how many epochs.
//!
//! A posterior of independent weights pays for what it does not know of each of them, more than a joint one would, and under a
//! learned prior it switches off units and inputs that say something. So the likelihood counts more than once. Where a target
//! hardly depends on its inputs, and these are many for the rows, the network learns the noise then. Rows that are held out decide: of
//!
//! ```text
//! full      likelihood 1.25 times for numbers, twice for classes; all epochs
//! cautious  likelihood once, the bound itself; half of the epochs
//! ```
//!
//! that one is taken under which these rows have the larger mean log likelihood (Geisser and Eddy 1979, "A Predictive Approach to
//! Model Selection"). A row counts with at most three nats for either, so that no single one decides.

use std::ops::ControlFlow;

use gaussform_bnn::{
    Blueprint, LikelihoodKind, Model, Prediction, Progress, Random, Table, Targets, TrainConfig,
    train,
};

use crate::args::{RELEVANCE, Train};
use crate::design::Predicted;
use crate::failure::Failure;
use crate::progress::Epoch;

/// From so few rows no others are held out.
const FEWEST_ROWS: usize = 24;
/// Each third of so few rows is held out once, and of more rows one third.
const ROWS_OF_ALL_FOLDS: usize = 100;
const FOLDS: usize = 3;
/// So many rows, and so many for each input, teach both efforts the same.
const AMPLE_ROWS: usize = 2000;
const AMPLE_ROWS_OF_INPUT: usize = 64;
/// No more rows than these are looked at.
const MOST_ROWS: usize = 4096;
/// How much one row counts at most, in nats.
const MOST_NATS: f64 = 3.0;
/// The stream of a seed that chooses the rows. Those of training count from 0.
const STREAM: u64 = u64::MAX;

/// How hard a network learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    /// How often the likelihood counts.
    pub(crate) likelihood_weight: f64,
    pub(crate) epochs: usize,
}

impl Effort {
    /// The effort that the options say, or the full one by which the network of a blueprint learns.
    pub(crate) fn full(
        options: &Train,
        blueprint: &Blueprint,
        target: Predicted,
        rows: usize,
        batch: usize,
    ) -> Self {
        let usual = || usual_epochs(target, rows, batch);
        Self {
            likelihood_weight: options
                .likelihood_weight
                .unwrap_or_else(|| usual_weight(options, blueprint)),
            epochs: options.epochs.map_or_else(usual, |epochs| epochs.get()),
        }
    }

    /// The likelihood once, and half of the epochs.
    fn cautious(self) -> Self {
        Self { likelihood_weight: 1.0, epochs: self.epochs.div_ceil(2) }
    }
}

/// Networks that learn from some of the rows, to choose an effort by the others.
pub(crate) struct Trial<'a> {
    pub(crate) options: &'a Train,
    pub(crate) blueprint: &'a Blueprint,
    pub(crate) table: &'a Table,
    pub(crate) target: Predicted,
    /// The settings of training but for the effort.
    pub(crate) config: TrainConfig,
    /// Hears of each epoch, none of which is one of training itself, and may end the trial.
    pub(crate) told: &'a mut dyn FnMut(Epoch) -> ControlFlow<()>,
}

impl Trial<'_> {
    /// The effort by which held-out rows are more likely; `full`, where the options say a part of it, where it counts the likelihood
    /// once as well, and where rows are few or ample.
    ///
    /// # Errors
    ///
    /// [`Failure::NotBegun`], if the trial was ended.
    pub(crate) fn effort(mut self, full: Effort) -> Result<Effort, Failure> {
        let (rows, inputs) = (self.table.x.rows(), self.table.x.columns());
        let options = self.options;
        let says = options.likelihood_weight.is_some()
            || options.epochs.is_some()
            || options.validation.is_some();
        let ample = rows > AMPLE_ROWS && rows > AMPLE_ROWS_OF_INPUT * inputs;
        if says || full.likelihood_weight <= 1.0 || rows < FEWEST_ROWS || ample {
            return Ok(full);
        }
        let mut order = Random::stream(self.config.seed, STREAM).permutation(rows);
        order.truncate(MOST_ROWS);
        let folds = if order.len() <= ROWS_OF_ALL_FOLDS { FOLDS } else { 1 };
        let mut gained = 0.0;
        for fold in 0..folds {
            let of = |is_held: bool| {
                let rows = order.iter().enumerate().filter(|(i, _)| (i % FOLDS == fold) == is_held);
                self.table.select(&rows.map(|(_, row)| *row).collect::<Vec<_>>())
            };
            let (Some(training), Some(held)) = (of(false), of(true)) else { return Ok(full) };
            let epochs = usual_epochs(self.target, training.x.rows(), self.config.batch);
            let here = Effort { epochs, ..full };
            let of_full = self.log_likelihoods(here, &training, &held)?;
            let of_cautious = self.log_likelihoods(here.cautious(), &training, &held)?;
            gained += match (of_full, of_cautious) {
                (Some(full), Some(cautious)) => {
                    let weight = |row: usize| held.weights.as_ref().map_or(1.0, |w| w[row]);
                    let gain = |(row, (full, cautious)): (usize, (f64, f64))| {
                        weight(row) * (full - cautious).clamp(-MOST_NATS, MOST_NATS)
                    };
                    full.into_iter().zip(cautious).enumerate().map(gain).sum::<f64>()
                }
                // One that cannot be trained has no likelihood.
                (None, Some(_)) => f64::NEG_INFINITY,
                _ => 0.0,
            };
        }
        Ok(if gained < 0.0 { full.cautious() } else { full })
    }

    /// The log likelihood of each row of `held` by a network that has learned from `training`; none if it does not learn.
    fn log_likelihoods(
        &mut self,
        effort: Effort,
        training: &Table,
        held: &Table,
    ) -> Result<Option<Vec<f64>>, Failure> {
        let Effort { likelihood_weight, epochs } = effort;
        let config = TrainConfig { likelihood_weight, epochs, ..self.config.clone() };
        let mut ended = false;
        let report = |now: &Progress<'_>| {
            let answer = (self.told)(Epoch { done: 0, all: epochs, bound: now.elbo });
            ended = answer.is_break();
            answer
        };
        let learned = Model::new(self.blueprint, training, config.seed)
            .ok()
            .and_then(|model| train(model, training, &config, report).ok());
        if ended {
            return Err(Failure::NotBegun);
        }
        let predicted = learned
            .and_then(|model| model.with_residual_noise(training).ok())
            .and_then(|model| model.predict_noisy(&held.x, held.x_variance.as_ref()).ok());
        Ok(match (predicted, &held.y) {
            (Some(Prediction::Real(p)), Targets::Real(y)) => {
                Some(p.log_density(y).iter().map(|row| row.iter().sum()).collect())
            }
            (Some(Prediction::Classes(p)), Targets::Classes { labels, .. }) => {
                let of = |(row, label): (&[f64], &usize)| row[*label].max(f64::MIN_POSITIVE).ln();
                Some(p.probabilities.iter().zip(labels).map(of).collect())
            }
            _ => None,
        })
    }
}

/// How often the likelihood counts where it is not given: more than once under the prior of relevance that is the default. Counts and
/// censored targets, whose noise is not learned or not scaled to residuals, count once.
fn usual_weight(options: &Train, blueprint: &Blueprint) -> f64 {
    let by_default = options.prior.is_none() && blueprint.prior == RELEVANCE;
    match blueprint.likelihood {
        LikelihoodKind::Categorical { .. } if by_default => 2.0,
        LikelihoodKind::Normal { .. }
        | LikelihoodKind::NormalPerInput { .. }
        | LikelihoodKind::StudentT { .. }
            if by_default =>
        {
            1.25
        }
        _ => 1.0,
    }
}

/// Epochs where none are given: 1000 for numbers; for classes, whose bound is dear and rests sooner, 1000 steps but at least
/// 100 epochs. No table is gone through for more than 10 000 steps.
fn usual_epochs(target: Predicted, rows: usize, batch: usize) -> usize {
    let steps = rows.div_ceil(batch).max(1);
    let enough = if target.is_classes() { (1000 / steps).max(100) } else { 1000 };
    enough.min((10_000 / steps).max(1))
}
