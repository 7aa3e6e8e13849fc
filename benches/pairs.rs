//! The time of two correlated pre-activations, in ns of CPU time per pair: the covariance matrix of a layer and its vector–Jacobian
//! product, beside the mean and the variance of one pre-activation; one pair with derivatives, columns of pairs with derivatives, and a
//! rule for ReLU alone that is right where nothing cancels. Then one pair of two functions of which one is narrower than the deviation, and E\[g h\] relative
//! to itself with its logarithm and the derivatives of both.

use std::hint::black_box;

use cpu_time::ProcessTime;
use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::{Inputs, LayerGradient, Outputs};
use gaussform_symbolic::Activation as Declared;

const RUNS: usize = 15;

/// The least time of some runs, in ns for each of so many results.
fn time(count: usize, mut run: impl FnMut()) -> f64 {
    let once = |()| {
        let start = ProcessTime::now();
        run();
        start.elapsed().as_secs_f64()
    };
    [(); RUNS].map(once).into_iter().fold(f64::INFINITY, f64::min) * 1e9 / count as f64
}

/// Means in [−1, 1], variances 1 and equal correlations.
fn inputs(units: usize, rho: f64) -> (Vec<f64>, Vec<f64>) {
    let gamma = (0..units).map(|i| (i as f64 * 0.7).sin()).collect();
    let cov = (0..units * units).map(|k| if k / units == k % units { 1.0 } else { rho }).collect();
    (gamma, cov)
}

/// A layer of so many units.
fn layer(g: &Dynamic, units: usize, rho: f64) -> f64 {
    let (gamma, cov) = inputs(units, rho);
    let mut out = vec![0.0; units * units];
    time(units * (units - 1) / 2, || g.layer_covariance(&gamma, black_box(&cov), &mut out))
}

/// The matrix of so many units with its vector–Jacobian product.
fn layer_vjp(g: &Dynamic, units: usize, rho: f64) -> f64 {
    let (gamma, cov) = inputs(units, rho);
    let cotangent: Vec<f64> = (0..units * units).map(|k| (k as f64).cos()).collect();
    let [mut out, mut on_cov] = [(); 2].map(|()| vec![0.0; units * units]);
    let mut on_gamma = vec![0.0; units];
    time(units * (units - 1) / 2, || {
        let gradient = LayerGradient { gamma: &mut on_gamma, cov: &mut on_cov };
        g.layer_vjp(&gamma, black_box(&cov), &cotangent, &mut out, gradient);
    })
}

/// The mean and the variance of so many single pre-activations.
fn single(g: &Dynamic, count: usize) -> f64 {
    let (gamma, _) = inputs(count, 0.0);
    let (xi2, mut mean, mut variance) = (vec![1.0; count], vec![0.0; count], vec![0.0; count]);
    time(count, || g.moments_into(black_box(&gamma), &xi2, &mut mean, &mut variance))
}

/// Columns of so many pairs.
fn columns(g: &Dynamic, count: usize, rho: f64) -> f64 {
    let (gamma, _) = inputs(count, rho);
    let other: Vec<f64> = gamma.iter().rev().copied().collect();
    let (ones, rhos) = (vec![1.0; count], vec![rho; count]);
    let mut out: [Vec<f64>; 7] = core::array::from_fn(|_| vec![0.0; count]);
    time(count, || {
        let columns = out.each_mut().map(|column| &mut column[..]);
        g.pair_moments_into(g, [&gamma, &ones, &other, &ones, &rhos], Outputs { columns });
    })
}

/// Cov of two ReLUs for variances 1, as ρ Φ Φ′ + ∫₀^ρ (ρ − x) φ₂(γ, γ′; x) dx, by Simpson's rule of 20 steps
/// in arcsin x.
fn rule(a: f64, b: f64, rho: f64) -> f64 {
    let end = rho.asin();
    let mut sum = 0.0;
    for i in 0..=20 {
        let weight = if i == 0 || i == 20 {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        };
        let (x, rest) = (end * f64::from(i) / 20.0).sin_cos();
        let q = (a * a - 2.0 * x * a * b + b * b) / (rest * rest);
        sum += weight * (rho - x) * (-q / 2.0).exp();
    }
    sum * end / 60.0 / std::f64::consts::TAU
}

fn declared(text: &str) -> Dynamic {
    let declared = Declared::parse(&format!("g(x) = {text}")).expect("a declaration");
    Dynamic::new(&declared, &[]).expect("a table")
}

/// One pair of two functions, with derivatives.
fn pair(g: &Dynamic, h: &Dynamic, at: Inputs) -> f64 {
    time(64, || {
        for _ in 0..64 {
            black_box(g.pair_moments(h, black_box(at)).expect("a law"));
        }
    })
}

/// E\[g h\] relative to itself, its logarithm, and the derivatives of both.
fn mixed_moment(g: &Dynamic, h: &Dynamic, at: Inputs) -> f64 {
    time(4, || {
        for _ in 0..4 {
            black_box(g.mixed_moment(h, black_box(at)).expect("a law"));
        }
    })
}

fn main() {
    // The last has pieces narrower than the deviation of all of its units.
    for (text, units) in [
        ("max(0, x)", 256),
        ("max(0, x)", 1024),
        ("clamp(x, -1, 1)", 128),
        ("max(0, 1/4 - |x|)", 16),
    ] {
        let g = declared(text);
        for rho in [0.001, 0.05, 0.2, 0.5, 0.95, 0.99, 0.999, 0.9999] {
            let at = Inputs { gamma: 0.3, xi2: 1.0, gamma_h: -0.4, xi2_h: 1.0, cov: rho };
            let one = pair(&g, &g, at);
            let simple = time(1000, || {
                for _ in 0..1000 {
                    black_box(rule(black_box(0.3), -0.4, rho));
                }
            });
            print_line(&format!(
                "{text:17} ρ = {rho:5}: layer of {units:4} {:8.1}, with its product {:8.1}, one mean and variance {:5.1}, with derivatives one {one:8.0}, in columns {:8.0}; rule of 20 steps {simple:4.0}",
                layer(&g, units, rho),
                layer_vjp(&g, units, rho),
                single(&g, 1024),
                columns(&g, units, rho),
            ));
        }
    }
    print_pairs();
}

fn print_pairs() {
    let at = |rho| Inputs { gamma: 0.3, xi2: 1.0, gamma_h: -0.4, xi2_h: 1.0, cov: rho };
    let narrow = "max(0, 1/4 - |x|)";
    for (text, other) in [
        (narrow, narrow),
        (narrow, "max(0, x)"),
        (narrow, "max(0, 1/64 - |x|)"),
        ("clamp(x, -1/8, 1/8)", "clamp(x, -1/8, 1/8)"),
        ("max(0, 1/4 - |x|) + max(0, 1/8 - |x - 1/2|)", narrow),
    ] {
        let (g, h) = (declared(text), declared(other));
        let rhos = [0.05, 0.2, 0.5, 0.95, 0.99, -0.99, 0.999, 0.9999, 1.0 - 1e-6, -1.0 + 1e-8];
        let times = rhos.map(|rho| format!(" {:8.0} at {rho}", pair(&g, &h, at(rho))));
        print_line(&format!("{text} and {other}, one with derivatives:{}", times.concat()));
    }
    for (text, other) in [
        ("max(0, x)", "max(0, x)"),
        ("piecewise { x > 2: 1; else: 0 }", "piecewise { x > 2: 1; else: 0 }"),
        ("max(0, x)^2", "max(0, 1/4 - |x|)"),
    ] {
        let (g, h) = (declared(text), declared(other));
        let rhos = [0.2, -0.5, 0.95, -0.99];
        let times = rhos.map(|rho| format!(" {:8.0} at {rho}", mixed_moment(&g, &h, at(rho))));
        print_line(&format!("{text} and {other}, E[g h] with its logarithm:{}", times.concat()));
    }
}

#[expect(clippy::print_stdout, reason = "what a benchmark is for")]
fn print_line(line: &str) {
    println!("{line}");
}
