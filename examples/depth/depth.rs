//! How wrong the approximations are as depth grows, against sampled weights.
//!
//!     cargo run --release -p gaussform-bnn --example depth [DRAWS]
//!
//! Networks of 50 ReLUs to a layer, weights N(m, s²) with m from N(0, 2/n) and s a tenth of that
//! standard deviation or the whole of it. For each depth: the largest difference over eight inputs of
//! the mean, in standard deviations of the truth, and the ratio of the standard deviation to the true
//! one, from its least to its most. The truth is of 20000 networks, or DRAWS, drawn one after another.

use std::io::{self, Write};

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{Blueprint, Function, LikelihoodKind, Network, Pass, Random, Signal};

/// The activation.
#[gaussform::activation]
pub fn relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

const UNITS: usize = 50;
const ROWS: usize = 8;
/// How many networks are drawn, if the command line does not say.
const DRAWS: u64 = 20_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let draws = match std::env::args().nth(1) {
        None => DRAWS,
        Some(text) => match text.parse() {
            Ok(draws) if draws > 1 => draws,
            _ => return Err(format!("{text}: how many networks to draw, 2 at least").into()),
        },
    };
    let mut out = io::stdout().lock();
    writeln!(out, "| s/m | hidden layers | moment matching: mean | sd | VBP: mean | sd |")?;
    writeln!(out, "| ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for share in [0.1, 1.0] {
        for depth in [1, 2, 3, 5, 8] {
            let truth = sampled(depth, share, draws)?;
            let [exact, linear] = [Rule::Exact, Rule::Linearised]
                .map(|rule| network(depth, share, rule).and_then(|n| propagated(&n)));
            let cells = [exact?, linear?].map(|ours| compared(&ours, &truth));
            writeln!(out, "| {share} | {depth} | {} | {} |", cells[0], cells[1])?;
        }
    }
    Ok(())
}

fn network(depth: usize, share: f64, rule: Rule) -> Result<Network, Failure> {
    let g = Function::new("relu", Relu);
    let likelihood = LikelihoodKind::normal(1);
    let gain = 2f64.sqrt();
    let sd = share * gain / (UNITS as f64).sqrt();
    let mut blueprint = Blueprint { initial_sd: sd, gain, ..Blueprint::new(&[UNITS], likelihood) };
    blueprint = blueprint.with_rule(rule);
    for _ in 0..depth {
        blueprint = blueprint.linear(UNITS).activation(g.clone());
    }
    Ok(Network::new(&blueprint.linear(1), 1)?.valid())
}

fn inputs() -> Signal<2> {
    let mut random = Random::new(2);
    let values: Vec<f64> = (0..ROWS * UNITS).map(|_| random.normal()).collect();
    let data = TensorData::new(values, [ROWS, UNITS]).convert::<f32>();
    Signal::known(Tensor::from_data(data, &Device::flex()))
}

/// Means and standard deviations, row by row.
type Moments = [Vec<f64>; 2];

fn propagated(network: &Network) -> Result<Moments, Failure> {
    let output = network.output(inputs(), &mut Pass::moments())?;
    let variance = output.variance().ok_or("weights are uncertain")?;
    let [mean, variance] = [output.mean, variance].map(numbers);
    Ok([mean?, variance?.into_iter().map(f64::sqrt).collect()])
}

fn sampled(depth: usize, share: f64, draws: u64) -> Result<Moments, Failure> {
    let network = network(depth, share, Rule::Exact)?;
    let (mut sum, mut squares) = (vec![0.0; ROWS], vec![0.0; ROWS]);
    for seed in 0..draws {
        let output = network.output(inputs(), &mut Pass::drawn(seed))?;
        for (i, y) in numbers(output.mean)?.into_iter().enumerate() {
            sum[i] += y;
            squares[i] += y * y;
        }
    }
    let n = draws as f64;
    let mean: Vec<f64> = sum.iter().map(|s| s / n).collect();
    let sd = squares.iter().zip(&mean).map(|(s, m)| (s / n - m * m).sqrt()).collect();
    Ok([mean, sd])
}

fn numbers(tensor: Tensor<2>) -> Result<Vec<f64>, Failure> {
    tensor.into_data().try_into_vec_as::<f64>().map_err(|e| format!("{e:?}").into())
}

fn compared([mean, sd]: &Moments, [true_mean, true_sd]: &Moments) -> String {
    let away = (0..ROWS).map(|i| (mean[i] - true_mean[i]).abs() / true_sd[i]);
    let ratios: Vec<f64> = (0..ROWS).map(|i| sd[i] / true_sd[i]).collect();
    let least = ratios.iter().copied().fold(f64::MAX, f64::min);
    let most = ratios.iter().copied().fold(f64::MIN, f64::max);
    format!("{:.3} | {least:.2} to {most:.2}", away.fold(0.0, f64::max))
}
