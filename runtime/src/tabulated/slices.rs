//! Slices of a table.

use core::marker::PhantomData;

use super::sum::Sum;
use crate::batch::{Batch, Pullback};
use crate::kernel::pieces::Table;
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
        }
    };
}
tabulated!(f64);
tabulated!(f32);
