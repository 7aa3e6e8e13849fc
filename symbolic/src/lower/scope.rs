//! Evaluation of expressions to piecewise polynomials, in a scope of variable, parameters and callable activations.

use std::cell::Cell;

use num_traits::{One, ToPrimitive, Zero};

use super::Library;
use super::bounds::{self, within_limits};
use super::obstacle::{obstructed, open};
use crate::domain::{Domain, Obstacle};
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::exact::{Rational, integer};
use crate::grammar::{BinaryOperator, Condition, Expression, ExpressionKind};
use crate::parameter::Parameter;
use crate::piecewise::{Piecewise, Purpose};
use crate::polynomial::{Polynomial, Symbol};
use crate::render;
use crate::similar::similar;

pub(super) struct Scope<'a> {
    pub(super) variable: &'a str,
    pub(super) parameters: &'a [Parameter],
    pub(super) domain: &'a Domain,
    pub(super) library: &'a Library,
    /// The work done so far, in products of terms.
    pub(super) work: &'a Cell<usize>,
}

impl Scope<'_> {
    pub(super) fn expression(&self, expression: &Expression) -> Result<Piecewise, Error> {
        let span = expression.span;
        let value = match &expression.kind {
            ExpressionKind::Number(value) => Piecewise::constant(value.clone()),
            ExpressionKind::Name(name) => self.name(name, span)?,
            ExpressionKind::Negation(inner) => self.expression(inner)?.map(|value| -value),
            // A chain checks the limits after each of its operators.
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
                let join = |operation| self.join(&left, &self.expression(right)?, span, operation);
                let value = match operator {
                    BinaryOperator::Add => join(Piecewise::plus)?,
                    BinaryOperator::Subtract => join(Piecewise::minus)?,
                    BinaryOperator::Multiply => {
                        self.product(&left, &self.expression(right)?, span)?
                    }
                    BinaryOperator::Divide => self.quotient(&left, right, span)?,
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
        } else if let Some(similar) = similar(name, known.iter().copied()) {
            error.help(format!("did you mean `{similar}`?"))
        } else if let Some(advice) = self.in_place_of(name) {
            error.help(advice)
        } else {
            let (last, list) = known.split_last().expect("the variable is known");
            let known = match list {
                [] => format!("only `{last}` is known here"),
                _ => format!("known here: `{}` and `{last}`", list.join("`, `")),
            };
            error.help(format!("{known}; parameters are declared, as in `g(x; {name}) = …`"))
        })
    }

    fn quotient(
        &self,
        left: &Piecewise,
        divisor: &Expression,
        span: Span,
    ) -> Result<Piecewise, Error> {
        let value = self.expression(divisor)?;
        let error = || {
            let shown = self.shown(&value, "a piecewise function");
            Error::new(ErrorKind::Division(shown), divisor.span)
        };
        let Some(below) = value.as_polynomial().filter(|p| !p.contains(&Symbol::Variable)) else {
            return Err(error().help("a quotient by the variable is not piecewise polynomial"));
        };
        match (below.reciprocal(), self.domain.sign(below)) {
            (Some(reciprocal), Some(-1 | 1)) => self.product(left, &reciprocal.into(), span),
            (_, Some(_)) => Err(error()),
            _ => Err(open(error(), "makes it so", below.clone())),
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
            power = within_limits(self.product(&power, &power, exponent.span)?, exponent.span)?;
            if n.bit(bit) {
                power = within_limits(self.product(&power, base, exponent.span)?, exponent.span)?;
            }
        }
        Ok(power)
    }

    /// A polynomial in backticks, in the variable's own name; `otherwise` for anything else.
    pub(super) fn shown(&self, value: &Piecewise, otherwise: &str) -> String {
        let polynomial = value.as_polynomial().map(|value| format!("`{}`", self.plain(value)));
        polynomial.unwrap_or_else(|| otherwise.to_owned())
    }

    pub(super) fn plain(&self, polynomial: &Polynomial) -> String {
        render::plain(polynomial, self.variable)
    }

    fn branches(
        &self,
        branches: &[(Condition, Expression)],
        otherwise: &Expression,
    ) -> Result<Piecewise, Error> {
        // 1 where no branch is taken yet, so that a branch counts only where those before it do
        // not.
        let mut open = Piecewise::constant(Rational::one());
        let mut sum = Piecewise::constant(Rational::zero());
        for (condition, value) in branches {
            let span = value.span;
            let taken = self.join(&open, &self.condition(condition)?, span, Piecewise::times)?;
            let part = self.join(&taken, &self.expression(value)?, span, Piecewise::times)?;
            sum = within_limits(self.join(&sum, &part, span, Piecewise::plus)?, span)?;
            open = self.join(&open, &taken, span, Piecewise::minus)?;
        }
        let span = otherwise.span;
        let rest = self.join(&open, &self.expression(otherwise)?, span, Piecewise::times)?;
        self.join(&sum, &rest, span, Piecewise::plus)
    }

    /// 1 where the condition holds, 0 elsewhere.
    fn condition(&self, condition: &Condition) -> Result<Piecewise, Error> {
        let mut left = (self.expression(&condition.first)?, condition.first.span);
        let mut holds = Piecewise::constant(Rational::one());
        for (comparison, right) in &condition.rest {
            let value = self.expression(right)?;
            let span = left.1.to(right.span);
            let difference = self.join(&left.0, &value, span, Piecewise::minus)?;
            let sign = self.sign(&difference, Purpose::Value, span)?;
            let here = indicator(&sign, |sign| comparison.holds(sign));
            holds = self.join(&holds, &here, span, Piecewise::times)?;
            left = (value, right.span);
        }
        Ok(holds)
    }

    /// The sum, product or other pointwise combination of two functions.
    pub(super) fn join(
        &self,
        left: &Piecewise,
        right: &Piecewise,
        span: Span,
        operation: fn(&Piecewise, &Piecewise, &Domain) -> Result<Piecewise, Obstacle>,
    ) -> Result<Piecewise, Error> {
        self.spend(bounds::sum(left, right), span)?;
        operation(left, right, self.domain).map_err(|obstacle| self.obstructed(obstacle, span))
    }

    fn product(&self, left: &Piecewise, right: &Piecewise, span: Span) -> Result<Piecewise, Error> {
        self.spend(bounds::product(left, right, span)?, span)?;
        self.join(left, right, span, Piecewise::times)
    }

    /// Counts work against the limit, before it is done.
    pub(super) fn spend(&self, units: usize, span: Span) -> Result<(), Error> {
        self.work.set(self.work.get().saturating_add(units.saturating_mul(UNIT)));
        if self.work.get() > Limit::Work.maximum() {
            return Err(Error::limit(Limit::Work, None, span).help("write it in a simpler way"));
        }
        Ok(())
    }

    pub(super) fn obstructed(&self, obstacle: Obstacle, span: Span) -> Error {
        obstructed(obstacle, self.variable, span)
    }

    pub(super) fn sign(
        &self,
        value: &Piecewise,
        purpose: Purpose,
        span: Span,
    ) -> Result<Piecewise, Error> {
        self.spend(bounds::roots(value), span)?;
        value.sign(self.domain, purpose).map_err(|obstacle| self.obstructed(obstacle, span))
    }
}

/// Products of terms of a derivation that take as long as one that is counted here: these bounds are less close.
const UNIT: usize = 12;

/// 1 where the sign satisfies the predicate, 0 elsewhere.
pub(super) fn indicator(sign: &Piecewise, holds: impl Fn(i8) -> bool) -> Piecewise {
    sign.map(|value| {
        let sign = value.as_constant().and_then(|v| v.to_integer().to_i8()).unwrap_or(0);
        Polynomial::constant(integer(i64::from(holds(sign))))
    })
}
