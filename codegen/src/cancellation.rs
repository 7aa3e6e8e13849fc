//! Cancellation, by the shape of the function: the cases in which sums are computed in double words.
//!
//! The larger terms of a variance are several times the variance beside a kink at which g turns back. In the middle
//! of a flat bounded piece its derivative is the difference of two distant tails. Kernels of such functions have their
//! tails in pairs of numbers, and around the pieces where that is not enough all else too.

use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot};
use num_traits::Signed;

use crate::rounding::approximate;

/// Whether an error of a tail may count several times.
pub(crate) fn needs_precise_tails(activation: &Activation) -> bool {
    let pieces = 0..activation.function.pieces().len();
    pieces.into_iter().any(|piece| is_flat(activation, piece))
        || turns(activation).iter().any(Option::is_some)
}

/// Whether everything may, with γ on a piece that is not narrow: one that is flat and bounded, or beside a turn between
/// curved pieces or one that is no reflection.
pub(crate) fn needs_pairs(activation: &Activation, piece: usize) -> bool {
    let turns = turns(activation);
    let turns = |knot: usize| {
        let turn = turns.get(knot).copied().flatten();
        turn.is_some_and(|turn| turn.is_curved || !turn.is_reflection && turns.len() > 1)
    };
    is_flat(activation, piece) || turns(piece) || piece.checked_sub(1).is_some_and(turns)
}

/// Whether a piece is constant and bounded.
fn is_flat(activation: &Activation, piece: usize) -> bool {
    let pieces = activation.function.pieces();
    let is_bounded = piece > 0 && piece + 1 < pieces.len();
    is_bounded && pieces[piece].degree(&Symbol::Variable) <= 0
}

/// A kink at which g turns back.
#[derive(Clone, Copy)]
struct Turn {
    /// Whether a piece beside it is curved.
    is_curved: bool,
    /// Whether the slopes are the same but for their signs: then terms of the variance vanish.
    is_reflection: bool,
}

/// The turn of g at each knot, if g turns back there.
fn turns(activation: &Activation) -> Vec<Option<Turn>> {
    let function = &activation.function;
    let turn = |(knot, sides): (&Knot, &[Polynomial])| {
        let place = knot.polynomial();
        let at = |p: &Polynomial| p.substitute(&Symbol::Variable, &place);
        if !at(&(&sides[1] - &sides[0])).is_zero() {
            return None;
        }
        let [left, right] = [0, 1].map(|i| at(&sides[i].derivative(&Symbol::Variable)));
        let turns = match [sign(&left), sign(&right)] {
            [Some(left), Some(right)] => left * right < 0,
            // Parameters decide.
            [None, Some(0)] | [Some(0), None] => false,
            _ => true,
        };
        let is_curved = sides.iter().any(|p| p.degree(&Symbol::Variable) > 1);
        turns.then(|| Turn { is_curved, is_reflection: (&left + &right).is_zero() })
    };
    function.knots().iter().zip(function.pieces().windows(2)).map(turn).collect()
}

/// The sign of a number; `None` if it depends on parameters.
fn sign(value: &Polynomial) -> Option<i32> {
    let is_number = |symbol: &Symbol| matches!(symbol, Symbol::Root(_));
    if value.denominator().is_some() || !value.symbols().iter().all(is_number) {
        return None;
    }
    let value = approximate(value);
    Some(i32::from(value.is_positive()) - i32::from(value.is_negative()))
}
