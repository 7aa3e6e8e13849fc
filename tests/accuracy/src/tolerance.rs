//! How far kernels may be from the truth: what the generator promises of them, and where that would
//! not hold.

use gaussform_codegen::{ACCURACY, ACCURACY_CURVED, ACCURACY_OF_SLOPE};

use crate::error::{Precision, QUANTITIES};
use crate::registry::Entry;

/// An exception to what is promised.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// The activation, with the values of its parameters.
    pub activation: &'static str,
    /// `f32`, `f64` or `*`.
    pub precision: &'static str,
    /// One of [`QUANTITIES`].
    pub quantity: &'static str,
    /// In units in the last place.
    pub ulp: f64,
    /// Why it cannot be less.
    pub reason: &'static str,
}

/// The exceptions: none.
pub const TOLERANCES: &[Tolerance] = &[];

/// The largest error of a kernel that passes, in units in the last place. `quantity` is an index of [`QUANTITIES`].
#[must_use]
pub fn tolerance<T: Precision>(entry: &Entry, quantity: usize) -> f64 {
    let found = TOLERANCES.iter().find(|t| {
        t.activation == entry.function.name
            && [T::NAME, "*"].contains(&t.precision)
            && t.quantity == QUANTITIES[quantity]
    });
    let of_slope = ["dV/dγ", "dV/dξ²"].contains(&QUANTITIES[quantity]);
    let promised = match entry.function.degree() {
        0 | 1 if of_slope => ACCURACY_OF_SLOPE,
        0 | 1 => ACCURACY,
        _ => ACCURACY_CURVED,
    };
    found.map_or(promised, |exception| exception.ulp)
}
