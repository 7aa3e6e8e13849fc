//! Running a kernel from its IR, with the same operations in the same order as the emitted
//! code, so that both give the same bits.

use std::borrow::Cow;

use gaussform_runtime::kernel::pieces::{self, Tangent};
use gaussform_runtime::kernel::{self, single};
use gaussform_runtime::program::Program;
use gaussform_runtime::{Activation, Float, LogMomentsGrad, MomentsGrad, ParameterGrad};

use crate::fixed::{evaluate, place};
use crate::kernel::Kernel;
use crate::table::Numbers;

impl Kernel {
    /// g(x) for the given values of the parameters.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn evaluate<T: Float>(&self, parameters: &[f64], x: T) -> T {
        if x.partial_cmp(&x).is_none() {
            return T::NAN;
        }
        match self.numbers() {
            Some(numbers) => numbers.with(|table| Activation::value(table, x)),
            None => T::from_f64(self.value_at(parameters, x.to_f64())),
        }
    }

    /// The moments and their derivatives in γ and ξ², as the compiled kernel computes them for one
    /// pre-activation: in double precision, rounded once.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn moments_grad<T: Float>(&self, parameters: &[f64], gamma: T, xi2: T) -> MomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        match self.numbers_for(parameters) {
            Some(numbers) => numbers.with(|table| table.moments_grad(gamma, xi2)),
            None => self.program_for(parameters).moments_grad(gamma, xi2),
        }
        .rounded()
    }

    /// The logarithms of mean and variance and their derivatives, as the compiled kernel computes them.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn log_moments_grad<T: Float>(
        &self,
        parameters: &[f64],
        gamma: T,
        xi2: T,
    ) -> LogMomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let is_nonnegative = self.is_nonnegative();
        match self.numbers_for(parameters) {
            Some(numbers) => {
                numbers.with(|table| table.log_moments_grad_if(is_nonnegative, gamma, xi2))
            }
            None => self.program_for(parameters).log_moments_grad(gamma, xi2),
        }
        .rounded()
    }

    /// The derivatives of the moments in each parameter.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn parameter_grad<T: Float>(
        &self,
        parameters: &[f64],
        gamma: T,
        xi2: T,
    ) -> Vec<ParameterGrad<T>> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let mut values = vec![[0.0; 3]; parameters.len()];
        match self.numbers_for(parameters) {
            Some(numbers) => {
                let rests: Vec<_> = self.at_rest(self.parameters(), parameters).collect();
                let moving = Moving { numbers: &numbers, rests: &rests };
                single::parameter_gradients(&moving, gamma, xi2, &mut values);
            }
            None => self.program_for(parameters).parameter_gradients(gamma, xi2, &mut values),
        }
        let entry = |v: &[f64; 3]| {
            let [dmean, dsecond, dvariance] = v.map(T::from_f64);
            ParameterGrad { dmean, dsecond, dvariance }
        };
        values.iter().map(entry).collect()
    }

    /// The numbers of the sum over pieces for the given values of the parameters, if the kernel is that.
    ///
    /// # Panics
    ///
    /// If the number of parameters is wrong.
    #[must_use]
    pub fn numbers_for(&self, parameters: &[f64]) -> Option<Cow<'_, Numbers>> {
        self.check_count(parameters);
        match self.numbers() {
            Some(numbers) => Some(Cow::Borrowed(numbers)),
            None => self.rounded(parameters).map(Cow::Owned),
        }
    }

    /// The table in floating point, if there is one.
    pub(crate) fn rounded(&self, parameters: &[f64]) -> Option<Numbers> {
        let table = self.table()?;
        let rests: Vec<_> = self.at_rest(self.gradient(), parameters).collect();
        let limits = self.places(parameters).into_iter().map(|[knot, ..]| {
            let rest = rests.iter().find(|(at, _)| *at == knot);
            // A knot between two numbers is never hit.
            rest.map_or([f64::NAN; 6], |(_, values)| std::array::from_fn(|i| values[i]))
        });
        let limits = limits.collect();
        Some(table.numbers(|w| place(w, parameters), |w| evaluate(w, parameters), limits))
    }

    /// The program for the given values of the parameters, of a kernel of formulas.
    pub(crate) fn program_for(&self, parameters: &[f64]) -> Cow<'_, Program> {
        self.check_count(parameters);
        match self.lowered() {
            Some(program) => Cow::Borrowed(program),
            None => Cow::Owned(self.program(parameters)),
        }
    }
}

/// A table whose numbers move with parameters.
#[derive(Clone, Copy)]
struct Moving<'a> {
    numbers: &'a Numbers,
    rests: &'a [(f64, Vec<f64>)],
}

impl kernel::Kernel for Moving<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    // Asked for by slices only.
    const KNOTS: usize = usize::MAX;
    const SMALL: bool = false;
    const VECTORS: usize = 1;
    const MODERATE: bool = false;

    fn with_table<R>(&self, work: impl FnOnce(&pieces::Table<'_>) -> R) -> R {
        self.numbers.with(work)
    }

    fn with_tangents<R>(&self, work: impl FnOnce(&pieces::Table<'_>, &[Tangent<'_>]) -> R) -> R {
        self.numbers.with_tangents(work)
    }

    fn degree(&self) -> u32 {
        self.with_table(|table| table.degree as u32)
    }

    fn value(&self, x: f64) -> f64 {
        self.with_table(|table| table.value(x))
    }

    fn parameter_gradients_at_rest(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let Some((_, values)) = self.rests.iter().find(|(at, _)| *at == gamma) else {
            return false;
        };
        for (entry, values) in out.iter_mut().zip(values.chunks_exact(3)) {
            entry.copy_from_slice(values);
        }
        true
    }
}
