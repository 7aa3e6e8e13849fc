//! A Gaussian filter behind a sensor that saturates.
//!
//! The level u of a tank is known as N(γ, ξ²); its sensor shows clamp(u, −1, 1) and some noise. The
//! update of the filter needs the mean and variance of what the sensor will show, and its covariance
//! with the level, which is ξ² E[g′(u)] = ξ² ∂E[g]/∂γ. When the tank is far above the range, nearly
//! all of the variance has gone, and what is left decides how much a reading below 1 says.
//!
//!     cargo run --example saturating_sensor

use std::f64::consts::{PI, SQRT_2};
use std::io::{self, Write};

use gaussform::Activation;
use gaussform::activations::HardTanh;

/// Variance of clamp(u, −1, 1) for ξ = 1: second moment minus squared mean, from the closed form.
fn textbook(gamma: f64) -> f64 {
    let at = |knot: f64| {
        let z = gamma - knot;
        (libm::erf(z / SQRT_2) / 2.0, (-z * z / 2.0).exp() / (2.0 * PI).sqrt())
    };
    let ((low, low_density), (high, high_density)) = (at(-1.0), at(1.0));
    let mean = (gamma + 1.0) * low + low_density - (gamma - 1.0) * high - high_density;
    let inside = (gamma * gamma + 1.0) * (low - high) + (gamma - 1.0) * low_density
        - (gamma + 1.0) * high_density;
    let outside = (0.5 - low) + (0.5 + high);
    inside + outside - mean * mean
}

/// Variance of clamp(u, −1, 1) for ξ = 1 by the unscented rule, from three points at γ and γ ± √3.
fn unscented(gamma: f64) -> f64 {
    let points =
        [gamma, gamma + 3.0_f64.sqrt(), gamma - 3.0_f64.sqrt()].map(|u| u.clamp(-1.0, 1.0));
    let expected = |f: &dyn Fn(f64) -> f64| {
        let [middle, above, below] = points.map(f);
        2.0 / 3.0 * middle + 1.0 / 6.0 * above + 1.0 / 6.0 * below
    };
    let mean = expected(&|y| y);
    expected(&|y| (y - mean).powi(2))
}

pub(crate) fn report(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "The variance of what the sensor shows, for a level with ξ = 1, and which share of the"
    )?;
    writeln!(out, "level's variance a reading without noise takes away\n")?;
    writeln!(out, "   γ     gaussform     textbook    unscented        share")?;
    for gamma in [0.0, 2.0, 4.0, 6.0, 8.0, 10.0] {
        let m = HardTanh.moments_grad(gamma, 1.0);
        let (closed, three) = (textbook(gamma), unscented(gamma));
        let share = m.dmean_dgamma.powi(2) / m.variance;
        writeln!(
            out,
            "{gamma:4.0}   {:11.4e}   {closed:10.3e}   {three:10.3e}   {share:10.4e}",
            m.variance
        )?;
    }

    writeln!(
        out,
        "\nA tank is thought to be at 3 ± 1. In truth it is at 1.35, and falls by 0.1 a step. The"
    )?;
    writeln!(out, "noise of a reading is 0.01.\n")?;
    writeln!(out, " truth   reading   expected           gain   level, before and after")?;
    let (mut gamma, mut xi2) = (3.0_f64, 1.0_f64);
    for step in 0..10 {
        let truth = 1.35 - 0.1 * f64::from(step);
        let reading = truth.min(1.0);
        let m = HardTanh.moments_grad(gamma, xi2);
        let (covariance, innovation) = (xi2 * m.dmean_dgamma, m.variance + 1e-4);
        let gain = covariance / innovation;
        let before = format!("{gamma:.3} ± {:.3}", xi2.sqrt());
        gamma += gain * (reading - m.mean);
        xi2 -= gain * covariance;
        writeln!(
            out,
            "{truth:6.2}   {reading:7.2}   {:.3} ± {:.3}   {gain:6.3}   {before} → {gamma:.3} ± {:.3}",
            m.mean,
            innovation.sqrt(),
            xi2.sqrt(),
        )?;
        // It falls, by 0.1 give or take 0.1.
        gamma -= 0.1;
        xi2 += 0.01;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    report(&mut io::stdout())
}
