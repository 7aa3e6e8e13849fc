//! The picture: predictions against the truth, and where their uncertainty comes from.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::experiment::{Failure, Outcome};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const INK: RGBColor = RGBColor(38, 50, 56);
const FAINT: RGBColor = RGBColor(236, 239, 241);
const MUTED: RGBColor = RGBColor(144, 164, 174);
const HIDDEN: RGBColor = RGBColor(66, 133, 180);
const OUTPUT: RGBColor = RGBColor(125, 190, 165);
const NOISE: RGBColor = RGBColor(244, 190, 120);

/// One test row, in original units.
struct Point {
    truth: f64,
    mean: f64,
    sd: f64,
    /// The three parts of the variance: from A, from B, noise.
    parts: [f64; 3],
}

/// Draws the first split of `outcome` into the file `path`, which is written whole or not at all.
pub(crate) fn write(path: &Path, outcome: &Outcome<'_>) -> Result<(), Failure> {
    let points = points(outcome);
    let mut svg = String::new();
    draw(&mut svg, &outcome.set.name, &points).map_err(|e| e.to_string())?;
    replace(path, &svg).map_err(|e| format!("{}: cannot be written: {e}", path.display()).into())
}

/// Whether a file can be put at `path`.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if !folder.is_dir() || path.is_dir() || path.file_name().is_none() {
        return Err(
            format!("{}: --out must name a file in an existing folder", path.display()).into()
        );
    }
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("svg")) {
        return Err(format!(
            "{}: the picture is an SVG; give --out a name in .svg",
            path.display()
        )
        .into());
    }
    Ok(())
}

fn points(outcome: &Outcome<'_>) -> Vec<Point> {
    let Some(trial) = outcome.trials.first() else { return Vec::new() };
    let (fold, prediction) = (&trial.fold, &trial.prediction);
    let unit = fold.target.sd.powi(2);
    let mean = fold.means(&prediction.mean);
    let parts = prediction.from_hidden.iter().zip(&prediction.from_output);
    let mut points: Vec<Point> = parts
        .zip(mean.iter().zip(&fold.y_test))
        .map(|((a, b), (&mean, &truth))| {
            let parts = [a * unit, b * unit, prediction.noise * unit];
            Point { truth, mean, sd: parts.iter().sum::<f64>().sqrt(), parts }
        })
        .collect();
    points.sort_by(|a, b| a.truth.total_cmp(&b.truth));
    points
}

fn draw(svg: &mut String, name: &str, points: &[Point]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::with_string(svg, (1180, 620)).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(620);
    against_truth(&left, name, points)?;
    let (top, _) = right.split_vertically(620);
    composition(&top, points)?;
    root.present()?;
    Ok(())
}

/// A number without needless digits.
fn tick(value: &f64) -> String {
    let digits = format!("{value:.3}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// Predictive mean ± 2 standard deviations against the truth.
fn against_truth(area: &Area<'_>, name: &str, points: &[Point]) -> Result<(), Box<dyn Error>> {
    let ends = points.iter().flat_map(|p| [p.truth, p.mean - 2.0 * p.sd, p.mean + 2.0 * p.sd]);
    let (low, high) = ends.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let margin = 0.04 * (high - low);
    let range = low - margin..high + margin;
    let mut chart = ChartBuilder::on(area)
        .caption(format!("Prediction against truth: {name}, held-out rows"), font(20))
        .margin(18)
        .x_label_area_size(50)
        .y_label_area_size(64)
        .build_cartesian_2d(range.clone(), range.clone())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(FAINT)
        .axis_style(MUTED)
        .axis_desc_style(font(16))
        .label_style(font(14))
        .x_desc("true value")
        .y_desc("predictive mean ± 2 standard deviations")
        .x_label_formatter(&tick)
        .y_label_formatter(&tick)
        .draw()?;
    let identity = [(range.start, range.start), (range.end, range.end)];
    chart.draw_series(LineSeries::new(identity, MUTED.stroke_width(1)))?;
    let bar = |p: &Point| {
        let ends = [-2.0, 2.0].map(|z| (p.truth, p.mean + z * p.sd));
        PathElement::new(ends.to_vec(), HIDDEN.mix(0.45).stroke_width(2))
    };
    chart.draw_series(points.iter().map(bar))?;
    let dot = |p: &Point| Circle::new((p.truth, p.mean), 4, HIDDEN.filled());
    chart.draw_series(points.iter().map(dot))?;
    Ok(())
}

/// The three parts of each predictive variance, as shares of it.
fn composition(area: &Area<'_>, points: &[Point]) -> Result<(), Box<dyn Error>> {
    let mut chart = ChartBuilder::on(area)
        .caption("Where the predictive variance comes from", font(20))
        .margin(18)
        .margin_bottom(42)
        .x_label_area_size(26)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..points.len() as f64, 0.0..100.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(WHITE)
        .bold_line_style(FAINT)
        .axis_style(MUTED)
        .axis_desc_style(font(16))
        .label_style(font(14))
        .x_labels(0)
        .x_desc("held-out rows, in order of their true value")
        .y_desc("share of the variance, %")
        .y_label_formatter(&tick)
        .draw()?;
    for (i, point) in points.iter().enumerate() {
        let total: f64 = point.parts.iter().sum();
        let mut bottom = 0.0;
        for (part, colour) in point.parts.iter().zip([HIDDEN, OUTPUT, NOISE]) {
            let top = bottom + 100.0 * part / total;
            let corners = [(i as f64 + 0.08, bottom), (i as f64 + 0.92, top)];
            chart.draw_series([Rectangle::new(corners, colour.filled())])?;
            bottom = top;
        }
    }
    let legend = [
        ("weights into the hidden layer, A", HIDDEN),
        ("weights out of it, B", OUTPUT),
        ("noise, 1/β", NOISE),
    ];
    let left = Pos::new(HPos::Left, VPos::Center);
    for ((label, colour), x) in legend.into_iter().zip([80, 320, 470]) {
        let y = 596;
        area.draw(&Rectangle::new([(x, y - 6), (x + 12, y + 6)], colour.filled()))?;
        area.draw(&Text::new(label, (x + 18, y), font(14).pos(left)))?;
    }
    Ok(())
}

/// Puts `content` in the place of the file `path` in one step.
fn replace(path: &Path, content: &str) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.part", process::id()));
    let written = fs::write(&beside, content).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&beside);
    }
    written
}
