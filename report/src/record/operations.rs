//! The operations of the kernels, as records.

use gaussform_codegen::{Cost, Kernel, Operations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operations of the generated f64 kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostsRecord {
    /// Mean, second moment and variance.
    pub moments: CostRecord,
    /// Mean, second moment and variance, and their derivatives in γ and ξ².
    pub gradient: CostRecord,
}

/// The operations of one kernel, wherever γ lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostRecord {
    /// If no piece is narrow in units of ξ.
    pub wide: OperationsRecord,
    /// If every bounded piece is.
    pub narrow: OperationsRecord,
}

/// How many operations of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OperationsRecord {
    /// Additions, subtractions, multiplications, changes of sign.
    pub arithmetic: usize,
    /// Divisions.
    pub division: usize,
    /// Square roots.
    pub root: usize,
    /// Exponentials.
    pub exp: usize,
    /// Error functions.
    pub erf: usize,
}

impl From<Operations> for OperationsRecord {
    fn from(count: Operations) -> Self {
        let Operations { arithmetic, division, root, exp, erf } = count;
        Self { arithmetic, division, root, exp, erf }
    }
}

impl From<Cost> for CostRecord {
    fn from(Cost { wide, narrow }: Cost) -> Self {
        Self { wide: wide.into(), narrow: narrow.into() }
    }
}

impl CostsRecord {
    /// The operations of a kernel; `None` if it is a table.
    pub(super) fn of(kernel: &Kernel) -> Option<Self> {
        let (moments, gradient) = (kernel.moments_cost()?, kernel.gradient_cost()?);
        Some(Self { moments: moments.into(), gradient: gradient.into() })
    }
}
