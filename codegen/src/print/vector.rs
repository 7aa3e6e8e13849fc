//! Branches where a value holds many elements: every arm that some element needs is computed, and selected.

use super::{Branching, Numbers, Place, Printer};
use crate::ir::{Block, Condition, Var};

/// How such a language writes a branch.
pub(crate) trait Vector: Branching {
    /// Variables that are 0 until they are overwritten.
    fn zeros(&self, outputs: &[Var], numbers: Numbers, source: &mut Self::Source);

    /// Variables with values that may be overwritten.
    fn start(&self, outputs: &[Var], values: &[Self::Text], source: &mut Self::Source);

    /// Begins the statements for elements at such a place, which run if there is any.
    fn open(&self, place: Place, source: &mut Self::Source);

    /// Overwrites a variable in the elements at such a place.
    fn overwrite(
        &self,
        place: Place,
        var: Var,
        value: &Self::Text,
        numbers: Numbers,
        source: &mut Self::Source,
    );

    /// Ends what was begun.
    fn close(&self, source: &mut Self::Source);

    /// The results of one of the arms, by where x lies among the knots.
    fn by_piece(
        printer: &Printer<'_, Self>,
        arms: &[Block],
        output: Var,
        source: &mut Self::Source,
    );
}

/// A branch, by selection.
pub(crate) fn branch<L: Vector>(
    printer: &Printer<'_, L>,
    condition: &Condition,
    arms: &[Block],
    outputs: &[Var],
    source: &mut L::Source,
) {
    let (language, numbers) = (printer.language, printer.numbers);
    let select = |place: Place, arm: &Block, source: &mut L::Source| {
        language.open(place, source);
        let results = printer.block(arm, source);
        for (var, result) in outputs.iter().zip(&results) {
            language.overwrite(place, *var, result, numbers, source);
        }
        language.close(source);
    };
    match condition {
        Condition::Case(cases) => {
            language.zeros(outputs, numbers, source);
            for (case, arm) in cases.iter().zip(arms) {
                select(Place::Case(*case), arm, source);
            }
        }
        Condition::Narrow(piece) => {
            let results = printer.block(&arms[1], source);
            language.start(outputs, &results, source);
            select(Place::Narrow(*piece), &arms[0], source);
        }
        Condition::Place => {
            let [output] = outputs else { unreachable!("g has one value") };
            L::by_piece(printer, arms, *output, source);
        }
    }
}
