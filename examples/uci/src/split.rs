//! Which rows train and which test.

use std::path::Path;

use crate::text::{DataError, Text};
use gaussform_bnn::Random;

/// A partition of the rows, by number from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The rows to train on.
    pub train: Vec<usize>,
    /// The rows to test on.
    pub test: Vec<usize>,
}

impl Split {
    /// The `index`-th random split of `rows` rows for this seed: 90 % to train on, 10 % to test
    /// on, as the benchmark has it.
    ///
    /// The split partitions all rows. Rows that test in a split of another seed, or in one that came with the data, train
    /// or test in it too. Settings chosen by such splits have seen the targets of those rows.
    #[must_use]
    pub fn draw(rows: usize, seed: u64, index: u64) -> Self {
        let mut train = Random::stream(seed, index).permutation(rows);
        let test = train.split_off((rows as f64 * 0.9).round() as usize);
        Self { train, test }
    }

    /// The splits listed in `dir` for a data set of `rows` rows; none, if it lists none.
    pub(crate) fn load(dir: &Path, rows: usize) -> Result<Option<Vec<Self>>, DataError> {
        let path = dir.join("n_splits.txt");
        if !path.exists() && !dir.join("index_train_0.txt").exists() {
            return Ok(None);
        }
        let text =
            Text::read(&path, "it holds the number of splits; without any, remove them all")?;
        let hint = "it must hold the number of splits alone, at least 1";
        let mut lines = text.lines();
        let count = match (lines.next(), lines.next()) {
            (Some((line, content)), None) => match content.parse::<usize>() {
                Ok(count) if count > 0 => count,
                _ => return Err(text.line_error(line, format!("`{content}`"), hint)),
            },
            (None, _) => return Err(text.file_error("is empty", hint)),
            (_, Some((line, _))) => return Err(text.line_error(line, "a second entry", hint)),
        };
        (0..count).map(|k| Self::read(dir, k, rows)).collect::<Result<_, _>>().map(Some)
    }

    fn read(dir: &Path, k: usize, rows: usize) -> Result<Self, DataError> {
        let hint = "n_splits.txt says that there is such a split";
        let train = Text::read(&dir.join(format!("index_train_{k}.txt")), hint)?;
        let train = train.indices(rows, "row")?;
        let text = Text::read(&dir.join(format!("index_test_{k}.txt")), hint)?;
        let test = text.indices(rows, "row")?;
        let mut trains = vec![false; rows];
        for &row in &train {
            trains[row] = true;
        }
        for ((line, _), &row) in text.lines().zip(&test) {
            if trains[row] {
                let problem = format!("row {row} is also in index_train_{k}.txt");
                return Err(text.line_error(line, problem, "test on rows that do not train"));
            }
        }
        Ok(Self { train, test })
    }
}
