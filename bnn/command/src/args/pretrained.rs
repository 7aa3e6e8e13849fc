//! A network that `train` begins with.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as Options, ValueEnum};

/// A network without uncertainty to begin with.
#[derive(Debug, Options)]
#[command(next_help_heading = "A network that was trained already")]
pub(crate) struct Pretrained {
    /// Its weights, as safetensors: linear layers with the activation between each two. They become
    /// the means of the weights, and say how many hidden units there are
    #[arg(long, value_name = "WEIGHTS", conflicts_with = "hidden")]
    pub(crate) from: Option<PathBuf>,

    /// Its layers in their order: NAME for tensors NAME.weight and NAME.bias. Those of the file in
    /// the order of their names, if not given
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "from")]
    pub(crate) layers: Vec<String>,

    /// How a weight lies: outputs-first as in PyTorch, inputs-first as in Keras, JAX and Burn
    #[arg(long, value_name = "LAYOUT", value_enum, requires = "from", default_value_t)]
    pub(crate) layout: WeightLayout,

    /// It was trained on numbers of mean 0 and standard deviation 1, inputs and target, not on those of
    /// the table
    #[arg(long, requires = "from")]
    pub(crate) standardized: bool,

    /// The standard deviation of a weight by its mean, at the start
    #[arg(
        long,
        value_name = "SHARE",
        requires = "from",
        default_value_t = 0.1,
        allow_negative_numbers = true
    )]
    pub(crate) spread: f64,

    /// How many layers learn, counted from the last; the others keep their weights. All learn, if not
    /// given
    #[arg(long, value_name = "N", requires = "from")]
    pub(crate) learn_last: Option<NonZeroUsize>,
}

/// How the weight of a linear layer lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightLayout {
    #[default]
    OutputsFirst,
    InputsFirst,
}
