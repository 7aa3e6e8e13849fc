//! From text to the syntax tree, within limits that keep recursion shallow.

use std::sync::LazyLock;

use pest::Parser;
use pest::error::{Error as PestError, ErrorVariant, InputLocation};
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};

use super::ast::{
    BinaryOperator, Comparison, Condition, Declaration, Endpoint, Expression, ExpressionKind, Name,
    ParameterSyntax,
};
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::exact::{Rational, decimal};

#[allow(missing_docs, reason = "derived from the grammar file")]
mod rules {
    #[derive(pest_derive::Parser)]
    #[grammar = "grammar/gaussform.pest"]
    pub(super) struct Grammar;
}
use rules::{Grammar, Rule};

static PRECEDENCE: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::plus, Assoc::Left) | Op::infix(Rule::minus, Assoc::Left))
        .op(Op::infix(Rule::times, Assoc::Left) | Op::infix(Rule::over, Assoc::Left))
        .op(Op::prefix(Rule::negation))
        .op(Op::infix(Rule::power, Assoc::Right))
});

/// Levels of the syntax tree: an operand that nests, a prefix sign or a power each make one.
const MAX_LEVELS: usize = 4 * Limit::Depth.maximum();

/// What a user may type in one line: a declaration, or an expression in `x`.
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

fn parse(rule: Rule, text: &str) -> Result<Pair<'_, Rule>, Error> {
    if text.len() > Limit::Length.maximum() {
        let end = Span { start: Limit::Length.maximum(), end: text.len() };
        return Err(Error::limit(Limit::Length, Some(text.len()), end));
    }
    check_nesting(text)?;
    let mut pairs = Grammar::parse(rule, text).map_err(|error| syntax_error(text, &error))?;
    Ok(pairs.next().expect("the whole input is one pair"))
}

/// Bounds the recursion of the parser before it starts. Bars nest to half their number at
/// the most, so they count half.
fn check_nesting(text: &str) -> Result<(), Error> {
    let (mut depth, mut bars) = (0_usize, 0_usize);
    let mut comment = false;
    for (start, c) in text.char_indices() {
        match c {
            '\n' => comment = false,
            '#' => comment = true,
            _ if comment => {}
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            '|' => bars += 1,
            // A declaration's sign of equality: no bar is open across it.
            '=' if depth == 0 => bars = 0,
            _ => {}
        }
        if depth > Limit::Depth.maximum() || bars > 4 * Limit::Depth.maximum() {
            let span = Span { start, end: start + c.len_utf8() };
            return Err(Error::limit(Limit::Depth, None, span));
        }
    }
    Ok(())
}

fn syntax_error(text: &str, error: &PestError<Rule>) -> Error {
    let (start, end) = match error.location {
        InputLocation::Pos(at) => (at, at + text[at..].chars().next().map_or(0, char::len_utf8)),
        InputLocation::Span((start, end)) => (start, end),
    };
    let (before, found) = text.split_at(start);
    let open = innermost_open(before);
    let rules = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
        ErrorVariant::CustomError { .. } => &[],
    };
    let error = Error::new(ErrorKind::Syntax(describe(rules, open)), Span { start, end });
    let after_operand = rules.contains(&Rule::plus);
    let help = if found.starts_with("**") || before.ends_with('*') && found.starts_with('*') {
        "powers are written with `^`"
    } else if before.trim_end().ends_with("if") && after_operand {
        "a function with branches is written `piecewise { x > 0: x; else: 0 }`"
    } else if found.starts_with(['<', '>', '≤', '≥']) {
        "comparisons stand in branches: `piecewise { x < 0: 0; else: x }`"
    } else if in_domain(before) {
        "a domain reads `a in (0, 1)`"
    } else if found.starts_with('=') && open.is_none() {
        "a declaration begins with a name and its variable, as in `f(x) = …`"
    } else if open == Some('{') && found.starts_with('}') {
        "the last branch is for everything else: `else: …`"
    } else if found.starts_with(|c: char| c.is_alphanumeric() || c == '(' || c == '|')
        && after_operand
    {
        "products need a `*`: write `2*x`, not `2x`"
    } else {
        return match open {
            Some('|') if !found.starts_with('|') => error.help("a bar `|` is not closed"),
            Some(bracket) if found.is_empty() => error.help(format!("`{bracket}` is not closed")),
            None if found.starts_with([')', '}', ']']) => error.help("it closes nothing"),
            _ if found.is_empty() => error.help("the text ends too early"),
            _ => error,
        };
    };
    error.help(help)
}

/// Whether the last bracket opens the domain of a parameter.
fn in_domain(text: &str) -> bool {
    text.rfind(['(', '[']).is_some_and(|at| text[..at].trim_end().ends_with(" in"))
}

/// The last bracket or bar that is still open. A bar closes one if one is innermost.
fn innermost_open(text: &str) -> Option<char> {
    let mut open = Vec::new();
    let code = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    for c in code.flat_map(str::chars) {
        match c {
            '(' | '[' | '{' => open.push(c),
            '|' if open.last() != Some(&'|') => open.push(c),
            '|' | ')' | ']' | '}' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop()
}

/// The phrases of what would have fit. The parser does not name brackets, so the one that
/// could be closed is added where an operand has just ended.
fn describe(rules: &[Rule], open: Option<char>) -> String {
    let mut names: Vec<&str> = rules.iter().map(|rule| phrase(*rule)).collect();
    if rules.contains(&Rule::plus) {
        names.extend(match open {
            Some('(') => Some("`)`"),
            Some('|') => Some("`|`"),
            Some('{') => Some("`;`"),
            _ => None,
        });
    }
    // Where an expression fits, so do a name and a number.
    if names.contains(&"an expression") {
        names.retain(|name| !["a name", "a number"].contains(name));
    }
    names.sort_unstable_by_key(|name| (name.starts_with('`'), *name));
    names.dedup();
    match names.as_slice() {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

fn phrase(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end",
        Rule::plus | Rule::minus | Rule::times | Rule::over | Rule::power => "an operator",
        Rule::negation => "an expression",
        Rule::number | Rule::infinity | Rule::endpoint => "a number",
        Rule::name => "a name",
        Rule::comparison | Rule::bound => "a comparison",
        Rule::declaration => "a declaration",
        Rule::parameters | Rule::parameter => "a parameter",
        Rule::membership => "`in`",
        Rule::opening => "`(` or `[`",
        Rule::closing => "`)` or `]`",
        Rule::otherwise => "`else`",
        Rule::branch | Rule::condition => "a condition",
        Rule::keyword => "a keyword",
        _ => "an expression",
    }
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
        let mut inner = pair.into_inner();
        let mut next = || inner.next().expect("by the grammar");
        let (name, variable) = (name(&next()), name(&next()));
        let mut parameters = Vec::new();
        let mut body = next();
        if body.as_rule() == Rule::parameters {
            let span = span(&body);
            for parameter in body.into_inner() {
                parameters.push(self.parameter(parameter)?);
            }
            if parameters.len() > Limit::Parameters.maximum() {
                return Err(Error::limit(Limit::Parameters, Some(parameters.len()), span));
            }
            body = next();
        }
        Ok(Declaration { name, variable, parameters, body: self.expression(body)? })
    }

    fn parameter(&mut self, pair: Pair<'_, Rule>) -> Result<ParameterSyntax, Error> {
        let whole = span(&pair);
        let mut inner = pair.into_inner();
        let name = name(&inner.next().expect("a parameter has a name"));
        let mut parameter = ParameterSyntax { name, lower: None, upper: None, span: whole };
        let Some(domain) = inner.next() else { return Ok(parameter) };
        let rule = domain.as_rule();
        let mut parts = domain.into_inner();
        let mut next = || parts.next().expect("by the grammar");
        if rule == Rule::membership {
            let open = next().as_str() == "[";
            let (lower, upper) = (self.endpoint(next())?, self.endpoint(next())?);
            let close = next().as_str() == "]";
            parameter.lower = lower.map(|value| Endpoint { value, closed: open });
            parameter.upper = upper.map(|value| Endpoint { value, closed: close });
        } else {
            let comparison = comparison(next().as_str());
            let right = next();
            if right.as_rule() == Rule::name {
                let message = "relations between parameters are not supported".to_owned();
                return Err(Error::new(ErrorKind::Domain(message), span(&right))
                    .help("compare the parameter with a number"));
            }
            let Some(value) = self.endpoint(right)? else { return Ok(parameter) };
            let closed = matches!(comparison, Comparison::LessEqual | Comparison::GreaterEqual);
            let endpoint = Some(Endpoint { value, closed });
            if comparison.holds(1) {
                parameter.lower = endpoint;
            } else {
                parameter.upper = endpoint;
            }
        }
        Ok(parameter)
    }

    /// `None` for an infinite end.
    fn endpoint(&mut self, pair: Pair<'_, Rule>) -> Result<Option<Rational>, Error> {
        let mut inner = pair.into_inner();
        let mut first = inner.next().expect("by the grammar");
        let negative = first.as_rule() == Rule::minus;
        if negative {
            first = inner.next().expect("by the grammar");
        }
        if first.as_rule() == Rule::infinity {
            return Ok(None);
        }
        let value = number(&first)?;
        Ok(Some(if negative { -value } else { value }))
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

    fn condition(&mut self, pair: Pair<'_, Rule>) -> Result<Condition, Error> {
        let mut inner = pair.into_inner();
        let first = self.expression(inner.next().expect("by the grammar"))?;
        let mut rest = Vec::new();
        while let (Some(relation), Some(value)) = (inner.next(), inner.next()) {
            rest.push((comparison(relation.as_str()), self.expression(value)?));
        }
        Ok(Condition { first, rest })
    }
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
