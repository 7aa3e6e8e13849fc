//! The numbers of the runtime as macros of C, so that none is typed twice.

use std::fmt::Write as _;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::high::{LOWEST_START, SERIES, TERMS};
use gaussform_runtime::kernel::powers::INVERSE_FACTORIALS;
use gaussform_runtime::kernel::{Curved, DOUBLE_STEPS, FIT_COUNTS, Limits, Linear, Rule, single};

use super::float;
use crate::plan::MAX_DEGREE;

/// The definitions that the prelude starts from.
pub(super) fn definitions() -> String {
    let mut text = String::new();
    precision::<f64>(&mut text);
    rule::<Linear>(&mut text, "LINEAR");
    rule::<Curved>(&mut text, "CURVED");
    define(&mut text, "DOUBLE_STEPS", &DOUBLE_STEPS.to_string());
    define(&mut text, "MAX_TAILS", &(2 * MAX_DEGREE + 3).to_string());
    define(&mut text, "MAX_BASIS", &(MAX_DEGREE + 1).to_string());
    define(&mut text, "AT_REST", &format!("({})", single::AT_REST));
    define(&mut text, "SERIES_START", &LOWEST_START.to_string());
    define(&mut text, "SERIES_TERMS", &TERMS.to_string());
    define(&mut text, "SERIES", &list(SERIES.iter().map(|row| numbers(row))));
    text
}

/// The constants of a precision.
fn precision<T: Float>(text: &mut String) {
    let [peak, peak_low] = T::DENSITY_PEAK;
    let [ln_4, ln_4_low] = T::LN_4;
    let decay = T::DECAY;
    let scalars = [
        ("SPLITTER", T::SPLITTER),
        ("SMALL_VARIANCE", T::SMALL_VARIANCE),
        ("LARGE_VARIANCE", T::LARGE_VARIANCE),
        ("RESCALE", T::RESCALE),
        ("UNSCALE", T::UNSCALE),
        ("S_MAX", T::S_MAX),
        ("NEGLIGIBLE", T::power_of_two(T::NEGLIGIBLE_EXPONENT + T::DENSITY_EXPONENT)),
        ("DENSITY_UNIT", T::power_of_two(-T::DENSITY_EXPONENT)),
        ("MAX", T::MAX),
        ("INVERSE_AT_REST", T::INVERSE_AT_REST),
        ("LN_4", ln_4),
        ("LN_4_LOW", ln_4_low),
        ("LOG4_E", T::LOG4_E),
        ("SHIFTER", T::SHIFTER),
        ("ROOT_TAU", T::ROOT_TAU),
        ("DENSITY_PEAK", peak),
        ("DENSITY_PEAK_LOW", peak_low),
        ("DENSITY_SLOPE", T::DENSITY_SLOPE),
        ("HIGH_SCALE", T::HIGH_SCALE),
        ("DECAY_MIDDLE", decay.middle[0]),
        ("DECAY_MIDDLE_LOW", decay.middle[1]),
        ("DECAY_SLOPE", decay.slope),
    ];
    for (name, value) in scalars {
        define(text, name, &float(value.to_f64()));
    }
    define(text, "POWERS_START", &T::POWERS.start.to_string());
    define(text, "POWERS_LAST", &list(T::POWERS.last.iter().map(usize::to_string)));
    define(text, "POWERS_FACTORIALS", &numbers(&INVERSE_FACTORIALS[..=T::POWERS.start]));
    define(text, "DECAY_EVEN", &numbers(decay.even));
    define(text, "DECAY_ODD", &numbers(decay.odd));
    define(text, "PAIRS", &T::NODES.len().to_string());
    let nodes = T::NODES.iter().map(|node| [node.near, node.far, node.weight].map(T::to_f64));
    define(text, "NODES", &list(nodes.map(|node| numbers(&node))));
    define(text, "DENSITY_EXPONENT", &T::DENSITY_EXPONENT.to_string());
    define(text, "DENSITY_EVEN", &numbers(T::DENSITY_EVEN));
    define(text, "DENSITY_ODD", &numbers(T::DENSITY_ODD));
    let mut fits = String::new();
    for (i, (fit, count)) in T::FITS.iter().zip(FIT_COUNTS).enumerate() {
        define(text, &format!("FIT_{i}_COUNT"), &count.to_string());
        define(text, &format!("FIT_{i}_START"), &fit.start.to_string());
        define(text, &format!("FIT_{i}_P"), &numbers(fit.p));
        define(text, &format!("FIT_{i}_Q"), &numbers(fit.q));
        let _ = write!(fits, "GSF_FIT({i}) ");
    }
    define(text, "FITS", fits.trim_end());
}

/// When a piece is narrow.
fn rule<R: Rule>(text: &mut String, name: &str) {
    let Limits { width, width_at_edge, depth, exponent } = R::limits::<f64>();
    let limits = [width, width_at_edge, depth, exponent].map(float).join(", ");
    define(text, &format!("{name}_LIMITS"), &limits);
}

fn define(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\n', " \\\n");
    let _ = writeln!(text, "#define GSF_{name} {value}");
}

/// Numbers in braces.
fn numbers<T: Float>(values: &[T]) -> String {
    list(values.iter().map(|value| float(value.to_f64())))
}

/// Values in braces, in lines that are not too long.
fn list(values: impl Iterator<Item = String>) -> String {
    let mut text = String::from("{");
    let mut width = 0;
    for (i, value) in values.enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        if width + value.len() > 80 {
            text.truncate(text.trim_end().len());
            text.push_str("\n    ");
            width = 0;
        }
        width += value.len() + 2;
        text.push_str(&value);
    }
    text + "}"
}
