//! Bayesian neural networks with one hidden layer, trained on an objective in closed form.
//!
//! After Jankowiak, "Closed Form Variational Objectives For Bayesian Neural Networks with a
//! Single Hidden Layer"; equation numbers are that paper's. The weights of both layers have
//! Normal posteriors, and the evidence lower bound and the predictive mean and variance are
//! exact: no weight is ever sampled. What makes that possible is [`moments`], one differentiable
//! Burn operation that wraps the kernels of any declared activation.
//!
//! ```
//! use gaussform_bnn::{Kernel, Matrix, Network, NetworkConfig, Prediction};
//! use gaussform_bnn::{TrainConfig, TrainError, train};
//!
//! fn fit<A: Kernel>(activation: A, x: &Matrix, y: &[f64]) -> Result<Prediction, TrainError> {
//!     let network = Network::new(activation, NetworkConfig::new(x.columns(), 50))?;
//!     let network = train(network, x, y, &TrainConfig::default(), |_| ())?;
//!     Ok(network.predict(x)?)
//! }
//! ```
//!
//! [`Dataset`], [`Fold`], [`Ridge`] and [`Estimate`] are the protocol of the UCI regression
//! benchmark around it.

mod baseline;
mod dataset;
mod host;
mod kernel;
mod matrix;
mod metrics;
mod moments_op;
mod network;
mod objective;
mod protocol;
mod random;
mod split;
mod standardize;
mod text;
mod train;
mod weights;

pub use baseline::{Ridge, RidgeError};
pub use dataset::Dataset;
pub use kernel::Kernel;
pub use matrix::{Matrix, RaggedError};
pub use metrics::{Estimate, mean_log_likelihood, rmse};
pub use moments_op::{MomentsError, moments};
pub use network::{
    Inputs, Network, NetworkConfig, NetworkError, OutputMoments, Parameters, Prediction, Prior,
};
pub use objective::{Bound, bound, expected_log_likelihood};
pub use protocol::{Fold, FoldError, Score};
pub use random::Random;
pub use split::Split;
pub use standardize::{Scale, Standardizer};
pub use text::DataError;
pub use train::{Progress, TrainConfig, TrainError, train};
pub use weights::NormalWeights;
