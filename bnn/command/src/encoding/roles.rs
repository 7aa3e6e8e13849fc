//! Columns that are no inputs: the targets, the weights and the censoring of rows.

use gaussform_bnn::Censoring;
use serde::{Deserialize, Serialize};

use crate::args::{TargetOptions, Train};
use crate::failure::Failure;
use crate::table::{Cell, Cells, Missing, Wishes};

/// Columns by their role in training.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Roles {
    /// The names of the columns that are predicted, at least one.
    pub(crate) targets: Vec<String>,
    /// The column of weights: how often each row counts.
    pub(crate) weight: Option<String>,
    pub(crate) censoring: Option<CensoringColumn>,
}

/// The column that says of each row whether its target is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CensoringColumn {
    pub(crate) name: String,
    /// Whether *yes* means that the target is known.
    pub(crate) says_known: bool,
}

impl Roles {
    /// The columns that the options name, all of which are there.
    pub(crate) fn of(options: &Train, cells: &Cells) -> Result<Self, Failure> {
        // A name may have a comma.
        let targets: Vec<String> = match cells.column(&options.target) {
            Ok(_) => vec![options.target.clone()],
            Err(_) => options.target.split(',').map(|name| name.trim().to_owned()).collect(),
        };
        Self::with_targets(targets, &options.targets, cells)
    }

    /// These targets, and what the options name besides.
    pub(crate) fn with_targets(
        targets: Vec<String>,
        given: &TargetOptions,
        cells: &Cells,
    ) -> Result<Self, Failure> {
        let censoring = [(&given.censored, false), (&given.event, true)].into_iter();
        let mut censoring = censoring.filter_map(|(name, says_known)| {
            name.clone().map(|name| CensoringColumn { name, says_known })
        });
        let roles =
            Self { targets, weight: given.weight.clone(), censoring: censoring.next_back() };
        let mut seen: Vec<&str> = Vec::new();
        for name in roles.names() {
            cells.column(name)?;
            if seen.contains(&name) {
                let problem = format!("`{name}` has two roles");
                return Err(Failure::options(
                    problem,
                    "a column is a target, a weight or says what is censored",
                ));
            }
            seen.push(name);
        }
        Ok(roles)
    }

    /// The names of the columns that have a role.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let targets = self.targets.iter().map(String::as_str);
        targets
            .chain(self.weight.as_deref())
            .chain(self.censoring.as_ref().map(|c| c.name.as_str()))
    }

    /// The role and the reason by which a column is no input, unless it is a target or has no role.
    pub(crate) fn why_no_input(&self, name: &str) -> Option<(&'static str, &'static str)> {
        if self.weight.as_deref() == Some(name) {
            return Some(("weight", "how often each row counts"));
        }
        let censoring = self.censoring.as_ref().is_some_and(|c| c.name == name);
        censoring.then_some(("censoring", "whether the target is known"))
    }

    /// How often each row counts, if a column says so.
    pub(crate) fn weights(
        &self,
        cells: &Cells,
        missing: &Missing,
        wishes: &Wishes,
    ) -> Result<Option<Vec<f64>>, Failure> {
        let Some(name) = &self.weight else { return Ok(None) };
        let j = cells.readable(name)?;
        let format = wishes.format_of(cells, j, missing);
        let weight = |(row, cell): (usize, Cell<'_>)| {
            let value = format.read(cell).ok().filter(|_| !missing.is(cell));
            value.filter(|w| *w >= 0.0 && w.is_finite()).ok_or_else(|| {
                let problem = format!("`{}` is no weight", cell.text());
                cells.at(row, j, problem, "a weight is a number that is not negative")
            })
        };
        let weights = cells.each(j).enumerate().map(weight).collect::<Result<Vec<f64>, _>>()?;
        if weights.iter().all(|w| *w == 0.0) {
            return Err(cells.at_header(j, "every row has a weight of 0", "some row must count"));
        }
        Ok(Some(weights))
    }
}

impl CensoringColumn {
    /// How much each row knows of its target: the number, or a bound of it.
    pub(crate) fn read(&self, cells: &Cells, missing: &Missing) -> Result<Vec<Censoring>, Failure> {
        let j = cells.readable(&self.name)?;
        let format = Wishes::default().format_of(cells, j, missing);
        let read = |(row, cell): (usize, Cell<'_>)| {
            let text = cell.text();
            let yes = match (text.to_lowercase().as_str(), format.read(cell)) {
                ("left" | "<" | "<=", _) => return Ok(Censoring::AtMost),
                ("right" | ">" | ">=", _) => return Ok(Censoring::AtLeast),
                ("known", _) => return Ok(Censoring::Known),
                ("yes" | "y" | "true" | "t", _) | (_, Ok(1.0)) => true,
                ("no" | "n" | "false" | "f", _) | (_, Ok(0.0)) => false,
                _ if missing.is(cell) => false,
                _ => {
                    let problem = format!("`{text}` does not say whether the target is known");
                    let help = "write yes or no, 1 or 0, or `left` or `right` for a target that is at most or at least what is written";
                    return Err(cells.at(row, j, problem, help));
                }
            };
            Ok(if yes == self.says_known { Censoring::Known } else { Censoring::AtLeast })
        };
        cells.each(j).enumerate().map(read).collect()
    }
}
