//! The figures: the function; mean and standard deviation; errors.

use std::ops::Range;

use gaussform_picture::{Axis, Ink, Panel, Picture, Position, SIZE, Sign};

use super::subject::{PlotError, Subject};
use crate::evaluate::{Formulas, Truth};

/// Points of a curve.
const POINTS: u32 = 200;
/// A picture that would be lower than so much of a common scale has a scale of its own.
const FLATTEST: f64 = 8.0;
/// The largest values that are drawn: the length of an axis is a number.
const LARGEST: f64 = f64::MAX / 4.0;
/// Exponents of the errors that are drawn.
pub(super) const ERRORS: Range<f64> = -18.0..2.0;

/// Numbers along a range, both ends among them.
pub(super) fn along(range: &Range<f64>) -> impl Iterator<Item = f64> {
    let (start, step) = (range.start, (range.end - range.start) / f64::from(POINTS));
    (0..=POINTS).map(move |i| start + step * f64::from(i))
}

/// A range that holds all the points that can be drawn, with a margin.
pub(super) fn room(values: impl Iterator<Item = f64>) -> Range<f64> {
    let [low, high] = values
        .filter(|value| value.abs() <= LARGEST)
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| {
            [low.min(value), high.max(value)]
        });
    if low > high {
        return -1.0..1.0;
    }
    // Values that differ by rounding alone are drawn as a level line.
    if high - low <= (1e-12 * high.abs().max(low.abs())).max(f64::MIN_POSITIVE) {
        let half = if low.abs() <= f64::MIN_POSITIVE { 1.0 } else { low.abs() };
        return low - half..high + half;
    }
    let margin = 0.06 * (high - low);
    low - margin..high + margin
}

/// The curves of the function, one for each piece in sight.
fn pieces(subject: &Subject, range: &Range<f64>) -> Vec<Vec<Position>> {
    let knots = subject.knots();
    let piece = |i: usize| {
        let from = i.checked_sub(1).map_or(range.start, |i| knots[i].max(range.start));
        let to = knots.get(i).map_or(range.end, |knot| knot.min(range.end));
        let places: Vec<f64> = match from < to {
            false => Vec::new(),
            // Two points make a straight line.
            true if subject.is_straight(i) => vec![from, to],
            true => along(&(from..to)).collect(),
        };
        places.into_iter().map(|u| [u, subject.piece(i, u)]).collect()
    };
    (0..=knots.len()).map(piece).collect()
}

/// The function, with its knots and jumps.
#[must_use]
pub fn function(subject: &Subject, range: &Range<f64>) -> Picture {
    named(subject, &subject.label, ["u", "g(u)"], range)
}

/// The function under a title, with its variable and its value by these names.
pub(super) fn named(
    subject: &Subject,
    title: &str,
    [variable, value]: [&str; 2],
    range: &Range<f64>,
) -> Picture {
    let curves = pieces(subject, range);
    let y = room(curves.iter().flatten().map(|[_, y]| *y));
    let description = format!(
        "The function from {variable} = {} to {}; {}.",
        short(range.start),
        short(range.end),
        match subject.knots().len() {
            0 => "it has no knots".to_owned(),
            1 => "it has one knot".to_owned(),
            n => format!("it has {n} knots"),
        }
    );
    let axes = [Axis::plain(variable, range.clone()), Axis::plain(value, y.clone())];
    let mut panel = Panel::new(SIZE, title, description, axes);
    for curve in &curves {
        panel.curve(curve, Ink::Main, 2.2, false);
    }
    for (i, knot) in subject.knots().iter().enumerate() {
        let sides = [subject.piece(i, *knot), subject.piece(i + 1, *knot)];
        let there = subject.at_knot(i);
        let is_same = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (y.end - y.start);
        if !is_same(sides[0], sides[1]) {
            for side in sides {
                panel.dot([*knot, side], Ink::Main, is_same(side, there));
            }
        }
        panel.dot([*knot, there], Ink::Main, true);
    }
    let mut entries = vec![(Sign::Line, Ink::Main, value)];
    match subject.knots().len() {
        0 => {}
        1 => entries.push((Sign::Dot, Ink::Main, "knot")),
        _ => entries.push((Sign::Dot, Ink::Main, "knots")),
    }
    panel.legend(&entries)
}

/// The mean with a band of one standard deviation on either side, a picture for each ξ. They have one scale,
/// unless one of them would be flat in it.
#[must_use]
pub fn moments(subject: &Subject, range: &Range<f64>, xi: &[f64]) -> Vec<Picture> {
    let curves: Vec<[Vec<Position>; 3]> = xi.iter().map(|xi| band(subject, range, *xi)).collect();
    let own =
        curves.iter().map(|[upper, _, lower]| room(upper.iter().chain(lower).map(|[_, y]| *y)));
    let own: Vec<Range<f64>> = own.collect();
    let all = room(curves.iter().flatten().flatten().map(|[_, y]| *y));
    let height = |range: &Range<f64>| range.end - range.start;
    let is_shared = own.iter().all(|range| height(&all) <= FLATTEST * height(range));
    let scales = own.into_iter().map(|own| if is_shared { all.clone() } else { own });
    let pictures = xi.iter().zip(&curves).zip(scales);
    pictures.map(|((xi, curves), y)| around_mean(subject, range, *xi, curves, y)).collect()
}

/// The mean plus the standard deviation, the mean, and the mean minus it, against γ.
fn band(subject: &Subject, range: &Range<f64>, xi: f64) -> [Vec<Position>; 3] {
    let points: Vec<[f64; 3]> = along(range)
        .map(|gamma| {
            let [mean, variance] = subject.moments(gamma, xi);
            [gamma, mean, libm::sqrt(variance)]
        })
        .collect();
    [1.0, 0.0, -1.0].map(|sign| points.iter().map(|[x, m, s]| [*x, m + sign * s]).collect())
}

fn around_mean(
    subject: &Subject,
    range: &Range<f64>,
    xi: f64,
    [upper, mean, lower]: &[Vec<Position>; 3],
    y: Range<f64>,
) -> Picture {
    let title = format!("Mean and standard deviation, ξ = {}", short(xi));
    let description = format!(
        "The mean of g(u) for u ~ N(γ, ξ²) against γ from {} to {}, with a band of one standard \
         deviation on either side, and the function itself.",
        short(range.start),
        short(range.end)
    );
    let axes = [Axis::plain("γ", range.clone()), Axis::plain("g", y)];
    let mut panel = Panel::new(SIZE, &title, description, axes);
    panel.band(upper, lower, Ink::Main);
    for curve in pieces(subject, range) {
        panel.curve(&curve, Ink::Muted, 1.2, true);
    }
    panel.curve(mean, Ink::Main, 2.2, false);
    panel.legend(&[
        (Sign::Line, Ink::Main, "E[g]"),
        (Sign::Area, Ink::Main, "± √Var g"),
        (Sign::Dashed, Ink::Muted, "g(γ)"),
    ])
}

/// The relative errors of the kernel and of the closed form as it stands, in mean and variance.
///
/// # Errors
///
/// If a derivation takes too much work.
pub fn errors(subject: &Subject, range: &Range<f64>, xi: f64) -> Result<[Picture; 2], PlotError> {
    let outer = subject.knots().iter().flat_map(|knot| [knot - range.start, range.end - knot]);
    let distance = outer.map(f64::abs).fold(0.0, f64::max) / xi;
    let truth = Truth::new(&subject.activation, distance).map_err(Box::new)?;
    let formulas = Formulas::<f64>::new(&subject.activation, 53).map_err(Box::new)?;
    let points: Vec<(f64, Vec<[f64; 2]>, bool)> = along(range)
        .map(|gamma| {
            let kernel = subject.moments(gamma, xi);
            let [mean, variance, _] = formulas.moments(gamma, xi * xi);
            let closed = [mean, variance];
            let errors = truth.errors(gamma, xi * xi, &[kernel, closed]);
            (gamma, errors, closed[1] < 0.0)
        })
        .collect();
    Ok([0, 1].map(|output| picture(&points, range, xi, output)))
}

/// The power of ten that an error is, within those that are drawn.
pub(super) fn exponent(error: f64) -> f64 {
    // What is no number counts as the largest error.
    let exponent = if error.is_nan() { ERRORS.end } else { libm::log10(error) };
    exponent.clamp(ERRORS.start, ERRORS.end)
}

/// The largest error of a curve of exponents.
pub(super) fn worst(curve: &[Position]) -> String {
    let exponent = curve.iter().map(|[_, y]| *y).fold(ERRORS.start, f64::max);
    format!("{:.0e}", libm::pow(10.0, exponent))
}

fn picture(
    points: &[(f64, Vec<[f64; 2]>, bool)],
    range: &Range<f64>,
    xi: f64,
    output: usize,
) -> Picture {
    let name = ["mean", "variance"][output];
    let curve = |of: usize| -> Vec<Position> {
        points.iter().map(|(gamma, errors, _)| [*gamma, exponent(errors[of][output])]).collect()
    };
    let (kernel, closed) = (curve(0), curve(1));
    let description = format!(
        "The relative error of the {name} for ξ = {} against γ from {} to {}: at most {} by the \
         kernel, at most {} by the closed form in double precision.",
        short(xi),
        short(range.start),
        short(range.end),
        worst(&kernel),
        worst(&closed)
    );
    let title = format!("Error of the {name}, ξ = {}", short(xi));
    let axes = [Axis::plain("γ", range.clone()), Axis::powers("relative error", ERRORS)];
    let mut panel = Panel::new(SIZE, &title, description, axes);
    panel.level(0.0, "no digit right", 0.5);
    panel.curve(&closed, Ink::Other, 1.8, false);
    panel.curve(&kernel, Ink::Main, 1.8, false);
    let mut entries =
        vec![(Sign::Line, Ink::Main, "kernel"), (Sign::Line, Ink::Other, "closed form")];
    if output == 1 && points.iter().any(|(.., negative)| *negative) {
        for (gamma, ..) in points.iter().filter(|(.., negative)| *negative) {
            panel.mark(*gamma, Ink::Warning);
        }
        entries.push((Sign::Mark, Ink::Warning, "negative"));
    }
    panel.legend(&entries)
}

/// A number of a title: a few digits.
pub(super) fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let zero = text.trim_matches(['-', '0', '.']).is_empty();
    match (zero, number == 0.0) {
        (true, true) => "0".to_owned(),
        // A small number that would be written as 0 has an exponent instead.
        (true, false) => format!("{number:.1e}").replace('-', "−"),
        _ => text.replace('-', "−"),
    }
}
