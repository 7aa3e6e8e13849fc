//! Activations that are declared while a program runs, with numbers for their parameters.

use std::collections::BTreeMap;

use gaussform_runtime::conditional::Given;
use gaussform_runtime::hessian::{self, MomentsHessian};
use gaussform_runtime::kernel::pieces::Table;
use gaussform_runtime::{
    Activation, Float, LogMomentsGrad, Moments, MomentsGrad, MomentsGradMut, ParameterGrad,
    Piecewise,
};
use gaussform_symbolic as symbolic;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Symbol;

use crate::kernel::{Kernel, KernelError};
use crate::table::Numbers;

/// Why a declaration with values of its parameters is no activation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicError {
    /// The number of values is not that of the parameters.
    #[error("{given} parameter values were given for {declared} parameters")]
    Count {
        /// The number of values that were given.
        given: usize,
        /// The number of declared parameters.
        declared: usize,
    },
    /// A value is infinite or not a number.
    #[error("the value of parameter `{parameter}` is not finite")]
    NotFinite {
        /// The parameter.
        parameter: String,
    },
    /// The values do not satisfy what is declared of them.
    #[error(transparent)]
    Values(#[from] Box<symbolic::Error>),
    /// There is no kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}

/// An activation that is declared while a program runs: its parameters are numbers from then on.
///
/// Its moments are computed with the vectors of the machine, by code that is compiled already: as the sum over the
/// pieces of a [table](gaussform_runtime::kernel::pieces::Table). Where the compiled kernel is a table without parameters too, the
/// results are the same to the bit. Elsewhere both agree to within the errors of both: functions that are compiled as formulas, and
/// functions with parameters, whose values are exact numbers here.
///
/// ```
/// use gaussform_codegen::Dynamic;
/// use gaussform_runtime::Activation;
/// use gaussform_symbolic::Activation as Declared;
///
/// let tent = Declared::parse("tent(x; delta > 0) = max(0, delta - |x|)")?;
/// let tent = Dynamic::new(&tent, &[0.75])?;
/// let (mut mean, mut variance) = ([0.0_f64; 3], [0.0_f64; 3]);
/// tent.moments_into(&[-1.0, 0.0, 1.0], &[0.5; 3], &mut mean, &mut variance);
/// assert!((mean[0] - mean[2]).abs() < 1e-15 && mean[1] > mean[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dynamic {
    /// The numbers of the function, from which pairs of activations are computed.
    pub(crate) numbers: Numbers,
    is_nonnegative: bool,
}

impl Dynamic {
    /// The activation with values of its parameters, in the order of the declaration.
    ///
    /// # Errors
    ///
    /// If a value is not finite, lies outside of its domain or does not stand in a declared relation to the others,
    /// if there are not as many values as parameters, or if the degree is too high for a kernel.
    pub fn new(activation: &symbolic::Activation, values: &[f64]) -> Result<Self, DynamicError> {
        let declared = activation.parameters.len();
        if values.len() != declared {
            return Err(DynamicError::Count { given: values.len(), declared });
        }
        let mut exact = BTreeMap::new();
        for (parameter, value) in activation.parameters.iter().zip(values) {
            let name = || parameter.name.clone();
            // A finite float is a rational number, so nothing is rounded here.
            let number = Rational::from_float(*value)
                .ok_or_else(|| DynamicError::NotFinite { parameter: name().to_string() })?;
            exact.insert(Symbol::Parameter(name()), number);
        }
        let fixed = activation.with_values(&exact).map_err(Box::new)?;
        Ok(Self { numbers: Kernel::table_of(&fixed)?, is_nonnegative: fixed.is_nonnegative() })
    }
}

impl Piecewise for Dynamic {
    fn with_pieces<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        self.numbers.with(work)
    }
}

impl Dynamic {
    /// The activation of a pre-activation that lies where the condition, another activation, is not 0.
    ///
    /// ```
    /// use gaussform_codegen::Dynamic;
    /// use gaussform_symbolic::Activation;
    ///
    /// let [x, positive] = ["x", "step(x)"].map(|text| {
    ///     Dynamic::new(&Activation::parse(text).expect("valid"), &[]).expect("has a kernel")
    /// });
    /// // A Normal number that is known to be positive, although that is 1500 standard deviations away.
    /// let m = x.given(&positive).moments(-1500.0_f64, 1.0);
    /// assert!((m.mean * 1500.0 - 1.0).abs() < 1e-6);
    /// assert!((m.log_probability + 1_125_008.2).abs() < 0.1 && m.probability == 0.0);
    /// ```
    #[must_use]
    pub fn given<'a>(&'a self, condition: &'a Self) -> Given<'a, Self, Self> {
        Given::new(self, condition)
    }

    /// The second derivatives of mean and variance in γ and ξ² for one pre-activation.
    #[must_use]
    pub fn moments_hessian<T: Float>(&self, gamma: T, xi2: T) -> MomentsHessian<T> {
        hessian::moments_hessian(self, gamma, xi2)
    }
}

impl<T: Float> Activation<T> for Dynamic {
    const PARAMETERS: &'static [&'static str] = &[];

    fn value(&self, x: T) -> T {
        self.numbers.with(|table| Activation::value(table, x))
    }

    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        self.numbers.with(|table| table.moments(gamma, xi2))
    }

    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        self.numbers.with(|table| table.moments_grad(gamma, xi2))
    }

    fn is_nonnegative(&self) -> bool {
        self.is_nonnegative
    }

    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        self.numbers.with(|table| table.log_moments_grad_if(self.is_nonnegative, gamma, xi2))
    }

    fn parameter_grad(&self, gamma: T, xi2: T, out: &mut [ParameterGrad<T>]) {
        self.numbers.with(|table| table.parameter_grad(gamma, xi2, out));
    }

    fn moments_into(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        self.numbers.with(|table| table.moments_into(gamma, xi2, mean, variance));
    }

    fn moments_grad_into(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        self.numbers.with(|table| table.moments_grad_into(gamma, xi2, out));
    }

    fn vjp_into(
        &self,
        gamma: &[T],
        xi2: &[T],
        d_mean: &[T],
        d_variance: &[T],
        d_gamma: &mut [T],
        d_xi2: &mut [T],
    ) {
        self.numbers.with(|table| table.vjp_into(gamma, xi2, d_mean, d_variance, d_gamma, d_xi2));
    }
}
