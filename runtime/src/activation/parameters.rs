//! Derivatives of mean, second moment and variance in each parameter, for the elements of a batch.

use core::marker::PhantomData;

use super::Activation;
use crate::Float;
use crate::kernel::quantities::moments::{ParameterGrad, ParameterGradMut, same_length};
use crate::kernel::{Kernel, MAX_PARAMETERS};
use crate::slices::of_table;
use crate::tabulated::tangent::{InParameter, MovingTable};

/// Derivatives in the parameters for a batch, by the method for one element: the default of every activation.
#[track_caller]
pub(super) fn one_by_one<T: Float, A: Activation<T> + ?Sized>(
    activation: &A,
    gamma: &[T],
    xi2: &[T],
    out: &mut [ParameterGradMut<'_, T>],
) {
    check_lengths(A::PARAMETERS.len(), gamma.len(), xi2.len(), out);
    for i in 0..gamma.len() {
        one(activation, [gamma, xi2], out, i);
    }
}

/// Derivatives in the parameters for a batch, by the table of a kernel. The numbers of the function and their
/// derivatives in each parameter are computed once. The sum over the pieces is compiled with this crate.
#[track_caller]
pub(super) fn by_table<T: Float, K: Kernel>(
    kernel: &K,
    gamma: &[T],
    xi2: &[T],
    out: &mut [ParameterGradMut<'_, T>],
) {
    check_lengths(<K as Kernel>::PARAMETERS.len(), gamma.len(), xi2.len(), out);
    if <K as Kernel>::PARAMETERS.is_empty() {
        return;
    }
    kernel.with_tangents(|table, tangents| {
        for (slices, tangent) in out.iter_mut().zip(tangents) {
            let ParameterGradMut { dmean, dsecond, dvariance } = slices;
            let moving = MovingTable { table: *table, tangent: *tangent };
            let slices = ([gamma, xi2], [&mut **dmean, &mut **dsecond, &mut **dvariance]);
            of_table((&moving, table.degree), PhantomData::<InParameter>, slices);
        }
    });
    // On a knot, limits.
    for i in (0..gamma.len()).filter(|i| xi2[*i] == T::ZERO) {
        one(kernel, [gamma, xi2], out, i);
    }
}

fn one<T: Float, A: Activation<T> + ?Sized>(
    activation: &A,
    [gamma, xi2]: [&[T]; 2],
    out: &mut [ParameterGradMut<'_, T>],
    i: usize,
) {
    let mut gradients = [ParameterGrad::default(); MAX_PARAMETERS];
    let gradients = &mut gradients[..A::PARAMETERS.len()];
    activation.parameter_grad(gamma[i], xi2[i], gradients);
    for (slices, gradient) in out.iter_mut().zip(&*gradients) {
        slices.dmean[i] = gradient.dmean;
        slices.dsecond[i] = gradient.dsecond;
        slices.dvariance[i] = gradient.dvariance;
    }
}

#[track_caller]
fn check_lengths<T>(parameters: usize, n: usize, xi2: usize, out: &[ParameterGradMut<'_, T>]) {
    same_length("xi2", xi2, n);
    assert!(
        out.len() == parameters,
        "`out` has {} elements but the activation has {parameters} parameters",
        out.len()
    );
    for slices in out {
        same_length("dmean", slices.dmean.len(), n);
        same_length("dsecond", slices.dsecond.len(), n);
        same_length("dvariance", slices.dvariance.len(), n);
    }
}
