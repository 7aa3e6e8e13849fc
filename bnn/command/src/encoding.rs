//! How the columns of a table become numbers: kept with the model, so that any table with the same
//! columns can be asked.

use std::collections::{BTreeMap, BTreeSet};

use gaussform_bnn::{Matrix, Scale, Table};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::table::{Cells, LARGEST};

/// The key of a model's notes.
const KEY: &str = "table";
/// A column with more words than this is taken for one of names.
const WORDS: usize = 200;
/// What to do about an input that cannot be used, and about a target.
const NO_INPUT: &str = "leave it out by --ignore";
const NO_TARGET: &str = "choose another target";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Encoding {
    pub(crate) inputs: Vec<Column>,
    pub(crate) target: Column,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The words of a column of words, in alphabetical order; none for numbers.
    pub(crate) words: Option<Vec<String>>,
}

impl Encoding {
    /// How the columns of `cells` are read.
    pub(crate) fn of(
        cells: &Cells,
        target: &str,
        words: &[String],
        ignore: &[String],
    ) -> Result<Self, Failure> {
        for name in words.iter().chain(ignore) {
            cells.column(name)?;
        }
        let target = Column::of(cells, cells.column(target)?, words, NO_TARGET)?;
        if ignore.contains(&target.name) {
            let problem = format!("--ignore names the target, `{}`", target.name);
            return Err(Failure::options(problem, "it is not an input anyway"));
        }
        let inputs = (0..cells.header.len())
            .filter(|j| cells.header[*j] != target.name && !ignore.contains(&cells.header[*j]))
            .map(|j| Column::of(cells, j, words, NO_INPUT))
            .collect::<Result<Vec<_>, _>>()?;
        if inputs.is_empty() {
            let problem = "has no column but the target";
            return Err(Failure::file(cells.path(), problem, "add a column to predict from"));
        }
        Ok(Self { inputs, target })
    }

    /// The inputs of the rows of `cells`, with columns found by their names.
    pub(crate) fn inputs(&self, cells: &Cells) -> Result<Matrix, Failure> {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for column in &self.inputs {
            let j = cells.column(&column.name)?;
            match &column.words {
                None => columns.push(known_numbers(cells, j)?),
                Some(words) => {
                    let labels = column.labels(cells, j)?;
                    columns.extend((0..words.len()).map(|word| {
                        labels.iter().map(|label| f64::from(u8::from(*label == word))).collect()
                    }));
                }
            }
        }
        let values = (0..cells.rows()).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
        Matrix::new(columns.len(), values)
            .map_err(|e| Failure::file(cells.path(), e.to_string(), "check its columns"))
    }

    /// Inputs and targets.
    pub(crate) fn table(&self, cells: &Cells) -> Result<Table, Failure> {
        let x = self.inputs(cells)?;
        let j = cells.column(&self.target.name)?;
        Ok(match &self.target.words {
            None => Table::regression(x, &known_numbers(cells, j)?)?,
            Some(words) => Table::classes(x, self.target.labels(cells, j)?, words.clone())?,
        })
    }

    pub(crate) fn notes(&self) -> BTreeMap<String, String> {
        // A structure of texts has no reason to fail.
        let json = serde_json::to_string(self).unwrap_or_default();
        BTreeMap::from([(KEY.to_owned(), json)])
    }

    pub(crate) fn from_notes(notes: &BTreeMap<String, String>) -> Option<Self> {
        serde_json::from_str(notes.get(KEY)?).ok()
    }
}

/// The cells of a column that the model has numbers for.
fn known_numbers(cells: &Cells, j: usize) -> Result<Vec<f64>, Failure> {
    cells.numbers(j, "the model was trained on numbers here", "correct it or leave the row out")
}

impl Column {
    /// `instead` is what to do if the column cannot be used.
    fn of(cells: &Cells, j: usize, words: &[String], instead: &str) -> Result<Self, Failure> {
        let name = cells.header[j].clone();
        let first = cells.texts(j).next().unwrap_or_default();
        let constant = || {
            let problem = format!("every row has the same value, {first}");
            cells.at_header(j, problem, format!("it says nothing; {instead}"))
        };
        let are_numbers = cells.texts(j).filter(|text| text.parse::<f64>().is_ok()).count();
        if !words.contains(&name) && 2 * are_numbers > cells.rows() {
            let help = "correct it or leave the row out; `train --words COLUMN` makes words of all its cells";
            let numbers = cells.numbers(j, "most cells of the column are", help)?;
            if numbers.iter().all(|v| *v == numbers[0]) {
                return Err(constant());
            }
            let sd = Scale::fit(numbers.iter().copied()).sd;
            if sd < 1.0 / LARGEST {
                let problem =
                    format!("its standard deviation is {sd:e}, below {:e}", 1.0 / LARGEST);
                return Err(cells.at_header(j, problem, "choose another unit"));
            }
            return Ok(Self { name, words: None });
        }
        let found: BTreeSet<&str> = cells.texts(j).collect();
        if found.len() < 2 {
            return Err(constant());
        }
        if found.len() == cells.rows() {
            let problem = format!("no two rows have the same word, such as `{first}`");
            let help = format!(
                "words that are all different are taken for names, and numbers are written as -1234.5; {instead}"
            );
            return Err(cells.at_header(j, problem, help));
        }
        if found.len() > WORDS {
            let problem = format!("it has {} different words, such as `{first}`", found.len());
            let help = format!("more than {WORDS} are taken for names; {instead}");
            return Err(cells.at_header(j, problem, help));
        }
        let words = found.into_iter().map(str::to_owned).collect();
        Ok(Self { name, words: Some(words) })
    }

    /// The number of each cell's word.
    fn labels(&self, cells: &Cells, j: usize) -> Result<Vec<usize>, Failure> {
        let words = self.words.as_deref().unwrap_or_default();
        let label = |(row, text): (usize, &str)| {
            words.iter().position(|word| word == text).ok_or_else(|| {
                let problem = format!("`{text}` is a word that the model has not seen");
                cells.at(row, j, problem, format!("it knows {}", words.join(", ")))
            })
        };
        cells.texts(j).enumerate().map(label).collect()
    }
}
