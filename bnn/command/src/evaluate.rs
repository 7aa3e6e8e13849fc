//! The command `evaluate`: scores of predictions against the truth, and a picture of their calibration.

use std::fmt::Write;

use gaussform_bnn::{
    CalibrationPoint, Censoring, ClassPrediction, Matrix, Prediction, RealPrediction, Targets,
    class_score, coverage, crps, rmse,
};
use gaussform_picture::calibration;

use crate::args::Evaluate;
use crate::encoding::Encoding;
use crate::failure::Failure;
use crate::output::{check, check_apart, deliver, load, note, note_left_out};
use crate::table::Cells;

pub(crate) fn run(options: &Evaluate) -> Result<(), Failure> {
    if let Some(svg) = &options.svg {
        check_apart(&[&options.model, &options.csv], &[svg])?;
        check(svg)?;
    }
    let loaded = load(&options.model)?.sampled(&options.sampling)?;
    let cells = Cells::read(&options.csv)?;
    let (cells, left_out) = loaded.encoding.with_target(&cells)?;
    note_left_out(left_out, &loaded.encoding);
    let (table, notes) = loaded.table(&cells)?;
    notes.iter().for_each(|text| note(text));
    let mut prediction = loaded.predict(&cells, &table.x, table.x_variance.as_ref())?;
    if let Some(calibration) = &loaded.calibration {
        prediction = calibration.scaled(&prediction)?;
    }
    let (text, points, axes) = match (prediction, &table.y) {
        (Prediction::Real(p), Targets::Real(y)) => {
            if options.svg.is_some() && table.censored.is_some() {
                let problem =
                    "--svg is for targets that are known: of censored ones no share is promised";
                return Err(Failure::options(problem, "leave it out"));
            }
            let (text, points) = match &table.censored {
                Some(censored) => with_censored(&p, y.values(), censored),
                None => numbers(&p, y, &loaded.encoding),
            };
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
        let points: Vec<[f64; 2]> = points.iter().map(|p| [p.promised, p.observed]).collect();
        deliver(&calibration("Calibration", axes, &points).to_svg(), Some(path))?;
    }
    deliver(&text, None)
}

/// Scores of all rows, and then of each target if there are several.
fn numbers(p: &RealPrediction, y: &Matrix, encoding: &Encoding) -> (String, Vec<CalibrationPoint>) {
    let targets = y.columns();
    let mut out = String::new();
    let _ = writeln!(out, "rows                     {}", y.rows());
    if targets == 1 {
        out += &scores(p, y);
        return (out, coverage(p, y));
    }
    let likelihood = targets as f64 * p.mean_log_density(y);
    let _ = writeln!(out, "log likelihood of a row  {likelihood:.4}");
    for (j, target) in encoding.targets().enumerate() {
        let _ = writeln!(out, "\n{}", target.name);
        // One column of any numbers is a matrix.
        if let Ok(column) = Matrix::new(1, y.iter().map(|row| row[j]).collect()) {
            out += &scores(&p.target(j), &column);
        }
    }
    (out, coverage(p, y))
}

/// Scores of one target.
fn scores(p: &RealPrediction, y: &Matrix) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "log likelihood of a row  {:.4}", p.mean_log_density(y));
    let _ = writeln!(out, "root mean squared error  {}", digits(rmse(p.mean.values(), y.values())));
    let _ = writeln!(out, "CRPS                     {}", digits(crps(p, y)));
    let points = coverage(p, y);
    for promised in [0.5, 0.9, 0.95] {
        let point = points.iter().find(|c| (c.promised - promised).abs() < 1e-9);
        if let Some(point) = point {
            let (promised, observed) = (100.0 * promised, 100.0 * point.observed);
            let _ = writeln!(out, "inside {promised:.0} % intervals     {observed:.1} %");
        }
    }
    out
}

/// A number in the units of the target: with six decimals, or six digits where these would show less or far more.
fn digits(value: f64) -> String {
    if value == 0.0 || (1e-3..1e9).contains(&value.abs()) {
        format!("{value:.6}")
    } else {
        format!("{value:.5e}")
    }
}

/// A row whose target is not known has the likelihood of what it says of it; errors are those of the other rows.
fn with_censored(
    p: &RealPrediction,
    y: &[f64],
    censored: &[Censoring],
) -> (String, Vec<CalibrationPoint>) {
    let mut total = 0.0;
    for ((d, y), censoring) in p.distributions().iter().zip(y).zip(censored) {
        total += match censoring {
            Censoring::Known => d.log_density(*y),
            // A probability that rounds to 0 would make the mean over all rows −∞.
            Censoring::AtLeast => d.survival(*y).max(f64::MIN_POSITIVE).ln(),
            Censoring::AtMost => d.cdf(*y).max(f64::MIN_POSITIVE).ln(),
            Censoring::Until { upper } => (d.cdf(*upper) - d.cdf(*y)).max(f64::MIN_POSITIVE).ln(),
        };
    }
    let known: Vec<usize> = (0..y.len()).filter(|i| censored[*i] == Censoring::Known).collect();
    let mut out = String::new();
    let _ = writeln!(out, "rows                     {}", y.len());
    let _ = writeln!(out, "censored rows            {}", y.len() - known.len());
    let _ = writeln!(out, "log likelihood of a row  {:.4}", total / y.len() as f64);
    if known.is_empty() {
        let _ = writeln!(out, "no target is known, so that predictions have no error");
        return (out, Vec::new());
    }
    let mean: Vec<f64> = known.iter().map(|i| p.mean.values()[*i]).collect();
    let truth: Vec<f64> = known.iter().map(|i| y[*i]).collect();
    let crps = known.iter().map(|i| p.distributions()[*i].crps(y[*i])).sum::<f64>();
    let _ = writeln!(out, "of those that are known");
    let _ = writeln!(out, "root mean squared error  {}", digits(rmse(&mean, &truth)));
    let _ = writeln!(out, "CRPS                     {}", digits(crps / known.len() as f64));
    // Known rows are those with small targets: no share of them is promised.
    (out, Vec::new())
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
