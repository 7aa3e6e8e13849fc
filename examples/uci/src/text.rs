//! Numbers out of text files, with the place of every mistake.

use std::fs;
use std::path::{Path, PathBuf};

/// The fault of a file of data, and its place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}; {hint}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
        /// The use of the file and the place where it can be had.
        hint: &'static str,
    },
    /// A line does not hold what it should.
    #[error("{}:{line}: {problem}; {hint}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault of the line.
        problem: String,
        /// Advice on how to mend the file.
        hint: &'static str,
    },
    /// A file as a whole does not hold what it should.
    #[error("{}: {problem}; {hint}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        problem: String,
        /// Advice on how to mend the file.
        hint: &'static str,
    },
}

/// A text file in memory, which knows its name for the sake of errors.
pub(crate) struct Text {
    path: PathBuf,
    content: String,
}

impl Text {
    pub(crate) fn read(path: &Path, hint: &'static str) -> Result<Self, DataError> {
        match fs::read_to_string(path) {
            Ok(content) => Ok(Self { path: path.to_owned(), content }),
            Err(source) => Err(DataError::Read { path: path.to_owned(), source, hint }),
        }
    }

    /// The lines that are not blank, with their numbers from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.content.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        numbered.filter(|(_, line)| !line.is_empty())
    }

    pub(crate) fn line_error(
        &self,
        line: usize,
        problem: impl Into<String>,
        hint: &'static str,
    ) -> DataError {
        DataError::Line { path: self.path.clone(), line, problem: problem.into(), hint }
    }

    pub(crate) fn file_error(&self, problem: impl Into<String>, hint: &'static str) -> DataError {
        DataError::File { path: self.path.clone(), problem: problem.into(), hint }
    }

    /// The numbers on a line, separated by any white space, all of them finite.
    pub(crate) fn numbers(&self, line: usize, content: &str) -> Result<Vec<f64>, DataError> {
        let number = |(i, word): (usize, &str)| {
            let place = format!("column {i} holds `{word}`");
            match word.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                Ok(_) => Err(self.line_error(
                    line,
                    format!("{place}, which is not finite"),
                    "remove the row or fill in the missing value",
                )),
                Err(_) => Err(self.line_error(
                    line,
                    format!("{place}, which is not a number"),
                    "rows are decimal numbers separated by blanks or tabs, without a header",
                )),
            }
        };
        content.split_whitespace().enumerate().map(number).collect()
    }

    /// The indices in the file, one to a line, each below `limit` and none twice.
    pub(crate) fn indices(&self, limit: usize, what: &str) -> Result<Vec<usize>, DataError> {
        let mut seen = vec![false; limit];
        let mut indices = Vec::new();
        for (line, content) in self.lines() {
            let index: usize = content.parse().map_err(|_| {
                let problem = format!("`{content}` is not a {what} number");
                self.line_error(line, problem, "write one whole number from 0 on each line")
            })?;
            match seen.get_mut(index) {
                None => {
                    let problem = format!("{what} {index} does not exist: there are {limit}");
                    let hint = "numbers count from 0, and must fit data.txt";
                    return Err(self.line_error(line, problem, hint));
                }
                Some(true) => {
                    let problem = format!("{what} {index} is listed twice");
                    return Err(self.line_error(line, problem, "list each number once"));
                }
                Some(new) => *new = true,
            }
            indices.push(index);
        }
        if indices.is_empty() {
            return Err(self.file_error(format!("lists no {what}"), "list at least one"));
        }
        Ok(indices)
    }
}
