//! Names of the quantities that a routine of a kernel computes.

use std::fmt;

/// A moment of g(u).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// E\[g\].
    Mean,
    /// E\[g²\].
    Second,
    /// Var g.
    Variance,
}

/// The variable of a derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// γ.
    Gamma,
    /// ξ².
    Xi2,
    /// A parameter of the declaration, by its index.
    Parameter(usize),
}

/// One result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// A moment.
    Moment(Moment),
    /// The derivative of a moment in a variable.
    Derivative(Moment, Variable),
}
use Moment::{Mean, Second, Variance};
use Quantity::Derivative;
use Variable::{Gamma, Parameter, Xi2};

impl Quantity {
    /// E\[g\].
    pub const MEAN: Self = Self::Moment(Mean);
    /// Var g.
    pub const VARIANCE: Self = Self::Moment(Variance);

    /// Mean and variance.
    #[must_use]
    pub fn moments() -> Vec<Self> {
        vec![Self::MEAN, Self::VARIANCE]
    }

    /// Mean and variance with their derivatives in γ and ξ².
    #[must_use]
    pub fn with_gradient() -> Vec<Self> {
        let derivatives = [(Mean, Gamma), (Mean, Xi2), (Variance, Gamma), (Variance, Xi2)];
        let derivatives = derivatives.map(|(moment, variable)| Derivative(moment, variable));
        [Self::moments(), derivatives.to_vec()].concat()
    }

    /// The derivatives in each of some parameters.
    #[must_use]
    pub fn in_parameters(count: usize) -> Vec<Self> {
        let of = |i| [Mean, Second, Variance].map(|moment| Derivative(moment, Parameter(i)));
        (0..count).flat_map(of).collect()
    }

    /// The k-th derivative of a moment in γ up to a factor: the second is twice the first in ξ², by the heat equation.
    pub(crate) fn of_order(moment: Moment, k: usize) -> Self {
        match k {
            0 => Self::Moment(moment),
            1 => Derivative(moment, Gamma),
            2 => Derivative(moment, Xi2),
            _ => unreachable!("no quantity has a derivative of order {k}"),
        }
    }

    /// The number of powers of ξ that a density at a knot loses in the derivative.
    pub(crate) fn lowers(self) -> i32 {
        match self {
            Self::Moment(_) => 0,
            Derivative(_, Gamma | Parameter(_)) => 1,
            Derivative(_, Xi2) => 2,
        }
    }

    /// The moment, and which derivative in γ it comes from; `None` for one in a parameter.
    pub(crate) fn order(self) -> Option<(Moment, usize)> {
        match self {
            Self::Moment(moment) => Some((moment, 0)),
            Derivative(moment, Gamma) => Some((moment, 1)),
            Derivative(moment, Xi2) => Some((moment, 2)),
            Derivative(_, Parameter(_)) => None,
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mean => "mean",
            Second => "second",
            Variance => "variance",
        })
    }
}

/// A name for messages and tests: `mean`, `dvariance_dgamma`, `dmean_dparameter0`.
impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moment(moment) => write!(f, "{moment}"),
            Derivative(moment, Gamma) => write!(f, "d{moment}_dgamma"),
            Derivative(moment, Xi2) => write!(f, "d{moment}_dxi2"),
            Derivative(moment, Parameter(i)) => write!(f, "d{moment}_dparameter{i}"),
        }
    }
}
