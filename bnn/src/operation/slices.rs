//! What an activation does to Normal numbers, forward and backward, on slices.

use gaussform_runtime::{Float, MomentsGradMut, ParameterGrad};

use crate::function::Slices;

/// What is asked of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// E\[g(u)\] and Var g(u).
    Moments,
    /// g(γ) and g′(γ)² ξ².
    Linearised,
    /// g(γ) alone; ξ² is not read.
    Values,
}

impl Step {
    /// How many results there are for an element.
    pub(crate) fn results(self) -> usize {
        match self {
            Step::Moments | Step::Linearised => 2,
            Step::Values => 1,
        }
    }
}

/// All means, then all variances.
pub(crate) fn forward<T: Float>(g: &dyn Slices<T>, step: Step, gamma: &[T], xi2: &[T]) -> Vec<T> {
    let n = gamma.len();
    let mut out = vec![T::ZERO; step.results() * n];
    match step {
        Step::Moments => {
            let (mean, variance) = out.split_at_mut(n);
            g.moments(gamma, xi2, mean, variance);
        }
        Step::Values => g.values(gamma, &mut out),
        Step::Linearised => {
            let (mean, variance) = out.split_at_mut(n);
            g.values(gamma, mean);
            let [slope, _] = slopes(g, gamma);
            for i in 0..n {
                variance[i] = slope[i] * slope[i] * xi2[i];
            }
        }
    }
    out
}

/// The cotangents of γ, ξ² and the first `parameters` parameters.
pub(crate) fn pull_back<T: Float>(
    g: &dyn Slices<T>,
    step: Step,
    [gamma, xi2]: [&[T]; 2],
    cotangent: &[T],
    parameters: usize,
) -> [Vec<T>; 3] {
    let n = gamma.len();
    let (d_mean, d_variance) = cotangent.split_at(n);
    let mut d_gamma = vec![T::ZERO; n];
    let mut d_xi2 = vec![T::ZERO; xi2.len()];
    match step {
        Step::Moments => {
            g.pull_back([gamma, xi2], [d_mean, d_variance], [&mut d_gamma, &mut d_xi2]);
        }
        Step::Values => {
            let [slope, _] = slopes(g, gamma);
            for i in 0..n {
                d_gamma[i] = d_mean[i] * slope[i];
            }
        }
        Step::Linearised => {
            let [slope, bend] = slopes(g, gamma);
            for i in 0..n {
                let twice = slope[i] + slope[i];
                d_gamma[i] = d_mean[i] * slope[i] + d_variance[i] * twice * bend[i] * xi2[i];
                d_xi2[i] = d_variance[i] * slope[i] * slope[i];
            }
        }
    }
    let d_theta = parameter_cotangents(g, step, [gamma, xi2], cotangent, parameters);
    [d_gamma, d_xi2, d_theta]
}

/// g′ and g″ at each point; 0 where there is none, at a jump or a kink.
pub(crate) fn slopes<T: Float>(g: &dyn Slices<T>, x: &[T]) -> [Vec<T>; 2] {
    let zero = vec![T::ZERO; x.len()];
    let mut rows: [Vec<T>; 6] = std::array::from_fn(|_| zero.clone());
    g.gradients(x, &zero, MomentsGradMut::new(rows.each_mut().map(|row| &mut row[..])));
    let [_, _, mut slope, mut half_bend, ..] = rows;
    for (slope, bend) in slope.iter_mut().zip(&mut half_bend) {
        // ∂E[g]/∂γ → g′ and ∂E[g]/∂ξ² → ½ g″ for ξ → 0, infinite at a jump and at a kink.
        *slope = finite(*slope);
        *bend = finite(*bend + *bend);
    }
    [slope, half_bend]
}

fn finite<T: Float>(x: T) -> T {
    if x.to_f64().is_finite() { x } else { T::ZERO }
}

fn parameter_cotangents<T: Float>(
    g: &dyn Slices<T>,
    step: Step,
    [gamma, xi2]: [&[T]; 2],
    cotangent: &[T],
    parameters: usize,
) -> Vec<T> {
    let n = gamma.len();
    let mut total = vec![0.0; parameters];
    if parameters == 0 {
        return Vec::new();
    }
    let mut out = vec![ParameterGrad::default(); parameters];
    for i in 0..n {
        let d_mean = cotangent[i].to_f64();
        match step {
            Step::Moments => {
                g.parameter_gradients(gamma[i], xi2[i], &mut out);
                let d_variance = cotangent[n + i].to_f64();
                for (total, grad) in total.iter_mut().zip(&out) {
                    *total += d_mean * grad.dmean.to_f64() + d_variance * grad.dvariance.to_f64();
                }
            }
            Step::Values | Step::Linearised => {
                g.parameter_gradients(gamma[i], T::ZERO, &mut out);
                for (total, grad) in total.iter_mut().zip(&out) {
                    *total += d_mean * grad.dmean.to_f64();
                }
            }
        }
        if step == Step::Linearised {
            // Var g → g′² ξ² for ξ → 0, and the kernels give it there to all digits.
            let g2 = gamma[i].to_f64();
            let small = 1e-12 * (g2 * g2 + 1e-12);
            g.parameter_gradients(gamma[i], T::from_f64(small), &mut out);
            let weight = cotangent[n + i].to_f64() * xi2[i].to_f64() / small;
            for (total, grad) in total.iter_mut().zip(&out) {
                *total += weight * grad.dvariance.to_f64();
            }
        }
    }
    total.into_iter().map(T::from_f64).collect()
}
