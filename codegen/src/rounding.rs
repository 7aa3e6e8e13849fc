//! Exact constants in the precisions of the kernels.

use gaussform_runtime::Float;
use gaussform_symbolic::Piecewise;
use gaussform_symbolic::exact::Rational;
use num_traits::ToPrimitive;

/// The nearest number of the type; the largest finite one where there is none as large.
pub(crate) fn nearest<T: Float>(value: &Rational) -> T {
    T::from_f64(value.to_f64().unwrap_or(0.0))
}

/// The number to twice the precision: the nearest, and the nearest to what is left.
pub(crate) fn double<T: Float>(value: &Rational) -> [T; 2] {
    let high: T = nearest(value);
    let exact = Rational::from_float(high.to_f64());
    [high, exact.map_or(T::ZERO, |exact| nearest(&(value - exact)))]
}

/// √(2/π) to more digits than a double holds.
pub(crate) const ROOT_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// The width of a bounded piece.
pub(crate) fn width(function: &Piecewise, piece: usize) -> Rational {
    let knots = function.knots();
    knots[piece].value() - knots[piece - 1].value()
}
