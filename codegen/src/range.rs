//! Whether the numbers of a function are numbers of double precision, which kernels compute in.
//!
//! A knot beyond the largest number has no place. Two knots whose three words are the same leave a jump where the function is steep. A
//! power of two comes out of all coefficients, and one that underflows without it is lost, though it may be all that the function is on a piece.

use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::{Activation, Knot};
use num_traits::{Signed, ToPrimitive, Zero};

use crate::ir::Word;
use crate::rounding::{approximate, triple};
use crate::table::{Table, power_of_two};

/// The problem with a function whose knots double precision does not tell apart, or does not reach. Knots that move with
/// parameters have no numbers.
pub(crate) fn of_knots(activation: &Activation) -> Option<&'static str> {
    let is_fixed = |knot: &&Knot| !matches!(knot, Knot::Parametric { .. });
    let knots = activation.function.knots().iter().filter(is_fixed);
    let places: Vec<Rational> = knots.map(|knot| approximate(&knot.polynomial())).collect();
    if places.iter().any(|place| !place.to_f64().is_some_and(f64::is_finite)) {
        return Some("a knot beyond the largest number");
    }
    let words: Vec<[f64; 3]> = places.iter().map(triple).collect();
    let is_same = words.windows(2).any(|pair| pair[0] == pair[1]);
    is_same.then_some("two knots that are not told apart")
}

/// The problem with a function of which a table loses a coefficient.
pub(crate) fn of_coefficients(table: &Table) -> Option<&'static str> {
    let factor = power_of_two(table.exponent);
    let is_number =
        |value: &Rational| value.abs().to_f64().is_none_or(|value| value >= f64::MIN_POSITIVE);
    let is_lost =
        |value: &Rational| !value.is_zero() && !is_number(value) && is_number(&(value * &factor));
    let mut constants = table.coefficients().filter_map(Word::as_constant);
    let is_any_lost = table.exponent > 0 && constants.any(is_lost);
    is_any_lost.then_some("coefficients of too different sizes")
}
