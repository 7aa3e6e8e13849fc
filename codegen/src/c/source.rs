//! Lines of C, and how numbers are written there.

use gaussform_symbolic::exact::Rational;

pub(super) use crate::print::Source;
use crate::rounding::nearest;

/// A number as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else if value < 0.0 {
        "-GSF_INFINITY".to_owned()
    } else {
        "GSF_INFINITY".to_owned()
    }
}

/// The nearest number in double precision.
pub(super) fn literal(value: &Rational) -> String {
    float(nearest(value))
}
