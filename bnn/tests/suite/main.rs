//! The tests of `gaussform-bnn`, in one binary because linking Burn is dear.

mod activations;
mod calibration;
#[cfg(feature = "wgpu")]
mod cards;
mod covariances;
#[cfg(any(feature = "ndarray", feature = "wgpu"))]
mod devices;
mod exact;
mod images;
mod joint;
mod layers;
mod likelihoods;
mod methods;
mod numpy;
mod operation;
mod priors;
mod sampled;
mod store;
mod subnormals;
mod support;
mod training;
mod trends;
mod weights;
