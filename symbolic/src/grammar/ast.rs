//! The syntax tree, the same whether it was read from text or from a Rust function.

use num_traits::Zero;

use crate::error::Span;
use crate::exact::Rational;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// `name(variable; parameters and relations) = body`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The text of the lines above the declaration that begin with `##`, without these marks.
    pub docs: Vec<String>,
    /// The activation's name.
    pub name: Name,
    /// The name of the argument.
    pub variable: Name,
    /// The declared parameters.
    pub parameters: Vec<ParameterSyntax>,
    /// The relations between them.
    pub relations: Vec<RelationSyntax>,
    /// The value.
    pub body: Expression,
}

/// A parameter as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterSyntax {
    /// The name of the parameter.
    pub name: Name,
    /// The lower end of the parameter's range, if there is one.
    pub lower: Option<Endpoint>,
    /// The upper end of the parameter's range, if there is one.
    pub upper: Option<Endpoint>,
    /// The place of the whole text.
    pub span: Span,
}

/// A relation between parameters, as in `a < b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationSyntax {
    /// The left side.
    pub left: Expression,
    /// How the sides compare.
    pub comparison: Comparison,
    /// The right side.
    pub right: Expression,
}

/// An end of a parameter's domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The value.
    pub value: Rational,
    /// Whether the value belongs to the domain.
    pub closed: bool,
}

/// An expression and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The operation or the operand.
    pub kind: ExpressionKind,
    /// Where it stands.
    pub span: Span,
}

impl Expression {
    /// The value of a sum, difference, product or quotient of numbers; `None` for anything else.
    #[must_use]
    pub fn constant(&self) -> Option<Rational> {
        Some(match &self.kind {
            ExpressionKind::Number(value) => value.clone(),
            ExpressionKind::Negation(inner) => -inner.constant()?,
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (left.constant()?, right.constant()?);
                match operator {
                    BinaryOperator::Add => left + right,
                    BinaryOperator::Subtract => left - right,
                    BinaryOperator::Multiply => left * right,
                    BinaryOperator::Divide if !right.is_zero() => left / right,
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

/// The forms of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// A literal, exact.
    Number(Rational),
    /// The variable or a parameter.
    Name(String),
    /// −a.
    Negation(Box<Expression>),
    /// a ∘ b.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// |a|.
    Modulus(Box<Expression>),
    /// f(a, b, …).
    Call(Name, Vec<Expression>),
    /// The value of the first branch whose condition holds, or the last expression.
    Piecewise(Vec<(Condition, Expression)>, Box<Expression>),
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// +
    Add,
    /// −
    Subtract,
    /// ·
    Multiply,
    /// /
    Divide,
    /// ^
    Power,
}

/// A chain of comparisons that all hold: `-1 < x <= 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The left side of the first comparison.
    pub first: Expression,
    /// Each comparison with the expression to the left of it.
    pub rest: Vec<(Comparison, Expression)>,
}

/// A relation between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// <
    Less,
    /// ≤
    LessEqual,
    /// >
    Greater,
    /// ≥
    GreaterEqual,
}

impl Comparison {
    /// Whether a − b of this sign satisfies a ∘ b.
    #[must_use]
    pub fn holds(self, sign: i8) -> bool {
        match self {
            Self::Less => sign < 0,
            Self::LessEqual => sign <= 0,
            Self::Greater => sign > 0,
            Self::GreaterEqual => sign >= 0,
        }
    }
}
