//! Slices of a table.

use core::marker::PhantomData;

use super::sum::Sum;
use super::tangent::{InParameter, Moving};
use crate::batch::{Batch, Pullback};
use crate::kernel::pieces::{Table, Tangent};
use crate::lanes::dispatch::Vectors;
use crate::quantities::{MeanAndVariance, WithDerivatives};

/// A precision in which the methods are there.
#[allow(unreachable_pub, reason = "seals the public trait `Float`")]
pub trait Tabulated: Sized {
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

macro_rules! tabulated {
    ($T:ident) => {
        impl Tabulated for $T {
            fn moments_of(table: &Table<'_>, inputs: [&[$T]; 2], outputs: [&mut [$T]; 2]) {
                let kernel = &Sum(*table);
                let step = PhantomData::<MeanAndVariance>;
                $T::dispatch(Batch { kernel, step, inputs, outputs });
            }
            fn gradients_of(table: &Table<'_>, inputs: [&[$T]; 2], outputs: [&mut [$T]; 6]) {
                let kernel = &Sum(*table);
                let step = PhantomData::<WithDerivatives>;
                $T::dispatch(Batch { kernel, step, inputs, outputs });
            }
            fn pullback_of(table: &Table<'_>, inputs: [&[$T]; 4], outputs: [&mut [$T]; 2]) {
                let kernel = &Sum(*table);
                $T::dispatch(Batch { kernel, step: PhantomData::<Pullback>, inputs, outputs });
            }
            fn tangent_of(
                (table, tangent): (&Table<'_>, &Tangent<'_>),
                inputs: [&[$T]; 2],
                outputs: [&mut [$T]; 3],
            ) {
                let kernel = &Moving { table: *table, tangent: *tangent };
                $T::dispatch(Batch { kernel, step: PhantomData::<InParameter>, inputs, outputs });
            }
        }
    };
}
tabulated!(f64);
tabulated!(f32);
