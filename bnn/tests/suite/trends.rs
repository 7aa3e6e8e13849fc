//! Targets that are nearly linear in the inputs: what least squares leave is learned, and all comes back in their units.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use gaussform::activations::Relu;
use gaussform_bnn::{
    Blueprint, Checkpoint, Ensemble, Every, Function, Functions, LikelihoodKind, Matrix, Model,
    RealPrediction, Table, TargetScale, TargetUnit, Targets, TrainConfig, TransformChoice,
    TrendChoice, fit, method, resume, rmse, train,
};

use crate::support::{drawn, matrix};

const INPUTS: usize = 4;
const LINE: [f64; INPUTS] = [3.0, -2.0, 0.5, 0.0];
const NOISE: f64 = 1e-4;

fn line(x: &[f64]) -> f64 {
    7.0 + x.iter().zip(LINE).map(|(x, b)| x * b).sum::<f64>()
}

/// Rows of a linear function, and something else.
fn rows(n: usize, seed: u64, rest: impl Fn(&[f64], f64) -> f64) -> Table {
    let x = matrix(INPUTS, &drawn(INPUTS * n, seed));
    let y: Vec<f64> =
        x.iter().zip(drawn(n, seed + 100)).map(|(x, e)| line(x) + rest(x, e)).collect();
    Table::regression(x, &y).unwrap()
}

fn nearly_linear(n: usize, seed: u64) -> Table {
    rows(n, seed, |_, e| NOISE * e)
}

fn blueprint(trend: TrendChoice) -> Blueprint {
    let likelihood = LikelihoodKind::NormalPerInput { targets: 1 };
    let relu = Function::new("relu", Relu);
    Blueprint { trend, ..method::nnvi(INPUTS, &[8], likelihood, &relu) }
}

fn short(blueprint: &Blueprint) -> TrainConfig {
    TrainConfig { epochs: 400, ..TrainConfig::suited_to(blueprint) }
}

fn trained(trend: TrendChoice, data: &Table) -> Model {
    let blueprint = blueprint(trend);
    fit(&blueprint, data, &short(&blueprint)).unwrap().with_residual_noise(data).unwrap()
}

fn predicted(model: &Model, data: &Table) -> RealPrediction {
    model.predict(&data.x).unwrap().real().unwrap()
}

fn numbers(data: &Table) -> &Matrix {
    match &data.y {
        Targets::Real(y) => y,
        Targets::Classes { .. } => panic!("numbers are predicted"),
    }
}

fn error(model: &Model, data: &Table) -> f64 {
    rmse(predicted(model, data).mean.values(), numbers(data).values())
}

fn unit(model: &Model) -> &TargetUnit {
    match model.targets() {
        TargetScale::Real(units) => &units[0],
        TargetScale::Classes(_) => panic!("numbers are predicted"),
    }
}

#[test]
fn a_linear_function_is_learned_to_its_noise() {
    let (data, new) = (nearly_linear(120, 1), nearly_linear(400, 2));
    let model = trained(TrendChoice::Auto, &data);
    assert!(unit(&model).trend.is_some());
    let off = error(&model, &new);
    assert!(off < 1.3 * NOISE, "{off}");
    let found = predicted(&model, &new).mean_log_density(numbers(&new));
    let truth = -0.5 * (std::f64::consts::TAU * NOISE * NOISE).ln() - 0.5;
    assert!(found > truth - 0.2, "{found} for {truth}");
    let alone = error(&trained(TrendChoice::None, &data), &new);
    assert!(alone > 5.0 * NOISE, "{alone}");
}

#[test]
fn the_network_learns_what_is_left() {
    let kink = |x: &[f64], e: f64| 0.03 * x[3].abs() + 1e-3 * e;
    let (data, new) = (rows(300, 3, kink), rows(400, 4, kink));
    let model = trained(TrendChoice::Auto, &data);
    let trend = unit(&model).trend.as_ref().expect("a trend");
    let x = model.inputs().apply(&new.x);
    let of_trend: Vec<f64> = x.iter().map(|x| trend.at(x)).collect();
    let by_trend = rmse(&of_trend, numbers(&new).values());
    let off = error(&model, &new);
    assert!(by_trend > 0.012 && off < 0.5 * by_trend, "{off} beside {by_trend}");
}

/// A target that is no linear function, and likelihoods whose outputs are no means of targets, have no trend.
#[test]
fn what_is_not_linear_has_no_trend() {
    let square = rows(200, 5, |x, _| 20.0 * x[0] * x[1]);
    let choices = [TrendChoice::Auto, TrendChoice::None];
    let [auto, none] = choices.map(|trend| predicted(&trained(trend, &square), &square));
    assert_eq!(auto, none);
    let counts =
        Table::regression(matrix(1, &[1.0, 2.0, 3.0, 4.0]), &[1.0, 2.0, 3.0, 4.0]).unwrap();
    for likelihood in [LikelihoodKind::Poisson, LikelihoodKind::Censored] {
        let blueprint = method::nnvi(1, &[2], likelihood, &Function::new("relu", Relu));
        let model =
            Model::new(&Blueprint { trend: TrendChoice::Auto, ..blueprint }, &counts, 0).unwrap();
        assert!(unit(&model).trend.is_none());
    }
}

/// The logarithm of the rows is closer to Normal than they are, but it is the rows that are linear.
#[test]
fn the_transform_is_chosen_by_what_the_trend_leaves() {
    let x: Vec<f64> = drawn(200, 6).iter().map(|z| (1.5 * z).exp()).collect();
    let table = |y: &dyn Fn(f64) -> f64| {
        let y: Vec<f64> =
            x.iter().zip(drawn(200, 7)).map(|(x, e)| y(*x) * (1.0 + 1e-3 * e)).collect();
        Table::regression(matrix(1, &x), &y).unwrap()
    };
    let taken = |data: &Table| {
        let blueprint = method::nnvi(
            1,
            &[4],
            LikelihoodKind::NormalPerInput { targets: 1 },
            &Function::new("relu", Relu),
        );
        let target_transform = TransformChoice::Auto;
        let of = |trend| {
            let blueprint = Blueprint { trend, target_transform, ..blueprint.clone() };
            let model = Model::new(&blueprint, data, 0).unwrap();
            (unit(&model).transform.name(), unit(&model).trend.is_some())
        };
        [of(TrendChoice::None), of(TrendChoice::Auto)]
    };
    assert_eq!(taken(&table(&|x| 5.0 * x)), [("log", false), ("none", true)]);
    let logs: Vec<f64> = x.iter().map(|x| x.ln()).collect();
    let y: Vec<f64> = x.iter().map(|x| x.powi(2)).collect();
    let data = Table::regression(matrix(1, &logs), &y).unwrap();
    assert_eq!(taken(&data), [("log", false), ("log", true)]);
}

/// In other units the fit is the same.
#[test]
fn units_change_nothing() {
    let data = nearly_linear(80, 8);
    let scaled = |m: &Matrix, by: f64, plus: f64| {
        Matrix::new(m.columns(), m.values().iter().map(|v| by * v + plus).collect()).unwrap()
    };
    let other = Table {
        x: scaled(&data.x, 1e3, 5.0),
        y: Targets::Real(scaled(numbers(&data), 1e-2, 0.0)),
        ..data.clone()
    };
    let [a, b] = [&data, &other].map(|data| predicted(&trained(TrendChoice::Auto, data), data));
    for (a, b) in a.mean.values().iter().zip(b.mean.values()) {
        assert!((a - 1e2 * b).abs() < 0.1 * NOISE, "{a} and {b}");
    }
}

/// Draws have the mean and variance of the prediction, and covariances that are carried have its parts.
#[test]
fn draws_and_carried_moments_are_those_of_predictions() {
    let data = nearly_linear(12, 9);
    let blueprint = blueprint(TrendChoice::Auto);
    let model = Model::new(&blueprint, &data, 0).unwrap();
    let p = predicted(&model, &data);
    let carried = model.propagate_full(&data.x, None).unwrap();
    let draws: Vec<Matrix> = (0..3000).map(|seed| model.draw(&data.x, seed).unwrap()).collect();
    for (i, carried) in carried.iter().enumerate() {
        let (mean, variance) = (p.mean.values()[i], p.epistemic().values()[i]);
        let values: Vec<f64> = draws.iter().map(|d| d.values()[i * d.columns()]).collect();
        let n = values.len() as f64;
        let of_draws = values.iter().sum::<f64>() / n;
        let spread = values.iter().map(|v| (v - of_draws).powi(2)).sum::<f64>() / n;
        assert!((of_draws - mean).abs() < 0.1 * variance.sqrt());
        assert!((spread / variance - 1.0).abs() < 0.15, "{spread} for {variance}");
        assert!((carried.mean[0] - mean).abs() < 1e-3 * variance.sqrt());
        assert!((carried.covariance.values()[0] / variance - 1.0).abs() < 1e-4);
    }
}

/// An input in doubt makes the target as doubtful as its slope says, and rows that have one do not make noise of it.
#[test]
fn doubt_of_inputs_goes_through_the_trend() {
    let mut data = nearly_linear(150, 10);
    let known = trained(TrendChoice::Auto, &data);
    let sd = 0.01;
    let variance = |i: usize| if i.is_multiple_of(3 * INPUTS) { sd * sd } else { 0.0 };
    let variances: Vec<f64> = (0..150 * INPUTS).map(variance).collect();
    let moved: Vec<f64> = drawn(150 * INPUTS, 11)
        .iter()
        .zip(data.x.values())
        .zip(&variances)
        .map(|((z, x), v)| x + v.sqrt() * z)
        .collect();
    let variances = Matrix::new(INPUTS, variances).unwrap();
    let p = known.predict_noisy(&data.x, Some(&variances)).unwrap().real().unwrap();
    let found = p.variance().values()[0].sqrt();
    assert!((found / (LINE[0] * sd) - 1.0).abs() < 0.01, "{found}");
    data.x = Matrix::new(INPUTS, moved).unwrap();
    data.x_variance = Some(variances);
    let doubtful = trained(TrendChoice::Auto, &data);
    let sd_of = |x_variance: Option<&Matrix>, row: usize| {
        let p = doubtful.predict_noisy(&data.x, x_variance).unwrap().real().unwrap();
        p.variance().values()[row].sqrt()
    };
    let (of_doubtful, of_known) = (sd_of(data.x_variance.as_ref(), 0), sd_of(None, 1));
    assert!(of_known < 0.5 * of_doubtful, "{of_known} beside {of_doubtful}");
}

#[test]
fn files_and_checkpoints_have_the_trend() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.safetensors");
    let (data, library) = (nearly_linear(60, 12), Functions::library());
    let blueprint = blueprint(TrendChoice::Auto);
    let config = TrainConfig { epochs: 12, ..short(&blueprint) };
    let whole = fit(&blueprint, &data, &config).unwrap();
    let bytes = |model: &Model| model.to_bytes(&Default::default()).unwrap();
    let (again, _) = Model::from_bytes(&bytes(&whole), &library).unwrap();
    assert_eq!(again.targets(), whole.targets());
    assert_eq!(predicted(&again, &data), predicted(&whole, &data));

    let checkpoint =
        Some(Checkpoint { path: path.clone(), every: Every::Epochs(5), notes: BTreeMap::new() });
    let interrupted = TrainConfig { checkpoint, ..config.clone() };
    let model = Model::new(&blueprint, &data, config.seed).unwrap();
    train(model, &data, &interrupted, |p| {
        if p.epoch == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .unwrap();
    let resumed = resume(&path, &library, &data, &config, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(bytes(&resumed), bytes(&whole));

    // Members share it.
    let both = Ensemble::new(vec![whole.clone(), again]).unwrap();
    let file = both.to_bytes(&Default::default()).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&file).unwrap();
    let shared = tensors.names().iter().filter(|name| name.contains("trend.")).count();
    assert_eq!(shared, 2);
    let (both, _) = Ensemble::from_bytes(&file, &library).unwrap();
    assert_eq!(both.targets(), whole.targets());
}
