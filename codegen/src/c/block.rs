//! C as a language of the printer: statements of `double`, or calls for numbers with a wide exponent.

use super::source::{Source, float};
use super::word;
use crate::ir::{Block, Case, Condition, Input, Var, Word};
use crate::print::scalar::{self, Scalar};
use crate::print::{
    Binding, Branching, Factors, Language, Numbers, Operation, Place, Printer, Test,
};

type Fragment = crate::print::Fragment<String>;

/// The type of plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `double`, with operators.
    Double,
    /// Numbers with a wide exponent, with calls.
    Wide,
}

impl Kind {
    /// The type, as the prelude names it.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Double => "gsf_f64",
            Self::Wide => "gsf_wide",
        }
    }

    /// The type, as a declaration names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Double => "double",
            Self::Wide => "gsf_wide",
        }
    }
}

/// An expression longer than this gets a line of its own.
const LONG: usize = 64;

/// C in one function of a kernel.
pub(super) struct C {
    pub(super) number: Kind,
    /// The name of the input γ.
    pub(super) argument: &'static str,
    /// How many knots there are.
    pub(super) knots: usize,
}

impl C {
    fn call(&self, name: &str, arguments: &[&str]) -> Fragment {
        Fragment::atom(format!("{}_{name}({})", self.number.kind(), arguments.join(", ")))
    }

    /// How the names of operations begin that are calls.
    fn calls(&self, numbers: Numbers) -> Option<&'static str> {
        match (numbers, self.number) {
            (Numbers::Pairs, _) => Some("pair_"),
            (Numbers::Plain, Kind::Wide) => Some(""),
            (Numbers::Plain, Kind::Double) => None,
        }
    }

    /// The C type of a value.
    fn value_type(&self, numbers: Numbers) -> String {
        match numbers {
            Numbers::Pairs => format!("{}_pair", self.number.kind()),
            Numbers::Plain => self.number.name().to_owned(),
        }
    }

    fn test(&self, place: Place) -> String {
        match place {
            Place::Narrow(piece) => format!("narrow[{piece}]"),
            Place::Case(case) => {
                let piece = case.piece();
                let on = format!("{}_is_on(edges, {}, {piece})", self.number.kind(), self.knots);
                let bounded = piece > 0 && piece < self.knots;
                match case {
                    Case::Wide(_) if bounded => format!("!narrow[{piece}] && {on}"),
                    Case::Wide(_) => on,
                    Case::Narrow(_) => format!("narrow[{piece}] && {on}"),
                }
            }
        }
    }
}

impl Language for C {
    type Text = String;
    type Source = Source;

    fn constant(&self, [value, low]: [f64; 2], numbers: Numbers) -> Fragment {
        match (numbers, self.number) {
            (Numbers::Pairs, _) => self.call("pair_words", &[&float(value), &float(low)]),
            (Numbers::Plain, Kind::Wide) => self.call("of", &[&float(value)]),
            (Numbers::Plain, Kind::Double) if value.is_sign_negative() => {
                Fragment::new(float(value), Binding::Sign)
            }
            (Numbers::Plain, Kind::Double) => Fragment::atom(float(value)),
        }
    }

    fn word(&self, word: &Word, numbers: Numbers) -> Fragment {
        let text = word::text(word);
        match (numbers, self.number) {
            (Numbers::Pairs, _) => self.call("of_word", &[&text]),
            (Numbers::Plain, Kind::Double) => Fragment::atom(format!("{text}.high")),
            (Numbers::Plain, Kind::Wide) => self.call("of", &[&format!("{text}.high")]),
        }
    }

    fn input(&self, input: &Input) -> Fragment {
        let edge = |knot: usize| format!("edges[{knot}]");
        let number = |text: String| match self.number {
            Kind::Double => text,
            Kind::Wide => format!("gsf_wide_of({text})"),
        };
        Fragment::atom(match *input {
            Input::Gamma => self.argument.to_owned(),
            Input::Xi2 => "xi2".to_owned(),
            Input::Xi => "deviation.xi".to_owned(),
            Input::InverseXi => "deviation.inverse".to_owned(),
            Input::Parameter(i) => number(format!("p[{i}]")),
            Input::Distance(knot) => format!("{}.s", edge(knot)),
            Input::SignedDistance(knot) => return self.call("score", &[&edge(knot)]),
            Input::Displacement(knot) => format!("{}.d", edge(knot)),
            Input::DensityUnit => number("GSF_DENSITY_UNIT".to_owned()),
            Input::Density(knot) => format!("{}.h", edge(knot)),
            Input::Tail(knot, order) => format!("tails[{knot}][{order}]"),
            Input::Integral(piece, j) => format!("integrals{piece}[{j}]"),
            Input::RootTwoOverPi => unreachable!("a constant"),
        })
    }

    fn input_pair(&self, input: &Input) -> Option<Fragment> {
        let edge = |knot: usize| format!("edges[{knot}]");
        let (name, of) = match *input {
            Input::Xi => ("xi", "deviation".to_owned()),
            Input::InverseXi => ("inverse", "deviation".to_owned()),
            Input::Distance(knot) => ("distance", edge(knot)),
            Input::SignedDistance(knot) => ("score", edge(knot)),
            Input::Density(knot) => ("density", edge(knot)),
            _ => return None,
        };
        Some(self.call(&format!("{name}_pair"), &[&of]))
    }

    fn variable(&self, var: Var) -> String {
        format!("v{var}")
    }

    fn round(&self, pair: Fragment) -> Fragment {
        self.call("pair_round", &[&pair.text])
    }

    fn extend(&self, number: Fragment) -> Fragment {
        self.call("pair_exact", &[&number.text])
    }

    fn binary(&self, operation: Operation, sides: [&Fragment; 2], numbers: Numbers) -> Fragment {
        let Some(prefix) = self.calls(numbers) else { return operation.infix(sides) };
        let name = match operation {
            Operation::Add => "add",
            Operation::Subtract => "sub",
            Operation::Multiply => "mul",
        };
        self.call(&format!("{prefix}{name}"), &sides.map(|side| side.text.as_str()))
    }

    fn negate(&self, value: &Fragment, numbers: Numbers) -> Fragment {
        match self.calls(numbers) {
            Some(prefix) => self.call(&format!("{prefix}neg"), &[&value.text]),
            None => value.negated(),
        }
    }

    fn select(&self, test: Test, sides: [&Fragment; 2], numbers: Numbers) -> Fragment {
        let kind = self.number.kind();
        let test = match test {
            Test::Seen => "seen".to_owned(),
            Test::Right(knot) => format!("{kind}_is_right(edges[{knot}])"),
        };
        if let Some(prefix) = self.calls(numbers) {
            let [yes, no] = sides.map(|side| &*side.text);
            return self.call(&format!("{prefix}select"), &[&test, yes, no]);
        }
        let [yes, no] = sides.map(|side| side.at_least(Binding::Sum));
        Fragment::new(format!("{test} ? {yes} : {no}"), Binding::Choice)
    }

    fn pole(&self, [coefficient, otherwise]: [&Fragment; 2]) -> Fragment {
        Fragment::atom(format!("gsf_pole({}, {})", coefficient.text, otherwise.text))
    }

    fn polynomial(
        &self,
        var: Var,
        around: Option<usize>,
        coefficients: &[Word],
        numbers: Numbers,
        source: &mut Source,
    ) -> Fragment {
        let words: Vec<String> = coefficients.iter().map(word::initial).collect();
        let list = if words.is_empty() { "{0.0, 0.0}".into() } else { words.join(", ") };
        source.line(&format!("const gsf_word c{var}[] = {{{list}}};"));
        let (c, count) = (format!("c{var}"), words.len().to_string());
        let value = match around {
            None => self.call("polynomial", &[&c, &count, self.argument]),
            Some(knot) => {
                let knot = format!("knots[{knot}]");
                self.call("polynomial_around", &[&c, &count, &knot, self.argument])
            }
        };
        match numbers {
            Numbers::Pairs => value,
            Numbers::Plain => Fragment::atom(format!("{}.high", value.text)),
        }
    }

    fn is_short(&self, text: &String) -> bool {
        text.len() <= LONG
    }

    fn bind(&self, var: Var, value: &String, numbers: Numbers, source: &mut Source) {
        source.line(&format!("const {} v{var} = {value};", self.value_type(numbers)));
    }

    /// Stores the integrals as elements of an array.
    fn integrate(
        &self,
        piece: usize,
        factors: &Factors<String>,
        outputs: &[Var],
        _: Numbers,
        source: &mut Source,
    ) -> Vec<Fragment> {
        let (kind, number) = (self.number.kind(), self.number.name());
        let [id, orders] = [outputs[0], outputs.len()];
        let size = if orders == 1 { 1 } else { 3 };
        let zero = self.constant([0.0; 2], Numbers::Plain).text;
        let list = |factor: &[Fragment]| {
            let mut values: Vec<String> = factor.iter().map(|value| value.text.clone()).collect();
            values.resize(2, zero.clone());
            values.join(", ")
        };
        let mut array = |name: char, values: &str| {
            source.line(&format!("const {number} {name}{id}[] = {{{values}}};"));
            name
        };
        let [first, second] = [&factors.first, &factors.second].map(|factor| list(factor));
        let a = array('a', &first);
        let b = if first == second { a } else { array('b', &second) };
        let less = &factors.less.text;
        source.line(&format!("{number} sums{id}[{size}];"));
        source.line(&format!(
            "{kind}_powers_products_{size}(powers{piece}, {a}{id}, {b}{id}, {less}, sums{id});"
        ));
        (0..orders).map(|order| Fragment::atom(format!("sums{id}[{order}]"))).collect()
    }
}

impl Branching for C {
    fn branch(
        printer: &Printer<'_, Self>,
        condition: &Condition,
        arms: &[Block],
        outputs: &[Var],
        source: &mut Source,
    ) {
        scalar::branch(printer, condition, arms, outputs, source);
    }
}

impl Scalar for C {
    fn declare(&self, var: Var, numbers: Numbers, source: &mut Source) {
        source.line(&format!("{} v{var};", self.value_type(numbers)));
    }

    fn assign(&self, var: Var, value: &String, source: &mut Source) {
        source.line(&format!("v{var} = {value};"));
    }

    fn choose(&self, next: bool, place: Option<Place>, source: &mut Source) {
        source.choice(next, place.map(|place| self.test(place)).as_deref());
    }

    fn open_by_piece(&self, source: &mut Source) {
        source.open(&format!("switch (gsf_place({}, knots, {}))", self.argument, self.knots));
    }

    fn open_piece(&self, place: usize, is_last: bool, source: &mut Source) {
        source.open(&if is_last { "default:".to_owned() } else { format!("case {place}:") });
    }

    fn close_piece(&self, source: &mut Source) {
        source.line("break;");
        source.close();
    }

    fn close(&self, source: &mut Source) {
        source.close();
    }
}
