//! Derivations from code: the formulas, their proofs and their knots as objects.
//!
//!     cargo run --example inspect

use std::error::Error;
use std::io::{self, Write};

use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, render};

pub(crate) fn report(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // One knot, where x³ = x + 1: an irrational number, and an exact one here.
    let bowl = Activation::parse("bowl(x) = |x^3 - x - 1|")?;
    writeln!(out, "{}\n", render::text::definitions(&[("bowl", &bowl.function)]))?;
    for knot in bowl.function.knots() {
        if let Some((lower, upper)) = knot.enclosure(20) {
            writeln!(out, "A knot lies between {lower} and {upper}.\n")?;
        }
    }

    let mean = bowl.moment(1)?;
    writeln!(out, "{}\n", render::text::equation(&mean))?;

    // Each step is the application of a rule to results before it, and can be repeated.
    mean.replay().map_err(|step| format!("step {step} does not follow"))?;
    writeln!(out, "Its {} steps follow from each other.", mean.steps().len())?;
    // The certificate looks at the result alone.
    for certificate in mean.certificates()? {
        let terms = certificate.heat_terms;
        writeln!(out, "∂M/∂ξ² and ½ ∂²M/∂γ² are equal, {terms} terms of each; the limits are")?;
        for limit in &certificate.limits {
            writeln!(out, "    {}", render::source::polynomial(limit))?;
        }
    }

    let slope = mean.differentiate(&Symbol::Gamma)?;
    writeln!(out, "\nIn LaTeX, its derivative:\n\n{}\n", render::latex::equation(&slope))?;

    // Equality is decided: a function has one normal form, however it is written.
    let one = Activation::parse("x * clamp(x + 3, 0, 6)/6")?;
    let other = Activation::parse("piecewise { x < -3: 0; x < 3: x*(x + 3)/6; else: x }")?;
    writeln!(
        out,
        "Two ways to write a hard swish, one function: {}",
        one.function == other.function
    )?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    report(&mut io::stdout())
}
