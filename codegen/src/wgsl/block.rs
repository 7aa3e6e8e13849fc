//! WGSL as a language of the printer: `f32`, with calls for pairs.

use gaussform_symbolic::exact::Rational;
use num_traits::Zero;

use super::number::{float, nearest_single, triple, words};
use crate::ir::{Block, Case, Condition, Input, Var, Word};
use crate::print::scalar::{self, Scalar};
use crate::print::{Binding, Factors, Language, Numbers, Operation, Place, Printer, Source, Test};

type Fragment = crate::print::Fragment<String>;

/// An expression longer than this gets a line of its own.
const LONG: usize = 64;

/// WGSL in one function of a kernel.
pub(super) struct Wgsl<'a> {
    /// The name of the input γ.
    pub(super) argument: &'static str,
    pub(super) knots: &'a [Word],
}

impl Wgsl<'_> {
    fn test(&self, place: Place) -> String {
        let case = match place {
            Place::Narrow(piece) => return format!("narrow{piece}"),
            Place::Case(case) => case,
        };
        let piece = case.piece();
        let (left, right) = (piece.checked_sub(1), (piece < self.knots.len()).then_some(piece));
        let mut tests = Vec::new();
        if left.is_some() && right.is_some() {
            let sign = if matches!(case, Case::Narrow(_)) { "" } else { "!" };
            tests.push(format!("{sign}narrow{piece}"));
        }
        tests.extend(left.map(|knot| format!("!gsf_is_right(edge{knot})")));
        tests.extend(right.map(|knot| format!("gsf_is_right(edge{knot})")));
        tests.join(" && ")
    }
}

fn call(name: &str, arguments: &[&str]) -> Fragment {
    Fragment::atom(format!("gsf_{name}({})", arguments.join(", ")))
}

fn value_type(numbers: Numbers) -> &'static str {
    match numbers {
        Numbers::Plain => "f32",
        Numbers::Pairs => "gsf_pair",
    }
}

impl Language for Wgsl<'_> {
    type Text = String;
    type Source = Source;

    fn constant(&self, [value, low]: [f64; 2], numbers: Numbers) -> Fragment {
        match numbers {
            Numbers::Pairs => {
                let rest = value - f64::from(nearest_single(value)) + low;
                call("pair", &[&float(value), &float(rest)])
            }
            Numbers::Plain if value.is_sign_negative() => {
                Fragment::new(float(value), Binding::Sign)
            }
            Numbers::Plain => Fragment::atom(float(value)),
        }
    }

    fn word(&self, word: &Word, numbers: Numbers) -> Fragment {
        match numbers {
            Numbers::Pairs => Fragment::atom(words(word)),
            Numbers::Plain => Fragment::atom(format!("{}.high", words(word))),
        }
    }

    fn input(&self, input: &Input) -> Fragment {
        Fragment::atom(match *input {
            Input::Gamma => self.argument.to_owned(),
            Input::Xi2 => "xi2".to_owned(),
            Input::Xi => "deviation.xi".to_owned(),
            Input::InverseXi => "deviation.inverse".to_owned(),
            Input::Parameter(i) => format!("theta{i}"),
            Input::Distance(knot) => format!("edge{knot}.s"),
            Input::SignedDistance(knot) => format!("gsf_score(edge{knot})"),
            Input::Displacement(knot) => format!("edge{knot}.d"),
            Input::DensityUnit => "GSF_DENSITY_UNIT".to_owned(),
            Input::Density(knot) => format!("edge{knot}.h"),
            Input::Tail(knot, order) => format!("tails{knot}[{order}]"),
            Input::Integral(piece, j) => format!("integrals{piece}[{j}]"),
            Input::RootTwoOverPi => unreachable!("a constant"),
        })
    }

    fn input_pair(&self, input: &Input) -> Option<Fragment> {
        Some(match *input {
            Input::Xi => call("xi_pair", &["deviation"]),
            Input::InverseXi => call("inverse_pair", &["deviation"]),
            Input::Distance(knot) => call("distance_pair", &[&format!("edge{knot}")]),
            Input::SignedDistance(knot) => call("score_pair", &[&format!("edge{knot}")]),
            Input::Density(knot) => call("density_pair", &[&format!("edge{knot}")]),
            _ => return None,
        })
    }

    fn variable(&self, var: Var) -> String {
        format!("v{var}")
    }

    fn round(&self, pair: Fragment) -> Fragment {
        call("pair_round", &[&pair.text])
    }

    fn extend(&self, number: Fragment) -> Fragment {
        call("pair_exact", &[&number.text])
    }

    fn binary(&self, operation: Operation, sides: [&Fragment; 2], numbers: Numbers) -> Fragment {
        let name = match (numbers, operation) {
            (Numbers::Plain, _) => return operation.infix(sides),
            (Numbers::Pairs, Operation::Add) => "pair_add",
            (Numbers::Pairs, Operation::Subtract) => "pair_sub",
            (Numbers::Pairs, Operation::Multiply) => "pair_mul",
        };
        call(name, &sides.map(|side| side.text.as_str()))
    }

    fn negate(&self, value: &Fragment, numbers: Numbers) -> Fragment {
        match numbers {
            Numbers::Pairs => call("pair_neg", &[&value.text]),
            Numbers::Plain => value.negated(),
        }
    }

    fn select(&self, test: Test, [yes, no]: [&Fragment; 2], numbers: Numbers) -> Fragment {
        let test = match test {
            Test::Seen => "seen".to_owned(),
            Test::Right(knot) => format!("gsf_is_right(edge{knot})"),
        };
        match numbers {
            Numbers::Pairs => call("pair_select", &[&yes.text, &no.text, &test]),
            // The built-in function takes the value for false first.
            Numbers::Plain => Fragment::atom(format!("select({}, {}, {test})", no.text, yes.text)),
        }
    }

    fn pole(&self, [coefficient, otherwise]: [&Fragment; 2]) -> Fragment {
        call("pole", &[&coefficient.text, &otherwise.text])
    }

    /// Evaluates a polynomial by steps of Horner's rule.
    fn polynomial(
        &self,
        var: Var,
        around: Option<usize>,
        coefficients: &[Word],
        numbers: Numbers,
        source: &mut Source,
    ) -> Fragment {
        let argument = self.argument;
        let (last, rest) = match coefficients.split_last() {
            Some((last, rest)) => (words(last), rest),
            None => (words(&Word::Constant(Rational::zero())), coefficients),
        };
        if !rest.is_empty() {
            let x = match around {
                None => format!("gsf_pair_exact({argument})"),
                Some(knot) => format!("gsf_difference({argument}, {})", triple(&self.knots[knot])),
            };
            source.line(&format!("let x{var} = {x};"));
        }
        let step = |value: String, c: &Word| format!("gsf_step({value}, x{var}, {})", words(c));
        let value = Fragment::atom(rest.iter().rev().fold(last, step));
        match numbers {
            Numbers::Pairs => value,
            Numbers::Plain => Fragment::atom(format!("{}.high", value.text)),
        }
    }

    fn is_short(&self, text: &String) -> bool {
        text.len() <= LONG
    }

    fn bind(&self, var: Var, value: &String, _: Numbers, source: &mut Source) {
        source.line(&format!("let v{var} = {value};"));
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
        let id = outputs[0];
        let list = |factor: &[Fragment]| {
            let mut values: Vec<String> = factor.iter().map(|value| value.text.clone()).collect();
            values.resize(2, "0.0".to_owned());
            format!("array<f32, 2>({})", values.join(", "))
        };
        let [a, b] = [&factors.first, &factors.second].map(|factor| list(factor));
        let less = &factors.less.text;
        source.line(&format!("let sums{id} = gsf_powers_products(strip{piece}, {a}, {b}, {less});"));
        (0..outputs.len()).map(|order| Fragment::atom(format!("sums{id}[{order}]"))).collect()
    }

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

impl Scalar for Wgsl<'_> {
    fn declare(&self, var: Var, numbers: Numbers, source: &mut Source) {
        source.line(&format!("var v{var}: {};", value_type(numbers)));
    }

    fn assign(&self, var: Var, value: &String, source: &mut Source) {
        source.line(&format!("v{var} = {value};"));
    }

    fn choose(&self, next: bool, place: Option<Place>, source: &mut Source) {
        let test = place.map(|place| self.test(place));
        source.choice(next, test.as_deref());
    }

    fn open_by_piece(&self, _: &mut Source) {}

    fn open_piece(&self, place: usize, is_last: bool, source: &mut Source) {
        let name = if place.is_multiple_of(2) { "gsf_is_below" } else { "gsf_is_at" };
        let test = |knot: &Word| format!("{name}({}, {})", self.argument, triple(knot));
        let test = (!is_last).then(|| test(&self.knots[place / 2]));
        source.choice(place > 0, test.as_deref());
    }

    fn close_piece(&self, _: &mut Source) {}

    fn close(&self, source: &mut Source) {
        source.close();
    }
}
