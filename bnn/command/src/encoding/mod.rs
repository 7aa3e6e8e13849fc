//! The encoding of a table's columns as numbers. It is kept with the model, so that any table with the same columns
//! can be predicted.
//!
//! In training, [`Encoding::train`] decides once: rows whose target is missing are left out, each column is read
//! ([`column`]), missing inputs get their moments from the other columns ([`fill`]), and flags are added where missing cells
//! say something of the target ([`flags`]). [`Encoding::inputs`] does the same with the rows of any table.

mod column;
mod fill;
mod flags;
mod levels;
mod roles;
mod rows;
mod summary;
mod tail;
mod target;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use gaussform_bnn::{DataError, Matrix, Table, Targets};
use serde::{Deserialize, Serialize};

use column::{Column, LeftOut};
use fill::Fill;
use flags::{Known, informs};
pub(crate) use roles::{CensoringColumn, Roles};
use rows::{Encoded, Rows};
use summary::ColumnSummary;
pub(crate) use summary::Summary;
pub(crate) use target::Target;

use crate::args::{Columns, DecimalSign, FillBy, Flags, UnknownWords};
use crate::failure::Failure;
use crate::table::{Cells, Decimal, IDENTIFIER, Missing, Reading, Unread, Wishes};

/// The key of the encoding in a model's notes.
const KEY: &str = "table";
/// The version of the encoding's notes. A reader refuses notes of another version.
const VERSION: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Encoding {
    version: u32,
    missing: Missing,
    columns: Vec<Column>,
    fill: Fill,
    unknown: UnknownWords,
    pub(crate) target: Target,
    /// Further targets, all of which are numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    more_targets: Vec<Target>,
    /// The column that says for which rows the target is censored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) censoring: Option<CensoringColumn>,
}

/// Result of reading a table for training: how its columns are read, the rows as numbers, and a summary for the user.
pub(crate) struct Trained<'a> {
    pub(crate) encoding: Encoding,
    pub(crate) table: Table,
    /// The cells of the rows.
    pub(crate) cells: Cow<'a, Cells>,
    pub(crate) summary: Summary,
}

/// The inputs of some rows, with means where they were missing.
pub(crate) struct Inputs {
    /// The means, of shape \[rows, inputs\].
    pub(crate) mean: Matrix,
    /// The variances of that shape; none if all are 0.
    pub(crate) variance: Option<Matrix>,
    /// Remarks for the user on these rows, a line for each column.
    pub(crate) notes: Vec<String>,
}

impl Encoding {
    /// How the columns of `cells` are read, and what they hold.
    pub(crate) fn train<'a>(
        cells: &'a Cells,
        roles: &Roles,
        options: &Columns,
    ) -> Result<Trained<'a>, Failure> {
        check(cells, roles, options)?;
        let (missing, wishes) = (Missing::new(&options.missing), Wishes::from(options));
        let rows = cells.rows();
        let each = |j: usize| (j, missing.of_column(cells, j));
        let targets: Result<Vec<_>, _> =
            roles.targets.iter().map(|t| cells.readable(t).map(each)).collect();
        let (mut used, unlabelled) = with_values(cells, &targets?)?;
        let mut left_out = Vec::new();
        if unlabelled > 0 {
            let names = roles.targets.join("`, `");
            left_out.push((format!("the target, `{names}`, is missing"), unlabelled));
        }
        // Scales and the readings of columns are those of all rows, whatever their weights: one of 0 must not be among them.
        if let Some(weights) = roles.weights(&used, &missing, &wishes)? {
            let none = weights.iter().filter(|weight| **weight == 0.0).count();
            if none > 0 {
                left_out.push(("the weight is 0".to_owned(), none));
                used = Cow::Owned(used.filtered(|row| weights[row] > 0.0));
            }
        }
        let mut read = Read::of(&used, roles, &missing, &wishes, options)?;
        if options.fill == FillBy::Drop {
            let unknown = options.unknown_words;
            let texts =
                |(j, column): (usize, &Column)| (j, column.missing(&used, j, &missing, unknown).0);
            let inputs: Vec<_> = read.inputs().map(texts).collect();
            let (complete, incomplete) = with_values(&used, &inputs)?;
            if incomplete > 0 {
                left_out.push(("an input is missing".to_owned(), incomplete));
                let complete = complete.into_owned();
                // Read anew: what a column is depends on the rows that are left.
                read = Read::of(&complete, roles, &missing, &wishes, options)?;
                used = Cow::Owned(complete);
            }
        }
        let (encoding, table) = read.encoding(&used, missing, options, roles.censoring.clone())?;
        let table = match roles.weights(&used, &encoding.missing, &wishes)? {
            Some(weights) => table.with_weights(weights)?,
            None => table,
        };
        let columns = read.summary(&used, &encoding, &wishes);
        let summary =
            Summary { rows, used: used.rows(), left_out, inputs: encoding.width(), columns };
        Ok(Trained { encoding, table, cells: used, summary })
    }

    /// The rows of `cells` with a target, and how many have none.
    pub(crate) fn with_target<'a>(
        &self,
        cells: &'a Cells,
    ) -> Result<(Cow<'a, Cells>, usize), Failure> {
        let each = |target: &Target| -> Result<_, Failure> {
            Ok((cells.readable(&target.name)?, self.missing.with_minus(target.minus)))
        };
        with_values(cells, &self.targets().map(each).collect::<Result<Vec<_>, _>>()?)
    }

    /// The columns that are predicted, at least one.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(&self.target).chain(&self.more_targets)
    }

    /// Remarks on the inputs of the network that are not the numbers of their columns, a line for each.
    pub(crate) fn transformed(&self) -> impl Iterator<Item = String> {
        self.columns.iter().filter_map(|Column { name, values, .. }| {
            let formula = values.formula()?;
            Some(format!("`{name}` enters the graph as {formula}, x the number in the table"))
        })
    }

    /// A failure of training on the rows of `cells`, at the cell of the target that it is about if there is one.
    pub(crate) fn located(&self, failure: Failure, cells: &Cells) -> Failure {
        let Some(error) = failure.of_data() else { return failure };
        let (row, target, problem, help) = match *error {
            DataError::NotPositive { row, column, value } => {
                let help =
                    "choose --target-transform asinh, quantile or none, or leave the row out";
                (row, column, format!("{value} has no logarithm"), help)
            }
            DataError::Count { row, value } => {
                let help =
                    "a count is 0, 1, 2, …; leave --likelihood poisson out, or leave the row out";
                (row, 0, format!("{value} is no count"), help)
            }
            _ => return failure,
        };
        let column = self.targets().nth(target).and_then(|t| cells.column(&t.name).ok());
        column.map_or(failure, |column| cells.at(row, column, problem, help))
    }

    /// The inputs of the rows of `cells`, with columns found by their names.
    pub(crate) fn inputs(&self, cells: &Cells) -> Result<Inputs, Failure> {
        let encoded = self
            .columns
            .iter()
            .map(|column| column.encode(cells, &self.missing, self.unknown))
            .collect::<Result<Vec<_>, _>>()?;
        self.inputs_of(cells, &encoded)
    }

    /// The inputs of rows whose columns are encoded.
    fn inputs_of(&self, cells: &Cells, encoded: &[Encoded]) -> Result<Inputs, Failure> {
        let notes = self.columns.iter().zip(encoded).flat_map(|(column, e)| e.notes(&column.name));
        let notes = notes.collect();
        let mut mean = Rows::means(encoded, cells.rows());
        let mut variance = Rows::variances(encoded, cells.rows());
        self.fill.fill(&mut mean, &mut variance);
        let flagged = self.columns.iter().zip(encoded).filter(|(column, _)| column.flag);
        let flags: Vec<&[bool]> = flagged.map(|(_, encoded)| &encoded.missing[..]).collect();
        let matrix = |rows: Rows| {
            Matrix::new(self.width(), rows.values)
                .map_err(|e| Failure::file(cells.path(), e.to_string(), "check its columns"))
        };
        let noisy = variance.values.iter().any(|v| *v > 0.0);
        // Flags are known, so that their variances are 0.
        let certain = vec![&[][..]; flags.len()];
        let variance = if noisy { Some(matrix(variance.with(&certain))?) } else { None };
        Ok(Inputs { mean: matrix(mean.with(&flags))?, variance, notes })
    }

    /// Inputs and targets of rows that have a target.
    pub(crate) fn table(&self, cells: &Cells) -> Result<(Table, Vec<String>), Failure> {
        let inputs = self.inputs(cells)?;
        self.table_of(cells, inputs)
    }

    /// Rows that have a target, with their inputs.
    fn table_of(&self, cells: &Cells, inputs: Inputs) -> Result<(Table, Vec<String>), Failure> {
        let Inputs { mean, variance, notes } = inputs;
        let table = match &self.target.words {
            None => {
                let targets = self.targets().map(|t| t.numbers(cells, &self.missing));
                let targets = targets.collect::<Result<Vec<_>, _>>()?;
                let table = Table::regression(mean, &targets[0])?;
                let rows = (0..cells.rows()).flat_map(|i| targets.iter().map(move |t| t[i]));
                let y = Matrix::new(targets.len(), rows.collect())
                    .map_err(|e| Failure::file(cells.path(), e.to_string(), "check its columns"))?;
                Table { y: Targets::Real(y), ..table }
            }
            Some(words) => Table::classes(mean, self.target.labels(cells)?, words.clone())?,
        };
        let table = Table { x_variance: variance, ..table };
        let table = match &self.censoring {
            Some(column) => table.with_censored(column.read(cells, &self.missing)?)?,
            None => table,
        };
        Ok((table, notes))
    }

    pub(crate) fn notes(&self) -> BTreeMap<String, String> {
        // A structure of texts and finite numbers has no reason to fail.
        let json = serde_json::to_string(self).unwrap_or_default();
        BTreeMap::from([(KEY.to_owned(), json)])
    }

    /// How a model reads tables; the problem with what it says of them, if there is one.
    pub(crate) fn from_notes(notes: &BTreeMap<String, String>) -> Result<Self, String> {
        let Some(note) = notes.get(KEY) else {
            return Err("it says nothing of the columns of a table".to_owned());
        };
        // Notes of version 1 had no number.
        let value: serde_json::Value = serde_json::from_str(note).map_err(|e| e.to_string())?;
        let version = value.get("version").and_then(serde_json::Value::as_u64).unwrap_or(1);
        if version != u64::from(VERSION) {
            return Err(format!(
                "what it says of the columns of a table is of version {version}, but this program reads {VERSION}"
            ));
        }
        serde_json::from_value(value).map_err(|e| e.to_string())
    }
}

impl Encoded {
    fn notes(&self, name: &str) -> impl Iterator<Item = String> {
        let far = (self.far > 0).then(|| {
            format!(
                "`{name}`: {} so far outside those of training that {} moved nearer, to within their range and its width on either side",
                counted(self.far, "number lies", "numbers lie"),
                if self.far == 1 { "it was" } else { "they were" },
            )
        });
        let new = (self.new > 0).then(|| {
            let words = counted(self.new, "word is new and was", "words are new and were");
            format!("`{name}`: {words} taken as missing")
        });
        let unparsable = self.unparsable.as_ref().map(|remark| format!("`{name}`: {remark}"));
        far.into_iter().chain(new).chain(unparsable)
    }
}

fn counted(count: usize, one: &str, more: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {more}") }
}

/// Whether what the options name is there, and may be named.
fn check(cells: &Cells, roles: &Roles, options: &Columns) -> Result<(), Failure> {
    let noise = options.noise_of.iter().flat_map(|(column, sd)| [column, sd]);
    for name in options.words.iter().chain(&options.numbers).chain(&options.ignore).chain(noise) {
        cells.column(name)?;
    }
    if let Some(target) = roles.targets.iter().find(|target| options.ignore.contains(target)) {
        let problem = format!("--ignore names the target, `{target}`");
        return Err(Failure::options(problem, "it is not an input anyway"));
    }
    for (i, (column, sd)) in options.noise_of.iter().enumerate() {
        let has_role =
            |name: &&String| roles.targets.contains(name) || roles.why_no_input(name).is_some();
        let problem = if let Some(name) = [column, sd].into_iter().find(has_role) {
            format!("--noise-of names `{name}`, which is no input")
        } else if column == sd {
            format!("--noise-of names `{column}` as its own standard deviation")
        } else if options.noise_of[..i].iter().any(|(other, _)| other == column) {
            format!("--noise-of names `{column}` twice")
        } else {
            continue;
        };
        let help = "write --noise-of COLUMN=SD: an input of numbers, and the column of its standard deviations";
        return Err(Failure::options(problem, help));
    }
    if let Some(name) = options.words.iter().find(|name| options.numbers.contains(name)) {
        let problem = format!("--words and --numbers both name `{name}`");
        return Err(Failure::options(problem, "a column is read in one way"));
    }
    Ok(())
}

impl From<&Columns> for Wishes {
    fn from(options: &Columns) -> Self {
        let decimal = options.decimal.map(|sign| match sign {
            DecimalSign::Point => Decimal::Point,
            DecimalSign::Comma => Decimal::Comma,
        });
        Self { words: options.words.clone(), numbers: options.numbers.clone(), decimal }
    }
}

/// The rows that have a value in each of these columns, given with the texts that are none, and how many rows have not; at least
/// one has.
fn with_values<'a>(
    cells: &'a Cells,
    columns: &[(usize, Missing)],
) -> Result<(Cow<'a, Cells>, usize), Failure> {
    let mut there = vec![true; cells.rows()];
    for (j, missing) in columns {
        for (there, cell) in there.iter_mut().zip(cells.each(*j)) {
            *there &= !missing.is(cell);
        }
    }
    let count = there.iter().filter(|there| !**there).count();
    if count == 0 {
        return Ok((Cow::Borrowed(cells), count));
    }
    if count < cells.rows() {
        return Ok((Cow::Owned(cells.filtered(|row| there[row])), count));
    }
    let (problem, help) = match columns {
        [(j, _)] => {
            (format!("no row has a value in `{}`", cells.header[*j]), "choose another target")
        }
        _ => {
            let names: Vec<&str> = columns.iter().map(|(j, _)| cells.header[*j].as_str()).collect();
            let problem = format!("no row has a value in each of `{}`", names.join("`, `"));
            (problem, "leave out the columns that are mostly empty")
        }
    };
    Err(Failure::file(cells.path(), problem, help))
}

/// Columns as they were read, before rows are encoded.
struct Read {
    target: Target,
    more_targets: Vec<Target>,
    /// Each column but the target, with its number; or why it is no input.
    columns: Vec<(usize, Result<Column, LeftOut>)>,
}

impl Read {
    fn of(
        cells: &Cells,
        roles: &Roles,
        missing: &Missing,
        wishes: &Wishes,
        options: &Columns,
    ) -> Result<Self, Failure> {
        let mut targets = Vec::new();
        for name in &roles.targets {
            let target = Target::of(cells, name, missing, wishes)?;
            if roles.targets.len() > 1 && target.words.is_some() {
                let problem = format!("`{name}` has classes, and several targets are numbers");
                let help = "predict it by itself, or name it by --numbers";
                return Err(Failure::options(problem, help));
            }
            targets.push(target);
        }
        let more_targets = targets.split_off(1);
        let Some(target) = targets.pop() else {
            return Err(Failure::options("there is no target", "name it by --target"));
        };
        let mut columns = Vec::new();
        for (j, name) in
            cells.header.iter().enumerate().filter(|(_, name)| !roles.targets.contains(name))
        {
            let why = |kind: &'static str, why: &str| Err(LeftOut { kind, why: why.to_owned() });
            let noise = options.noise_of.iter().find(|(column, _)| column == name);
            let column = if let Some((kind, reason)) = roles.why_no_input(name) {
                why(kind, reason)
            } else if options.ignore.contains(name) {
                why("ignored", "by --ignore")
            } else if let Some((of, _)) = options.noise_of.iter().find(|(_, sd)| sd == name) {
                why("noise", &format!("the standard deviation of `{of}`"))
            } else {
                Column::of(cells, j, missing, wishes, options)?
            };
            let column = match (column, noise) {
                (Ok(column), Some((_, sd))) => {
                    if !matches!(column.values, column::ColumnEncoding::Number { .. }) {
                        let problem = format!("--noise-of names `{name}`, which has no numbers");
                        return Err(Failure::options(problem, "noise is that of numbers"));
                    }
                    let format = wishes.format_of(cells, cells.column(sd)?, missing);
                    Ok(Column { noise: Some(sd.clone()), noise_format: Some(format), ..column })
                }
                (column, _) => column,
            };
            columns.push((j, column));
        }
        if columns.iter().all(|(_, column)| column.is_err()) {
            // Where nothing else says anything of the target, its rows may be in the order of time.
            for (j, column) in &mut columns {
                let name = &cells.header[*j];
                let is_identifier = column.as_ref().is_err_and(|left| left.kind == IDENTIFIER);
                let read = || Reading::of(cells, *j, &missing.of_column(cells, *j), wishes);
                if is_identifier && read() == Err(Unread::RowNumbers) {
                    let numbers = vec![name.clone()];
                    let wishes = Wishes { numbers, ..wishes.clone() };
                    *column = Column::of(cells, *j, missing, &wishes, options)?;
                }
            }
        }
        Ok(Self { target, more_targets, columns })
    }

    /// The columns that are inputs, with their numbers.
    fn inputs(&self) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().filter_map(|(j, column)| Some((*j, column.as_ref().ok()?)))
    }

    fn encoding(
        &self,
        cells: &Cells,
        missing: Missing,
        options: &Columns,
        censoring: Option<CensoringColumn>,
    ) -> Result<(Encoding, Table), Failure> {
        let mut columns: Vec<Column> = self.inputs().map(|(_, column)| column.clone()).collect();
        if columns.is_empty() {
            let names: Vec<String> = self
                .columns
                .iter()
                .map(|(j, column)| {
                    let why = column.as_ref().err().map(|left| left.why.as_str());
                    format!("`{}` is left out: {}", cells.header[*j], why.unwrap_or_default())
                })
                .collect();
            let (problem, help) = match names.len() {
                0 => ("has no column but the target".to_owned(), "add a column to predict from"),
                _ => (
                    format!("has no column to predict from; {}", names.join("; ")),
                    "add a column of numbers, or of words that several rows share",
                ),
            };
            return Err(Failure::file(cells.path(), problem, help));
        }
        let unknown = options.unknown_words;
        let encoded = columns
            .iter()
            .map(|column| column.encode(cells, &missing, unknown))
            .collect::<Result<Vec<_>, _>>()?;
        let labels = match &self.target.words {
            Some(_) => self.target.labels(cells)?,
            None => Vec::new(),
        };
        let numbers = match &self.target.words {
            Some(_) => Vec::new(),
            None => self.target.numbers(cells, &missing)?,
        };
        let known = match &self.target.words {
            Some(words) => Known::Classes(&labels, words.len()),
            None => Known::Numbers(&numbers),
        };
        for (column, encoded) in columns.iter_mut().zip(&encoded) {
            column.flag = match options.missing_flags {
                Flags::Auto => informs(&encoded.missing, &known),
                Flags::Always => encoded.missing.contains(&true),
                Flags::Never => false,
            };
        }
        let rows = Rows::means(&encoded, cells.rows());
        let groups = columns.iter().flat_map(Column::groups).collect();
        let fill = Fill::of(&rows, groups, options.fill == FillBy::Others);
        let (target, more_targets) = (self.target.clone(), self.more_targets.clone());
        let encoding = Encoding {
            version: VERSION,
            missing,
            columns,
            fill,
            unknown,
            target,
            more_targets,
            censoring,
        };
        // A large table is held in as few copies as can be.
        drop(rows);
        let inputs = encoding.inputs_of(cells, &encoded)?;
        drop(encoded);
        let (table, _) = encoding.table_of(cells, inputs)?;
        Ok((encoding, table))
    }

    fn summary(&self, cells: &Cells, encoding: &Encoding, wishes: &Wishes) -> Vec<ColumnSummary> {
        let missing = &encoding.missing;
        let mut inputs = encoding.columns.iter();
        let mut columns: Vec<ColumnSummary> = self
            .columns
            .iter()
            .filter_map(|(j, column)| match column {
                // Those of the encoding know their flags.
                Ok(_) => {
                    let column = inputs.next()?;
                    let (missing, remark) = column.missing(cells, *j, missing, encoding.unknown);
                    Some(ColumnSummary::of_input(column, cells, *j, &missing, remark, wishes))
                }
                Err(left) => Some(ColumnSummary::of_left_out(left, cells, *j, missing)),
            })
            .collect();
        for target in encoding.targets() {
            if let Ok(j) = cells.column(&target.name) {
                columns.push(ColumnSummary::of_target(target, cells, j, missing, wishes));
            }
        }
        columns
    }
}
