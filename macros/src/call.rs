//! Methods of floats, as `x.max(y)` and as `f64::max(x, y)`.

use gaussform_symbolic::grammar::{BinaryOperator, Expression, ExpressionKind, Name};
use proc_macro2::Span;
use syn::{Expr, ExprCall, Ident};

use crate::body::Reader;
use crate::number;
use crate::place::Place;
use crate::unsupported;

/// The methods with the number of their arguments and how they are written.
pub(crate) const METHODS: [(&str, usize, &str); 7] = [
    ("abs", 0, "x.abs()"),
    ("clamp", 2, "x.clamp(a, b)"),
    ("max", 1, "x.max(y)"),
    ("min", 1, "x.min(y)"),
    ("mul_add", 2, "x.mul_add(a, b)"),
    ("powi", 1, "x.powi(n)"),
    ("signum", 0, "x.signum()"),
];

impl Reader<'_> {
    /// `f64::max(x, y)` and `f64::from(2)`.
    pub(crate) fn call(&mut self, call: &ExprCall) -> Option<Expression> {
        let Expr::Path(path) = &*call.func else {
            return self.refuse(unsupported::call(&call.func));
        };
        let mut segments = path.path.segments.iter();
        let (Some(kind), Some(method), None) = (segments.next(), segments.next(), segments.next())
        else {
            return self.refuse(unsupported::call(&call.func));
        };
        if !(kind.ident == "f64" || kind.ident == "f32") {
            return self.refuse(unsupported::call(&call.func));
        }
        let close = call.paren_token.span.close();
        let arguments: Vec<&Expr> = call.args.iter().collect();
        match arguments.as_slice() {
            [argument] if method.ident == "from" => self.from(argument, Place::of(path).to(close)),
            arguments => self.builtin(&method.ident, arguments, close),
        }
    }

    /// `f64::from(2)`.
    fn from(&mut self, argument: &Expr, place: Place) -> Option<Expression> {
        let literal = match argument {
            Expr::Lit(literal) => number::float(&literal.lit),
            _ => None,
        };
        match literal.or_else(|| self.integer(argument)) {
            Some(Ok(value)) => Some(self.at(place, ExpressionKind::Number(value))),
            Some(Err(error)) => self.push(error),
            None => {
                let message = "`from` is supported for literals only";
                self.refuse(Place::of(argument).advise(message, "write `f64::from(2)` or `2.0`"))
            }
        }
    }

    /// A method with its receiver as the first argument.
    pub(crate) fn builtin(
        &mut self,
        method: &Ident,
        arguments: &[&Expr],
        close: Span,
    ) -> Option<Expression> {
        let Some((name, count, usage)) = METHODS.iter().find(|(name, ..)| method == name) else {
            let (error, refused) = unsupported::method(method);
            return if refused { self.refuse(error) } else { self.push(error) };
        };
        if arguments.len() != 1 + count {
            let message = format_args!("`{name}` is given a wrong number of arguments");
            let place = Place::from(method.span()).to(close);
            return self.refuse(place.advise(message, format_args!("write `{usage}`")));
        }
        if *name == "powi" {
            return self.power(arguments[0], arguments[1]);
        }
        // All of them before any is given up, so that each is reported.
        let values: Vec<_> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let mut values = values.into_iter().collect::<Option<Vec<_>>>()?;
        let start = self.places.place(values[0].span);
        if *name == "mul_add" {
            let [addend, factor, base] = [values.pop()?, values.pop()?, values.pop()?];
            let product = self.binary(BinaryOperator::Multiply, base, factor);
            return Some(self.binary(BinaryOperator::Add, product, addend));
        }
        let text = if *name == "signum" { "sign" } else { name }.to_owned();
        let name = Name { text, span: self.places.span(method.span()) };
        Some(self.at(start.to(close), ExpressionKind::Call(name, values)))
    }

    fn power(&mut self, base: &Expr, exponent: &Expr) -> Option<Expression> {
        let base = self.expression(base);
        let place = Place::of(exponent);
        match self.integer(exponent) {
            Some(Ok(value)) => {
                let exponent = self.at(place, ExpressionKind::Number(value));
                base.map(|base| self.binary(BinaryOperator::Power, base, exponent))
            }
            Some(Err(error)) => self.push(error),
            None => {
                let message = "the exponent of `powi` must be an integer that is written out";
                self.refuse(place.advise(message, "write `.powi(2)`"))
            }
        }
    }
}
