//! Kernels and tables over slices of either type.
//!
//! A kernel is computed in the widest vectors of the machine. Code that takes slices of any `T` goes on with those of the
//! type that `T` is.
//!
//! A table of moderate degree is computed in vectors. Slices of f32 are computed in f64 above degree 10. Where the
//! sum would lose digits, each element is computed by itself, at quadrature nodes.

use core::marker::PhantomData;

use crate::Float;
use crate::batch::{Batch, BatchWork, Pullback};
use crate::kernel::Kernel;
use crate::kernel::pieces::{MAX_DEGREE, Table, Tangent};
use crate::kernel::quantities::{MeanAndVariance, WithDerivatives};
use crate::lanes::dispatch::Vectors;
use crate::order::BLOCK;
use crate::tabulated::sum::Sum;
use crate::tabulated::tangent::{InParameter, Moving};
use crate::tabulated::{gradients, is_hard, moments};
use crate::typed::TypedSlices;

/// A precision for whose slices this crate has the methods of a table.
trait Tabulated: Float {
    /// Mean and variance.
    fn moments_of(table: &Table<'_>, inputs: [&[Self]; 2], outputs: [&mut [Self]; 2]);
    /// Mean, variance and their derivatives.
    fn gradients_of(table: &Table<'_>, inputs: [&[Self]; 2], outputs: [&mut [Self]; 6]);
    /// The cotangents of γ and ξ².
    fn pullback_of(table: &Table<'_>, inputs: [&[Self]; 4], outputs: [&mut [Self]; 2]);
    /// The derivatives of mean, second moment and variance in a parameter, not for ξ² = 0 on a knot.
    fn tangent_of(
        moving: (&Table<'_>, &Tangent<'_>),
        inputs: [&[Self]; 2],
        outputs: [&mut [Self]; 3],
    );
}

/// A step of a kernel over slices.
pub(crate) fn run_batch<K, S, T, const IN: usize, const OUT: usize>(
    kernel: &K,
    step: PhantomData<S>,
    slices: TypedSlices<'_, T, IN, OUT>,
) where
    K: Kernel,
    S: BatchWork<IN, OUT>,
    T: Float,
{
    if const { T::IS_DOUBLE } {
        if let Some((inputs, outputs)) = T::doubles(slices) {
            f64::dispatch(Batch { kernel, step, inputs, outputs });
        }
    } else if let Some((inputs, outputs)) = T::singles(slices) {
        f32::dispatch(Batch { kernel, step, inputs, outputs });
    }
}

/// Mean and variance by a table.
pub(crate) fn moments_of<T: Float>(table: &Table<'_>, slices: TypedSlices<'_, T, 2, 2>) {
    if const { T::IS_DOUBLE } {
        if let Some((inputs, outputs)) = T::doubles(slices) {
            f64::moments_of(table, inputs, outputs);
        }
    } else if let Some((inputs, outputs)) = T::singles(slices) {
        f32::moments_of(table, inputs, outputs);
    }
}

/// Mean, variance and their derivatives by a table.
pub(crate) fn gradients_of<T: Float>(table: &Table<'_>, slices: TypedSlices<'_, T, 2, 6>) {
    if const { T::IS_DOUBLE } {
        if let Some((inputs, outputs)) = T::doubles(slices) {
            f64::gradients_of(table, inputs, outputs);
        }
    } else if let Some((inputs, outputs)) = T::singles(slices) {
        f32::gradients_of(table, inputs, outputs);
    }
}

/// The cotangents of γ and ξ² by a table.
pub(crate) fn pullback_of<T: Float>(table: &Table<'_>, slices: TypedSlices<'_, T, 4, 2>) {
    if const { T::IS_DOUBLE } {
        if let Some((inputs, outputs)) = T::doubles(slices) {
            f64::pullback_of(table, inputs, outputs);
        }
    } else if let Some((inputs, outputs)) = T::singles(slices) {
        f32::pullback_of(table, inputs, outputs);
    }
}

/// The derivatives of mean, second moment and variance in a parameter by a table, not for ξ² = 0 on a knot.
pub(crate) fn tangent_of<T: Float>(
    moving: (&Table<'_>, &Tangent<'_>),
    slices: TypedSlices<'_, T, 2, 3>,
) {
    if const { T::IS_DOUBLE } {
        if let Some((inputs, outputs)) = T::doubles(slices) {
            f64::tangent_of(moving, inputs, outputs);
        }
    } else if let Some((inputs, outputs)) = T::singles(slices) {
        f32::tangent_of(moving, inputs, outputs);
    }
}

/// Results for slices by the sum over the pieces. Thresholds, clamps, tents and swishes have loops of their own, which gain a
/// tenth to a half.
fn by_sum<T: Vectors, S: BatchWork<IN, OUT>, const IN: usize, const OUT: usize>(
    table: &Table<'_>,
    inputs: [&[T]; IN],
    outputs: [&mut [T]; OUT],
) {
    let step = PhantomData::<S>;
    macro_rules! with_knots_and_degree {
        ($(($knots:literal, $degree:literal))*) => {
            $(if let Some(kernel) = &Sum::<$knots, $degree>::of_few(table) {
                return T::dispatch(Batch { kernel, step, inputs, outputs });
            })*
        };
    }
    with_knots_and_degree!((1, 1)(2, 1)(3, 1)(2, 2));
    T::dispatch(Batch { kernel: &Sum::of(table), step, inputs, outputs });
}

/// Results for slices by the method for slices of f64, block by block.
fn widened<T: Float, const IN: usize, const OUT: usize>(
    inputs: [&[T]; IN],
    mut outputs: [&mut [T]; OUT],
    run: impl Fn([&[f64]; IN], [&mut [f64]; OUT]),
) {
    let length = inputs[0].len();
    let mut wide = [[0.0; BLOCK]; IN];
    let mut results = [[0.0; BLOCK]; OUT];
    for start in (0..length).step_by(BLOCK) {
        let end = length.min(start + BLOCK);
        for (wide, input) in wide.iter_mut().zip(&inputs) {
            for (wide, x) in wide.iter_mut().zip(&input[start..end]) {
                *wide = x.to_f64();
            }
        }
        let count = end - start;
        let slices = results.each_mut().map(|column| &mut column[..count]);
        run(wide.each_ref().map(|column| &column[..count]), slices);
        for (output, results) in outputs.iter_mut().zip(&results) {
            for (y, result) in output[start..end].iter_mut().zip(results) {
                *y = T::from_f64(*result);
            }
        }
    }
}

/// Results for slices, number by number.
fn number_by_number<T: Float, const OUT: usize>(
    [gamma, xi2]: [&[T]; 2],
    outputs: [&mut [T]; OUT],
    run: impl Fn(f64, f64) -> [f64; OUT],
) {
    let mut outputs = outputs.map(|output| output.iter_mut());
    for (gamma, xi2) in gamma.iter().zip(xi2) {
        let results = run(gamma.to_f64(), xi2.to_f64());
        for (output, result) in outputs.iter_mut().zip(results) {
            if let Some(y) = output.next() {
                *y = T::from_f64(result);
            }
        }
    }
}

macro_rules! tabulated {
    ($T:ident, $narrow_to:expr) => {
        impl Tabulated for $T {
            fn moments_of(table: &Table<'_>, inputs: [&[$T]; 2], outputs: [&mut [$T]; 2]) {
                if is_hard(table) {
                    return number_by_number(inputs, outputs, |x, y| moments(table, x, y));
                }
                if table.degree > $narrow_to {
                    return widened(inputs, outputs, |x, y| f64::moments_of(table, x, y));
                }
                by_sum::<$T, MeanAndVariance, 2, 2>(table, inputs, outputs);
            }
            fn gradients_of(table: &Table<'_>, inputs: [&[$T]; 2], outputs: [&mut [$T]; 6]) {
                if is_hard(table) {
                    return number_by_number(inputs, outputs, |x, y| gradients(table, x, y));
                }
                if table.degree > $narrow_to {
                    return widened(inputs, outputs, |x, y| f64::gradients_of(table, x, y));
                }
                by_sum::<$T, WithDerivatives, 2, 6>(table, inputs, outputs);
            }
            fn pullback_of(table: &Table<'_>, inputs: [&[$T]; 4], outputs: [&mut [$T]; 2]) {
                if table.degree > $narrow_to {
                    return widened(inputs, outputs, |x, y| f64::pullback_of(table, x, y));
                }
                by_sum::<$T, Pullback, 4, 2>(table, inputs, outputs);
            }
            fn tangent_of(
                moving: (&Table<'_>, &Tangent<'_>),
                inputs: [&[$T]; 2],
                outputs: [&mut [$T]; 3],
            ) {
                let (table, tangent) = moving;
                if table.degree > $narrow_to {
                    return widened(inputs, outputs, |x, y| f64::tangent_of(moving, x, y));
                }
                let kernel = &Moving { table: *table, tangent: *tangent };
                $T::dispatch(Batch { kernel, step: PhantomData::<InParameter>, inputs, outputs });
            }
        }
    };
}
tabulated!(f64, MAX_DEGREE);
// Above this degree the terms of a polynomial may cancel by more digits than lanes for results of f32 have to spare. On
// a piece where a polynomial is at most 1, its coefficients around an end are at most those of a Chebyshev polynomial,
// whose sum grows by 3 + 2√2 a degree, 2.5 bits. f64 has 29 bits more than f32.
tabulated!(f32, 10);
