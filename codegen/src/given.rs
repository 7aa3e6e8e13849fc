//! Words for given values of the parameters.

use gaussform_runtime::kernel::{triple, word};

use crate::ir::Word;
use crate::rounding;

/// A knot.
pub(crate) fn place(knot: &Word, parameters: &[f64]) -> [f64; 3] {
    let place = |knot| place(knot, parameters);
    match knot {
        Word::Constant(value) => rounding::triple(value),
        Word::Parameter(index) => [parameters[*index], 0.0, 0.0],
        Word::Negate(a) => triple::negate(place(a)),
        Word::Add(sides) => triple::add(place(&sides[0]), place(&sides[1])),
        Word::Multiply(sides) => triple::multiply(place(&sides[0]), place(&sides[1])),
        Word::Divide(sides) => triple::divide(place(&sides[0]), place(&sides[1])),
    }
}

/// Anything else.
pub(crate) fn evaluate(value: &Word, parameters: &[f64]) -> [f64; 2] {
    let evaluate = |value| evaluate(value, parameters);
    match value {
        Word::Constant(value) => rounding::double(value),
        Word::Parameter(index) => [parameters[*index], 0.0],
        Word::Negate(a) => word::negate(evaluate(a)),
        Word::Add(sides) => word::add(evaluate(&sides[0]), evaluate(&sides[1])),
        Word::Multiply(sides) => word::multiply(evaluate(&sides[0]), evaluate(&sides[1])),
        Word::Divide(sides) => word::divide(evaluate(&sides[0]), evaluate(&sides[1])),
    }
}
