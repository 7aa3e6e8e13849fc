//! The tests of `gaussform-bnn`, in one binary because linking Burn is dear.

mod activations;
mod dataset;
mod moments_op;
mod objective;
mod protocol;
mod ridge;
mod training;
