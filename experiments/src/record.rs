//! The record of a run, `result.json`: its fields, and how it is written and read back.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};

use crate::args::{Method, Posterior, Settings};
use crate::calibration::CalibrationRecord;
use crate::failure::Failure;
use crate::fast_prediction::FastRecord;
use crate::gradient_variance::VarianceRecord;
use crate::images::ImageRecord;
use crate::sine::SineRecord;
use crate::vae::VaeRecord;

/// The contents of a `result.json`, by experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "experiment", rename_all = "kebab-case")]
pub(crate) enum Record {
    Uci(UciRecord),
    Images(ImageRecord),
    Calibration(CalibrationRecord),
    FastPrediction(FastRecord),
    Sine(SineRecord),
    GradientVariance(VarianceRecord),
    Vae(VaeRecord),
}

/// The way the command was compiled. Seconds mean nothing without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Build {
    /// A build without optimisation, for the most part.
    Dev,
    Release,
}

impl Build {
    pub(crate) const THIS: Self = if cfg!(debug_assertions) { Self::Dev } else { Self::Release };
}

/// A run of `uci` on one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UciRecord {
    pub(crate) build: Build,
    pub(crate) data: String,
    pub(crate) method: Method,
    pub(crate) plan: Plan,
    pub(crate) splits: Vec<Outcome>,
}

/// The settings that the outcome of a split depends on, beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
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

/// A number, which is NaN where JSON has `null`. JSON has no other word for a score that is not finite, such as that
/// of a model whose variance is infinite.
pub(crate) fn number<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(json)?.unwrap_or(f64::NAN))
}

impl Record {
    /// The record in `path`, if there is such a file.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file(path, error, "make it readable")),
        };
        Self::parse(&text, path).map(Some)
    }

    /// The record in the text of the file `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, Failure> {
        let help = "it is not a result of this command; remove it or name another folder";
        serde_json::from_str(text).map_err(|e| Failure::file(path, e, help))
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let json = serde_json::to_string_pretty(self)
            .map_err(|e| Failure::file(path, e, "report this as a defect"))?;
        write_whole(path, &(json + "\n"))
    }
}

/// Makes the folder that a run writes to.
pub(crate) fn make_folder(out: &Path) -> Result<(), Failure> {
    fs::create_dir_all(out)
        .map_err(|e| Failure::file(out, format!("cannot be made: {e}"), "name another folder"))
}

/// The refusal to write into the folder of a run with other options.
pub(crate) fn other_run(result: &Path) -> Failure {
    let help = "name another folder, or give the options that it began with";
    Failure::file(result, "is of another run", help)
}

/// Replaces a file whole, so that an interruption leaves the old one or the new one.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    gaussform_bnn::write_whole(path, text.as_bytes())
        .map_err(|e| Failure::file(path, format!("cannot be written: {e}"), "name another folder"))
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
