//! The body of a function, in which words have names and formulas are printed as they were recorded.
//!
//! One text serves both precisions where their records are the same but for constants, which then have names.

use std::collections::BTreeMap;

use gaussform_runtime::Float;
use gaussform_symbolic::exact::Rational;

use super::Target;
use super::language::{Callees, Lines, TUPLE};
use super::number::{float, words};
use super::text::Text;
use crate::ir::{Computed, Word};
use crate::kernel::{Kernel, Routine};
use crate::rounding::Length;
use crate::script::expression::Expression;
use crate::script::formulas::{Formulas, Manner};
use crate::script::graph::Style;
use crate::script::print::print;

/// Primitives are called, and all sums are numbers.
const MANNER: Manner = Manner { style: Style::Free, has_calls: true };

/// A result that formulas compute.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// g itself.
    Value,
    /// A routine with its results for ξ² = 0 on knots.
    Routine(&'a Routine),
    /// The results for ξ² = 0 on knots, in place of as many of `results`.
    Limits(&'a Routine, usize),
}

impl Content<'_> {
    fn record<T: Float>(self, kernel: &Kernel) -> Formulas {
        match self {
            Self::Value => Formulas::value::<T>(kernel, MANNER),
            Self::Routine(routine) => Formulas::whole::<T>(kernel, routine, MANNER),
            Self::Limits(routine, count) => Formulas::limits::<T>(kernel, routine, count, MANNER),
        }
    }

    /// The inputs before the words.
    fn inputs(self, argument: &str) -> Vec<Expression> {
        let mut inputs = vec![argument.to_owned(), "xi2".to_owned()];
        if let Self::Limits(_, count) = self {
            inputs.extend((0..count).map(|at| format!("results[{at}]")));
        }
        inputs.into_iter().map(Expression::atom).collect()
    }
}

/// Writes one function.
pub(super) struct Body<'a> {
    kernel: &'a Kernel,
    target: Target,
    /// The name of the input γ.
    argument: &'a str,
    text: Text,
    /// The names of words.
    words: BTreeMap<(Length, Word), String>,
}

impl<'a> Body<'a> {
    /// A body with the head of its function, and with the name of the input γ.
    pub(super) fn new(kernel: &'a Kernel, target: Target, argument: &'a str, head: &str) -> Self {
        let mut text = Text::default();
        text.open(head);
        text.line(&format!("zero = xp.zeros_like({argument})"));
        Self { kernel, target, argument, text, words: BTreeMap::new() }
    }

    /// Writes a statement.
    pub(super) fn line(&mut self, text: &str) {
        self.text.line(text);
    }

    /// The text that was written, without an array of zeros that nothing reads.
    pub(super) fn finish(self) -> String {
        let start = format!("    zero = xp.zeros_like({})\n", self.argument);
        let text = self.text.finish();
        // The name stands in `zeros_like` too, and once in its own line.
        let reads = text.matches("zero").count() - text.matches("zeros_like").count();
        let is_idle = reads == 1;
        if is_idle { text.replace(&start, "") } else { text }
    }

    /// The knots in a list.
    pub(super) fn places(&mut self) {
        let knots = self.kernel.knots();
        let knots: Vec<String> = knots.iter().map(|knot| self.word(Length::Triple, knot)).collect();
        self.line(&format!("knots = [{}]", knots.join(", ")));
    }

    /// A word as an expression that gives its parts. What moves gets a name.
    pub(super) fn word(&mut self, length: Length, word: &Word) -> String {
        let (kind, target) = (length.name(), self.target);
        let (operation, operands) = match word.computed() {
            Computed::Constant(value) => return words(target, length, value),
            Computed::Parameter(index) => {
                let zeros = format!(", xp.zeros_like(theta{index})").repeat(length.zeros().len());
                return format!("(theta{index}{zeros})");
            }
            Computed::Call(operation, operands) => (operation, operands),
        };
        if let Some(name) = self.words.get(&(length, word.clone())) {
            return name.clone();
        }
        let operand = |operand: &Word| match operand {
            Word::Constant(value) => self.lifted(length, value),
            operand => self.word(length, operand),
        };
        let operands: Vec<String> = operands.iter().map(operand).collect();
        let name = format!("w{}", self.words.len());
        self.line(&format!("{name} = p.{kind}_{operation}({})", operands.join(", ")));
        self.words.insert((length, word.clone()), name.clone());
        name
    }

    /// A constant where arithmetic of words is done: an array where numbers of Python would not be
    /// rounded to the precision.
    fn lifted(&self, length: Length, value: &Rational) -> String {
        let words = words(self.target, length, value);
        if self.target.has_single() { format!("_lift(theta0, {words})") } else { words }
    }

    /// Binds results to the values of formulas.
    pub(super) fn results(&mut self, content: Content<'_>) {
        let double = content.record::<f64>(self.kernel);
        let mut inputs = self.inputs(content, &double);
        if !self.target.has_single() {
            return self.print(&double, &inputs, false, BTreeMap::new());
        }
        let single = content.record::<f32>(self.kernel);
        let constants = double.graph.constants_beside(&single.graph);
        if let Some(constants) = constants.filter(|_| double.words == single.words) {
            let mut names = BTreeMap::new();
            for [double, single] in constants {
                // A constant that is merely rounded is right in both precisions as it is written.
                if f64::from(double as f32) != single {
                    let name = format!("c{}", names.len());
                    let [wide, narrow] = [float(double), float(single as f32)];
                    self.line(&format!("{name} = _pick(p, {wide}, {narrow})"));
                    names.insert(double.to_bits(), name);
                }
            }
            return self.print(&double, &inputs, false, names);
        }
        // Words get their names before the choice, so that both sides have them.
        let single_inputs = self.inputs(content, &single);
        self.text.open("if p is _F64:");
        self.print(&double, &inputs, false, BTreeMap::new());
        self.text.close();
        inputs = single_inputs;
        self.text.open("else:");
        self.print(&single, &inputs, true, BTreeMap::new());
        self.text.close();
    }

    /// The inputs of formulas, of which the words get names.
    fn inputs(&mut self, content: Content<'_>, formulas: &Formulas) -> Vec<Expression> {
        let mut inputs = content.inputs(self.argument);
        for read in &formulas.words {
            let name = match &read.word {
                Word::Parameter(index) => format!("theta{index}"),
                word if read.is_read => self.word(read.length, word),
                _ => String::new(),
            };
            inputs.extend((0..read.length.count()).map(|at| match read.word {
                Word::Parameter(_) => Expression::atom(&name),
                _ => Expression::field(format!("{name}[{at}]"), &name, TUPLE, at),
            }));
        }
        inputs
    }

    fn print(
        &mut self,
        formulas: &Formulas,
        inputs: &[Expression],
        is_single: bool,
        names: BTreeMap<u64, String>,
    ) {
        let callees = Callees { name: &|name| format!("p.{name}"), is_primitive: false };
        let mut lines = Lines {
            callees: Some(callees),
            names,
            ..Lines::new(self.target, is_single, &mut self.text, None)
        };
        let results = print(&formulas.graph, inputs, &mut lines);
        let results: Vec<String> = results.iter().map(|result| lines.array(result).text).collect();
        let comma = if results.len() == 1 { "," } else { "" };
        self.line(&format!("results = ({}{comma})", results.join(", ")));
    }
}
