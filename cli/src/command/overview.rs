//! The library as tables in Markdown: what each activation is, how smooth, and what its code costs.

use std::fmt::Write;

use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::{Kernel, Operations};
use gaussform_generated::FAMILIES;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Knot, Piecewise};

use crate::library::{self, Entry};
use crate::report::{Document, Failure};
use crate::{knots, parameters};

const HEAD: &str = "\
# The library of activations

Made by `gaussform list --format markdown`; not to be edited.

For u ~ N(γ, ξ²) the type of each activation (`hard_swish` is `HardSwish` in
`gaussform::activations`) has the mean, the second moment and the variance of g(u) with all of their
derivatives, in `f32` and `f64`. Its documentation has the formulas, which
`gaussform inspect NAME` derives.

*Knots* are where the polynomial changes. *Smooth* is how often g can be differentiated there: C⁰ is
continuous. *Lines* is the length of the generated code, *operations* what the moments and their
derivatives in γ and ξ² take in `f64`: + − ×, then ÷, then exponentials; what
pieces narrower than ξ take instead is listed in the documentation of each type. *By the piece* are sums over the
pieces, whose time grows as the number of knots.
";

const COLUMNS: [&str; 9] = [
    "name",
    "definition",
    "parameters",
    "knots",
    "degree",
    "smooth",
    "lines",
    "operations",
    "source",
];

/// The tables, one for each feature.
pub(super) fn markdown() -> Result<String, Failure> {
    let mut text = HEAD.to_owned();
    for (feature, declarations) in FAMILIES {
        let document = Document::new("the library", declarations);
        let entries = library::entries(&document)?;
        text.push_str(&match feature {
            "" => "\n## Always there\n\n".to_owned(),
            feature => format!("\n## With the feature `{feature}`\n\n"),
        });
        let _ = writeln!(text, "| {} |", COLUMNS.join(" | "));
        let _ = writeln!(text, "|{}", " --- |".repeat(COLUMNS.len()));
        for entry in &entries {
            let _ = writeln!(text, "| {} |", row(entry, &document)?.join(" | "));
        }
    }
    Ok(text)
}

fn row(entry: &Entry, document: &Document) -> Result<[String; 9], Failure> {
    let Entry { activation, .. } = entry;
    let kernel = Kernel::new(activation)?;
    let code = rust::text(&kernel, &Options::default());
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//")).count();
    let operations = kernel.gradient_cost().map(|cost| {
        let Operations { arithmetic, division, exp, .. } = cost.wide;
        format!("{arithmetic}, {division}, {exp}")
    });
    Ok([
        code_span(&activation.name),
        code_span(&entry.definition(document)),
        code_span(&parameters::declared(activation)),
        knots::written(&activation.function).join(", "),
        activation.function.degree().to_string(),
        smoothness(&activation.function).to_owned(),
        lines.to_string(),
        operations.unwrap_or_else(|| "by the piece".to_owned()),
        entry.summary(),
    ])
}

/// Text as code in a cell, where a bar would end the cell.
fn code_span(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) }
}

/// How many derivatives are continuous at every knot.
fn smoothness(function: &Piecewise) -> &'static str {
    let sides = function.knots().iter().zip(function.pieces().windows(2));
    let agreeing = sides.map(|(knot, sides): (&Knot, _)| {
        let jump = &sides[1] - &sides[0];
        let taylor = jump.taylor(&Symbol::Variable, &knot.polynomial());
        taylor.iter().take_while(|coefficient| coefficient.is_zero()).count()
    });
    match agreeing.min() {
        None => "everywhere",
        Some(0) => "jumps",
        Some(1) => "C⁰",
        Some(2) => "C¹",
        Some(3) => "C²",
        Some(_) => "C³ or more",
    }
}
