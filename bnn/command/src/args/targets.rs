//! The options of `train` for a target of numbers: its transform, its noise, its likelihood and its censoring.

use clap::{Args as Options, ValueEnum};
use gaussform_bnn::{TransformChoice, TrendChoice};

/// How a target of numbers is measured, and what its noise is.
#[derive(Debug, Options)]
#[command(next_help_heading = "A target of numbers")]
pub(crate) struct TargetOptions {
    /// The transform of the target that is learned; predictions come back in the target's units
    ///
    /// log is the logarithm; asinh, a logarithm on both sides of the median; quantile, the Normal score among the rows.
    /// auto takes log or asinh where the rows are far closer to Normal then, and names it.
    #[arg(long, value_name = "TRANSFORM", value_enum, default_value_t)]
    pub(crate) target_transform: TargetTransform,

    /// The linear part of the target; auto for nnvi, and none else, if not given
    ///
    /// auto fits it in closed form, with a ridge, and where it leaves little of the target the network learns what is
    /// left; none leaves all of it to the network.
    #[arg(long, value_name = "TREND", value_enum, conflicts_with = "from")]
    pub(crate) trend: Option<Trend>,

    /// The noise; by-input for nnvi and dvi, and normal else, if not given
    ///
    /// normal has one standard deviation for all rows; by-input has one for each; student has heavy tails, for targets
    /// with outliers.
    #[arg(long, value_name = "NOISE", value_enum)]
    pub(crate) noise: Option<Noise>,

    /// The kind of target: real is any number, poisson a count
    ///
    /// The logarithm of the count's rate is learned.
    #[arg(long, value_name = "LIKELIHOOD", value_enum, default_value_t)]
    pub(crate) likelihood: Likelihood,

    /// The column that says of which rows the target is censored
    ///
    /// It has yes or 1 where the target is at least as large as written, `left` where it is at most as large, and no or
    /// 0 where it is known.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) censored: Option<String>,

    /// The column that says of which rows the target is known, as survival data have it
    ///
    /// It has 1 or yes there. The target of the others is at least as large as written.
    #[arg(long, value_name = "COLUMN", conflicts_with = "censored")]
    pub(crate) event: Option<String>,

    /// The column of weights: how often each row counts in training
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
}

/// The transform of the target.
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
    /// The transform of the library by this name.
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

/// The linear part of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trend {
    Auto,
    None,
}

impl Trend {
    /// The choice of the library by this name.
    pub(crate) fn choice(self) -> TrendChoice {
        match self {
            Self::Auto => TrendChoice::Auto,
            Self::None => TrendChoice::None,
        }
    }
}

/// The noise of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Noise {
    Normal,
    ByInput,
    Student,
}

/// The likelihood of the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Likelihood {
    #[default]
    Real,
    Poisson,
}
