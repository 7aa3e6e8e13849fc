//! `gaussform verify` on the command line.

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform verify 'max(0, x)^2'
  gaussform verify relu --moment 6
  gaussform verify relu --joint hard_tanh
  gaussform verify relu --monte-carlo 1000000 --gamma 0.5 --xi2 2";

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// Check E[g(u)], …, E[g(u)ᴺ]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(1..=64)
    )]
    pub(crate) moment: u32,

    /// Check E[g(u) h(w)] and Cov(g(u), h(w)) for a second activation h of a second pre-activation
    #[arg(
        long,
        value_name = "EXPR",
        conflicts_with_all = ["moment", "monte_carlo"],
        allow_hyphen_values = true
    )]
    pub(crate) joint: Option<String>,

    /// Estimate E[g(u)], …, E[g(u)ᴺ] and the variance from random numbers too
    #[arg(
        long,
        value_name = "SAMPLES",
        requires = "gamma",
        requires = "xi2",
        value_parser = clap::value_parser!(u64).range(2..=10_000_000_000)
    )]
    pub(crate) monte_carlo: Option<u64>,

    /// γ, where to estimate
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "monte_carlo",
        conflicts_with = "joint",
        allow_hyphen_values = true
    )]
    pub(crate) gamma: Option<String>,

    /// ξ², where to estimate
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "monte_carlo",
        conflicts_with = "joint",
        allow_hyphen_values = true
    )]
    pub(crate) xi2: Option<String>,

    /// The value of a parameter, where to estimate; repeat it for each
    #[arg(
        long = "param",
        value_name = "NAME=NUMBER",
        requires = "monte_carlo",
        conflicts_with = "joint"
    )]
    pub(crate) parameters: Vec<String>,

    /// Where the random numbers start
    #[arg(
        long,
        value_name = "S",
        default_value_t = 1,
        requires = "monte_carlo",
        conflicts_with = "joint",
        allow_negative_numbers = true
    )]
    pub(crate) seed: u64,
}
