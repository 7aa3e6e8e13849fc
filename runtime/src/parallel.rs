//! Large slices on several cores, with the threads of rayon.
//!
//! The results are those of the methods of [`Activation`], to the bit, since the result of an element does
//! not depend on its position. Several cores are worth their start from some ten thousand elements on. Below that, one
//! core does all.

use rayon::prelude::*;

use crate::{Activation, Float, MomentsGradMut};

/// Elements that one task computes: six slices of them fit into a core's cache.
const CHUNK: usize = 1 << 14;

/// [`Activation::moments_into`] on several cores.
///
/// # Panics
///
/// If the slices differ in length.
pub fn moments_into<T: Float, A: Activation<T> + Sync>(
    activation: &A,
    gamma: &[T],
    xi2: &[T],
    mean: &mut [T],
    variance: &mut [T],
) {
    if [xi2.len(), mean.len(), variance.len()] != [gamma.len(); 3] || gamma.len() <= CHUNK {
        // Which also says what is wrong with the lengths.
        return activation.moments_into(gamma, xi2, mean, variance);
    }
    let inputs = gamma.par_chunks(CHUNK).zip(xi2.par_chunks(CHUNK));
    let outputs = mean.par_chunks_mut(CHUNK).zip(variance.par_chunks_mut(CHUNK));
    inputs.zip(outputs).for_each(|((gamma, xi2), (mean, variance))| {
        activation.moments_into(gamma, xi2, mean, variance);
    });
}

/// [`Activation::moments_grad_into`] on several cores.
///
/// # Panics
///
/// If the slices differ in length.
pub fn moments_grad_into<T: Float, A: Activation<T> + Sync>(
    activation: &A,
    gamma: &[T],
    xi2: &[T],
    out: MomentsGradMut<'_, T>,
) {
    let n = gamma.len();
    let slices = out.into_slices();
    if xi2.len() != n || slices.iter().any(|slice| slice.len() != n) || n <= CHUNK {
        return activation.moments_grad_into(gamma, xi2, MomentsGradMut::new(slices));
    }
    let inputs = gamma.par_chunks(CHUNK).zip(xi2.par_chunks(CHUNK));
    let [a, b, c, d, e, f] = slices.map(|slice| slice.par_chunks_mut(CHUNK));
    inputs.zip(a.zip(b)).zip(c.zip(d)).zip(e.zip(f)).for_each(
        |((((gamma, xi2), (a, b)), (c, d)), (e, f))| {
            activation.moments_grad_into(gamma, xi2, MomentsGradMut::new([a, b, c, d, e, f]));
        },
    );
}

/// [`Activation::vjp_into`] on several cores.
///
/// # Panics
///
/// If the slices differ in length.
pub fn vjp_into<T: Float, A: Activation<T> + Sync>(
    activation: &A,
    gamma: &[T],
    xi2: &[T],
    d_mean: &[T],
    d_variance: &[T],
    d_gamma: &mut [T],
    d_xi2: &mut [T],
) {
    let lengths = [xi2.len(), d_mean.len(), d_variance.len(), d_gamma.len(), d_xi2.len()];
    if lengths != [gamma.len(); 5] || gamma.len() <= CHUNK {
        return activation.vjp_into(gamma, xi2, d_mean, d_variance, d_gamma, d_xi2);
    }
    let inputs = gamma.par_chunks(CHUNK).zip(xi2.par_chunks(CHUNK));
    let cotangents = d_mean.par_chunks(CHUNK).zip(d_variance.par_chunks(CHUNK));
    let outputs = d_gamma.par_chunks_mut(CHUNK).zip(d_xi2.par_chunks_mut(CHUNK));
    inputs.zip(cotangents).zip(outputs).for_each(
        |(((gamma, xi2), (d_mean, d_variance)), (d_gamma, d_xi2))| {
            activation.vjp_into(gamma, xi2, d_mean, d_variance, d_gamma, d_xi2);
        },
    );
}
