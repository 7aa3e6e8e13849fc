//! The printed report: the activation's formula and a table of scores.

use std::fmt::Write;

use gaussform_uci::{Estimate, Score};

use crate::Relu;
use crate::arguments::Arguments;
use crate::experiment::{Outcome, Trial};

/// The whole report.
pub(crate) fn report(outcomes: &[Outcome<'_>], arguments: &Arguments) -> String {
    let mut out =
        "The activation and its moments for a pre-activation u ~ N(γ, ξ²):\n\n".to_owned();
    for line in Relu::FORMULAS.lines() {
        let indent = if line.is_empty() { "" } else { "    " };
        out += &format!("{indent}{line}\n");
    }
    for outcome in outcomes {
        out += "\n";
        out += &section(outcome, arguments);
    }
    // Slices are computed with the vectors of the machine, which differ in the last digits.
    out += "\nOn another machine rounding differs, and training amplifies it: expect other figures there, within a\n\
            standard error of these.\n";
    let _ =
        writeln!(out, "\nPredictions of the first split are drawn in {}.", arguments.out.display());
    out
}

fn section(outcome: &Outcome<'_>, arguments: &Arguments) -> String {
    let Outcome { set, trials } = outcome;
    let origin = match set.data.splits {
        Some(_) => "as given".to_owned(),
        None => format!("drawn by seed {}", arguments.seed),
    };
    let mut out = format!(
        "{}: {} rows, {} inputs; {} splits, {origin}; {} hidden units; mean ± standard error\n\n",
        set.name,
        set.data.x.rows(),
        set.data.x.columns(),
        trials.len(),
        arguments.hidden,
    );
    out += &format!("    {:<24}{:>18}{:>24}\n", "method", "test RMSE", "test log-likelihood");
    out += &row("closed-form network", trials, |trial| trial.network);
    out += &row("ridge regression", trials, |trial| trial.ridge);
    out
}

fn row(method: &str, trials: &[Trial], score: impl Fn(&Trial) -> Score) -> String {
    let cell = |value: fn(Score) -> f64| {
        let values: Vec<f64> = trials.iter().map(|trial| value(score(trial))).collect();
        let Estimate { mean, standard_error } = Estimate::of(&values);
        if standard_error.is_nan() {
            format!("{mean:.3}")
        } else {
            format!("{mean:.3} ± {standard_error:.3}")
        }
    };
    let (rmse, log_likelihood) = (cell(|s| s.rmse), cell(|s| s.log_likelihood));
    format!("    {method:<24}{rmse:>18}{log_likelihood:>24}\n")
}
