//! What the errors of a kernel stay below, from the shape of its function.
//!
//! The scheme has an error of a few units in the last place for a sum that does not cancel. Where it
//! can cancel follows from the pieces: each [`Reason`] is such a shape, with the bound that it raises.
//! The bounds are not derived line by line; the accuracy suite (`tests/accuracy`) holds every kernel of
//! its registry to them in dense sweeps.

use std::collections::BTreeSet;
use std::fmt;

use crate::kernel::Kernel;
use crate::reason::{Reason, reasons};

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

/// The bound where nothing cancels, in units in the last place.
pub const USUAL: f64 = 8.0;

impl Reason {
    /// The bounds on the variance and its derivatives.
    fn bounds(self) -> [f64; 2] {
        match self {
            Self::Turn => [8.0, 10.0],
            Self::CurvedTurn => [10.0, 12.0],
            Self::CurvedPiece => [12.0, 24.0],
            Self::FlatPiece => [8.0, 16.0],
        }
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
