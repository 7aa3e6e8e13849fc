//! `gaussform list`: the activations that are known by name.

use gaussform_symbolic::render::folded;

use super::overview;
use crate::args::{Form, List};
use crate::library::{self, Entry};
use crate::report::{Document, Failure, Outcome};
use crate::style::{self, Style};
use crate::{knots, output, parameters};

/// The columns of a list that goes to no terminal.
const WIDTH: usize = 100;

pub(crate) fn run(args: &List) -> Result<Outcome, Failure> {
    if args.format == Form::Markdown {
        output::deliver(&overview::markdown()?, None)?;
        return Ok(Outcome::Done);
    }
    let document = library::document();
    let width = style::columns(None, false).unwrap_or(WIDTH);
    let style = Style::stdout();
    let entries = library::entries(&document)?;
    let text: String = entries.iter().map(|entry| block(entry, &document, width, style)).collect();
    output::deliver(&text, None)?;
    Ok(Outcome::Done)
}

/// The declaration, and below it the knots and where it comes from.
fn block(entry: &Entry, document: &Document, width: usize, style: Style) -> String {
    let name = &entry.activation.name;
    let declared = parameters::declared(&entry.activation);
    let separator = if declared.is_empty() { "" } else { "; " };
    let definition = entry.definition(document);
    let declaration = folded(&format!("{name}(x{separator}{declared}) = {definition}"), width);
    let heading = declaration.replacen(name.as_str(), &style.heading(name), 1);
    let knots = match knots::written(&entry.activation.function).as_slice() {
        [] => "no knots".to_owned(),
        [one] => format!("knot {one}"),
        several => format!("knots {}", several.join(", ")),
    };
    let about = words(&format!("{knots}. {}", entry.summary()), width);
    format!("{heading}\n{about}\n")
}

/// Words in lines of at most `width` columns, indented by four.
fn words(text: &str, width: usize) -> String {
    // Three blanks, since each word brings one with it.
    let mut lines = vec!["   ".to_owned()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("one at the least");
        if last.chars().count() + 1 + word.chars().count() > width && !last.trim().is_empty() {
            lines.push(format!("    {word}"));
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines.join("\n")
}
