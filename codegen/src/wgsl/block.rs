//! WGSL as a language of the printer, for g itself and for limits at ξ² = 0: `f32`, with calls for pairs.

use gaussform_symbolic::exact::Rational;
use num_traits::Zero;

use super::number::{float, triple, words};
use crate::ir::{Block, Condition, Input, Var, Word};
use crate::print::scalar::{self, Scalar};
use crate::print::{Binding, Branching, Factors, Language, Numbers, Place, Printer, Source, Test};

type Fragment = crate::print::Fragment<String>;

/// An expression longer than this gets a line of its own.
const LONG: usize = 64;

/// WGSL in one function of a kernel.
pub(super) struct Wgsl<'a> {
    /// The name of the input γ.
    pub(super) argument: &'static str,
    pub(super) knots: &'a [Word],
}

impl Language for Wgsl<'_> {
    type Text = String;
    type Source = Source;

    fn constant(&self, [value, _]: [f64; 2], _: Numbers) -> Fragment {
        let binding = if value.is_sign_negative() { Binding::Sign } else { Binding::Atom };
        Fragment::new(float(value), binding)
    }

    fn word(&self, word: &Word, _: Numbers) -> Fragment {
        Fragment::atom(format!("{}.high", words(word)))
    }

    fn input(&self, input: &Input) -> Fragment {
        Fragment::atom(match *input {
            Input::Gamma => self.argument.to_owned(),
            Input::Xi2 => "xi2".to_owned(),
            Input::Parameter(i) => format!("theta{i}"),
            _ => unreachable!("asked of formulas only"),
        })
    }

    fn variable(&self, var: Var) -> String {
        format!("v{var}")
    }

    fn select(&self, _: Test, _: [&Fragment; 2], _: Numbers) -> Fragment {
        unreachable!("asked of formulas only")
    }

    fn pole(&self, [coefficient, otherwise]: [&Fragment; 2]) -> Fragment {
        Fragment::atom(format!("gsf_pole({}, {})", coefficient.text, otherwise.text))
    }

    /// Evaluates a polynomial by steps of Horner's rule.
    fn polynomial(
        &self,
        var: Var,
        around: Option<usize>,
        coefficients: &[Word],
        _: Numbers,
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
        let value = rest.iter().rev().fold(last, step);
        Fragment::atom(format!("{value}.high"))
    }

    fn is_short(&self, text: &String) -> bool {
        text.len() <= LONG
    }

    fn bind(&self, var: Var, value: &String, _: Numbers, source: &mut Source) {
        source.line(&format!("let v{var} = {value};"));
    }

    fn integrate(
        &self,
        _: usize,
        _: &Factors<String>,
        _: &[Var],
        _: Numbers,
        _: &mut Source,
    ) -> Vec<Fragment> {
        unreachable!("asked of formulas only")
    }
}

impl Branching for Wgsl<'_> {
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
    fn declare(&self, var: Var, _: Numbers, source: &mut Source) {
        source.line(&format!("var v{var}: f32;"));
    }

    fn assign(&self, var: Var, value: &String, source: &mut Source) {
        source.line(&format!("v{var} = {value};"));
    }

    fn choose(&self, _: bool, _: Option<Place>, _: &mut Source) {
        unreachable!("asked of formulas only")
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
