//! `gaussform verify`: every step again, every certificate again, and random numbers on request.

use std::fmt::Write;

use gaussform_codegen::Kernel;
use gaussform_symbolic::derivation::{Certificate, PairCertificate};
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::render::text;
use gaussform_symbolic::{Activation, Derivation};

use crate::args::Verify;
use crate::higher::Orders;
use crate::monte_carlo::{self, Estimate};
use crate::progress::{Progress, Unit};
use crate::report::{Failure, Outcome};
use crate::style::Style;
use crate::{knots, number, output, parameters, source};

pub(crate) fn run(args: &Verify, quiet: bool) -> Result<Outcome, Failure> {
    let style = Style::stdout();
    let mut shown = Vec::new();
    let mut outcome = Outcome::Done;
    let given = source::given(&args.subject, false)?;
    let other = match &args.joint {
        Some(text) => Some(source::other(text, &given.known, "--joint")?),
        None => None,
    };
    for activation in given.activations.iter().flatten().map(|case| &case.activation) {
        let (report, holds) = match &other {
            Some(other) => check_pair(activation, other, style)?,
            None => check(activation, args.moment, style)?,
        };
        if !holds {
            outcome = Outcome::Refuted;
        }
        if !(holds && quiet) {
            shown.push(report);
        }
        // Whether estimates agree is for the reader to say.
        if let Some(samples) = args.monte_carlo {
            shown.push(monte_carlo(activation, args, samples, style, quiet)?);
        }
    }
    output::deliver(&shown.join("\n"), None)?;
    Ok(outcome)
}

/// Checks the moments up to the `highest` and the variance; the report ends with the verdict.
fn check(activation: &Activation, highest: u32, style: Style) -> Result<(String, bool), Failure> {
    let mut report = format!("{}\n", style.heading(&activation.name));
    let mut holds = true;
    // The highest first: if it is refused, nothing was derived in vain.
    let descending = (1..=highest).rev().map(|n| activation.moment(n));
    let derivations = descending.collect::<Result<Vec<_>, _>>()?;
    for derivation in derivations.into_iter().rev() {
        let _ = writeln!(report, "  {}", text::quantity(derivation.result().0));
        holds &= replay(&derivation, &mut report, style);
        match derivation.certificates() {
            Err(error) => {
                let _ = writeln!(report, "    {} {error}", style.bad("FAILED"));
                holds = false;
            }
            Ok(certificates) => {
                for certificate in certificates {
                    report.push_str(&checked(activation, &certificate));
                }
            }
        }
    }
    if highest >= 2 {
        let derivation = activation.variance()?;
        let _ = writeln!(report, "  {}", text::quantity(derivation.result().0));
        holds &= replay(&derivation, &mut report, style);
    }
    let verdict = if holds {
        format!(
            "{}: every step follows; the moments solve ∂M/∂ξ² = ½ ∂²M/∂γ² and have the limits of g(γ)ⁿ for ξ² → 0",
            style.good("OK")
        )
    } else {
        style.bad("FAILED")
    };
    let _ = writeln!(report, "{verdict}");
    Ok((report, holds))
}

/// Checks E[g(u) h(w)], the expectations that it is made of, and the covariance.
fn check_pair(
    activation: &Activation,
    other: &Activation,
    style: Style,
) -> Result<(String, bool), Failure> {
    let title = source::names([activation, other]).join(" and ");
    let mut report = format!("{}\n", style.heading(&title));
    let mut holds = true;
    let covariance = activation.pair_covariance(other)?;
    for (n, m) in [(1, 0), (0, 1), (1, 1)] {
        let derivation = activation.pair_moment(n, other, m)?;
        let _ = writeln!(report, "  {}", text::quantity(derivation.result().0));
        holds &= replay(&derivation, &mut report, style);
        match derivation.pair_certificates() {
            Err(error) => {
                let _ = writeln!(report, "    {} {error}", style.bad("FAILED"));
                holds = false;
            }
            Ok(certificates) => {
                certificates.iter().for_each(|certificate| report.push_str(&pair(certificate)));
            }
        }
    }
    let _ = writeln!(report, "  {}", text::quantity(covariance.result().0));
    holds &= replay(&covariance, &mut report, style);
    let verdict = if holds {
        format!(
            "{}: every step follows; the moments solve the equations in σ, ξ² and ξ′², factorise at \
             σ = 0 and have the limits of g(γ)ⁿ h(γ′)ᵐ for (ξ², ξ′², σ) → 0",
            style.good("OK")
        )
    } else {
        style.bad("FAILED")
    };
    let _ = writeln!(report, "{verdict}");
    Ok((report, holds))
}

/// The conditions that a certificate for two pre-activations has checked, in words.
fn pair(certificate: &PairCertificate) -> String {
    let counted = |count: usize, one: &str| match count {
        0 => "both are 0".to_owned(),
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    let PairCertificate { price_terms, heat_terms, independent_terms, cells, .. } = certificate;
    format!(
        "    price   ∂M/∂σ = ∂²M/∂γ∂γ′: {}\n    heat    ∂M/∂ξ² = ½ ∂²M/∂γ²: {}\n            \
         ∂M/∂ξ′² = ½ ∂²M/∂γ′²: {}\n    start   E[g(u)ⁿ] E[h(w)ᵐ] at σ = 0: {}\n    limits  \
         g(γ)ⁿ h(γ′)ᵐ in {}\n",
        counted(*price_terms, "term"),
        counted(heat_terms[0], "term"),
        counted(heat_terms[1], "term"),
        counted(*independent_terms, "term"),
        counted(*cells, "cell"),
    )
}

fn replay(derivation: &Derivation, report: &mut String, style: Style) -> bool {
    let result = derivation.replay();
    let _ = match result {
        Ok(()) => writeln!(report, "    steps   {}, each applied again", derivation.steps().len()),
        Err(step) => {
            writeln!(report, "    {} step {} does not follow", style.bad("FAILED"), step + 1)
        }
    };
    result.is_ok()
}

/// The conditions that a certificate has checked, in words.
fn checked(activation: &Activation, certificate: &Certificate) -> String {
    let written = |polynomial| text::form(&Form::from(polynomial));
    let knots = knots::written(&activation.function);
    let intervals = (0..certificate.limits.len()).map(|i| {
        let lower = i.checked_sub(1).and_then(|i| knots.get(i));
        match (lower, knots.get(i)) {
            _ if certificate.limits.len() != knots.len() + 1 => format!("interval {}", i + 1),
            (None, None) => "all γ".to_owned(),
            (None, Some(upper)) => format!("γ < {upper}"),
            (Some(lower), None) => format!("γ > {lower}"),
            (Some(lower), Some(upper)) => format!("{lower} < γ < {upper}"),
        }
    });
    let intervals: Vec<String> = intervals.collect();
    let width = intervals.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let terms = match certificate.heat_terms {
        0 => "both are 0".to_owned(),
        1 => "1 term".to_owned(),
        n => format!("{n} terms"),
    };
    let mut lines = format!("    heat    ∂M/∂ξ² = ½ ∂²M/∂γ²: {terms}\n");
    for (i, (interval, limit)) in intervals.iter().zip(&certificate.limits).enumerate() {
        let label = if i == 0 { "limits" } else { "" };
        let _ = writeln!(lines, "    {label:6}  {interval:width$}   {}", written(limit.clone()));
    }
    lines
}

/// A table of estimates beside the closed forms.
fn monte_carlo(
    activation: &Activation,
    args: &Verify,
    samples: u64,
    style: Style,
    quiet: bool,
) -> Result<String, Failure> {
    let (gamma, xi2) = number::point::<f64>(args.gamma.as_deref(), args.xi2.as_deref(), None)?;
    let given = parameters::complete(activation, &args.parameters)?;
    let parameters: Vec<f64> = given.iter().map(|given| given.value).collect();
    let closed = Kernel::new(activation)?.moments_grad::<f64>(&parameters, gamma, xi2);
    let highest = args.moment.max(2);
    let orders: Vec<u32> = (3..=highest).collect();
    let higher = Orders { raw: &orders, central: &[] };
    let higher = higher.of(activation, &given)?.map(|higher| higher.values::<f64>(gamma, xi2));
    let higher = higher.transpose()?.unwrap_or_default();
    let mut progress = Progress::new("sampling", samples, Unit::Samples, !quiet);
    let point = (gamma, xi2);
    let estimates = monte_carlo::estimate(
        activation,
        &parameters,
        point,
        highest,
        samples,
        args.seed,
        |drawn| {
            progress.at(drawn);
        },
    );
    let title = format!("{samples} samples at γ = {gamma}, ξ² = {xi2}, seed {}", args.seed);
    let mut table = format!(
        "{}\n{:12}{:24}{:38}{}\n",
        style.heading(&title),
        "",
        "closed form",
        "estimate ± standard error",
        "z"
    );
    let named = |n: &u32| format!("moment{n}");
    let names = ["mean", "second", "variance"].map(str::to_owned).into_iter();
    let names = names.chain(orders.iter().map(named));
    let values = [closed.mean, closed.second, closed.variance].into_iter().chain(higher);
    let [second, others @ ..] = estimates.powers.as_slice() else { unreachable!("of order 2") };
    let first = [estimates.mean, *second, estimates.variance].into_iter();
    let estimates = first.chain(others.iter().copied());
    for ((name, value), Estimate { value: estimate, error }) in names.zip(values).zip(estimates) {
        let z = if error > 0.0 && error.is_finite() {
            format!("{:+.2}", (estimate - value) / error)
        } else {
            "-".to_owned()
        };
        let beside = format!("{estimate:.10e} ± {error:.1e}");
        let _ = writeln!(table, "  {name:10}{:24}{beside:38}{z}", number::digits(value));
    }
    Ok(table)
}
