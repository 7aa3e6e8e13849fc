//! Text to syntax tree. Knows exact numbers and nothing else of the engine.

mod ast;
mod parse;

pub use ast::{
    BinaryOperator, Comparison, Condition, Declaration, Endpoint, Expression, ExpressionKind, Name,
    ParameterSyntax,
};
pub use parse::{Input, parse_file, parse_input};
