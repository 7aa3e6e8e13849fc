//! Options under Bachelier's model: any payoff that is a piecewise polynomial, with its Greeks.
//!
//! The price of the underlying at expiry is u ~ N(γ, ξ²), with γ the forward and ξ = σ √T. An option is
//! worth E[payoff(u)]. Its derivatives come with it: in γ the delta, in ξ² half of the gamma, and from
//! that the vega.
//!
//!     cargo run --example bachelier

use std::f64::consts::{PI, SQRT_2};
use std::io::{self, Write};

use gaussform::{Activation, ParameterGrad};

/// Pays `width` at the strike, and less with each step from it.
#[gaussform::activation(width > 0)]
fn butterfly(price: f64, strike: f64, width: f64) -> f64 {
    (width - (price - strike).abs()).max(0.0)
}

/// Pays the square of what the price is above the strike, no more than `cap`².
#[gaussform::activation(cap > 0)]
fn capped_power_call(price: f64, strike: f64, cap: f64) -> f64 {
    (price - strike).clamp(0.0, cap).powi(2)
}

/// Value of a call: E\[max(0, S − strike)\] for a price S ~ N(forward, deviation²) at expiry.
fn call(forward: f64, deviation: f64, strike: f64) -> f64 {
    let z = (forward - strike) / deviation;
    let density = (-z * z / 2.0).exp() / (2.0 * PI).sqrt();
    deviation * (z * libm::erfc(-z / SQRT_2) / 2.0 + density)
}

pub(crate) fn report(out: &mut impl Write) -> io::Result<()> {
    let (forward, volatility, years) = (103.0_f64, 20.0_f64, 0.25_f64);
    let variance = volatility * volatility * years;
    let deviation = variance.sqrt();

    writeln!(out, "Forward {forward}, volatility {volatility} a year, {years} years\n")?;
    writeln!(out, "A butterfly at 100: one declaration, and calls at 100 and 100 ± width\n")?;
    writeln!(out, "   width   as declared              from three calls          apart")?;
    for width in [10.0, 1.0, 0.1, 0.01, 0.001, 0.0001] {
        let whole =
            Butterfly::new(100.0, width).map_err(io::Error::other)?.moments(forward, variance).mean;
        let [low, middle, high] = [-width, 0.0, width].map(|d| call(forward, deviation, 100.0 + d));
        let parts = low - 2.0 * middle + high;
        let apart = (parts / whole - 1.0).abs();
        writeln!(out, "{width:8}   {whole:.16e}   {parts:23.16e}   {apart:.0e}")?;
    }

    let option = CappedPowerCall::new(105.0, 8.0).map_err(io::Error::other)?;
    writeln!(out, "\nA squared call at 105, at most 8²\n")?;
    writeln!(
        out,
        "forward      value       delta       gamma        vega   in the strike    at risk"
    )?;
    for forward in [60.0, 80.0, 95.0, 105.0, 115.0, 150.0] {
        let m = option.moments_grad(forward, variance);
        let mut parameters = [ParameterGrad::default(); 2];
        option.parameter_grad(forward, variance, &mut parameters);
        // ∂/∂σ with ξ² = σ² T; ½ ∂²/∂γ² is ∂/∂ξ², the heat equation.
        let vega = 2.0 * volatility * years * m.dmean_dxi2;
        writeln!(
            out,
            "{forward:7}   {:8.3e}   {:9.2e}   {:9.2e}   {vega:9.2e}   {:13.2e}   {:8.2e}",
            m.mean,
            m.dmean_dgamma,
            2.0 * m.dmean_dxi2,
            parameters[0].dmean,
            m.variance.sqrt(),
        )?;
    }
    Ok(())
}

fn main() -> io::Result<()> {
    report(&mut io::stdout())
}
