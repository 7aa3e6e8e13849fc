//! Rust code with light colours.

use std::fmt::Write;

use gaussform_picture::svg::escaped;

const WORDS: [&str; 30] = [
    "as", "async", "break", "const", "continue", "crate", "else", "enum", "false", "fn", "for",
    "if", "impl", "in", "let", "loop", "match", "mod", "mut", "pub", "ref", "return", "self",
    "static", "struct", "true", "type", "use", "where", "while",
];

/// The code with an element around each word of the language, type, number and comment.
pub(super) fn coloured(code: &str) -> String {
    let mut html = String::with_capacity(2 * code.len());
    for line in code.split_inclusive('\n') {
        let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        let mut rest = code;
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_number = first.is_ascii_digit();
            let end = if is_number {
                // With its sign, where it has an exponent.
                let mut last = first;
                let stays = |c: char| {
                    let sign = matches!(c, '+' | '-') && matches!(last, 'e' | 'E');
                    last = c;
                    word(c) || c == '.' || sign
                };
                let mut stays = stays;
                rest.find(|c| !stays(c)).unwrap_or(rest.len())
            } else if word(first) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                rest.find(word).unwrap_or(rest.len())
            };
            let (token, after) = rest.split_at(end);
            rest = after;
            let class = match token {
                _ if is_number => "n",
                word if WORDS.contains(&word) => "k",
                word if first.is_ascii_uppercase() && !word.is_empty() => "t",
                "f64" | "f32" | "usize" | "bool" => "t",
                _ => "",
            };
            let token = escaped(token);
            let _ = match class {
                "" => write!(html, "{token}"),
                class => write!(html, "<span class=\"{class}\">{token}</span>"),
            };
        }
        if !comment.is_empty() {
            let _ = write!(html, "<span class=\"c\">{}</span>", escaped(comment));
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::coloured;

    #[test]
    fn words_numbers_and_comments() {
        let html = coloured("let x: Vec<f64> = 1.5e-3; // a < b\n");
        assert_eq!(
            html,
            "<span class=\"k\">let</span> x: <span class=\"t\">Vec</span>&lt;<span class=\"t\">f64\
             </span>&gt; = <span class=\"n\">1.5e-3</span>; <span class=\"c\">// a &lt; b\n</span>"
        );
    }
}
