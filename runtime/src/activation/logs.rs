//! Logarithms of the moments of a batch, from the other methods of an activation.
//!
//! The moments of a batch come first. Where mean or variance has lost digits to underflow, the element is computed
//! again by itself, by the method for logarithms.

use super::Activation;
use crate::Float;
use crate::kernel::logarithm::{are_digits_left, ln};
use crate::kernel::quantities::log::{LogMomentsGrad, LogMomentsGradMut, LogMomentsMut};
use crate::kernel::quantities::moments::{MomentsGradMut, same_length};

/// The number of elements that are computed at a time.
const BLOCK: usize = 256;

/// ln E\[g\] and ln Var g of a batch, in place. An element of which few digits are left is computed by itself.
#[track_caller]
pub(super) fn moments<T: Float, A: Activation<T> + ?Sized>(
    activation: &A,
    gamma: &[T],
    xi2: &[T],
    out: LogMomentsMut<'_, T>,
) {
    let LogMomentsMut { log_mean, log_variance } = out;
    let n = gamma.len();
    same_length("xi2", xi2.len(), n);
    same_length("log_mean", log_mean.len(), n);
    same_length("log_variance", log_variance.len(), n);
    let is_nonnegative = activation.is_nonnegative();
    activation.moments_into(gamma, xi2, log_mean, log_variance);
    for i in 0..n {
        let has_digits = |value: T| are_digits_left([value, T::ONE, T::ONE]);
        if has_digits(log_variance[i]) && (!is_nonnegative || has_digits(log_mean[i])) {
            log_mean[i] = if is_nonnegative { ln(log_mean[i]) } else { T::NAN };
            log_variance[i] = ln(log_variance[i]);
        } else {
            let logarithms = activation.log_moments(gamma[i], xi2[i]);
            (log_mean[i], log_variance[i]) = (logarithms.log_mean, logarithms.log_variance);
        }
    }
}

/// ln E\[g\] and ln Var g of a batch with their derivatives in γ and ξ². An element of which few digits are left is
/// computed by itself.
#[track_caller]
pub(super) fn gradients<T: Float, A: Activation<T> + ?Sized>(
    activation: &A,
    gamma: &[T],
    xi2: &[T],
    out: LogMomentsGradMut<'_, T>,
) {
    let n = gamma.len();
    same_length("xi2", xi2.len(), n);
    let names = [
        ("log_mean", out.log_mean.len()),
        ("log_variance", out.log_variance.len()),
        ("dlog_mean_dgamma", out.dlog_mean_dgamma.len()),
        ("dlog_mean_dxi2", out.dlog_mean_dxi2.len()),
        ("dlog_variance_dgamma", out.dlog_variance_dgamma.len()),
        ("dlog_variance_dxi2", out.dlog_variance_dxi2.len()),
    ];
    for (name, length) in names {
        same_length(name, length, n);
    }
    let is_nonnegative = activation.is_nonnegative();
    let mut arrays = [[T::ZERO; BLOCK]; 6];
    for start in (0..n).step_by(BLOCK) {
        let end = n.min(start + BLOCK);
        let block = MomentsGradMut::new(arrays.each_mut().map(|a| &mut a[..end - start]));
        activation.moments_grad_into(&gamma[start..end], &xi2[start..end], block);
        for i in start..end {
            let [m, v, m_gamma, m_xi2, v_gamma, v_xi2] = arrays.each_ref().map(|a| a[i - start]);
            let (mean, variance) = ([m, m_gamma, m_xi2], [v, v_gamma, v_xi2]);
            let is_plain = are_digits_left(variance) && (!is_nonnegative || are_digits_left(mean));
            let logarithms = if is_plain {
                LogMomentsGrad::from_values(is_nonnegative, mean, variance)
            } else {
                activation.log_moments_grad(gamma[i], xi2[i])
            };
            out.log_mean[i] = logarithms.log_mean;
            out.log_variance[i] = logarithms.log_variance;
            out.dlog_mean_dgamma[i] = logarithms.dlog_mean_dgamma;
            out.dlog_mean_dxi2[i] = logarithms.dlog_mean_dxi2;
            out.dlog_variance_dgamma[i] = logarithms.dlog_variance_dgamma;
            out.dlog_variance_dxi2[i] = logarithms.dlog_variance_dxi2;
        }
    }
}
