//! The summary of how a table was read: as a table for people, and as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::column::{Column, LeftOut};
use super::{Encoding, Target};
use crate::table::{Cell, Cells, IDENTIFIER, Missing, Reading, Wishes};

/// The largest number of words that are named, and the longest text.
const NAMED: usize = 6;
const LENGTH: usize = 44;

/// A table as it was read in training.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    /// Rows of the file.
    pub(crate) rows: usize,
    /// Rows that training uses.
    pub(crate) used: usize,
    /// The reasons why rows are left out, with the number of rows for each.
    pub(crate) left_out: Vec<(String, usize)>,
    /// Number of inputs of the network.
    pub(crate) inputs: usize,
    pub(crate) columns: Vec<ColumnSummary>,
}

/// A column as it was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ColumnSummary {
    pub(crate) column: String,
    pub(crate) read_as: String,
    /// Number of missing cells.
    pub(crate) missing: usize,
    /// The least and the largest value, or the words with how many rows have each.
    pub(crate) values: String,
    /// Number of inputs of the column.
    pub(crate) inputs: usize,
    pub(crate) done: String,
    /// A remark on cells that are no numbers or dates as the others are, which `done` has too.
    #[serde(skip)]
    pub(crate) unparsable: Option<String>,
}

impl Summary {
    /// The table for people.
    pub(crate) fn text(&self) -> String {
        let header = ["column", "read as", "missing", "range or levels", "done"].map(str::to_owned);
        let row = |c: &ColumnSummary| {
            let values = shortened(&c.values, LENGTH);
            let missing = if c.missing == 0 { "-".to_owned() } else { c.missing.to_string() };
            [shortened(&c.column, LENGTH), c.read_as.clone(), missing, values, c.done.clone()]
        };
        let rows: Vec<[String; 5]> =
            std::iter::once(header).chain(self.columns.iter().map(row)).collect();
        let mut widths = [0; 5];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut out = String::new();
        for row in rows {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
            let line = cells.collect::<Vec<_>>().join("  ");
            let _ = writeln!(out, "{}", line.trim_end());
        }
        let inputs = super::counted(self.inputs, "input", "inputs");
        let _ = writeln!(out, "{} rows, {inputs}", self.used);
        for (why, count) in &self.left_out {
            let _ = writeln!(out, "{count} of {} rows left out: {why}", self.rows);
        }
        out
    }

    /// A remark on each column with cells that count as missing since they cannot be read.
    pub(crate) fn unparsable(&self) -> impl Iterator<Item = String> {
        self.columns.iter().filter_map(|ColumnSummary { column, unparsable, .. }| {
            Some(format!("column `{column}`: {}", unparsable.as_ref()?))
        })
    }

    /// A remark on each column that is left out since it names its rows.
    pub(crate) fn identifiers(&self) -> impl Iterator<Item = String> {
        let identifiers = self.columns.iter().filter(|column| column.read_as == IDENTIFIER);
        identifiers.map(|column| {
            format!("column `{}` is {}; drop it, or group its words", column.column, column.done)
        })
    }

    /// The summary as JSON.
    pub(crate) fn json(&self) -> String {
        // A structure of texts and numbers has no reason to fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl ColumnSummary {
    /// The summary of an input, with the texts that are missing in it and a remark on those which cannot be read.
    pub(super) fn of_input(
        column: &Column,
        cells: &Cells,
        j: usize,
        missing: &Missing,
        unparsable: Option<String>,
        wishes: &Wishes,
    ) -> Self {
        let said = unparsable.as_ref().map(|remark| format!("; {remark}")).unwrap_or_default();
        let flag = if column.flag { ", and whether it is missing" } else { "" };
        let noise = match &column.noise {
            Some(sd) => format!(", with the noise of `{sd}`"),
            None => String::new(),
        };
        Self {
            column: column.name.clone(),
            read_as: read_as(&column.reading),
            missing: count(cells, j, missing),
            values: values(&column.reading, cells, j, missing),
            inputs: column.values.width() + usize::from(column.flag),
            done: format!(
                "{}{noise}{flag}{said}{}{}{}",
                column.values.words(),
                sign(&column.reading, cells, j, missing, wishes),
                minus(missing),
                codes(cells, j, missing, wishes),
            ),
            unparsable,
        }
    }

    pub(super) fn of_left_out(left: &LeftOut, cells: &Cells, j: usize, missing: &Missing) -> Self {
        let missing = &missing.of_column(cells, j);
        Self {
            column: cells.header[j].clone(),
            read_as: left.kind.to_owned(),
            missing: count(cells, j, missing),
            values: if left.kind == "constant" { String::new() } else { words(cells, j, missing) },
            inputs: 0,
            done: format!("left out: {}", left.why),
            unparsable: None,
        }
    }

    pub(super) fn of_target(
        target: &Target,
        cells: &Cells,
        j: usize,
        missing: &Missing,
        wishes: &Wishes,
    ) -> Self {
        let missing = &missing.with_minus(target.minus);
        let (read_as, values, done) = match &target.words {
            None => {
                let reading = Reading::Number(target.format.clone());
                let values = values(&reading, cells, j, missing);
                let whole = target.few_whole_numbers(cells, j, missing);
                let hint = if whole { "; --words makes classes of it" } else { "" };
                let sign = sign(&reading, cells, j, missing, wishes);
                (read_as(&reading), values, format!("target, a number{hint}{sign}"))
            }
            Some(classes) => {
                let hint = if target.classes_are_numbers() {
                    "; --numbers makes a number of it"
                } else {
                    ""
                };
                let (minus, codes) = (minus(missing), codes(cells, j, missing, wishes));
                let done = format!("target, one of {} classes{hint}{minus}{codes}", classes.len());
                ("classes".to_owned(), words(cells, j, missing), done)
            }
        };
        let (column, missing) = (target.name.clone(), count(cells, j, missing));
        Self { column, read_as, missing, values, inputs: 0, done, unparsable: None }
    }
}

fn read_as(reading: &Reading) -> String {
    match reading {
        Reading::Number(format) => format!("number{}", format.words()),
        Reading::Date(format) => format.words().to_owned(),
        Reading::Boolean(_) => "yes or no".to_owned(),
        Reading::Words => "words".to_owned(),
    }
}

/// The decimal sign of a column of numbers of which none shows it, by an example; nothing if the user has named it.
fn sign(reading: &Reading, cells: &Cells, j: usize, missing: &Missing, wishes: &Wishes) -> String {
    let Reading::Number(format) = reading else { return String::new() };
    let texts = cells.each(j).filter(|cell| !missing.is(*cell)).filter_map(Cell::written);
    match format.open(texts).filter(|_| wishes.decimal.is_none()) {
        Some((text, [this, other])) => {
            let sign = format.decimal.other().name();
            format!("; `{text}` is {this}, and {other} by --decimal {sign}")
        }
        None => String::new(),
    }
}

/// The remark that minus signs alone are words, where they are.
fn minus(missing: &Missing) -> &'static str {
    if missing.minus() {
        "; `-` is a word beside `+`, and --missing - makes it missing"
    } else {
        ""
    }
}

/// The remark that numbers are words, where a word among them makes them codes.
fn codes(cells: &Cells, j: usize, missing: &Missing, wishes: &Wishes) -> String {
    let remark = |word| format!("; numbers are words beside `{word}`");
    wishes.word_among_codes(cells, j, missing).map(remark).unwrap_or_default()
}

/// The cells of column `j` that have a value.
fn present<'a>(cells: &'a Cells, j: usize, missing: &'a Missing) -> impl Iterator<Item = Cell<'a>> {
    cells.each(j).filter(|cell| !missing.is(*cell))
}

fn count(cells: &Cells, j: usize, missing: &Missing) -> usize {
    cells.rows() - present(cells, j, missing).count()
}

fn values(reading: &Reading, cells: &Cells, j: usize, missing: &Missing) -> String {
    // The texts of the first cell with the least value and of the last with the largest.
    let ends = |value: &dyn Fn(Cell<'_>) -> Option<f64>| {
        let mut known = present(cells, j, missing).filter_map(|cell| Some((value(cell)?, cell)));
        let Some(first) = known.next() else { return String::new() };
        let [(_, least), (_, most)] = known.fold([first; 2], |[least, most], found| {
            let below = found.0.total_cmp(&least.0).is_lt();
            let above = found.0.total_cmp(&most.0).is_ge();
            [if below { found } else { least }, if above { found } else { most }]
        });
        format!("{} to {}", least.text(), most.text())
    };
    match reading {
        Reading::Number(format) => ends(&|cell| format.read(cell).ok()),
        Reading::Date(format) => ends(&|cell| format.read(cell).map(|stamp| stamp.days())),
        Reading::Boolean(_) | Reading::Words => words(cells, j, missing),
    }
}

/// The most frequent words with how many rows have each.
fn words(cells: &Cells, j: usize, missing: &Missing) -> String {
    let mut counts = BTreeMap::<Cow<'_, str>, usize>::new();
    present(cells, j, missing).for_each(|cell| *counts.entry(cell.text()).or_default() += 1);
    let mut counts: Vec<(Cow<'_, str>, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let named = counts.iter().take(NAMED);
    let mut out: Vec<String> =
        named.map(|(word, count)| format!("{} ({count})", shortened(word, LENGTH))).collect();
    if counts.len() > NAMED {
        out.push(format!("{} more", counts.len() - NAMED));
    }
    out.join(", ")
}

/// A text of at most so many signs, without line breaks.
fn shortened(text: &str, length: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().count() <= length {
        return text;
    }
    text.chars().take(length - 1).chain(['…']).collect()
}

impl Encoding {
    /// Number of inputs of the network.
    pub(crate) fn width(&self) -> usize {
        self.columns.iter().map(|c| c.values.width() + usize::from(c.flag)).sum()
    }
}
