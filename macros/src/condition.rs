//! Conditions: comparisons, joined by `&&`, `||` and `!`.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Condition, Expression, ExpressionKind, Name,
};
use syn::{BinOp, Expr, UnOp};

use crate::body::Reader;
use crate::place::Place;
use crate::unsupported;

impl Reader<'_> {
    /// A condition: of truth values, 1 and 0, where it is more than one comparison.
    pub(crate) fn condition(&mut self, expr: &Expr) -> Option<Condition> {
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
        let truth = self.truth(expr)?;
        let zero = self.number(0, Place::of(expr));
        Some(Condition { first: truth, rest: vec![(Comparison::Greater, zero)] })
    }

    /// 1 where the condition holds and 0 elsewhere: `&&` is the smaller of two truth values,
    /// `||` the larger.
    fn truth(&mut self, expr: &Expr) -> Option<Expression> {
        let place = Place::of(expr);
        self.deeper(expr, |this| match expr {
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                let (left, right) = (this.truth(&binary.left), this.truth(&binary.right));
                let arguments = vec![left?, right?];
                let text = if matches!(binary.op, BinOp::And(_)) { "min" } else { "max" };
                let name = Name { text: text.to_owned(), span: this.places.span(place) };
                Some(this.at(place, ExpressionKind::Call(name, arguments)))
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let inner = this.truth(&unary.expr)?;
                let one = this.number(1, place);
                Some(this.binary(BinaryOperator::Subtract, one, inner))
            }
            _ if is_condition(expr) => {
                let condition = this.condition(expr)?;
                let (one, zero) = (this.number(1, place), this.number(0, place));
                let branches = vec![(condition, one)];
                Some(this.at(place, ExpressionKind::Piecewise(branches, Box::new(zero))))
            }
            _ => this.refuse(unsupported::condition(expr)),
        })
    }

    fn number(&mut self, value: i64, place: Place) -> Expression {
        self.at(place, ExpressionKind::Number(integer(value)))
    }
}

/// Whether [`Reader::condition`] takes it apart without coming back to `truth`.
fn is_condition(expr: &Expr) -> bool {
    matches!(expr, Expr::Paren(_) | Expr::Group(_)) || compared(expr).is_some()
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
