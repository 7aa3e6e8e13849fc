//! Conditions: comparisons, joined by `&&`, `||` and `!`.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Condition, Expression, ExpressionKind, Name,
};
use syn::{BinOp, Expr, ExprRange, RangeLimits, UnOp};

use crate::body::Reader;
use crate::place::Place;
use crate::scope::Meaning;
use crate::unsupported;

impl<'a> Reader<'_, 'a> {
    /// A condition: of truth values, 1 and 0, where it is more than one comparison.
    pub(crate) fn condition(&mut self, expr: &'a Expr) -> Option<Condition> {
        if let Expr::Paren(paren) = expr {
            return self.deeper(paren, |this| this.condition(&paren.expr));
        }
        if let Expr::Group(group) = expr {
            return self.deeper(group, |this| this.condition(&group.expr));
        }
        if let Some((left, comparison, right)) = compared(expr) {
            return self.deeper(expr, |this| {
                let (left, right) = (this.expression(left), this.expression(right));
                Some(Condition { first: left?, rest: vec![(comparison, right?)] })
            });
        }
        if let Some((range, subject)) = contained(expr) {
            return self.deeper(expr, |this| {
                let subject = this.expression(subject);
                this.within(range, subject?)
            });
        }
        let truth = self.truth(expr)?;
        Some(self.holds(truth))
    }

    /// The condition that lies behind a truth value.
    pub(crate) fn holds(&mut self, truth: Expression) -> Condition {
        let zero = self.number(0, self.places.place(truth.span));
        Condition { first: truth, rest: vec![(Comparison::Greater, zero)] }
    }

    /// 1 where the condition holds and 0 elsewhere.
    pub(crate) fn indicator(&mut self, condition: Condition, place: Place) -> Expression {
        let (one, zero) = (self.number(1, place), self.number(0, place));
        self.at(place, ExpressionKind::Piecewise(vec![(condition, one)], Box::new(zero)))
    }

    /// The `min` or the `max` of truth values.
    pub(crate) fn joined(&mut self, text: &str, truths: Vec<Expression>) -> Expression {
        let ends = truths.first().zip(truths.last()).expect("one at the least");
        let place = self.places.place(ends.0.span).to(self.places.place(ends.1.span));
        let name = Name { text: text.to_owned(), span: self.places.span(place) };
        self.at(place, ExpressionKind::Call(name, truths))
    }

    /// Whether a number lies in a range of numbers.
    pub(crate) fn within(
        &mut self,
        range: &'a ExprRange,
        subject: Expression,
    ) -> Option<Condition> {
        let mut end = |end: &'a Option<Box<Expr>>| match end {
            Some(end) => self.expression(end).map(Some),
            None => Some(None),
        };
        // Both ends are read before any is given up, so that each is reported.
        let (lower, upper) = (end(&range.start), end(&range.end));
        let upper_comparison = match range.limits {
            RangeLimits::Closed(_) => Comparison::LessEqual,
            RangeLimits::HalfOpen(_) => Comparison::Less,
        };
        let upper = upper?.map(|upper| (upper_comparison, upper));
        Some(match lower? {
            Some(lower) => Condition {
                first: lower,
                rest: [Some((Comparison::LessEqual, subject)), upper]
                    .into_iter()
                    .flatten()
                    .collect(),
            },
            None => Condition { first: subject, rest: upper.into_iter().collect() },
        })
    }

    /// 1 where the condition holds and 0 elsewhere: `&&` is the smaller of two truth values,
    /// `||` the larger.
    pub(crate) fn truth(&mut self, expr: &'a Expr) -> Option<Expression> {
        let place = Place::of(expr);
        self.deeper(expr, |this| match expr {
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                let (left, right) = (this.truth(&binary.left), this.truth(&binary.right));
                let text = if matches!(binary.op, BinOp::And(_)) { "min" } else { "max" };
                Some(this.joined(text, vec![left?, right?]))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let inner = this.truth(&unary.expr)?;
                let one = this.number(1, place);
                Some(this.binary(BinaryOperator::Subtract, one, inner))
            }
            Expr::Path(path) if path.path.get_ident().is_some() => {
                match this.resolve(path.path.get_ident()?)? {
                    Meaning::Truth(value, _) => Some(this.at(place, value.kind)),
                    Meaning::Failed => None,
                    _ => this.refuse(unsupported::condition(expr)),
                }
            }
            _ if is_condition(expr) => {
                let condition = this.condition(expr)?;
                Some(this.indicator(condition, place))
            }
            _ => this.refuse(unsupported::condition(expr)),
        })
    }

    /// Whether an expression is a condition, by its form or by what its name was bound to.
    pub(crate) fn is_truth(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(paren) => self.is_truth(&paren.expr),
            Expr::Group(group) => self.is_truth(&group.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Not(_)),
            Expr::Binary(binary) => is_truth_operator(&binary.op),
            Expr::Path(path) => {
                let known = path.path.get_ident().and_then(|name| self.scope.meaning(name));
                match known {
                    Some(Meaning::Item(item)) => item.is_truth(),
                    known => matches!(known, Some(Meaning::Truth(..))),
                }
            }
            _ => contained(expr).is_some(),
        }
    }

    fn number(&mut self, value: i64, place: Place) -> Expression {
        self.at(place, ExpressionKind::Number(integer(value)))
    }
}

fn is_truth_operator(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::And(_)
            | BinOp::Or(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_)
    )
}

/// Whether [`Reader::condition`] takes it apart without coming back to `truth`.
fn is_condition(expr: &Expr) -> bool {
    let is_whole = compared(expr).is_some() || contained(expr).is_some();
    is_whole || matches!(expr, Expr::Paren(_) | Expr::Group(_))
}

/// `(a..=b).contains(&x)`
fn contained(expr: &Expr) -> Option<(&ExprRange, &Expr)> {
    let Expr::MethodCall(call) = expr else { return None };
    let (Expr::Paren(receiver), "contains") = (&*call.receiver, &*call.method.to_string()) else {
        return None;
    };
    let (Expr::Range(range), Some(Expr::Reference(subject))) = (&*receiver.expr, call.args.first())
    else {
        return None;
    };
    (call.args.len() == 1).then_some((range, &*subject.expr))
}

fn compared(expr: &Expr) -> Option<(&Expr, Comparison, &Expr)> {
    let Expr::Binary(binary) = expr else { return None };
    let comparison = match binary.op {
        BinOp::Lt(_) => Comparison::Less,
        BinOp::Le(_) => Comparison::LessEqual,
        BinOp::Gt(_) => Comparison::Greater,
        BinOp::Ge(_) => Comparison::GreaterEqual,
        _ => return None,
    };
    Some((&binary.left, comparison, &binary.right))
}
