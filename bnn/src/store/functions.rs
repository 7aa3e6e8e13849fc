//! The activations that a file may name.

use std::collections::BTreeMap;

use gaussform_generated as library;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::function::Function;

/// An activation in a file: its name, where its learned parameters began, and what it computes at a
/// few points, by which another function of the same name is told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FunctionRecord {
    name: String,
    start: Vec<f64>,
    fingerprint: Vec<f64>,
}

impl FunctionRecord {
    pub(crate) fn of(function: &Function) -> Self {
        let (start, fingerprint) = (function.start().to_vec(), function.fingerprint());
        Self { name: function.name().to_owned(), start, fingerprint }
    }
}

/// The activations that may stand in a file that is loaded, by name.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    by_name: BTreeMap<String, Function>,
}

macro_rules! parameterless {
    ($($name:literal $Type:ident),* $(,)?) => {
        [$(Function::new($name, library::$Type)),*]
    };
}

impl Functions {
    /// None.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The activations of `gaussform-generated` that have no parameters, and a `prelu` that learns its
    /// slope from 0.25 on.
    #[must_use]
    pub fn library() -> Self {
        let fixed = parameterless![
            "abs" Abs, "hard_sigmoid" HardSigmoid, "hard_sigmoid_keras2" HardSigmoidKeras2,
            "hard_swish" HardSwish, "hard_tanh" HardTanh, "hat" Hat, "heaviside" Heaviside,
            "identity" Identity, "relu" Relu, "relu1" Relu1, "relu2" Relu2, "relu3" Relu3,
            "relu6" Relu6, "shifted_relu" ShiftedRelu, "sign_of" SignOf,
            "sparse_plus" SparsePlus, "sparse_sigmoid" SparseSigmoid, "sqnl" Sqnl,
            "square" Square,
        ];
        let prelu = Function::learned("prelu", &[0.25], |p| library::Prelu::new(p[0]));
        fixed.into_iter().chain(prelu.ok()).fold(Self::none(), Self::with)
    }

    /// These and one more, in the place of one with its name.
    #[must_use]
    pub fn with(mut self, function: Function) -> Self {
        self.by_name.insert(function.name().to_owned(), function);
        self
    }

    /// The activation of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.by_name.get(name)
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    pub(crate) fn find(&self, record: &FunctionRecord) -> Result<Function, StoreError> {
        let name = || record.name.clone();
        let function = self.get(&record.name).ok_or_else(|| StoreError::Activation {
            name: name(),
            problem: "no activation of this name is known".to_owned(),
        })?;
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        let found = FunctionRecord::of(function);
        let fits = found.start.len() == record.start.len()
            && found.fingerprint.len() == record.fingerprint.len()
            && found.fingerprint.iter().zip(&record.fingerprint).all(same);
        if fits {
            return Ok(function.clone());
        }
        let problem = "the one of this name here is another function".to_owned();
        Err(StoreError::Activation { name: name(), problem })
    }
}
