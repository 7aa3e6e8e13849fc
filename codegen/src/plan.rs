//! The form that a kernel takes, formulas or a table, decided by facts of its function.
//!
//! The moments of a function with few knots can be written out around each piece that γ may lie on, which is quick
//! where nothing cancels. All others are the sum over their pieces, which is right whatever they are, and whose text
//! and time grow as their number.

use gaussform_runtime::kernel::sum;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot};
use num_traits::{Signed, Zero};

use crate::rounding::approximate;
use crate::table::Table;

/// The highest degree for formulas of a function with a knot. The variance needs tails of twice this order, and each
/// number of tails is code of its own.
const MAX_DEGREE: i32 = 4;

/// The highest degree for formulas of a polynomial on the whole line. Their text grows as the square of the degree.
const MAX_DEGREE_OF_POLYNOMIALS: i32 = 20;

/// Formulas square coefficients and knots: those of an activation are between 2 to this and its inverse. A table takes a power of two
/// out of all.
const MOST_BITS: u64 = 300;

/// Whether a kernel is formulas around each piece, written out. The others are a table.
pub(crate) fn is_formulas(activation: &Activation) -> bool {
    let (degree, knots) = (activation.function.degree(), activation.function.knots().len());
    // Between two knots or more, where something is curved, the sum over pieces is quicker.
    let is_summed = (2..=sum::MAX_DEGREE as i32).contains(&degree) && knots > 1;
    let most = if knots == 0 { MAX_DEGREE_OF_POLYNOMIALS } else { MAX_DEGREE };
    !is_summed && degree <= most && are_in_range(activation) && are_formulas_right(activation)
}

/// Whether the squares of all coefficients and knots are numbers of double precision.
fn are_in_range(activation: &Activation) -> bool {
    let function = &activation.function;
    let places: Vec<Polynomial> = function.knots().iter().map(Knot::polynomial).collect();
    let mut numbers = function.pieces().iter().chain(&places).flat_map(Polynomial::terms);
    numbers.all(|(_, c)| c.numer().bits().abs_diff(c.denom().bits()) <= MOST_BITS)
}

/// Whether formulas are right for every γ and ξ²: their terms are larger than their sums by a few times only.
fn are_formulas_right(activation: &Activation) -> bool {
    let function = &activation.function;
    let (knots, pieces) = (function.knots(), function.pieces());
    let degrees: Vec<i32> = pieces.iter().map(|p| p.degree(&Symbol::Variable)).collect();
    // In the middle of a flat bounded piece a derivative is the difference of two distant tails.
    if degrees.iter().skip(1).rev().skip(1).any(|degree| *degree <= 0) {
        return false;
    }
    // The larger terms of a variance are several times the variance beside a kink at which g turns back.
    let mut sides = knots.iter().zip(pieces.windows(2));
    if sides.any(|(knot, sides)| may_turn(activation, knot, sides)) {
        return false;
    }
    match (knots, pieces) {
        // The derivatives of a polynomial at γ are exact but near a multiple root of it.
        ([], _) => degrees[0] <= 1 || is_monomial(pieces) || has_simple_roots(activation),
        ([_], _) if degrees == [0, 0] => true,
        ([knot], _) => {
            activation.function.is_continuous()
                && (degrees.iter().all(|d| *d <= 1) || are_monomials(knot, pieces))
        }
        ([_, _], _) => activation.function.is_continuous() && degrees.iter().all(|d| *d <= 1),
        _ => false,
    }
}

/// Whether g turns back at a knot at which it is continuous, for some parameters at least.
fn may_turn(activation: &Activation, knot: &Knot, sides: &[Polynomial]) -> bool {
    let at = |p: &Polynomial| p.substitute(&Symbol::Variable, &knot.polynomial());
    if !at(&(&sides[1] - &sides[0])).is_zero() {
        return false;
    }
    let [left, right] = [0, 1].map(|i| at(&sides[i].derivative(&Symbol::Variable)));
    let product = &left * &right;
    // The sign of a number that is not rational is that of its digits.
    if product.symbols().iter().all(|symbol| matches!(symbol, Symbol::Root(_))) {
        return approximate(&product).is_negative();
    }
    !activation.proves_nonnegative(&product)
}

/// Whether neither a polynomial nor its slope has a multiple root: what a table would expand it around.
fn has_simple_roots(activation: &Activation) -> bool {
    let centers = Table::new(activation).centers;
    centers.iter().all(|center| center.at.as_constant().is_some_and(Zero::is_zero))
}

/// Whether a function without knots is a power of u and a constant.
fn is_monomial(pieces: &[Polynomial]) -> bool {
    pieces[0].coefficients(&Symbol::Variable).iter().skip(1).filter(|c| !c.is_zero()).count() <= 1
}

/// Whether each piece is a power of the distance from the knot, and a constant.
fn are_monomials(knot: &Knot, pieces: &[Polynomial]) -> bool {
    pieces.iter().all(|piece| {
        let taylor = piece.taylor(&Symbol::Variable, &knot.polynomial());
        taylor.iter().skip(1).filter(|c| !c.is_zero()).count() <= 1
    })
}
