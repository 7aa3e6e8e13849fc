//! Regression with a network of infinite width: a Gaussian process whose kernel belongs to a declared activation.
//!
//! The kernel of each network follows from its activation alone. The evidence p(y) of the data says which activation suits
//! them; no weight is ever drawn or trained.
//!
//!     cargo run --release --example gaussian_process
//!     cargo run --release --example gaussian_process -- --out process.svg

#[path = "picture/mod.rs"]
mod picture;

use std::cmp::Ordering;
use std::f64::consts::PI;
use std::io::{self, Write};

use gaussform::activations::{HardTanh, Relu};
use gaussform::kernel::{Layer, Values};
use gaussform::pair::Piecewise;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use picture::Chart;

/// A bump: a unit that answers to one place.
#[gaussform::activation(width > 0)]
fn tent(x: f64, width: f64) -> f64 {
    (1.0 - x.abs() / width).max(0.0)
}

/// A damped wave, with errors of standard deviation 0.05.
const DATA: [(f64, f64); 14] = [
    (-2.0, 0.08),
    (-1.7, 0.30),
    (-1.4, 0.35),
    (-1.1, 0.03),
    (-0.8, -0.50),
    (-0.5, -0.79),
    (-0.2, -0.51),
    (0.1, 0.33),
    (0.4, 0.83),
    (0.7, 0.61),
    (1.0, 0.13),
    (1.3, -0.32),
    (1.6, -0.40),
    (1.9, -0.17),
];
const NOISE: f64 = 0.05;

/// Two hidden layers of one activation, with units that are centred at different places.
fn network(g: &impl Piecewise, x: f64, y: f64) -> Values {
    let layer = |weight: f64, bias: f64| Layer { weight, bias, mean: 0.0 };
    let first = Values::first(&[x], &[y], layer(4.0, 2.0));
    first.then(g, layer(4.0, 1.0)).then(g, layer(2.0, 0.1))
}

/// A kernel with the data that it has seen.
struct Process<K> {
    kernel: K,
    /// Of the covariance matrix of the data.
    factor: Cholesky<f64, Dyn>,
    data: DVector<f64>,
}

impl<K: Fn(f64, f64) -> f64> Process<K> {
    fn new(kernel: K) -> io::Result<Self> {
        // The elements above the diagonal are not read.
        let entry = |i: usize, j: usize| match i.cmp(&j) {
            Ordering::Less => 0.0,
            Ordering::Equal => kernel(DATA[i].0, DATA[i].0) + NOISE * NOISE,
            Ordering::Greater => kernel(DATA[i].0, DATA[j].0),
        };
        let covariance = DMatrix::from_fn(DATA.len(), DATA.len(), entry);
        let factor = covariance.cholesky();
        let factor =
            factor.ok_or_else(|| io::Error::other("the covariance of the data is singular"))?;
        let data = DVector::from_iterator(DATA.len(), DATA.iter().map(|(_, y)| *y));
        Ok(Self { kernel, factor, data })
    }

    /// ln p(y)
    fn log_evidence(&self) -> f64 {
        let misfit = self.data.dot(&self.factor.solve(&self.data));
        let constant = DATA.len() as f64 * (2.0 * PI).ln();
        -(misfit + self.factor.ln_determinant() + constant) / 2.0
    }

    /// Mean and standard deviation of the function at x.
    fn predict(&self, x: f64) -> [f64; 2] {
        let seen = DVector::from_iterator(
            DATA.len(),
            DATA.iter().map(|(place, _)| (self.kernel)(x, *place)),
        );
        let weights = self.factor.solve(&seen);
        let variance = (self.kernel)(x, x) - seen.dot(&weights);
        [self.data.dot(&weights), variance.max(0.0).sqrt()]
    }
}

fn evidence(g: &impl Piecewise) -> io::Result<f64> {
    Ok(Process::new(|x, y| network(g, x, y).nngp)?.log_evidence())
}

pub(crate) fn report(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "The logarithm of the evidence, by activation\n")?;
    writeln!(out, "    width   ln p(y)")?;
    for width in [1.0, 2.0] {
        let tent = Tent::new(width).map_err(io::Error::other)?;
        writeln!(out, "    {width:5}   {:8.4}   tent", evidence(&tent)?)?;
    }
    writeln!(out, "        -   {:8.4}   relu", evidence(&Relu)?)?;
    writeln!(out, "        -   {:8.4}   hard_tanh", evidence(&HardTanh)?)?;

    let tent = Tent::new(1.0).map_err(io::Error::other)?;
    let process = Process::new(|x, y| network(&tent, x, y).nngp)?;
    let trained = Process::new(|x, y| network(&tent, x, y).ntk)?;
    writeln!(
        out,
        "\nThe network of tents of width 1: a posterior over all its weights, and trained by"
    )?;
    writeln!(out, "gradient descent (the neural tangent kernel)\n")?;
    writeln!(out, "     x        mean   deviation     trained")?;
    for x in [-2.0, 0.25, 1.0, 2.5] {
        let ([mean, deviation], [by_descent, _]) = (process.predict(x), trained.predict(x));
        writeln!(out, "{x:6.2}   {mean:9.6}   {deviation:9.6}   {by_descent:9.6}")?;
    }
    Ok(())
}

/// The predictions of the network of tents of width 1, from x = −3 to 3.
pub(crate) fn chart() -> io::Result<Chart> {
    let tent = Tent::new(1.0).map_err(io::Error::other)?;
    let process = Process::new(|x, y| network(&tent, x, y).nngp)?;
    let trained = Process::new(|x, y| network(&tent, x, y).ntk)?;
    let places = (-60..=60).map(|i| f64::from(i) / 20.0);
    let predicted: Vec<(f64, [f64; 2])> = places.map(|x| (x, process.predict(x))).collect();
    let mean = predicted.iter().map(|(x, [mean, _])| [*x, *mean]).collect();
    let by_descent = predicted.iter().map(|(x, _)| [*x, trained.predict(*x)[0]]).collect();
    let edge = |sign: f64| {
        let at = |(x, [mean, sd]): &(f64, [f64; 2])| [*x, mean + sign * 2.0 * sd];
        predicted.iter().map(at).collect()
    };
    Ok(Chart {
        title: "A network of tents, infinitely wide: mean and two deviations",
        x: ("x", [-3.0, 3.0]),
        y: ("y", [-1.5, 1.7]),
        lines: vec![("posterior mean", mean), ("trained by gradient descent", by_descent)],
        band: Some(("± two deviations", [edge(1.0), edge(-1.0)])),
        dots: DATA.map(<[f64; 2]>::from).to_vec(),
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    report(&mut io::stdout())?;
    chart()?.write_if_asked()
}
