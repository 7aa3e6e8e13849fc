//! The experiments' pictures as SVG: a band around a function, a reliability diagram, accuracy by samples.

use std::ops::Range;

use gaussform_bnn::CalibrationPoint;
use gaussform_picture::{Axis, Ink, Panel, Picture, Position, Sign, calibration};

const SIZE: [f64; 2] = [760.0, 460.0];

/// From the lowest to the highest one of some numbers.
fn extent(numbers: impl Iterator<Item = f64>) -> Range<f64> {
    numbers.fold(f64::MAX..f64::MIN, |all, y| all.start.min(y)..all.end.max(y))
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
pub(crate) fn band(band: &Band<'_>) -> Picture {
    let edge = |sign: f64, sd: &[f64]| -> Vec<Position> {
        let at = |((x, m), sd): ((&f64, &f64), &f64)| [*x, m + sign * 2.0 * sd];
        band.x.iter().zip(band.mean).zip(sd).map(at).collect()
    };
    let line =
        |y: &[f64]| -> Vec<Position> { band.x.iter().zip(y).map(|(x, y)| [*x, *y]).collect() };
    let heights = [edge(-1.0, band.sd), edge(1.0, band.sd)];
    let y = extent(heights.iter().flatten().map(|[_, y]| *y));
    let x = extent(band.x.iter().copied());
    let description = format!(
        "The mean of predictions from x = {} to {}, two standard deviations on either side, those of the weights \
         and those with noise, the function itself, and {} points of data.",
        x.start,
        x.end,
        band.points.len()
    );
    let axes = [Axis::plain("x", x), Axis::plain("y", y)];
    let mut panel = Panel::new(SIZE, band.caption, description, axes);
    for sd in [band.sd, band.sd_weights] {
        panel.band(&edge(1.0, sd), &edge(-1.0, sd), Ink::Main);
    }
    panel.curve(&line(band.truth), Ink::Muted, 1.2, true);
    panel.curve(&line(band.mean), Ink::Main, 2.0, false);
    for point in band.points {
        panel.dot(*point, Ink::Other, true);
    }
    panel.legend(&[
        (Sign::Line, Ink::Main, "mean"),
        (Sign::Area, Ink::Main, "± 2 sd: of the weights (dark), with noise (light)"),
        (Sign::Dashed, Ink::Muted, "truth"),
        (Sign::Dot, Ink::Other, "data"),
    ])
}

/// A reliability diagram: accuracy against confidence, bin by bin.
pub(crate) fn reliability(caption: &str, points: &[CalibrationPoint]) -> Picture {
    let points: Vec<Position> = points.iter().map(|p| [p.promised, p.observed]).collect();
    calibration(caption, ["confidence", "accuracy"], &points)
}

/// Accuracies of averages of sampled networks beside that of a deterministic prediction, in %.
pub(crate) struct Averages<'a> {
    pub(crate) caption: &'a str,
    pub(crate) deterministic: f64,
    /// Number of samples, accuracy of their average, and its standard deviation, in ascending order.
    pub(crate) sampled: &'a [(f64, f64, f64)],
}

/// A picture of accuracy against the number of samples, with one standard deviation on either side.
pub(crate) fn averages(averages: &Averages<'_>) -> Picture {
    let edge = |sign: f64| -> Vec<Position> {
        averages.sampled.iter().map(|(n, mean, sd)| [n.log2(), mean + sign * sd]).collect()
    };
    let (upper, lower, mean) = (edge(1.0), edge(-1.0), edge(0.0));
    let heights = upper.iter().chain(&lower).map(|[_, y]| *y);
    let y = extent(heights.chain([averages.deterministic]));
    let room = 0.05 * (y.end - y.start).max(0.1);
    let most = averages.sampled.last().map_or(1.0, |(n, ..)| *n);
    let x = -0.3..most.log2() + 0.3;
    let description = format!(
        "The accuracy of averages of 1 to {most} sampled networks, with a standard deviation on either side, \
         beside {:.2} % of the deterministic prediction.",
        averages.deterministic
    );
    let axes = [
        Axis::doublings("samples", x.clone()),
        Axis::plain("accuracy, %", y.start - room..y.end + room),
    ];
    let mut panel = Panel::new(SIZE, averages.caption, description, axes);
    panel.band(&upper, &lower, Ink::Main);
    panel.curve(&mean, Ink::Main, 2.0, false);
    for point in &mean {
        panel.dot(*point, Ink::Main, true);
    }
    let across = [x.start, x.end].map(|n| [n, averages.deterministic]);
    panel.curve(&across, Ink::Other, 2.0, false);
    panel.legend(&[
        (Sign::Line, Ink::Other, "deterministic"),
        (Sign::Line, Ink::Main, "averages of samples"),
        (Sign::Area, Ink::Main, "± a standard deviation"),
    ])
}
