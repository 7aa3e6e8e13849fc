//! The registry of activations that a stored model may name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug};
use std::sync::Arc;

use gaussform_generated as library;
use serde::{Deserialize, Serialize};

use super::StoreError;
use crate::function::Function;

/// An activation in a file: its name, the text of its declaration for readers, where its learned parameters began, and what it computes at a
/// few points, by which another function of the same name is told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FunctionRecord {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    declaration: Option<String>,
    start: Vec<f64>,
    fingerprint: Vec<f64>,
}

impl FunctionRecord {
    pub(crate) fn of(function: &Function) -> Self {
        let (start, fingerprint) = (function.start().to_vec(), function.fingerprint());
        let declaration = function.declaration().map(str::to_owned);
        Self { name: function.name().to_owned(), declaration, start, fingerprint }
    }
}

/// The activations that may stand in a file that is loaded, by name.
#[derive(Clone, Debug, Default)]
pub struct Functions {
    by_name: BTreeMap<String, Function>,
    reader: Option<Reader>,
}

/// A function of the text of its declaration.
type Read = dyn Fn(&str) -> Option<Function> + Send + Sync;

#[derive(Clone)]
struct Reader(Arc<Read>);

impl Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reader")
    }
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
        let declared = |f: Function| {
            let text = declaration(f.name());
            f.declared_as(&text)
        };
        fixed.into_iter().chain(prelu.ok()).map(declared).fold(Self::none(), Self::with)
    }

    /// The functions and one more, in the place of one with its name.
    #[must_use]
    pub fn with(mut self, function: Function) -> Self {
        self.by_name.insert(function.name().to_owned(), function);
        self
    }

    /// The functions, and the activations that a file declares under names that none of these functions has: `read` makes a function of the text that
    /// [`Function::declared_as`] was given, or none.
    #[must_use]
    pub fn reading(
        mut self,
        read: impl Fn(&str) -> Option<Function> + Send + Sync + 'static,
    ) -> Self {
        self.reader = Some(Reader(Arc::new(read)));
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
        let read = || {
            let function = (self.reader.as_ref()?.0)(record.declaration.as_deref()?)?;
            Some(function.named(&record.name))
        };
        // A function that the caller gives goes before the text in a file.
        let known = self.get(&record.name).cloned().or_else(read);
        let function = known.ok_or_else(|| StoreError::Activation {
            name: name(),
            problem: match &record.declaration {
                Some(text) => format!("none of this name is known, which was declared as `{text}`"),
                None => "no activation of this name is known".to_owned(),
            },
        })?;
        // Kernels of another version may differ in the last digits.
        let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        let found = FunctionRecord::of(&function);
        let fits = found.start.len() == record.start.len()
            && found.fingerprint.len() == record.fingerprint.len()
            && found.fingerprint.iter().zip(&record.fingerprint).all(same);
        if fits {
            // What a file says stays as it is when it is written again.
            return Ok(function.with_declaration(record.declaration.as_deref()));
        }
        let problem = "the one of this name here is another function".to_owned();
        Err(StoreError::Activation { name: name(), problem })
    }
}

/// The library's declaration of this name, behind those that it uses.
fn declaration(name: &str) -> String {
    let all = declarations();
    let mut wanted = BTreeSet::from([name]);
    // A declaration uses earlier ones only.
    for (name, text) in all.iter().rev() {
        if wanted.contains(name) {
            let body = text.split_once('=').map_or("", |(_, body)| body);
            let words = body.split(|c: char| !c.is_alphanumeric() && c != '_');
            wanted.extend(words.filter(|word| all.iter().any(|(name, _)| name == word)));
        }
    }
    let texts = all.iter().filter(|(name, _)| wanted.contains(name)).map(|(_, text)| &**text);
    texts.collect::<Vec<_>>().join("\n")
}

/// Names and texts of the library's declarations, in order.
fn declarations() -> Vec<(&'static str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    let lines = library::DECLARATIONS.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    for line in lines {
        match (line.split_once('('), all.last_mut()) {
            (Some((name, _)), _) if name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                all.push((name, line.to_owned()));
            }
            (_, Some((_, text))) => *text = format!("{text} {}", line.trim()),
            _ => {}
        }
    }
    all
}
