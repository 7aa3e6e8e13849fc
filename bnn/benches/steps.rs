//! The time and memory of a training step: forward, backward and Adam, on batches of 128 or of another size.
//!
//!     cargo bench -p gaussform-bnn --features x86-v4 --bench steps               # all
//!     cargo bench -p gaussform-bnn --features x86-v4 --bench steps -- mlp        # one network
//!     cargo bench -p gaussform-bnn --features x86-v4 --bench steps -- threads    # large batches, by the number of threads
//!     cargo bench -p gaussform-bnn --features x86-v4 --bench steps -- subnormals # with subnormal numbers, and with 0 for them
//!     cargo bench -p gaussform-bnn --features wgpu --bench steps -- --card --batch 4096 # on a card
//!
//! Networks: `uci` 8-50-1, `mlp` 784-400-400-10, `lenet` with strides, 20 and 50 channels and 500 units.
//! Methods: `plain` (weights without uncertainty), `sampled` (local reparameterisation), `exact`
//! (moments of the ReLU), `linearised` (VBP), `delta` (exact moments, and the likelihood of classes by the approximation that the steps
//! of PyTorch take). Each line has the processor time of a step in ms, the least of 41 steps and
//! of three rounds, the memory of a step in MiB, and the ratios of both to `plain`. `benches/steps_against_torch.py` prints the
//! same beside PyTorch's.
//!
//! Inputs are N(0, 1), and first standard deviations so small that one unit in some hundred is off by 13 standard deviations
//! and more, where variances fall below the smallest normal number.
//!
//! With `--card` the steps are those of the first card. The time of a step is then the least wall time of BLOCKS blocks of
//! BLOCK steps, each of which ends when the card has the last loss, by the steps of a block.
//!
//! A measurement is a process of its own: `-- one mlp exact` prints its numbers, ms and KiB. The memory is what the process
//! has at most, less what it had before the network was made; where the system does not tell, it is 0.
//!
//! `threads` trains by `train`. The time of a step by the clock is the least of some, and the processor time is that of all
//! threads. With other work on the machine the ratio of the clock says little; that of processor time to the clock's says how
//! many processors were at work.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::time::Instant;

use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use cpu_time::ProcessTime;
use gaussform::activations::Relu;
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, CategoricalForm, Function, LayerSpec, LikelihoodKind, Matrix, Model, Network,
    Optimizer, Pass, PosteriorKind, Prior, Random, Signal, Table, TrainConfig, bound,
    flush_subnormals, set_threads, train,
};

type Failure = Box<dyn std::error::Error>;

/// Rows of the data set that the batch stands for.
const TOTAL: usize = 60_000;
const STEPS: usize = 41;
const ROUNDS: usize = 3;
/// Steps of a card between two of which nothing is waited for.
const BLOCK: usize = 20;
const BLOCKS: usize = 5;
/// Seconds after which a card takes no further block.
const ENOUGH: u64 = 8;

const NETWORKS: [&str; 3] = ["uci", "mlp", "lenet"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Plain,
    Sampled,
    Exact,
    Linearised,
    Delta,
}

const METHODS: [(&str, Method); 5] = [
    ("plain", Method::Plain),
    ("sampled", Method::Sampled),
    ("exact", Method::Exact),
    ("linearised", Method::Linearised),
    ("delta", Method::Delta),
];

/// A network of this name; `None` if there is none.
fn blueprint(name: &str, method: Method) -> Option<Blueprint> {
    let relu = || Function::new("relu", Relu);
    let posterior = match method {
        Method::Plain => PosteriorKind::Point,
        _ => PosteriorKind::MeanField,
    };
    let rule = if method == Method::Linearised { Rule::Linearised } else { Rule::Exact };
    let form = match method {
        Method::Delta => CategoricalForm::Delta,
        _ => CategoricalForm::Exact,
    };
    let classes = LikelihoodKind::Categorical { classes: 10, form };
    let start = |input: &[usize], likelihood| {
        Blueprint::new(input, likelihood)
            .with_posterior(posterior)
            .with_prior(Prior::Normal { precision: 100.0 })
            .with_rule(rule)
    };
    let blueprint = match name {
        "uci" => start(&[8], LikelihoodKind::normal(1)).linear(50).activation(relu()).linear(1),
        "mlp" => start(&[784], classes)
            .linear(400)
            .activation(relu())
            .linear(400)
            .activation(relu())
            .linear(10),
        "lenet" => start(&[1, 28, 28], classes)
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

/// Where steps are taken, and how many rows each has.
#[derive(Clone, Copy, Debug)]
struct Setting {
    on_card: bool,
    rows: usize,
}

impl Default for Setting {
    fn default() -> Self {
        Self { on_card: false, rows: 128 }
    }
}

impl Setting {
    /// The settings, and the other words.
    fn of(words: impl Iterator<Item = String>) -> Result<(Self, Vec<String>), Failure> {
        let (mut place, mut rest) = (Self::default(), Vec::new());
        let mut words = words;
        while let Some(word) = words.next() {
            match &*word {
                "--card" => place.on_card = true,
                "--batch" => {
                    let rows = words.next().and_then(|rows| rows.parse().ok());
                    place.rows =
                        rows.filter(|rows| *rows > 0).ok_or("`--batch` wants a number of rows")?;
                }
                // Cargo adds flags such as `--bench`.
                flag if flag.starts_with("--") => {}
                _ => rest.push(word),
            }
        }
        Ok((place, rest))
    }

    /// The words that give these settings.
    fn words(self) -> Vec<String> {
        let card = self.on_card.then(|| "--card".to_owned());
        card.into_iter().chain(["--batch".to_owned(), self.rows.to_string()]).collect()
    }
}

/// The first card.
fn card() -> Result<Device, Failure> {
    #[cfg(feature = "vulkan")]
    let kind = burn::tensor::DeviceType::Vulkan;
    #[cfg(all(feature = "wgpu", not(feature = "vulkan")))]
    let kind = burn::tensor::DeviceType::Wgpu;
    #[cfg(feature = "wgpu")]
    return Device::enumerate(kind).into_iter().next().ok_or_else(|| "there is no card".into());
    #[cfg(not(feature = "wgpu"))]
    return Err("`--card` wants the feature `vulkan` or `wgpu`".into());
}

/// Inputs and targets of one batch.
fn batch(network: &Network, rows: usize) -> Result<[Tensor<2>; 2], Failure> {
    let mut random = Random::new(1);
    let columns = network.blueprint().columns();
    let x = (0..rows * columns).map(|_| random.normal()).collect();
    let y = match network.blueprint().likelihood.classes() {
        None => (0..rows).map(|_| random.normal()).collect(),
        Some(classes) => (0..rows * classes)
            .map(|i| if i % classes == i / classes % classes { 1.0 } else { 0.0 })
            .collect(),
    };
    let targets = network.blueprint().likelihood.target_columns();
    let [x, y] = [Matrix::new(columns, x)?, Matrix::new(targets, y)?];
    Ok([network.tensor(&x), network.tensor(&y)])
}

/// The least time of a step in ms.
fn time(blueprint: &Blueprint, place: Setting) -> Result<f64, Failure> {
    let mut network = Network::new(blueprint, 0)?;
    if place.on_card {
        network = network.on(&card()?);
    }
    let Optimizer::Gradient(mut optimizer) = Optimizer::adam() else {
        return Err("no Adam".into());
    };
    let [x, y] = batch(&network, place.rows)?;
    let mut number = 0;
    let mut step = |network: Network| -> Result<(Network, Tensor<1>), Failure> {
        let mut pass = Pass::new(network.blueprint().weights, 0, number);
        number += 1;
        let bound = bound(&network, Signal::known(x.clone()), y.clone(), TOTAL, &mut pass)?;
        let loss = bound.elbo().neg().div_scalar(TOTAL as f64);
        let gradients = GradientsParams::from_grads(loss.clone().backward(), &network);
        Ok((optimizer.step(1e-3, network, gradients), loss.inner()))
    };
    let mut least = f64::INFINITY;
    if place.on_card {
        // The first blocks warm the machine up: one, if steps are slow.
        let start = Instant::now();
        for block in 0..BLOCKS + 2 {
            let clock = Instant::now();
            for last in (0..BLOCK).rev() {
                let (moved, loss) = step(network)?;
                network = moved;
                if last == 0 {
                    loss.try_into_data()?;
                }
            }
            let is_slow = start.elapsed().as_secs() >= ENOUGH;
            if block >= 2 || block == 1 && is_slow {
                least = least.min(clock.elapsed().as_secs_f64() * 1e3 / BLOCK as f64);
                if is_slow {
                    break;
                }
            }
        }
    } else {
        // The first steps warm the machine up.
        for _ in 0..STEPS + 5 {
            let clock = ProcessTime::try_now()?;
            (network, _) = step(network)?;
            least = least.min(clock.try_elapsed()?.as_secs_f64() * 1e3);
        }
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

/// The least time of a step in ms, by the clock and of all processors, for a batch of so many rows and this many threads; 0
/// for as many as there are processors.
fn time_of_training(
    blueprint: &Blueprint,
    rows: usize,
    threads: usize,
) -> Result<[f64; 2], Failure> {
    set_threads(threads);
    let mut random = Random::new(1);
    let columns = blueprint.columns();
    let x = Matrix::new(columns, (0..rows * columns).map(|_| random.normal()).collect())?;
    let classes = blueprint.likelihood.classes().ok_or("the network has no classes")?;
    let names = (0..classes).map(|class| class.to_string()).collect();
    let data = Table::classes(x, (0..rows).map(|row| row % classes).collect(), names)?;
    let model = Model::new(blueprint, &data, 0)?;
    let steps = (20_000 / rows).max(8);
    let config = TrainConfig {
        epochs: steps,
        batch: rows,
        learning_rate: 1e-3,
        likelihood_weight: TOTAL as f64 / rows as f64,
        warm_up: 0.0,
        ..TrainConfig::default()
    };
    let mut least = [f64::INFINITY; 2];
    let mut failed = None;
    let mut clocks = (Instant::now(), ProcessTime::try_now()?);
    train(model, &data, &config, |_| {
        let now = (Instant::now(), ProcessTime::try_now());
        match now {
            (clock, Ok(processors)) => {
                least[0] = least[0].min((clock - clocks.0).as_secs_f64() * 1e3);
                let spent = processors.duration_since(clocks.1).as_secs_f64() * 1e3;
                least[1] = least[1].min(spent);
                clocks = (clock, processors);
            }
            (_, Err(error)) => failed = Some(error),
        }
        ControlFlow::Continue(())
    })?;
    failed.map_or(Ok(least), |error| Err(error.into()))
}

/// Large batches on one thread and on all.
fn threads(out: &mut impl Write) -> Result<(), Failure> {
    for network in ["mlp", "lenet"] {
        for (method, _) in METHODS.iter().take(3) {
            for rows in ["512", "2048"] {
                let of = |threads: &str| {
                    measured(&["train", network, method, rows, threads], Setting::default())
                };
                let mut least = [[f64::INFINITY; 2]; 2];
                for _ in 0..ROUNDS {
                    for (least, threads) in least.iter_mut().zip(["1", "0"]) {
                        let now = of(threads)?;
                        *least = [least[0].min(now[0]), least[1].min(now[1])];
                    }
                }
                let [[one, work_of_one], [all, work_of_all]] = least;
                writeln!(
                    out,
                    "{network:6} {method:8} {rows:>5} rows: {one:8.2} ms on one thread, {all:8.2} ms on all \
                     ({:.2} times as fast); processor time {work_of_one:8.2} and {work_of_all:8.2} ms",
                    one / all
                )?;
            }
        }
    }
    Ok(())
}

/// Exact steps with subnormal numbers as they are, and as 0.
fn subnormals(out: &mut impl Write) -> Result<(), Failure> {
    for network in NETWORKS {
        for (method, _) in METHODS {
            let mut least = [f64::INFINITY; 2];
            for _ in 0..ROUNDS {
                for (least, how) in least.iter_mut().zip(["kept", "one"]) {
                    *least = least.min(measured(&[how, network, method], Setting::default())?[0]);
                }
            }
            let [kept, flushed] = least;
            writeln!(
                out,
                "{network:6} {method:11} {kept:9.3} ms kept, {flushed:9.3} ms as 0: {:5.2} times",
                kept / flushed
            )?;
        }
    }
    Ok(())
}

/// A line of what Linux tells of this process, in KiB: `VmRSS` is what it has, `VmHWM` what it had at most.
fn memory(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let value = status
        .lines()
        .find_map(|l| l.strip_prefix(line)?.strip_prefix(':')?.split_whitespace().next());
    value.and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// One measurement, in this process; none if `wanted` asks for another thing.
fn one(wanted: &[&str], place: Setting) -> Result<Option<[f64; 2]>, Failure> {
    let &[how @ ("one" | "kept" | "train"), network, method, ref rest @ ..] = wanted else {
        return Ok(None);
    };
    let found = METHODS.iter().find(|(label, _)| *label == method);
    let blueprint = found.and_then(|(_, method)| blueprint(network, *method));
    let blueprint =
        blueprint.ok_or_else(|| format!("give a network and a method after `{how}`"))?;
    if let &[rows, threads] = rest {
        return time_of_training(&blueprint, rows.parse()?, threads.parse()?).map(Some);
    }
    if !place.on_card {
        set_threads(1);
    }
    let before = memory("VmRSS");
    let time = match how {
        "kept" => time(&blueprint, place)?,
        _ => flush_subnormals(|| time(&blueprint, place))?,
    };
    Ok(Some([time, memory("VmHWM") - before]))
}

/// One measurement, in a process of its own: ms and KiB, or two times in ms.
fn measured(wanted: &[&str], place: Setting) -> Result<[f64; 2], Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    let child = command.args(place.words()).args(wanted).stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(child.stdout)?;
    let numbers: Vec<f64> =
        text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    numbers.try_into().map_err(|_| format!("{} gave no times", wanted.join(" ")).into())
}

fn main() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let (place, wanted) = Setting::of(std::env::args().skip(1))?;
    let words: Vec<&str> = wanted.iter().map(String::as_str).collect();
    if let Some([a, b]) = one(&words, place)? {
        return Ok(writeln!(out, "{a} {b}")?);
    }
    match words[..] {
        ["threads"] => return threads(&mut out),
        ["subnormals"] => return subnormals(&mut out),
        _ => {}
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
                let [time, memory] = measured(&["one", name, label], place)?;
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
