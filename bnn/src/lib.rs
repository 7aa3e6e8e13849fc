//! Bayesian neural networks of any depth, trained and asked without sampling, or with it.
//!
//! A method of a paper is a choice of parts: layers that take and give means and variances, a
//! posterior and a prior for the weights of each, a likelihood. Papers are cited as *Jankowiak*,
//! "Closed Form Variational Objectives For Bayesian Neural Networks with a Single Hidden Layer";
//! *Haußmann et al.*, "Sampling-Free Variational Inference of Bayesian Neural Networks by Variance
//! Backpropagation" (VBP); *Roth and Pernkopf*, "Variational Inference in Neural Networks using an
//! Approximate Closed-Form Objective" (NNVI); *Wu et al. 2019*, "Deterministic Variational Inference
//! for Robust Bayesian Neural Networks" (DVI).
//!
//! ```no_run
//! use gaussform_bnn::{Function, Matrix, Table, TrainConfig, fit, method};
//! use gaussform::activations::Relu;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let x = Matrix::new(1, (0..40).map(|i| f64::from(i) - 20.0).collect())?;
//! let y: Vec<f64> = x.values().iter().map(|x| 100.0 * x.abs()).collect();
//! let blueprint = method::cf(1, 50, 1, &Function::new("relu", Relu));
//! let model = fit(&blueprint, &Table::regression(x.clone(), &y)?, &TrainConfig::default())?;
//! let prediction = model.predict(&x)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`moments`] makes this possible. It is one differentiable Burn operation around the kernels of any declared
//! activation.

mod blueprint;
mod calibration;
mod chain;
mod covariance;
mod data;
mod distribution;
mod ensemble;
mod function;
mod joint;
mod joint_signal;
pub mod layer;
mod likelihood;
pub mod method;
mod metrics;
mod model;
mod network;
mod objective;
mod onnx;
mod operation;
mod pieces;
mod posterior;
mod prediction;
mod prior;
#[cfg(feature = "wgpu")]
mod programs;
mod random;
mod residuals;
mod signal;
mod standard_normal;
mod store;
mod subnormals;
mod threads;
mod train;
mod ziggurat;

pub use blueprint::{Blueprint, BlueprintError, Covariances, LayerSpec, Precision};
pub use calibration::{CalibrationError, ClassCalibration, Intervals, NormalCalibration};
pub use chain::{Chain, ChainLayer, Flatten};
pub use data::{
    Censoring, DataError, Idx, IdxError, Matrix, RaggedError, Scale, Scaling, Standardizer, Table,
    TargetScale, TargetUnit, Targets, Transform, TransformChoice, Trend, TrendChoice, read_idx,
};
pub use distribution::Distribution;
pub use ensemble::{Ensemble, EnsembleError};
pub use function::{Function, FunctionError, Nonlinearity};
pub use gaussform_files::{check_place, write_whole};
pub use joint::{JointError, JointMoments};
pub use likelihood::{
    Categorical, CategoricalForm, Censored, Likelihood, LikelihoodKind, NoiseRule, Normal,
    NormalPerInput, Poisson, Probit, SoftmaxMoments, StudentT,
};
pub use metrics::{
    CalibrationPoint, ClassScore, auroc, class_score, coverage, crps, mean_log_likelihood, rmse,
};
pub use model::{Model, ModelError};
pub use network::Network;
pub use objective::{Bound, bound};
pub use onnx::OnnxError;
pub use operation::{MomentsError, joint_moments, moments};
pub use posterior::{FullCovariance, Marginals, MeanField, Point, PosteriorKind, Weight};
pub use prediction::{ClassPrediction, Prediction, RealPrediction};
pub use prior::{Divergence, Form, Prior};
pub use random::Random;
pub use signal::{Pass, Signal, WeightUse};
pub use store::{Functions, Layout, LinearChain, Spread, StoreError, Weights};
pub use subnormals::flush_subnormals;
pub use threads::set_threads;
pub use train::{
    Checkpoint, EarlyStopping, Every, Optimizer, Progress, Run, Schedule, TrainConfig, TrainError,
    fit, resume, train,
};

#[cfg(doctest)]
mod book;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
