//! A table as a kernel.

use super::{Table, gradients, gradients_at_rest, moments, moments_at_rest};
use crate::kernel::{Kernel, Lanes};

impl Kernel for Table<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    const KNOTS: usize = usize::MAX;
    const SMALL: bool = false;
    const VECTORS: usize = 1;
    const MODERATE: bool = false;

    fn degree(&self) -> u32 {
        self.degree as u32
    }

    fn value(&self, x: f64) -> f64 {
        Table::value(self, x)
    }

    #[inline(always)]
    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        moments(self, gamma, xi2)
    }

    #[inline(always)]
    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        gradients(self, gamma, xi2)
    }

    fn moments_at_rest(&self, gamma: f64) -> Option<[f64; 2]> {
        moments_at_rest(self, gamma)
    }

    fn gradients_at_rest(&self, gamma: f64) -> Option<[f64; 6]> {
        gradients_at_rest(self, gamma)
    }
}
