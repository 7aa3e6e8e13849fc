//! What the errors of a kernel stay below, from the shape of its function.
//!
//! The scheme has an error of a few units in the last place for a sum that does not cancel. Where it
//! can cancel follows from the pieces: each [`Reason`] is such a shape, with the bound that it raises.
//! The bounds are not derived line by line; the accuracy suite (`tests/accuracy`) holds every kernel of
//! its registry to them in dense sweeps.

use std::collections::BTreeSet;
use std::fmt;

use gaussform_symbolic::Activation;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use num_traits::Signed;

use crate::kernel::Kernel;
use crate::rounding::approximate;

/// Bounds on errors, in units in the last place.
///
/// Of the second moment and the variance relative to themselves. What crosses zero is measured
/// against the same with absolute values: the mean and its derivatives against E|g|, E|g′| and ½ E|g″|, the
/// derivatives of the variance against Var/ξ and Var/ξ². Results near the ends of the range have the
/// absolute error that underflow leaves. Parameters that differ by less than a thousandth of their size
/// where knots or slopes depend on the difference may cost more.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// Of the mean and its derivatives.
    pub mean: f64,
    /// Of the second moment and the variance.
    pub variance: f64,
    /// Of the derivatives of the variance.
    pub variance_gradient: f64,
    /// Why a bound is above the usual one.
    pub reasons: BTreeSet<Reason>,
}

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

/// The bound where nothing cancels, in units in the last place.
pub const USUAL: f64 = 8.0;

impl Reason {
    /// The bounds on the variance and its derivatives.
    fn bounds(self) -> [f64; 2] {
        match self {
            Self::Turn => [10.0, 12.0],
            Self::CurvedTurn => [12.0, 24.0],
            Self::CurvedPiece => [16.0, 24.0],
            Self::FlatPiece => [8.0, 32.0],
        }
    }
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

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, variance, variance_gradient, .. } = self;
        write!(
            f,
            "mean and its derivatives within {mean} ulp, second moment and variance {variance}, \
             derivatives of the variance {variance_gradient}"
        )
    }
}

impl Kernel {
    /// What its errors stay below, in either precision.
    #[must_use]
    pub fn accuracy(&self) -> Accuracy {
        let reasons = reasons(self.activation());
        let bounds = |which: usize| {
            reasons.iter().map(|reason| reason.bounds()[which]).fold(USUAL, f64::max)
        };
        Accuracy { mean: USUAL, variance: bounds(0), variance_gradient: bounds(1), reasons }
    }
}

/// The shapes that the function has.
fn reasons(activation: &Activation) -> BTreeSet<Reason> {
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
