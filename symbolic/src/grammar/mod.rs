//! Text to syntax tree. Knows exact numbers and nothing else of the engine.

mod ast;
mod complaint;
mod file;
mod parameters;
mod parse;

pub use ast::{
    BinaryOperator, Comparison, Condition, Declaration, Endpoint, Expression, ExpressionKind, Name,
    ParameterSyntax, RelationSyntax,
};
pub use file::{Entry, read_file};
pub use parse::{Input, parse_file, parse_input};
