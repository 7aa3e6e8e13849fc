//! Moments of an activation on slices, and the pullback of their derivatives, by the kernels of the runtime.
//!
//! No result is subnormal: what is below the smallest normal number is 0. The kernels themselves compute with subnormal
//! numbers, which the low words of small results need.

use gaussform_runtime::{Float, MomentsGradMut, ParameterGrad};

use crate::function::{Bound, Kernels, Slices};
use crate::subnormals::keep_subnormals;

/// The quantity that is computed of an activation g and u ~ N(γ, ξ²).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MomentRule {
    /// E\[g(u)\] and Var g(u).
    Moments,
    /// g(γ) and g′(γ)² ξ².
    Linearised,
    /// g(γ) alone; ξ² is not read.
    Values,
}

impl MomentRule {
    /// How many results there are for an element.
    pub(crate) fn results(self) -> usize {
        match self {
            MomentRule::Moments | MomentRule::Linearised => 2,
            MomentRule::Values => 1,
        }
    }
}

/// All means, then all variances.
pub(crate) fn forward<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: &[T],
    xi2: &[T],
) -> Vec<T> {
    let mut out = keep_subnormals(|| by_kernels(activation, step, gamma, xi2));
    flush(&mut out);
    out
}

/// Subnormal numbers become 0.
pub(super) fn flush<T: Kernels>(values: &mut [T]) {
    for value in values {
        // NaN compares as false and stays.
        *value = if value.abs() < T::LEAST_NORMAL { T::ZERO } else { *value };
    }
}

fn by_kernels<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: &[T],
    xi2: &[T],
) -> Vec<T> {
    let n = gamma.len();
    let mut out = vec![T::ZERO; step.results() * n];
    let (mean, variance) = out.split_at_mut(n);
    let g = T::of(activation);
    match step {
        MomentRule::Moments => g.moments(gamma, xi2, mean, variance),
        MomentRule::Values => g.values(gamma, mean),
        MomentRule::Linearised => {
            g.values(gamma, mean);
            let derivatives = activation.pieces().derivatives();
            for i in 0..n {
                let slope = T::from_f64(derivatives.at(gamma[i].to_f64())[0]);
                variance[i] = slope * slope * xi2[i];
            }
        }
    }
    out
}

/// The cotangents of γ, ξ² and the first `parameters` parameters.
pub(crate) fn pull_back<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    inputs: [&[T]; 2],
    cotangent: &[T],
    parameters: usize,
) -> [Vec<T>; 3] {
    let mut out =
        keep_subnormals(|| pull_back_by_kernels(activation, step, inputs, cotangent, parameters));
    out.iter_mut().for_each(|values| flush(values));
    out
}

fn pull_back_by_kernels<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    [gamma, xi2]: [&[T]; 2],
    cotangent: &[T],
    parameters: usize,
) -> [Vec<T>; 3] {
    let n = gamma.len();
    let (d_mean, d_variance) = cotangent.split_at(n);
    let mut d_gamma = vec![T::ZERO; n];
    let mut d_xi2 = vec![T::ZERO; xi2.len()];
    match step {
        MomentRule::Moments => {
            let out = [&mut d_gamma[..], &mut d_xi2[..]];
            T::of(activation).pull_back([gamma, xi2], [d_mean, d_variance], out);
        }
        MomentRule::Values => {
            let derivatives = activation.pieces().derivatives();
            for i in 0..n {
                let [slope, _] = derivatives.at(gamma[i].to_f64());
                d_gamma[i] = d_mean[i] * T::from_f64(slope);
            }
        }
        MomentRule::Linearised => {
            let derivatives = activation.pieces().derivatives();
            for i in 0..n {
                let [slope, bend] = derivatives.at(gamma[i].to_f64()).map(T::from_f64);
                let twice = slope + slope;
                d_gamma[i] = d_mean[i] * slope + d_variance[i] * twice * bend * xi2[i];
                d_xi2[i] = d_variance[i] * slope * slope;
            }
        }
    }
    let g = T::of(activation);
    let d_theta = parameter_cotangents(g, step, [gamma, xi2], cotangent, parameters);
    [d_gamma, d_xi2, d_theta]
}

/// The results, all means, then all variances, and their derivatives in γ and in ξ², in that order.
pub(super) fn with_derivatives<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    [gamma, xi2]: [&[T]; 2],
) -> [Vec<T>; 3] {
    let n = gamma.len();
    let count = step.results() * n;
    if step == MomentRule::Moments {
        let mut out = [(); 3].map(|()| vec![T::ZERO; count]);
        let [(mean, variance), (dmean_dgamma, dvariance_dgamma), (dmean_dxi2, dvariance_dxi2)] =
            out.each_mut().map(|results| results.split_at_mut(n));
        let columns = MomentsGradMut {
            mean,
            variance,
            dmean_dgamma,
            dmean_dxi2,
            dvariance_dgamma,
            dvariance_dxi2,
        };
        keep_subnormals(|| T::of(activation).gradients(gamma, xi2, columns));
        out.iter_mut().for_each(|results| flush(results));
        return out;
    }
    let mut out = [forward(activation, step, gamma, xi2), Vec::new(), Vec::new()];
    for r in 0..step.results() {
        // Derivatives are finite here, and the pullback of ones in one result is its derivative.
        let mut ones = vec![T::ZERO; count];
        ones[r * n..(r + 1) * n].fill(T::ONE);
        let [by_gamma, by_xi2, _] = pull_back(activation, step, [gamma, xi2], &ones, 0);
        out[1].extend(by_gamma);
        out[2].extend(by_xi2);
    }
    out
}

/// The derivatives of the results in each parameter, all means, then all variances.
pub(crate) fn by_parameter<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    inputs: [&[T]; 2],
    parameters: usize,
) -> Vec<Vec<T>> {
    let mut out = keep_subnormals(|| by_parameter_by_kernels(activation, step, inputs, parameters));
    out.iter_mut().for_each(|values| flush(values));
    out
}

fn by_parameter_by_kernels<T: Kernels>(
    activation: &dyn Bound,
    step: MomentRule,
    [gamma, xi2]: [&[T]; 2],
    parameters: usize,
) -> Vec<Vec<T>> {
    let n = gamma.len();
    let g = T::of(activation);
    let mut out = vec![vec![T::ZERO; step.results() * n]; parameters];
    let mut scratch = vec![ParameterGrad::default(); parameters];
    let mut slopes = vec![[0.0; 2]; parameters];
    for i in 0..n {
        // Values come with a single ξ², which is not read.
        let variance = xi2.get(i).copied().unwrap_or(T::ZERO);
        parameter_slopes(g, step, [gamma[i], variance], &mut scratch, &mut slopes);
        for (out, slopes) in out.iter_mut().zip(&slopes) {
            for (r, slope) in slopes.iter().enumerate().take(step.results()) {
                out[r * n + i] = T::from_f64(*slope);
            }
        }
    }
    out
}

fn parameter_cotangents<T: Float>(
    g: &dyn Slices<T>,
    step: MomentRule,
    [gamma, xi2]: [&[T]; 2],
    cotangent: &[T],
    parameters: usize,
) -> Vec<T> {
    let n = gamma.len();
    if parameters == 0 {
        return Vec::new();
    }
    // A parameter gathers over all elements of a batch: in f32 the sum would lose digits.
    let mut total = vec![0.0; parameters];
    let mut scratch = vec![ParameterGrad::default(); parameters];
    let mut slopes = vec![[0.0; 2]; parameters];
    for i in 0..n {
        let variance = xi2.get(i).copied().unwrap_or(T::ZERO);
        parameter_slopes(g, step, [gamma[i], variance], &mut scratch, &mut slopes);
        for (total, slopes) in total.iter_mut().zip(&slopes) {
            for (r, slope) in slopes.iter().enumerate().take(step.results()) {
                *total += cotangent[r * n + i].to_f64() * slope;
            }
        }
    }
    total.into_iter().map(T::from_f64).collect()
}

/// The derivatives of both results at one element in each parameter.
fn parameter_slopes<T: Float>(
    g: &dyn Slices<T>,
    step: MomentRule,
    [gamma, xi2]: [T; 2],
    scratch: &mut [ParameterGrad<T>],
    out: &mut [[f64; 2]],
) {
    let at = if step == MomentRule::Moments { xi2 } else { T::ZERO };
    g.parameter_gradients(gamma, at, scratch);
    for (out, grad) in out.iter_mut().zip(&*scratch) {
        *out = [grad.dmean.to_f64(), grad.dvariance.to_f64()];
    }
    if step == MomentRule::Linearised {
        // Var g → g′² ξ² for ξ → 0, and the kernels give it there to all digits.
        let square = gamma.to_f64() * gamma.to_f64();
        let small = 1e-12 * (square + 1e-12);
        g.parameter_gradients(gamma, T::from_f64(small), scratch);
        for (out, grad) in out.iter_mut().zip(&*scratch) {
            out[1] = xi2.to_f64() / small * grad.dvariance.to_f64();
        }
    }
}
