//! The function's body: Rust's expressions as those of the language.

use gaussform_symbolic::grammar::{BinaryOperator, Condition, Expression, ExpressionKind};
use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, ExprIf, ExprReturn, Ident, Lit, UnOp};

use crate::number::{self, Rational};
use crate::place::{Place, Places, Report};
use crate::scope::{Budget, Meaning, Scope, Size};
use crate::unsupported;

/// Reads expressions. A method returns `None` where it has reported an error, or something
/// before it has.
pub(crate) struct Reader<'r, 'a> {
    pub(crate) places: &'r mut Places,
    pub(crate) report: &'r mut Report,
    pub(crate) scope: Scope<'a>,
    pub(crate) budget: Budget,
    /// The arguments of `signum` and `copysign` whose signs are needed.
    pub(crate) signs: Vec<Expression>,
}

/// Whose value an expression or a block is: it may leave the function by `return` if it is the function's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueOf {
    Function,
    Other,
}

impl<'r, 'a> Reader<'r, 'a> {
    /// A reader of expressions that may use the names in `scope`.
    pub(crate) fn new(places: &'r mut Places, report: &'r mut Report, scope: Scope<'a>) -> Self {
        Self { places, report, scope, budget: Budget::default(), signs: Vec::new() }
    }

    /// Reads an expression whose value is a number.
    pub(crate) fn expression(&mut self, expr: &'a Expr) -> Option<Expression> {
        self.expression_of(expr, ValueOf::Other)
    }

    pub(crate) fn expression_of(&mut self, expr: &'a Expr, of: ValueOf) -> Option<Expression> {
        self.deeper(expr, |this| match expr {
            Expr::Lit(literal) => this.literal(&literal.lit),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if path.qself.is_none() => this.name(name),
                _ => this.path(path),
            },
            Expr::Paren(paren) => {
                let inner = this.expression(&paren.expr)?;
                Some(this.at(Place::of(paren), inner.kind))
            }
            // Invisible parentheses, around what a macro has put in.
            Expr::Group(group) => this.expression(&group.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                let inner = this.expression(&unary.expr)?;
                let place = Place::of(&unary.op).to(this.places.place(inner.span));
                Some(this.at(place, ExpressionKind::Negation(Box::new(inner))))
            }
            Expr::Binary(binary) => this.operators(binary),
            Expr::If(conditional) => this.conditional(conditional, of),
            Expr::Match(expr) => this.matched(expr, of),
            Expr::Block(block) if block.label.is_none() => this.block(&block.block, of),
            Expr::Return(ExprReturn { attrs, expr: Some(value), .. })
                if of == ValueOf::Function =>
            {
                let plain = this.plain(attrs);
                this.expression(value).filter(|_| plain.is_some())
            }
            Expr::MethodCall(call) if call.turbofish.is_none() => {
                let arguments: Vec<&'a Expr> =
                    std::iter::once(&*call.receiver).chain(&call.args).collect();
                this.builtin(&call.method, &arguments, call.paren_token.span.close())
            }
            Expr::Call(call) => this.call(call),
            _ => this.refuse(unsupported::expression(expr)),
        })
    }

    /// Runs `read` a level deeper, if that is within the limits.
    pub(crate) fn deeper<T>(
        &mut self,
        tokens: &impl ToTokens,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.budget.enter(|| Place::of(tokens), self.report)?;
        let value = read(self);
        self.budget.leave();
        value
    }

    /// An expression at a place.
    pub(crate) fn at(&mut self, place: impl Into<Place>, kind: ExpressionKind) -> Expression {
        Expression { kind, span: self.places.span(place) }
    }

    /// Reports that the activation cannot be what good Rust says.
    pub(crate) fn push<T>(&mut self, error: syn::Error) -> Option<T> {
        self.report.push(error);
        None
    }

    /// Reports what the compiler would, or might, refuse too.
    pub(crate) fn refuse<T>(&mut self, error: syn::Error) -> Option<T> {
        self.report.refuse(error);
        None
    }

    pub(crate) fn literal(&mut self, literal: &Lit) -> Option<Expression> {
        let place = Place::from(literal.span());
        match (number::float(literal), number::integer(literal)) {
            (Some(Ok(value)), _) => Some(self.at(place, ExpressionKind::Number(value))),
            (Some(Err(error)), _) => self.push(error),
            (None, Some(_)) => {
                let digits = literal.to_token_stream();
                let help = format_args!("write `{digits}.0`");
                self.refuse(place.advise(format_args!("`{digits}` is an integer"), help))
            }
            (None, None) => self.refuse(place.error("expected a number")),
        }
    }

    pub(crate) fn name(&mut self, name: &Ident) -> Option<Expression> {
        let place = Place::from(name.span());
        match self.resolve(name)? {
            Meaning::Argument => {
                let name = syn::ext::IdentExt::unraw(name).to_string();
                Some(self.at(place, ExpressionKind::Name(name)))
            }
            Meaning::Value(value, _) => Some(self.at(place, value.kind)),
            Meaning::Truth(..) => self.refuse(unsupported::truth(name)),
            Meaning::Integer(_) => self.refuse(place.advise(
                format_args!("`{name}` is an integer"),
                "only the exponent of `powi` may be one; write the number with a point",
            )),
            Meaning::Item(_) | Meaning::Failed => None,
        }
    }

    /// The meaning of a name. The budget is charged for one more copy of its expression.
    pub(crate) fn resolve(&mut self, name: &Ident) -> Option<Meaning<'a>> {
        let place = || Place::from(name.span());
        match self.scope.meaning(name) {
            Some(Meaning::Value(_, size) | Meaning::Truth(_, size)) => {
                self.budget.spend(*size, place, self.report)?;
                self.scope.meaning(name).cloned()
            }
            Some(Meaning::Item(item)) => {
                let item = item.clone();
                self.constant(&item, name)
            }
            Some(known) => Some(known.clone()),
            None => {
                let error = unsupported::name(name, &self.scope.known());
                self.refuse(error)
            }
        }
    }

    /// The value of an expression: a number, a condition or an integer.
    pub(crate) fn meaning_of(&mut self, expr: &'a Expr) -> Option<Meaning<'a>> {
        match self.integer(expr) {
            Some(Ok(value)) => Some(Meaning::Integer(value)),
            _ if self.is_truth(expr) => {
                let (value, size) = self.measured(|this| this.truth(expr));
                Some(Meaning::Truth(value?, size))
            }
            _ => self.value(expr),
        }
    }

    /// The value of an expression that is a number.
    pub(crate) fn value(&mut self, expr: &'a Expr) -> Option<Meaning<'a>> {
        let (value, size) = self.measured(|this| this.expression(expr));
        Some(Meaning::Value(value?, size))
    }

    fn measured<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> (T, Size) {
        Budget::measure(self, |this| &mut this.budget, read)
    }

    /// A chain of left-associative operators, without recursion along the chain.
    fn operators(&mut self, expr: &'a ExprBinary) -> Option<Expression> {
        let (mut chain, mut first) = (vec![expr], &*expr.left);
        while let Expr::Binary(binary) = first {
            chain.push(binary);
            first = &binary.left;
        }
        // After an error the other operands are still read, so that each mistake is reported.
        let mut left = self.expression(first);
        for binary in chain.into_iter().rev() {
            let operator = match binary.op {
                BinOp::Add(_) => Some(BinaryOperator::Add),
                BinOp::Sub(_) => Some(BinaryOperator::Subtract),
                BinOp::Mul(_) => Some(BinaryOperator::Multiply),
                BinOp::Div(_) => Some(BinaryOperator::Divide),
                _ => self.refuse(unsupported::operator(&binary.op)),
            };
            let right = self.expression(&binary.right);
            left = left
                .zip(operator)
                .zip(right)
                .map(|((left, operator), right)| self.binary(operator, left, right));
        }
        left
    }

    /// a ∘ b, around both.
    pub(crate) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
    ) -> Expression {
        let place = self.places.place(left.span).to(self.places.place(right.span));
        self.at(place, ExpressionKind::Binary(operator, Box::new(left), Box::new(right)))
    }

    /// `if … else if … else …`
    fn conditional(&mut self, first: &'a ExprIf, of: ValueOf) -> Option<Expression> {
        let (branches, last) = self.branches(first, of);
        let Some((_, otherwise)) = &last.else_branch else {
            return self.refuse(unsupported::open_branch(last));
        };
        let otherwise = Box::new(self.expression_of(otherwise, of)?);
        let place = Place::of(&first.if_token).to(self.places.place(otherwise.span));
        Some(self.at(place, ExpressionKind::Piecewise(branches?, otherwise)))
    }

    /// The conditions of `if … else if …` with their values, and the last `if`. There is no recursion along the chain.
    pub(crate) fn branches(
        &mut self,
        first: &'a ExprIf,
        of: ValueOf,
    ) -> (Option<Vec<(Condition, Expression)>>, &'a ExprIf) {
        let (mut branches, mut next, mut complete) = (Vec::new(), first, true);
        loop {
            let condition = self.condition(&next.cond);
            let value = self.block(&next.then_branch, of);
            complete &= condition.is_some() && value.is_some();
            branches.extend(condition.zip(value));
            match next.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
                Some(Expr::If(chained)) => next = chained,
                _ => return (complete.then_some(branches), next),
            }
        }
    }

    /// An integer that is written out, the name of one, or arithmetic of integers.
    pub(crate) fn integer(&mut self, expr: &'a Expr) -> Option<syn::Result<Rational>> {
        match expr {
            Expr::Lit(literal) => number::integer(&literal.lit),
            Expr::Paren(paren) => self.integer(&paren.expr),
            Expr::Group(group) => self.integer(&group.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
                Some(self.integer(&unary.expr)?.map(|value| -value))
            }
            Expr::Binary(binary) => self.integers(binary),
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                match self.scope.meaning(name)? {
                    Meaning::Integer(value) => Some(Ok(value.clone())),
                    Meaning::Item(item) if item.is_integer() => {
                        let item = item.clone();
                        match self.constant(&item, name)? {
                            Meaning::Integer(value) => Some(Ok(value)),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A sum or product of integers, without recursion along the chain.
    fn integers(&mut self, expr: &'a ExprBinary) -> Option<syn::Result<Rational>> {
        let (mut chain, mut first) = (vec![expr], &*expr.left);
        while let Expr::Binary(binary) = first {
            chain.push(binary);
            first = &binary.left;
        }
        let mut value = self.integer(first)?;
        for binary in chain.into_iter().rev() {
            let right = self.integer(&binary.right)?;
            value = match (value, right) {
                (Ok(left), Ok(right)) => number::arithmetic(&left, &binary.op, &right)?,
                (Err(error), _) | (_, Err(error)) => Err(error),
            };
        }
        Some(value)
    }
}
