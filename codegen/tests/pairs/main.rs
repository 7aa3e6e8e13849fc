//! Kernels of two correlated pre-activations.

mod bound;
mod differences;
mod functions;
mod integral;
mod layer;
mod plane;
mod promise;
mod properties;
mod rounded;
mod table;
