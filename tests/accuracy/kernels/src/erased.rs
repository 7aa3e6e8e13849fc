//! The public trait without its constants, so that activations can stand in one list; the batched
//! methods return what they write.

use gaussform::{
    Activation, Float, LogMomentsGrad, LogMomentsGradMut, Moments, MomentsGrad, MomentsGradMut,
};

/// An [`Activation`] whose type is forgotten.
pub trait Kernels<T> {
    /// [`Activation::moments`].
    fn moments(&self, gamma: T, xi2: T) -> Moments<T>;
    /// [`Activation::moments_grad`].
    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T>;
    /// [`Activation::log_moments_grad`].
    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T>;
    /// [`Activation::is_nonnegative`].
    fn is_nonnegative(&self) -> bool;
    /// [`Activation::log_moments_grad_into`]: both logarithms and the four derivatives.
    fn batch_log_grad(&self, gamma: &[T], xi2: &[T]) -> [Vec<T>; 6];
    /// [`Activation::moments_into`]: mean, variance.
    fn batch(&self, gamma: &[T], xi2: &[T]) -> [Vec<T>; 2];
    /// [`Activation::moments_grad_into`]: mean, variance and the four derivatives.
    fn batch_grad(&self, gamma: &[T], xi2: &[T]) -> [Vec<T>; 6];
    /// [`Activation::vjp_into`] with the same cotangents everywhere.
    fn batch_vjp(&self, gamma: &[T], xi2: &[T], d_mean: T, d_variance: T) -> [Vec<T>; 2];
}

impl<T: Float, A: Activation<T>> Kernels<T> for A {
    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        Activation::moments(self, gamma, xi2)
    }

    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        Activation::moments_grad(self, gamma, xi2)
    }

    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        Activation::log_moments_grad(self, gamma, xi2)
    }

    fn is_nonnegative(&self) -> bool {
        Activation::is_nonnegative(self)
    }

    fn batch_log_grad(&self, gamma: &[T], xi2: &[T]) -> [Vec<T>; 6] {
        let mut out: [Vec<T>; 6] = blank(gamma.len());
        let [a, b, c, d, e, f] = out.each_mut().map(Vec::as_mut_slice);
        let slices = LogMomentsGradMut {
            log_mean: a,
            log_variance: b,
            dlog_mean_dgamma: c,
            dlog_mean_dxi2: d,
            dlog_variance_dgamma: e,
            dlog_variance_dxi2: f,
        };
        self.log_moments_grad_into(gamma, xi2, slices);
        out
    }

    fn batch(&self, gamma: &[T], xi2: &[T]) -> [Vec<T>; 2] {
        let [mut mean, mut variance] = blank(gamma.len());
        self.moments_into(gamma, xi2, &mut mean, &mut variance);
        [mean, variance]
    }

    fn batch_grad(&self, gamma: &[T], xi2: &[T]) -> [Vec<T>; 6] {
        let mut out: [Vec<T>; 6] = blank(gamma.len());
        let slices = MomentsGradMut::new(out.each_mut().map(Vec::as_mut_slice));
        self.moments_grad_into(gamma, xi2, slices);
        out
    }

    fn batch_vjp(&self, gamma: &[T], xi2: &[T], d_mean: T, d_variance: T) -> [Vec<T>; 2] {
        let n = gamma.len();
        let [mut d_gamma, mut d_xi2] = blank(n);
        let (d_mean, d_variance) = (vec![d_mean; n], vec![d_variance; n]);
        self.vjp_into(gamma, xi2, &d_mean, &d_variance, &mut d_gamma, &mut d_xi2);
        [d_gamma, d_xi2]
    }
}

/// Filled with NaN, so that what is not written shows.
fn blank<T: Float, const N: usize>(n: usize) -> [Vec<T>; N] {
    std::array::from_fn(|_| vec![T::NAN; n])
}
