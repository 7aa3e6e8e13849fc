//! Kernels of two correlated pre-activations.

mod bound;
mod differences;
mod functions;
mod gradient;
mod integral;
mod layer;
mod mixed;
mod narrow;
mod plane;
mod points;
mod promise;
mod properties;
mod rounded;
mod table;
