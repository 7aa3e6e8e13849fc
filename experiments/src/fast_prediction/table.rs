//! The table of fast prediction: error, log likelihood and time of each way of predicting.

use super::{Deterministic, FastRecord, Outcome};
use crate::images::args::name;

/// The table of these runs: the deterministic predictions, then each number of samples.
pub(crate) fn table(records: &[FastRecord]) -> String {
    let mut text = String::from(
        "| set | prediction | groups | error % | sd over groups | log-likelihood | seconds | build |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    let none = || "–".to_owned();
    for r in records {
        let Some(Outcome { arg_max, moments, monte_carlo, .. }) = &r.outcome else { continue };
        let mut row = |what: String, cells: [String; 5]| {
            let build = format!("{:?}", r.build).to_lowercase();
            text += &format!("| {} | {what} | {} | {build} |\n", name(r.data), cells.join(" | "));
        };
        let of = |d: &Deterministic| {
            let log_likelihood = d.log_likelihood.map_or_else(none, |l| format!("{l:.4}"));
            [none(), percent(d.error), none(), log_likelihood, seconds(d.seconds)]
        };
        row("largest mean (Eq. 42)".to_owned(), of(arg_max));
        row("probabilities from moments".to_owned(), of(moments));
        for a in monte_carlo {
            let cells = [
                a.groups.to_string(),
                percent(a.error),
                a.error_sd.map_or_else(none, percent),
                format!("{:.4}", a.log_likelihood),
                seconds(a.seconds),
            ];
            let plural = if a.samples == 1 { "" } else { "s" };
            row(format!("{} sample{plural}", a.samples), cells);
        }
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.3}", 100.0 * share)
}

fn seconds(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { format!("{value:.0}") }
}
