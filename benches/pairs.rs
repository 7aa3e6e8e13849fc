//! The time of two correlated pre-activations, in ns per pair of units: the covariance matrix of a layer where the series serves and
//! elsewhere, one pair with derivatives, and a rule for ReLU alone that is right where nothing cancels.

use std::hint::black_box;
use std::time::Instant;

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::Inputs;
use gaussform_symbolic::Activation as Declared;

const UNITS: usize = 256;
const RUNS: usize = 7;

/// The least time of some runs, in ns for each of so many results.
fn time(count: usize, mut run: impl FnMut()) -> f64 {
    let once = |()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    [(); RUNS].map(once).into_iter().fold(f64::INFINITY, f64::min) * 1e9 / count as f64
}

/// Equal correlations, variances 1 and means in [−1, 1].
fn inputs(rho: f64) -> (Vec<f64>, Vec<f64>) {
    let gamma = (0..UNITS).map(|i| (i as f64 * 0.7).sin()).collect();
    let cov = (0..UNITS * UNITS).map(|k| if k / UNITS == k % UNITS { 1.0 } else { rho }).collect();
    (gamma, cov)
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

fn main() {
    for text in ["max(0, x)", "clamp(x, -1, 1)"] {
        let declared = Declared::parse(&format!("g(x) = {text}")).expect("a declaration");
        let g = Dynamic::new(&declared, &[]).expect("a table");
        let mut out = vec![0.0; UNITS * UNITS];
        for rho in [0.001, 0.05, 0.2, 0.5, 0.95] {
            let (gamma, cov) = inputs(rho);
            let pairs = UNITS * (UNITS - 1) / 2;
            let layer = time(pairs, || g.layer_covariance(&gamma, black_box(&cov), &mut out));
            let at = Inputs { gamma: 0.3, xi2: 1.0, gamma_h: -0.4, xi2_h: 1.0, cov: rho };
            let one = time(100, || {
                for _ in 0..100 {
                    black_box(g.pair_moments(&g, black_box(at)).expect("a law"));
                }
            });
            let simple = time(1000, || {
                for _ in 0..1000 {
                    black_box(rule(black_box(0.3), -0.4, rho));
                }
            });
            let line = format!(
                "{text:16} ρ = {rho:5}: layer {layer:8.1}, one with derivatives {one:8.0}, rule of 20 steps {simple:6.0}"
            );
            print_line(&line);
        }
    }
}

#[expect(clippy::print_stdout, reason = "what a benchmark is for")]
fn print_line(line: &str) {
    println!("{line}");
}
