//! The experiments' pictures as SVG: a band around a function, a reliability diagram, accuracy by samples.

use std::error::Error;
use std::ops::Range;

use gaussform_bnn::CalibrationPoint;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::failure::Failure;

const INK: RGBColor = RGBColor(38, 50, 56);
const FAINT: RGBColor = RGBColor(236, 239, 241);
const MUTED: RGBColor = RGBColor(144, 164, 174);
const BLUE: RGBColor = RGBColor(66, 133, 180);
const ORANGE: RGBColor = RGBColor(214, 110, 40);

/// An empty area on white.
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A chart of pairs of numbers.
type Chart<'a, X> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, RangedCoordf64>>;

/// The SVG of a picture of some size in pixels.
fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), Box<dyn Error>>,
) -> Result<String, Failure> {
    let mut svg = String::new();
    let whole = || {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        draw(&root)?;
        Ok(root.present()?)
    };
    whole().map_err(|e: Box<dyn Error>| Failure::Picture(e.to_string()))?;
    Ok(svg)
}

/// A chart with a caption, its axes and what they mean. Labels of y are `room` pixels wide.
fn chart<'a, X: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    root: &Area<'a>,
    caption: &str,
    x: impl AsRangedCoord<CoordDescType = X, Value = f64>,
    y: Range<f64>,
    room: u32,
    [x_meaning, y_meaning]: [&str; 2],
) -> Result<Chart<'a, X>, Box<dyn Error>> {
    let font = |size: u32| ("sans-serif", size).into_font().color(&INK);
    let mut chart = ChartBuilder::on(root)
        .caption(caption, font(18))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(room)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(FAINT)
        .axis_style(MUTED)
        .axis_desc_style(font(15))
        .label_style(font(13))
        .x_desc(x_meaning)
        .y_desc(y_meaning)
        .draw()?;
    Ok(chart)
}

/// The lowest and the highest one of some numbers.
fn extent(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    numbers.fold([f64::MAX, f64::MIN], |[low, high], y| [low.min(y), high.max(y)])
}

/// A function with a band of uncertainty. All slices are as long as `x`, which ascends.
pub(crate) struct Band<'a> {
    pub(crate) caption: &'a str,
    pub(crate) x: &'a [f64],
    pub(crate) truth: &'a [f64],
    pub(crate) mean: &'a [f64],
    /// The standard deviation that the weights bring, and the standard deviation with noise.
    pub(crate) sd_weights: &'a [f64],
    pub(crate) sd: &'a [f64],
    /// The data as pairs of x and y.
    pub(crate) points: &'a [[f64; 2]],
}

/// A picture of the mean with two standard deviations on either side.
pub(crate) fn band(band: &Band<'_>) -> Result<String, Failure> {
    let edge = |sign: f64, sd: &[f64]| -> Vec<(f64, f64)> {
        let at = |((x, m), sd): ((&f64, &f64), &f64)| (*x, m + sign * 2.0 * sd);
        band.x.iter().zip(band.mean).zip(sd).map(at).collect()
    };
    let line = |y: &[f64]| band.x.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
    let [low, high] =
        extent([-1.0, 1.0].iter().flat_map(|sign| edge(*sign, band.sd)).map(|(_, y)| y));
    let (left, right) = (band.x.first().copied(), band.x.last().copied());
    let across = left.unwrap_or(0.0)..right.unwrap_or(1.0);
    svg((760, 460), |root| {
        let heights = "mean ± 2 standard deviations: of the weights (dark), with noise (light)";
        let mut chart = chart(root, band.caption, across, low..high, 54, ["x", heights])?;
        for (sd, share) in [(band.sd, 0.18), (band.sd_weights, 0.30)] {
            let mut outline = edge(1.0, sd);
            outline.extend(edge(-1.0, sd).into_iter().rev());
            chart.draw_series([Polygon::new(outline, BLUE.mix(share))])?;
        }
        chart.draw_series(LineSeries::new(line(band.truth), MUTED.stroke_width(1)))?;
        chart.draw_series(LineSeries::new(line(band.mean), BLUE.stroke_width(2)))?;
        let circle = |[x, y]: &[f64; 2]| Circle::new((*x, *y), 3, ORANGE.filled());
        chart.draw_series(band.points.iter().map(circle))?;
        Ok(())
    })
}

/// A reliability diagram: accuracy against confidence, bin by bin.
pub(crate) fn reliability(caption: &str, points: &[CalibrationPoint]) -> Result<String, Failure> {
    svg((480, 480), |root| {
        let axes = ["confidence", "accuracy"];
        let mut chart = chart(root, caption, 0.0..1.0, 0.0..1.0, 54, axes)?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], MUTED.stroke_width(1)))?;
        let line = points.iter().map(|p| (p.promised, p.observed));
        chart.draw_series(LineSeries::new(line.clone(), BLUE.stroke_width(2)))?;
        chart.draw_series(line.map(|at| Circle::new(at, 4, BLUE.filled())))?;
        Ok(())
    })
}

/// Accuracies of averages of sampled networks beside that of a deterministic prediction, in %.
pub(crate) struct Averages<'a> {
    pub(crate) caption: &'a str,
    pub(crate) deterministic: f64,
    /// Number of samples, accuracy of their average, and its standard deviation, in ascending order.
    pub(crate) sampled: &'a [(f64, f64, f64)],
}

/// A picture of accuracy against the number of samples, with one standard deviation on either side.
pub(crate) fn averages(averages: &Averages<'_>) -> Result<String, Failure> {
    let edge = |sign: f64| averages.sampled.iter().map(move |(n, mean, sd)| (*n, mean + sign * sd));
    let heights = edge(-1.0).chain(edge(1.0)).map(|(_, y)| y);
    let [low, high] = extent(heights.chain([averages.deterministic]));
    let room = 0.05 * (high - low).max(0.1);
    let most = averages.sampled.last().map_or(1.0, |(n, ..)| *n);
    let samples = (0.8..1.25 * most).log_scale().base(2.0);
    svg((640, 400), |root| {
        let axes = ["samples", "accuracy %: deterministic (orange), sampled ± sd (blue)"];
        let y = low - room..high + room;
        let mut chart = chart(root, averages.caption, samples, y, 60, axes)?;
        let outline = edge(1.0).chain(edge(-1.0).collect::<Vec<_>>().into_iter().rev());
        chart.draw_series([Polygon::new(outline.collect::<Vec<_>>(), BLUE.mix(0.18))])?;
        let line = averages.sampled.iter().map(|(n, mean, _)| (*n, *mean));
        chart.draw_series(LineSeries::new(line.clone(), BLUE.stroke_width(2)))?;
        chart.draw_series(line.map(|at| Circle::new(at, 3, BLUE.filled())))?;
        let across = [0.8, 1.25 * most].map(|n| (n, averages.deterministic));
        chart.draw_series(LineSeries::new(across, ORANGE.stroke_width(2)))?;
        Ok(())
    })
}
