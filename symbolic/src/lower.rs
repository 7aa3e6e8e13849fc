//! Syntax tree to piecewise polynomial: where names, domains and limits are checked.

use std::collections::BTreeMap;

use num_traits::{One, ToPrimitive, Zero};

use crate::activation::Activation;
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::exact::{Rational, bits, integer};
use crate::grammar::{
    BinaryOperator, Condition, Declaration, Expression, ExpressionKind, Name, ParameterSyntax,
};
use crate::parameter::Parameter;
use crate::piecewise::{Obstacle, Piecewise};
use crate::polynomial::{Polynomial, Root, Symbol};
use crate::render;

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

/// The mean and the variance of the pre-activation, as they are written in text.
const RESERVED: [&str; 2] = ["gamma", "xi2"];

/// The activations that an expression may call, by name.
pub type Library = BTreeMap<String, Activation>;

/// Lowers a declaration; it may call the activations in `library`.
pub(crate) fn declaration(
    declaration: &Declaration,
    library: &Library,
) -> Result<(Vec<Parameter>, Piecewise), Error> {
    let parameters = parameters(&declaration.parameters, &declaration.variable)?;
    let scope = Scope { variable: &declaration.variable.text, parameters: &parameters, library };
    let function = scope.expression(&declaration.body)?;
    Ok((parameters, function))
}

/// Lowers a bare expression in `x`.
pub(crate) fn expression(expression: &Expression, library: &Library) -> Result<Piecewise, Error> {
    Scope { variable: "x", parameters: &[], library }.expression(expression)
}

fn parameters(syntax: &[ParameterSyntax], variable: &Name) -> Result<Vec<Parameter>, Error> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for declared in syntax {
        let parameter = Parameter::from_syntax(declared);
        if RESERVED.contains(&&*parameter.name) {
            let message = format!("`{}` cannot be the name of a parameter", parameter.name);
            return Err(Error::new(ErrorKind::Domain(message), declared.name.span)
                .help("it is the pre-activation's own; choose another name"));
        }
        if *parameter.name == *variable.text
            || parameters.iter().any(|other| other.name == parameter.name)
        {
            let kind = ErrorKind::Duplicate(declared.name.text.clone());
            return Err(Error::new(kind, declared.name.span).help("choose another name"));
        }
        if parameter.is_empty() {
            let message = format!("no number lies in the domain of `{}`", parameter.name);
            return Err(Error::new(ErrorKind::Domain(message), declared.span)
                .help("a domain reads `a in (0, 1)`, the lower end first"));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}

struct Scope<'a> {
    variable: &'a str,
    parameters: &'a [Parameter],
    library: &'a Library,
}

impl Scope<'_> {
    fn expression(&self, expression: &Expression) -> Result<Piecewise, Error> {
        let span = expression.span;
        let value = match &expression.kind {
            ExpressionKind::Number(value) => Piecewise::constant(value.clone()),
            ExpressionKind::Name(name) => self.name(name, span)?,
            ExpressionKind::Negation(inner) => self.expression(inner)?.map(|value| -value),
            ExpressionKind::Binary(..) => return self.operators(expression),
            ExpressionKind::Modulus(inner) => self.modulus(&self.expression(inner)?, span)?,
            ExpressionKind::Call(name, arguments) => self.call(name, arguments, span)?,
            ExpressionKind::Piecewise(branches, otherwise) => self.branches(branches, otherwise)?,
        };
        within_limits(value, span)
    }

    /// A chain of left-associative operators, without recursion along the chain.
    fn operators(&self, expression: &Expression) -> Result<Piecewise, Error> {
        let mut chain = Vec::new();
        let mut first = expression;
        while let ExpressionKind::Binary(operator, left, right) = &first.kind {
            chain.push((*operator, right.as_ref(), first.span));
            first = left;
        }
        chain.into_iter().rev().try_fold(
            self.expression(first)?,
            |left, (operator, right, span)| {
                let value = match operator {
                    BinaryOperator::Add => left.plus(&self.expression(right)?),
                    BinaryOperator::Subtract => left.minus(&self.expression(right)?),
                    BinaryOperator::Multiply => product(&left, &self.expression(right)?, span)?,
                    BinaryOperator::Divide => self.quotient(&left, right)?,
                    BinaryOperator::Power => self.power(&left, right)?,
                };
                within_limits(value, span)
            },
        )
    }

    fn name(&self, name: &str, span: Span) -> Result<Piecewise, Error> {
        if name == self.variable {
            return Ok(Piecewise::variable());
        }
        if let Some(parameter) = self.parameters.iter().find(|p| *p.name == *name) {
            let symbol = Symbol::Parameter(parameter.name.clone());
            return Ok(Polynomial::symbol(symbol).into());
        }
        let error = Error::new(ErrorKind::UnknownName(name.to_owned()), span);
        let known: Vec<&str> = std::iter::once(self.variable)
            .chain(self.parameters.iter().map(|p| &*p.name))
            .collect();
        let lowered = name.to_ascii_lowercase();
        Err(if self.is_function(name) {
            error.help(format!("`{name}` is a function: write `{name}({})`", self.variable))
        } else if ["nan", "inf", "infinity"].contains(&lowered.as_str()) {
            error.help("numbers are finite: write them in digits")
        } else {
            let (last, list) = known.split_last().expect("the variable is known");
            let known = match list {
                [] => format!("only `{last}` is known here"),
                _ => format!("known here: `{}` and `{last}`", list.join("`, `")),
            };
            error.help(format!("{known}; parameters are declared as in `g(x; {name} > 0) = …`"))
        })
    }

    fn quotient(&self, left: &Piecewise, divisor: &Expression) -> Result<Piecewise, Error> {
        let value = self.expression(divisor)?;
        match value.as_polynomial().and_then(Polynomial::as_constant) {
            Some(constant) if !constant.is_zero() => Ok(left.scale(&constant.recip())),
            constant => {
                let error = Error::new(
                    ErrorKind::Division(self.shown(&value, "a piecewise function")),
                    divisor.span,
                );
                Err(if constant.is_some() {
                    error
                } else {
                    error.help(
                        "a quotient by the variable or a parameter is not piecewise polynomial",
                    )
                })
            }
        }
    }

    fn power(&self, base: &Piecewise, exponent: &Expression) -> Result<Piecewise, Error> {
        let value = self.expression(exponent)?;
        let constant = value.as_polynomial().and_then(Polynomial::as_constant);
        let Some(n) = constant.filter(|n| n.is_integer()).and_then(|n| n.to_integer().to_biguint())
        else {
            return Err(Error::new(
                ErrorKind::Exponent(self.shown(&value, "that varies by pieces")),
                exponent.span,
            ));
        };
        if base.degree() > 0 {
            let degree = &n * base.degree().unsigned_abs();
            if degree > Limit::Degree.maximum().into() {
                return Err(Error::limit(Limit::Degree, degree.to_usize(), exponent.span));
            }
        }
        // By squaring, so that the limits stop it after few steps whatever the exponent.
        let mut power = Piecewise::constant(Rational::one());
        for bit in (0..n.bits()).rev() {
            power = within_limits(product(&power, &power, exponent.span)?, exponent.span)?;
            if n.bit(bit) {
                power = within_limits(product(&power, base, exponent.span)?, exponent.span)?;
            }
        }
        Ok(power)
    }

    /// A polynomial in backticks, in the variable's own name; `otherwise` for anything else.
    fn shown(&self, value: &Piecewise, otherwise: &str) -> String {
        let polynomial = value.as_polynomial().map(|value| format!("`{}`", self.plain(value)));
        polynomial.unwrap_or_else(|| otherwise.to_owned())
    }

    fn plain(&self, polynomial: &Polynomial) -> String {
        render::plain(polynomial, self.variable)
    }

    fn sign(&self, value: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        value.sign(self.parameters).map_err(|obstacle| self.obstructed(obstacle, span))
    }

    fn modulus(&self, value: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        Ok(value.times(&self.sign(value, span)?))
    }

    fn maximum(&self, a: &Piecewise, b: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        Ok(a.maximum(b, &self.sign(&a.minus(b), span)?))
    }

    fn minimum(&self, a: &Piecewise, b: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        let negative = |value: &Piecewise| value.map(|v| -v);
        Ok(negative(&self.maximum(&negative(a), &negative(b), span)?))
    }

    fn is_function(&self, name: &str) -> bool {
        self.library.contains_key(name) || BUILTINS.iter().any(|(builtin, ..)| *builtin == name)
    }

    fn call(&self, name: &Name, arguments: &[Expression], span: Span) -> Result<Piecewise, Error> {
        if let Some(activation) = self.library.get(&name.text) {
            return self.apply(activation, name, arguments, span);
        }
        let Some((_, least, most)) = BUILTINS.iter().find(|(builtin, ..)| *builtin == name.text)
        else {
            let error = Error::new(ErrorKind::UnknownName(name.text.clone()), name.span);
            let value = self.variable == name.text
                || self.parameters.iter().any(|parameter| *parameter.name == *name.text);
            return Err(match self.similar(&name.text) {
                _ if value => error.help(format!(
                    "`{0}` is not a function; a product needs a `*`: write `{0}*(…)`",
                    name.text
                )),
                Some(similar) => error.help(format!("did you mean `{similar}`?")),
                None => error.help(
                    "the functions are abs, max, min, clamp, relu, sign, step and the declared activations",
                ),
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
            ("sign", [value]) => self.sign(value, span),
            ("step", [value]) => Ok(indicator(&self.sign(value, span)?, |sign| sign > 0)),
            ("clamp", [value, low, high]) => {
                let order = self.sign(&high.minus(low), span)?;
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
        let mut outer = activation.pointwise.clone();
        for (parameter, argument) in activation.parameters.iter().zip(&arguments[1..]) {
            let value = self.expression(argument)?;
            let Some(constant) = value.as_polynomial().and_then(Polynomial::as_constant) else {
                let what = format!("parameter `{}` of `{}`", parameter.name, name.text);
                return Err(Error::new(ErrorKind::NotConstant(what), argument.span)
                    .help("give it a number"));
            };
            if !parameter.contains(&constant) {
                let message = format!("{constant} is not in the domain of `{}`", parameter.name);
                return Err(Error::new(ErrorKind::Domain(message), argument.span)
                    .help(format!("it is declared as `{parameter}`")));
            }
            let symbol = Symbol::Parameter(parameter.name.clone());
            let constant = Polynomial::constant(constant);
            outer = outer.map(|value| value.substitute(&symbol, &constant));
        }
        self.compose(&outer, &inner, span)
    }

    /// outer(inner(u)): each piece of `outer` on the set where `inner` falls into it.
    fn compose(
        &self,
        outer: &Piecewise,
        inner: &Piecewise,
        span: Span,
    ) -> Result<Piecewise, Error> {
        let insert = |polynomial: &Polynomial| {
            inner.map(|value| polynomial.substitute(&Symbol::Variable, value))
        };
        let mut result = insert(&outer.pieces()[0]);
        for (i, knot) in outer.knots().iter().enumerate() {
            let side = self.sign(&inner.map(|value| value - &knot.polynomial()), span)?;
            let right = insert(&outer.pieces()[i + 1]);
            let on_knot = Piecewise::from(outer.at_knots()[i].clone());
            let above = indicator(&side, |sign| sign > 0);
            let on = indicator(&side, |sign| sign == 0);
            let below = indicator(&side, |sign| sign < 0);
            result = below.times(&result).plus(&above.times(&right)).plus(&on.times(&on_knot));
            result = within_limits(result, span)?;
        }
        Ok(result)
    }

    fn branches(
        &self,
        branches: &[(Condition, Expression)],
        otherwise: &Expression,
    ) -> Result<Piecewise, Error> {
        let mut open = Piecewise::constant(Rational::one());
        let mut sum = Piecewise::constant(Rational::zero());
        for (condition, value) in branches {
            let holds = self.condition(condition)?;
            sum = sum.plus(&open.times(&holds).times(&self.expression(value)?));
            open = open.minus(&open.times(&holds));
            sum = within_limits(sum, value.span)?;
        }
        Ok(sum.plus(&open.times(&self.expression(otherwise)?)))
    }

    /// 1 where the condition holds, 0 elsewhere.
    fn condition(&self, condition: &Condition) -> Result<Piecewise, Error> {
        let mut left = (self.expression(&condition.first)?, condition.first.span);
        let mut holds = Piecewise::constant(Rational::one());
        for (comparison, right) in &condition.rest {
            let value = self.expression(right)?;
            let sign = self.sign(&left.0.minus(&value), left.1.to(right.span))?;
            holds = holds.times(&indicator(&sign, |sign| comparison.holds(sign)));
            left = (value, right.span);
        }
        Ok(holds)
    }

    fn obstructed(&self, obstacle: Obstacle, span: Span) -> Error {
        match obstacle {
            Obstacle::Undecided(value) => {
                let expression = self.plain(&value);
                Error::new(ErrorKind::Undecided { expression }, span)
                    .help("declare the domain that decides it, as in `eps in (0, 1)`")
            }
            Obstacle::Parametric(value) => {
                let expression = self.plain(&value);
                Error::new(ErrorKind::ParametricKnot { expression }, span)
                    .help("knots are numbers for now; parameters may enter the coefficients")
            }
            Obstacle::Work(needed) => Error::limit(Limit::Roots, Some(needed), span),
            Obstacle::Irrational(value, root) => {
                let (lower, upper) = match *root {
                    Root::Irrational { lower, upper } => (lower, upper),
                    Root::Rational(root) => (root.clone(), root),
                };
                let expression = self.plain(&value);
                let between = (lower.to_string(), upper.to_string());
                Error::new(ErrorKind::IrrationalKnot { expression, between }, span)
                    .help("knots are rational numbers for now")
            }
        }
    }

    fn similar(&self, name: &str) -> Option<String> {
        let names = BUILTINS.iter().map(|(builtin, ..)| *builtin);
        let candidates = names.chain(self.library.keys().map(String::as_str));
        candidates
            .map(|candidate| (distance(name, candidate), candidate))
            .min()
            .filter(|(distance, candidate)| *distance <= candidate.len() / 2)
            .map(|(_, candidate)| candidate.to_owned())
    }
}

/// 1 where the sign satisfies the predicate, 0 elsewhere.
fn indicator(sign: &Piecewise, holds: impl Fn(i8) -> bool) -> Piecewise {
    sign.map(|value| {
        let sign = value.as_constant().and_then(|v| v.to_integer().to_i8()).unwrap_or(0);
        Polynomial::constant(integer(i64::from(holds(sign))))
    })
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

/// The product; one of long pieces is refused before it is begun, since it takes long even
/// where the result would be short.
fn product(left: &Piecewise, right: &Piecewise, span: Span) -> Result<Piecewise, Error> {
    if terms(left) * terms(right) > 64 * Limit::Terms.maximum() {
        return Err(Error::limit(Limit::Terms, None, span));
    }
    Ok(left.times(right))
}

/// The number of terms in the longest piece.
fn terms(value: &Piecewise) -> usize {
    value.pieces().iter().map(Polynomial::len).max().unwrap_or(0)
}

fn coefficient_bits(value: &Piecewise) -> usize {
    let polynomials = value.pieces().iter().chain(value.at_knots());
    let largest = polynomials.flat_map(Polynomial::terms).map(|(_, c)| bits(c)).max();
    usize::try_from(largest.unwrap_or(0)).unwrap_or(usize::MAX)
}

fn within_limits(value: Piecewise, span: Span) -> Result<Piecewise, Error> {
    let degree = usize::try_from(value.degree()).unwrap_or(usize::MAX);
    let parametric = value.pieces().iter().flat_map(Polynomial::terms);
    let exponents = parametric.flat_map(|(m, _)| m.powers().iter().map(|(_, e)| e.unsigned_abs()));
    let highest = exponents.max().map_or(0, |e| e as usize);
    for (limit, needed) in [
        (Limit::Degree, degree.max(highest)),
        (Limit::Knots, value.knots().len()),
        (Limit::Terms, terms(&value)),
        (Limit::Bits, coefficient_bits(&value)),
    ] {
        if needed > limit.maximum() {
            return Err(Error::limit(limit, Some(needed), span));
        }
    }
    Ok(value)
}

/// The Levenshtein distance, for suggestions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
