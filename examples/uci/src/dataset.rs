//! A regression data set in the layout of the public UCI benchmark.
//!
//! A folder holds `data.txt` (a row to a line, numbers separated by white space, no header),
//! `index_features.txt` and `index_target.txt` (column numbers from 0), and, where the splits
//! are given, `n_splits.txt` with `index_train_K.txt` and `index_test_K.txt` (row numbers from
//! 0) for K = 0, 1, ….

use std::path::Path;

use crate::split::Split;
use crate::text::{DataError, Text};
use gaussform_bnn::Matrix;

/// Inputs, target and splits.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The inputs, a row for each example, in the units of the file.
    pub x: Matrix,
    /// The target of each row, in the units of the file.
    pub y: Vec<f64>,
    /// The splits that came with the data, if any did.
    pub splits: Option<Vec<Split>>,
}

impl Dataset {
    /// Reads the data set in the folder `dir`.
    ///
    /// # Errors
    ///
    /// [`DataError`] with file and line, if a file is missing or does not hold what it should.
    pub fn load(dir: &Path) -> Result<Self, DataError> {
        let (columns, rows) = table(dir)?;

        let hint = "it lists the columns that are inputs, one number on a line";
        let text = Text::read(&dir.join("index_features.txt"), hint)?;
        let features = text.indices(columns, "column")?;

        let hint = "it holds the number of the target's column";
        let text = Text::read(&dir.join("index_target.txt"), hint)?;
        let target = match text.indices(columns, "column")?.as_slice() {
            &[target] => target,
            several => {
                let problem = format!("lists {} columns", several.len());
                return Err(text.file_error(problem, "there must be just one target"));
            }
        };
        if features.contains(&target) {
            let problem = format!("column {target} is also listed in index_features.txt");
            return Err(text.file_error(problem, "the target cannot be an input"));
        }

        let mut x = Vec::with_capacity(rows.len() * features.len());
        for row in &rows {
            x.extend(features.iter().map(|&i| row[i]));
        }
        let y: Vec<f64> = rows.iter().map(|row| row[target]).collect();
        let x = Matrix::new(features.len(), x)
            .map_err(|e| text.file_error(e.to_string(), "check index_features.txt"))?;
        let splits = Split::load(dir, y.len())?;
        Ok(Self { x, y, splits })
    }

    /// The splits that came with the data, or `count` drawn by `seed`.
    #[must_use]
    pub fn splits_or_draw(&self, count: usize, seed: u64) -> Vec<Split> {
        match &self.splits {
            Some(splits) => splits.clone(),
            None => (0..count).map(|k| Split::draw(self.y.len(), seed, k as u64)).collect(),
        }
    }
}

/// The number of columns and the rows of `data.txt`.
fn table(dir: &Path) -> Result<(usize, Vec<Vec<f64>>), DataError> {
    let hint = "a data set is a folder with data.txt, index_features.txt and index_target.txt";
    let text = Text::read(&dir.join("data.txt"), hint)?;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (line, content) in text.lines() {
        let row = text.numbers(line, content)?;
        if let Some(first) = rows.first()
            && first.len() != row.len()
        {
            let problem = format!("{} numbers, but the first row has {}", row.len(), first.len());
            return Err(text.line_error(line, problem, "every row needs the same columns"));
        }
        rows.push(row);
    }
    // Fewer rows cannot be split into a training set with a spread and a test set.
    if rows.len() < 10 {
        let problem = format!("holds {} rows", rows.len());
        return Err(text.file_error(problem, "at least 10 are needed"));
    }
    Ok((rows.first().map_or(0, Vec::len), rows))
}
