//! Published results, for context only: they are of other random splits.
//!
//! Haußmann, Hamprecht and Kandemir, "Sampling-Free Variational Inference of Bayesian Neural
//! Networks by Variance Backpropagation" (UAI 2019), Table 1: test log-likelihood ± standard
//! error over 20 splits; a hidden layer of 50 units, 100 for `protein`.

/// The methods, in the order of the columns of [`log_likelihoods`].
pub(crate) const METHODS: [&str; 4] = ["DVI", "PBP", "VarOut", "VBP"];

/// Mean and standard error for each method, if `set` is one of the benchmark's.
pub(crate) fn log_likelihoods(set: &str) -> Option<[(f64, f64); 4]> {
    Some(match set {
        "boston" => [(-2.58, 0.04), (-2.57, 0.09), (-2.59, 0.03), (-2.59, 0.03)],
        "concrete" => [(-3.23, 0.01), (-3.16, 0.02), (-3.18, 0.02), (-3.15, 0.02)],
        "energy" => [(-2.09, 0.06), (-2.04, 0.02), (-1.25, 0.05), (-1.11, 0.07)],
        "kin8nm" => [(1.01, 0.01), (0.90, 0.01), (1.02, 0.01), (1.04, 0.01)],
        "naval" => [(5.84, 0.06), (3.73, 0.01), (5.52, 0.04), (5.79, 0.07)],
        "power" => [(-2.82, 0.00), (-2.84, 0.01), (-2.83, 0.01), (-2.85, 0.01)],
        "protein" => [(-2.94, 0.00), (-2.97, 0.00), (-2.92, 0.00), (-2.92, 0.00)],
        "wine" => [(-0.96, 0.01), (-0.97, 0.01), (-0.96, 0.01), (-0.96, 0.01)],
        "yacht" => [(-1.41, 0.03), (-1.63, 0.02), (-1.65, 0.05), (-1.54, 0.06)],
        _ => return None,
    })
}
