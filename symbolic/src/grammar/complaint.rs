//! Errors for texts outside the grammar: the place, the symbols that could stand there, and advice for common
//! mistakes.

use pest::error::{Error as PestError, ErrorVariant, InputLocation};

use super::parse::Rule;
use crate::error::{Error, ErrorKind, Span};

pub(super) fn syntax_error(text: &str, error: &PestError<Rule>) -> Error {
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
    // An operator fits only where an operand has just ended.
    let after_operand = rules.contains(&Rule::plus);
    let new_line = before[before.trim_end().len()..].contains('\n');
    // The first advice that fits is given, so the special cases stand before the general ones.
    let help = if found.starts_with("##") {
        "`##` documents the declaration that follows; a comment begins with one `#`"
    } else if found.is_empty() && rules.contains(&Rule::doc) {
        "`##` documents a declaration, and none follows"
    } else if new_line && rules.contains(&Rule::declaration) && !found.is_empty() {
        "a declaration begins with a name and its variable, as in `f(x) = …`"
    } else if found.starts_with("**") || before.ends_with('*') && found.starts_with('*') {
        "powers are written with `^`"
    } else if found.starts_with(is_superscript) {
        "powers are written with `^`: `x^2`, not `x²`"
    } else if found.starts_with(['×', '∙', '⋅']) {
        "products are written with `*`"
    } else if found.starts_with('&') || found.starts_with("||") {
        "conditions are joined by `and` and `or`"
    } else if before.trim_end().ends_with("if") && after_operand {
        "a function with branches is written `piecewise { x > 0: x; else: 0 }`"
    } else if is_equation(found, open) && rules.contains(&Rule::membership) {
        "parameters are related by `<`, `<=`, `>` or `>=`"
    } else if is_equation(found, open) {
        "conditions compare with `<`, `<=`, `>` or `>=`: what a function is at a single point makes no \
         difference to an expectation"
    } else if found.starts_with(['<', '>', '≤', '≥']) {
        "comparisons stand in branches: `piecewise { x < 0: 0; else: x }`"
    } else if in_domain(before) {
        "a domain reads `a in (0, 1)`"
    } else if assigns(found) && open.is_none() {
        "a declaration begins with a name and its variable, as in `f(x) = …`"
    } else if is_head(before) && found.starts_with(',') {
        "parameters stand behind a `;`, as in `f(x; a > 0) = …`"
    } else if after_operand && is_head(before) && found.starts_with(')') {
        "a declaration has a sign of equality, as in `f(x; a > 0) = …`"
    } else if open == Some('(') && found.starts_with(';') {
        "arguments stand between commas"
    } else if found.starts_with("else") {
        "the last branch reads `else: …`"
    } else if open == Some('{') && found.starts_with('}') {
        "the last branch is for everything else: `else: …`"
    } else if after_operand && after_word(before) && found.starts_with(char::is_alphanumeric) {
        "a function has its arguments in parentheses, as in `relu(x)`, and a product needs a `*`"
    } else if found.starts_with(|c: char| c.is_alphanumeric() || c == '(' || c == '|')
        && after_operand
    {
        match open {
            // `2x` is a product, and `0 x` may lack a comma.
            Some('(') if before.ends_with(char::is_whitespace) => {
                "arguments stand between commas, and products need a `*`: write `2*x`, not `2x`"
            }
            _ => "products need a `*`: write `2*x`, not `2x`",
        }
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

fn is_superscript(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹')
}

/// Whether a text goes on as `= …` or `f = …`.
fn assigns(text: &str) -> bool {
    text.trim_start_matches(is_letter).trim_start().starts_with('=')
}

/// Whether a text goes on with a sign that says equal or unequal, as other languages have it.
fn is_equation(text: &str, open: Option<char>) -> bool {
    let branch = open == Some('{') && text.starts_with('=');
    branch || text.starts_with("==") || text.starts_with("!=") || text.starts_with('≠')
}

/// Whether a text is the beginning of a declaration: a name, and what stands in parentheses.
fn is_head(text: &str) -> bool {
    let line = text.rsplit('\n').next().unwrap_or(text).trim();
    let inside = line.trim_start_matches(is_letter).strip_prefix('(');
    inside.is_some_and(|inside| {
        let behind = inside.trim_start_matches(is_letter).trim_start();
        line.starts_with(is_letter) && (behind.is_empty() || behind.starts_with(';'))
    })
}

/// Whether a word of several letters ends a text, and a blank follows it.
fn after_word(text: &str) -> bool {
    let word = text.trim_end();
    let letters = word.chars().rev().take_while(|c| is_letter(*c));
    word.len() < text.len() && letters.count() > 1 && !word.ends_with(|c: char| c.is_ascii_digit())
}

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether the last bracket opens the domain of a parameter.
fn in_domain(text: &str) -> bool {
    text.rfind(['(', '[']).is_some_and(|at| text[..at].trim_end().ends_with(" in"))
}

/// The last bracket or bar that is still open. A bar closes one if one is innermost.
fn innermost_open(text: &str) -> Option<char> {
    let mut open = Vec::new();
    let lines = text.split(['\n', '\r']);
    let code = lines.map(|line| line.split('#').next().unwrap_or_default());
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
    // Words that may follow anything complete would only distract.
    let fits = rules.iter().filter(|rule| !matches!(rule, Rule::and | Rule::or));
    let mut names: Vec<&str> = fits.map(|rule| phrase(*rule)).collect();
    if rules.contains(&Rule::plus) {
        names.extend(match open {
            Some('(') => Some("`)`"),
            Some('|') => Some("`|`"),
            Some('{') => Some("`;`"),
            _ => None,
        });
    }
    // Where an expression fits, so do a name and a number; a declaration begins with a name.
    if names.contains(&"an expression") {
        names.retain(|name| !["a name", "a number", "a declaration"].contains(name));
    } else if names.contains(&"a declaration") {
        names.retain(|name| *name != "a name");
    }
    // Words stand before symbols.
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
        Rule::side | Rule::relation => "an expression",
        Rule::name => "a name",
        Rule::comparison => "a comparison",
        Rule::file | Rule::declaration | Rule::doc => "a declaration",
        Rule::parameters | Rule::parameter => "a parameter",
        Rule::membership => "`in`",
        Rule::opening => "`(` or `[`",
        Rule::closing => "`)` or `]`",
        Rule::otherwise => "`else`",
        Rule::branch
        | Rule::condition
        | Rule::conjunction
        | Rule::statement
        | Rule::comparisons => "a condition",
        Rule::keyword => "a keyword",
        _ => "an expression",
    }
}
