//! The record of a run of `uci`.

use gaussform_bnn::method::Method;
use serde::{Deserialize, Serialize};

use super::args::{Posterior, Settings};
use crate::record::{Build, Record, number};

/// A run of `uci` on one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UciRecord {
    pub(crate) build: Build,
    pub(crate) data: String,
    pub(crate) method: Method,
    pub(crate) plan: UciPlan,
    pub(crate) splits: Vec<Outcome>,
}

impl Record for UciRecord {
    const EXPERIMENT: &'static str = "uci";
}

/// The settings that the outcome of a split depends on, beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UciPlan {
    pub(crate) settings: Settings,
    pub(crate) hidden: usize,
    pub(crate) epochs: usize,
    /// Rows of a batch, and the step size. Methods without gradients have neither, and none of the two that follow.
    pub(crate) batch: Option<usize>,
    pub(crate) learning_rate: Option<f64>,
    /// The first standard deviation of every weight; that of the method, if not given.
    pub(crate) initial_sd: Option<f64>,
    /// The share of training over which the weight of the KL term rises from 0 to 1.
    pub(crate) warm_up: Option<f64>,
    pub(crate) seed: u64,
    #[serde(default)]
    pub(crate) posterior: Posterior,
    /// The seed that drew the splits, which partition all rows of the set; none for the listed splits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) validation_seed: Option<u64>,
}

/// Result of a split: mean log likelihood of a test row in nats, and root mean squared error in the units of the
/// data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) split: usize,
    #[serde(deserialize_with = "number")]
    pub(crate) log_likelihood: f64,
    #[serde(deserialize_with = "number")]
    pub(crate) rmse: f64,
    pub(crate) epochs: usize,
    /// Seconds of training alone.
    pub(crate) seconds: f64,
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn a_score_that_is_not_finite_is_read_back() {
        let outcome = Outcome {
            split: 3,
            log_likelihood: f64::NEG_INFINITY,
            rmse: 2.0,
            epochs: 1,
            seconds: 1.0,
        };
        let json = serde_json::to_string(&outcome).expect("JSON");
        let read: Outcome = serde_json::from_str(&json).expect("an outcome");
        assert!(read.log_likelihood.is_nan() && read.rmse == 2.0 && read.split == 3, "{json}");
    }
}
