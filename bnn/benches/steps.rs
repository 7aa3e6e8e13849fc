//! The time of a training step: forward, backward and Adam, on batches of 128.
//!
//!     RAYON_NUM_THREADS=1 cargo bench -p gaussform-bnn --bench steps           # all
//!     RAYON_NUM_THREADS=1 cargo bench -p gaussform-bnn --bench steps -- mlp    # one network
//!
//! Networks: `uci` 8-50-1, `mlp` 784-400-400-10, `lenet` with strides, 20 and 50 channels and 500 units.
//! Methods: `plain` (weights without uncertainty), `sampled` (local reparameterisation), `exact`
//! (moments of the ReLU), `linearised` (VBP). Each line has the median and the least of 41 steps in ms,
//! and the ratio of the medians to `plain`.

use std::io::{self, Write};
use std::time::Instant;

use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::Tensor;
use gaussform::activations::Relu;
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, Function, LayerSpec, LikelihoodKind, Matrix, Network, Pass, PosteriorKind, Prior,
    Random, Signal, bound,
};

type Failure = Box<dyn std::error::Error>;

const BATCH: usize = 128;
/// Rows of the data set that the batch stands for.
const TOTAL: usize = 60_000;
const STEPS: usize = 41;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Plain,
    Sampled,
    Exact,
    Linearised,
}

const METHODS: [(&str, Method); 4] = [
    ("plain", Method::Plain),
    ("sampled", Method::Sampled),
    ("exact", Method::Exact),
    ("linearised", Method::Linearised),
];

/// A network of this name; `None` if there is none.
fn blueprint(name: &str, method: Method) -> Option<Blueprint> {
    let relu = || Function::new("relu", Relu);
    let posterior = match method {
        Method::Plain => PosteriorKind::Point,
        _ => PosteriorKind::MeanField,
    };
    let rule = if method == Method::Linearised { Rule::Linearised } else { Rule::Exact };
    let start = |input: &[usize], likelihood| {
        Blueprint::new(input, likelihood)
            .with_posterior(posterior)
            .with_prior(Prior::Normal { precision: 100.0 })
            .with_rule(rule)
    };
    let blueprint = match name {
        "uci" => start(&[8], LikelihoodKind::normal(1)).linear(50).activation(relu()).linear(1),
        "mlp" => start(&[784], LikelihoodKind::categorical(10))
            .linear(400)
            .activation(relu())
            .linear(400)
            .activation(relu())
            .linear(10),
        "lenet" => start(&[1, 28, 28], LikelihoodKind::categorical(10))
            .convolution(20, &[5, 5], &[2, 2])
            .activation(relu())
            .convolution(50, &[5, 5], &[2, 2])
            .activation(relu())
            .layer(LayerSpec::Flatten)
            .linear(500)
            .activation(relu())
            .linear(10),
        _ => return None,
    };
    let layers = match method {
        Method::Sampled => sampled(blueprint.layers),
        _ => blueprint.layers,
    };
    Some(Blueprint { layers, initial_sd: 0.011, gain: 2f64.sqrt(), ..blueprint })
}

/// The layers with a sample after each that has weights.
fn sampled(layers: Vec<LayerSpec>) -> Vec<LayerSpec> {
    let mut out = Vec::new();
    for layer in layers {
        let weights = matches!(layer, LayerSpec::Linear { .. } | LayerSpec::Convolution { .. });
        out.push(layer);
        if weights {
            out.push(LayerSpec::Sample);
        }
    }
    out
}

/// Inputs and targets of one batch.
fn batch(network: &Network) -> Result<[Tensor<2>; 2], Failure> {
    let mut random = Random::new(1);
    let columns = network.blueprint().columns();
    let x = (0..BATCH * columns).map(|_| random.normal()).collect();
    let y = match network.blueprint().likelihood.classes() {
        None => (0..BATCH).map(|_| random.normal()).collect(),
        Some(classes) => (0..BATCH * classes)
            .map(|i| if i % classes == i / classes % classes { 1.0 } else { 0.0 })
            .collect(),
    };
    let targets = network.blueprint().likelihood.target_columns();
    let [x, y] = [Matrix::new(columns, x)?, Matrix::new(targets, y)?];
    Ok([network.tensor(&x), network.tensor(&y)])
}

/// Seconds of each step, in order of size.
fn times(blueprint: &Blueprint) -> Result<Vec<f64>, Failure> {
    let mut network = Network::new(blueprint, 0)?;
    let mut optimizer = AdamConfig::new().init();
    let [x, y] = batch(&network)?;
    let mut times = Vec::new();
    for step in 0..STEPS + 5 {
        let clock = Instant::now();
        let mut pass = Pass::new(network.blueprint().weights, 0, step as u64);
        let bound = bound(&network, Signal::known(x.clone()), y.clone(), TOTAL, &mut pass)?;
        let loss = bound.elbo().neg().div_scalar(TOTAL as f64);
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(1e-3, network, gradients);
        times.push(clock.elapsed().as_secs_f64());
    }
    // What is computed is looked at.
    let moved = network.output(Signal::known(x), &mut Pass::moments())?;
    let finite =
        moved.mean.inner().into_data().try_into_vec_as::<f64>().map_err(|e| format!("{e:?}"))?;
    if finite.iter().any(|value| !value.is_finite()) {
        return Err("the network diverged: its times mean nothing".into());
    }
    // The first steps warm the machine up.
    times.drain(..5);
    times.sort_by(f64::total_cmp);
    Ok(times)
}

fn main() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // Cargo adds flags such as `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let names = ["uci", "mlp", "lenet"];
    if let Some(unknown) = wanted.iter().find(|name| !names.contains(&name.as_str())) {
        return Err(
            format!("there is no network `{unknown}`; there are {}", names.join(", ")).into()
        );
    }
    for name in names {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        let mut plain = None;
        for (label, method) in METHODS {
            let Some(blueprint) = blueprint(name, method) else { continue };
            let times = times(&blueprint)?;
            let [median, least] = [times[STEPS / 2] * 1e3, times[0] * 1e3];
            let ratio = median / *plain.get_or_insert(median);
            writeln!(
                out,
                "{name:6} {label:11} {median:9.3} ms, least {least:9.3} ms  {ratio:5.2} × plain"
            )?;
        }
    }
    Ok(())
}
