//! The tables of regression.

use crate::method::usual;
use crate::published::figure;
use crate::record::{Outcome, UciRecord};
use crate::table::estimate;

/// The table of these runs, but for those by settings that options changed.
pub(crate) fn table(records: &[UciRecord]) -> String {
    let mut text = String::from(
        "| set | method | settings | epochs | splits | test log-likelihood | published | RMSE \
         | seconds per epoch | seconds in all | build |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    for r in records.iter().filter(|r| !r.splits.is_empty() && usual(&r.plan)) {
        let seconds: f64 = r.splits.iter().map(|s| s.seconds).sum();
        let epochs: usize = r.splits.iter().map(|s| s.epochs).sum();
        let cells = [
            r.data.clone(),
            format!("{:?}", r.method).to_lowercase(),
            format!("{:?}", r.plan.settings).to_lowercase(),
            r.plan.epochs.to_string(),
            r.splits.len().to_string(),
            of(r, |s| s.log_likelihood),
            figure(&r.data, r.method).unwrap_or_else(|| "–".to_owned()),
            of(r, |s| s.rmse),
            format!("{:.4}", seconds / epochs as f64),
            format!("{seconds:.1}"),
            format!("{:?}", r.build).to_lowercase(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// What changed settings do, beside the same method on the same set without the change; none if there are no
/// such runs.
pub(crate) fn settings_table(records: &[UciRecord]) -> Option<String> {
    let mut text = String::from(
        "| set | method | settings | warm-up | first sd | epochs | splits | test log-likelihood | published | RMSE |\n\
         | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let whole = || records.iter().filter(|r| !r.splits.is_empty());
    let changed: Vec<_> =
        whole().filter(|r| !usual(&r.plan)).map(|r| (&r.data, r.method)).collect();
    for r in whole().filter(|r| changed.contains(&(&r.data, r.method))) {
        let number = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |v| v.to_string());
        let cells = [
            r.data.clone(),
            format!("{:?}", r.method).to_lowercase(),
            format!("{:?}", r.plan.settings).to_lowercase(),
            number(r.plan.warm_up),
            number(r.plan.initial_sd),
            r.plan.epochs.to_string(),
            r.splits.len().to_string(),
            of(r, |s| s.log_likelihood),
            figure(&r.data, r.method).unwrap_or_else(|| "–".to_owned()),
            of(r, |s| s.rmse),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    (!changed.is_empty()).then_some(text)
}

fn of(record: &UciRecord, f: fn(&Outcome) -> f64) -> String {
    estimate(&record.splits.iter().map(f).collect::<Vec<_>>())
}
