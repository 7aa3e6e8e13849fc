//! The tables of regression: runs by the papers' settings, by ours beside the best published figures, by changed
//! settings, and on drawn splits.

use gaussform_bnn::method::Method;

use super::args::{Posterior, Settings};
use super::method::usual;
use super::record::{Outcome, UciPlan, UciRecord};
use crate::estimate::{estimate, mean};
use crate::published::{best, figure};

/// The tables that have records, each with the name of its marks.
pub(crate) fn tables(mut records: Vec<UciRecord>) -> Vec<(&'static str, String)> {
    records.retain(|r| !r.splits.is_empty());
    let order = |r: &UciRecord| {
        let plan = &r.plan;
        // Steps are positive, so that their bits are in their order.
        let step = plan.learning_rate.map(f64::to_bits);
        (r.data.clone(), r.method, plan.settings, plan.posterior, plan.epochs, plan.batch, step)
    };
    records.sort_by_key(order);
    let (validation, tested): (Vec<_>, Vec<_>) =
        records.into_iter().partition(|r| r.plan.validation_seed.is_some());
    let is_usual = |r: &&UciRecord| usual(r.method, &r.data, &r.plan);
    let changed: Vec<_> = tested.iter().filter(|r| !is_usual(r)).map(of_what).collect();
    let beside = tested.iter().filter(|r| changed.contains(&of_what(r)));
    let tables = [
        ("uci", results(tested.iter().filter(is_usual))),
        ("uci-aims", rows(AIMS, chosen(&tested, &validation).into_iter().map(aim))),
        ("uci-settings", rows(CHANGED, beside.map(settings))),
        ("uci-validation", rows(VALIDATED, validation.iter().map(settings))),
    ];
    tables.into_iter().filter_map(|(name, text)| Some((name, text?))).collect()
}

fn of_what(record: &UciRecord) -> (String, Method, Settings) {
    (record.data.clone(), record.method, record.plan.settings)
}

/// For each set and method the run by our settings that was best on drawn splits; the run by the defaults, if none was
/// tried on drawn splits. Records are in the order of their sets and methods.
///
/// Drawn splits partition all rows. So the choice sees the targets of rows that test in the listed splits, though not
/// the figures of the listed splits.
fn chosen<'a>(tested: &'a [UciRecord], validation: &[UciRecord]) -> Vec<&'a UciRecord> {
    let is_drawn = |drawn: &UciRecord, r: &UciRecord| {
        of_what(drawn) == of_what(r) && UciPlan { validation_seed: None, ..drawn.plan } == r.plan
    };
    let best = |candidates: &[&'a UciRecord]| {
        let tried: Vec<(&'a UciRecord, &UciRecord)> = candidates
            .iter()
            .filter_map(|r| Some((*r, validation.iter().find(|drawn| is_drawn(drawn, r))?)))
            .collect();
        // Runs may have more splits than others: those that all have are compared.
        let common = tried.iter().map(|(_, drawn)| drawn.splits.len()).min().unwrap_or(0);
        let score = |(_, drawn): &(_, &UciRecord)| {
            mean(&drawn.splits.iter().take(common).map(|s| s.log_likelihood).collect::<Vec<_>>())
        };
        let finite = tried.into_iter().filter(|tried| score(tried).is_finite());
        let best = finite.max_by(|a, b| score(a).total_cmp(&score(b))).map(|(r, _)| r);
        best.or_else(|| candidates.iter().copied().find(|r| usual(r.method, &r.data, &r.plan)))
    };
    let ours: Vec<_> = tested.iter().filter(|r| r.plan.settings == Settings::Ours).collect();
    ours.chunk_by(|a, b| of_what(a) == of_what(b)).filter_map(best).collect()
}

const RESULTS: &str = "\
| set | method | settings | epochs | splits | test log-likelihood | published | RMSE | seconds per epoch \
| seconds in all | build |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
";

/// A table of the results of runs with given settings, beside the published figures of the method.
fn results<'a>(records: impl Iterator<Item = &'a UciRecord>) -> Option<String> {
    let cells = |r: &UciRecord| {
        let seconds: f64 = r.splits.iter().map(|s| s.seconds).sum();
        let epochs: usize = r.splits.iter().map(|s| s.epochs).sum();
        vec![
            r.data.clone(),
            label(r),
            format!("{:?}", r.plan.settings).to_lowercase(),
            r.plan.epochs.to_string(),
            r.splits.len().to_string(),
            of(r, |s| s.log_likelihood),
            figure(&r.data, r.method.name()).unwrap_or_else(|| "–".to_owned()),
            of(r, |s| s.rmse),
            format!("{:.4}", seconds / epochs as f64),
            format!("{seconds:.1}"),
            format!("{:?}", r.build).to_lowercase(),
        ]
    };
    rows(RESULTS, records.map(cells))
}

const AIMS: &str = "\
| set | noise | ours | batch | step | first sd | splits | test log-likelihood | best published | by | difference |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |
";

/// A row of our settings beside the best published figure with the same freedom of the noise.
fn aim(r: &UciRecord) -> Vec<String> {
    let by_input = matches!(r.method, Method::Dvi | Method::DviFull);
    let published: &[&str] =
        if by_input { &["dvi", "dvi-full", "mc-dropout"] } else { &["cf", "vbp", "varout", "pbp"] };
    let ours = mean(&r.splits.iter().map(|s| s.log_likelihood).collect::<Vec<_>>());
    let (figure, by, difference) = best(&r.data, published).map_or_else(
        || ("–".to_owned(), "–".to_owned(), "–".to_owned()),
        |best| (best.text, best.method, format!("{:+.2}", ours - best.mean)),
    );
    vec![
        r.data.clone(),
        if by_input { "by input" } else { "one" }.to_owned(),
        label(r),
        or_dash(r.plan.batch),
        or_dash(r.plan.learning_rate),
        or_dash(r.plan.initial_sd),
        r.splits.len().to_string(),
        of(r, |s| s.log_likelihood),
        figure,
        by,
        difference,
    ]
}

const CHANGED: &str = "\
| set | method | settings | batch | step | warm-up | first sd | epochs | splits | test log-likelihood \
| published | RMSE |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

const VALIDATED: &str = "\
| set | method | settings | batch | step | warm-up | first sd | epochs | drawn splits | log-likelihood \
| published | RMSE |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
";

/// A row with the settings of a run and its results.
fn settings(r: &UciRecord) -> Vec<String> {
    vec![
        r.data.clone(),
        label(r),
        format!("{:?}", r.plan.settings).to_lowercase(),
        or_dash(r.plan.batch),
        or_dash(r.plan.learning_rate),
        or_dash(r.plan.warm_up),
        or_dash(r.plan.initial_sd),
        r.plan.epochs.to_string(),
        r.splits.len().to_string(),
        of(r, |s| s.log_likelihood),
        figure(&r.data, r.method.name()).unwrap_or_else(|| "–".to_owned()),
        of(r, |s| s.rmse),
    ]
}

/// A table with this head; none if there are no rows.
fn rows(head: &str, cells: impl Iterator<Item = Vec<String>>) -> Option<String> {
    let lines: String = cells.map(|cells| format!("| {} |\n", cells.join(" | "))).collect();
    (!lines.is_empty()).then(|| head.to_owned() + &lines)
}

/// The name of the method, with its posterior where that is not the method's default.
fn label(record: &UciRecord) -> String {
    match record.plan.posterior {
        Posterior::MeanField => record.method.name().to_owned(),
        Posterior::Full => format!("{}, full", record.method.name()),
    }
}

fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| value.to_string())
}

fn of(record: &UciRecord, f: fn(&Outcome) -> f64) -> String {
    estimate(&record.splits.iter().map(f).collect::<Vec<_>>())
}
