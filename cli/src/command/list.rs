//! `gaussform list`: the activations that are known by name.

use super::overview;
use crate::args::{Form, List};
use crate::library::{self, Entry};
use crate::report::{Document, Failure};
use crate::style::Style;
use crate::{Outcome, knots, output, parameters};

const TITLES: [&str; 5] = ["name", "parameters", "definition", "knots", "source"];

pub(crate) fn run(args: &List) -> Result<Outcome, Failure> {
    if args.format == Form::Markdown {
        output::deliver(&overview::markdown()?, None)?;
        return Ok(Outcome::Done);
    }
    let document = library::document();
    let entries = library::entries(&document)?;
    let rows: Vec<[String; 5]> = entries.iter().map(|entry| row(entry, &document)).collect();
    output::deliver(&table(&rows, Style::stdout()), None)?;
    Ok(Outcome::Done)
}

fn row(entry: &Entry, document: &Document) -> [String; 5] {
    [
        entry.activation.name.clone(),
        parameters::declared(&entry.activation),
        entry.definition(document),
        knots::written(&entry.activation.function).join(", "),
        entry.summary(),
    ]
}

/// Columns as wide as their widest cell, without blanks at the end of a line.
fn table(rows: &[[String; 5]], style: Style) -> String {
    let widths: [usize; 5] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([TITLES[column].len()]).max().unwrap_or(0)
    });
    let line = |cells: [&str; 5]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut text = style.heading(&line(TITLES)) + "\n";
    for row in rows {
        text.push_str(&line(std::array::from_fn(|column| row[column].as_str())));
        text.push('\n');
    }
    text
}
