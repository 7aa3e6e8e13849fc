//! Moments that have no kernel: of any order, raw and central, from their exact formulas.

use gaussform_report::evaluate::{Exact, Unsettled};
use gaussform_symbolic::Activation;

use crate::number::Number;
use crate::parameters::{self, Given};
use crate::report::{Complaint, Failure};

/// The orders of the moments that are wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Orders<'a> {
    pub(crate) raw: &'a [u32],
    pub(crate) central: &'a [u32],
}

impl Orders<'_> {
    /// The names of the moments in the output.
    pub(crate) fn names(self) -> impl Iterator<Item = String> {
        let raw = self.raw.iter().map(|n| format!("moment{n}"));
        raw.chain(self.central.iter().map(|n| format!("central{n}")))
    }

    pub(crate) fn check(self) -> Result<(), Failure> {
        for (option, orders) in [("--moment", self.raw), ("--central", self.central)] {
            if let Some(twice) = (1..orders.len()).find(|i| orders[..*i].contains(&orders[*i])) {
                let message = format!("`{option} {}` is given twice", orders[twice]);
                return Err(Complaint::new(message, "give it once").into());
            }
        }
        Ok(())
    }

    /// The moments of an activation with these values of its parameters; none if none are wanted.
    pub(crate) fn of(
        self,
        activation: &Activation,
        given: &[Given<'_>],
    ) -> Result<Option<Higher>, Failure> {
        if self.raw.is_empty() && self.central.is_empty() {
            return Ok(None);
        }
        let values = parameters::exactly(activation, given);
        let g = if values.is_empty() { activation } else { &activation.with_values(&values)? };
        let raw = self.raw.iter().map(|n| g.moment(*n));
        let all = raw.chain(self.central.iter().map(|n| g.central(*n)));
        let derivations = all.collect::<Result<Vec<_>, _>>()?;
        let exact = Exact::new(&derivations);
        exact
            .map(|exact| Some(Higher(exact)))
            .ok_or_else(|| Failure::bug("a parameter has no value"))
    }
}

/// Derived moments of an activation without parameters.
pub(crate) struct Higher(Exact);

impl Higher {
    /// Refuses a point at which they cannot be had.
    pub(crate) fn check<T: Number>(&self, gamma: T, xi2: T) -> Result<(), Complaint> {
        self.0.check(gamma.to_f64(), xi2.to_f64()).map_err(complaint)
    }

    /// The moments, rounded to the precision.
    pub(crate) fn values<T: Number>(&self, gamma: T, xi2: T) -> Result<Vec<T>, Complaint> {
        let values = self.0.values(gamma.to_f64(), xi2.to_f64()).map_err(complaint)?;
        Ok(values.into_iter().map(T::from_f64).collect())
    }
}

fn complaint(error: Unsettled) -> Complaint {
    Complaint::new(
        error.to_string(),
        "take γ, ξ² and knots of more similar sizes, or a lower moment",
    )
}
