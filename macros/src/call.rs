//! Methods of floats, as `x.max(y)` and as `f64::max(x, y)`, and what stands at paths.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Condition, Expression, ExpressionKind, Name,
};
use proc_macro2::Span;
use syn::{Expr, ExprCall, ExprPath, Ident, Lit, LitFloat};

use crate::body::Reader;
use crate::place::Place;
use crate::unsupported::{self, METHODS};

impl<'a> Reader<'_, 'a> {
    /// `f64::max(x, y)`, `f64::from(2)`, and the function of a name.
    pub(crate) fn call(&mut self, call: &'a ExprCall) -> Option<Expression> {
        let Expr::Path(path) = &*call.func else {
            return self.refuse(unsupported::call(&call.func, &self.scope));
        };
        let segments: Vec<&'a Ident> = path.path.segments.iter().map(|s| &s.ident).collect();
        let (kind, method) = match segments.as_slice() {
            [name] => return self.apply(name, call),
            [module, name] if *module == "self" => return self.apply(name, call),
            [kind, method] if self.is_float(kind) => (kind, method),
            _ => return self.refuse(unsupported::call(&call.func, &self.scope)),
        };
        let close = call.paren_token.span.close();
        let arguments: Vec<&'a Expr> = call.args.iter().collect();
        match (method.to_string().as_str(), arguments.as_slice()) {
            ("from" | "from_f64", [argument]) => self.from(argument),
            (name @ ("zero" | "one"), []) if self.scope.generic.is_some() => {
                Some(self.unit(name, Place::from(kind.span()).to(close)))
            }
            _ => self.builtin(method, &arguments, close),
        }
    }

    /// `T::ZERO` and `T::ONE`; of a known type no other constant is taken.
    pub(crate) fn path(&mut self, path: &'a ExprPath) -> Option<Expression> {
        let segments: Vec<&'a Ident> = path.path.segments.iter().map(|s| &s.ident).collect();
        match segments.as_slice() {
            [kind, name]
                if self.scope.generic == Some(kind) && (*name == "ZERO" || *name == "ONE") =>
            {
                Some(self.unit(&name.to_string(), Place::of(path)))
            }
            [module, _] if *module == "self" => self.name(segments[1]),
            [.., kind, module, name] if *module == "consts" => match digits(kind, name) {
                Some(digits) => self.literal(&Lit::Float(LitFloat::new(&digits, name.span()))),
                None => self.push(unsupported::constant(path)),
            },
            _ => self.push(unsupported::constant(path)),
        }
    }

    fn is_float(&self, name: &Ident) -> bool {
        name == "f64" || name == "f32" || self.scope.generic == Some(name)
    }

    fn unit(&mut self, name: &str, place: Place) -> Expression {
        let value = i64::from(name.eq_ignore_ascii_case("one"));
        self.at(place, ExpressionKind::Number(integer(value)))
    }

    /// `f64::from(2)`, `f64::from(x > 0.0)`, `T::from_f64(0.5)`.
    fn from(&mut self, argument: &'a Expr) -> Option<Expression> {
        match self.integer(argument) {
            Some(Ok(value)) => Some(self.at(Place::of(argument), ExpressionKind::Number(value))),
            Some(Err(error)) => self.push(error),
            None if self.is_truth(argument) => self.truth(argument),
            None => self.expression(argument),
        }
    }

    /// A method with its receiver as the first argument.
    pub(crate) fn builtin(
        &mut self,
        method: &Ident,
        arguments: &[&'a Expr],
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
        let place = self.places.place(values[0].span).to(close);
        // The arguments come from the last to the first.
        let mut next = || values.pop();
        Some(match *name {
            "mul_add" => {
                let (addend, factor, base) = (next()?, next()?, next()?);
                let product = self.binary(BinaryOperator::Multiply, base, factor);
                self.binary(BinaryOperator::Add, product, addend)
            }
            "recip" => {
                let one = self.unit("one", place);
                self.binary(BinaryOperator::Divide, one, next()?)
            }
            "signum" => self.sign(next()?, place),
            "copysign" => {
                let sign = self.sign(next()?, place);
                let size = self.at(place, ExpressionKind::Modulus(Box::new(next()?)));
                self.binary(BinaryOperator::Multiply, size, sign)
            }
            _ => {
                let name = Name { text: (*name).to_owned(), span: self.places.span(method.span()) };
                self.at(place, ExpressionKind::Call(name, values))
            }
        })
    }

    /// The sign as Rust has it: 1 at 0, and never 0.
    fn sign(&mut self, value: Expression, place: Place) -> Expression {
        self.signs.push(Expression { span: self.places.span(place), ..value.clone() });
        let [zero, one, other] = [0, 1, -1].map(|value| ExpressionKind::Number(integer(value)));
        let zero = self.at(place, zero);
        let condition = Condition { first: value, rest: vec![(Comparison::GreaterEqual, zero)] };
        let (one, other) = (self.at(place, one), self.at(place, other));
        self.at(place, ExpressionKind::Piecewise(vec![(condition, one)], Box::new(other)))
    }

    fn power(&mut self, base: &'a Expr, exponent: &'a Expr) -> Option<Expression> {
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

/// The constants of `std::f64::consts` and `std::f32::consts`, by their names.
macro_rules! constants {
    ($kind:ident, $name:expr, $($known:ident)*) => {
        match $name {
            $(stringify!($known) => Some(std::$kind::consts::$known.to_string()),)*
            _ => None,
        }
    };
}

/// The digits that tell a constant of the standard library from all other numbers of its type. They are read as a
/// literal is.
fn digits(kind: &Ident, name: &Ident) -> Option<String> {
    let name = name.to_string();
    macro_rules! of {
        ($kind:ident) => {
            constants!($kind, name.as_str(), E FRAC_1_PI FRAC_1_SQRT_2 FRAC_2_PI FRAC_2_SQRT_PI FRAC_PI_2 FRAC_PI_3
                FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 LN_10 LN_2 LOG10_2 LOG10_E LOG2_10 LOG2_E PI SQRT_2 TAU)
        };
    }
    match kind.to_string().as_str() {
        "f64" => of!(f64),
        "f32" => of!(f32),
        _ => None,
    }
}
