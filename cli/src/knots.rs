//! The knots of a function as its formulas write them: irrational ones are numbered by function.

use gaussform_symbolic::Piecewise;
use gaussform_symbolic::render::{self, Math, text};

/// The knots from the left.
pub(crate) fn written(function: &Piecewise) -> Vec<String> {
    match render::definition(function) {
        Math::Cases(_, cases) => {
            let ends = cases.iter().filter_map(|(_, _, upper)| upper.as_ref());
            ends.map(text::math).collect()
        }
        _ => Vec::new(),
    }
}
