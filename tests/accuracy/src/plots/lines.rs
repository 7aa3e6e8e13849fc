//! Errors along a line: the kernels beside the closed forms, and the kernels where they change their
//! way of computing.

use std::ops::Range;

use gaussform_accuracy::error::{Measure, Precision};
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::real::to_f64;
use gaussform_accuracy::registry::Entry;
use gaussform_codegen::ACCURACY;
use plotters::prelude::*;

use super::Failure;
use super::chart::{
    Area, DOUBLE, INK, NEGATIVE, Panel, SINGLE, TEXTBOOK, font, legend, level, panel,
};
use crate::textbook::{self, Plain, distance};

/// Of so many neighbouring points the largest error is drawn.
const GROUP: usize = 5;
/// So many groups lie along an axis.
const GROUPS: usize = 440;

/// Logarithms of the errors that panels beside the closed forms reach to.
const TALL: Range<f64> = -1.0..17.0;
/// Logarithms of the errors that panels of the kernels alone reach to.
const LOW: Range<f64> = -1.0..3.0;

/// Points: the place on the axis, its error, whether it is negative where that
/// cannot be.
type Marks = Vec<(f64, f64, bool)>;

/// A quantity along a line of γ.
struct Line<'a> {
    entry: &'a Entry,
    closed: fn(f64, f64) -> [f64; 2],
    /// 0 for the mean, 1 for the variance.
    output: usize,
    xi: f64,
    gamma: Range<f64>,
}

impl Line<'_> {
    fn places<T: Precision>(&self) -> (Vec<T>, Vec<T>) {
        let xi2 = T::from_f64(self.xi * self.xi);
        let all = steps(&self.gamma).map(|gamma| (T::from_f64(gamma), xi2));
        all.unzip()
    }

    fn kernels<T: Precision>(&self, oracle: &Oracle) -> Marks {
        let (gamma, xi2) = self.places::<T>();
        let values = T::kernels(self.entry).batch(&gamma, &xi2);
        self.marks(oracle, &gamma, &xi2, &values[self.output])
    }

    fn textbook(&self, oracle: &Oracle) -> Marks {
        let (gamma, xi2) = self.places::<f64>();
        let both = gamma.iter().zip(&xi2);
        let values: Vec<f64> = both.map(|(a, b)| (self.closed)(*a, *b)[self.output]).collect();
        self.marks(oracle, &gamma, &xi2, &values)
    }

    fn marks<T: Precision>(&self, oracle: &Oracle, gamma: &[T], xi2: &[T], values: &[T]) -> Marks {
        let quantity = 2 * self.output;
        let mark = |i: usize| {
            let truth = oracle.truth(&self.entry.function, gamma[i].to_f64(), xi2[i].to_f64());
            let error = distance(&Measure::new(&truth), quantity, values[i]);
            (gamma[i].to_f64(), error, self.output == 1 && values[i] < T::ZERO)
        };
        (0..gamma.len()).map(mark).collect()
    }

    fn draw(
        &self,
        oracle: &Oracle,
        area: &Area<'_>,
        title: &str,
        label: &str,
    ) -> Result<(), Failure> {
        let mut panel = panel(area, title, label, self.gamma.clone(), TALL)?;
        level(&mut panel, &self.gamma, 1.0 / f64::EPSILON, "no digit right in f64", 0.88)?;
        level(&mut panel, &self.gamma, ACCURACY, "32 ulp", 0.25)?;
        let closed = self.textbook(oracle);
        curve(&mut panel, &closed, TEXTBOOK.stroke_width(2), &TALL)?;
        curve(&mut panel, &self.kernels::<f32>(oracle), SINGLE.stroke_width(3), &TALL)?;
        curve(&mut panel, &self.kernels::<f64>(oracle), DOUBLE.stroke_width(1), &TALL)?;
        let width = (self.gamma.end - self.gamma.start) / length(GROUPS);
        let negative = closed.iter().filter(|mark| mark.2).map(|(x, ..)| {
            let ends = [(x - 0.5 * width, TALL.end - 0.35), (x + 0.5 * width, TALL.end)];
            Rectangle::new(ends, NEGATIVE.filled())
        });
        panel.draw_series(negative.step_by(2))?;
        Ok(())
    }
}

#[allow(clippy::cast_precision_loss, reason = "some thousands")]
fn length(n: usize) -> f64 {
    n as f64
}

/// Places along an axis, no round numbers among them.
fn steps(range: &Range<f64>) -> impl Iterator<Item = f64> {
    let (start, n) = (range.start, GROUP * GROUPS);
    let step = (range.end - range.start) / length(n);
    (0..n).map(move |i| start + step * (length(i) + 0.5))
}

/// The largest errors of each group.
fn curve(
    panel: &mut Panel<'_, '_>,
    marks: &[(f64, f64, bool)],
    style: ShapeStyle,
    range: &Range<f64>,
) -> Result<(), Failure> {
    let point = |group: &[(f64, f64, bool)]| {
        let error = group.iter().map(|mark| mark.1).fold(0.0, f64::max);
        (group[group.len() / 2].0, error.log10().clamp(range.start, range.end))
    };
    let points: Vec<(f64, f64)> = marks.chunks(GROUP).map(point).collect();
    panel.draw_series(LineSeries::new(points, style))?;
    Ok(())
}

/// Two panels side by side with a legend below.
fn picture(
    draw: impl FnOnce(&[Area<'_>; 2]) -> Result<(), Failure>,
    entries: &[(i32, RGBColor, &str)],
) -> Result<String, Failure> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (1180, 500)).into_drawing_area();
        root.fill(&WHITE)?;
        let (panels, _) = root.split_vertically(462);
        let (left, right) = panels.split_horizontally(590);
        draw(&[left, right])?;
        legend(&root, 478, entries)?;
        root.present()?;
    }
    Ok(svg)
}

const BESIDE: [(i32, RGBColor, &str); 4] = [
    (84, DOUBLE, "kernel, f64 vectors"),
    (300, SINGLE, "kernel, f32 vectors (ulp of f32)"),
    (600, TEXTBOOK, "textbook form, f64"),
    (820, NEGATIVE, "textbook variance is negative"),
];

/// The mean and the variance of a ReLU.
pub(super) fn relu(oracle: &Oracle) -> Result<String, Failure> {
    let entry = textbook::entry("relu");
    let line = |output| Line {
        entry: &entry,
        closed: textbook::relu::<f64>,
        output,
        xi: 1.0,
        gamma: -40.0..10.0,
    };
    let draw = |[left, right]: &[Area<'_>; 2]| {
        line(0).draw(oracle, left, "ReLU: mean", "γ/ξ")?;
        line(1).draw(oracle, right, "ReLU: variance", "γ/ξ")
    };
    picture(draw, &BESIDE)
}

/// The variance of a hard tanh, narrow and wide.
pub(super) fn hard_tanh(oracle: &Oracle) -> Result<String, Failure> {
    let entry = textbook::entry("hard_tanh");
    let line = |xi| Line {
        entry: &entry,
        closed: textbook::hard_tanh::<f64>,
        output: 1,
        xi,
        gamma: -20.0..20.0,
    };
    let draw = |[left, right]: &[Area<'_>; 2]| {
        line(1.0).draw(oracle, left, "hard tanh: variance, ξ = 1", "γ")?;
        line(10.0).draw(oracle, right, "hard tanh: variance, ξ = 10", "γ")
    };
    picture(draw, &BESIDE)
}

/// Distances of γ from the middle of a piece, in units of ξ beyond its ends.
const PLACES: [f64; 7] = [0.0, 0.3, 0.7, 1.3, 2.2, 4.1, 7.3];
/// Widths of the piece in units of ξ.
const WIDTHS: Range<f64> = 0.5..20.0;
/// Of the places along the axis, one in so many is enough.
const SPARSE: usize = 2;
/// Below this width in units of ξ, over which the exponent of the density changes by less than 4 where γ is in the middle, the
/// curved piece that γ lies on is narrow.
const NARROW: f64 = 2.0 * std::f64::consts::SQRT_2;

/// The largest error of the variance for each width of the bounded piece.
fn by_width<T: Plain>(oracle: &Oracle, entry: &Entry) -> Marks {
    let knots: Vec<f64> = entry.function.knots.iter().map(to_f64).collect();
    let [from, to] = [knots[0], knots[1]];
    let (mut at, mut gamma, mut xi2) = (Vec::new(), Vec::new(), Vec::new());
    for width in steps(&WIDTHS).step_by(SPARSE) {
        let xi = (to - from) / width;
        let inside = [0.03, 0.26, 0.5, 0.81].map(|share| from + share * (to - from));
        let outside = PLACES.into_iter().flat_map(|z| [from - z * xi, to + z * xi]);
        for place in inside.into_iter().chain(outside) {
            at.push(width);
            gamma.push(T::from_f64(place));
            xi2.push(T::from_f64(xi * xi));
        }
    }
    let [_, variance] = T::kernels(entry).batch(&gamma, &xi2);
    let mut marks: Marks = Vec::new();
    for i in 0..at.len() {
        let truth = oracle.truth(&entry.function, gamma[i].to_f64(), xi2[i].to_f64());
        let error = Measure::new(&truth).error(2, variance[i]);
        match marks.last_mut() {
            Some(last) if last.0.total_cmp(&at[i]).is_eq() => last.1 = last.1.max(error),
            _ => marks.push((at[i], error, false)),
        }
    }
    marks
}

/// Variances of curved activations over the width of their bounded piece.
pub(super) fn widths(oracle: &Oracle) -> Result<String, Failure> {
    let one = |area: &Area<'_>, name: &str, title: &str| -> Result<(), Failure> {
        let entry = textbook::entry(name);
        let mut panel =
            panel(area, title, "width of the bounded piece, in units of ξ", WIDTHS, LOW)?;
        level(&mut panel, &WIDTHS, ACCURACY, "32 ulp", 0.25)?;
        let boundary = [(NARROW, LOW.start), (NARROW, LOW.end)];
        panel.draw_series(DashedLineSeries::new(boundary, 5, 4, INK.stroke_width(1)))?;
        let text = "γ on the piece: narrow until here";
        panel.draw_series([Text::new(text, (NARROW + 0.15, LOW.end - 0.15), font(13))])?;
        curve(&mut panel, &by_width::<f32>(oracle, &entry), SINGLE.stroke_width(4), &LOW)?;
        curve(&mut panel, &by_width::<f64>(oracle, &entry), DOUBLE.stroke_width(2), &LOW)?;
        Ok(())
    };
    let draw = |[left, right]: &[Area<'_>; 2]| {
        one(left, "smoothstep", "smoothstep (cubic): variance")?;
        one(right, "abs_square", "|x² − 2|: variance")
    };
    picture(
        draw,
        &[(84, DOUBLE, "kernel, f64 vectors"), (300, SINGLE, "kernel, f32 vectors (ulp of f32)")],
    )
}
