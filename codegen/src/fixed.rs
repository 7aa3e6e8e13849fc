//! A kernel with values of its parameters, run with the same operations in the same order as the emitted code, so that
//! both give the same bits.

use std::borrow::Cow;

use gaussform_runtime::kernel::pieces::{self, Tangent};
use gaussform_runtime::kernel::{self, logarithm, single};
use gaussform_runtime::{Activation, Float, LogMomentsGrad, MomentsGrad, ParameterGrad};

use crate::given::{evaluate, place};
use crate::interpret::Interpreted;
use crate::kernel::Kernel;
use crate::table::Numbers;

/// A kernel with values of its parameters: what depends on these alone is computed once.
#[derive(Clone, Debug)]
pub struct Fixed<'a> {
    form: Form<'a>,
    is_nonnegative: bool,
    parameters: usize,
}

#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one, and it is not moved")]
enum Form<'a> {
    Formulas(Interpreted<'a>),
    Table {
        numbers: Cow<'a, Numbers>,
        /// g, where a compiled type has it apart from the table: where there are parameters.
        value: Option<Interpreted<'a>>,
        /// The derivatives in parameters for ξ² = 0 on a knot.
        limits: Vec<(f64, Vec<f64>)>,
    },
}

impl Fixed<'_> {
    /// g(x).
    #[must_use]
    pub fn value<T: Float>(&self, x: T) -> T {
        let x = x.to_f64();
        T::from_f64(match &self.form {
            Form::Formulas(formulas) => formulas.value(x),
            Form::Table { .. } if x.is_nan() => x,
            Form::Table { value: Some(value), .. } => value.value(x),
            Form::Table { numbers, .. } => numbers.with(|table| Activation::value(table, x)),
        })
    }

    /// The moments and their derivatives in γ and ξ², as the compiled kernel computes them for one
    /// pre-activation: in double precision, rounded once.
    #[must_use]
    pub fn moments_grad<T: Float>(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let moments = match &self.form {
            Form::Formulas(formulas) => Activation::moments_grad(&formulas, gamma, xi2),
            Form::Table { numbers, .. } => numbers.with(|table| table.moments_grad(gamma, xi2)),
        };
        moments.rounded()
    }

    /// The logarithms of mean and variance and their derivatives in γ and ξ², rounded to the precision of γ and ξ².
    #[must_use]
    pub fn log_moments_grad<T: Float>(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let logarithms = match &self.form {
            Form::Formulas(formulas) => {
                logarithm::log_gradients(&formulas, self.is_nonnegative, gamma, xi2)
            }
            Form::Table { numbers, .. } => {
                numbers.with(|table| table.log_moments_grad_if(self.is_nonnegative, gamma, xi2))
            }
        };
        logarithms.rounded()
    }

    /// The derivatives of the moments in each parameter.
    #[must_use]
    pub fn parameter_grad<T: Float>(&self, gamma: T, xi2: T) -> Vec<ParameterGrad<T>> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let mut values = vec![[0.0; 3]; self.parameters];
        match &self.form {
            Form::Formulas(formulas) => {
                single::parameter_gradients(&formulas, gamma, xi2, &mut values);
            }
            Form::Table { numbers, limits, .. } => {
                let moving = MovingTable { numbers, limits };
                single::parameter_gradients(&moving, gamma, xi2, &mut values);
            }
        }
        let entry = |v: &[f64; 3]| {
            let [dmean, dsecond, dvariance] = v.map(T::from_f64);
            ParameterGrad { dmean, dsecond, dvariance }
        };
        values.iter().map(entry).collect()
    }
}

impl Kernel {
    /// The kernel with values of its parameters, in the order of the declaration.
    ///
    /// # Panics
    ///
    /// If the number of values is wrong.
    #[must_use]
    pub fn fixed(&self, parameters: &[f64]) -> Fixed<'_> {
        let interpreted = Interpreted::new(self, parameters);
        let form = match self.numbers_for(parameters) {
            Some(numbers) => {
                let limits = interpreted.at_zero_variance(self.parameters()).collect();
                let value = (!parameters.is_empty()).then_some(interpreted);
                Form::Table { numbers, value, limits }
            }
            None => Form::Formulas(interpreted),
        };
        Fixed { form, is_nonnegative: self.is_nonnegative(), parameters: parameters.len() }
    }

    /// g(x) for values of the parameters.
    ///
    /// # Panics
    ///
    /// If the number of values is wrong.
    #[must_use]
    pub fn evaluate<T: Float>(&self, parameters: &[f64], x: T) -> T {
        self.fixed(parameters).value(x)
    }

    /// The moments of g(u) and their derivatives in γ and ξ², for values of the parameters.
    ///
    /// # Panics
    ///
    /// If the number of values is wrong.
    #[must_use]
    pub fn moments_grad<T: Float>(&self, parameters: &[f64], gamma: T, xi2: T) -> MomentsGrad<T> {
        self.fixed(parameters).moments_grad(gamma, xi2)
    }

    /// The numbers of the sum over pieces for values of the parameters, if the kernel is that.
    ///
    /// # Panics
    ///
    /// If the number of values is wrong.
    #[must_use]
    pub fn numbers_for(&self, parameters: &[f64]) -> Option<Cow<'_, Numbers>> {
        self.check_count(parameters);
        match self.numbers() {
            Some(numbers) => Some(Cow::Borrowed(numbers)),
            None => self.rounded(parameters).map(Cow::Owned),
        }
    }

    pub(crate) fn check_count(&self, parameters: &[f64]) {
        let declared = self.activation().parameters.len();
        assert!(
            parameters.len() == declared,
            "{} parameter values were given for {declared} parameters",
            parameters.len()
        );
    }

    /// The table in floating point, if there is one.
    pub(crate) fn rounded(&self, parameters: &[f64]) -> Option<Numbers> {
        let table = self.table()?;
        let interpreted = Interpreted::new(self, parameters);
        let found: Vec<_> = interpreted.at_zero_variance(self.gradient()).collect();
        let limits = interpreted.knots().iter().map(|[knot, ..]| {
            let limit = found.iter().find(|(at, _)| at == knot);
            // A knot between two numbers is never hit.
            limit.map_or([f64::NAN; 6], |(_, values)| std::array::from_fn(|i| values[i]))
        });
        let limits = limits.collect();
        Some(table.numbers(|w| place(w, parameters), |w| evaluate(w, parameters), limits))
    }
}

/// A table whose numbers move with parameters.
#[derive(Clone, Copy)]
struct MovingTable<'a> {
    numbers: &'a Numbers,
    limits: &'a [(f64, Vec<f64>)],
}

impl kernel::Kernel for MovingTable<'_> {
    type Unit = ();

    const PARAMETERS: &'static [&'static str] = &[];
    const FORM: kernel::Form = kernel::Form::Table { unrolled: None };

    fn with_table<R>(&self, work: impl FnOnce(&pieces::Table<'_>) -> R) -> R {
        self.numbers.with(work)
    }

    fn with_tangents<R>(&self, work: impl FnOnce(&pieces::Table<'_>, &[Tangent<'_>]) -> R) -> R {
        self.numbers.with_tangents(work)
    }

    fn value(&self, x: f64) -> f64 {
        self.with_table(|table| table.value(x))
    }

    fn parameter_gradients_at_zero_variance(&self, gamma: f64, out: &mut [[f64; 3]]) -> bool {
        let Some((_, values)) = self.limits.iter().find(|(at, _)| *at == gamma) else {
            return false;
        };
        for (entry, values) in out.iter_mut().zip(values.chunks_exact(3)) {
            entry.copy_from_slice(values);
        }
        true
    }
}
