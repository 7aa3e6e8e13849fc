//! `evaluate`.

use std::fmt::Write;

use gaussform_bnn::{
    CalibrationPoint, ClassPrediction, Prediction, RealPrediction, Targets, class_score, coverage,
    crps, rmse,
};

use crate::args::Evaluate;
use crate::failure::Failure;
use crate::output::{check, deliver, load, note, note_left_out};
use crate::picture;
use crate::table::Cells;

pub(crate) fn run(options: &Evaluate) -> Result<(), Failure> {
    if let Some(svg) = &options.svg {
        check(svg)?;
    }
    let loaded = load(&options.model)?.sampled(&options.sampling)?;
    let cells = Cells::read(&options.csv)?;
    let (cells, left_out) = loaded.encoding.with_target(&cells)?;
    note_left_out(left_out, &loaded.encoding.target.name);
    let (table, notes) = loaded.encoding.table(&cells)?;
    notes.iter().for_each(|text| note(text));
    let mut prediction = loaded.predict(&cells, &table.x, table.x_variance.as_ref())?;
    if let Some(calibration) = &loaded.calibration {
        prediction = calibration.scaled(&prediction)?;
    }
    let (text, points, axes) = match (prediction, &table.y) {
        (Prediction::Real(p), Targets::Real(y)) => {
            let (text, points) = numbers(&p, y);
            (text, points, ["probability of the interval", "share of the rows inside"])
        }
        (Prediction::Classes(p), Targets::Classes { labels, .. }) => {
            let (text, points) = classes(&p, labels);
            (text, points, ["probability of the class", "share of the rows that are of it"])
        }
        _ => {
            let problem = "the model predicts another kind of target than the table has";
            return Err(Failure::file(&options.csv, problem, "use the table's own model"));
        }
    };
    if let Some(path) = &options.svg {
        let svg = picture::calibration(&points, axes)
            .map_err(|e| Failure::file(path, format!("cannot be drawn: {e}"), "report this"))?;
        deliver(&svg, Some(path))?;
    }
    deliver(&text, None)
}

fn numbers(p: &RealPrediction, y: &gaussform_bnn::Matrix) -> (String, Vec<CalibrationPoint>) {
    let points = coverage(p, y);
    let mut out = String::new();
    let rows = y.rows();
    let likelihood = p.mean_log_density(y);
    let error = rmse(p.mean.values(), y.values());
    let _ = writeln!(out, "rows                     {rows}");
    let _ = writeln!(out, "log likelihood of a row  {likelihood:.4}");
    let _ = writeln!(out, "root mean squared error  {error:.6}");
    let _ = writeln!(out, "CRPS                     {:.6}", crps(p, y));
    for promised in [0.5, 0.9, 0.95] {
        let point = points.iter().find(|c| (c.promised - promised).abs() < 1e-9);
        if let Some(point) = point {
            let (promised, observed) = (100.0 * promised, 100.0 * point.observed);
            let _ = writeln!(out, "inside {promised:.0} % intervals     {observed:.1} %");
        }
    }
    (out, points)
}

fn classes(p: &ClassPrediction, labels: &[usize]) -> (String, Vec<CalibrationPoint>) {
    let score = class_score(p, labels);
    let mut out = String::new();
    let _ = writeln!(out, "rows                       {}", labels.len());
    let _ = writeln!(out, "log likelihood of a row    {:.4}", score.log_likelihood);
    let _ = writeln!(out, "error                      {:.2} %", 100.0 * score.error);
    let _ = writeln!(out, "Brier score                {:.4}", score.brier);
    let _ = writeln!(out, "expected calibration error {:.4}", score.calibration_error);
    (out, score.calibration)
}
