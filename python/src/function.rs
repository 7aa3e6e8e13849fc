//! A function of the class: what `gaussform.derive` returns, less what Python adds to it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gaussform_codegen::Dynamic;
use gaussform_python_kernels::{ACTIVATIONS, BindError, Kernels, LIBRARY, Quantity, Scalar, bind};
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::{Monomial, Symbol};
use gaussform_symbolic::{Activation, Knot, Relation, Span};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array::{self, Elementwise, Work};
use crate::error::{self, ParameterError};

/// How many choices of parameters are kept ready.
const KEPT: usize = 64;

/// A function with values of its parameters.
#[derive(Clone)]
pub(crate) struct Ready {
    bound: gaussform_python_kernels::Bound,
    /// The numbers of the pieces: for two pre-activations, second derivatives and conditions.
    pub(crate) dynamic: Arc<Dynamic>,
}

/// A piecewise polynomial with its declaration.
#[pyclass(frozen, module = "gaussform._native", name = "Function", subclass)]
pub(crate) struct Function {
    pub(crate) activation: Activation,
    ready: Mutex<BTreeMap<Vec<u64>, Ready>>,
}

impl Ready {
    pub(crate) fn kernels(&self) -> &dyn Kernels {
        &*self.bound.kernels
    }
}

impl Function {
    fn of(activation: Activation) -> Self {
        Self { activation, ready: Mutex::default() }
    }

    /// The function of a name of the library or of a declaration; none if the text is neither.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let known = LIBRARY.get(text.trim()).cloned();
        known.or_else(|| Activation::parse_with(text, &LIBRARY).ok()).map(Self::of)
    }

    /// The kernels for values of the parameters.
    pub(crate) fn at(&self, values: &[f64]) -> PyResult<Ready> {
        // Floats have no total order; their bits have one.
        let key: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        // Entries are inserted whole, so that the map of a thread that panicked is still right.
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = ready.get(&key) {
            return Ok(known.clone());
        }
        self.check(values)?;
        let wrong = |error: BindError| PyValueError::new_err(error.to_string());
        let dynamic = Dynamic::new(&self.activation, values);
        let dynamic = Arc::new(dynamic.map_err(|error| wrong(BindError::Values(error)))?);
        let new = Ready { bound: bind(&self.activation, values).map_err(wrong)?, dynamic };
        if ready.len() == KEPT {
            // A sweep over many values must not keep all of them.
            ready.clear();
        }
        ready.insert(key, new.clone());
        Ok(new)
    }

    /// Values by the symbols of the parameters.
    pub(crate) fn exact(&self, values: &[f64]) -> PyResult<BTreeMap<Symbol, Rational>> {
        let names = self.activation.parameters.iter().map(|p| &p.name);
        let numbers = names.zip(values).map(|(name, value)| {
            let wrong = || ParameterError::new_err(format!("{name} = {value} is not finite"));
            let number = Rational::from_float(*value).ok_or_else(wrong)?;
            Ok((Symbol::Parameter(name.clone()), number))
        });
        numbers.collect()
    }

    /// Whether the values are as declared.
    fn check(&self, values: &[f64]) -> PyResult<()> {
        let Activation { name, parameters, relations, .. } = &self.activation;
        if values.len() != parameters.len() {
            let (given, declared) = (values.len(), parameters.len());
            let message =
                format!("`{name}` has {declared} parameters, and {given} values are given");
            return Err(ParameterError::new_err(message));
        }
        let exact = self.exact(values)?;
        for (parameter, value) in parameters.iter().zip(values) {
            let symbol = Symbol::Parameter(parameter.name.clone());
            if !exact.get(&symbol).is_some_and(|exact| parameter.contains(exact)) {
                let message = format!(
                    "{} = {value} is not in its domain: `{name}` declares `{parameter}`",
                    parameter.name
                );
                return Err(ParameterError::new_err(message));
            }
        }
        for relation in relations {
            let difference = (&relation.greater - &relation.lesser).evaluate(&exact);
            if !difference.is_some_and(|difference| relation.holds(&difference)) {
                let message = format!("`{name}` declares `{relation}`, which does not hold");
                return Err(ParameterError::new_err(message));
            }
        }
        Ok(())
    }
}

#[pymethods]
impl Function {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        if let Some(known) = LIBRARY.get(text.trim()) {
            return Ok(Self::of(known.clone()));
        }
        let parsed = py.detach(|| Activation::parse_with(text, &LIBRARY));
        parsed.map(Self::of).map_err(|error| error::declaration(py, text, error))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.activation.name
    }

    #[getter]
    fn declaration(&self) -> String {
        self.activation.declaration()
    }

    #[getter]
    fn docs(&self) -> String {
        self.activation.docs.join("\n")
    }

    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.activation.parameters.iter().map(|p| p.name.to_string()))
    }

    /// For each parameter its declared domain: the ends (infinite where there is none), and whether they belong to it.
    #[getter]
    fn domains(&self) -> Vec<(f64, f64, bool, bool)> {
        let number = |end: &Rational| num_traits::ToPrimitive::to_f64(end).unwrap_or(f64::NAN);
        let domain = |parameter: &gaussform_symbolic::Parameter| {
            let (lower, upper) = (&parameter.lower, &parameter.upper);
            (
                lower.as_ref().map_or(f64::NEG_INFINITY, |end| number(&end.value)),
                upper.as_ref().map_or(f64::INFINITY, |end| number(&end.value)),
                lower.as_ref().is_some_and(|end| end.closed),
                upper.as_ref().is_some_and(|end| end.closed),
            )
        };
        self.activation.parameters.iter().map(domain).collect()
    }

    /// The conditions that are declared for the parameters.
    #[getter]
    fn conditions(&self) -> Vec<String> {
        let domains = self.activation.parameters.iter().map(ToString::to_string);
        domains.chain(self.activation.relations.iter().map(ToString::to_string)).collect()
    }

    /// Values of the parameters that satisfy all that is declared.
    #[getter]
    fn witness(&self) -> Vec<f64> {
        let witness = self.activation.witness();
        let value = |p: &gaussform_symbolic::Parameter| {
            let exact = witness.get(&Symbol::Parameter(p.name.clone()));
            exact.and_then(num_traits::ToPrimitive::to_f64).unwrap_or(f64::NAN)
        };
        self.activation.parameters.iter().map(value).collect()
    }

    /// The relations that are declared, each as a polynomial that is positive where it holds: coefficients, and exponents of the parameters.
    #[getter]
    fn relations(&self) -> Vec<Vec<(f64, Vec<i32>)>> {
        let Activation { parameters, relations, .. } = &self.activation;
        let names: Vec<Symbol> =
            parameters.iter().map(|p| Symbol::Parameter(p.name.clone())).collect();
        let polynomial = |relation: &Relation| {
            let difference = &relation.greater - &relation.lesser;
            let term = |(monomial, coefficient): (&Monomial, &Rational)| {
                let exponents = names.iter().map(|name| monomial.exponent(name)).collect();
                (num_traits::ToPrimitive::to_f64(coefficient).unwrap_or(f64::NAN), exponents)
            };
            difference.terms().map(term).collect()
        };
        relations.iter().map(polynomial).collect()
    }

    #[getter]
    fn degree(&self) -> i32 {
        self.activation.function.degree()
    }

    /// The knots for values of the parameters.
    fn knots(&self, values: Vec<f64>) -> PyResult<Vec<f64>> {
        self.check(&values)?;
        let fixed = self.activation.with_values(&self.exact(&values)?);
        let fixed = fixed.map_err(|error| ParameterError::new_err(error.to_string()))?;
        let number = |knot: &Knot| {
            let (lower, upper) = match knot.rational() {
                Some(value) => (value.clone(), value.clone()),
                None => knot.enclosure(64)?,
            };
            num_traits::ToPrimitive::to_f64(&((lower + upper) / Rational::from_integer(2.into())))
        };
        Ok(fixed.function.knots().iter().map(|knot| number(knot).unwrap_or(f64::NAN)).collect())
    }

    #[getter]
    fn is_nonnegative(&self) -> bool {
        self.activation.is_nonnegative()
    }

    /// Whether the kernels for these values are those of a compiled type.
    fn is_compiled(&self, values: Vec<f64>) -> PyResult<bool> {
        Ok(self.at(&values)?.bound.is_compiled)
    }

    /// Computes a quantity of arrays of one shape and of one floating type, into others.
    fn compute(
        &self,
        py: Python<'_>,
        quantity: &str,
        values: Vec<f64>,
        inputs: Vec<Bound<'_, PyAny>>,
        outputs: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let unknown = || PyValueError::new_err(format!("`{quantity}` is no quantity"));
        let quantity = Quantity::named(quantity).ok_or_else(unknown)?;
        if quantity.counts(values.len()) != (inputs.len(), outputs.len()) {
            return Err(PyValueError::new_err("the quantity has other numbers of arrays"));
        }
        let ready = self.at(&values)?;
        let work = Work { kernels: ready.kernels(), quantity };
        array::compute(py, &work, &inputs, &outputs)
    }

    /// The second derivatives of mean and variance, in the order of `MomentsHessian`, from two arrays into six.
    fn hessian(
        &self,
        py: Python<'_>,
        values: Vec<f64>,
        inputs: [Bound<'_, PyAny>; 2],
        outputs: [Bound<'_, PyAny>; 6],
    ) -> PyResult<()> {
        let g = self.at(&values)?.dynamic;
        array::compute(py, &second_derivatives(&g), &inputs, &outputs)
    }

    /// The function that is 1 where a condition such as `x > 0` holds and 0 elsewhere, with the parameters of this one.
    fn condition(&self, py: Python<'_>, condition: &str) -> PyResult<Self> {
        if condition.trim().is_empty() {
            let help = "write one such as `x > 0`".to_owned();
            return Err(error::derivation(py, "the condition is empty", Some(help)));
        }
        if condition.contains([':', ';', '{', '}']) {
            let help = "join conditions by `and` and `or`: `x < -1 or x > 0`".to_owned();
            return Err(error::derivation(py, "this is more than one condition", Some(help)));
        }
        let declared = match self.conditions() {
            conditions if conditions.is_empty() => String::new(),
            conditions => format!("; {}", conditions.join(", ")),
        };
        let before = format!("given(x{declared}) = piecewise {{ ");
        let text = format!("{before}{condition}: 1; else: 0 }}");
        let parsed = py.detach(|| Activation::parse_with(&text, &LIBRARY));
        parsed.map(Self::of).map_err(|mut error| {
            // Where it stands in the condition itself.
            let within = |at: usize| at.saturating_sub(before.len()).min(condition.len());
            error.span = Span { start: within(error.span.start), end: within(error.span.end) };
            error::declaration(py, condition, error)
        })
    }

    /// The moments given a condition, in the order of `ConditionalMoments`, from two arrays into twelve.
    fn given(
        &self,
        py: Python<'_>,
        values: Vec<f64>,
        condition: &Function,
        inputs: [Bound<'_, PyAny>; 2],
        outputs: [Bound<'_, PyAny>; 12],
    ) -> PyResult<()> {
        let (g, condition) = (self.at(&values)?.dynamic, condition.at(&values)?.dynamic);
        let given = g.given(&condition);
        let work = ByNumber(|gamma: f64, xi2: f64| given.moments(gamma, xi2).to_array());
        array::compute(py, &work, &inputs, &outputs)
    }
}

/// The second derivatives of mean and variance, in the order of `MomentsHessian`.
pub(crate) fn second_derivatives(g: &Dynamic) -> impl Elementwise {
    ByNumber(|gamma: f64, xi2: f64| g.moments_hessian(gamma, xi2).to_array())
}

/// Results of one pre-activation, element by element, in double precision.
struct ByNumber<F>(F);

impl<const N: usize, F: Fn(f64, f64) -> [f64; N] + Sync> Elementwise for ByNumber<F> {
    const CHUNK: usize = 1 << 9;
    const MANY: usize = 1 << 11;

    fn run<T: Scalar>(&self, inputs: &[&[T]], outputs: &mut [&mut [T]]) {
        let [gamma, xi2] = inputs else { panic!("two inputs") };
        for (i, (gamma, xi2)) in gamma.iter().zip(*xi2).enumerate() {
            let results = (self.0)(gamma.to_f64(), xi2.to_f64());
            for (output, result) in outputs.iter_mut().zip(results) {
                output[i] = T::from_f64(result);
            }
        }
    }
}

/// The names of the library, in the order of its declarations.
#[pyfunction]
pub(crate) fn library() -> Vec<&'static str> {
    ACTIVATIONS.iter().map(|activation| activation.name.as_str()).collect()
}

/// The functions that a text declares.
#[pyfunction]
pub(crate) fn declarations(py: Python<'_>, text: &str) -> PyResult<Vec<Function>> {
    let parsed = py.detach(|| Activation::parse_file(text, &LIBRARY));
    let activations = parsed.map_err(|error| error::declaration(py, text, error))?;
    Ok(activations.into_iter().map(Function::of).collect())
}
