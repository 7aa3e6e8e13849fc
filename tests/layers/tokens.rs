//! Rust as words and signs, without comments and literals.

/// A word, `::`, or a single sign.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let (mut i, mut line) = (0, 1);
    let mut tokens = Vec::new();
    while i < chars.len() {
        let start = i;
        i = match (at(i), at(i + 1)) {
            ('/', '/') => find(&chars, i, |i| at(i) == '\n'),
            ('/', '*') => after_comment(&chars, i),
            ('"', _) => after_string(&chars, i + 1),
            ('r', '"' | '#') if raw_hashes(&chars, i + 1).is_some() => after_raw(&chars, i + 1),
            ('b' | 'c', '"') => after_string(&chars, i + 2),
            ('b' | 'c', 'r') if raw_hashes(&chars, i + 2).is_some() => after_raw(&chars, i + 2),
            ('\'', '\\') => find(&chars, i + 3, |i| at(i) == '\'') + 1,
            ('\'', _) if at(i + 2) == '\'' => i + 3,
            (c, _) if c.is_whitespace() => i + 1,
            (c, next) => {
                let end = if is_word(c) {
                    find(&chars, i, |i| !is_word(at(i)))
                } else {
                    i + if (c, next) == (':', ':') { 2 } else { 1 }
                };
                tokens.push(Token { text: chars[i..end].iter().collect(), line });
                end
            }
        }
        .min(chars.len());
        line += chars[start..i].iter().filter(|c| **c == '\n').count();
    }
    tokens
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first place from `start` on where something holds, or the end.
fn find(chars: &[char], start: usize, holds: impl Fn(usize) -> bool) -> usize {
    (start..chars.len()).find(|i| holds(*i)).unwrap_or(chars.len())
}

fn after_comment(chars: &[char], start: usize) -> usize {
    let (mut i, mut depth) = (start, 0);
    while i < chars.len() {
        match chars.get(i..i + 2) {
            Some(['/', '*']) => (depth, i) = (depth + 1, i + 2),
            Some(['*', '/']) => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn after_string(chars: &[char], start: usize) -> usize {
    let mut i = start;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// How many `#` stand before the quotation mark of a raw string; none if it is none, as in `r#type`.
fn raw_hashes(chars: &[char], start: usize) -> Option<usize> {
    let quote = find(chars, start, |i| chars[i] != '#');
    (chars.get(quote) == Some(&'"')).then_some(quote - start)
}

fn after_raw(chars: &[char], start: usize) -> usize {
    let hashes = raw_hashes(chars, start).expect("a raw string");
    let closes = |i: usize| {
        chars[i] == '"'
            && chars[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    find(chars, start + hashes + 1, closes) + 1 + hashes
}
