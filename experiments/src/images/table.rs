//! The table of runs on images, beside the published figures.

use super::args::name;
use super::{ImageRecord, Run};
use crate::estimate::estimate;
use crate::published::image;

/// The table of these runs.
pub(crate) fn table(mut records: Vec<ImageRecord>) -> String {
    records.sort_by_key(|r| (r.data, r.network, r.method, r.plan.epochs, r.plan.rows));
    let mut text = String::from(
        "| set | network | method | images | epochs | runs | error % | published | log-likelihood \
         | published | calibration error | seconds per epoch | schedule \
         | build |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n",
    );
    for r in records.iter().filter(|r| !r.runs.is_empty()) {
        let of = |f: fn(&Run) -> f64| estimate(&r.runs.iter().map(f).collect::<Vec<_>>());
        let seconds: f64 = r.runs.iter().map(|run| run.seconds).sum();
        let epochs: usize = r.runs.iter().map(|run| run.epochs).sum();
        let [data, network, method] = [name(r.data), name(r.network), name(r.method)];
        let none = || ["–".to_owned(), "–".to_owned()];
        let [error, likelihood] = image(&data, &network, &method).unwrap_or_else(none);
        let cells = [
            data,
            network,
            method,
            r.plan.rows.to_string(),
            r.plan.epochs.to_string(),
            r.runs.len().to_string(),
            of(|run| 100.0 * run.error),
            error,
            of(|run| run.log_likelihood),
            likelihood,
            of(|run| run.calibration_error),
            format!("{:.1}", seconds / epochs as f64),
            name(r.plan.schedule),
            format!("{:?}", r.build).to_lowercase(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}
