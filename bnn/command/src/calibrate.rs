//! The command `calibrate`: fits a calibration to held-out rows, and keeps it in the notes of a new model.

use std::fmt::Write;

use gaussform_bnn::{Prediction, RealPrediction, Targets, class_score};

use crate::args::Calibrate;
use crate::calibration::Calibration;
use crate::failure::Failure;
use crate::output::{check, check_apart, deliver, load, note, note_left_out};
use crate::table::Cells;

pub(crate) fn run(options: &Calibrate) -> Result<(), Failure> {
    check_apart(&[&options.csv], &[&options.out])?;
    check(&options.out)?;
    let loaded = load(&options.model)?.sampled(&options.sampling)?;
    let cells = Cells::read(&options.csv)?;
    let (cells, left_out) = loaded.encoding.with_target(&cells)?;
    note_left_out(left_out, &loaded.encoding);
    if let Some(column) = &loaded.encoding.censoring {
        let problem = format!("the model was trained on rows that `{}` censors", column.name);
        let help = "calibration compares predictions with targets that are known";
        return Err(Failure::options(problem, help));
    }
    let (table, notes) = loaded.table(&cells)?;
    notes.iter().for_each(|text| note(text));
    let prediction = loaded.predict(&cells, &table.x, table.x_variance.as_ref())?;
    let mut text = format!("rows                    {}\n", table.x.rows());
    let calibration = Calibration::fit(&prediction, &table.y)?;
    match (&calibration, &prediction, &table.y) {
        (Some(Calibration::Numbers(calibration)), Prediction::Real(p), Targets::Real(y)) => {
            // Of all targets of a row, as `evaluate` has it.
            let likelihood = |p: &RealPrediction| y.columns() as f64 * p.mean_log_density(y);
            let [before, after] = [p, &calibration.scaled(p)?].map(likelihood);
            let factors = calibration.factors().into_iter().zip(calibration.factor_errors());
            for ((factor, error), target) in factors.zip(loaded.encoding.targets()) {
                let range = range(factor, error);
                let of = match y.columns() {
                    1 => String::new(),
                    _ => format!(", `{}`", target.name),
                };
                let _ = writeln!(text, "standard deviations by  {factor:.4} ({range}){of}");
            }
            let _ = writeln!(text, "log likelihood of a row {before:.4} before, {after:.4} after");
        }
        (
            Some(Calibration::Classes(calibration)),
            Prediction::Classes(p),
            Targets::Classes { labels, .. },
        ) => {
            let [before, after] =
                [p, &calibration.scaled(p)?].map(|p| class_score(p, labels).log_likelihood);
            let temperature = calibration.temperature();
            let range = range(temperature, calibration.temperature_error());
            let _ = writeln!(text, "temperature             {temperature:.4} ({range})");
            let _ = writeln!(text, "log likelihood of a row {before:.4} before, {after:.4} after");
        }
        _ => {
            let problem = "the model predicts another kind of target than the table has";
            return Err(Failure::file(&options.csv, problem, "use the table's own model"));
        }
    }
    let mut notes = loaded.encoding.notes();
    notes.extend(calibration.iter().flat_map(Calibration::notes));
    let store = |source| Failure::Model { path: options.out.clone(), source };
    loaded.model.save(&options.out, &notes).map_err(store)?;
    deliver(&text, None)
}

/// The interval that holds a factor with 90 % probability, given the standard deviation of its logarithm.
fn range(factor: f64, error: f64) -> String {
    let [low, high] = [-1.645, 1.645].map(|z: f64| factor * (z * error).exp());
    format!("90 %: {low:.4} to {high:.4}")
}
