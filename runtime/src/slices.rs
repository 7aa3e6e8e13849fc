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
use crate::kernel::pieces::Table;
use crate::kernel::quantities::{MeanAndVariance, WithDerivatives};
use crate::lanes::dispatch::{Task, Vectors};
use crate::order::BLOCK;
use crate::tabulated::needs_nodes;
use crate::tabulated::sum::Sum;
use crate::tabulated::tangent::{InParameter, MovingTable};
use crate::typed::TypedSlices;

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

/// A step that is compiled in this crate for slices of both precisions, by a table `K`: programs have no code of their own for it.
pub(crate) trait OnTable<K, const IN: usize, const OUT: usize> {
    /// The results for slices of f64.
    fn doubles(kernel: &K, inputs: [&[f64]; IN], outputs: [&mut [f64]; OUT]);
    /// The results for slices of f32.
    fn singles(kernel: &K, inputs: [&[f32]; IN], outputs: [&mut [f32]; OUT]);
}

macro_rules! on_table {
    ($($step:ident: $in:literal -> $out:literal)*) => {
        $(impl OnTable<Table<'_>, $in, $out> for $step {
            fn doubles(table: &Table<'_>, inputs: [&[f64]; $in], outputs: [&mut [f64]; $out]) {
                by_sum::<f64, Self, $in, $out>(table, inputs, outputs);
            }
            fn singles(table: &Table<'_>, inputs: [&[f32]; $in], outputs: [&mut [f32]; $out]) {
                by_sum::<f32, Self, $in, $out>(table, inputs, outputs);
            }
        })*
    };
}
on_table!(MeanAndVariance: 2 -> 2 WithDerivatives: 2 -> 6 Pullback: 4 -> 2);

impl OnTable<MovingTable<'_>, 2, 3> for InParameter {
    fn doubles(kernel: &MovingTable<'_>, inputs: [&[f64]; 2], outputs: [&mut [f64]; 3]) {
        f64::dispatch(Batch { kernel, step: PhantomData::<Self>, inputs, outputs });
    }
    fn singles(kernel: &MovingTable<'_>, inputs: [&[f32]; 2], outputs: [&mut [f32]; 3]) {
        f32::dispatch(Batch { kernel, step: PhantomData::<Self>, inputs, outputs });
    }
}

/// Above this degree slices of f32 are computed as slices of f64: the terms of a polynomial may cancel by more digits than lanes
/// for results of f32 have to spare. On a piece where a polynomial is at most 1, its coefficients around an end are at most those of a
/// Chebyshev polynomial, whose sum grows by 3 + 2√2 a degree, 2.5 bits. f64 has 29 bits more than f32.
const MOST_OF_SINGLES: usize = 10;

/// Results for slices by a table of a degree.
pub(crate) fn of_table<T: Float, K, S, const IN: usize, const OUT: usize>(
    (kernel, degree): (&K, usize),
    _: PhantomData<S>,
    slices: TypedSlices<'_, T, IN, OUT>,
) where
    S: OnTable<K, IN, OUT>,
{
    if const { T::IS_DOUBLE } {
        if let Some((inputs, outputs)) = T::doubles(slices) {
            S::doubles(kernel, inputs, outputs);
        }
    } else if let Some((inputs, outputs)) = T::singles(slices) {
        if degree > MOST_OF_SINGLES {
            widened(inputs, outputs, |x, y| S::doubles(kernel, x, y));
        } else {
            S::singles(kernel, inputs, outputs);
        }
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
            $(if let Some(kernel) = &Sum::<$knots, $degree>::of(table) {
                return T::dispatch(Batch { kernel, step, inputs, outputs });
            })*
        };
    }
    with_knots_and_degree!((1, 1)(2, 1)(3, 1)(2, 2));
    let batch = Batch { kernel: table, step, inputs, outputs };
    if needs_nodes(table) {
        batch.run_one_by_one();
    } else {
        T::dispatch(batch);
    }
}

/// Results for slices of f32 by the method for slices of f64, block by block.
fn widened<const IN: usize, const OUT: usize>(
    inputs: [&[f32]; IN],
    mut outputs: [&mut [f32]; OUT],
    run: impl Fn([&[f64]; IN], [&mut [f64]; OUT]),
) {
    let length = inputs[0].len();
    let mut wide = [[0.0; BLOCK]; IN];
    let mut results = [[0.0; BLOCK]; OUT];
    for start in (0..length).step_by(BLOCK) {
        let end = length.min(start + BLOCK);
        for (wide, input) in wide.iter_mut().zip(&inputs) {
            for (wide, x) in wide.iter_mut().zip(&input[start..end]) {
                *wide = f64::from(*x);
            }
        }
        let count = end - start;
        let slices = results.each_mut().map(|column| &mut column[..count]);
        run(wide.each_ref().map(|column| &column[..count]), slices);
        for (output, results) in outputs.iter_mut().zip(&results) {
            for (y, result) in output[start..end].iter_mut().zip(results) {
                *y = *result as f32;
            }
        }
    }
}
