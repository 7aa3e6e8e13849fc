//! The kernel of an activation: all of its functions in the IR.

use gaussform_symbolic::{Activation, Error};

use crate::ir::{AtRest, Block, Function, Word};
use crate::limits;
use crate::moments::{self, Role};
use crate::word::Words;

/// The kernel of one activation: its value, its moments, their derivatives.
#[derive(Clone, Debug)]
pub struct Kernel {
    activation: Activation,
    knots: Vec<Word>,
    value: Block,
    moments: Routine,
    gradient: Routine,
    parameters: Routine,
}

/// A function of the kernel with its results on the knots for ξ² = 0.
#[derive(Clone, Debug)]
pub struct Routine {
    /// For ξ² > 0, and for ξ² = 0 off the knots.
    pub function: Function,
    /// For ξ² = 0 on each knot; the first that applies.
    pub on_knots: Vec<AtRest>,
}

/// Why there is no kernel for an activation whose moments can be derived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The degree of a piece is too high.
    #[error(
        "kernels exist up to degree {MAX_DEGREE}, and a piece of `{name}` has degree {degree}; \
         its formulas can be inspected all the same"
    )]
    Degree {
        /// The activation.
        name: String,
        /// The degree of the piece.
        degree: i32,
    },
    /// There are too many knots.
    #[error(
        "kernels exist for up to {MAX_KNOTS} knots, and `{name}` has {knots}; its formulas can be \
         inspected all the same"
    )]
    Knots {
        /// The activation.
        name: String,
        /// The number of its knots.
        knots: usize,
    },
    /// The derivation failed.
    #[error(transparent)]
    Derivation(#[from] Box<Error>),
}

/// The highest degree of a piece: the variance needs tails of twice this order.
const MAX_DEGREE: i32 = 20;
/// The largest number of knots: the code grows with its square.
const MAX_KNOTS: usize = 16;

impl Kernel {
    /// Lowers the moments of an activation.
    ///
    /// # Errors
    ///
    /// If the activation has too high a degree or too many knots for a kernel.
    pub fn new(activation: &Activation) -> Result<Self, KernelError> {
        let name = || activation.name.clone();
        let degree = activation.function.degree();
        if degree > MAX_DEGREE {
            return Err(KernelError::Degree { name: name(), degree });
        }
        let knots = activation.function.knots().len();
        if knots > MAX_KNOTS {
            return Err(KernelError::Knots { name: name(), knots });
        }
        let routine = |role: Role| -> Result<Routine, KernelError> {
            let function = Function::new(moments::lower(activation, role), knots);
            Ok(Routine { function, on_knots: limits::lower(activation, role).map_err(Box::new)? })
        };
        let words = Words::new(activation);
        Ok(Self {
            knots: activation.function.knots().iter().map(|knot| words.knot(knot)).collect(),
            value: moments::value(activation),
            moments: routine(Role::Moments)?,
            gradient: routine(Role::Gradient)?,
            parameters: routine(Role::Parameters)?,
            activation: activation.clone(),
        })
    }

    /// The activation.
    #[must_use]
    pub fn activation(&self) -> &Activation {
        &self.activation
    }

    /// The places of the knots, ascending.
    #[must_use]
    pub fn knots(&self) -> &[Word] {
        &self.knots
    }

    /// g(x), with x as the input γ.
    #[must_use]
    pub fn value(&self) -> &Block {
        &self.value
    }

    /// Mean, second moment and variance.
    #[must_use]
    pub fn moments(&self) -> &Routine {
        &self.moments
    }

    /// Mean, second moment, variance and the derivatives of mean and variance in γ and ξ².
    #[must_use]
    pub fn gradient(&self) -> &Routine {
        &self.gradient
    }

    /// For each parameter the derivatives of mean, second moment and variance.
    #[must_use]
    pub fn parameters(&self) -> &Routine {
        &self.parameters
    }
}
