//! The largest errors of all activations, as bars.

use std::ops::Range;

use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::registry;
use gaussform_codegen::ACCURACY;
use gaussform_picture::{Axis, Panel, Picture, Sign};

use super::{DOUBLE, SINGLE, logarithm};
use crate::table::{largest, text};

/// The height of an activation's bars, and of what stands around all of them.
const ROW: f64 = 22.0;
const AROUND: f64 = 100.0;
/// The width of a panel.
const WIDTH: f64 = 590.0;
/// Logarithms of the errors between the ends of the bars.
const ERRORS: Range<f64> = -1.0..3.0;

/// The quantities of each panel.
const PANELS: [(&str, Range<usize>); 2] =
    [("mean, second moment, variance", 0..3), ("their derivatives in γ and ξ²", 3..7)];

/// The largest error of each activation over the sweep, away from the ends of the range.
pub(super) fn largest_errors(oracle: &Oracle) -> Picture {
    let rows: Vec<(String, [[f64; 7]; 2])> = registry::all()
        .iter()
        .map(|entry| {
            let double = largest::<f64>(oracle, entry).ordinary;
            (entry.function.name.clone(), [double, largest::<f32>(oracle, entry).ordinary])
        })
        .collect();
    let panels = PANELS.map(|(title, quantities)| panel(&rows, title, &quantities));
    Picture::sheet(&panels, PANELS.len(), "Largest errors of all activations")
}

fn panel(rows: &[(String, [[f64; 7]; 2])], title: &str, quantities: &Range<usize>) -> Picture {
    let greatest =
        |errors: &[f64; 7]| errors[quantities.clone()].iter().copied().fold(0.0, f64::max);
    let over_all = |precision: usize| {
        text(rows.iter().map(|(_, errors)| greatest(&errors[precision])).fold(0.0, f64::max))
    };
    let description = format!(
        "The largest error of each of {} activations: at most {} ulp in f64, at most {} ulp in f32.",
        rows.len(),
        over_all(0),
        over_all(1)
    );
    let axes = [
        Axis::powers("largest error, ulp", ERRORS),
        Axis::names(rows.iter().map(|(name, _)| name.clone()).collect()),
    ];
    let size = [WIDTH, AROUND + ROW * super::length(rows.len())];
    let mut panel = Panel::new(size, title, description, axes);
    panel.border(ACCURACY.log10(), &format!("{ACCURACY} ulp"));
    for (row, (_, errors)) in rows.iter().enumerate() {
        let tops = [0.1, 0.5].map(|share| super::length(row) + share);
        for ((errors, ink), top) in errors.iter().zip([DOUBLE, SINGLE]).zip(tops) {
            let error = greatest(errors);
            let end = logarithm(error, &ERRORS);
            panel.bar([[ERRORS.start, top], [end, top + 0.36]], ink);
            panel.note([end, top + 0.18], &text(error));
        }
    }
    panel.legend(&[(Sign::Bar, DOUBLE, "f64"), (Sign::Bar, SINGLE, "f32 (ulp of f32)")])
}
