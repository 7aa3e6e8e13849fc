//! V-ReLU-Net on images: classes are learned as numbers, 1 for the class of an image and 0 for the others.

use gaussform_bnn::{
    ClassPrediction, Matrix, Model, NormalPrediction, PosteriorKind, Scaling, Table, Targets,
    TrainError, method,
};
use libm::erfc;

use super::args::{Images, Method, Network, Schedule};
use super::network::{CLASSES, WIDE};
use crate::failure::Failure;

/// Rows of a batch. One pass through batches of this size forgets little of earlier ones, and solves few normal equations.
const BATCH: usize = 600;
/// How often each batch updates what it is known by.
const SWEEPS: usize = 10;

/// Whether the options ask for what the method does.
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

/// The network that one pass leaves.
pub(super) fn trained(table: &Table, seed: u64) -> Result<Model, TrainError> {
    let Targets::Classes { labels, .. } = &table.y else {
        return Err(TrainError::Settings("the images have no classes"));
    };
    let row = |label: usize| (0..CLASSES).map(move |k| f64::from(u8::from(k == label)));
    let values = labels.iter().copied().flat_map(row).collect();
    let y =
        Matrix::new(CLASSES, values).map_err(|_| TrainError::Settings("there are no images"))?;
    let numbers = Table { x: table.x.clone(), x_variance: None, y: Targets::Real(y) };
    let config = method::VReluNetConfig {
        hidden: WIDE,
        sweeps: SWEEPS,
        seed,
        batch: Some(BATCH),
        scaling: Scaling::Whole,
        posterior: PosteriorKind::MeanField,
        ..method::VReluNetConfig::default()
    };
    Ok(method::vrelunet(&numbers, &config)?.0)
}

/// The probability of each class that its number is the largest, of independent Normal numbers; none without rows.
pub(super) fn classes(prediction: &NormalPrediction) -> Option<ClassPrediction> {
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

/// ∫ p(x) Π Φ((x − m)/s) dx over the other numbers, by the trapezoidal rule, which is exact to rounding for such integrands.
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
    use super::largest;

    #[test]
    fn of_two_numbers_it_is_that_of_their_difference() {
        let [first, second] = largest(&[0.3, -0.2], &[0.7, 0.4])[..] else { unreachable!() };
        let wanted = 0.5 * libm::erfc(-0.5 / (0.65f64.sqrt() * 2f64.sqrt()));
        assert!((first - wanted).abs() < 1e-12 && (first + second - 1.0).abs() < 1e-12);
    }
}
