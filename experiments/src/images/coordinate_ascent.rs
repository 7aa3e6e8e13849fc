//! V-ReLU-Net on images: the targets are 1 for the class of an image and 0 for the others, and the predicted class is
//! the one with the largest number.
//!
//! ```text
//! P(class k) = ∫ N(x; m_k, s_k²) Π_(j ≠ k) Φ((x − m_j)/s_j) dx
//! ```

use gaussform_bnn::{
    ClassPrediction, Matrix, Model, PosteriorKind, RealPrediction, Scaling, Table, Targets,
    TrainError, method,
};
use libm::erfc;

use super::args::{Images, Method, Network, Schedule};
use super::network::CLASSES;
use crate::failure::Failure;

/// Rows of a batch. A batch with few rows for its hidden units is learned by heart.
const BATCH: usize = 2000;
/// Number of sweeps over each batch.
const SWEEPS: usize = 5;
/// The precision of the prior on the weights.
const ALPHA: f64 = 100.0;
/// The precisions of pre-activations and of activations. With lower ones hidden units take up the residuals of their
/// batch.
const PRECISION: f64 = 1000.0;

/// Checks that the options fit the method: the network `wide`, one epoch and a constant schedule.
pub(super) fn check(options: &Images) -> Result<(), Failure> {
    let is_online = options.network == Network::Wide
        && options.epochs.get() == 1
        && options.schedule == Schedule::Constant;
    if options.method != Method::Vrelunet || is_online {
        return Ok(());
    }
    Err(Failure::Options {
        problem: "vrelunet learns one hidden layer in one pass, without a step size".to_owned(),
        help: "take the subcommand `online`, or --network wide --epochs 1 --schedule constant"
            .to_owned(),
    })
}

/// The network with `hidden` units after one pass over the table.
pub(super) fn trained(table: &Table, hidden: usize, seed: u64) -> Result<Model, TrainError> {
    let Targets::Classes { labels, .. } = &table.y else {
        return Err(TrainError::Settings("the images have no classes"));
    };
    let row = |label: usize| (0..CLASSES).map(move |k| f64::from(u8::from(k == label)));
    let values = labels.iter().copied().flat_map(row).collect();
    let y =
        Matrix::new(CLASSES, values).map_err(|_| TrainError::Settings("there are no images"))?;
    let numbers = Table {
        x: table.x.clone(),
        x_variance: None,
        y: Targets::Real(y),
        weights: None,
        censored: None,
    };
    let config = method::VReluNetConfig {
        hidden,
        sweeps: SWEEPS,
        alpha: ALPHA,
        beta: PRECISION,
        gamma: PRECISION,
        seed,
        batch: Some(BATCH),
        scaling: Scaling::Whole,
        posterior: PosteriorKind::MeanField,
        ..method::VReluNetConfig::default()
    };
    Ok(method::vrelunet(&numbers, &config)?.0)
}

/// The probability of each class that its number is the largest, if the numbers are independent and Normal; none
/// without rows.
pub(super) fn classes(prediction: &RealPrediction) -> Option<ClassPrediction> {
    let variance = prediction.variance();
    let rows = prediction.mean.iter().zip(variance.iter());
    let probabilities = rows.flat_map(|(mean, variance)| {
        let sd: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
        largest(mean, &sd)
    });
    Some(ClassPrediction {
        probabilities: Matrix::new(prediction.mean.columns(), probabilities.collect()).ok()?,
        names: (0..prediction.mean.columns()).map(|k| k.to_string()).collect(),
        // The parts of the variance are not taken apart here.
        information: vec![0.0; prediction.mean.rows()],
    })
}

/// P(number k is the largest) for each k: ∫ N(x; m_k, s_k²) Π Φ((x − m_j)/s_j) dx by the trapezoidal rule, divided by
/// the sum over k. The rule is exact to rounding where the deviations are alike. They are here, since all numbers
/// have the same noise.
fn largest(mean: &[f64], sd: &[f64]) -> Vec<f64> {
    let steps = (-48..=48).map(|i| f64::from(i) / 6.0);
    let of = |k: usize| -> f64 {
        let at = |z: f64| {
            let x = mean[k] + sd[k] * z;
            let others = (0..mean.len()).filter(|j| *j != k);
            let below = others.map(|j| 0.5 * erfc((mean[j] - x) / (sd[j] * 2f64.sqrt())));
            (-0.5 * z * z).exp() * below.product::<f64>()
        };
        steps.clone().map(at).sum()
    };
    let parts: Vec<f64> = (0..mean.len()).map(of).collect();
    let sum: f64 = parts.iter().sum();
    parts.iter().map(|part| part / sum).collect()
}

#[cfg(test)]
mod tests {
    use gaussform_bnn::{Matrix, Table, class_score};

    use super::{CLASSES, classes, largest, trained};

    #[test]
    fn of_two_numbers_it_is_that_of_their_difference() {
        let [first, second] = largest(&[0.3, -0.2], &[0.7, 0.4])[..] else { unreachable!() };
        let wanted = 0.5 * libm::erfc(-0.5 / (0.65f64.sqrt() * 2f64.sqrt()));
        assert!((first - wanted).abs() < 1e-12 && (first + second - 1.0).abs() < 1e-12);
    }

    /// Images of three numbers, whose class is the index of the largest one.
    #[test]
    fn classes_are_learned_as_numbers() {
        let values: Vec<f64> = (0..900).map(|i| (f64::from(i) * 1.7).sin()).collect();
        let x = Matrix::new(3, values).unwrap();
        let place = |row: &[f64]| (0..3).max_by(|i, j| row[*i].total_cmp(&row[*j])).unwrap();
        let labels: Vec<usize> = x.iter().map(place).collect();
        let names = (0..CLASSES).map(|k| k.to_string()).collect();
        let table = Table::classes(x, labels.clone(), names).unwrap();
        let model = trained(&table, 12, 0).unwrap();
        let prediction = classes(&model.predict(&table.x).unwrap().real().unwrap()).unwrap();
        for row in prediction.probabilities.iter() {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
        }
        let error = class_score(&prediction, &labels).error;
        assert!(error < 0.25, "{error}");
    }
}
