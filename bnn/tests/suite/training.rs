//! Training improves the bound, in any units, and does so the same way each time.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use burn::optim::{AdamConfig, RmsPropConfig};
use gaussform::activations::{HardTanh, Prelu, Relu};
use gaussform_bnn::{
    Blueprint, Checkpoint, DataError, EarlyStopping, Every, Function, Functions, LayerSpec,
    LikelihoodKind, Matrix, Model, ModelError, NoiseRule, Optimizer, PosteriorKind, Prior,
    RealPrediction, StoreError, Table, TrainConfig, TrainError, fit, method, resume, rmse,
    set_threads, train,
};

use crate::support::{drawn, matrix, moments_of};

fn relu() -> Function {
    Function::new("relu", Relu)
}

/// A kink, which a line cannot follow, in any units.
fn kink(unit: f64) -> Table {
    let x: Vec<f64> = (0..40).map(|i| unit * (f64::from(i) / 10.0 - 2.0)).collect();
    let y: Vec<f64> = x.iter().map(|x| 3.0 * x.abs() - unit).collect();
    Table::regression(Matrix::new(1, x).unwrap(), &y).unwrap()
}

fn short(epochs: usize) -> TrainConfig {
    TrainConfig { epochs, ..TrainConfig::default() }
}

fn normal(model: &Model, x: &Matrix) -> RealPrediction {
    model.predict(x).unwrap().real().unwrap()
}

fn targets(data: &Table) -> Vec<f64> {
    match &data.y {
        gaussform_bnn::Targets::Real(y) => y.values().to_vec(),
        gaussform_bnn::Targets::Classes { .. } => Vec::new(),
    }
}

/// One of eight inputs is what the target depends on. The weights from the others become far smaller.
#[test]
fn inputs_that_say_nothing_are_found() {
    let x = matrix(8, &drawn(80 * 8, 4));
    let y: Vec<f64> = x.iter().zip(drawn(80, 5)).map(|(row, e)| row[2].abs() + 0.1 * e).collect();
    let data = Table::regression(x, &y).unwrap();
    let ratio = |prior: Prior| {
        let blueprint = method::nnvi(8, &[20], LikelihoodKind::normal(1), &relu());
        let model = fit(&blueprint.with_every_prior(prior), &data, &short(400)).unwrap();
        let Some(gaussform_bnn::ChainLayer::Linear(first)) =
            model.network().chain().layers().first()
        else {
            panic!("a linear layer is first");
        };
        let (mean, variance) = moments_of(first.weight());
        let of_input = |i: usize| -> f64 {
            (20 * i..20 * (i + 1)).map(|k| mean[k].powi(2) + variance[k]).sum()
        };
        let most = (0..8).filter(|i| *i != 2).map(of_input).fold(0.0, f64::max);
        most / of_input(2)
    };
    let [fixed, found] = [
        ratio(Prior::Normal { precision: 10.0 }),
        ratio(Prior::Relevance { shape: 1.0, scale: 0.1 }),
    ];
    assert!(found < 0.1 && found < 0.2 * fixed, "{found}, and {fixed} with one variance for all");
}

#[test]
fn steps_suit_the_noise_and_the_posterior() {
    let step = |likelihood, posterior| {
        let blueprint = Blueprint::new(&[3], likelihood).with_posterior(posterior);
        let network = blueprint.linear(5).activation(relu()).linear(likelihood.outputs());
        let around = vec![LayerSpec::Residual { layers: network.layers.clone() }];
        let steps = [network.clone(), Blueprint { layers: around, ..network }]
            .map(|network| TrainConfig::suited_to(&network).learning_rate);
        assert_eq!(steps[0], steps[1], "what is within a layer counts");
        steps[0]
    };
    let of = |posterior| {
        [LikelihoodKind::normal(1), LikelihoodKind::NormalPerInput { targets: 1 }]
            .map(|likelihood| step(likelihood, posterior))
    };
    assert_eq!(of(PosteriorKind::MeanField), [0.03, 0.01]);
    assert_eq!(of(PosteriorKind::Full), [0.03, 0.003]);
}

#[test]
fn the_bound_increases_and_a_seed_fixes_everything() {
    let data = kink(1.0);
    for batch in [1000, 16] {
        let trained = |seed: u64| {
            let config = TrainConfig { batch, seed, ..short(if batch < 40 { 40 } else { 200 }) };
            let mut bounds = Vec::new();
            let model = Model::new(&method::cf(1, 8, 1, &relu()), &data, seed).unwrap();
            let model = train(model, &data, &config, |p| {
                bounds.push(p.elbo);
                ControlFlow::Continue(())
            });
            (bounds, model.unwrap().to_bytes(&Default::default()).unwrap())
        };
        let (bounds, bytes) = trained(3);
        let (first, last) = (bounds[0], bounds[bounds.len() - 1]);
        assert!(last > first + 20.0, "from {first} to {last}");
        assert_eq!((bounds, bytes.clone()), trained(3));
        assert_eq!(std::thread::spawn(move || trained_elsewhere(batch)).join().unwrap(), bytes);
        assert_ne!(bytes, trained(4).1);
    }
}

fn trained_elsewhere(batch: usize) -> Vec<u8> {
    let config = TrainConfig { batch, seed: 3, ..short(if batch < 40 { 40 } else { 200 }) };
    let model = fit(&method::cf(1, 8, 1, &relu()), &kink(1.0), &config).unwrap();
    model.to_bytes(&Default::default()).unwrap()
}

/// A table of so many rows that a batch of it is cut into shards, and predictions into chunks.
fn many_rows(classes: bool) -> Table {
    let x = matrix(3, &drawn(3 * 1300, 8));
    if classes {
        let labels = x.iter().map(|r| usize::from(r[0] * r[1] > 0.0)).collect();
        return Table::classes(x, labels, ["no", "yes"].map(str::to_owned).to_vec()).unwrap();
    }
    let y: Vec<f64> = x.iter().map(|r| r[0].abs() + 0.3 * r[1]).collect();
    Table::regression(x, &y).unwrap()
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let likelihood = LikelihoodKind::normal(1);
    let closed = LikelihoodKind::Normal { targets: 1, noise: NoiseRule::ClosedForm };
    let stopping = Some(EarlyStopping { share: 0.5, patience: 5 });
    let two = |config: TrainConfig| TrainConfig { epochs: 2, batch: 2000, ..config };
    let runs = [
        (method::nnvi(3, &[60, 60], likelihood, &relu()), two(TrainConfig::default())),
        (
            method::varout(3, &[60, 60], likelihood, &relu()),
            TrainConfig { early_stopping: stopping, ..two(TrainConfig::default()) },
        ),
        (method::bbb(3, &[60, 60], likelihood, &relu()), two(TrainConfig::default())),
        (method::vbp(3, &[60, 60], closed, &relu()), two(TrainConfig::default())),
        (method::nnvi(3, &[60], likelihood, &relu()), two(TrainConfig::lbfgs(2))),
        (
            method::nnvi(3, &[60, 60], LikelihoodKind::categorical(2), &relu()),
            two(TrainConfig::default()),
        ),
        // Batches of shards, and batches of rows that the layer shares.
        (method::dvi_full(3, &[20, 20], 1, &relu()), two(TrainConfig::default())),
        (
            method::dvi_full(3, &[20, 20], 1, &relu()),
            TrainConfig { epochs: 1, batch: 300, ..TrainConfig::default() },
        ),
    ];
    for (i, (blueprint, config)) in runs.into_iter().enumerate() {
        let data = many_rows(blueprint.likelihood.classes().is_some());
        let trained = |threads: usize| {
            set_threads(threads);
            let model = fit(&blueprint, &data, &config).unwrap();
            let model = model.with_residual_noise(&data).unwrap();
            let model = model.with_passes(2.try_into().unwrap());
            (model.to_bytes(&Default::default()).unwrap(), model.predict(&data.x).unwrap())
        };
        let alone = trained(1);
        for threads in [2, 5, 0] {
            assert!(trained(threads) == alone, "run {i}, {threads} threads");
        }
    }
}

#[test]
fn the_same_data_in_other_units_gives_the_same_fit() {
    let relative = |unit: f64| {
        let data = kink(unit);
        let model = fit(&method::cf(1, 8, 1, &relu()), &data, &short(200)).unwrap();
        let prediction = normal(&model, &data.x);
        let error = rmse(prediction.mean.values(), &targets(&data)) / unit;
        let sd: Vec<f64> = prediction.variance().values().iter().map(|v| v.sqrt() / unit).collect();
        (error, sd)
    };
    let (error, sd) = relative(1.0);
    assert!(error < 0.4, "{error}");
    for unit in [10.0, 1000.0] {
        let (other, sds) = relative(unit);
        assert!((other - error).abs() < 1e-2 * error, "{other} against {error}");
        for (a, b) in sd.iter().zip(&sds) {
            assert!((a - b).abs() < 1e-2 * a);
        }
    }
}

/// Every method learns the kink, by its own bound.
#[test]
fn every_method_learns() {
    let data = kink(10.0);
    let likelihood = LikelihoodKind::normal(1);
    let prelu = Function::learned("prelu", &[0.25], |p| Prelu::new(p[0])).unwrap();
    let tanh = Function::new("hard_tanh", HardTanh);
    let blueprints = [
        ("cf_full", method::cf_full(1, 8, 1, &relu())),
        ("nnvi", method::nnvi(1, &[8, 8], likelihood, &tanh)),
        ("learned", method::nnvi(1, &[8], likelihood, &prelu)),
        ("vbp", method::vbp(1, &[8], likelihood, &relu())),
        ("vbp_gated", method::vbp_gated(1, &[8], likelihood, &relu(), 10.0)),
        ("dvi", method::dvi(1, &[8], 1, &relu())),
        ("varout", method::varout(1, &[8], likelihood, &relu())),
        ("bbb", method::bbb(1, &[8], likelihood, &relu())),
        ("cf_partly", method::cf_partly(1, [8, 8], likelihood, &relu())),
    ];
    for (name, blueprint) in blueprints {
        let config = TrainConfig { seed: 1, ..short(300) };
        let model = fit(&blueprint, &data, &config).unwrap();
        let prediction = normal(&model, &data.x);
        let error = rmse(prediction.mean.values(), &targets(&data)) / 10.0;
        assert!(error < 0.8, "{name}: {error}");
        assert!(prediction.noise.values().iter().all(|v| *v > 0.0));
    }
}

#[test]
fn classes_are_learned_by_every_likelihood() {
    let x = matrix(2, &drawn(160, 3));
    let labels: Vec<usize> = x.iter().map(|r| usize::from(r[0] * r[0] + r[1] > 0.5)).collect();
    let names = ["no", "yes"].map(str::to_owned).to_vec();
    let data = Table::classes(x, labels.clone(), names).unwrap();
    let form = gaussform_bnn::CategoricalForm::Tilted;
    for likelihood in
        [LikelihoodKind::categorical(2), LikelihoodKind::Bernoulli { form }, LikelihoodKind::Probit]
    {
        let blueprint = method::nnvi(2, &[10], likelihood, &relu());
        let blueprint = blueprint.with_every_prior(Prior::Normal { precision: 1.0 });
        let model = fit(&blueprint, &data, &short(300)).unwrap();
        let prediction = model.predict(&data.x).unwrap().classes().unwrap();
        for row in prediction.probabilities.iter() {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| *p >= 0.0));
        }
        let entropy = prediction.entropy();
        assert!(prediction.information.iter().zip(&entropy).all(|(i, e)| *i <= e + 1e-12));
        let score = gaussform_bnn::class_score(&prediction, &labels);
        assert!(score.error < 0.15, "{likelihood:?}: {score:?}");
    }
}

#[test]
fn lbfgs_finds_a_better_bound_in_fewer_epochs() {
    let data = kink(1.0);
    let blueprint = method::cf(1, 8, 1, &relu());
    let best = |config: &TrainConfig| {
        let mut last = f64::NAN;
        let model = Model::new(&blueprint, &data, 0).unwrap();
        train(model, &data, config, |p| {
            last = p.elbo;
            ControlFlow::Continue(())
        })
        .unwrap();
        last
    };
    let adam = best(&TrainConfig { warm_up: 0.0, ..short(100) });
    let lbfgs = best(&TrainConfig::lbfgs(15));
    assert!(lbfgs > adam, "{lbfgs} against {adam}");
    // Noise that is not learned by gradient has no gradient, which must not shift the others.
    let likelihood = LikelihoodKind::Normal { targets: 1, noise: NoiseRule::ClosedForm };
    let blueprint = Blueprint { likelihood, ..method::cf(1, 8, 1, &relu()) };
    fit(&blueprint, &data, &TrainConfig::lbfgs(3)).unwrap();
    let sampled = method::bbb(1, &[8], LikelihoodKind::normal(1), &relu());
    let error = fit(&sampled, &data, &TrainConfig::lbfgs(3)).unwrap_err();
    assert!(error.to_string().contains("this network samples"));
}

/// Eq. 12 of Haußmann et al.: the precision is the best one for the outputs as they are.
#[test]
fn closed_noise_is_the_best_noise() {
    let data = kink(1.0);
    let model = fit(&method::vbp(1, &[8], LikelihoodKind::normal(1), &relu()), &data, &short(50));
    let prediction = normal(&model.unwrap(), &data.x);
    let epistemic = prediction.epistemic();
    let squares: f64 = prediction
        .mean
        .values()
        .iter()
        .zip(&targets(&data))
        .zip(epistemic.values())
        .map(|((m, y), v)| (y - m).powi(2) + v)
        .sum();
    let noise = prediction.noise.values()[0];
    assert!((noise - squares / 40.0).abs() < 1e-4 * noise, "{noise} against {}", squares / 40.0);
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run.safetensors");
    let data = kink(1.0);
    let configs = [
        TrainConfig { batch: 16, ..short(12) },
        TrainConfig { optimizer: RmsPropConfig::new().init().into(), batch: 16, ..short(12) },
        TrainConfig::lbfgs(12),
        TrainConfig {
            early_stopping: Some(EarlyStopping { share: 0.2, patience: 50 }),
            ..short(12)
        },
    ];
    for (i, config) in configs.into_iter().enumerate() {
        let blueprint = method::cf(1, 8, 1, &relu());
        let blueprint = if i == 0 {
            method::varout(1, &[8], LikelihoodKind::normal(1), &relu())
        } else {
            blueprint
        };
        let whole = fit(&blueprint, &data, &config).unwrap();
        let notes = BTreeMap::from([("made by".to_owned(), format!("run {i}"))]);
        let checkpoint =
            Some(Checkpoint { path: path.clone(), every: Every::Epochs(5), notes: notes.clone() });
        let interrupted = TrainConfig { checkpoint, ..config.clone() };
        let model = Model::new(&blueprint, &data, config.seed).unwrap();
        train(model, &data, &interrupted, |p| {
            if p.epoch == 7 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        let go_on = |_: &gaussform_bnn::Progress<'_>| ControlFlow::Continue(());
        let library = Functions::library();
        assert_eq!(Model::load(&path, &library).unwrap().1, notes);
        let resumed = resume(&path, &library, &data, &config, go_on).unwrap();
        let bytes = |model: &Model| model.to_bytes(&Default::default()).unwrap();
        assert_eq!(bytes(&resumed), bytes(&whole), "run {i}");

        let other = TrainConfig { seed: 9, ..config.clone() };
        let error = resume(&path, &library, &data, &other, go_on).unwrap_err();
        assert!(error.to_string().starts_with("the checkpoint is of another run"), "{error}");
        whole.save(&path, &Default::default()).unwrap();
        let error = resume(&path, &library, &data, &config, go_on).unwrap_err();
        assert!(matches!(error, TrainError::Store(StoreError::NoCheckpoint)));
    }
}

#[test]
fn early_stopping_keeps_the_best_network() {
    let data = kink(1.0);
    let stopping = Some(EarlyStopping { share: 0.25, patience: 10 });
    let config = TrainConfig { early_stopping: stopping, warm_up: 0.0, ..short(2000) };
    let model = Model::new(&method::cf(1, 8, 1, &relu()), &data, 0).unwrap();
    let (mut scores, mut networks) = (Vec::new(), Vec::new());
    let trained = train(model, &data, &config, |p| {
        scores.push(p.validation.unwrap());
        networks.push(p.network.clone());
        ControlFlow::Continue(())
    })
    .unwrap();
    assert!(scores.len() < 2000);
    let best = (0..scores.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
    assert_eq!(best + 11, scores.len());
    let kept = Model::from_parts(
        networks[best].clone(),
        trained.inputs().clone(),
        trained.targets().clone(),
    );
    let bytes = |model: &Model| model.to_bytes(&Default::default()).unwrap();
    assert_eq!(bytes(&kept), bytes(&trained));
}

/// Half the data and then the other half, with nothing kept of the first.
#[test]
fn a_posterior_becomes_the_prior_of_the_next_data() {
    let data = kink(1.0);
    let halves = [0, 1].map(|k| {
        let rows: Vec<usize> = (0..40).filter(|i| i % 2 == k).collect();
        data.select(&rows).unwrap()
    });
    let first = fit(&method::cf(1, 8, 1, &relu()), &halves[0], &short(300)).unwrap();
    let config = TrainConfig { warm_up: 0.0, learning_rate: 0.003, ..short(100) };
    let mut divergences = Vec::new();
    let second = train(first.clone().carried_over(), &halves[1], &config, |p| {
        let d = p.network.chain().divergence(&mut gaussform_bnn::Pass::moments());
        divergences.push(d.unwrap().unwrap().value.inner().into_scalar::<f64>());
        ControlFlow::Continue(())
    })
    .unwrap();
    // The divergence is from the first posterior, so it begins at 0.
    assert!(divergences[0] < 0.5 && divergences.iter().all(|d| *d > -1e-3));
    let error = |model: &Model| rmse(normal(model, &data.x).mean.values(), &targets(&data));
    assert!(error(&second) < 0.3, "{}", error(&second));
}

#[test]
fn settings_and_data_that_do_not_fit_are_errors() {
    let data = kink(1.0);
    let run = |config: TrainConfig| {
        fit(&method::cf(1, 2, 1, &relu()), &data, &config).unwrap_err().to_string()
    };
    let default = TrainConfig::default;
    assert!(run(TrainConfig { epochs: 0, ..default() }).starts_with("`epochs` is 0"));
    assert!(run(TrainConfig { batch: 0, ..default() }).starts_with("`batch` is 0"));
    let rate = TrainConfig { learning_rate: f64::NAN, ..default() };
    assert!(run(rate).starts_with("`learning_rate`"));
    assert!(run(TrainConfig { warm_up: 1.5, ..default() }).starts_with("`warm_up` is 1.5"));
    let diverging = TrainConfig {
        optimizer: Optimizer::from(AdamConfig::new().init()),
        learning_rate: 1e30,
        ..short(50)
    };
    let error = run(diverging);
    assert!(
        error.starts_with("training diverged in epoch") && error.contains("`layers."),
        "{error}"
    );

    let fails = |x: Matrix, y: &[f64]| {
        let data = Table::regression(x, y).unwrap();
        fit(&method::cf(2, 2, 1, &relu()), &data, &short(1)).unwrap_err().to_string()
    };
    assert_eq!(
        fails(matrix(1, &[1.0]), &[1.0]),
        "the model has 2 inputs, but the data has 1 columns"
    );
    assert_eq!(
        fails(matrix(2, &[1.0, 2.0, 3.0, f64::INFINITY]), &[1.0, 2.0]),
        "row 1 of the inputs holds inf; every number must be finite"
    );
    assert_eq!(
        fails(matrix(2, &[1.0, 2.0]), &[f64::NAN]),
        "row 0 of the targets holds NaN; every number must be finite"
    );
    assert_eq!(
        fails(matrix(2, &[1.0, 2.0, 3.0, -1e200]), &[1.0, 2.0]),
        "row 1 of the inputs holds -1e200; a number must lie within ±1e150: choose another unit"
    );
    assert_eq!(
        fails(matrix(2, &[1.0, 2.0, 3.0, 4.0]), &[1e-200, 3e-200]),
        "column 0 of the targets has a standard deviation of 1e-200, below 1e-150: choose another unit"
    );
    let error = Table::regression(matrix(2, &[1.0, 2.0]), &[1.0, 2.0]).unwrap_err();
    assert_eq!(error, DataError::Rows { part: "targets", rows: 1, found: 2 });
    let classes = Table::classes(matrix(2, &[1.0, 2.0]), vec![0], vec!["a".to_owned()]).unwrap();
    let error = Model::new(&method::cf(2, 2, 1, &relu()), &classes, 0).unwrap_err();
    assert!(matches!(error, ModelError::Data(DataError::Targets { .. })));
}
