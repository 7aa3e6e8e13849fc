//! A function and its formulas as text, for comments of emitted code.

use gaussform_symbolic::{Activation, render};

/// The definition, and with `has_moments` the mean, the second moment and the variance.
pub(crate) fn formulas(activation: &Activation, has_moments: bool) -> String {
    let mut formulas = vec![render::text::definitions(&[("g", &activation.function)])];
    if has_moments {
        let derivations = [activation.moment(1), activation.moment(2), activation.variance()];
        formulas.extend(derivations.iter().flatten().map(render::text::equation));
    }
    formulas.join("\n\n")
}
