//! Knots that a table has beyond those of its function.
//!
//! On a curved piece without an end the terms of a variance may nearly cancel (`runtime/src/kernel/sum/cut.rs`). A knot more, at
//! which nothing changes, makes a bounded piece of what cancels.

use gaussform_runtime::kernel::sum;
use gaussform_symbolic::exact::{Rational, integer};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Knot, Piecewise};

use crate::rounding::{approximate, nearest};
use crate::table::power_of_two;

/// A function without parameters whose outer pieces are divided where that is better.
pub(crate) fn divided(function: &Piecewise) -> Piecewise {
    let degree = usize::try_from(function.degree()).unwrap_or(0);
    let (knots, pieces) = (function.knots(), function.pieces());
    let mut divided = function.clone();
    let ([first, ..], 2..=sum::MAX_DEGREE) = (knots, degree) else { return divided };
    let last = &knots[knots.len() - 1];
    let outer = [(first, &pieces[0], -1), (last, &pieces[knots.len()], 1)];
    for place in outer.into_iter().filter_map(|(knot, piece, side)| place(knot, piece, side)) {
        divided = divided.with_knot(place);
    }
    divided
}

/// Where to divide the piece on a side of a knot.
fn place(knot: &Knot, piece: &Polynomial, side: i64) -> Option<Rational> {
    let taylor = piece.taylor(&Symbol::Variable, &knot.polynomial());
    let mut inwards = [0.0; sum::MAX_DEGREE + 1];
    for (j, (inwards, c)) in inwards.iter_mut().zip(&taylor).enumerate() {
        let c = if j % 2 == 1 { approximate(c) * integer(side) } else { approximate(c) };
        *inwards = nearest(&c);
    }
    let distance = sum::division(inwards)?;
    // A short number, in steps of a sixteenth of the distance or less: a little more or less counts for nothing.
    let unit = power_of_two(distance.log2().floor() as i32 - 4);
    let place = approximate(&knot.polynomial()) + Rational::from_float(distance)? * integer(side);
    Some((place / &unit).round() * unit)
}
