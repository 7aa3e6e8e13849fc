//! How slices of a kernel are computed, by the facts that the generator states.
//!
//! Nothing else decides it. Numbers here were measured: a vector at a time leaves the machine waiting for chains of
//! operations, and too many at a time do not fit into its registers.

use core::fmt;

use crate::kernel::{Facts, Form, Kernel};

/// How slices of a kernel are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Whether lanes compute slices of f32 in f64, rounded at the end, or in f32, with compensated sums where it loses digits.
    pub in_double: bool,
    /// The number of vectors that are computed at a time, 1, 2 or 4: \[with 32 registers of 64 bytes, with 16 smaller
    /// ones\].
    pub vectors: [usize; 2],
    /// Whether elements are computed in the order of their [regimes](Kernel::regime), or as they come.
    pub by_regime: bool,
    /// Whether derivatives are compiled where they are used. Elsewhere they are compiled once for all uses.
    pub are_derivatives_in_line: bool,
    /// Whether results are looked at, since they may overflow where the input does not.
    pub are_results_checked: bool,
}

impl Plan {
    /// The plan for a kernel.
    #[must_use]
    pub const fn of<K: Kernel>() -> Self {
        let plan = Self::of_form(K::FORM);
        // A call would compute anew what depends on parameters alone.
        let are_derivatives_in_line = plan.are_derivatives_in_line || !K::PARAMETERS.is_empty();
        Self { are_derivatives_in_line, ..plan }
    }

    /// The plan for a form, without parameters.
    #[must_use]
    pub const fn of_form(form: Form) -> Self {
        match form {
            Form::Formulas(facts) => Self::of_formulas(facts),
            Form::Table { unrolled: Some(facts) } => Self {
                in_double: true,
                vectors: if facts.knots <= 1 { [2, 1] } else { [1, 1] },
                by_regime: false,
                are_derivatives_in_line: false,
                are_results_checked: !facts.is_moderate,
            },
            Form::Table { unrolled: None } => Self {
                in_double: true,
                vectors: [1, 1],
                by_regime: true,
                are_derivatives_in_line: false,
                are_results_checked: true,
            },
        }
    }

    const fn of_formulas(facts: Facts) -> Self {
        let Facts { knots, is_moderate, .. } = facts;
        let vectors = if knots <= 1 { 4 } else { 2 };
        Self {
            // With more knots than that, f32 needs more compensation than it saves.
            in_double: knots > 1 && !is_moderate,
            vectors: [vectors; 2],
            by_regime: false,
            are_derivatives_in_line: true,
            are_results_checked: !is_moderate,
        }
    }

    /// How many vectors are computed at a time, if these are registers of 64 bytes or smaller ones.
    pub(crate) const fn vectors_if(&self, is_large: bool) -> usize {
        if is_large { self.vectors[0] } else { self.vectors[1] }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let precision = if self.in_double { "f32 in f64" } else { "f32 in f32" };
        let order = if self.by_regime { "by regime" } else { "as they come" };
        let [large, small] = self.vectors;
        write!(f, "{precision}, {order}, vectors at a time: {large} (AVX2: {small})")?;
        if !self.are_derivatives_in_line {
            f.write_str(", derivatives compiled once")?;
        }
        if self.are_results_checked {
            f.write_str(", results checked")?;
        }
        Ok(())
    }
}
