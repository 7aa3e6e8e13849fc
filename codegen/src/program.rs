//! A kernel of formulas as a program for given values of the parameters: the blocks of the IR in steps that the runtime
//! runs, with the products in sums that the printers fuse, so that both give the same bits.

mod lowering;

use gaussform_runtime::program::{Code, Program};

use crate::given::{evaluate, place};
use crate::ir::AtRest;
use crate::kernel::{Kernel, Routine};

impl Kernel {
    /// The kernel for values of its parameters, in the order of the declaration.
    ///
    /// # Panics
    ///
    /// If the number of values is wrong.
    #[must_use]
    pub fn program(&self, parameters: &[f64]) -> Program {
        self.check_count(parameters);
        let code = |routine: &Routine| lowering::routine(self, parameters, routine);
        let rests = |routine| self.at_rest(routine, parameters);
        let threes = |values: Vec<f64>| values.chunks_exact(3).map(array).collect();
        Program {
            degree: u32::try_from(self.activation().function.degree()).unwrap_or(0),
            knots: self.places(parameters),
            widths: self.widths().iter().map(|width| evaluate(width, parameters)).collect(),
            is_precise: self.is_precise(),
            is_nonnegative: self.is_nonnegative(),
            value: lowering::block(self, parameters, self.value()),
            moments: code(self.moments()),
            gradients: code(self.gradient()),
            parameters: code(self.parameters()),
            moments_at_rest: rests(self.moments()).map(|(at, v)| (at, array(&v))).collect(),
            gradients_at_rest: rests(self.gradient()).map(|(at, v)| (at, array(&v))).collect(),
            parameters_at_rest: rests(self.parameters()).map(|(at, v)| (at, threes(v))).collect(),
        }
    }

    /// The knots.
    pub(crate) fn places(&self, parameters: &[f64]) -> Vec<[f64; 3]> {
        self.knots().iter().map(|knot| place(knot, parameters)).collect()
    }

    /// The results for ξ² = 0 on each knot that is a number, or on a run of such that have met.
    pub(crate) fn at_rest(
        &self,
        routine: &Routine,
        parameters: &[f64],
    ) -> impl Iterator<Item = (f64, Vec<f64>)> {
        let knots = self.places(parameters);
        routine.on_knots.iter().filter_map(move |AtRest { first, last, block }| {
            let [at, low, lowest] = knots[*first];
            if knots[*first] != knots[*last] || low != 0.0 || lowest != 0.0 {
                return None;
            }
            let code = lowering::block(self, parameters, block);
            Some((at, code.run_at(&knots, at)))
        })
    }

    /// g with the knots that it reads.
    pub(crate) fn value_code(&self, parameters: &[f64]) -> (Code, Vec<[f64; 3]>) {
        (lowering::block(self, parameters, self.value()), self.places(parameters))
    }

    pub(crate) fn check_count(&self, parameters: &[f64]) {
        let declared = self.activation().parameters.len();
        assert!(
            parameters.len() == declared,
            "{} parameter values were given for {declared} parameters",
            parameters.len()
        );
    }
}

/// As many values as there are.
fn array<const N: usize>(values: &[f64]) -> [f64; N] {
    std::array::from_fn(|i| values[i])
}
