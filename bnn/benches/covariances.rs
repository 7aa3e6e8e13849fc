//! The time of a network with all covariances between the units of a layer, beside one with independent units.
//!
//!     cargo bench -p gaussform-bnn --features x86-v4 --bench covariances
//!
//! Networks have two hidden layers of as many units, eight inputs, and noise by input (`method::dvi`, `method::dvi_full`).
//! Each line has the processor time in ms of a prediction of 32 rows and of a training step of 32 rows, the least of some, in
//! one thread, with the ratios to independent units.

use std::io::{self, Write};
use std::time::Duration;

use burn::optim::GradientsParams;
use cpu_time::ProcessTime;
use gaussform::activations::{HardTanh, Relu};
use gaussform_bnn::{
    Blueprint, Function, Matrix, Model, Network, Pass, Random, Signal, Table, bound,
    flush_subnormals, method, set_threads,
};

type Failure = Box<dyn std::error::Error>;

const ROWS: usize = 32;
const INPUTS: usize = 8;
const TIMES: usize = 31;

/// The least processor time of `work`, in ms.
fn least(mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut best = Duration::MAX;
    for _ in 0..TIMES {
        let start = ProcessTime::now();
        work()?;
        best = best.min(start.elapsed());
    }
    Ok(1e3 * best.as_secs_f64())
}

/// The times of a prediction and of a step, in ms.
fn times(blueprint: &Blueprint) -> Result<[f64; 2], Failure> {
    let mut random = Random::new(1);
    let mut normal = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
    let x = Matrix::new(INPUTS, normal(ROWS * INPUTS))?;
    let table = Table::regression(x.clone(), &normal(ROWS))?;
    let model = Model::new(blueprint, &table, 2)?;
    let predict = least(|| {
        model.predict(&x)?;
        Ok(())
    })?;
    let network: &Network = model.network();
    let y = Matrix::new(1, normal(ROWS))?;
    let step = least(|| {
        flush_subnormals(|| {
            let (x, y) = (Signal::known(network.tensor(&x)), network.tensor(&y));
            let bound = bound(network, x, y, 1000, &mut Pass::moments())?;
            let gradients = bound.elbo().neg().backward();
            GradientsParams::from_grads(gradients, network);
            Ok(())
        })
    })?;
    Ok([predict, step])
}

fn main() -> Result<(), Failure> {
    set_threads(1);
    let mut out = io::stdout();
    writeln!(
        out,
        "| activation | units | predict, independent | full | ratio | step, independent | full | ratio |"
    )?;
    writeln!(out, "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for g in [Function::new("relu", Relu), Function::new("hard_tanh", HardTanh)] {
        for units in [16, 50, 64, 100] {
            let [apart, full] = [method::dvi, method::dvi_full]
                .map(|method| times(&method(INPUTS, &[units, units], 1, &g)));
            let ([a, b], [c, d]) = (apart?, full?);
            let name = g.name();
            writeln!(
                out,
                "| {name} | {units} | {a:.3} | {c:.3} | {:.1} | {b:.3} | {d:.3} | {:.1} |",
                c / a,
                d / b
            )?;
        }
    }
    Ok(())
}
