//! The variance of a deep network's output, with the covariances of every layer: exact, by Wu et al.'s approximation for ReLU
//! ("Deterministic Variational Inference for Robust Bayesian Neural Networks", 2019), and left out; beside sampled networks.
//!
//! A network has layers of 50 ReLUs and weights N(m, s²), with m from N(0, 2/50) and s a tenth of that deviation. Each rule passes the mean and
//! the covariance of one layer on to the next, as if pre-activations were jointly Normal. After each layer an output is read. Where
//! nothing is approximated but that, what is left is what depth takes from normality.
//!
//!     cargo run --release --example deep_covariances
//!     cargo run --release --example deep_covariances -- --out covariances.svg

#[path = "picture/mod.rs"]
#[allow(dead_code, reason = "other examples have bands and dots")]
mod picture;

use std::f64::consts::{SQRT_2, TAU};
use std::io::{self, Write};

use gaussform::activations::Relu;
use gaussform::{Activation, pair};
use nalgebra::{DMatrix, DVector};
use picture::Chart;

const UNITS: usize = 50;
const DEPTH: usize = 8;
const INPUTS: usize = 4;
/// s by the deviation of m.
const SHARE: f64 = 0.1;
/// How many networks are sampled.
const DRAWS: usize = 100_000;

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// By Box and Muller.
    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (TAU * self.uniform()).cos()
    }
}

/// The means of all weights; their deviation is s.
struct Network {
    hidden: Vec<DMatrix<f64>>,
    outputs: Vec<DVector<f64>>,
    s: f64,
}

impl Network {
    fn new(random: &mut Random) -> Self {
        let spread = (2.0 / UNITS as f64).sqrt();
        let hidden = |_| DMatrix::from_fn(UNITS, UNITS, |_, _| spread * random.normal());
        let hidden = (0..DEPTH).map(hidden).collect();
        let output = |_| DVector::from_fn(UNITS, |_, _| spread * random.normal());
        Self { hidden, outputs: (0..DEPTH).map(output).collect(), s: SHARE * spread }
    }

    /// The deviation of each output, by a rule for the covariances of a layer's activations.
    fn deviations(&self, input: &DVector<f64>, rule: Rule) -> Vec<f64> {
        let mut mean = input.clone();
        let mut cov = DMatrix::zeros(UNITS, UNITS);
        let own = |mean: &DVector<f64>, cov: &DMatrix<f64>| {
            self.s * self.s * (mean.norm_squared() + cov.trace())
        };
        let layers = self.hidden.iter().zip(&self.outputs).map(|(weights, output)| {
            let gamma = weights.tr_mul(&mean);
            let mut before = weights.tr_mul(&(&cov * weights));
            for j in 0..UNITS {
                before[(j, j)] += own(&mean, &cov);
            }
            mean = DVector::from_fn(UNITS, |j, _| Relu.moments(gamma[j], before[(j, j)]).mean);
            cov = rule(&gamma, &before);
            ((output.transpose() * &cov * output)[0] + own(&mean, &cov)).sqrt()
        });
        layers.collect()
    }

    /// The deviation of each output over `draws` sampled networks. Given its inputs, a unit is Normal and independent
    /// of the other units.
    fn sampled(&self, input: &DVector<f64>, draws: usize, random: &mut Random) -> Vec<f64> {
        let mut sums = vec![[0.0; 2]; DEPTH];
        for _ in 0..draws {
            let mut h = input.clone();
            for ((weights, output), sums) in self.hidden.iter().zip(&self.outputs).zip(&mut sums) {
                let spread = self.s * h.norm();
                h = weights.tr_mul(&h).map(|u| (u + spread * random.normal()).max(0.0));
                let y = output.dot(&h) + self.s * h.norm() * random.normal();
                *sums = [sums[0] + y, sums[1] + y * y];
            }
        }
        let n = draws as f64;
        sums.iter().map(|[sum, squares]| (squares / n - (sum / n).powi(2)).sqrt()).collect()
    }
}

/// The covariance of ReLUs, given mean and covariance of what they are of.
type Rule = fn(&DVector<f64>, &DMatrix<f64>) -> DMatrix<f64>;

fn exact(gamma: &DVector<f64>, cov: &DMatrix<f64>) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(UNITS, UNITS);
    pair::layer(&Relu, gamma.as_slice(), cov.as_slice(), out.as_mut_slice());
    out
}

fn independent(gamma: &DVector<f64>, cov: &DMatrix<f64>) -> DMatrix<f64> {
    DMatrix::from_diagonal(&DVector::from_fn(UNITS, |j, _| {
        Relu.moments(gamma[j], cov[(j, j)]).variance
    }))
}

/// Right at means 0, and to second order around them; variances are exact (Wu et al., 3.1).
fn approximate(gamma: &DVector<f64>, cov: &DMatrix<f64>) -> DMatrix<f64> {
    let sd = cov.diagonal().map(f64::sqrt);
    let cdf = |z: f64| libm::erfc(-z / SQRT_2) / 2.0;
    DMatrix::from_fn(UNITS, UNITS, |i, j| {
        if i == j {
            return Relu.moments(gamma[i], cov[(i, i)]).variance;
        }
        let (a, b, rho) = (gamma[i] / sd[i], gamma[j] / sd[j], cov[(i, j)] / (sd[i] * sd[j]));
        if rho == 0.0 {
            return 0.0;
        }
        let one_and_rest = 1.0 + (1.0 - rho * rho).max(0.0).sqrt();
        let angle = rho.asin();
        let size = angle - rho / one_and_rest;
        let width = size * one_and_rest / rho;
        let across = (angle - rho) / (size * rho);
        let bump = size / TAU * (-(a * a + b * b) / (2.0 * width) + across * a * b).exp();
        sd[i] * sd[j] * rho * (cdf(a) * cdf(b) + bump)
    })
}

const RULES: [(&str, Rule); 3] =
    [("exact", exact), ("Wu et al.", approximate), ("independent", independent)];

/// For each rule and depth: the largest error of a deviation over some inputs, in %.
pub(crate) fn errors(draws: usize) -> [Vec<f64>; 3] {
    let mut random = Random(1);
    let network = Network::new(&mut random);
    let mut worst = [(); 3].map(|()| vec![0.0_f64; DEPTH]);
    for _ in 0..INPUTS {
        let input = DVector::from_fn(UNITS, |_, _| random.normal());
        let truth = network.sampled(&input, draws, &mut random);
        for ((_, rule), worst) in RULES.iter().zip(&mut worst) {
            let found = network.deviations(&input, *rule);
            for ((found, truth), worst) in found.iter().zip(&truth).zip(worst) {
                *worst = worst.max(100.0 * (found / truth - 1.0).abs());
            }
        }
    }
    worst
}

pub(crate) fn report(out: &mut impl Write, errors: &[Vec<f64>; 3], draws: usize) -> io::Result<()> {
    let noise = 100.0 / (2.0 * draws as f64).sqrt();
    writeln!(
        out,
        "The largest error of the output's standard deviation, in %, for {INPUTS} inputs"
    )?;
    writeln!(out, "({draws} sampled networks, which leave some {noise:.1})\n")?;
    writeln!(out, "layers     exact   Wu et al.   independent")?;
    let [exact, approximate, independent] = errors;
    for (depth, exact) in exact.iter().enumerate() {
        let (approximate, independent) = (approximate[depth], independent[depth]);
        writeln!(out, "{:6}   {exact:7.2}   {approximate:9.2}   {independent:11.2}", depth + 1)?;
    }
    Ok(())
}

/// The errors as a picture.
pub(crate) fn chart(errors: &[Vec<f64>; 3]) -> Chart {
    let points =
        |errors: &Vec<f64>| (1..).map(f64::from).zip(errors).map(|(x, y)| [x, *y]).collect();
    let lines = RULES.iter().zip(errors).map(|((name, _), errors)| (*name, points(errors)));
    let top = errors.iter().flatten().fold(1.0_f64, |top, error| top.max(*error));
    Chart {
        title: "Error of the output's standard deviation, by what is kept of covariances",
        x: ("hidden layers", [1.0, DEPTH as f64]),
        y: ("largest error, %", [0.0, 1.1 * top]),
        lines: lines.collect(),
        band: None,
        dots: Vec::new(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let errors = errors(DRAWS);
    report(&mut io::stdout(), &errors, DRAWS)?;
    chart(&errors).write_if_asked()
}
