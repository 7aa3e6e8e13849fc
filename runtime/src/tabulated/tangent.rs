//! Derivatives in a parameter, for a table whose numbers depend on it.

use super::Single;
use crate::kernel::pieces::{Table, Tangent, tangent};
use crate::kernel::quantities::Quantities;
use crate::kernel::{Form, Kernel, Lanes, single};

/// A table and the derivatives of its numbers in a parameter.
#[derive(Clone, Copy)]
pub(crate) struct MovingTable<'a> {
    pub(crate) table: Table<'a>,
    pub(crate) tangent: Tangent<'a>,
}

impl Kernel for MovingTable<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    const FORM: Form = Form::Table { unrolled: None };

    #[inline(always)]
    fn regimes(&self) -> usize {
        self.table.regimes()
    }

    #[inline(always)]
    fn regime<V: Lanes>(&self, gamma: V, xi2: V) -> V {
        self.table.regime(gamma, xi2)
    }

    fn with_table<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        work(&self.table)
    }

    fn value(&self, x: f64) -> f64 {
        self.table.value(x)
    }

    #[inline(always)]
    fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
        out.fill(tangent(&self.table, &self.tangent, gamma, xi2));
    }
}

/// The derivatives of mean, second moment and variance in the only parameter.
pub(crate) struct InParameter;

impl Single<3> for InParameter {
    /// A table alone does not move.
    fn of_table(_: &Table<'_>, _: f64, _: f64) -> [f64; 3] {
        [0.0; 3]
    }

    fn of<K: Kernel>(kernel: &K, gamma: f64, xi2: f64) -> [f64; 3] {
        single::evaluate::<Self, K, 3>(kernel, gamma, xi2)
    }
}

impl Quantities<3> for InParameter {
    #[inline(always)]
    fn compute<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> [V; 3] {
        let mut out = [[gamma; 3]];
        kernel.parameter_gradients(gamma, xi2, &mut out);
        out[0]
    }

    /// For ξ² = 0 on a knot the result is a limit, which a table does not have.
    fn at_zero_variance<K: Kernel>(_: &K, _: f64) -> Option<[f64; 3]> {
        None
    }
}
