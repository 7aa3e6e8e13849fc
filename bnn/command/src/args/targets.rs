//! What `train` takes a target of numbers for.

use clap::{Args as Options, ValueEnum};
use gaussform_bnn::TransformChoice;

/// How a target of numbers is measured, and what its noise is.
#[derive(Debug, Options)]
#[command(next_help_heading = "A target of numbers")]
pub(crate) struct TargetOptions {
    /// What is learned in its place: its logarithm, asinh of it, a logarithm on both sides of the median, or its Normal
    /// score among the rows. Predictions come back in its own units. auto takes log or asinh where the rows are far closer to
    /// Normal then, and names it
    #[arg(long, value_name = "TRANSFORM", value_enum, default_value_t)]
    pub(crate) target_transform: TargetTransform,

    /// The noise: normal, one standard deviation for all rows; by-input, one for each. by-input for dvi and normal else,
    /// if not given
    #[arg(long, value_name = "NOISE", value_enum)]
    pub(crate) noise: Option<Noise>,
}

/// Which transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TargetTransform {
    #[default]
    Auto,
    Log,
    Asinh,
    Quantile,
    None,
}

impl TargetTransform {
    /// Its name in the library.
    pub(crate) fn choice(self) -> TransformChoice {
        match self {
            Self::Auto => TransformChoice::Auto,
            Self::Log => TransformChoice::Log,
            Self::Asinh => TransformChoice::Asinh,
            Self::Quantile => TransformChoice::Quantile,
            Self::None => TransformChoice::None,
        }
    }
}

/// Which noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Noise {
    Normal,
    ByInput,
}
