//! Models of tables, by `gaussform-bnn` and with the options and defaults of the command of that name.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use gaussform_bnn::{Function, Functions, Matrix, Prediction, RealPrediction, write_whole};
use gaussform_bnn_cli::{Column, Epoch, Frame, Problem, TableModel};
use gaussform_codegen::Dynamic;
use gaussform_python_kernels::{LIBRARY, twin};
use gaussform_symbolic::Activation;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error;

/// The name of a table in messages.
const NAME: &str = "X";

/// The values of a column as Python has them.
#[derive(FromPyObject)]
enum Values<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<Option<String>>),
}

/// Columns by name, the same rows in all of them.
#[derive(FromPyObject)]
#[pyo3(transparent)]
struct Columns<'py>(Vec<(String, Values<'py>)>);

impl Columns<'_> {
    fn frame(self, py: Python<'_>) -> PyResult<Frame> {
        let column = |(name, values)| {
            let column = match values {
                Values::Numbers(array) => Column::Numbers(array.as_array().to_vec()),
                Values::Texts(texts) => Column::Texts(texts),
            };
            (name, column)
        };
        let columns = self.0.into_iter().map(column).collect();
        py.detach(|| Frame::new(NAME, columns)).map_err(|problem| refused(&problem))
    }
}

fn refused(problem: &Problem) -> PyErr {
    PyValueError::new_err(in_python(&problem.to_string()))
}

/// Parameters of the estimators by the options that they are.
const PARAMETERS: [(&str, &str); 13] = [
    ("hidden", "hidden_layer_sizes"),
    ("activation", "activation"),
    ("method", "method"),
    ("noise", "noise"),
    ("target-transform", "target_transform"),
    ("epochs", "max_iter"),
    ("batch", "batch_size"),
    ("learning-rate", "learning_rate"),
    ("prior", "prior_precision"),
    ("initial-sd", "initial_sd"),
    ("members", "n_members"),
    ("validation", "validation_fraction"),
    ("seed", "random_state"),
];

/// A message of the command with its options as the estimators take them.
fn in_python(message: &str) -> String {
    let mut parts = message.split("--");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let (name, rest) = part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len()));
        let known = PARAMETERS.iter().find(|(option, _)| *option == name);
        match known {
            Some((_, parameter)) => text.push_str(parameter),
            None if name.is_empty() => text.push_str("--"),
            None => text.push_str(&format!("options={{\"{name}\": …}}")),
        }
        // What clap adds to an option: the kind of its value.
        let kind = rest.strip_prefix(" <").and_then(|rest| rest.split_once('>'));
        text.push_str(kind.map_or(rest, |(_, rest)| rest));
    }
    text
}

/// The command's remarks with its options as the estimators take them.
fn remarks(notes: Vec<String>) -> Vec<String> {
    notes.iter().map(|note| in_python(note)).collect()
}

fn array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = (matrix.rows(), matrix.columns());
    let array = Array2::from_shape_vec(shape, matrix.values().to_vec());
    Ok(array.map_err(|e| PyValueError::new_err(e.to_string()))?.into_pyarray(py))
}

/// The activation of a declaration, under the text as its name; none if it has parameters or no kernel.
fn declared(text: &str, activation: &Activation) -> Option<Function> {
    let dynamic = Dynamic::new(activation, &[]).ok()?;
    Some(Function::new(text, dynamic).declared_as(&activation.declaration()))
}

/// The activations of networks: those of the library, and those that files declare.
fn functions() -> Functions {
    let read = |text: &str| declared(text, &Activation::parse_with(text, &LIBRARY).ok()?);
    Functions::library().reading(read)
}

/// The name of the activation of a text, and the activations that it is one of.
fn activation(py: Python<'_>, text: &str) -> PyResult<(String, Functions)> {
    let functions = functions();
    if functions.get(text).is_some() {
        return Ok((text.to_owned(), functions));
    }
    let activation = match LIBRARY.get(text.trim()) {
        Some(known) => known.clone(),
        None => Activation::parse_with(text, &LIBRARY)
            .map_err(|error| error::declaration(py, text, error))?,
    };
    // The library's name for the same function is one that every reader of the file knows.
    if let Some(twin) = twin(&activation)
        && functions.get(&twin.name).is_some()
    {
        return Ok((twin.name.clone(), functions));
    }
    if let Some(parameter) = activation.parameters.first() {
        let message = format!(
            "`{text}` has the parameter `{}`; write its value in the place of its name",
            parameter.name
        );
        return Err(PyValueError::new_err(message));
    }
    match declared(text, &activation) {
        Some(function) => Ok((text.to_owned(), functions.with(function))),
        None => Err(PyValueError::new_err(format!("there is no kernel of `{text}`"))),
    }
}

/// A trained model with the encoding of its table, and its calibration if it has one.
#[pyclass(frozen, module = "gaussform._native", name = "TableModel")]
pub(crate) struct Model {
    inner: TableModel,
}

/// Of each row and target the mean, the variance from the weights, that of the noise, and the wanted quantiles; then remarks.
type Numbers<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Vec<Bound<'py, PyArray2<f64>>>,
    Vec<String>,
);

/// Of each row and target the lower and the upper end of an interval; then remarks.
type Ends<'py> = ([Bound<'py, PyArray2<f64>>; 2], Vec<String>);

/// Of each row the probabilities of the classes, and the information about its class in the weights, in nats; then remarks.
type Classes<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, Vec<String>);

#[pymethods]
impl Model {
    /// Trains a model that predicts the columns `targets` from the others; `arguments` are options of `gaussform-bnn train`.
    /// `progress` is called with (epochs done, all, bound) after each epoch. Remarks and the number of epochs come with the model.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        columns: Columns<'_>,
        targets: Vec<String>,
        activation: &str,
        mut arguments: Vec<String>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Self, Vec<String>, usize)> {
        let (name, functions) = self::activation(py, activation)?;
        arguments.push(format!("--activation={name}"));
        let frame = columns.frame(py)?;
        let (mut raised, mut epochs) = (None, 0);
        let mut told = |now: Epoch| {
            epochs = now.done;
            // Ctrl-C is seen, and progress is told, with the interpreter's lock.
            let heard = Python::attach(|py| {
                py.check_signals()?;
                match &progress {
                    Some(call) => call.call1(py, (now.done, now.all, now.bound)).map(|_| ()),
                    None => Ok(()),
                }
            });
            match heard {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    // Training raises nothing: the exception waits until it has stopped.
                    raised = Some(error);
                    ControlFlow::Break(())
                }
            }
        };
        let trained =
            py.detach(|| TableModel::train(&frame, targets, &arguments, &functions, &mut told));
        if let Some(error) = raised {
            return Err(error);
        }
        let (inner, notes) = trained.map_err(|problem| refused(&problem))?;
        Ok((Self { inner }, remarks(notes), epochs))
    }

    /// The model with what rows with targets, which training has not seen, say of its predictions.
    fn calibrated(&self, py: Python<'_>, columns: Columns<'_>) -> PyResult<Self> {
        let frame = columns.frame(py)?;
        let inner = py.detach(|| self.inner.calibrated(&frame));
        Ok(Self { inner: inner.map_err(|problem| refused(&problem))? })
    }

    #[getter]
    fn is_calibrated(&self) -> bool {
        self.inner.is_calibrated()
    }

    /// The classes in the order of their probabilities; none if numbers are predicted.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        self.inner.classes().map(<[String]>::to_vec)
    }

    /// The names of the columns that are predicted.
    #[getter]
    fn targets(&self) -> Vec<String> {
        self.inner.targets().map(str::to_owned).collect()
    }

    fn numbers<'py>(
        &self,
        py: Python<'py>,
        columns: Columns<'_>,
        quantiles: Vec<f64>,
    ) -> PyResult<Numbers<'py>> {
        let (prediction, notes) = self.predicted(py, columns)?;
        let p: RealPrediction = match prediction {
            Prediction::Real(p) => p,
            Prediction::Classes(_) => {
                return Err(PyValueError::new_err("the model predicts classes"));
            }
        };
        let quantiles =
            quantiles.iter().map(|q| array(py, &p.quantile(*q))).collect::<PyResult<_>>();
        let [mean, weights, noise] = [&p.mean, &p.epistemic(), &p.noise].map(|m| array(py, m));
        Ok((mean?, weights?, noise?, quantiles?, remarks(notes)))
    }

    fn probabilities<'py>(&self, py: Python<'py>, columns: Columns<'_>) -> PyResult<Classes<'py>> {
        let (prediction, notes) = self.predicted(py, columns)?;
        match prediction {
            Prediction::Classes(p) => {
                Ok((array(py, &p.probabilities)?, p.information.into_pyarray(py), remarks(notes)))
            }
            Prediction::Real(_) => Err(PyValueError::new_err("the model predicts numbers")),
        }
    }

    /// Of each row and target the ends of an interval that holds the truth with at least a probability; and notes.
    fn intervals<'py>(
        &self,
        py: Python<'py>,
        columns: Columns<'_>,
        probability: f64,
    ) -> PyResult<Ends<'py>> {
        let frame = columns.frame(py)?;
        let intervals = py.detach(|| self.inner.intervals(&frame, probability));
        let (intervals, notes) = intervals.map_err(|problem| refused(&problem))?;
        Ok(([array(py, &intervals.lower)?, array(py, &intervals.upper)?], remarks(notes)))
    }

    /// Of each row the numbers of the classes of a set that holds the true one with at least a probability; and notes.
    fn sets(
        &self,
        py: Python<'_>,
        columns: Columns<'_>,
        probability: f64,
    ) -> PyResult<(Vec<Vec<usize>>, Vec<String>)> {
        let frame = columns.frame(py)?;
        let sets = py.detach(|| self.inner.sets(&frame, probability));
        let (sets, notes) = sets.map_err(|problem| refused(&problem))?;
        Ok((sets, remarks(notes)))
    }

    /// The bytes of the model's file, with these notes.
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        notes: BTreeMap<String, String>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.inner.to_bytes(&notes).map_err(|problem| refused(&problem))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the model's file, whole or not at all.
    fn save(&self, path: PathBuf, notes: BTreeMap<String, String>) -> PyResult<()> {
        let bytes = self.inner.to_bytes(&notes).map_err(|problem| refused(&problem))?;
        let failed = |e| PyOSError::new_err(format!("{}: cannot be written: {e}", path.display()));
        write_whole(&path, &bytes).map_err(failed)
    }

    /// The model in the bytes of a file, which messages call by a name, and all notes.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        name: &str,
        bytes: &[u8],
    ) -> PyResult<(Self, BTreeMap<String, String>)> {
        let read = py.detach(|| TableModel::from_bytes(name, bytes, &functions()));
        let (inner, notes) = read.map_err(|problem| refused(&problem))?;
        Ok((Self { inner }, notes))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let py = slf.py();
        let restore = py.import("gaussform.sklearn")?.getattr("_restored")?;
        Ok((restore, (slf.get().to_bytes(py, BTreeMap::new())?,)))
    }
}

impl Model {
    fn predicted(
        &self,
        py: Python<'_>,
        columns: Columns<'_>,
    ) -> PyResult<(Prediction, Vec<String>)> {
        let frame = columns.frame(py)?;
        py.detach(|| self.inner.predict(&frame)).map_err(|problem| refused(&problem))
    }
}

/// Whether a text means that a value is missing.
#[pyfunction]
pub(crate) fn means_missing(text: &str) -> bool {
    Frame::means_missing(text)
}
