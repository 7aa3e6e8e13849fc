//! The picture: predictions against the truth, and where their uncertainty comes from.

use std::error::Error;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use gaussform_bnn::Matrix;

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
    gaussform_bnn::write_whole(path, svg.as_bytes())
        .map_err(|e| format!("{}: cannot be written: {e}", path.display()).into())
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
    let p = &trial.prediction;
    let parts = [&p.from_below, &p.from_last, &p.noise].map(Matrix::values);
    let mut points: Vec<Point> = (0..trial.fold.y_test.len())
        .map(|i| {
            let parts = parts.map(|part| part[i]);
            let sd = parts.iter().sum::<f64>().sqrt();
            Point { truth: trial.fold.y_test[i], mean: p.mean.values()[i], sd, parts }
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

/// How a number is drawn: as it is, or its logarithm where numbers span orders of magnitude.
#[derive(Clone, Copy)]
struct Scale {
    logarithmic: bool,
    /// The least number that is drawn; what lies below is cut off there.
    low: f64,
    high: f64,
}

impl Scale {
    fn new(points: &[Point]) -> Self {
        let ends = |f: &dyn Fn(&Point) -> [f64; 2]| {
            let all = points.iter().flat_map(f);
            all.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)))
        };
        let (least, most) = ends(&|p| [p.truth, p.truth]);
        let (low, high) = ends(&|p| [(p.mean - 2.0 * p.sd).min(p.truth), p.mean + 2.0 * p.sd]);
        let high = high.max(most);
        if least > 0.0 && most > 50.0 * least {
            Self { logarithmic: true, low: 0.5 * least, high: 1.3 * high }
        } else {
            let margin = 0.04 * (high - low);
            Self { logarithmic: false, low: low - margin, high: high + margin }
        }
    }

    fn at(self, value: f64) -> f64 {
        let value = value.max(self.low);
        if self.logarithmic { value.log10() } else { value }
    }

    fn label(self, at: &f64) -> String {
        if self.logarithmic { tick(&10f64.powf(*at)) } else { tick(at) }
    }
}

/// Predictive mean ± 2 standard deviations against the truth.
fn against_truth(area: &Area<'_>, name: &str, points: &[Point]) -> Result<(), Box<dyn Error>> {
    let scale = Scale::new(points);
    let range = scale.at(scale.low)..scale.at(scale.high);
    let inside = points.iter().filter(|p| (p.truth - p.mean).abs() <= 2.0 * p.sd).count();
    let caption = format!("{name}, held-out rows: {inside} of {} inside their bars", points.len());
    let mut chart = ChartBuilder::on(area)
        .caption(caption, font(20))
        .margin(18)
        .x_label_area_size(50)
        .y_label_area_size(64)
        .build_cartesian_2d(range.clone(), range.clone())?;
    let scaled = if scale.logarithmic { ", logarithmic" } else { "" };
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(FAINT)
        .axis_style(MUTED)
        .axis_desc_style(font(16))
        .label_style(font(14))
        .x_desc(format!("true value{scaled}"))
        .y_desc("predictive mean ± 2 standard deviations")
        .x_label_formatter(&|at| scale.label(at))
        .y_label_formatter(&|at| scale.label(at))
        .draw()?;
    let identity = [(range.start, range.start), (range.end, range.end)];
    chart.draw_series(LineSeries::new(identity, MUTED.stroke_width(1)))?;
    let bar = |p: &Point| {
        let ends = [-2.0, 2.0].map(|z| (scale.at(p.truth), scale.at(p.mean + z * p.sd)));
        PathElement::new(ends.to_vec(), HIDDEN.mix(0.45).stroke_width(2))
    };
    chart.draw_series(points.iter().map(bar))?;
    let dot = |p: &Point| Circle::new((scale.at(p.truth), scale.at(p.mean)), 4, HIDDEN.filled());
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
