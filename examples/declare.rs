//! An activation of one's own: declared as a function of Rust, used as a type.
//!
//!     cargo run --example declare

use std::io::{self, Write};

use gaussform::Activation;

/// A thermostat: nothing in a dead band around 0, then proportional, then full power.
#[gaussform::activation(0 < band < full)]
fn thermostat(x: f64, band: f64, full: f64) -> f64 {
    (x.abs() - band).clamp(0.0, full - band).copysign(x) / (full - band)
}

pub(crate) fn report(out: &mut impl Write) -> io::Result<()> {
    let g = Thermostat::new(0.5, 2.0).map_err(io::Error::other)?;

    writeln!(out, "The power that a thermostat asks for when its reading is u ~ N(γ, 1),")?;
    writeln!(out, "beside the power at the mean reading γ:\n")?;
    writeln!(out, "    γ    at the mean   expected   standard deviation   slope of the expected")?;
    for gamma in [0.5, 1.0, 1.5, 2.0, 4.0, 8.0] {
        let m = g.moments_grad(gamma, 1.0);
        writeln!(
            out,
            "{gamma:5.1}   {:11.6}   {:8.6}   {:18.6e}   {:21.6e}",
            thermostat(gamma, 0.5, 2.0),
            m.mean,
            m.variance.sqrt(),
            m.dmean_dgamma,
        )?;
    }
    let error = Thermostat::new(2.0, 0.5).expect_err("the band is wider than the range");
    writeln!(out, "\nParameters are checked: {error}")
}

fn main() -> io::Result<()> {
    report(&mut io::stdout())
}
