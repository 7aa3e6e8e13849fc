//! The values of an activation's parameters for the rows of a table: from options, or from columns of
//! their names.

use gaussform_symbolic::Activation;

use super::PointRows;
use crate::parameters::{self, Given};
use crate::report::{Blamed as _, Complaint, Document, Failure};

/// Where the value of each parameter comes from.
pub(crate) struct Assignment<'a> {
    activation: &'a Activation,
    /// The source of each parameter, in the order of the parameters.
    sources: Vec<Source<'a>>,
}

enum Source<'a> {
    Option(Given<'a>),
    Column(usize),
}

impl<'a> Assignment<'a> {
    /// The values from options `name=value`, and for other parameters from the columns of `rows` that are not `taken` and
    /// have neither γ nor the variance.
    pub(crate) fn new(
        activation: &'a Activation,
        options: &'a [String],
        rows: &PointRows<'_>,
        taken: &[usize],
    ) -> Result<Self, Failure> {
        let known = parameters::known(activation, options)?;
        let source = |(parameter, given): (&gaussform_symbolic::Parameter, Option<Given<'a>>)| {
            let name = &*parameter.name;
            let is_taken = |column: usize| rows.is_of_law(column) || taken.contains(&column);
            match (given, rows.position_of(name)?) {
                (None, Some(column)) if is_taken(column) => Err(rows.taken(name, column)),
                (Some(given), Some(column)) if is_taken(column) => Ok(Source::Option(given)),
                (Some(given), None) => Ok(Source::Option(given)),
                (None, Some(column)) => Ok(Source::Column(column)),
                (Some(given), Some(_)) => {
                    let message = format!("`{name}` is given twice: here, and by a column");
                    let help = "leave this option out, or rename the column";
                    let place = 0..given.text.find('=').unwrap_or(given.text.len());
                    Err(Document::new("--param", given.text)
                        .at(place, Complaint::new(message, help)))
                }
                (None, None) => Err(parameters::missing(activation, parameter)
                    .with_further_help(&format!("or a column `{name}` to the table"))),
            }
        };
        let sources = activation.parameters.iter().zip(known).map(source);
        Ok(Self { activation, sources: sources.collect::<Result<_, Failure>>()? })
    }

    /// Whether the values may differ from row to row.
    pub(crate) fn varies(&self) -> bool {
        self.sources.iter().any(|source| matches!(source, Source::Column(_)))
    }

    /// The values for the row that was read last.
    pub(crate) fn values<'r>(&'r self, rows: &'r PointRows<'_>) -> Result<Vec<Given<'r>>, Failure> {
        let value =
            |(parameter, source): (&gaussform_symbolic::Parameter, &Source<'r>)| match source {
                Source::Option(given) => Ok(given.clone()),
                Source::Column(column) => {
                    rows.field(*column, &parameter.name, |text| parameters::within(parameter, text))
                }
            };
        let pairs = self.activation.parameters.iter().zip(&self.sources);
        let values: Vec<Given<'_>> = pairs.map(value).collect::<Result<_, Failure>>()?;
        match parameters::broken(self.activation, &values) {
            None => Ok(values),
            Some(relation) => Err(rows.refusal(parameters::complaint(relation))),
        }
    }
}
