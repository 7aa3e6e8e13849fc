//! The record of a run, `result.json`: its fields, and how it is written and read back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::failure::Failure;

/// The way the command was compiled. Seconds mean nothing without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Build {
    /// A build without optimisation, for the most part.
    Dev,
    Release,
}

impl Build {
    pub(crate) const THIS: Self = if cfg!(debug_assertions) { Self::Dev } else { Self::Release };
}

/// A number, which is NaN where JSON has `null`. JSON has no other word for a score that is not finite, such as that
/// of a model whose variance is infinite.
pub(crate) fn number<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(json)?.unwrap_or(f64::NAN))
}

/// The record of an experiment. `result.json` has its fields after the field `experiment`, which names the experiment.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// The name of the experiment.
    const EXPERIMENT: &'static str;

    /// The record in `path`, if there is such a file. A record of another experiment is refused as [`other_run`] says.
    fn read(path: &Path) -> Result<Option<Self>, Failure> {
        match Found::read(path)? {
            None => Ok(None),
            Some(found) if found.experiment == Self::EXPERIMENT => found.record().map(Some),
            Some(_) => Err(other_run(path)),
        }
    }

    fn write(&self, path: &Path) -> Result<(), Failure> {
        let named = Named { experiment: Self::EXPERIMENT, fields: self };
        let json = serde_json::to_string_pretty(&named)
            .map_err(|e| Failure::file(path, e, "report this as a defect"))?;
        write_whole(path, &(json + "\n"))
    }
}

/// The contents of a `result.json`.
#[derive(Serialize)]
struct Named<'a, R> {
    experiment: &'static str,
    #[serde(flatten)]
    fields: &'a R,
}

/// The contents of a `result.json` of any experiment.
#[derive(Deserialize)]
pub(crate) struct Found {
    pub(crate) experiment: String,
    #[serde(flatten)]
    fields: Map<String, Value>,
    #[serde(skip)]
    path: PathBuf,
}

impl Found {
    /// The contents of `path`, if there is such a file.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, Failure> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file(path, error, "make it readable")),
        };
        Self::parse(&text, path).map(Some)
    }

    /// The contents from the text of the file `path`.
    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, Failure> {
        let found: Self = serde_json::from_str(text).map_err(|e| no_result(path, e))?;
        Ok(Self { path: path.to_owned(), ..found })
    }

    /// The contents as the record of the experiment that `R` is of.
    pub(crate) fn record<R: Record>(self) -> Result<R, Failure> {
        serde_json::from_value(Value::Object(self.fields)).map_err(|e| no_result(&self.path, e))
    }

    /// The refusal of an experiment that nobody knows.
    pub(crate) fn unknown(&self) -> Failure {
        no_result(&self.path, format!("unknown experiment `{}`", self.experiment))
    }
}

fn no_result(path: &Path, problem: impl ToString) -> Failure {
    let help = "it is not a result of this command; remove it or name another folder";
    Failure::file(path, problem, help)
}

/// Makes the folder that a run writes to.
pub(crate) fn make_folder(out: &Path) -> Result<(), Failure> {
    fs::create_dir_all(out)
        .map_err(|e| Failure::file(out, format!("cannot be made: {e}"), "name another folder"))
}

/// The refusal to write into the folder of a run with other options.
pub(crate) fn other_run(result: &Path) -> Failure {
    let help = "name another folder, or give the options that it began with";
    Failure::file(result, "is of another run", help)
}

/// Replaces a file whole, so that an interruption leaves the old one or the new one.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    gaussform_bnn::write_whole(path, text.as_bytes())
        .map_err(|e| Failure::file(path, format!("cannot be written: {e}"), "name another folder"))
}
