//! The options of `train` for a network without uncertainty, whose weights it begins with.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as Options, ValueEnum};

/// Options that `--from` excludes. Beside one of them Clap does not ask for a `--from` that is required, so that each option which
/// requires it excludes them too.
const WITHOUT: [&str; 3] = ["hidden", "trend", "initial_sd"];

/// A network without uncertainty to begin with.
#[derive(Debug, Options)]
#[command(next_help_heading = "A network that was trained already")]
pub(crate) struct Pretrained {
    /// The weights of the network, as safetensors
    ///
    /// They are those of linear layers with the activation between each two. They become the means of the weights, and
    /// say how many hidden units there are.
    #[arg(long, value_name = "WEIGHTS", conflicts_with = "hidden")]
    pub(crate) from: Option<PathBuf>,

    /// The layers of the network in their order: NAME for tensors NAME.weight and NAME.bias
    ///
    /// If not given, the layers of the file in the order of their names.
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        requires = "from",
        conflicts_with_all = WITHOUT
    )]
    pub(crate) layers: Vec<String>,

    /// The order of a weight's axes: outputs-first as in PyTorch, inputs-first as in Keras, JAX and Burn
    #[arg(
        long,
        value_name = "LAYOUT",
        value_enum,
        requires = "from",
        conflicts_with_all = WITHOUT,
        default_value_t
    )]
    pub(crate) layout: WeightLayout,

    /// The network was trained on inputs and targets of mean 0 and standard deviation 1, not on those of the table
    #[arg(long, requires = "from", conflicts_with_all = WITHOUT)]
    pub(crate) standardized: bool,

    /// The ratio of a weight's standard deviation to its mean, at the start
    #[arg(
        long,
        value_name = "SHARE",
        requires = "from",
        conflicts_with_all = WITHOUT,
        default_value_t = 0.1,
        allow_negative_numbers = true
    )]
    pub(crate) spread: f64,

    /// How many layers learn, counted from the last; all, if not given
    ///
    /// The others keep their weights.
    #[arg(long, value_name = "N", requires = "from", conflicts_with_all = WITHOUT)]
    pub(crate) learn_last: Option<NonZeroUsize>,
}

/// The order of the axes of a linear layer's weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightLayout {
    #[default]
    OutputsFirst,
    InputsFirst,
}
