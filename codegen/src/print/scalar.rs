//! Branches where a value is one number: one arm is computed.

use super::{Branching, Numbers, Place, Printer};
use crate::ir::{Block, Condition, Var};

/// How such a language writes a branch.
pub(crate) trait Scalar: Branching {
    /// A variable whose value follows.
    fn declare(&self, var: Var, numbers: Numbers, source: &mut Self::Source);

    /// Gives it its value.
    fn assign(&self, var: Var, value: &Self::Text, source: &mut Self::Source);

    /// Begins the first arm of a choice, or the next one after it. Without a place, the arm is for all other places.
    fn choose(&self, next: bool, place: Option<Place>, source: &mut Self::Source);

    /// Begins a choice by where x lies among the knots.
    fn open_by_piece(&self, source: &mut Self::Source);

    /// Begins an arm of that choice by the number of the place. The last arm is for all other places.
    fn open_piece(&self, place: usize, is_last: bool, source: &mut Self::Source);

    /// Ends such an arm.
    fn close_piece(&self, source: &mut Self::Source);

    /// Ends a choice.
    fn close(&self, source: &mut Self::Source);
}

/// A branch, by a choice.
pub(crate) fn branch<L: Scalar>(
    printer: &Printer<'_, L>,
    condition: &Condition,
    arms: &[Block],
    outputs: &[Var],
    source: &mut L::Source,
) {
    let language = printer.language;
    for output in outputs {
        language.declare(*output, printer.numbers, source);
    }
    if *condition == Condition::Place {
        language.open_by_piece(source);
    }
    for (i, arm) in arms.iter().enumerate() {
        let is_last = i + 1 == arms.len();
        match condition {
            Condition::Place => language.open_piece(i, is_last, source),
            Condition::Case(cases) => {
                language.choose(i > 0, (!is_last).then(|| Place::Case(cases[i])), source);
            }
            Condition::Narrow(piece) => {
                language.choose(i > 0, (!is_last).then_some(Place::Narrow(*piece)), source);
            }
        }
        let results = printer.block(arm, source);
        for (output, result) in outputs.iter().zip(&results) {
            language.assign(*output, result, source);
        }
        if *condition == Condition::Place {
            language.close_piece(source);
        }
    }
    language.close(source);
}
