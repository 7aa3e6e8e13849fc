//! Errors along a line: the kernels beside the closed forms, and the kernels where they change their
//! way of computing.

use std::ops::Range;

use gaussform_accuracy::error::{Measure, Precision};
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::real::to_f64;
use gaussform_accuracy::registry::Entry;
use gaussform_codegen::ACCURACY;
use gaussform_picture::{Axis, Ink, Panel, Picture, Position, Sign};

use super::{DOUBLE, SINGLE, length, logarithm};
use crate::textbook::{self, Plain, distance};

/// Of so many neighbouring points the largest error is drawn.
const GROUP: usize = 5;
/// So many groups lie along an axis.
const GROUPS: usize = 440;

/// Width and height of a panel; two stand side by side.
const SIZE: [f64; 2] = [590.0, 470.0];

const TEXTBOOK: Ink = Ink::Other;
const NEGATIVE: Ink = Ink::Warning;

/// Logarithms of the errors that panels beside the closed forms reach to.
const TALL: Range<f64> = -1.0..17.0;
/// Logarithms of the errors that panels of the kernels alone reach to.
const LOW: Range<f64> = -1.0..3.0;

/// A point: the place on the axis, its error, and whether it is negative where that cannot be.
type Mark = (f64, f64, bool);

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

    fn kernels<T: Precision>(&self, oracle: &Oracle) -> Vec<Mark> {
        let (gamma, xi2) = self.places::<T>();
        let values = T::kernels(self.entry).batch(&gamma, &xi2);
        self.marks(oracle, &gamma, &xi2, &values[self.output])
    }

    fn textbook(&self, oracle: &Oracle) -> Vec<Mark> {
        let (gamma, xi2) = self.places::<f64>();
        let both = gamma.iter().zip(&xi2);
        let values: Vec<f64> = both.map(|(a, b)| (self.closed)(*a, *b)[self.output]).collect();
        self.marks(oracle, &gamma, &xi2, &values)
    }

    fn marks<T: Precision>(
        &self,
        oracle: &Oracle,
        gamma: &[T],
        xi2: &[T],
        values: &[T],
    ) -> Vec<Mark> {
        let quantity = 2 * self.output;
        let mark = |i: usize| {
            let truth = oracle.truth(&self.entry.function, gamma[i].to_f64(), xi2[i].to_f64());
            let error = distance(&Measure::new(&truth), quantity, values[i]);
            (gamma[i].to_f64(), error, self.output == 1 && values[i] < T::ZERO)
        };
        (0..gamma.len()).map(mark).collect()
    }

    fn panel(&self, oracle: &Oracle, title: &str, label: &str) -> Picture {
        let closed = self.textbook(oracle);
        let [double, single] = [self.kernels::<f64>(oracle), self.kernels::<f32>(oracle)];
        let description =
            format!("Errors in ulp over {label} from {} to {}.", self.gamma.start, self.gamma.end);
        let axes = [Axis::plain(label, self.gamma.clone()), Axis::powers("error, ulp", TALL)];
        let mut panel = Panel::new(SIZE, title, description, axes);
        panel.level((1.0 / f64::EPSILON).log10(), "no digit right in f64", 0.88);
        panel.level(ACCURACY.log10(), &format!("{ACCURACY} ulp"), 0.25);
        panel.curve(&curve(&closed, &TALL), TEXTBOOK, 2.0, false);
        panel.curve(&curve(&single, &TALL), SINGLE, 3.0, false);
        panel.curve(&curve(&double, &TALL), DOUBLE, 1.0, false);
        let mut entries = vec![
            (Sign::Line, DOUBLE, "kernel, f64"),
            (Sign::Line, SINGLE, "kernel, f32 (ulp of f32)"),
            (Sign::Line, TEXTBOOK, "textbook form, f64"),
        ];
        let negative: Vec<&Mark> = closed.iter().filter(|mark| mark.2).step_by(GROUP).collect();
        if !negative.is_empty() {
            for (x, ..) in negative {
                panel.mark(*x, NEGATIVE);
            }
            entries.push((Sign::Mark, NEGATIVE, "negative"));
        }
        panel.legend(&entries)
    }
}

/// Places along an axis, no round numbers among them.
fn steps(range: &Range<f64>) -> impl Iterator<Item = f64> {
    let (start, n) = (range.start, GROUP * GROUPS);
    let step = (range.end - range.start) / length(n);
    (0..n).map(move |i| start + step * (length(i) + 0.5))
}

/// The largest errors of each group.
fn curve(marks: &[Mark], range: &Range<f64>) -> Vec<Position> {
    let point = |group: &[Mark]| {
        let error = group.iter().map(|mark| mark.1).fold(0.0, f64::max);
        [group[group.len() / 2].0, logarithm(error, range)]
    };
    marks.chunks(GROUP).map(point).collect()
}

/// The mean and the variance of a ReLU.
pub(super) fn relu(oracle: &Oracle) -> Picture {
    let entry = textbook::entry("relu");
    let line = |output| Line {
        entry: &entry,
        closed: textbook::relu::<f64>,
        output,
        xi: 1.0,
        gamma: -40.0..10.0,
    };
    let panels = [
        line(0).panel(oracle, "ReLU: mean", "γ/ξ"),
        line(1).panel(oracle, "ReLU: variance", "γ/ξ"),
    ];
    Picture::sheet(&panels, 2, "Errors of mean and variance of a ReLU")
}

/// The variance of a hard tanh, narrow and wide.
pub(super) fn hard_tanh(oracle: &Oracle) -> Picture {
    let entry = textbook::entry("hard_tanh");
    let line = |xi| Line {
        entry: &entry,
        closed: textbook::hard_tanh::<f64>,
        output: 1,
        xi,
        gamma: -20.0..20.0,
    };
    let panels = [
        line(1.0).panel(oracle, "hard tanh: variance, ξ = 1", "γ"),
        line(10.0).panel(oracle, "hard tanh: variance, ξ = 10", "γ"),
    ];
    Picture::sheet(&panels, 2, "Errors of the variance of a hard tanh")
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
fn by_width<T: Plain>(oracle: &Oracle, entry: &Entry) -> Vec<Mark> {
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
    let mut marks: Vec<Mark> = Vec::new();
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
pub(super) fn widths(oracle: &Oracle) -> Picture {
    let label = "width of the bounded piece, in units of ξ";
    let one = |name: &str, title: &str| {
        let entry = textbook::entry(name);
        let description =
            format!("Errors in ulp over widths from {} to {}.", WIDTHS.start, WIDTHS.end);
        let axes = [Axis::plain(label, WIDTHS), Axis::powers("error, ulp", LOW)];
        let mut panel = Panel::new(SIZE, title, description, axes);
        panel.level(ACCURACY.log10(), &format!("{ACCURACY} ulp"), 0.25);
        panel.border(NARROW, "γ on the piece: narrow until here");
        panel.curve(&curve(&by_width::<f32>(oracle, &entry), &LOW), SINGLE, 4.0, false);
        panel.curve(&curve(&by_width::<f64>(oracle, &entry), &LOW), DOUBLE, 2.0, false);
        panel.legend(&[
            (Sign::Line, DOUBLE, "kernel, f64"),
            (Sign::Line, SINGLE, "kernel, f32 (ulp of f32)"),
        ])
    };
    let panels = [
        one("smoothstep", "smoothstep (cubic): variance"),
        one("abs_square", "|x² − 2|: variance"),
    ];
    Picture::sheet(&panels, 2, "Errors of variances over the width of a piece")
}
