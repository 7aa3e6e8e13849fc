//! Bayesian optimisation far from the best point: the expected improvement, its logarithm and its
//! derivative, and rewards other than the improvement itself.
//!
//! A model predicts that a candidate is better than the best so far by u ~ N(γ, ξ²). Its expected
//! improvement is E[max(0, u)]. Once the optimum is nearly found, γ/ξ is far below 0 everywhere, and
//! the optimiser must still tell which candidate is the best.
//!
//!     cargo run --example expected_improvement

use std::f64::consts::{PI, SQRT_2};
use std::io::{self, Write};

use gaussform::Activation;
use gaussform::activations::Relu;

/// An improvement counts in full up to `enough`, half beyond it, and must pay for the `cost` of trying.
#[gaussform::activation(0 < cost < enough)]
fn reward(improvement: f64, cost: f64, enough: f64) -> f64 {
    if improvement < cost {
        0.0
    } else if improvement < enough {
        improvement - cost
    } else {
        enough - cost + (improvement - enough) / 2.0
    }
}

/// γ Φ(γ) + φ(γ) for ξ = 1, with Φ from erf and from erfc.
fn textbook(gamma: f64) -> [f64; 2] {
    let density = (-gamma * gamma / 2.0).exp() / (2.0 * PI).sqrt();
    let with_erf = (1.0 + libm::erf(gamma / SQRT_2)) / 2.0;
    let with_erfc = libm::erfc(-gamma / SQRT_2) / 2.0;
    [with_erf, with_erfc].map(|probability| gamma * probability + density)
}

pub(crate) fn report(out: &mut impl Write) -> io::Result<()> {
    let reward = Reward::new(0.01, 0.5).map_err(io::Error::other)?;

    writeln!(
        out,
        "The expected improvement for ξ = 1; how far γ Φ(γ) + φ(γ) is from it, with Φ from"
    )?;
    writeln!(
        out,
        "erfc and from erf; its logarithm, and the slope of that; the expected reward\n"
    )?;
    writeln!(out, "    γ   E[max(0, u)]      erfc       erf       log     slope   E[reward]")?;
    for gamma in [-1.0, -5.0, -8.0, -12.0, -20.0, -30.0, -37.0, -38.2, -40.0, -60.0] {
        let m = Relu.moments_grad(gamma, 1.0);
        // The mean is 0 in double precision from γ/ξ = −38.4 on; its logarithm is a number.
        let logarithms = Relu.log_moments_grad(gamma, 1.0);
        let [with_erf, with_erfc] = textbook(gamma).map(|value| (value / m.mean - 1.0).abs());
        writeln!(
            out,
            "{gamma:5.1}   {:12.5e}   {with_erfc:7.0e}   {with_erf:7.0e}   {:7.2}   {:7.4}   {:.4e}",
            m.mean,
            logarithms.log_mean,
            logarithms.dlog_mean_dgamma,
            reward.moments(gamma, 1.0).mean,
        )?;
    }

    writeln!(out, "\nWhich candidate next?\n")?;
    writeln!(out, "    γ       ξ    improvement   with erf       reward")?;
    let candidates = [(-9.1, 1.0), (-4.4, 0.5), (-0.5, 0.055), (-27.0, 3.0)];
    let scores = candidates.map(|(gamma, xi)| {
        let variance = xi * xi;
        let [with_erf, _] = textbook(gamma / xi);
        let improvement = Relu.moments(gamma, variance).mean;
        [improvement, xi * with_erf, reward.moments(gamma, variance).mean]
    });
    for ((gamma, xi), [improvement, with_erf, paid]) in candidates.iter().zip(scores) {
        writeln!(
            out,
            "{gamma:5.1}   {xi:5.3}   {improvement:12.5e}   {with_erf:8.1e}   {paid:10.4e}"
        )?;
    }
    writeln!(out)?;
    for (i, by) in ["improvement", "form with erf", "reward"].iter().enumerate() {
        let best = (0..candidates.len()).max_by(|a, b| scores[*a][i].total_cmp(&scores[*b][i]));
        let (gamma, xi) = candidates[best.unwrap_or(0)];
        writeln!(out, "The best by the {by}: γ = {gamma}, ξ = {xi}")?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    report(&mut io::stdout())
}
