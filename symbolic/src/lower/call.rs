//! Functions: those of the language, and activations that were declared before.

use num_traits::Zero;

use super::bounds::{self, within_limits};
use super::scope::{Scope, indicator};
use crate::activation::Activation;
use crate::assumption::Assumption;
use crate::domain::Knot;
use crate::error::{Error, ErrorKind, Span};
use crate::exact::Rational;
use crate::grammar::{Expression, Name};
use crate::piecewise::{Piecewise, Purpose};
use crate::polynomial::{Polynomial, Symbol};
use crate::similar::similar;

/// The functions of the language, with the number of arguments that each takes.
const BUILTINS: [(&str, usize, usize); 7] = [
    ("abs", 1, 1),
    ("clamp", 3, 3),
    ("max", 1, usize::MAX),
    ("min", 1, usize::MAX),
    ("relu", 1, 1),
    ("sign", 1, 1),
    ("step", 1, 1),
];

/// Functions that are not piecewise polynomial, which people try.
const TRANSCENDENTAL: [&str; 20] = [
    "celu", "cos", "elu", "erf", "exp", "gelu", "ln", "log", "logistic", "mish", "selu", "sigmoid",
    "silu", "sin", "softplus", "softsign", "sqrt", "swish", "tan", "tanh",
];

impl Scope<'_> {
    pub(super) fn modulus(&self, value: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        let sign = self.sign(value, Purpose::Modulus, span)?;
        self.join(value, &sign, span, Piecewise::times)
    }

    fn maximum(&self, a: &Piecewise, b: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        let difference = self.join(a, b, span, Piecewise::minus)?;
        self.spend(3 * bounds::sum(a, b), span)?;
        let sign = self.sign(&difference, Purpose::Modulus, span)?;
        a.maximum(b, &sign, self.domain).map_err(|obstacle| self.obstructed(obstacle, span))
    }

    fn minimum(&self, a: &Piecewise, b: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        let negative = |value: &Piecewise| value.map(|v| -v);
        Ok(negative(&self.maximum(&negative(a), &negative(b), span)?))
    }

    pub(super) fn is_function(&self, name: &str) -> bool {
        self.library.contains_key(name) || BUILTINS.iter().any(|(builtin, ..)| *builtin == name)
    }

    pub(super) fn call(
        &self,
        name: &Name,
        arguments: &[Expression],
        span: Span,
    ) -> Result<Piecewise, Error> {
        if let Some(activation) = self.library.get(&name.text) {
            return self.apply(activation, name, arguments, span);
        }
        let Some((_, least, most)) = BUILTINS.iter().find(|(builtin, ..)| *builtin == name.text)
        else {
            let error = Error::new(ErrorKind::UnknownName(name.text.clone()), name.span);
            let value = self.variable == name.text
                || self.parameters.iter().any(|parameter| *parameter.name == *name.text);
            return Err(if value {
                error.help(format!(
                    "`{0}` is not a function; a product needs a `*`: write `{0}*(…)`",
                    name.text
                ))
            } else if let Some(advice) = self.in_place_of(&name.text) {
                error.help(advice)
            } else if let Some(similar) = self.similar(&name.text) {
                error.help(format!("did you mean `{similar}`?"))
            } else {
                error.help(
                    "the functions are abs, max, min, clamp, relu, sign, step and the declared activations",
                )
            });
        };
        check_arguments(name, *least, *most, arguments.len())?;
        let values: Vec<Piecewise> =
            arguments.iter().map(|argument| self.expression(argument)).collect::<Result<_, _>>()?;
        let zero = Piecewise::constant(Rational::zero());
        let fold = |pick: fn(&Self, &Piecewise, &Piecewise, Span) -> Result<Piecewise, Error>| {
            let mut rest = values.iter();
            let first = rest.next().expect("one at the least").clone();
            rest.try_fold(first, |best, value| pick(self, &best, value, span))
        };
        match (name.text.as_str(), values.as_slice()) {
            ("max", _) => fold(Self::maximum),
            ("min", _) => fold(Self::minimum),
            ("relu", [value]) => self.maximum(&zero, value, span),
            ("sign", [value]) => self.sign(value, Purpose::Value, span),
            ("step", [value]) => {
                Ok(indicator(&self.sign(value, Purpose::Value, span)?, |sign| sign > 0))
            }
            ("clamp", [value, low, high]) => {
                let width = self.join(high, low, span, Piecewise::minus)?;
                // Equal bounds are allowed, so it is enough that the width is not negative.
                let order = self.sign(&width, Purpose::Modulus, span)?;
                if order.pieces().iter().any(|sign| *sign == -&Polynomial::one()) {
                    let message = "the lower bound of `clamp` exceeds the upper".to_owned();
                    return Err(Error::new(ErrorKind::Domain(message), span)
                        .help("write clamp(value, lower, upper)"));
                }
                self.minimum(&self.maximum(value, low, span)?, high, span)
            }
            ("abs", [value]) => self.modulus(value, span),
            _ => unreachable!("the number of arguments was checked"),
        }
    }

    /// A declared activation applied to an argument and values of its parameters.
    fn apply(
        &self,
        activation: &Activation,
        name: &Name,
        arguments: &[Expression],
        span: Span,
    ) -> Result<Piecewise, Error> {
        let count = 1 + activation.parameters.len();
        check_arguments(name, count, count, arguments.len()).map_err(|error| {
            let names =
                activation.parameters.iter().map(|parameter| format!(", {}", parameter.name));
            error.help(format!("write `{}(…{})`", name.text, names.collect::<String>()))
        })?;
        let inner = self.expression(&arguments[0])?;
        let mut values = Vec::new();
        for (parameter, argument) in activation.parameters.iter().zip(&arguments[1..]) {
            let value = self.expression(argument)?;
            let Some(value) = value.as_polynomial().filter(|p| !p.contains(&Symbol::Variable))
            else {
                let what = format!("parameter `{}` of `{}`", parameter.name, name.text);
                return Err(Error::new(ErrorKind::NotConstant(what), argument.span)
                    .help("give it a number or an expression in parameters"));
            };
            let symbol = Symbol::Parameter(parameter.name.clone());
            // The domain of a parameter holds that parameter alone; relations are checked below,
            // with all values.
            let values_here = [(symbol, value.clone())];
            for assumption in parameter.assumptions() {
                self.require(&assumption, &values_here, argument.span, || {
                    let message = format!(
                        "{} is not in the domain of `{}`",
                        self.plain(value),
                        parameter.name
                    );
                    (message, format!("it is declared as `{parameter}`"))
                })?;
            }
            values.extend(values_here);
        }
        for relation in &activation.relations {
            self.require(&relation.assumption(), &values, span, || {
                let message = format!("the parameters do not satisfy `{relation}`");
                (message, format!("`{}` is declared so", name.text))
            })?;
        }
        let outer = activation.pointwise.substitute(&values, self.domain);
        self.compose(&outer, &inner, span)
    }

    /// An inequality that a called activation declares, for the values of its parameters.
    fn require(
        &self,
        assumption: &Assumption,
        values: &[(Symbol, Polynomial)],
        span: Span,
        message: impl Fn() -> (String, String),
    ) -> Result<(), Error> {
        let polynomial = assumption.polynomial.substitute_all(values);
        if self.domain.implies(&Assumption { polynomial, strict: assumption.strict }) {
            return Ok(());
        }
        let (message, help) = message();
        Err(Error::new(ErrorKind::Domain(message), span).help(help))
    }

    /// The sign of a function less a knot of another.
    fn side(&self, value: &Piecewise, knot: &Knot, span: Span) -> Result<Piecewise, Error> {
        let Knot::Algebraic(root) = knot else {
            let difference = value.map(|value| value - &knot.polynomial());
            return self.sign(&difference, Purpose::Value, span);
        };
        self.spend(
            bounds::power(
                value,
                value.degree() * i32::try_from(root.minimal().degree()).unwrap_or(i32::MAX),
            ),
            span,
        )?;
        value.side_of(root, self.domain).map_err(|obstacle| self.obstructed(obstacle, span))
    }

    /// outer(inner(u)): each piece of `outer` on the set where `inner` falls into it.
    fn compose(
        &self,
        outer: &Piecewise,
        inner: &Piecewise,
        span: Span,
    ) -> Result<Piecewise, Error> {
        let size = bounds::power(inner, outer.degree());
        self.spend(size.saturating_mul(outer.pieces().len()), span)?;
        let insert = |polynomial: &Polynomial| {
            inner.map(|value| polynomial.substitute(&Symbol::Variable, value))
        };
        let mut result = insert(&outer.pieces()[0]);
        for (i, knot) in outer.knots().iter().enumerate() {
            // Knots ascend, so the result up to here holds to the left of this knot.
            let side = self.side(inner, knot, span)?;
            let right = insert(&outer.pieces()[i + 1]);
            let on_knot = match knot {
                // The value on the knot holds the knot itself, which the inner function is equal to there.
                Knot::Algebraic(root) => inner.map(|value| {
                    outer.at_knots()[i].substitute(&Symbol::Root(root.clone()), value)
                }),
                _ => Piecewise::from(outer.at_knots()[i].clone()),
            };
            let parts = [
                (indicator(&side, |sign| sign < 0), result),
                (indicator(&side, |sign| sign > 0), right),
                (indicator(&side, |sign| sign == 0), on_knot),
            ];
            result = Piecewise::constant(Rational::zero());
            for (where_so, value) in parts {
                let part = self.join(&where_so, &value, span, Piecewise::times)?;
                result = self.join(&result, &part, span, Piecewise::plus)?;
            }
            result = within_limits(result, span)?;
        }
        Ok(result)
    }

    /// The declared activations that stand in for a function which is no piecewise polynomial: `hard_tanh` and
    /// `tanh_cubic` for `tanh`.
    /// Advice for the name of a function that is known elsewhere: one that is no piecewise polynomial, or one in other letters.
    pub(super) fn in_place_of(&self, name: &str) -> Option<String> {
        let lowered = name.to_lowercase();
        if TRANSCENDENTAL.contains(&lowered.as_str()) {
            let forms = self
                .forms_of(&lowered)
                .unwrap_or_else(|| "a hard form, such as `clamp(x, -1, 1)` for tanh".to_owned());
            return Some(format!("it is no piecewise polynomial: take {forms}"));
        }
        let letters = |name: &str| name.replace('_', "").to_lowercase();
        let mut names = BUILTINS
            .iter()
            .map(|(builtin, ..)| *builtin)
            .chain(self.library.keys().map(String::as_str));
        let known = names.find(|known| letters(known) == letters(name))?;
        Some(format!("did you mean `{known}`?"))
    }

    fn forms_of(&self, name: &str) -> Option<String> {
        let (hard, start) = (format!("hard_{name}"), format!("{name}_"));
        let forms = self.library.keys().filter(|key| **key == hard || key.starts_with(&start));
        let forms: Vec<String> = forms.map(|form| format!("`{form}`")).collect();
        let (last, others) = forms.split_last()?;
        Some(if others.is_empty() {
            last.clone()
        } else {
            format!("{} or {last}", others.join(", "))
        })
    }

    fn similar(&self, name: &str) -> Option<&str> {
        let names = BUILTINS.iter().map(|(builtin, ..)| *builtin);
        similar(name, names.chain(self.library.keys().map(String::as_str)))
    }
}

fn check_arguments(name: &Name, least: usize, most: usize, found: usize) -> Result<(), Error> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    let expected = match (least, most) {
        (1, 1) => "1 argument".to_owned(),
        (1, usize::MAX) => "at least 1 argument".to_owned(),
        (n, _) => format!("{n} arguments"),
    };
    let kind = ErrorKind::Arguments { function: name.text.clone(), expected, found };
    Err(Error::new(kind, name.span))
}
