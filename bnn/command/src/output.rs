//! The output of answers, to standard output or to a file that is written whole or not at all; and the input of
//! models.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use gaussform_bnn::{
    DataError, Ensemble, Functions, LikelihoodKind, Matrix, Prediction, Table, Targets,
    check_place, write_whole,
};

use crate::args::Sampling;
use crate::calibration::Calibration;
use crate::encoding::Encoding;
use crate::failure::Failure;
use crate::table::Cells;

/// Writes a text to the file `out`, or to standard output.
pub(crate) fn deliver(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = out else {
        return match io::stdout().write_all(text.as_bytes()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Unheard),
            Err(error) => Err(Failure::Output(error)),
            Ok(()) => Ok(()),
        };
    };
    put(text.as_bytes(), path)
}

/// Writes a file, whole or not at all.
pub(crate) fn put(bytes: &[u8], path: &Path) -> Result<(), Failure> {
    write_whole(path, bytes).map_err(|e| cannot_be_written(path, &e))
}

/// Chooses the colours of this process, those of its help and of clap's errors too.
pub(crate) fn choose_colours(choice: clap::ColorChoice) {
    match choice {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Tells the user something beside the answer.
pub(crate) fn note(text: &str) {
    // Nothing is left to do if standard error is closed.
    let _ = writeln!(anstream::stderr(), "\x1b[1;36mnote:\x1b[0m {text}");
}

/// Tells how many rows have no target.
pub(crate) fn note_left_out(count: usize, encoding: &Encoding) {
    if count > 0 {
        let names: Vec<&str> = encoding.targets().map(|target| target.name.as_str()).collect();
        let names = names.join("`, `");
        note(&format!("{count} rows left out: the target, `{names}`, is missing"));
    }
}

/// Whether a file can be put at `path`: known before the work, not after it.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    check_size(path, 0)
}

/// Refuses an output that is an input, or another output: what is there would be lost.
pub(crate) fn check_apart(inputs: &[&Path], outputs: &[&Path]) -> Result<(), Failure> {
    let place = |path: &Path| {
        // A file that is not there yet has no canonical path.
        let there = fs::canonicalize(path).or_else(|_| std::path::absolute(path));
        there.unwrap_or_else(|_| path.to_owned())
    };
    for (i, output) in outputs.iter().enumerate() {
        let mut others = inputs.iter().chain(&outputs[..i]);
        if others.any(|other| place(other) == place(output)) {
            let problem = "another option names this file too, and it would be replaced";
            return Err(Failure::file(output, problem, "name another file for the output"));
        }
    }
    Ok(())
}

/// Whether a file of `size` bytes can be put at `path`.
pub(crate) fn check_size(path: &Path, size: usize) -> Result<(), Failure> {
    check_place(path, size).map_err(|e| cannot_be_written(path, &e))
}

fn cannot_be_written(path: &Path, error: &io::Error) -> Failure {
    let help = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space or name another folder"
        }
        ErrorKind::PermissionDenied => "name a file in a folder that can be written to",
        _ => "name a regular file, there or not, in a folder that exists",
    };
    Failure::file(path, format!("cannot be written: {error}"), help)
}

/// A model that `train` wrote, with its encoding of tables and its calibration, if it has one.
pub(crate) struct Loaded {
    pub(crate) model: Ensemble,
    pub(crate) encoding: Encoding,
    pub(crate) calibration: Option<Calibration>,
}

impl Loaded {
    /// The model of a file with these notes.
    pub(crate) fn of(
        path: &Path,
        model: Ensemble,
        notes: &BTreeMap<String, String>,
    ) -> Result<Self, Failure> {
        let encoding = Encoding::from_notes(notes).map_err(|problem| {
            let help = "use a model that `gaussform-bnn train` of this version wrote";
            Failure::file(path, problem, help)
        })?;
        let calibration = Calibration::from_notes(notes).map_err(|e| {
            let problem = format!("its calibration cannot be read: {e}");
            Failure::file(path, problem, "calibrate the model that `train` wrote once more")
        })?;
        Ok(Self { model, encoding, calibration })
    }

    /// The model with the number of passes that the options name.
    pub(crate) fn sampled(self, options: &Sampling) -> Result<Self, Failure> {
        let Some(samples) = options.samples else { return Ok(self) };
        if !self.model.blueprint().samples() {
            let problem = "the model predicts without samples";
            return Err(Failure::options(problem, "leave --samples out"));
        }
        Ok(Self { model: self.model.with_passes(samples), ..self })
    }

    /// The rows of `cells`, all of which have a target, with remarks for the user. Targets of a model of counts are counts.
    pub(crate) fn table(&self, cells: &Cells) -> Result<(Table, Vec<String>), Failure> {
        let (table, notes) = self.encoding.table(cells)?;
        if let (LikelihoodKind::Poisson, Targets::Real(y)) =
            (self.model.blueprint().likelihood, &table.y)
        {
            let is_count = |y: &f64| *y >= 0.0 && y.fract() == 0.0;
            if let Some(row) = y.values().iter().position(|y| !is_count(y)) {
                let error = DataError::Count { row, value: y.values()[row] };
                return Err(self.encoding.located(error.into(), cells));
            }
        }
        Ok((table, notes))
    }

    /// The model's prediction for the rows of `cells`. `x` has the means of their inputs and `x_variance` the
    /// variances, both of shape \[rows, inputs\].
    pub(crate) fn predict(
        &self,
        cells: &Cells,
        x: &Matrix,
        x_variance: Option<&Matrix>,
    ) -> Result<Prediction, Failure> {
        let prediction = self.model.predict_noisy(x, x_variance)?;
        let columns = match &prediction {
            Prediction::Real(p) => vec![p.mean.clone(), p.variance()],
            Prediction::Classes(p) => vec![p.probabilities.clone()],
        };
        let is_finite = |row: &usize| {
            columns
                .iter()
                .all(|m| m.iter().nth(*row).is_some_and(|v| v.iter().all(|v| v.is_finite())))
        };
        match (0..x.rows()).find(|row| !is_finite(row)) {
            Some(row) => {
                let help = "a number in it lies too far from those that the model was trained on";
                Err(cells.at_row(row, "the prediction of this row is not finite", help))
            }
            None => Ok(prediction),
        }
    }
}

pub(crate) fn load(path: &Path) -> Result<Loaded, Failure> {
    let (model, notes) = Ensemble::load(path, &Functions::library())
        .map_err(|source| Failure::Model { path: path.to_owned(), source })?;
    Loaded::of(path, model, &notes)
}
