//! Kernels on slices, of one precision or of both, behind a pointer.

use gaussform_codegen::{Dynamic, Kernel};
use gaussform_runtime::{
    Activation, Float, LogMomentsGradMut, LogMomentsMut, MomentsGradMut, ParameterGradMut,
};

use crate::Quantity;

/// Kernels of one precision.
pub trait Slices<T> {
    /// Computes a quantity of every element.
    ///
    /// # Panics
    ///
    /// If there are not as many slices as [`Quantity::counts`] says, or they differ in length.
    fn compute(&self, quantity: Quantity, inputs: &[&[T]], outputs: &mut [&mut [T]]);
}

/// Kernels of both precisions.
pub trait Kernels: Slices<f32> + Slices<f64> + Send + Sync {}

impl<K: Slices<f32> + Slices<f64> + Send + Sync> Kernels for K {}

/// A precision of kernels.
pub trait Scalar: Float + Send + Sync + 'static {
    /// The kernels of this precision.
    fn of(kernels: &dyn Kernels) -> &dyn Slices<Self>;
}

impl Scalar for f32 {
    fn of(kernels: &dyn Kernels) -> &dyn Slices<Self> {
        kernels
    }
}

impl Scalar for f64 {
    fn of(kernels: &dyn Kernels) -> &dyn Slices<Self> {
        kernels
    }
}

/// An activation that has its parameters' derivatives itself.
pub(crate) struct Own<A>(pub(crate) A);

/// A declaration with values of its parameters, and its derivatives in them.
pub(crate) struct Declared {
    pub(crate) dynamic: Dynamic,
    pub(crate) kernel: Kernel,
    pub(crate) values: Vec<f64>,
}

const COUNT: &str = "as many slices as the quantity needs";

impl<T: Float, A: Activation<T>> Slices<T> for Own<A> {
    fn compute(&self, quantity: Quantity, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        if quantity != Quantity::Parameters {
            return elementwise(&self.0, quantity, inputs, outputs);
        }
        let [gamma, xi2] = inputs else { panic!("{COUNT}") };
        let mut gradients: Vec<ParameterGradMut<'_, T>> =
            outputs.chunks_exact_mut(3).map(parameter).collect();
        self.0.parameter_grad_into(gamma, xi2, &mut gradients);
    }
}

impl<T: Float> Slices<T> for Declared
where
    Dynamic: Activation<T>,
{
    fn compute(&self, quantity: Quantity, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        if quantity != Quantity::Parameters {
            return elementwise(&self.dynamic, quantity, inputs, outputs);
        }
        let [gamma, xi2] = inputs else { panic!("{COUNT}") };
        let fixed = self.kernel.fixed(&self.values);
        for (i, (gamma, xi2)) in gamma.iter().zip(*xi2).enumerate() {
            let gradients = fixed.parameter_grad(*gamma, *xi2);
            for (slices, gradient) in outputs.chunks_exact_mut(3).zip(gradients) {
                slices[0][i] = gradient.dmean;
                slices[1][i] = gradient.dsecond;
                slices[2][i] = gradient.dvariance;
            }
        }
    }
}

fn parameter<'a, T>(slices: &'a mut [&mut [T]]) -> ParameterGradMut<'a, T> {
    let [dmean, dsecond, dvariance] = slices else { panic!("{COUNT}") };
    ParameterGradMut { dmean, dsecond, dvariance }
}

/// Every quantity but derivatives in parameters.
fn elementwise<T: Float>(
    g: &impl Activation<T>,
    quantity: Quantity,
    inputs: &[&[T]],
    outputs: &mut [&mut [T]],
) {
    match (quantity, inputs, outputs) {
        (Quantity::Value, [x], [out]) => {
            for (out, x) in out.iter_mut().zip(*x) {
                *out = g.value(*x);
            }
        }
        (Quantity::Moments, [gamma, xi2], [mean, variance]) => {
            g.moments_into(gamma, xi2, mean, variance);
        }
        (Quantity::Gradients, [gamma, xi2], [a, b, c, d, e, f]) => {
            g.moments_grad_into(gamma, xi2, MomentsGradMut::new([a, b, c, d, e, f]));
        }
        (Quantity::Logs, [gamma, xi2], [log_mean, log_variance]) => {
            g.log_moments_into(gamma, xi2, LogMomentsMut { log_mean, log_variance });
        }
        (Quantity::LogGradients, [gamma, xi2], [a, b, c, d, e, f]) => {
            g.log_moments_grad_into(gamma, xi2, LogMomentsGradMut::new([a, b, c, d, e, f]));
        }
        (Quantity::Pullback, [gamma, xi2, d_mean, d_variance], [d_gamma, d_xi2]) => {
            g.vjp_into(gamma, xi2, d_mean, d_variance, d_gamma, d_xi2);
        }
        _ => panic!("{COUNT}"),
    }
}
