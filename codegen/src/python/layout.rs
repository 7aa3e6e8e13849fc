//! Lines of at most a hundred columns, broken at brackets.

/// The longest line.
const WIDTH: usize = 100;

/// A statement, over several lines where it would be too long for one.
pub(super) fn statement(indent: usize, text: &str) -> String {
    let margin = "    ".repeat(indent);
    if margin.len() + width(text) <= WIDTH {
        return format!("{margin}{text}\n");
    }
    let Some((head, items, tail)) = bracketed(text) else {
        // A sum without a bracket of its own gets one.
        return match text.split_once(" = ") {
            Some((name, value)) if !value.starts_with('(') => {
                statement(indent, &format!("{name} = ({value})"))
            }
            _ => format!("{margin}{text}\n"),
        };
    };
    let mut lines = format!("{margin}{head}\n");
    // What stands in brackets alone is no tuple, and neither is an index.
    let is_value = head.ends_with(" (") && !head.starts_with("return");
    let is_index = head
        .strip_suffix('[')
        .is_some_and(|of| of.ends_with(|c: char| c.is_alphanumeric() || ")]_".contains(c)));
    let single = items.len() == 1 && (is_value || is_index);
    for item in items {
        let comma = if single { "" } else { "," };
        lines += &statement(indent + 1, &format!("{item}{comma}"));
    }
    lines + &format!("{margin}{tail}\n")
}

/// How wide a text is with the library that `xp` stands for, `torch` at the most.
fn width(text: &str) -> usize {
    text.chars().count() + text.matches("xp.").count() * ("torch".len() - "xp".len())
}

/// The head of a function, with its arguments in lines of their own where it is longer than a line.
pub(super) fn head(line: &str) -> String {
    let parts = line.split_once('(').zip(line.rsplit_once(") -> "));
    match parts {
        Some(((name, _), (front, kind))) if line.chars().count() > WIDTH => {
            let inner = &front[name.len() + 1..];
            let inner = if inner.chars().count() + 4 <= WIDTH {
                format!("    {inner}\n")
            } else {
                arguments(inner).iter().map(|item| format!("    {item},\n")).collect()
            };
            format!("{name}(\n{inner}) -> {kind}\n")
        }
        _ => format!("{line}\n"),
    }
}

/// The text before, inside and behind the last bracket, if nothing but a comma or a colon follows the bracket.
fn bracketed(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let body = text.strip_suffix([',', ':']).unwrap_or(text);
    if !body.ends_with([')', ']']) {
        return None;
    }
    let mut depth = 0usize;
    let mut open = None;
    // From the end, to the bracket that the last one closes.
    for (at, letter) in body.char_indices().rev() {
        match letter {
            ')' | ']' => depth += 1,
            '(' | '[' => {
                depth -= 1;
                if depth == 0 {
                    open = Some(at);
                    break;
                }
            }
            _ => {}
        }
    }
    let open = open?;
    let inner = &body[open + 1..body.len() - 1];
    let items = arguments(inner);
    (!items.is_empty()).then_some((&text[..=open], items, &text[body.len() - 1..]))
}

/// Splits at the commas that stand in no bracket.
fn arguments(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        items.push(last);
    }
    items
}
