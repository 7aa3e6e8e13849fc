//! The published figures that stand beside ours.

use crate::args::Method;

/// Mean test log likelihood and its standard error, by set and method: `published.csv`, whose head names
/// the papers.
const FIGURES: &str = include_str!("../published.csv");

/// The published figure of a method on a set as the paper prints it, if there is one.
pub(crate) fn figure(set: &str, method: Method) -> Option<String> {
    let name = format!("{method:?}").to_lowercase();
    let rows = FIGURES.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(',').collect::<Vec<_>>()).find_map(|cells| match cells[..] {
        [of, by, mean, error] if of == set && by == name => Some(format!("{mean} ± {error}")),
        _ => None,
    })
}
