//! Expected log likelihoods against samples of the outputs and against quadrature.

use burn::module::Module;
use burn::tensor::Tensor;
use gaussform_bnn::layer::LinearOutput;
use gaussform_bnn::{
    Blueprint, Categorical, CategoricalForm, Function, LikelihoodKind, Network, NormalPerInput,
    Pass, Probit, Random, Signal,
};

use crate::activations::Relu;
use crate::support::{Sampled, Sampler, plain, tensor, values, wide};

fn output(mean: &[f64], variance: &[f64]) -> LinearOutput {
    let dims = [1, mean.len()];
    LinearOutput {
        mean: tensor(mean, dims),
        below: Some(tensor(variance, dims)),
        own: None,
        covariance: None,
    }
}

fn expected(form: CategoricalForm, mean: &[f64], variance: &[f64], y: &[f64], seed: u64) -> f64 {
    let y: Tensor<2> = tensor(y, [1, y.len()]);
    let p = Categorical::new(form, y.dims()[1] == 1);
    values(p.expected(&output(mean, variance), y, &mut Pass::drawn(seed)))[0]
}

/// E log softmax₀, by samples.
fn truth(mean: &[f64], variance: &[f64]) -> Sampled {
    let (mut random, mut out) = (Random::new(9), Sampled::default());
    for _ in 0..100_000 {
        let f: Vec<f64> =
            mean.iter().zip(variance).map(|(m, v)| m + v.sqrt() * random.normal()).collect();
        out.add(f[0] - f.iter().map(|f| f.exp()).sum::<f64>().ln());
    }
    out
}

#[test]
fn classes_by_every_form() {
    let y = [1.0, 0.0, 0.0, 0.0];
    for (mean, sd) in [([2.0, 0.5, -1.0, 0.1], 0.3), ([0.2, 0.0, 0.3, -0.4], 1.0)] {
        let variance: Vec<f64> = (1..5).map(|i| f64::from(i) / 2.5 * sd * sd).collect();
        let truth = truth(&mean, &variance);
        let at = |form| expected(form, &mean, &variance, &y, 0);
        let (jensen, tilted) = (at(CategoricalForm::Jensen), at(CategoricalForm::Tilted));
        // Bounds, and in this order.
        assert!(jensen < tilted && tilted < truth.mean() + 4.0 * truth.error());
        assert!((at(CategoricalForm::Delta) - truth.mean()).abs() < 0.15 * sd.powi(3) + 0.02);
        // Eq. 38 by hand.
        let sum: f64 = mean.iter().zip(&variance).map(|(m, v)| m.exp() * (1.0 + 0.5 * v)).sum();
        assert!((at(CategoricalForm::Taylor2) - (mean[0] - sum.ln())).abs() < 1e-12);
        for form in [
            CategoricalForm::Sampled { samples: 100 },
            CategoricalForm::ControlVariate { samples: 100 },
        ] {
            let mut ours = Sampled::default();
            for seed in 0..200 {
                ours.add(expected(form, &mean, &variance, &y, seed));
            }
            let error = ours.error().hypot(truth.error()) + 0.002;
            assert!((ours.mean() - truth.mean()).abs() < 4.0 * error, "{form:?}");
        }
    }
}

#[test]
fn a_control_variate_takes_variance_away() {
    let (mean, variance, y) = ([2.0, 0.5, -1.0], [0.09; 3], [1.0, 0.0, 0.0]);
    let spread = |form| {
        let mut out = Sampled::default();
        for seed in 0..400 {
            out.add(expected(form, &mean, &variance, &y, seed));
        }
        out.variance()
    };
    let plain = spread(CategoricalForm::Sampled { samples: 4 });
    let controlled = spread(CategoricalForm::ControlVariate { samples: 4 });
    assert!(controlled < 0.05 * plain, "{controlled} against {plain}");
}

#[test]
fn one_output_is_two_classes() {
    // Eq. 39 by hand, for both classes.
    let (m, v): (f64, f64) = (0.7, 0.4);
    for y in [0.0, 1.0] {
        let by_hand = y * m - (1.0 + m.exp() * (1.0 + 0.5 * v)).ln();
        let ours = expected(CategoricalForm::Taylor2, &[m], &[v], &[y], 0);
        assert!((ours - by_hand).abs() < 1e-12);
    }
}

#[test]
fn the_probit_is_an_integral() {
    for (m, v) in [(0.4f64, 0.3f64), (-1.5, 2.0), (6.0, 0.5), (-9.0, 1.0)] {
        let log_cdf = |x: f64| {
            if x > -30.0 { (0.5 * libm::erfc(-x / 2f64.sqrt())).ln() } else { f64::NAN }
        };
        let h = 0.01;
        let truth: f64 = (-1000..=1000)
            .map(|i| f64::from(i) * h)
            .map(|z| log_cdf(m + v.sqrt() * z) * (-0.5 * z * z).exp() * h)
            .sum::<f64>()
            / std::f64::consts::TAU.sqrt();
        let at =
            |m: f64, y: f64| values(Probit.expected(&output(&[m], &[v]), tensor(&[y], [1, 1])))[0];
        for ours in [at(m, 1.0), at(-m, 0.0)] {
            assert!((ours - truth).abs() < 1e-6 * (1.0 + truth.abs()), "{ours} against {truth}");
        }
    }
}

/// Both outputs of a network with one hidden layer, which share its units: exact but for the two not
/// being Normal, so the oracle is Normal too, with the moments of sampled weights.
#[test]
fn noise_by_input_knows_the_covariance_of_its_outputs() {
    let mut f = output(&[0.4, -0.3], &[0.5, 0.8]);
    let c = 0.35;
    f.covariance = Some(tensor(&[0.5, c, c, 0.8], [1, 2, 2]));
    let y = 1.1;
    let ours = values(NormalPerInput.expected(&f, tensor(&[y], [1, 1])))[0];
    let (mut random, mut truth) = (Random::new(4), Sampled::default());
    for _ in 0..400_000 {
        let (a, b) = (random.normal(), random.normal());
        let m = 0.4 + 0.5f64.sqrt() * a;
        let l = -0.3 + c / 0.5f64.sqrt() * a + (0.8 - c * c / 0.5).sqrt() * b;
        truth.add(-0.5 * (std::f64::consts::TAU.ln() + l + (y - m).powi(2) * (-l).exp()));
    }
    assert!(truth.away(ours) < 4.0, "{ours} against {truth:?}");
    f.covariance = None;
    assert!(truth.away(values(NormalPerInput.expected(&f, tensor(&[y], [1, 1])))[0]) > 20.0);

    let relu = Function::new("relu", Relu);
    let blueprint = Blueprint::new(&[2], LikelihoodKind::NormalPerInput { targets: 1 });
    let blueprint = wide(blueprint.linear(3).activation(relu).linear(2));
    let network = Network::new(&blueprint, 3).unwrap().valid();
    let x = [0.3, -1.2];
    let f = network.output(Signal::known(tensor(&x, [1, 2])), &mut Pass::moments()).unwrap();
    let covariance = values(f.covariance.unwrap())[1];
    let mean = values(f.mean);
    let (sampler, mut product) = (Sampler::new(&network), Sampled::default());
    for _ in 0..200_000 {
        let y = plain(&sampler.draw(&mut random), &x, |u| u.max(0.0));
        product.add((y[0] - mean[0]) * (y[1] - mean[1]));
    }
    assert!(product.away(covariance) < 4.0 && product.away(0.0) > 10.0);
}
