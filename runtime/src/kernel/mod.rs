//! The numerics that generated kernels call, and the trait that generated kernels implement.
//!
//! The callers are kernels of this version of the generator, or of an earlier one that is compatible
//! with it ([`goes_with`]). The scheme, for u ~ N(γ, ξ²) and an activation with knots t:
//!
//! - Each knot becomes an [`Edge`]: its distance from γ in units of ξ, with the density there.
//! - Each wide piece beside an edge contributes multiples of the scaled tails that [`tails`] returns.
//! - Each piece that is small in units of ξ ([`is_narrow`]) is integrated by a series ([`Powers`]).
//! - The piece that γ lies on ([`between`]) contributes the moments of its polynomial, evaluated by [`polynomial`].
//!
//! Numbers that depend on parameters are computed first: a knot that moves with
//! them in triple words ([`triple`]), all others in double words ([`word`]).
//!
//! Kernels are written over [`Lanes`], so that one number and a vector register go through the
//! same operations. For one number no operation depends on the machine. Vectors use fused
//! multiplication where the machine has it, so that their results differ in the last digits.

mod deviation;
mod edge;
pub(crate) mod exponential;
mod facts;
mod high;
mod knot_tails;
#[doc(hidden)]
pub mod logarithm;
mod narrow;
mod number;
mod pair;
pub mod pieces;
mod place;
#[doc(hidden)]
pub mod plan;
mod polynomial;
#[doc(hidden)]
pub mod powers;
pub(crate) mod quantities;
#[cfg(feature = "source")]
#[doc(hidden)]
pub mod record;
pub mod single;
pub mod sum;
mod support;
mod tails;
pub mod triple;
mod version;
pub mod word;

use crate::Float;
pub use crate::lanes::{Lanes, Mask};
pub use crate::safe_range::SafeRange;

pub use deviation::Deviation;
#[cfg(feature = "pairs")]
pub(crate) use edge::KnotWords;
pub use edge::{Edge, between, is_seen};
pub use exponential::density_unit;
pub use facts::{Facts, Form};
#[cfg(feature = "pairs")]
pub(crate) use high::ratios_in_one_word;
pub use knot_tails::{KnotTails, both_knot_tails, knot_tails, knot_tails_in_line};
pub use narrow::is_narrow;
pub use number::number;
pub use pair::Pair;
pub(crate) use pair::pair;
pub use place::place;
pub use polynomial::{polynomial, polynomial_around};
pub use powers::Powers;
pub use support::pole;
pub use tails::{FIT_COUNTS, tails};
pub use version::goes_with;

/// The largest number of parameters that a declaration can have.
pub(crate) const MAX_PARAMETERS: usize = 8;

/// The code generated for one activation.
///
/// Everything that implements it is an [`Activation`](crate::Activation) in both precisions. Slices are
/// computed with a copy, so that what depends on parameters alone is computed once.
pub trait Kernel: Copy {
    /// A type in a module of its own. The code of the kernel is compiled in that module: the compiler takes modules
    /// side by side, and would take the kernels of a program as one module, that of this crate.
    type Unit;

    /// The names of the declared parameters.
    const PARAMETERS: &'static [&'static str];
    /// The form of the kernel, formulas or a table, with the facts that decide how slices are computed.
    const FORM: Form;
    /// Whether the function is ≥ 0 everywhere, for all parameters that are declared.
    const NONNEGATIVE: bool = false;

    /// The number of regimes.
    #[inline(always)]
    fn regimes(&self) -> usize {
        1
    }

    /// The regime of an input, a number below [`regimes`](Self::regimes): the part of the kernel that the input
    /// needs. Slices may be computed in this order. No result depends on it, but lanes of one regime skip the code
    /// for others.
    #[inline(always)]
    fn regime<V: Lanes>(&self, gamma: V, xi2: V) -> V {
        let _ = (gamma, xi2);
        V::splat(V::Scalar::ZERO)
    }

    /// Does something with the numbers of the function. A table is these numbers; formulas need them for two
    /// pre-activations. Kernels in a file that needs no crate are without it, unless they are tables.
    fn with_table<R>(&self, work: impl FnOnce(&pieces::Table<'_>) -> R) -> R {
        let _ = work;
        unreachable!("asked of a kernel that has its numbers")
    }

    /// Does something with the numbers of the function and with their derivatives in each parameter.
    fn with_tangents<R>(
        &self,
        work: impl FnOnce(&pieces::Table<'_>, &[pieces::Tangent<'_>]) -> R,
    ) -> R {
        self.with_table(|table| work(table, &[]))
    }

    /// The highest degree of a piece.
    #[inline(always)]
    fn degree(&self) -> u32 {
        if const { is_compiled_table::<Self>() } {
            return self.with_table(|table| table.degree as u32);
        }
        match Self::FORM {
            Form::Formulas(facts) | Form::Table { unrolled: Some(facts) } => facts.degree,
            Form::Table { unrolled: None } => unreachable!("a table is asked for its degree"),
        }
    }

    /// g(x).
    fn value(&self, x: f64) -> f64;

    /// Mean and variance, for finite γ and ξ² ≥ 0, not for ξ² = 0 on a knot.
    fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
        self.with_table(|table| pieces::moments(table, gamma, xi2))
    }

    /// Mean, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ², for finite γ and ξ² ≥ 0, not for ξ² = 0
    /// on a knot.
    fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
        self.with_table(|table| pieces::gradients(table, gamma, xi2))
    }

    /// The moments and their derivatives for ξ² = 0 and γ on a knot; `None` elsewhere.
    fn gradients_at_zero_variance(&self, gamma: f64) -> Option<[f64; 6]> {
        let _ = gamma;
        None
    }

    /// The derivatives of mean, second moment and variance in each parameter, for finite γ and
    /// ξ² ≥ 0, not for ξ² = 0 on a knot.
    fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
        if out.is_empty() {
            return;
        }
        self.with_tangents(|table, tangents| {
            for (entry, tangent) in out.iter_mut().zip(tangents) {
                *entry = pieces::tangent(table, tangent, gamma, xi2);
            }
        });
    }

    /// The derivatives in each parameter for ξ² = 0 and γ on a knot, into `out`; false elsewhere.
    fn parameter_gradients_at_zero_variance(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let _ = (gamma, out);
        false
    }
}

/// Whether a kernel is a table.
pub(crate) const fn is_table<K: Kernel>() -> bool {
    matches!(K::FORM, Form::Table { .. })
}

/// Whether a kernel is a table that slices are computed from by the code of this crate.
pub(crate) const fn is_compiled_table<K: Kernel>() -> bool {
    matches!(K::FORM, Form::Table { unrolled: None })
}

/// Whether a kernel has parameters.
pub(crate) const fn has_parameters<K: Kernel>() -> bool {
    !K::PARAMETERS.is_empty()
}

/// The lanes in which the input is in the safe range: no power of it overflows or underflows.
#[inline(always)]
pub(crate) fn is_safe<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> V::Mask {
    gamma.are_within(xi2, SafeRange::new::<V::Element, V::Accuracy>(kernel.degree()))
}
