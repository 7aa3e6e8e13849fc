//! The options of `images` and of `online`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

#[derive(clap::Args)]
pub(crate) struct Images {
    /// The folder that holds mnist and fashion-mnist, each with its four idx files, plain or .gz.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The set of images.
    #[arg(long, default_value = "mnist")]
    pub(crate) set: Dataset,
    /// The network.
    #[arg(long, default_value = "lenet")]
    pub(crate) network: Network,
    /// The method of training.
    #[arg(long)]
    pub(crate) method: Method,
    /// Number of epochs.
    #[arg(long, default_value = "100")]
    pub(crate) epochs: NonZeroUsize,
    /// Number of runs, each from other first weights.
    #[arg(long, default_value = "1")]
    pub(crate) seeds: NonZeroUsize,
    /// Number of training images to use, from the first [default: all].
    #[arg(long)]
    pub(crate) rows: Option<NonZeroUsize>,
    /// The schedule of the step size and of the weight of the KL term.
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
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// The set of images.
    #[arg(long, default_value = "mnist")]
    set: Dataset,
    /// The method of training.
    #[arg(long)]
    method: Method,
    /// Number of runs, each from other first weights.
    #[arg(long, default_value = "10")]
    seeds: NonZeroUsize,
    /// Number of training images to use, from the first [default: all].
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
    /// The step size falls along half a cosine. The weight of the KL term rises over the first 60 % of training.
    Ours,
    /// The step size and the weight of the KL term are constant.
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
    /// Variance backpropagation, with the likelihood of classes by its integral, without an approximation.
    VbpExact,
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

/// The name of a choice on the command line.
pub(crate) fn name(choice: impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

impl Dataset {
    /// The name of the set's folder.
    pub(crate) fn name(self) -> String {
        name(self)
    }

    /// The other set, whose images are foreign to a network of this one.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Mnist => Self::FashionMnist,
            Self::FashionMnist => Self::Mnist,
        }
    }

    /// The address from which the set can be had.
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
