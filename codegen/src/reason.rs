//! Shapes of a function in which sums can cancel: there tails are computed in double words, and errors
//! are larger all the same.

use std::collections::BTreeSet;
use std::fmt;

use gaussform_symbolic::Activation;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use num_traits::Signed;

use crate::rounding::approximate;

/// A shape of the function in which sums can cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A kink at which g turns back.
    Turn,
    /// The same between curved pieces.
    CurvedTurn,
    /// A bounded piece of degree 2 or more.
    CurvedPiece,
    /// A bounded piece on which g is constant.
    FlatPiece,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Turn => {
                "at a kink that turns back the derivatives of the variance cross zero between larger terms"
            }
            Self::CurvedTurn => {
                "at a kink between curved pieces that turns back the polynomial of γ's piece varies more \
                 than g"
            }
            Self::CurvedPiece => {
                "on a curved bounded piece, near its ends, the polynomial varies more than g"
            }
            Self::FlatPiece => {
                "in the middle of a flat piece the derivative of the variance is the difference of two \
                 distant tails"
            }
        })
    }
}

/// The shapes that the function has.
pub(crate) fn reasons(activation: &Activation) -> BTreeSet<Reason> {
    let function = &activation.function;
    let pieces = function.pieces();
    let mut reasons = BTreeSet::new();
    for piece in &pieces[1..pieces.len().saturating_sub(1).max(1)] {
        reasons.extend(match piece.degree(&Symbol::Variable) {
            ..=0 => Some(Reason::FlatPiece),
            1 => None,
            _ => Some(Reason::CurvedPiece),
        });
    }
    for (knot, sides) in function.knots().iter().zip(pieces.windows(2)) {
        let place = knot.polynomial();
        let at = |p: &Polynomial| p.substitute(&Symbol::Variable, &place);
        let curved = sides.iter().any(|p| p.degree(&Symbol::Variable) > 1);
        if !at(&(&sides[1] - &sides[0])).is_zero() {
            continue;
        }
        let slopes = [0, 1].map(|i| sign(&at(&sides[i].derivative(&Symbol::Variable))));
        let turns = match slopes {
            [Some(left), Some(right)] => left * right < 0,
            // Parameters decide.
            [None, Some(0)] | [Some(0), None] => false,
            _ => true,
        };
        if turns {
            reasons.insert(if curved { Reason::CurvedTurn } else { Reason::Turn });
        }
    }
    reasons
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
