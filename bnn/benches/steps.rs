//! The time and memory of a training step: forward, backward and Adam, on batches of 128.
//!
//!     RAYON_NUM_THREADS=1 cargo bench -p gaussform-bnn --features x86-v4 --bench steps           # all
//!     RAYON_NUM_THREADS=1 cargo bench -p gaussform-bnn --features x86-v4 --bench steps -- mlp    # one network
//!
//! Networks: `uci` 8-50-1, `mlp` 784-400-400-10, `lenet` with strides, 20 and 50 channels and 500 units.
//! Methods: `plain` (weights without uncertainty), `sampled` (local reparameterisation), `exact`
//! (moments of the ReLU), `linearised` (VBP). Each line has the processor time of a step in ms, the least of 41 steps and
//! of three rounds, the memory of a step in MiB, and the ratios of both to `plain`. `benches/steps_against_torch.py` prints the
//! same beside PyTorch's.
//!
//! A measurement is a process of its own: `-- one mlp exact` prints its numbers, ms and KiB. The memory is what the process
//! has at most, less what it had before the network was made; where the system does not tell, it is 0.

use std::io::{self, Write};
use std::process::{Command, Stdio};

use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::Tensor;
use cpu_time::ProcessTime;
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
const ROUNDS: usize = 3;

const NETWORKS: [&str; 3] = ["uci", "mlp", "lenet"];

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

/// The least time of a step in ms.
fn time(blueprint: &Blueprint) -> Result<f64, Failure> {
    let mut network = Network::new(blueprint, 0)?;
    let mut optimizer = AdamConfig::new().init();
    let [x, y] = batch(&network)?;
    let mut least = f64::INFINITY;
    // The first steps warm the machine up.
    for step in 0..STEPS + 5 {
        let clock = ProcessTime::try_now()?;
        let mut pass = Pass::new(network.blueprint().weights, 0, step as u64);
        let bound = bound(&network, Signal::known(x.clone()), y.clone(), TOTAL, &mut pass)?;
        let loss = bound.elbo().neg().div_scalar(TOTAL as f64);
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(1e-3, network, gradients);
        least = least.min(clock.try_elapsed()?.as_secs_f64() * 1e3);
    }
    // What is computed is looked at.
    let moved = network.output(Signal::known(x), &mut Pass::moments())?;
    let finite =
        moved.mean.inner().into_data().try_into_vec_as::<f64>().map_err(|e| format!("{e:?}"))?;
    if finite.iter().any(|value| !value.is_finite()) {
        return Err("the network diverged: its times mean nothing".into());
    }
    Ok(least)
}

/// A line of what Linux tells of this process, in KiB: `VmRSS` is what it has, `VmHWM` what it had at most.
fn memory(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status
        .lines()
        .find_map(|l| l.strip_prefix(line)?.strip_prefix(':')?.split_whitespace().next());
    value.and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// One measurement, in this process.
fn one(network: &str, method: &str, out: &mut impl Write) -> Result<(), Failure> {
    let found = METHODS.iter().find(|(label, _)| *label == method);
    let blueprint = found.and_then(|(_, method)| blueprint(network, *method));
    let blueprint = blueprint.ok_or("give a network and a method after `one`")?;
    let before = memory("VmRSS");
    let time = time(&blueprint)?;
    Ok(writeln!(out, "{time} {}", memory("VmHWM") - before)?)
}

/// One measurement, in a process of its own: ms and KiB.
fn measured(network: &str, method: &str) -> Result<[f64; 2], Failure> {
    let program = std::env::current_exe()?;
    let child =
        Command::new(program).args(["one", network, method]).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(child.stdout)?;
    let numbers: Vec<f64> =
        text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().map_err(|_| format!("{network} {method} gave no times").into())
}

fn main() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // Cargo adds flags such as `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if let [first, network, method] = &wanted[..]
        && first == "one"
    {
        return one(network, method, &mut out);
    }
    if let Some(unknown) = wanted.iter().find(|name| !NETWORKS.contains(&name.as_str())) {
        let known = NETWORKS.join(", ");
        return Err(format!("there is no network `{unknown}`; there are {known}").into());
    }
    for name in NETWORKS {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == name) {
            continue;
        }
        let mut least = [[f64::INFINITY; 2]; METHODS.len()];
        for _ in 0..ROUNDS {
            for (least, (label, _)) in least.iter_mut().zip(METHODS) {
                let [time, memory] = measured(name, label)?;
                *least = [least[0].min(time), least[1].min(memory)];
            }
        }
        for ([time, memory], (label, _)) in least.into_iter().zip(METHODS) {
            let [times, memories] = [time / least[0][0], memory / least[0][1]];
            let memory = memory / 1024.0;
            writeln!(
                out,
                "{name:6} {label:11} {time:9.3} ms {times:5.2} × plain {memory:8.1} MiB {memories:5.2} × plain"
            )?;
        }
    }
    Ok(())
}
