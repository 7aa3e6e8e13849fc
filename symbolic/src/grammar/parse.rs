//! From text to the syntax tree, within limits that keep recursion shallow.

use std::sync::LazyLock;

use pest::Parser;
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::ast::{
    BinaryOperator, Comparison, Condition, Declaration, Endpoint, Expression, ExpressionKind, Name,
};
use super::complaint::syntax_error;
use super::parameters::{Parameters, Side};
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::exact::{Rational, decimal, integer};

#[allow(missing_docs, reason = "derived from the grammar file")]
mod rules {
    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/gaussform.pest"]
    pub(in crate::grammar) struct Grammar;
}
use rules::Grammar;
pub(super) use rules::Rule;

static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    // From the weakest to the strongest. A sign binds weaker than a power, so −x^2 is −(x²).
    PrattParser::new()
        .op(Op::infix(Rule::plus, Assoc::Left) | Op::infix(Rule::minus, Assoc::Left))
        .op(Op::infix(Rule::times, Assoc::Left) | Op::infix(Rule::over, Assoc::Left))
        .op(Op::prefix(Rule::negation))
        .op(Op::infix(Rule::power, Assoc::Right))
});

/// Levels of the syntax tree: an operand that nests, a prefix sign or a power each make one.
const MAX_LEVELS: usize = 4 * Limit::Depth.maximum();

/// A line of a user: a declaration, or an expression in `x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// `name(x; …) = …`
    Declaration(Declaration),
    /// An expression in `x`.
    Expression(Expression),
}

/// Reads a declaration or a bare expression.
///
/// # Errors
///
/// If the text does not follow the grammar or exceeds a limit.
pub fn parse_input(text: &str) -> Result<Input, Error> {
    let pair = parse(Rule::input, text)?.into_inner().next().expect("one by the grammar");
    let mut builder = Builder::default();
    Ok(match pair.as_rule() {
        Rule::declaration => Input::Declaration(builder.declaration(pair)?),
        _ => Input::Expression(builder.expression(pair)?),
    })
}

/// Reads a file of declarations.
///
/// # Errors
///
/// If the text does not follow the grammar or exceeds a limit.
pub fn parse_file(text: &str) -> Result<Vec<Declaration>, Error> {
    parse(Rule::file, text)?
        .into_inner()
        .filter(|pair| pair.as_rule() == Rule::declaration)
        .map(|pair| Builder::default().declaration(pair))
        .collect()
}

/// Reads the declaration between two places of a text; `None` if there is none.
pub(super) fn parse_declaration(
    text: &str,
    start: usize,
    end: usize,
) -> Result<Option<Declaration>, Error> {
    // Blanks in front keep every place what it is in the whole text.
    let padded = " ".repeat(start) + &text[start..end];
    Ok(parse_file(&padded)?.into_iter().next())
}

fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, Error> {
    if text.len() > Limit::Length.maximum() {
        let end = Span { start: Limit::Length.maximum(), end: text.len() };
        return Err(Error::limit(Limit::Length, Some(text.len()), end));
    }
    check_nesting(text)?;
    let mut pairs = Grammar::parse(rule, text).map_err(|error| syntax_error(text, &error))?;
    Ok(pairs.next().expect("the whole input is one pair"))
}

/// Bounds the recursion of the parser before it starts. A bar closes where an operand has just
/// ended, and opens elsewhere.
fn check_nesting(text: &str) -> Result<(), Error> {
    let mut depth = 0_usize;
    let (mut comment, mut operand) = (false, false);
    for (start, c) in text.char_indices() {
        match c {
            '\n' | '\r' => comment = false,
            '#' => comment = true,
            _ if comment || c.is_whitespace() => continue,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            '|' if operand => depth = depth.saturating_sub(1),
            '|' => depth += 1,
            _ => {}
        }
        operand = match c {
            ')' | '}' | ']' | '.' | '_' => true,
            // A bar that closes has an operand before it and ends one; a bar that opens does
            // neither.
            '|' => operand,
            '\n' | '\r' | '#' => operand,
            _ => c.is_alphanumeric(),
        };
        if depth > Limit::Depth.maximum() {
            let span = Span { start, end: start + c.len_utf8() };
            return Err(Error::limit(Limit::Depth, None, span));
        }
    }
    Ok(())
}

/// Builds the tree and counts what it builds.
#[derive(Default)]
struct Builder {
    nodes: usize,
    /// Levels of the tree above the expression that is being built.
    levels: usize,
}

fn span(pair: &Pair<'_, Rule>) -> Span {
    Span { start: pair.as_span().start(), end: pair.as_span().end() }
}

fn name(pair: &Pair<'_, Rule>) -> Name {
    Name { text: pair.as_str().to_owned(), span: span(pair) }
}

impl Builder {
    fn declaration(&mut self, pair: Pair<'_, Rule>) -> Result<Declaration, Error> {
        let mut inner = pair.into_inner().peekable();
        let mut docs = Vec::new();
        while let Some(doc) = inner.next_if(|part| part.as_rule() == Rule::doc) {
            docs.push(documentation(doc.as_str()));
        }
        let mut next = || inner.next().expect("by the grammar");
        let (name, variable) = (name(&next()), name(&next()));
        let mut declared = Parameters::default();
        let mut body = next();
        if body.as_rule() == Rule::parameters {
            let span = span(&body);
            for parameter in body.into_inner() {
                self.parameter(parameter, &mut declared)?;
            }
            let count = declared.parameters.len();
            if count > Limit::Parameters.maximum() {
                return Err(Error::limit(Limit::Parameters, Some(count), span));
            }
            body = next();
        }
        let body = self.expression(body)?;
        let Parameters { parameters, relations, .. } = declared;
        Ok(Declaration { docs, name, variable, parameters, relations, body })
    }

    fn parameter(&mut self, pair: Pair<'_, Rule>, declared: &mut Parameters) -> Result<(), Error> {
        let whole = span(&pair);
        let mut inner = pair.into_inner();
        let first = inner.next().expect("by the grammar");
        if first.as_rule() == Rule::name {
            let name = name(&first);
            let mut parts = inner.next().expect("by the grammar").into_inner();
            let mut next = || parts.next().expect("by the grammar");
            let open = next().as_str() == "[";
            let (lower, upper) = (endpoint(next())?, endpoint(next())?);
            let close = next().as_str() == "]";
            let lower = lower.map(|value| Endpoint { value, closed: open });
            let upper = upper.map(|value| Endpoint { value, closed: close });
            declared.explicit(name, lower, upper, whole);
            return Ok(());
        }
        let mut parts = first.into_inner();
        let mut left = self.side(parts.next().expect("by the grammar"))?;
        let mut alone = true;
        while let (Some(relation), Some(right)) = (parts.next(), parts.next()) {
            alone = false;
            let right = self.side(right)?;
            declared.relate(&left, comparison(relation.as_str()), &right, whole)?;
            left = right;
        }
        match left {
            Side::Finite(Expression { kind: ExpressionKind::Name(text), span }) if alone => {
                declared.explicit(Name { text, span }, None, None, whole);
                Ok(())
            }
            _ if alone => Err(Error::new(ErrorKind::Syntax("a comparison".to_owned()), whole)
                .help("a parameter is declared by its name, `a`, or by a relation, `a < b`")),
            _ => Ok(()),
        }
    }

    fn side(&mut self, pair: Pair<'_, Rule>) -> Result<Side, Error> {
        let mut inner = pair.into_inner();
        let first = inner.next().expect("by the grammar");
        Ok(match first.as_rule() {
            Rule::minus => Side::Infinite(-1),
            Rule::infinity => Side::Infinite(1),
            _ => Side::Finite(self.expression(first)?),
        })
    }

    fn expression(&mut self, pair: Pair<'_, Rule>) -> Result<Expression, Error> {
        let whole = span(&pair);
        let pairs: Vec<_> = pair.into_inner().collect();
        self.nodes += pairs.len();
        if self.nodes > Limit::Nodes.maximum() {
            return Err(Error::limit(Limit::Nodes, None, whole));
        }
        let levels = levels(&pairs);
        self.levels += levels;
        if self.levels > MAX_LEVELS {
            return Err(Error::limit(Limit::Depth, None, whole));
        }
        let this = std::cell::RefCell::new(&mut *self);
        let tree = PRECEDENCE
            .map_primary(|operand| this.borrow_mut().operand(operand))
            .map_prefix(|minus, value| {
                let value = value?;
                let span = span(&minus).to(value.span);
                Ok(Expression { kind: ExpressionKind::Negation(Box::new(value)), span })
            })
            .map_infix(|left, operator, right| {
                let (left, right) = (left?, right?);
                let span = left.span.to(right.span);
                let operator = match operator.as_rule() {
                    Rule::plus => BinaryOperator::Add,
                    Rule::minus => BinaryOperator::Subtract,
                    Rule::times => BinaryOperator::Multiply,
                    Rule::over => BinaryOperator::Divide,
                    _ => BinaryOperator::Power,
                };
                let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
                Ok(Expression { kind, span })
            })
            .parse(pairs.into_iter());
        self.levels -= levels;
        tree
    }

    fn operand(&mut self, pair: Pair<'_, Rule>) -> Result<Expression, Error> {
        let span = span(&pair);
        let kind = match pair.as_rule() {
            Rule::number => ExpressionKind::Number(number(&pair)?),
            Rule::name => ExpressionKind::Name(pair.as_str().to_owned()),
            Rule::group => {
                let inner = pair.into_inner().next().expect("by the grammar");
                return Ok(Expression { span, ..self.expression(inner)? });
            }
            Rule::modulus => {
                let inner = pair.into_inner().next().expect("by the grammar");
                ExpressionKind::Modulus(Box::new(self.expression(inner)?))
            }
            Rule::call => {
                let mut inner = pair.into_inner();
                let function = name(&inner.next().expect("by the grammar"));
                let arguments =
                    inner.map(|argument| self.expression(argument)).collect::<Result<_, _>>()?;
                ExpressionKind::Call(function, arguments)
            }
            _ => self.piecewise(pair)?,
        };
        Ok(Expression { kind, span })
    }

    fn piecewise(&mut self, pair: Pair<'_, Rule>) -> Result<ExpressionKind, Error> {
        let mut branches = Vec::new();
        for part in pair.into_inner() {
            let rule = part.as_rule();
            let mut inner = part.into_inner();
            let mut next = || inner.next().expect("by the grammar");
            if rule == Rule::otherwise {
                return Ok(ExpressionKind::Piecewise(branches, Box::new(self.expression(next())?)));
            }
            let condition = self.condition(next())?;
            branches.push((condition, self.expression(next())?));
        }
        unreachable!("the grammar ends a piecewise with `else`")
    }

    /// Conjunctions of which one holds.
    fn condition(&mut self, pair: Pair<'_, Rule>) -> Result<Condition, Error> {
        let whole = span(&pair);
        let parts = pair.into_inner().filter(|part| part.as_rule() != Rule::or);
        let parts = parts.map(|part| self.conjunction(part));
        Ok(any(parts.collect::<Result<_, _>>()?, whole))
    }

    /// Statements that all hold.
    fn conjunction(&mut self, pair: Pair<'_, Rule>) -> Result<Condition, Error> {
        let whole = span(&pair);
        let parts = pair.into_inner().filter(|part| part.as_rule() != Rule::and);
        let parts = parts.map(|part| {
            let inner = part.into_inner().next().expect("by the grammar");
            match inner.as_rule() {
                Rule::condition => self.condition(inner),
                _ => self.comparisons(inner),
            }
        });
        Ok(all(parts.collect::<Result<_, _>>()?, whole))
    }

    fn comparisons(&mut self, pair: Pair<'_, Rule>) -> Result<Condition, Error> {
        let mut inner = pair.into_inner();
        let first = self.expression(inner.next().expect("by the grammar"))?;
        let mut rest = Vec::new();
        while let (Some(relation), Some(value)) = (inner.next(), inner.next()) {
            rest.push((comparison(relation.as_str()), self.expression(value)?));
        }
        Ok(Condition { first, rest })
    }
}

/// The condition that one of several holds, as a comparison of a function that is 1 there and 0 elsewhere.
fn any(mut conditions: Vec<Condition>, span: Span) -> Condition {
    if conditions.len() == 1 {
        return conditions.remove(0);
    }
    let first = indicator(conditions, span);
    Condition { first, rest: vec![(Comparison::Greater, constant(0, span))] }
}

/// The condition that several hold, as one chain of comparisons 0 < a > 0 < b > 0 of such functions: a chain does not nest,
/// however many there are.
fn all(mut conditions: Vec<Condition>, span: Span) -> Condition {
    if conditions.len() == 1 {
        return conditions.remove(0);
    }
    let links = conditions.into_iter().flat_map(|condition| {
        let holds = indicator(vec![condition], span);
        [(Comparison::Less, holds), (Comparison::Greater, constant(0, span))]
    });
    Condition { first: constant(0, span), rest: links.collect() }
}

/// 1 where one of the conditions holds, 0 elsewhere.
fn indicator(conditions: Vec<Condition>, span: Span) -> Expression {
    let branches = conditions.into_iter().map(|condition| (condition, constant(1, span)));
    let otherwise = Box::new(constant(0, span));
    Expression { kind: ExpressionKind::Piecewise(branches.collect(), otherwise), span }
}

fn constant(value: i64, span: Span) -> Expression {
    Expression { kind: ExpressionKind::Number(integer(value)), span }
}

/// A line of documentation without its mark, and without the blank that follows the mark.
fn documentation(line: &str) -> String {
    let text = line.trim_start_matches('#').trim_end();
    text.strip_prefix(' ').unwrap_or(text).to_owned()
}

/// An end of an interval; `None` for an infinite one.
fn endpoint(pair: Pair<'_, Rule>) -> Result<Option<Rational>, Error> {
    let whole = span(&pair);
    let mut inner = pair.into_inner();
    let mut first = inner.next().expect("by the grammar");
    let negative = first.as_rule() == Rule::minus;
    if negative {
        first = inner.next().expect("by the grammar");
    }
    if first.as_rule() == Rule::infinity {
        return Ok(None);
    }
    let mut value = number(&first)?;
    if let Some(below) = inner.next() {
        let below = number(&below)?;
        if below == Rational::default() {
            return Err(Error::new(ErrorKind::Division("0".to_owned()), whole));
        }
        value /= below;
    }
    Ok(Some(if negative { -value } else { value }))
}

/// How deep the tree of an expression is, its operands aside: prefix signs and powers nest,
/// the other operators make a chain.
fn levels(pairs: &[Pair<'_, Rule>]) -> usize {
    let (mut run, mut longest) = (1, 1);
    for pair in pairs {
        match pair.as_rule() {
            Rule::negation | Rule::power => run += 1,
            Rule::plus | Rule::minus | Rule::times | Rule::over => run = 1,
            _ => {}
        }
        longest = longest.max(run);
    }
    longest
}

fn comparison(text: &str) -> Comparison {
    match text {
        "<" => Comparison::Less,
        "<=" | "≤" => Comparison::LessEqual,
        ">" => Comparison::Greater,
        _ => Comparison::GreaterEqual,
    }
}

fn number(pair: &Pair<'_, Rule>) -> Result<Rational, Error> {
    // 10^1233 has just over the accepted number of bits.
    let digits = u32::try_from(Limit::Bits.maximum() * 3 / 10).expect("a small limit");
    decimal(pair.as_str(), digits)
        .filter(|value| crate::exact::bits(value) <= Limit::Bits.maximum() as u64)
        .ok_or_else(|| Error::limit(Limit::Bits, None, span(pair)))
}
