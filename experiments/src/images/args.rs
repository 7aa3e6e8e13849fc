//! The options of `images`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

#[derive(clap::Args)]
pub(crate) struct Images {
    /// The folder that holds mnist and fashion-mnist, each with its four idx files, plain or .gz.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Where to write.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// Which images.
    #[arg(long, default_value = "mnist")]
    pub(crate) set: Dataset,
    /// Which network.
    #[arg(long, default_value = "lenet")]
    pub(crate) network: Network,
    /// How to train.
    #[arg(long)]
    pub(crate) method: Method,
    /// How often to go through the images.
    #[arg(long, default_value = "100")]
    pub(crate) epochs: NonZeroUsize,
    /// How many runs, each from other first weights.
    #[arg(long, default_value = "1")]
    pub(crate) seeds: NonZeroUsize,
    /// How many of the training images to use, from the first [default: all].
    #[arg(long)]
    pub(crate) rows: Option<NonZeroUsize>,
    /// How the step size and the weight of the KL term change.
    #[arg(long, default_value = "ours")]
    pub(crate) schedule: Schedule,
    /// The seed of first weights, batches and samples; run K has seed + K.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(clap::Args)]
pub(crate) struct Online {
    /// The folder that holds mnist and fashion-mnist, each with its four idx files, plain or .gz.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Where to write.
    #[arg(long)]
    out: PathBuf,
    /// Which images.
    #[arg(long, default_value = "mnist")]
    set: Dataset,
    /// How to train.
    #[arg(long)]
    method: Method,
    /// How many runs, each from other first weights.
    #[arg(long, default_value = "10")]
    seeds: NonZeroUsize,
    /// How many of the training images to use, from the first [default: all].
    #[arg(long)]
    rows: Option<NonZeroUsize>,
    /// The seed of first weights, batches and samples; run K has seed + K.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl Online {
    /// The options of `images` for one pass through one hidden layer with all settings constant.
    pub(crate) fn images(&self) -> Images {
        Images {
            data: self.data.clone(),
            out: self.out.clone(),
            set: self.set,
            network: Network::Wide,
            method: self.method,
            epochs: NonZeroUsize::MIN,
            seeds: self.seeds,
            rows: self.rows,
            schedule: Schedule::Constant,
            seed: self.seed,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Schedule {
    /// The step size falls along half a cosine, the weight rises over the first 60 % of training.
    Ours,
    /// Both stay as they are.
    Constant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Dataset {
    Mnist,
    FashionMnist,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Network {
    /// Two convolutions with strides, 20 and 50 channels, and 500 units (Haußmann et al.).
    Lenet,
    /// Two layers of 400 units (Roth and Pernkopf).
    Mlp,
    /// One layer of 500 units (Haußmann et al., Table 3).
    Wide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    /// Moments matched after each layer, Normal priors (Roth and Pernkopf; DVI, mean field).
    Nnvi,
    /// Moments as in nnvi, with the likelihood of classes by its integral, without an approximation.
    Exact,
    /// Moments as in nnvi, with Laplace priors of the same variance.
    NnviLaplace,
    /// Variance backpropagation (Haußmann et al.).
    Vbp,
    /// Local reparameterisation (Kingma et al.).
    Varout,
    /// Moments with Jankowiak's likelihood of classes (Eq. 38).
    Taylor,
    /// Moments with Jankowiak's likelihood of classes as a control variate (Eq. 40), with 10 samples.
    ControlVariate,
    /// Moments, and the likelihood by 10 samples (Eq. 41).
    Sampled,
    /// Bayes by backprop (Blundell et al.).
    Bbb,
    /// Coordinate ascent without gradients, one pass of the network `wide` (Kandemir et al.).
    Vrelunet,
}

/// The name that the command line has for a choice.
pub(crate) fn name(choice: impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

impl Dataset {
    /// Its folder.
    pub(crate) fn name(self) -> String {
        name(self)
    }

    /// The other one, whose images are foreign to a network of this one.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Mnist => Self::FashionMnist,
            Self::FashionMnist => Self::Mnist,
        }
    }

    /// Where to get it.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Self::Mnist => {
                "DIR/mnist is to hold the four files of https://ossci-datasets.s3.amazonaws.com/mnist/"
            }
            Self::FashionMnist => {
                "DIR/fashion-mnist is to hold the four files of \
                 https://github.com/zalandoresearch/fashion-mnist"
            }
        }
    }
}
