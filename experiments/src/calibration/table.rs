//! The tables of calibration and shift: a table for each score, a row for each network, a column for each kind of
//! image.

use super::{CalibrationRecord, Shift};
use crate::estimate::estimate;
use crate::images::args::{Method, name};

/// A quantity of the tables: its title, and its value for a method and a shift, if there is one.
type Quantity = (&'static str, fn(Method, &Shift) -> Option<f64>);

const QUANTITIES: [Quantity; 5] = [
    ("Error, %", |_, s| s.score.map(|score| 100.0 * score.error)),
    ("Log likelihood of an image, nats", |_, s| s.score.map(|score| score.log_likelihood)),
    ("Expected calibration error", |_, s| s.score.map(|score| score.calibration_error)),
    ("AUROC of the entropy", |_, s| s.auroc.map(|auroc| auroc.entropy)),
    ("AUROC of the mutual information", |method, s| {
        // Its probabilities are of numbers with one noise, and have no part that is from the weights.
        if method == Method::Vrelunet { None } else { s.auroc.map(|auroc| auroc.information) }
    }),
];

/// A table for each quantity: a row for each run, over its models, and a column for each kind of image.
pub(crate) fn table(mut records: Vec<CalibrationRecord>) -> String {
    records.sort_by_key(|r| (r.data, r.network, r.method));
    let mut kinds: Vec<String> = Vec::new();
    for shift in records.iter().flat_map(|r| &r.shifts) {
        let kind = column(shift);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    QUANTITIES.map(|quantity| one(quantity, &records, &kinds)).join("\n")
}

/// The heading of a kind of image. All foreign images have one heading.
fn column(shift: &Shift) -> String {
    if shift.score.is_some() { shift.images.clone() } else { "the other set".to_owned() }
}

/// The table of one quantity, without the rows and the columns in which it has no number.
fn one((title, of): Quantity, records: &[CalibrationRecord], kinds: &[String]) -> String {
    let cell = |record: &CalibrationRecord, kind: &String| {
        let here = record.shifts.iter().filter(|shift| column(shift) == *kind);
        let values: Vec<f64> = here.filter_map(|shift| of(record.method, shift)).collect();
        (!values.is_empty()).then(|| estimate(&values))
    };
    let used = |kind: &&String| records.iter().any(|record| cell(record, kind).is_some());
    let kinds: Vec<&String> = kinds.iter().filter(used).collect();
    let mut text = format!("{title}:\n\n| trained on | network | method | models | images |");
    for kind in &kinds {
        text += &format!(" {kind} |");
    }
    text += "\n| --- | --- | --- | ---: | ---: |";
    text += &" ---: |".repeat(kinds.len());
    text.push('\n');
    let known = |r: &&CalibrationRecord| kinds.iter().any(|kind| cell(r, kind).is_some());
    for r in records.iter().filter(known) {
        let models = r.shifts.iter().filter(|shift| shift.images == "test").count();
        let [data, network, method] = [name(r.data), name(r.network), name(r.method)];
        text += &format!("| {data} | {network} | {method} | {models} | {} |", r.rows);
        for kind in &kinds {
            text += &format!(" {} |", cell(r, kind).unwrap_or_else(|| "–".to_owned()));
        }
        text.push('\n');
    }
    text
}
