//! Networks of `gaussform-bnn`: training, predictions with the parts of their variance, calibration, bytes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use gaussform_bnn::{
    Blueprint, ClassCalibration, EarlyStopping, Function, Functions, LikelihoodKind, Matrix, Model,
    NormalCalibration, Prediction, Prior, RealPrediction, Table, Targets, TrainConfig, method,
};
use gaussform_codegen::Dynamic;
use gaussform_python_kernels::LIBRARY;
use gaussform_symbolic::Activation;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};

use crate::error;

/// The note of a file that has the calibration, as the command `gaussform-bnn` writes it.
const CALIBRATION: &str = "calibration";

/// What held-out rows say.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Calibration {
    Numbers(NormalCalibration),
    Classes(ClassCalibration),
}

/// How a network is made and trained.
#[derive(FromPyObject)]
struct Options {
    method: String,
    hidden: Vec<usize>,
    activation: String,
    epochs: Option<usize>,
    batch: Option<usize>,
    learning_rate: Option<f64>,
    prior: Option<f64>,
    initial_sd: Option<f64>,
    validation: Option<f64>,
    seed: u64,
}

/// A trained network with the scales of its data, and what held-out rows say of it.
#[pyclass(frozen, module = "gaussform._native", name = "Network")]
pub(crate) struct Network {
    model: Model,
    /// The text of an activation that the library lacks.
    activation: String,
    calibration: Option<Calibration>,
}

fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn matrix(x: &PyReadonlyArray2<'_, f64>) -> PyResult<Matrix> {
    let view = x.as_array();
    Matrix::new(view.ncols(), view.iter().copied().collect()).map_err(wrong)
}

fn array<'py>(py: Python<'py>, matrix: &Matrix) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let shape = (matrix.rows(), matrix.columns());
    let array = Array2::from_shape_vec(shape, matrix.values().to_vec()).map_err(wrong)?;
    Ok(array.into_pyarray(py))
}

/// The activations that a network may have: the library's, and one of a text.
fn functions(py: Python<'_>, text: &str) -> PyResult<Functions> {
    let library = Functions::library();
    if library.get(text).is_some() {
        return Ok(library);
    }
    Ok(library.with(declared(py, text)?))
}

/// The activation of a text, under the text as its name.
fn declared(py: Python<'_>, text: &str) -> PyResult<Function> {
    let activation = match LIBRARY.get(text) {
        Some(known) => known.clone(),
        None => Activation::parse_with(text, &LIBRARY)
            .map_err(|error| error::declaration(py, text, error))?,
    };
    if let Some(parameter) = activation.parameters.first() {
        let message = format!("`{text}` has the parameter `{}`; give it a value", parameter.name);
        return Err(PyValueError::new_err(message));
    }
    let dynamic = Dynamic::new(&activation, &[]).map_err(wrong)?;
    Ok(Function::new(text, dynamic).declared_as(&activation.declaration()))
}

impl Options {
    fn blueprint(
        &self,
        inputs: usize,
        likelihood: LikelihoodKind,
        g: &Function,
    ) -> PyResult<Blueprint> {
        let targets = likelihood.target_columns();
        let for_numbers = likelihood.classes().is_none();
        let numbers = |blueprint: Blueprint| match for_numbers {
            true => Ok(blueprint),
            false => Err(PyValueError::new_err(format!(
                "the method {:?} predicts numbers, not classes; choose \"nnvi\", \"vbp\", \"varout\" or \"bbb\"",
                self.method
            ))),
        };
        let hidden = &self.hidden;
        let mut blueprint = match self.method.as_str() {
            "cf" => match hidden.as_slice() {
                [one] => numbers(method::cf(inputs, *one, targets, g))?,
                _ => {
                    return Err(PyValueError::new_err("the method \"cf\" is for one hidden layer"));
                }
            },
            "nnvi" => method::nnvi(inputs, hidden, likelihood, g),
            "dvi" => numbers(method::dvi(inputs, hidden, targets, g))?,
            "vbp" => method::vbp(inputs, hidden, likelihood, g),
            "varout" => method::varout(inputs, hidden, likelihood, g),
            "bbb" => method::bbb(inputs, hidden, likelihood, g),
            other => {
                let message = format!(
                    "there is no method {other:?}; there are \"cf\", \"nnvi\", \"dvi\", \"vbp\", \"varout\" and \"bbb\""
                );
                return Err(PyValueError::new_err(message));
            }
        };
        blueprint.initial_sd = self.initial_sd.unwrap_or(blueprint.initial_sd);
        let has_own = matches!(self.method.as_str(), "dvi" | "bbb");
        Ok(match self.prior {
            Some(precision) => blueprint.with_every_prior(Prior::Normal { precision }),
            None if has_own => blueprint,
            None => {
                let precision = if for_numbers { 10.0 } else { 1.0 };
                blueprint.with_every_prior(Prior::Normal { precision })
            }
        })
    }

    fn config(&self, blueprint: &Blueprint) -> TrainConfig {
        let default = TrainConfig::suited_to(blueprint);
        let epochs = self.epochs.unwrap_or(1000);
        let patience = (epochs / 5).max(1);
        TrainConfig {
            epochs,
            batch: self.batch.unwrap_or(default.batch),
            learning_rate: self.learning_rate.unwrap_or(default.learning_rate),
            early_stopping: self.validation.map(|share| EarlyStopping { share, patience }),
            seed: self.seed,
            ..default
        }
    }
}

/// Targets as Python gives them: numbers, or labels with how many classes there are.
#[derive(FromPyObject)]
enum Given<'py> {
    Numbers(PyReadonlyArray2<'py, f64>),
    Labels(Vec<usize>, Vec<String>),
}

impl Given<'_> {
    fn table(&self, x: Matrix) -> PyResult<Table> {
        match self {
            Self::Numbers(y) => {
                let first = vec![0.0; x.rows()];
                let table = Table::regression(x, &first).map_err(wrong)?;
                Ok(Table { y: Targets::Real(matrix(y)?), ..table })
            }
            Self::Labels(labels, names) => {
                Table::classes(x, labels.clone(), names.clone()).map_err(wrong)
            }
        }
    }
}

impl Network {
    fn real(&self, py: Python<'_>, x: &PyReadonlyArray2<'_, f64>) -> PyResult<RealPrediction> {
        let x = matrix(x)?;
        let prediction = py.detach(|| self.model.predict(&x)).map_err(wrong)?;
        prediction.real().ok_or_else(|| wrong("the network predicts classes"))
    }
}

/// Mean, variance from below, variance from the last layer, and noise.
type Parts<'py> = [Bound<'py, PyArray2<f64>>; 4];

#[pymethods]
impl Network {
    /// Trains a network; `progress`, if it is given, is called with (epoch, epochs, bound) after each epoch.
    #[staticmethod]
    fn fit(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: Given<'_>,
        options: Options,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let table = y.table(matrix(&x)?)?;
        let likelihood = match &table.y {
            Targets::Real(y) => LikelihoodKind::normal(y.columns()),
            Targets::Classes { names, .. } => LikelihoodKind::categorical(names.len()),
        };
        let functions = functions(py, &options.activation)?;
        let g = functions.get(&options.activation).ok_or_else(|| wrong("no activation"))?;
        let blueprint = options.blueprint(table.x.columns(), likelihood, g)?;
        let config = options.config(&blueprint);
        let mut stopped = None;
        let trained = py.detach(|| {
            let model = Model::new(&blueprint, &table, options.seed).map_err(|e| e.to_string())?;
            let trained = gaussform_bnn::train(model, &table, &config, |now| {
                // Ctrl-C is seen, and progress is told, with the interpreter's lock.
                let told = Python::attach(|py| {
                    py.check_signals()?;
                    match &progress {
                        Some(call) => call.call1(py, (now.epoch, now.epochs, now.elbo)).map(|_| ()),
                        None => Ok(()),
                    }
                });
                match told {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        stopped = Some(error);
                        ControlFlow::Break(())
                    }
                }
            });
            // The noise of the bound counts the variance that the weights bring, which predictions add again.
            let model = trained.map_err(|e| e.to_string())?;
            model.with_residual_noise(&table).map_err(|e| e.to_string())
        });
        if let Some(error) = stopped {
            return Err(error);
        }
        let model = trained.map_err(wrong)?;
        Ok(Self { model, activation: options.activation, calibration: None })
    }

    /// Of each row and target the mean, and the parts of the variance: from below, from the last layer, noise.
    fn predict<'py>(&self, py: Python<'py>, x: PyReadonlyArray2<'py, f64>) -> PyResult<Parts<'py>> {
        let p = self.real(py, &x)?;
        Ok([
            array(py, &p.mean)?,
            array(py, &p.from_below)?,
            array(py, &p.from_last)?,
            array(py, &p.noise)?,
        ])
    }

    /// Of each row and target the numbers that it is below with each of some probabilities.
    fn quantiles<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        probabilities: Vec<f64>,
    ) -> PyResult<Vec<Bound<'py, PyArray2<f64>>>> {
        let p = self.real(py, &x)?;
        probabilities.iter().map(|q| array(py, &p.quantile(*q))).collect()
    }

    /// Of each row and target the ends of an interval that holds the truth with at least a probability.
    fn intervals<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
        probability: f64,
    ) -> PyResult<[Bound<'py, PyArray2<f64>>; 2]> {
        let Some(Calibration::Numbers(calibration)) = &self.calibration else {
            return Err(wrong("the network was not calibrated"));
        };
        let intervals = calibration.intervals(&self.real(py, &x)?, probability).map_err(wrong)?;
        Ok([array(py, &intervals.lower)?, array(py, &intervals.upper)?])
    }

    /// Of each row the probabilities of the classes, and the information about its class in the weights, in nats.
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'py, f64>,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>)> {
        let x = matrix(&x)?;
        let prediction = py.detach(|| self.model.predict(&x)).map_err(wrong)?;
        let prediction =
            prediction.classes().ok_or_else(|| wrong("the network predicts numbers"))?;
        Ok((array(py, &prediction.probabilities)?, prediction.information.into_pyarray(py)))
    }

    /// The network with what held-out rows say of it.
    fn calibrated(
        &self,
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: Given<'_>,
    ) -> PyResult<Self> {
        let table = y.table(matrix(&x)?)?;
        let prediction = py.detach(|| self.model.predict(&table.x)).map_err(wrong)?;
        let calibration = match (&prediction, &table.y) {
            (Prediction::Real(p), Targets::Real(y)) => {
                Calibration::Numbers(NormalCalibration::fit(p, y).map_err(wrong)?)
            }
            (Prediction::Classes(p), Targets::Classes { labels, .. }) => {
                Calibration::Classes(ClassCalibration::fit(p, labels).map_err(wrong)?)
            }
            _ => return Err(wrong("the network predicts another kind of target")),
        };
        let (model, activation) = (self.model.clone(), self.activation.clone());
        Ok(Self { model, activation, calibration: Some(calibration) })
    }

    #[getter]
    fn is_calibrated(&self) -> bool {
        self.calibration.is_some()
    }

    /// The file of the model, as the command `gaussform-bnn` writes it, with these notes.
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        notes: BTreeMap<String, String>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut notes = notes;
        if let Some(calibration) = &self.calibration {
            let note = serde_json::to_string(calibration).map_err(wrong)?;
            notes.insert(CALIBRATION.to_owned(), note);
        }
        Ok(PyBytes::new(py, &self.model.to_bytes(&notes).map_err(wrong)?))
    }

    /// The network of a file, and its notes.
    #[staticmethod]
    fn from_bytes(
        py: Python<'_>,
        bytes: &[u8],
        activation: &str,
    ) -> PyResult<(Self, BTreeMap<String, String>)> {
        let functions = functions(py, activation)?;
        let (model, notes) = Model::from_bytes(bytes, &functions).map_err(wrong)?;
        let calibration = notes.get(CALIBRATION).map(|note| serde_json::from_str(note));
        let calibration = calibration.transpose().map_err(wrong)?;
        Ok((Self { model, activation: activation.to_owned(), calibration }, notes))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>, String))> {
        let py = slf.py();
        let restore = py.import("gaussform.sklearn")?.getattr("_restored")?;
        let network = slf.get();
        Ok((restore, (network.to_bytes(py, BTreeMap::new())?, network.activation.clone())))
    }
}
