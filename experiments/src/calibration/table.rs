//! The table of calibration and shift.

use super::{CalibrationRecord, Shift};
use crate::images::args::name;
use crate::table::estimate;

/// The table of these runs: a row for each kind of image, over the models.
pub(crate) fn table(mut records: Vec<CalibrationRecord>) -> String {
    records.sort_by_key(|r| (r.data, r.network, r.method));
    let mut text = String::from(
        "| trained on | network | method | images | models | error % | log-likelihood | calibration error \
         | AUROC of entropy | of information |\n\
         | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for r in &records {
        let mut kinds: Vec<&str> = Vec::new();
        for shift in &r.shifts {
            if !kinds.contains(&shift.images.as_str()) {
                kinds.push(&shift.images);
            }
        }
        for kind in kinds {
            let shifts: Vec<&Shift> = r.shifts.iter().filter(|s| s.images == kind).collect();
            let of = |f: &dyn Fn(&Shift) -> Option<f64>| {
                let values: Vec<f64> = shifts.iter().filter_map(|s| f(s)).collect();
                if values.is_empty() { "–".to_owned() } else { estimate(&values) }
            };
            let cells = [
                name(r.data),
                name(r.network),
                name(r.method),
                kind.to_owned(),
                shifts.len().to_string(),
                of(&|s| s.score.map(|score| 100.0 * score.error)),
                of(&|s| s.score.map(|score| score.log_likelihood)),
                of(&|s| s.score.map(|score| score.calibration_error)),
                of(&|s| s.auroc.map(|auroc| auroc.entropy)),
                of(&|s| s.auroc.map(|auroc| auroc.information)),
            ];
            text += &format!("| {} |\n", cells.join(" | "));
        }
    }
    text
}
