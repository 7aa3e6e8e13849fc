//! Python as a language of the printer: statements over arrays.

use std::collections::BTreeMap;

use super::Target;
use super::lines::Lines;
use super::number::{float, words};
use crate::ir::{Block, Case, Condition, Input, Var, Word};
use crate::print::vector::{self, Vector};
use crate::print::{Binding, Branching, Factors, Language, Numbers, Place, Printer, Test};
use crate::rounding::{Length, double};

type Fragment = crate::print::Fragment<String>;

/// The longest expression that is written inside of another one.
const LONGEST: usize = 36;

/// The most variables that are assigned to in one statement.
const MOST_NAMES: usize = 8;

/// The name of an array of zeros.
const ZERO: &str = "zero";

/// Python in one function of a kernel.
pub(super) struct Python<'a> {
    pub(super) target: Target,
    pub(super) pieces: usize,
    /// The name of the input γ.
    pub(super) argument: &'a str,
    /// The prefix of the variables of the block.
    pub(super) prefix: String,
    /// Words that have a name.
    pub(super) words: BTreeMap<(Length, Word), String>,
}

impl Python<'_> {
    /// A word as an expression that gives its parts.
    pub(super) fn parts(&self, length: Length, word: &Word) -> String {
        match word {
            Word::Constant(value) => words(self.target, length, value),
            Word::Parameter(index) => {
                let zeros = format!(", xp.zeros_like(theta{index})").repeat(length.zeros().len());
                format!("(theta{index}{zeros})")
            }
            word => self.words[&(length, word.clone())].clone(),
        }
    }

    fn names(&self, outputs: &[Var]) -> Vec<String> {
        outputs.iter().map(|var| self.variable(*var)).collect()
    }

    /// A place as an array of truth values.
    fn mask(place: Place) -> String {
        match place {
            Place::Case(_) => "case".to_owned(),
            Place::Narrow(piece) => format!("narrow[{}]", piece - 1),
        }
    }

    /// Where γ lies so.
    fn case(&self, case: Case) -> String {
        let piece = case.piece();
        let mut parts = Vec::new();
        if piece > 0 {
            parts.push(format!("~right[{}]", piece - 1));
        }
        if piece + 1 < self.pieces {
            parts.push(format!("right[{piece}]"));
        }
        if parts.len() == 2 {
            let sign = if matches!(case, Case::Narrow(_)) { "" } else { "~" };
            parts.push(format!("{sign}narrow[{}]", piece - 1));
        }
        parts.join(" & ")
    }
}

impl Language for Python<'_> {
    type Text = String;
    type Source = Lines;

    fn constant(&self, [value, _]: [f64; 2], _: Numbers) -> Fragment {
        let binding = if value.is_sign_negative() { Binding::Sign } else { Binding::Atom };
        Fragment::new(float(value), binding)
    }

    fn word(&self, word: &Word, numbers: Numbers) -> Fragment {
        match word {
            Word::Constant(value) => self.constant(double(value), numbers),
            Word::Parameter(index) => Fragment::atom(format!("theta{index}")),
            word => Fragment::atom(format!("{}[0]", self.parts(Length::Double, word))),
        }
    }

    fn input(&self, input: &Input) -> Fragment {
        Fragment::atom(match *input {
            Input::Gamma => self.argument.to_owned(),
            Input::Xi2 => "xi2".to_owned(),
            Input::Xi => "xi".to_owned(),
            Input::InverseXi => "inverse".to_owned(),
            Input::Parameter(index) => format!("theta{index}"),
            Input::Distance(knot) => format!("s[{knot}]"),
            Input::SignedDistance(knot) => format!("score[{knot}]"),
            Input::Displacement(knot) => format!("d[{knot}]"),
            Input::DensityUnit => "p.unit".to_owned(),
            Input::Density(knot) => format!("h[{knot}]"),
            Input::Tail(knot, order) => format!("tails[{order}][{knot}]"),
            Input::Integral(piece, j) => format!("integrals[{}][{j}]", piece - 1),
            Input::RootTwoOverPi => unreachable!("a constant"),
        })
    }

    fn variable(&self, var: Var) -> String {
        format!("{}{var}", self.prefix)
    }

    fn select(&self, test: Test, [yes, no]: [&Fragment; 2], _: Numbers) -> Fragment {
        let mask = match test {
            Test::Seen => return Fragment::atom(format!("xp.where(seen, {}, 0.0)", yes.text)),
            Test::Right(knot) => format!("right[{knot}]"),
        };
        let [yes, no] = [yes, no].map(|side| self.result(side));
        Fragment::atom(format!("xp.where({mask}, {yes}, {no})"))
    }

    fn pole(&self, [coefficient, otherwise]: [&Fragment; 2]) -> Fragment {
        Fragment::atom(format!("_pole(gamma, {}, {})", coefficient.text, otherwise.text))
    }

    fn polynomial(
        &self,
        _: Var,
        around: Option<usize>,
        coefficients: &[Word],
        _: Numbers,
        _: &mut Lines,
    ) -> Fragment {
        let words = coefficients.iter().map(|c| self.parts(Length::Double, c));
        let (words, argument) = (words.collect::<Vec<_>>().join(", "), self.argument);
        Fragment::atom(match around {
            None => format!("_polynomial(p, [{words}], {argument})"),
            Some(knot) => format!("_polynomial_around(p, [{words}], knots[{knot}], {argument})"),
        })
    }

    fn is_short(&self, text: &String) -> bool {
        text.len() <= LONGEST
    }

    fn bind(&self, var: Var, value: &String, _: Numbers, source: &mut Lines) {
        source.line(&format!("{} = {value}", self.variable(var)));
    }

    /// A number as an array.
    fn result(&self, value: &Fragment) -> String {
        let text = &value.text;
        match text.parse::<f64>() {
            Ok(0.0) => ZERO.to_owned(),
            Ok(_) => format!("zero + {text}").replace("+ -", "- "),
            Err(_) => text.clone(),
        }
    }

    /// Bounded pieces are counted without the unbounded one on the left.
    fn integrate(
        &self,
        piece: usize,
        factors: &Factors<String>,
        outputs: &[Var],
        numbers: Numbers,
        source: &mut Lines,
    ) -> Vec<Fragment> {
        let list = |factor: &[Fragment]| {
            let values: Vec<String> = factor.iter().map(|value| self.result(value)).collect();
            format!("[{}]", values.join(", "))
        };
        let [first, second] = [&factors.first, &factors.second].map(|factor| list(factor));
        let (less, count) = (&factors.less.text, outputs.len());
        let call = format!("_products(powers[{}], {first}, {second}, {less}, {count})", piece - 1);
        let assignment = format!("[{}] = {call}", self.names(outputs).join(", "));
        if self.target.skips() {
            self.zeros(outputs, numbers, source);
            source.open(&format!("if {}.any():", Self::mask(Place::Narrow(piece))));
            source.line(&assignment);
            source.close();
        } else {
            source.line(&assignment);
        }
        Vec::new()
    }
}

impl Branching for Python<'_> {
    fn branch(
        printer: &Printer<'_, Self>,
        condition: &Condition,
        arms: &[Block],
        outputs: &[Var],
        source: &mut Lines,
    ) {
        vector::branch(printer, condition, arms, outputs, source);
    }
}

impl Vector for Python<'_> {
    fn zeros(&self, outputs: &[Var], _: Numbers, source: &mut Lines) {
        for outputs in outputs.chunks(MOST_NAMES) {
            source.line(&format!("{} = {ZERO}", self.names(outputs).join(" = ")));
        }
    }

    fn start(&self, outputs: &[Var], values: &[String], source: &mut Lines) {
        for (var, value) in outputs.iter().zip(values) {
            source.line(&format!("{} = {value}", self.variable(*var)));
        }
    }

    fn open(&self, place: Place, source: &mut Lines) {
        let mask = Self::mask(place);
        if let Place::Case(case) = place {
            let narrow = matches!(case, Case::Narrow(_));
            let kind = if narrow { ", which is narrow" } else { "" };
            source.line(&format!("# gamma on piece {}{kind}", case.piece()));
            source.line(&format!("{mask} = {}", self.case(case)));
        }
        if self.target.skips() {
            source.open(&format!("if {mask}.any():"));
        }
    }

    fn overwrite(&self, place: Place, var: Var, value: &String, _: Numbers, source: &mut Lines) {
        // Where γ is on no such piece it is 0 already.
        if !(matches!(place, Place::Case(_)) && value == ZERO) {
            let (name, mask) = (self.variable(var), Self::mask(place));
            source.line(&format!("{name} = xp.where({mask}, {value}, {name})"));
        }
    }

    fn close(&self, source: &mut Lines) {
        if self.target.skips() {
            source.close();
        }
    }

    fn by_piece(printer: &Printer<'_, Self>, arms: &[Block], output: Var, source: &mut Lines) {
        let language = printer.language;
        let (name, argument) = (language.variable(output), language.argument);
        let (last, rest) = arms.split_last().expect("a branch has arms");
        let value = printer.block(last, source);
        source.line(&format!("{name} = {}", value[0]));
        for (knot, arms) in rest.chunks(2).enumerate().rev() {
            for (test, arm) in [("on", &arms[1]), ("below", &arms[0])] {
                let value = printer.block(arm, source);
                source.line(&format!(
                    "{name} = xp.where(_is_{test}({argument}, knots[{knot}]), {}, {name})",
                    value[0]
                ));
            }
        }
    }
}
