//! The largest errors as a Markdown table.

use gaussform_accuracy::error::{Precision, QUANTITIES};
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::registry::{self, Entry};
use gaussform_accuracy::sweep::{by_quantity, count, sweep};

/// Points for each activation and precision.
const POINTS: usize = 2000;

/// The largest errors of one activation in one precision, by quantity.
pub(crate) struct Largest {
    /// Where all results are far from the ends of the range.
    pub(crate) ordinary: [f64; QUANTITIES.len()],
    /// Elsewhere.
    pub(crate) extreme: [f64; QUANTITIES.len()],
}

/// Of the sweep that the table is made from.
pub(crate) fn largest<T: Precision>(oracle: &Oracle, entry: &Entry) -> Largest {
    let errors = sweep::<T>(oracle, entry, count(POINTS), &|_| f64::INFINITY);
    Largest { ordinary: by_quantity(&errors, false), extreme: by_quantity(&errors, true) }
}

/// Hands over the rows of the table, one by one.
pub(crate) fn rows(mut out: impl FnMut(String)) {
    out(format!("| activation | | {} |", QUANTITIES.join(" | ")));
    out(format!("| --- | --- |{}", " ---: |".repeat(QUANTITIES.len())));
    let oracle = Oracle::default();
    for entry in registry::all() {
        out(row::<f64>(&oracle, &entry));
        out(row::<f32>(&oracle, &entry));
    }
}

fn row<T: Precision>(oracle: &Oracle, entry: &Entry) -> String {
    let Largest { ordinary, extreme } = largest::<T>(oracle, entry);
    let cells: Vec<String> = ordinary
        .into_iter()
        .zip(extreme)
        .map(|(a, b)| if b > a { format!("{} ({})", text(a), text(b)) } else { text(a) })
        .collect();
    format!("| {} | {} | {} |", entry.function.name, T::NAME, cells.join(" | "))
}

/// Hands over the places of errors above a bound far from the ends of the range, one by one, for the
/// activations whose names begin so.
pub(crate) fn places(bound: f64, name: &str, mut out: impl FnMut(&str)) {
    let oracle = Oracle::default();
    for entry in registry::all().iter().filter(|entry| entry.function.name.starts_with(name)) {
        exceeding::<f64>(&oracle, entry, bound, &mut out);
        exceeding::<f32>(&oracle, entry, bound, &mut out);
    }
}

fn exceeding<T: Precision>(oracle: &Oracle, entry: &Entry, bound: f64, out: &mut impl FnMut(&str)) {
    let errors = sweep::<T>(oracle, entry, count(POINTS), &|_| bound);
    for ((quantity, method, extreme), worst) in errors {
        if worst.exceeding > 0 && !extreme {
            out(&format!("{} {}", T::NAME, worst.describe(&entry.function.name, quantity, method)));
        }
    }
}

/// An error in a few characters.
pub(crate) fn text(error: f64) -> String {
    if error >= 1e4 { format!("{error:.0e}") } else { format!("{error:.1}") }
}
