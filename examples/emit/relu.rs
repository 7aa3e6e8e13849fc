//! Gaussian moments of a ReLU in a program without a dependency. In this folder:
//!
//!     gaussform emit relu --target rust --out activations.rs
//!     rustc --edition 2024 -O relu.rs && ./relu

mod activations;

use activations::{Activation, Relu};

fn main() {
    // Pre-activations u ~ N(γ, ξ²); ξ² is a variance.
    let (gamma, xi2) = ([-37.0, 0.0, 0.5], [1.0, 1.0, 0.0]);
    let (mut mean, mut variance) = ([0.0; 3], [0.0; 3]);
    Relu.moments_into(&gamma, &xi2, &mut mean, &mut variance);
    for (mean, variance) in mean.iter().zip(variance) {
        println!("E = {mean:e}, Var = {variance:e}");
    }
    let m = Relu.moments_grad(0.3, 1.0);
    println!("dE/dγ = {}, dVar/dξ² = {}", m.dmean_dgamma, m.dvariance_dxi2);
}
