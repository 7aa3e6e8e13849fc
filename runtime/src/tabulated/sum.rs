//! A table as a kernel: the sum over its pieces, with one regime for each piece of γ and each size of ξ.

use crate::Float;
use crate::kernel::pieces::{Table, gradients, gradients_at_zero_variance, moments};
use crate::kernel::sum::{self, MAX_DEGREE};
use crate::kernel::{Facts, Form, Kernel, Lanes, number};

/// The number of sizes of ξ, relative to the widths of pieces, that regimes distinguish.
const SIZES: usize = 4;

/// The number of knots from which on elements are put into the order of their regimes.
const ORDERED_FROM: usize = 8;

impl Kernel for Table<'_> {
    type Unit = Self;

    const PARAMETERS: &'static [&'static str] = &[];
    const FORM: Form = Form::Table { unrolled: None };

    #[inline(always)]
    fn regimes(&self) -> usize {
        let knots = self.knots.len();
        if knots < ORDERED_FROM && self.degree <= MAX_DEGREE { 1 } else { SIZES * (knots + 1) }
    }

    /// The regime of an input: the piece of γ, and the size of ξ relative to the mean width of the bounded pieces.
    #[inline(always)]
    fn regime<V: Lanes>(&self, gamma: V, xi2: V) -> V {
        let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
        let mut piece = zero;
        for &[knot, ..] in self.knots {
            piece = piece + V::select(number::<V>(knot).le(gamma), one, zero);
        }
        let (Some([first, ..]), Some([last, ..])) = (self.knots.first(), self.knots.last()) else {
            return piece;
        };
        let mean = (last - first) / self.knots.len() as f64;
        let mut size = zero;
        for ratio in [0.1, 0.4, 1.6] {
            size = size + V::select(number::<V>(ratio * mean * mean).lt(xi2), one, zero);
        }
        piece * number(SIZES as f64) + size
    }

    fn with_table<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        work(self)
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

    fn gradients_at_zero_variance(&self, gamma: f64) -> Option<[f64; 6]> {
        gradients_at_zero_variance(self, gamma)
    }
}

/// The sum over the pieces of a function of degree D with K knots in the unit 1. The loop over elements has it in line, and the
/// compiler knows how many knots there are.
#[derive(Clone, Copy)]
pub(crate) struct Sum<'a, const K: usize, const D: usize>(Table<'a>);

impl<'a, const K: usize, const D: usize> Sum<'a, K, D> {
    /// Of a table that is such a function.
    pub(crate) fn of(table: &Table<'a>) -> Option<Self> {
        let is_such = table.degree == D && table.knots.len() == K && table.exponent == 0;
        is_such.then_some(Self(*table))
    }
}

impl<const K: usize, const D: usize> Kernel for Sum<'_, K, D> {
    type Unit = Self;

    const PARAMETERS: &'static [&'static str] = &[];
    const FORM: Form =
        Form::Table { unrolled: Some(Facts { knots: K, degree: D as u32, is_moderate: false }) };

    fn with_table<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        work(&self.0)
    }

    fn value(&self, x: f64) -> f64 {
        self.0.value(x)
    }

    #[inline(always)]
    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        sum::moments::<V, K, D, false>(&self.0.rows, gamma, xi2, 0)
    }

    #[inline(always)]
    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        sum::gradients::<V, K, D, false>(&self.0.rows, gamma, xi2, 0)
    }

    fn gradients_at_zero_variance(&self, gamma: f64) -> Option<[f64; 6]> {
        gradients_at_zero_variance(&self.0, gamma)
    }
}
