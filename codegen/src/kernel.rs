//! The kernel of an activation: its value, its moments and their derivatives, as formulas in the IR or as a table.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::{Facts, Form, SafeRange, sum};
use gaussform_symbolic::exact::integer;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot};
use num_traits::Signed;

use crate::accuracy::{ACCURACY, ACCURACY_CURVED, ACCURACY_OF_SLOPE, ACCURACY_UNCUT};
use crate::division;
use crate::ir::{AtZeroVariance, Block, Function, Word};
use crate::limits;
use crate::moments;
use crate::plan;
use crate::quantity::Quantity;
use crate::quotient::Words;
use crate::range;
use crate::table::{Numbers, Table};

/// The kernel of one activation: its value, its moments, their derivatives.
#[derive(Clone, Debug)]
pub struct Kernel {
    activation: Activation,
    knots: Vec<Word>,
    widths: Vec<Word>,
    value: Block,
    moments: Routine,
    gradient: Routine,
    parameters: Routine,
    is_nonnegative: bool,
    table: Option<Table>,
    numbers: Option<Numbers>,
}

/// A function of the kernel with its results on the knots for ξ² = 0.
#[derive(Clone, Debug, Default)]
pub struct Routine {
    /// The results, in order.
    pub quantities: Vec<Quantity>,
    /// The function for ξ² > 0, and for ξ² = 0 off the knots.
    pub function: Function,
    /// The results for ξ² = 0 on each knot. The first entry that applies counts.
    pub on_knots: Vec<AtZeroVariance>,
}

/// Why there is no kernel for an activation whose moments can be derived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The degree of a piece is too high.
    #[error(
        "kernels exist up to degree {most}, and a piece of `{name}` has degree {degree}; its formulas can be \
         inspected all the same"
    )]
    Degree {
        /// The activation.
        name: String,
        /// The degree of the piece.
        degree: i32,
        /// The highest degree for a kernel.
        most: i32,
    },
    /// Numbers of the function are not those of double precision.
    #[error(
        "kernels compute in double precision, and `{name}` has {problem} there; its formulas can be inspected all the \
         same"
    )]
    Range {
        /// The activation.
        name: String,
        /// What it has.
        problem: &'static str,
    },
}

/// Refuses an activation that has a problem with the range of numbers.
fn in_range(activation: &Activation, problem: Option<&'static str>) -> Result<(), KernelError> {
    let name = || activation.name.clone();
    problem.map_or(Ok(()), |problem| Err(KernelError::Range { name: name(), problem }))
}

/// The highest degree of a piece.
pub(crate) const MAX_DEGREE: i32 = gaussform_runtime::kernel::pieces::MAX_DEGREE as i32;

impl Kernel {
    /// The kernel of an activation, as formulas or as a table, whichever its function needs.
    ///
    /// # Errors
    ///
    /// If the activation has too high a degree for a kernel, or its numbers are not those of double precision.
    pub fn new(activation: &Activation) -> Result<Self, KernelError> {
        match plan::is_formulas(activation) {
            true => {
                in_range(activation, range::of_knots(activation))?;
                Ok(Self::with_formulas(activation))
            }
            false => Self::with_table(activation),
        }
    }

    /// The numbers of a function without parameters, for the sum over its pieces.
    pub(crate) fn table_of(activation: &Activation) -> Result<Numbers, KernelError> {
        let kernel = Self::with_table(activation)?;
        Ok(kernel.numbers.expect("a kernel with a table has its numbers"))
    }

    /// The kernel as the sum over the pieces of a table.
    #[doc(hidden)]
    pub fn with_table(activation: &Activation) -> Result<Self, KernelError> {
        let degree = activation.function.degree();
        if degree > MAX_DEGREE {
            let (name, most) = (activation.name.clone(), MAX_DEGREE);
            return Err(KernelError::Degree { name, degree, most });
        }
        in_range(activation, range::of_knots(activation))?;
        let mut divided = activation.clone();
        if activation.parameters.is_empty() {
            divided.function = division::divided(&activation.function);
        }
        let at_zero_variance = |quantities: Vec<Quantity>| -> Routine {
            let on_knots = limits::lower(&divided, &quantities);
            Routine { quantities, function: Function::default(), on_knots }
        };
        let gradient = at_zero_variance(Quantity::with_gradient());
        let parameters = at_zero_variance(Quantity::in_parameters(activation.parameters.len()));
        let table = Table::new(&divided);
        in_range(activation, range::of_coefficients(&table))?;
        let mut kernel = Self {
            widths: table.widths.clone(),
            knots: table.knots.clone(),
            value: moments::value(activation),
            moments: Routine::default(),
            gradient,
            parameters,
            is_nonnegative: activation.is_nonnegative(),
            activation: activation.clone(),
            table: Some(table),
            numbers: None,
        };
        if activation.parameters.is_empty() {
            kernel.numbers = kernel.rounded(&[]);
        }
        Ok(kernel)
    }

    /// The kernel of a function whose formulas are right, as formulas around each piece.
    pub(crate) fn with_formulas(activation: &Activation) -> Self {
        let knots = activation.function.knots().len();
        let routine = |quantities: Vec<Quantity>| -> Routine {
            let block = moments::lower(activation, &quantities);
            let on_knots = limits::lower(activation, &quantities);
            Routine { quantities, function: Function::new(block, knots), on_knots }
        };
        let words = Words::new(activation);
        let places: Vec<Polynomial> =
            activation.function.knots().iter().map(Knot::polynomial).collect();
        let pairs = places.windows(2);
        Self {
            widths: pairs.map(|pair| words.quotient(&(&pair[1] - &pair[0]))).collect(),
            knots: activation.function.knots().iter().map(|knot| words.knot(knot)).collect(),
            value: moments::value(activation),
            moments: routine(Quantity::moments()),
            gradient: routine(Quantity::with_gradient()),
            parameters: routine(Quantity::in_parameters(activation.parameters.len())),
            is_nonnegative: activation.is_nonnegative(),
            activation: activation.clone(),
            table: None,
            numbers: None,
        }
    }

    /// The numbers of the sum over pieces, if the kernel is that.
    #[must_use]
    pub fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The numbers of the sum over pieces in floating point, if there are no parameters.
    #[must_use]
    pub fn numbers(&self) -> Option<&Numbers> {
        self.numbers.as_ref()
    }

    /// The activation.
    #[must_use]
    pub fn activation(&self) -> &Activation {
        &self.activation
    }

    /// The places of the knots, ascending. A table may have more than its function.
    #[must_use]
    pub fn knots(&self) -> &[Word] {
        &self.knots
    }

    /// The widths of the bounded pieces, from piece 1 on.
    #[must_use]
    pub fn widths(&self) -> &[Word] {
        &self.widths
    }

    /// The lowest and the highest power of ξ that the density at a knot is multiplied with in the
    /// results of a routine.
    #[must_use]
    pub fn powers(&self, routine: &Routine) -> [i32; 2] {
        let function = &self.activation.function;
        let sides = function.knots().iter().zip(function.pieces().windows(2));
        let contact = sides.map(|(knot, sides)| {
            let jump = &sides[1] - &sides[0];
            let taylor = jump.taylor(&Symbol::Variable, &knot.polynomial());
            taylor.iter().take_while(|c| c.is_zero()).count()
        });
        let contact = i32::try_from(contact.min().unwrap_or(0)).expect("a small degree");
        let derivatives = routine.quantities.iter().map(|quantity| quantity.lowers()).max();
        let derivatives = derivatives.unwrap_or(0);
        [contact - derivatives, 2 * function.degree()]
    }

    /// The inputs for which nothing overflows or underflows in a precision.
    pub(crate) fn safe_range<T: Float>(&self) -> SafeRange {
        SafeRange::new::<T, T>(u32::try_from(self.activation.function.degree()).unwrap_or(0))
    }

    /// The bound on the errors of all results, in units in the last place: [`ACCURACY`], [`ACCURACY_CURVED`] or [`ACCURACY_UNCUT`].
    #[must_use]
    pub fn accuracy(&self) -> f64 {
        match &self.table {
            _ if self.activation.function.degree() <= 1 => ACCURACY,
            Some(_) if !self.activation.parameters.is_empty() => ACCURACY_UNCUT,
            _ => ACCURACY_CURVED,
        }
    }

    /// The bound on the errors of the derivatives of the variance in γ and ξ², in units in the last place.
    #[must_use]
    pub fn accuracy_of_slope(&self) -> f64 {
        if self.activation.function.degree() <= 1 { ACCURACY_OF_SLOPE } else { self.accuracy() }
    }

    /// Whether the function is proved to be nowhere negative: then its mean has a logarithm.
    #[must_use]
    pub fn is_nonnegative(&self) -> bool {
        self.is_nonnegative
    }

    /// Whether knots and coefficients are numbers below 2¹², so that where inputs to the power of
    /// twice the degree are far from overflow, everything is.
    fn is_moderate(&self) -> bool {
        let bound = integer(1 << 12);
        let small = |word: &Word| word.as_constant().is_some_and(|value| value.abs() < bound);
        let pieces = self.activation.function.pieces();
        let coefficients = pieces.iter().flat_map(|piece| piece.coefficients(&Symbol::Variable));
        let symbols = |c: &Polynomial| c.as_constant().is_some_and(|value| value.abs() < bound);
        self.knots.iter().all(small) && coefficients.into_iter().all(|c| symbols(&c))
    }

    /// Whether slices are computed by code of the kernel's own: with few knots that are numbers.
    fn is_unrolled(&self, table: &Table) -> bool {
        let is_short = table.degree <= sum::MAX_DEGREE && table.knots.len() <= sum::MAX_UNROLLED;
        is_short && table.exponent == 0 && self.activation.parameters.is_empty()
    }

    /// The form of the kernel with its facts, from which the runtime plans slices.
    #[must_use]
    pub fn form(&self) -> Form {
        let facts = Facts {
            knots: self.knots.len(),
            degree: u32::try_from(self.activation.function.degree()).unwrap_or(0),
            is_moderate: self.is_moderate(),
        };
        match &self.table {
            Some(table) => Form::Table { unrolled: self.is_unrolled(table).then_some(facts) },
            None => Form::Formulas(facts),
        }
    }

    /// g(x), with x as the input γ.
    #[must_use]
    pub fn value(&self) -> &Block {
        &self.value
    }

    /// Mean and variance.
    #[must_use]
    pub fn moments(&self) -> &Routine {
        &self.moments
    }

    /// Mean, variance and their derivatives in γ and ξ².
    #[must_use]
    pub fn gradient(&self) -> &Routine {
        &self.gradient
    }

    /// The routine of the derivatives of mean, second moment and variance in each parameter.
    #[must_use]
    pub fn parameters(&self) -> &Routine {
        &self.parameters
    }
}
