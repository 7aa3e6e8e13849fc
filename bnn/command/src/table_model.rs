//! Models of tables in memory: what `train`, `calibrate` and `predict` do, with the options and defaults of the command.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use clap::Parser;
use gaussform_bnn::{Ensemble, Functions, Intervals, Prediction};

use crate::args::Train;
use crate::calibration::Calibration;
use crate::encoding::{Encoding, Inputs, Roles, Target, Trained};
use crate::failure::Failure;
use crate::output::Loaded;
use crate::progress::Epoch;
use crate::table::{Cell, Cells, ColumnData, Columns, Missing};
use crate::train::{Beside, activation, trained, without_variances};

/// The reason why a table has no model, or a model no prediction. Its text names the place and says what to do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Problem(#[from] Failure);

/// The values of a column, one for each row.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers, NaN where a value is missing.
    Numbers(Vec<f64>),
    /// Texts, which are read as the cells of a file are; none where a value is missing.
    Texts(Vec<Option<String>>),
}

/// A table in memory.
pub struct Frame {
    cells: Cells,
}

impl Frame {
    /// The table of these columns under their names. Messages call it by `name`, and count its rows from 1 on.
    ///
    /// # Errors
    ///
    /// [`Problem`], if there is no row, two columns have one name, or one has other rows than the first.
    pub fn new(name: &str, columns: Vec<(String, Column)>) -> Result<Self, Problem> {
        let data = |column: Column| match column {
            Column::Numbers(values) => ColumnData::Numbers(values),
            Column::Texts(values) => {
                let texts = values.iter().map(|value| value.as_deref().unwrap_or_default());
                ColumnData::Written(texts.collect())
            }
        };
        let columns: Columns =
            columns.into_iter().map(|(name, column)| (name, data(column))).collect();
        let rows = columns.first().map_or(0, |(_, column)| column.len());
        if let Some((column, data)) = columns.iter().find(|(_, column)| column.len() != rows) {
            let problem =
                format!("`{column}` has {} rows, and the first column {rows}", data.len());
            return Err(
                Failure::file(name, problem, "give each column a value for each row").into()
            );
        }
        Ok(Self { cells: Cells::of_columns(name, columns)? })
    }

    /// Whether a text means that a value is missing, such as `NA` or `-`.
    #[must_use]
    pub fn means_missing(text: &str) -> bool {
        Missing::default().is(Cell::Text(text.trim()))
    }
}

/// The options of `train`, less those for files.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
struct Options {
    #[command(flatten)]
    train: Train,
}

impl Options {
    fn parse_from_texts(arguments: &[String]) -> Result<Train, Failure> {
        // No file is read or written.
        let files = ["--csv=-", "--target=-", "--out=-"].map(str::to_owned);
        let Self { train } = Self::try_parse_from(files.iter().chain(arguments)).map_err(|e| {
            let text = e.to_string();
            // clap adds the usage of a command line, which a table in memory does not have.
            let text = text.split("\n\nUsage:").next().unwrap_or_default();
            let text = text.split("\n\nFor more information").next().unwrap_or_default();
            let (problem, help) = text.split_once('\n').unwrap_or((text, "correct the option"));
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            Failure::options(problem.trim_start_matches("error: "), help)
        })?;
        let given = [
            ("--summary", train.columns.summary.is_some()),
            ("--checkpoint", train.interruption.checkpoint.is_some()),
            ("--resume", train.interruption.resume),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                let problem = format!("{option} is for tables and models in files");
                Err(Failure::options(problem, "leave it out"))
            }
            None => Ok(train),
        }
    }
}

/// A trained model with the encoding of its table, and its calibration if it has one.
pub struct TableModel {
    loaded: Loaded,
}

impl TableModel {
    /// Trains a model that predicts the columns `targets` from the others. `arguments` are options of `gaussform-bnn train`, such as
    /// `--hidden=50,50`; `told` hears of each epoch, and may end training, so that the model is what it is then. The remarks for the
    /// user come with the model.
    ///
    /// # Errors
    ///
    /// [`Problem`] in the cases in which the command ends with an error.
    pub fn train(
        frame: &Frame,
        targets: Vec<String>,
        arguments: &[String],
        functions: &Functions,
        told: &mut dyn FnMut(Epoch) -> ControlFlow<()>,
    ) -> Result<(Self, Vec<String>), Problem> {
        let options = Options::parse_from_texts(arguments)?;
        let g = activation(&options, functions)?;
        let cells = &frame.cells;
        let roles = Roles::with_targets(targets, &options.targets, cells)?;
        let Trained { encoding, mut table, cells, summary } =
            Encoding::train(cells, &roles, &options.columns())?;
        let mut notes: Vec<String> = summary.identifiers().chain(summary.unparsable()).collect();
        notes.extend(without_variances(&options, &mut table).map(str::to_owned));
        let beside = Beside { checkpoints: None, told };
        let outcome = trained(&options, g, &table, &encoding, beside);
        let model = outcome.map_err(|failure| encoding.located(failure, &cells))?.model;
        let loaded = Loaded { model, encoding, calibration: None };
        Ok((Self { loaded }, notes))
    }

    /// The model with what the rows of `frame` say of its predictions, which training has not seen.
    ///
    /// # Errors
    ///
    /// [`Problem`] in the cases in which `gaussform-bnn calibrate` ends with an error.
    pub fn calibrated(&self, frame: &Frame) -> Result<Self, Problem> {
        let Loaded { model, encoding, .. } = &self.loaded;
        let (cells, _) = encoding.with_target(&frame.cells)?;
        let (table, _) = self.loaded.table(&cells)?;
        let prediction = self.loaded.predict(&cells, &table.x, table.x_variance.as_ref())?;
        let calibration = Calibration::fit(&prediction, &table.y)?;
        let (model, encoding) = (model.clone(), encoding.clone());
        Ok(Self { loaded: Loaded { model, encoding, calibration } })
    }

    /// Whether the model was calibrated.
    #[must_use]
    pub fn is_calibrated(&self) -> bool {
        self.loaded.calibration.is_some()
    }

    /// The names of the columns that are predicted.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.loaded.encoding.targets().map(|target| target.name.as_str())
    }

    /// The classes, in the order of their probabilities; none if numbers are predicted.
    #[must_use]
    pub fn classes(&self) -> Option<&[String]> {
        let Target { words, .. } = &self.loaded.encoding.target;
        words.as_deref()
    }

    /// The predictive distributions of the rows of `frame`, calibrated if the model is; and remarks for the user on these rows.
    ///
    /// # Errors
    ///
    /// [`Problem`] in the cases in which `gaussform-bnn predict` ends with an error.
    pub fn predict(&self, frame: &Frame) -> Result<(Prediction, Vec<String>), Problem> {
        let (prediction, notes) = self.predict_plain(frame)?;
        let prediction = match &self.loaded.calibration {
            Some(calibration) => calibration.scaled(&prediction)?,
            None => prediction,
        };
        Ok((prediction, notes))
    }

    /// Of each row and target an interval that holds the truth with at least this probability, if rows are exchangeable with those that
    /// calibrated the model.
    ///
    /// # Errors
    ///
    /// [`Problem`], if the model has no calibration of numbers, or that promises no such probability, or the rows have no prediction.
    pub fn intervals(
        &self,
        frame: &Frame,
        probability: f64,
    ) -> Result<(Intervals, Vec<String>), Problem> {
        let (prediction, notes) = self.predict_plain(frame)?;
        match (&self.loaded.calibration, prediction) {
            (Some(Calibration::Numbers(calibration)), Prediction::Real(p)) => {
                Ok((calibration.intervals(&p, probability).map_err(Failure::from)?, notes))
            }
            _ => {
                let problem = "an interval needs a model of numbers that was calibrated";
                Err(Failure::options(problem, "calibrate it by held-out rows").into())
            }
        }
    }

    /// Of each row the classes of a set that holds the true one with at least this probability, by their numbers in
    /// [`classes`](Self::classes), if rows are exchangeable with those that calibrated the model.
    ///
    /// # Errors
    ///
    /// [`Problem`], if the model has no calibration of classes, or that promises no such probability, or the rows have no prediction.
    pub fn sets(
        &self,
        frame: &Frame,
        probability: f64,
    ) -> Result<(Vec<Vec<usize>>, Vec<String>), Problem> {
        let (prediction, notes) = self.predict_plain(frame)?;
        match (&self.loaded.calibration, prediction) {
            (Some(Calibration::Classes(calibration)), Prediction::Classes(p)) => {
                Ok((calibration.sets(&p, probability).map_err(Failure::from)?, notes))
            }
            _ => {
                let problem = "a set needs a model of classes that was calibrated";
                Err(Failure::options(problem, "calibrate it by held-out rows").into())
            }
        }
    }

    fn predict_plain(&self, frame: &Frame) -> Result<(Prediction, Vec<String>), Failure> {
        let Inputs { mean, variance, notes } = self.loaded.encoding.inputs(&frame.cells)?;
        Ok((self.loaded.predict(&frame.cells, &mean, variance.as_ref())?, notes))
    }

    /// The bytes of the model's file, which the command reads, with further notes.
    ///
    /// # Errors
    ///
    /// [`Problem`], if a tensor cannot be read back.
    pub fn to_bytes(&self, notes: &BTreeMap<String, String>) -> Result<Vec<u8>, Problem> {
        let mut all = notes.clone();
        all.extend(self.loaded.encoding.notes());
        all.extend(self.loaded.calibration.iter().flat_map(Calibration::notes));
        let model = |source| Failure::Model { path: Path::new("the model").to_owned(), source };
        Ok(self.loaded.model.to_bytes(&all).map_err(model)?)
    }

    /// The model in the bytes of a file, which messages call by `name`, and all notes.
    ///
    /// # Errors
    ///
    /// [`Problem`], if the bytes are not those of a model of a table, or `functions` lacks its activation.
    pub fn from_bytes(
        name: &str,
        bytes: &[u8],
        functions: &Functions,
    ) -> Result<(Self, BTreeMap<String, String>), Problem> {
        let path = Path::new(name);
        let model = |source| Failure::Model { path: path.to_owned(), source };
        let (model, notes) = Ensemble::from_bytes(bytes, functions).map_err(model)?;
        let loaded = Loaded::of(path, model, &notes)?;
        Ok((Self { loaded }, notes))
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Frame};

    #[test]
    fn columns_have_the_same_rows() {
        let column = |count| Column::Numbers(vec![1.0; count]);
        let columns = vec![("a".to_owned(), column(2)), ("b".to_owned(), column(3))];
        let problem = Frame::new("X", columns).err().unwrap().to_string();
        assert!(problem.starts_with("X: `b` has 3 rows, and the first column 2"), "{problem}");
    }
}
