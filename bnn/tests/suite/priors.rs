//! Divergences against samples and against sums by hand.

use burn::tensor::Tensor;
use gaussform_bnn::layer::Linear;
use gaussform_bnn::{Form, FullCovariance, MeanField, Pass, Prior, Random, Weight};

use crate::support::{Sampled, tensor, values};

const MEAN: [f64; 4] = [0.3, -1.1, 0.02, 0.8];
const LOG_SD: [f64; 4] = [-0.7, -1.5, -0.2, -2.3];

fn layer(prior: Prior) -> Linear {
    let weight = MeanField::new(tensor(&MEAN, [2, 2]), tensor(&LOG_SD, [2, 2]));
    Linear::new(Weight::MeanField(weight), None, prior)
}

fn kl(prior: Prior, pass: &mut Pass) -> (f64, Form) {
    let divergence = layer(prior).divergence(pass).unwrap().unwrap();
    (values(divergence.value)[0], divergence.form)
}

/// E log q − log p over samples of q.
fn sampled(log_prior: impl Fn(f64) -> f64) -> Sampled {
    let (mut random, mut out) = (Random::new(5), Sampled::default());
    for _ in 0..100_000 {
        let term = |(m, l): (&f64, &f64)| {
            let z = random.normal();
            -0.5 * (z * z + std::f64::consts::TAU.ln()) - l - log_prior(m + l.exp() * z)
        };
        out.add(MEAN.iter().zip(&LOG_SD).map(term).sum());
    }
    out
}

fn log_normal(w: f64, sd: f64) -> f64 {
    -0.5 * (w / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

#[test]
fn closed_divergences_are_those_of_samples() {
    let mut pass = Pass::moments();
    let (normal, form) = kl(Prior::Normal { precision: 3.0 }, &mut pass);
    assert_eq!(form, Form::Closed);
    assert!(sampled(|w| log_normal(w, 3f64.sqrt().recip())).away(normal) < 4.0);
    let (laplace, form) = kl(Prior::Laplace { scale: 0.4 }, &mut pass);
    assert_eq!(form, Form::Closed);
    let oracle = sampled(|w| -w.abs() / 0.4 - 0.8f64.ln());
    assert!(oracle.away(laplace) < 4.0, "{laplace} against {oracle:?}");
    assert!(oracle.away(normal) > 20.0);
}

#[test]
fn the_scale_mixture_is_sampled_without_bias() {
    let prior = Prior::ScaleMixture { share: 0.3, wide: 1.2, narrow: 0.2 };
    let oracle =
        sampled(|w| (0.3 * log_normal(w, 1.2).exp() + 0.7 * log_normal(w, 0.2).exp()).ln());
    let mut ours = Sampled::default();
    for seed in 0..4000 {
        let (value, form) = kl(prior, &mut Pass::drawn(seed));
        assert_eq!(form, Form::Sampled);
        ours.add(value);
    }
    let error = ours.error().hypot(oracle.error());
    assert!((ours.mean() - oracle.mean()).abs() < 4.0 * error);
}

/// log s + E log|w| up to a constant, by the trapezoidal rule in the logarithm of |w|.
#[test]
fn the_fit_of_the_log_uniform_prior_is_one() {
    let (value, form) = kl(Prior::LogUniform, &mut Pass::moments());
    assert_eq!(form, Form::Fitted);
    let expected_log = |m: f64, s: f64| -> f64 {
        let density = |w: f64| (-0.5 * ((w - m) / s).powi(2)).exp() / s;
        let h = 1e-3;
        (-30_000..4_000)
            .map(|i| f64::from(i) * h)
            .map(|t| t * t.exp() * (density(t.exp()) + density(-t.exp())) * h)
            .sum::<f64>()
            / std::f64::consts::TAU.sqrt()
    };
    // KL = E log|w| − log s + c, with c such that it is 0 for m = 0.
    let c = expected_log(0.0, 1.0);
    let truth: f64 = MEAN.iter().zip(&LOG_SD).map(|(m, l)| expected_log(*m, l.exp()) - l - c).sum();
    assert!((value - truth).abs() < 0.03, "{value} against {truth}");
}

#[test]
fn empirical_bayes_by_hand() {
    let (shape, scale) = (1.0, 10.0);
    let (value, form) = kl(Prior::EmpiricalBayes { shape, scale }, &mut Pass::moments());
    assert_eq!(form, Form::Closed);
    let squares: f64 = MEAN.iter().zip(&LOG_SD).map(|(m, l)| m * m + (2.0 * l).exp()).sum();
    // −E log q + …: the divergence for a variance s, less the log density of s.
    let objective = |s: f64| {
        let weights: f64 = MEAN
            .iter()
            .zip(&LOG_SD)
            .map(|(m, l)| 0.5 * ((m * m + (2.0 * l).exp()) / s - 1.0 + s.ln() - 2.0 * l))
            .sum();
        // The inverse Gamma of shape 1 and scale 10: 10 s⁻² e^(−10/s).
        weights - (10f64.ln() - 2.0 * s.ln() - 10.0 / s)
    };
    let best = (squares + 2.0 * scale) / (4.0 + 2.0 * shape + 2.0);
    assert!((value - objective(best)).abs() < 1e-12);
    for other in [0.9 * best, 1.1 * best] {
        assert!(objective(other) > value);
    }
}

/// The weights from each input have a variance of their own, and so has the bias.
#[test]
fn relevance_by_hand() {
    let (shape, scale) = (2.0, 0.3);
    let weight = MeanField::new(tensor(&MEAN, [2, 2]), tensor(&LOG_SD, [2, 2]));
    let (bias_mean, bias_log_sd) = ([0.2, -0.4, 0.7], [-1.0, -0.5, -2.0]);
    let bias = MeanField::new(tensor(&bias_mean, [3]), tensor(&bias_log_sd, [3]));
    // The bias need not fit the weights for a divergence.
    let layer = Linear::new(
        Weight::MeanField(weight),
        Some(Weight::MeanField(bias)),
        Prior::Relevance { shape, scale },
    );
    let divergence = layer.divergence(&mut Pass::moments()).unwrap().unwrap();
    assert_eq!(divergence.form, Form::Closed);
    let value = values(divergence.value)[0];
    let groups = [
        (&MEAN[..2], &LOG_SD[..2]),
        (&MEAN[2..], &LOG_SD[2..]),
        (&bias_mean[..], &bias_log_sd[..]),
    ];
    // The density of the inverse Gamma of shape 2 is scale² s⁻³ e^(−scale/s). Its variance is searched for, not computed.
    let of_group = |(mean, log_sd): (&[f64], &[f64])| {
        let objective = |s: f64| {
            let term = |(m, l): (&f64, &f64)| {
                0.5 * ((m * m + (2.0 * l).exp()) / s - 1.0 + s.ln() - 2.0 * l)
            };
            let weights: f64 = mean.iter().zip(log_sd).map(term).sum();
            weights - (2.0 * scale.ln() - 3.0 * s.ln() - scale / s)
        };
        (-4000..4000).map(|i| objective((f64::from(i) * 1e-3).exp())).fold(f64::INFINITY, f64::min)
    };
    let least: f64 = groups.into_iter().map(of_group).sum();
    assert!((value - least).abs() < 1e-5, "{value} for {least}");
    let whole = Prior::EmpiricalBayes { shape, scale };
    assert!((kl(whole, &mut Pass::moments()).0 - least).abs() > 0.1);
}

#[test]
fn the_divergence_of_full_covariances_is_that_of_the_textbook() {
    let factor = [0.3, 9.0, 0.5, -0.2];
    let posterior = FullCovariance::new(tensor(&[0.4, -0.7], [2, 1]), tensor(&factor, [1, 2, 2]));
    let layer = Linear::new(Weight::Full(posterior), None, Prior::Normal { precision: 2.0 });
    let value: Tensor<1> = layer.divergence(&mut Pass::moments()).unwrap().unwrap().value;
    // L = [[e^0.3, 0], [0.5, e^−0.2]]; KL = ½ (α tr Σ + α mᵀm − 2 − 2 log α − log det Σ).
    let trace = 0.6f64.exp() + 0.25 + (-0.4f64).exp();
    let known =
        0.5 * (2.0 * trace + 2.0 * (0.16 + 0.49) - 2.0 - 2.0 * 2f64.ln() - 2.0 * (0.3 - 0.2));
    assert!((values(value)[0] - known).abs() < 1e-12);
}
