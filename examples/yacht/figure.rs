//! The picture: predictions against the truth, and where their uncertainty comes from.

use std::ops::Range;
use std::path::Path;

use gaussform_bnn::Matrix;
use gaussform_picture::{Axis, Ink, Panel, Picture, Sign};

use crate::experiment::{Failure, Outcome};

/// Width and height of each of the two panels.
const SIZE: [f64; 2] = [590.0, 560.0];

/// The parts of the variance.
const PARTS: [(Sign, Ink, &str); 3] = [
    (Sign::Bar, Ink::Main, "weights into the hidden layer, A"),
    (Sign::Bar, Ink::Other, "weights out of it, B"),
    (Sign::Bar, Ink::Muted, "noise, 1/β"),
];

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
    let panels = [against_truth(&outcome.set.name, &points), composition(&points)];
    let picture = Picture::sheet(&panels, 2, "Predictions of a Bayesian neural network");
    gaussform_bnn::write_whole(path, picture.to_svg().as_bytes())
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

    fn axis(self, label: &str) -> Axis {
        let range: Range<f64> = self.at(self.low)..self.at(self.high);
        if self.logarithmic { Axis::logarithms(label, range) } else { Axis::plain(label, range) }
    }
}

/// Predictive mean ± 2 standard deviations against the truth.
fn against_truth(name: &str, points: &[Point]) -> Picture {
    let scale = Scale::new(points);
    let inside = points.iter().filter(|p| (p.truth - p.mean).abs() <= 2.0 * p.sd).count();
    let title = format!("{name}, held-out rows: {inside} of {} inside their bars", points.len());
    let description = format!(
        "The predictive mean against the true value, from {:.3} to {:.3}, with a bar of two standard deviations on \
         either side.",
        points.first().map_or(0.0, |p| p.truth),
        points.last().map_or(0.0, |p| p.truth)
    );
    let axes = ["true value", "predicted value"].map(|label| scale.axis(label));
    let mut panel = Panel::new(SIZE, &title, description, axes);
    let ends = [scale.low, scale.high].map(|value| [scale.at(value); 2]);
    panel.curve(&ends, Ink::Muted, 1.2, true);
    for p in points {
        let ends = [-2.0, 2.0].map(|z| [scale.at(p.truth), scale.at(p.mean + z * p.sd)]);
        panel.curve(&ends, Ink::Main, 1.2, false);
        panel.dot([scale.at(p.truth), scale.at(p.mean)], Ink::Main, true);
    }
    panel.legend(&[
        (Sign::Dot, Ink::Main, "predictive mean"),
        (Sign::Line, Ink::Main, "± 2 standard deviations"),
        (Sign::Dashed, Ink::Muted, "prediction = truth"),
    ])
}

/// The three parts of each predictive variance, as shares of it.
fn composition(points: &[Point]) -> Picture {
    let share = |part: usize| {
        let shares = points.iter().map(|p| p.parts[part] / p.parts.iter().sum::<f64>());
        100.0 * shares.sum::<f64>() / points.len() as f64
    };
    let description = format!(
        "A bar for each held-out row. On average {:.0} % of the variance come from A, {:.0} % from B, {:.0} % from \
         noise.",
        share(0),
        share(1),
        share(2)
    );
    let axes = [
        Axis::plain("held-out rows, in order of their true value", 0.0..points.len() as f64),
        Axis::plain("share of the variance, %", 0.0..100.0),
    ];
    let title = "Where the predictive variance comes from";
    let mut panel = Panel::new(SIZE, title, description, axes);
    for (i, point) in points.iter().enumerate() {
        let total: f64 = point.parts.iter().sum();
        let mut bottom = 0.0;
        for (part, (_, ink, _)) in point.parts.iter().zip(PARTS) {
            let top = bottom + 100.0 * part / total;
            panel.bar([[i as f64 + 0.08, bottom], [i as f64 + 0.92, top]], ink);
            bottom = top;
        }
    }
    panel.legend(&PARTS)
}
