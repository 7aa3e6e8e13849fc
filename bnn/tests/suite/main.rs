//! The tests of `gaussform-bnn`, in one binary because linking Burn is dear.

mod activations;
mod exact;
mod layers;
mod likelihoods;
mod operation;
mod priors;
mod store;
mod support;
mod training;
