//! Expected log likelihoods against samples of the outputs and against quadrature.

use burn::module::Module;
use burn::tensor::{Device, Tensor};
use gaussform_bnn::layer::LinearOutput;
use gaussform_bnn::{
    Blueprint, Categorical, CategoricalForm, Censoring, DataError, Function, Likelihood,
    LikelihoodKind, Model, Network, NormalPerInput, Pass, PosteriorKind, Probit, Random, Signal,
    SoftmaxMoments, Table, TrainConfig, fit, method,
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
    values(p.expected(&output(mean, variance), y, &mut Pass::drawn(seed)).unwrap())[0]
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
        let exact = at(CategoricalForm::Exact);
        assert!(truth.away(exact) < 4.0, "{exact} against {truth:?}");
        assert!(jensen < tilted && tilted < exact);
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

/// E softmax_k, E softmax_k (1 − softmax_k) and E log softmax_k by the trapezoidal rule over the logits themselves.
fn by_quadrature(mean: &[f64], variance: &[f64]) -> [Vec<f64>; 3] {
    let sharpest = variance.iter().copied().fold(0.0, f64::max).sqrt();
    // Steps below the width of the softmax and that of the Normal density.
    let nodes = (24.0 + 16.0 * sharpest) as i32;
    let mut sums = [0, 1, 2].map(|_| vec![0.0; mean.len()]);
    let (mut place, mut total) = (vec![-nodes; mean.len()], 0.0);
    'all: loop {
        let z: Vec<f64> = place.iter().map(|i| 9.0 * f64::from(*i) / f64::from(nodes)).collect();
        let weight = (-0.5 * z.iter().map(|z| z * z).sum::<f64>()).exp();
        let f: Vec<f64> =
            mean.iter().zip(variance).zip(&z).map(|((m, v), z)| m + v.sqrt() * z).collect();
        let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let log = most + f.iter().map(|f| (f - most).exp()).sum::<f64>().ln();
        for (k, f) in f.iter().enumerate() {
            let p = (f - log).exp();
            sums[0][k] += weight * p;
            sums[1][k] += weight * p * (1.0 - p);
            sums[2][k] += weight * (f - log);
        }
        total += weight;
        for i in &mut place {
            *i += 1;
            if *i <= nodes {
                continue 'all;
            }
            *i = -nodes;
        }
        break;
    }
    sums.map(|sum| sum.into_iter().map(|x| x / total).collect())
}

#[test]
fn softmax_moments_are_integrals_over_the_logits() {
    let cases: [(&[f64], &[f64]); 8] = [
        (&[0.0, 0.0], &[1e-4, 1e-4]),
        (&[0.3, -0.2], &[0.5, 2.0]),
        (&[-1.0, 1.0], &[25.0, 0.01]),
        (&[4.0, -3.0], &[196.0, 100.0]),
        (&[0.0, 30.0], &[0.0, 400.0]),
        (&[0.0, 1.0, 2.0], &[0.04, 0.2, 0.0]),
        (&[0.5, -1.0, 0.2], &[1.0, 4.0, 9.0]),
        (&[3.0, -3.0, 0.0], &[16.0, 0.3, 5.0]),
    ];
    for (mean, variance) in cases {
        let ours = SoftmaxMoments::of(mean, variance);
        let [p, spread, log] = by_quadrature(mean, variance);
        let entropy_by = |log: &[f64]| -> f64 {
            // E H = E log Σ e^z − Σ E p z, by Stein's identity: held against samples below.
            let inner = (0..mean.len()).map(|k| mean[k] * p[k] + variance[k] * spread[k]);
            mean[0] - log[0] - inner.sum::<f64>()
        };
        for (ours, truth) in [
            (&ours.probabilities, &p),
            (&ours.spreads, &spread),
            (&ours.logarithms, &log),
            (&vec![ours.entropy], &vec![entropy_by(&log)]),
        ] {
            for (ours, truth) in ours.iter().zip(truth) {
                assert!(
                    (ours - truth).abs() < 2e-9 * (1.0 + truth.abs()),
                    "{mean:?}, {variance:?}: {ours} for {truth}"
                );
            }
        }
    }
}

#[test]
fn softmax_moments_are_means_of_samples() {
    let mut random = Random::new(3);
    for (classes, sd) in [(2, 50.0), (3, 0.1), (10, 3.0), (10, 14.0), (100, 1.0), (100, 20.0)] {
        let mean: Vec<f64> = (0..classes).map(|_| 2.0 * random.normal()).collect();
        let variance: Vec<f64> =
            (0..classes).map(|_| (sd * (0.5 + random.uniform())).powi(2)).collect();
        let ours = SoftmaxMoments::of(&mean, &variance);
        assert!((ours.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut truth = vec![[Sampled::default(), Sampled::default()]; classes];
        let mut entropy = Sampled::default();
        for _ in 0..20_000 {
            let f: Vec<f64> =
                mean.iter().zip(&variance).map(|(m, v)| m + v.sqrt() * random.normal()).collect();
            let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let log = most + f.iter().map(|f| (f - most).exp()).sum::<f64>().ln();
            let mut h = 0.0;
            for (sampled, f) in truth.iter_mut().zip(&f) {
                let p = (f - log).exp();
                sampled[0].add(p);
                sampled[1].add(f - log);
                h -= p * (f - log);
            }
            entropy.add(h);
        }
        assert!(entropy.away(ours.entropy) < 4.5, "{classes}, {sd}: {entropy:?}");
        // The largest of 200 deviations.
        for (k, [p, log]) in truth.iter().enumerate() {
            assert!(log.away(ours.logarithms[k]) < 5.0, "{classes}, {sd}: {log:?}");
            // Small probabilities are means of few large terms, which samples may miss.
            if ours.probabilities[k] > 0.005 {
                assert!(p.away(ours.probabilities[k]) < 5.0, "{classes}, {sd}: {p:?}");
            }
        }
    }
}

#[test]
fn softmax_moments_are_right_at_the_ends() {
    for sd in [0.0, 1e-3, 0.3, 1.0, 7.0, 50.0] {
        for mean in [-500.0, -40.0, 0.0, 40.0, 500.0] {
            let at = |m: f64| SoftmaxMoments::of(&[0.0, m], &[0.0, sd * sd]);
            let (ours, mirrored) = (at(mean), at(-mean));
            let p = &ours.probabilities;
            assert!((p[0] + p[1] - 1.0).abs() < 1e-9, "{mean}, {sd}: {p:?}");
            assert!((p[0] - mirrored.probabilities[1]).abs() < 1e-9);
            assert!(ours.logarithms.iter().all(|l| *l <= 0.0 && l.is_finite()));
            assert!(ours.entropy >= 0.0 && ours.entropy <= 2f64.ln());
            // E log Σ e^z lies between Jensen's bounds.
            let sum = -ours.logarithms[0];
            assert!(sum >= mean.max(0.0) - 1e-9 && sum <= mean.max(0.0) + 0.7 + 0.4 * sd + 1e-9);
        }
    }
    let rare = SoftmaxMoments::of(&[0.0, -30.0], &[0.0, 1.0]);
    let p = (-29.5_f64).exp();
    assert!((rare.probabilities[1] / p - 1.0).abs() < 1e-6, "a small probability keeps its digits");
    assert!((rare.logarithms[0] / -p - 1.0).abs() < 1e-6, "so does a small loss");
    assert!(SoftmaxMoments::of(&[0.0, f64::NAN], &[1.0, 1.0]).probabilities[0].is_nan());
    let huge = SoftmaxMoments::of(&[0.0, 1e30, -1e30], &[1e60, 0.0, 1e-30]);
    assert!((huge.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{huge:?}");
}

/// The derivatives of a sum over three rows of different classes, by autodiff and by differences.
#[test]
fn derivatives_of_the_exact_form_are_differences() {
    let device = Device::flex().autodiff();
    let mean = [0.3, -0.4, 1.0, 5.0, -2.0, 0.5, 0.0, 0.1, -0.2];
    let variance = [0.2, 1.5, 0.7, 30.0, 4.0, 9.0, 0.01, 0.02, 0.0];
    let y = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0];
    let value = |m: &[f64], v: &[f64]| -> f64 {
        m.chunks(3)
            .zip(v.chunks(3))
            .zip(y.chunks(3))
            .map(|((m, v), y)| {
                let logs = SoftmaxMoments::of(m, v).logarithms;
                logs.iter().zip(y).map(|(l, y)| l * y).sum::<f64>()
            })
            .sum()
    };
    let tracked = |x: &[f64]| {
        let x: Tensor<2> = tensor(x, [3, 3]);
        Tensor::<2>::from_data(x.to_data(), (&device, burn::tensor::DType::F64)).require_grad()
    };
    let (m, v) = (tracked(&mean), tracked(&variance));
    let f = LinearOutput { mean: m.clone(), below: Some(v.clone()), own: None, covariance: None };
    let p = Categorical::new(CategoricalForm::Exact, false);
    let rows = p.expected(&f, tracked(&y).detach(), &mut Pass::moments()).unwrap();
    let sum: f64 = rows.clone().inner().sum().into_scalar();
    assert!((sum - value(&mean, &variance)).abs() < 1e-12);
    let gradients = rows.sum().backward();
    let d_mean = values(m.grad(&gradients).unwrap());
    let d_variance = values(v.grad(&gradients).unwrap());
    for i in 0..9 {
        let moved = |x: &[f64], h: f64| {
            let mut x = x.to_vec();
            x[i] += h;
            x
        };
        let h = 2e-5;
        let d =
            (value(&moved(&mean, h), &variance) - value(&moved(&mean, -h), &variance)) / (2.0 * h);
        assert!((d_mean[i] - d).abs() < 1e-6, "mean {i}: {} for {d}", d_mean[i]);
        // One-sided where the variance is 0.
        let low = if variance[i] > h { -h } else { 0.0 };
        let d =
            (value(&mean, &moved(&variance, h)) - value(&mean, &moved(&variance, low))) / (h - low);
        assert!((d_variance[i] - d).abs() < 1e-5, "variance {i}: {} for {d}", d_variance[i]);
    }
}

/// Two classes with dependent outputs, as one Normal number.
#[test]
fn two_classes_know_the_covariance_of_their_outputs() {
    let relu = Function::new("relu", Relu);
    let blueprint = Blueprint::new(&[2], LikelihoodKind::categorical(2));
    let blueprint = wide(blueprint.linear(3).activation(relu).linear(2));
    let network = Network::new(&blueprint, 3).unwrap().valid();
    let x = tensor(&[0.3, -1.2], [1, 2]);
    let f = network.output(Signal::known(x), &mut Pass::moments()).unwrap();
    let y = tensor(&[1.0, 0.0], [1, 2]);
    let at = |f: &LinearOutput| {
        values(network.likelihood().expected(f, y.clone(), &mut Pass::moments()).unwrap())[0]
    };
    let (m, v) = (values(f.mean.clone()), values(f.variance().unwrap()));
    let c = values(f.covariance.clone().unwrap())[1];
    assert!(c.abs() > 0.01, "{c}");
    let d = SoftmaxMoments::of(&[0.0, m[1] - m[0]], &[0.0, v[0] + v[1] - 2.0 * c]);
    assert!((at(&f) - d.logarithms[0]).abs() < 1e-9);
    let apart = LinearOutput { covariance: None, ..f };
    assert!((at(&apart) - SoftmaxMoments::of(&m, &v).logarithms[0]).abs() < 1e-9);
    assert!((at(&apart) - d.logarithms[0]).abs() > 1e-3);
}

fn line(rows: u32) -> (gaussform_bnn::Matrix, Vec<f64>) {
    let x: Vec<f64> = (0..rows).map(|i| f64::from(i) / f64::from(rows) * 4.0 - 2.0).collect();
    (gaussform_bnn::Matrix::new(1, x.clone()).unwrap(), x)
}

fn quick(epochs: usize) -> TrainConfig {
    TrainConfig { epochs, ..TrainConfig::default() }
}

#[test]
fn heavy_tails_do_not_move_students_t() {
    let (x, at) = line(80);
    let mut random = Random::new(1);
    let mut y: Vec<f64> = at.iter().map(|x| 2.0 * x + 0.1 * random.normal()).collect();
    for i in [3, 30, 55, 71] {
        y[i] += 60.0;
    }
    let error = |kind| {
        let relu = Function::new("relu", Relu);
        let blueprint = method::nnvi(1, &[8], kind, &relu);
        let model =
            fit(&blueprint, &Table::regression(x.clone(), &y).unwrap(), &quick(600)).unwrap();
        let mean = model.predict(&x).unwrap().real().unwrap().mean;
        gaussform_bnn::rmse(mean.values(), &at.iter().map(|x| 2.0 * x).collect::<Vec<_>>())
    };
    let (student, normal) =
        (error(LikelihoodKind::StudentT { targets: 1 }), error(LikelihoodKind::normal(1)));
    assert!(student < 0.35 * normal, "{student} against {normal}");
}

/// Half-trained models have noise of another scale than their residuals; rows of weight 0 do not count.
#[test]
fn noise_has_the_scale_of_the_residuals() {
    let (x, at) = line(90);
    let mut random = Random::new(4);
    let mut y: Vec<f64> = at.iter().map(|x| 3.0 * x + 0.4 * x * random.normal()).collect();
    let weights: Vec<f64> = (0..90).map(|i| f64::from(i % 3)).collect();
    for (y, weight) in y.iter_mut().zip(&weights) {
        *y += if *weight == 0.0 { 50.0 } else { 0.0 };
    }
    let table = Table::regression(x.clone(), &y).unwrap().with_weights(weights.clone()).unwrap();
    let relu = Function::new("relu", Relu);
    let after = |kind, posterior| {
        let blueprint = Blueprint::new(&[1], kind).with_posterior(posterior);
        let blueprint = blueprint.linear(8).activation(relu.clone()).linear(kind.outputs());
        let model = fit(&blueprint, &table, &quick(40)).unwrap();
        let before = model.predict(&x).unwrap().real().unwrap();
        let model = model.with_residual_noise(&table).unwrap();
        let predicted = model.predict(&x).unwrap().real().unwrap();
        assert_eq!(predicted.mean, before.mean);
        assert_eq!(predicted.epistemic(), before.epistemic());
        assert_ne!(predicted.noise, before.noise);
        // One factor for all rows.
        let factor = |i: usize| predicted.noise.values()[i] / before.noise.values()[i];
        let off = (0..90).map(|i| (factor(i) / factor(0) - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 1e-4, "{off}");
        // The squared residual of each row by its leverage.
        let squares = (0..90).map(|i| {
            let [v, s] = [before.epistemic(), before.noise.clone()].map(|m| m.values()[i]);
            (y[i] - predicted.mean.values()[i]).powi(2) * (v + s) / s
        });
        let squares: Vec<f64> = squares.collect();
        (model, predicted, squares)
    };
    let mean = |of: &dyn Fn(usize) -> f64| {
        (0..90).map(|i| weights[i] * of(i)).sum::<f64>() / weights.iter().sum::<f64>()
    };
    // A Normal noise is the mean squared residual.
    let (_, p, squares) = after(LikelihoodKind::normal(1), PosteriorKind::MeanField);
    let ratio = mean(&|i| squares[i] / p.noise.values()[i]);
    assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    // Without doubt of the weights a noise by input is one number in each row.
    let by_input = LikelihoodKind::NormalPerInput { targets: 1 };
    let (_, p, squares) = after(by_input, PosteriorKind::Point);
    let ratio = mean(&|i| squares[i] / p.noise.values()[i]);
    assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    after(by_input, PosteriorKind::MeanField);
    after(by_input, PosteriorKind::Full);
    // The likelihood of Student's t rests in β where (ν + 1) r² β/(ν + r² β) is 1 in the mean.
    let (model, p, squares) =
        after(LikelihoodKind::StudentT { targets: 1 }, PosteriorKind::MeanField);
    let Likelihood::StudentT(t) = model.network().likelihood() else { panic!("Student's t") };
    let nu = values(t.degrees())[0];
    // Its variance is ν/(ν − 2)/β, here in the units of the targets.
    let beta = nu / (nu - 2.0) / p.noise.values()[0];
    let slope = mean(&|i| (nu + 1.0) * squares[i] * beta / (nu + squares[i] * beta));
    assert!((slope - 1.0).abs() < 1e-4, "{slope}");
}

#[test]
fn counts_have_the_rate_of_their_inputs() {
    let (x, at) = line(100);
    let mut random = Random::new(2);
    let rate = |x: f64| (4.0 + 0.8 * x).exp();
    let y: Vec<f64> = at
        .iter()
        .map(|x| (rate(*x) + rate(*x).sqrt() * random.normal()).round().max(0.0))
        .collect();
    let relu = Function::new("relu", Relu);
    let blueprint = method::nnvi(1, &[8], LikelihoodKind::Poisson, &relu);
    let table = Table::regression(x.clone(), &y).unwrap();
    let model = fit(&blueprint, &table, &quick(600)).unwrap();
    let mean = model.predict(&x).unwrap().real().unwrap().mean;
    for (found, x) in mean.values().iter().zip(&at) {
        assert!((found / rate(*x) - 1.0).abs() < 0.15, "{found} for {}", rate(*x));
    }
    let half = Table::regression(x, &[0.5; 100]).unwrap();
    let error = Model::new(&blueprint, &half, 0).unwrap_err().to_string();
    assert!(error.contains("row 0 of the targets holds 0.5, which is no count"), "{error}");
}

#[test]
fn censored_rows_tell_what_they_know() {
    let (x, at) = line(120);
    let mut random = Random::new(5);
    let life: Vec<f64> = at.iter().map(|x| 3.0 + x + 0.3 * random.normal()).collect();
    // What still lives after 3.5 is censored.
    let y: Vec<f64> = life.iter().map(|y| y.min(3.5)).collect();
    let censored =
        life.iter().map(|y| if *y > 3.5 { Censoring::AtLeast } else { Censoring::Known }).collect();
    let relu = Function::new("relu", Relu);
    let table = Table::regression(x.clone(), &y).unwrap();
    let last = |kind, table: &Table| {
        let model = fit(&method::nnvi(1, &[8], kind, &relu), table, &quick(600)).unwrap();
        model.predict(&x).unwrap().real().unwrap().mean.values()[110]
    };
    let truth = 3.0 + at[110];
    let told = table.clone().with_censored(censored).unwrap();
    let (ours, naive) =
        (last(LikelihoodKind::Censored, &told), last(LikelihoodKind::normal(1), &table));
    assert!((ours - truth).abs() < 0.5 * (naive - truth).abs(), "{ours}, {naive} for {truth}");
    let blueprint = method::nnvi(1, &[8], LikelihoodKind::normal(1), &relu);
    assert_eq!(
        Model::new(&blueprint, &told, 0).unwrap_err().to_string(),
        DataError::Censored.to_string()
    );
}

/// A row of weight 2 is the row twice, and one of weight 0 is not there.
#[test]
fn weights_are_how_often_a_row_counts() {
    let x = gaussform_bnn::Matrix::new(1, vec![-1.0, 0.0, 1.0]).unwrap();
    let relu = Function::new("relu", Relu);
    let blueprint = Blueprint {
        scaling: gaussform_bnn::Scaling::None,
        precision: gaussform_bnn::Precision::Double,
        ..method::nnvi(1, &[4], LikelihoodKind::categorical(3), &relu)
    };
    let names = || ["a", "b", "c"].map(String::from).to_vec();
    let table =
        |rows: &[usize]| Table::classes(x.select(rows).unwrap(), rows.to_vec(), names()).unwrap();
    let bound = |table: &Table| {
        let mut last = 0.0;
        let model = Model::new(&blueprint, table, 4).unwrap();
        gaussform_bnn::train(model, table, &quick(1), |p| {
            last = p.elbo;
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        last
    };
    let weighted = table(&[0, 1, 2]).with_weights(vec![2.0, 0.0, 1.0]).unwrap();
    let (ours, repeated) = (bound(&weighted), bound(&table(&[0, 0, 2])));
    assert!((ours - repeated).abs() < 1e-9, "{ours} for {repeated}");
    let error = table(&[0, 1, 2]).with_weights(vec![1.0, -1.0, 1.0]).unwrap_err().to_string();
    assert_eq!(error, "row 1 has the weight -1; a weight is a finite number that is not negative");
}
