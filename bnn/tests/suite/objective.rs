//! The closed form of the bound against sampled weights.

use std::f64::consts::TAU;

use burn::tensor::Tensor;
use gaussform_bnn::{
    Matrix, Network, NetworkConfig, NormalWeights, Prior, Random, bound, expected_log_likelihood,
};
use gaussform_runtime::Activation;

use crate::activations::Relu;

const X: [[f64; 2]; 4] = [[0.3, -1.2], [1.5, 0.4], [-0.8, 0.9], [0.1, 2.0]];
const Y: [f64; 4] = [0.7, -0.4, 1.9, 0.2];
const HIDDEN: usize = 3;
const BETA: f64 = 1.7;
const PRIOR: Prior = Prior { hidden: 3.0, output: 5.0 };

/// Posterior standard deviations of one half make every term of the variance matter.
fn network() -> Network<Relu> {
    let config = NetworkConfig {
        initial_sd: 0.5,
        initial_noise_precision: BETA,
        double: true,
        seed: 4,
        prior: PRIOR,
        ..NetworkConfig::new(2, HIDDEN)
    };
    Network::new(Relu, config).unwrap()
}

fn inputs() -> Matrix {
    Matrix::new(2, X.concat()).unwrap()
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().try_into_vec_as::<f64>().unwrap()
}

/// Means and variances, row by row.
fn posterior(weights: &NormalWeights) -> (Vec<f64>, Vec<f64>) {
    (values(weights.mean().inner()), values(weights.variance().inner()))
}

/// Which term of Eq. 8 to leave out, to see that its absence would be noticed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Omit {
    Nothing,
    SquaredMeanTimesHiddenVariance,
    OutputVarianceTimesHiddenVariance,
    OutputVarianceTimesSquaredMean,
    BiasVariance,
    LogBeta,
}

/// Eq. 7 and 8 on scalars, written independently of the tensors.
fn by_hand(network: &Network<Relu>, omit: Omit) -> f64 {
    let (a0, a_var) = posterior(&network.parameters().hidden);
    let (b0, b_var) = posterior(&network.parameters().output);
    let unless = |term: Omit, value: f64| if term == omit { 0.0 } else { value };
    let mut total = 0.0;
    for (x, y) in X.iter().zip(Y) {
        let x = [x[0], x[1], 1.0];
        let mut mean = b0[HIDDEN];
        let mut variance = unless(Omit::BiasVariance, b_var[HIDDEN]);
        for h in 0..HIDDEN {
            let gamma: f64 = (0..3).map(|d| x[d] * a0[d * HIDDEN + h]).sum();
            let xi2: f64 = (0..3).map(|d| x[d] * x[d] * a_var[d * HIDDEN + h]).sum();
            let m = Relu.moments(gamma, xi2);
            mean += b0[h] * m.mean;
            variance += unless(Omit::SquaredMeanTimesHiddenVariance, b0[h] * b0[h] * m.variance);
            variance += unless(Omit::OutputVarianceTimesHiddenVariance, b_var[h] * m.variance);
            variance += unless(Omit::OutputVarianceTimesSquaredMean, b_var[h] * m.mean * m.mean);
        }
        total -= 0.5 * BETA * ((y - mean).powi(2) + variance);
        total += 0.5 * (unless(Omit::LogBeta, BETA.ln()) - TAU.ln());
    }
    total
}

/// The mean over sampled weights of the log likelihood, and its standard error.
fn by_sampling(network: &Network<Relu>, samples: usize) -> (f64, f64) {
    let (a0, a_var) = posterior(&network.parameters().hidden);
    let (b0, b_var) = posterior(&network.parameters().output);
    let mut random = Random::new(11);
    let mut draw = |mean: &[f64], variance: &[f64]| -> Vec<f64> {
        mean.iter().zip(variance).map(|(m, v)| m + v.sqrt() * random.normal()).collect()
    };
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..samples {
        let (a, b) = (draw(&a0, &a_var), draw(&b0, &b_var));
        let mut log_likelihood = 0.0;
        for (x, y) in X.iter().zip(Y) {
            let unit = |h: usize| {
                let u = x[0] * a[h] + x[1] * a[HIDDEN + h] + a[2 * HIDDEN + h];
                b[h] * u.max(0.0)
            };
            let output = b[HIDDEN] + (0..HIDDEN).map(unit).sum::<f64>();
            log_likelihood -= 0.5 * (BETA * (y - output).powi(2) - BETA.ln() + TAU.ln());
        }
        sum += log_likelihood;
        squares += log_likelihood * log_likelihood;
    }
    let n = samples as f64;
    let mean = sum / n;
    (mean, ((squares / n - mean * mean) / n).sqrt())
}

#[test]
fn the_expected_log_likelihood_is_that_of_sampled_weights() {
    let network = network();
    let inputs = network.inputs(&inputs()).unwrap();
    let y = network.targets(&Y, Y.len()).unwrap();
    let output = network.output_moments(&inputs).unwrap();
    let closed = values(expected_log_likelihood(output, y, network.log_beta()))[0];
    assert!((closed - by_hand(&network, Omit::Nothing)).abs() < 1e-12);

    let (sampled, error) = by_sampling(&network, 200_000);
    assert!((closed - sampled).abs() < 4.0 * error, "{closed} against {sampled} ± {error}");

    // Sharp enough to see the absence of any one term.
    for omit in [
        Omit::SquaredMeanTimesHiddenVariance,
        Omit::OutputVarianceTimesHiddenVariance,
        Omit::OutputVarianceTimesSquaredMean,
        Omit::BiasVariance,
        Omit::LogBeta,
    ] {
        let wrong = by_hand(&network, omit);
        let distance = (wrong - sampled).abs() / error;
        assert!(distance > 20.0, "{omit:?}: {distance} standard errors away");
    }
}

#[test]
fn the_predictive_variance_has_three_parts() {
    let network = network();
    let prediction = network.predict(&inputs()).unwrap();
    assert!((prediction.noise - 1.0 / BETA).abs() < 1e-15);
    let residuals: f64 = prediction
        .mean
        .iter()
        .zip(Y)
        .zip(prediction.from_hidden.iter().zip(&prediction.from_output))
        .map(|((mean, y), (a, b))| (y - mean).powi(2) + a + b)
        .sum();
    let expected = -0.5 * BETA * residuals + 2.0 * (BETA.ln() - TAU.ln());
    assert!((expected - by_hand(&network, Omit::Nothing)).abs() < 1e-12);
    for (i, total) in prediction.variance().into_iter().enumerate() {
        let sum = prediction.from_hidden[i] + prediction.from_output[i] + prediction.noise;
        assert!(prediction.from_hidden[i] > 0.0 && prediction.from_output[i] > 0.0);
        assert!((total - sum).abs() < 1e-15);
    }
}

#[test]
fn the_divergence_is_that_of_normal_distributions() {
    let network = network();
    for (weights, precision) in
        [(&network.parameters().hidden, PRIOR.hidden), (&network.parameters().output, PRIOR.output)]
    {
        let (mean, variance) = posterior(weights);
        // KL(N(m, s²) ‖ N(0, t²)) = log t/s + (s² + m²) / 2t² − ½.
        let t2 = 1.0 / precision;
        let known: f64 = mean
            .iter()
            .zip(&variance)
            .map(|(m, s2)| 0.5 * (t2 / s2).ln() + (s2 + m * m) / (2.0 * t2) - 0.5)
            .sum();
        assert!((values(weights.kl(precision))[0] - known).abs() < 1e-12);

        // And E log q − log p over samples.
        let mut random = Random::new(5);
        let n = 100_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            let mut difference = 0.0;
            for (m, s2) in mean.iter().zip(&variance) {
                let z = random.normal();
                let w = m + s2.sqrt() * z;
                difference += 0.5 * (w * w / t2 - z * z + (t2 / s2).ln());
            }
            sum += difference;
            squares += difference * difference;
        }
        let n = f64::from(n);
        let error = ((squares / n - (sum / n).powi(2)) / n).sqrt();
        assert!((known - sum / n).abs() < 4.0 * error);
    }
}

#[test]
fn batches_estimate_the_bound_without_bias() {
    let network = network();
    let at = |rows: &[usize]| {
        let y: Vec<f64> = rows.iter().map(|&i| Y[i]).collect();
        let inputs = network.inputs(&inputs().select(rows).unwrap()).unwrap();
        let y = network.targets(&y, rows.len()).unwrap();
        values(bound(&network, &inputs, y, Y.len()).unwrap().elbo())[0]
    };
    let halves = 0.5 * (at(&[2, 0]) + at(&[1, 3]));
    assert!((halves - at(&[0, 1, 2, 3])).abs() < 1e-12);
}
