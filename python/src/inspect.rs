//! Results of the derivation of a function: formulas, steps, certificates, code and pages.

use gaussform_codegen::c::{self, Dialect};
use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::{Kernel, KernelError, python, wgsl};
use gaussform_report::page::{self, PageEntry};
use gaussform_report::record::{Document, Entry};
use gaussform_symbolic::derivation::Derivation;
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::render::{latex, mathml, text};
use gaussform_symbolic::{Activation, Case, Error};
use pyo3::prelude::*;

use crate::error;
use crate::function::Function;

/// The languages of [`Function::emit`].
const TARGETS: &str = "rust, rust-crate, c, cuda, wgsl, numpy, jax, pytorch";

/// A moment by its order, or the variance.
#[derive(Clone, Copy)]
enum Asked {
    Moment(u32),
    Variance,
}

impl FromPyObject<'_, '_> for Asked {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(order) = object.extract::<u32>() {
            return Ok(Self::Moment(order));
        }
        let unknown = || {
            let shown = object.repr().map_or_else(|_| "this".to_owned(), |text| text.to_string());
            let help = "ask for a moment by its order, or for \"mean\", \"second\" or \"variance\"";
            error::derivation(object.py(), format!("{shown} is no quantity"), Some(help.to_owned()))
        };
        match object.extract::<String>().map_err(|_| unknown())?.as_str() {
            "mean" => Ok(Self::Moment(1)),
            "second" => Ok(Self::Moment(2)),
            "variance" => Ok(Self::Variance),
            _ => Err(unknown()),
        }
    }
}

impl Asked {
    fn of(self, activation: &Activation) -> Result<Derivation, Error> {
        match self {
            Self::Moment(n) => activation.moment(n),
            Self::Variance => activation.variance(),
        }
    }
}

impl Function {
    fn derived(&self, py: Python<'_>, asked: Asked) -> PyResult<Derivation> {
        py.detach(|| asked.of(&self.activation)).map_err(|error| refusal(py, error))
    }

    /// The function with its moments, as pages and JSON have them.
    fn entry(&self) -> Result<Entry, Error> {
        let g = &self.activation;
        let results = vec![g.moment(1)?, g.moment(2)?, g.variance()?];
        let case = Case { conditions: Vec::new(), activation: g.clone() };
        Ok(Entry { case, other: None, pair: false, results })
    }
}

fn refusal(py: Python<'_>, error: Error) -> PyErr {
    error::derivation(py, error.kind, error.help)
}

#[pymethods]
impl Function {
    /// The equation of a moment as text.
    fn formula(&self, py: Python<'_>, quantity: Asked) -> PyResult<String> {
        Ok(text::equation(&self.derived(py, quantity)?))
    }

    /// The equation of a moment in LaTeX.
    fn latex(&self, py: Python<'_>, quantity: Asked) -> PyResult<String> {
        Ok(latex::equation(&self.derived(py, quantity)?))
    }

    /// The equation of a moment in MathML.
    fn mathml(&self, py: Python<'_>, quantity: Asked) -> PyResult<String> {
        Ok(mathml::equation(&self.derived(py, quantity)?))
    }

    /// The definition as text, LaTeX or MathML.
    fn definition(&self, format: &str) -> String {
        let functions = [("g", &self.activation.function)];
        match format {
            "latex" => latex::definitions(&functions),
            "mathml" => mathml::definitions(&functions),
            _ => text::definitions(&functions),
        }
    }

    /// The steps of a derivation as text.
    fn derivation(&self, py: Python<'_>, quantity: Asked) -> PyResult<String> {
        Ok(text::steps(&self.derived(py, quantity)?))
    }

    /// Applies every step again and checks the certificates: the numbers of steps, of terms of the heat equation, and the
    /// limits for ξ² → 0 from left to right.
    fn certificate(
        &self,
        py: Python<'_>,
        quantity: Asked,
    ) -> PyResult<(usize, usize, Vec<String>)> {
        let derivation = self.derived(py, quantity)?;
        let failed = |what: String| {
            let help = "this is a bug in gaussform: please report it with the declaration";
            error::derivation(py, what, Some(help.to_owned()))
        };
        derivation.replay().map_err(|i| failed(format!("step {} does not follow", i + 1)))?;
        let certificates = derivation.certificates().map_err(|e| failed(e.to_string()))?;
        let terms = certificates.iter().map(|certificate| certificate.heat_terms).sum();
        let limits = certificates.last().map(|certificate| {
            certificate.limits.iter().map(|limit| text::form(&Form::from(limit.clone()))).collect()
        });
        Ok((derivation.steps().len(), terms, limits.unwrap_or_default()))
    }

    /// Code for another project.
    fn emit(&self, py: Python<'_>, target: &str) -> PyResult<String> {
        let refused = |error: &dyn std::error::Error| error::derivation(py, error, None);
        let activation = &self.activation;
        let lower = |new: fn(&Activation) -> Result<Kernel, KernelError>| {
            py.detach(|| new(activation)).map_err(|error| refused(&error))
        };
        let module = |target| {
            let kernel = lower(Kernel::new)?;
            python::module(&kernel, target).map_err(|error| refused(&error))
        };
        match target {
            "rust" => Ok(rust::standalone(&[lower(Kernel::new)?])),
            "rust-crate" => Ok(rust::file(&[lower(Kernel::new)?], &Options::default())),
            "c" => c::text(&[lower(Kernel::new)?], Dialect::C).map_err(|error| refused(&error)),
            "cuda" => c::text(&[lower(Kernel::new)?], Dialect::Cuda).map_err(|e| refused(&e)),
            "wgsl" => wgsl::text(&[lower(wgsl::kernel)?]).map_err(|error| refused(&error)),
            "numpy" => module(python::Target::Numpy),
            "jax" => module(python::Target::Jax),
            "pytorch" => module(python::Target::PyTorch),
            other => {
                let help = format!("the targets are {TARGETS}");
                Err(error::derivation(py, format!("`{other}` is no target"), Some(help)))
            }
        }
    }

    /// A page of HTML about the function.
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        let title = match self.activation.name.as_str() {
            // A bare expression says more than the letter that it is called by.
            "g" => text::definitions(&[("g", &self.activation.function)]),
            name => name.to_owned(),
        };
        let page = py.detach(|| Ok(page::write(&title, &[PageEntry::new(self.entry()?)])));
        page.map_err(|error: Error| refusal(py, error))
    }

    /// Mean, second moment and variance with their derivations as JSON, as `gaussform inspect --format json` writes it.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        let entry = self.entry().map_err(|error| refusal(py, error))?;
        let document = Document::write(&[entry]);
        Ok(document.map_err(|error| error::derivation(py, error, None))?.to_json())
    }
}
