//! The operations of the kernels, as records.

use gaussform_codegen::ir::Case;
use gaussform_codegen::{Kernel, Operations, RegimeCost};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The operations of the generated f64 kernels, regime by regime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CostRecord {
    /// Mean, second moment and variance.
    pub moments: Vec<RegimeRecord>,
    /// Mean, second moment and variance, and their derivatives in γ and ξ².
    pub gradient: Vec<RegimeRecord>,
}

/// The operations in one regime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegimeRecord {
    /// The piece that γ lies on, from 0; none where everything is computed everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<usize>,
    /// Whether that piece is narrow in units of ξ.
    pub narrow: bool,
    /// If no other piece is narrow.
    pub wide: OperationsRecord,
    /// If every other bounded piece is.
    pub others_narrow: OperationsRecord,
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

impl From<&RegimeCost> for RegimeRecord {
    fn from(cost: &RegimeCost) -> Self {
        let (piece, narrow) = match cost.case {
            None => (None, false),
            Some(Case::Wide(piece)) => (Some(piece), false),
            Some(Case::Narrow(piece)) => (Some(piece), true),
        };
        Self { piece, narrow, wide: cost.wide.into(), others_narrow: cost.narrow.into() }
    }
}

impl From<&Kernel> for CostRecord {
    fn from(kernel: &Kernel) -> Self {
        let records = |costs: Vec<RegimeCost>| costs.iter().map(RegimeRecord::from).collect();
        Self { moments: records(kernel.moments_cost()), gradient: records(kernel.gradient_cost()) }
    }
}
