//! The places of rows and fields in the text of a table.

use std::ops::Range;

/// The first line of a text.
pub(super) fn first_line(text: &str) -> Range<usize> {
    0..text.find(['\r', '\n']).unwrap_or(text.len())
}

/// Where the quote stands that is still open when the row ends, which is all of the text.
pub(super) fn open_quote(text: &str) -> Option<Range<usize>> {
    let (mut from, mut opened) = (0, None);
    for (at, c) in text.char_indices() {
        match c {
            '"' if opened.is_some() => opened = None,
            // Doubled, it stands for itself.
            '"' if text[from..].starts_with('"') => opened = Some(at..at + 1),
            ',' if opened.is_none() => from = at + 1,
            _ => {}
        }
    }
    opened
}

/// A field of the row that the text begins with; columns are counted from 0.
pub(super) fn field(text: &str, column: usize) -> Range<usize> {
    let (mut index, mut from, mut quoted) = (0, 0, false);
    for (at, c) in text.char_indices() {
        match c {
            // A quote counts only in a field that starts with one.
            '"' if text[from..=at].starts_with('"') => quoted = !quoted,
            ',' if !quoted && index < column => (index, from) = (index + 1, at + 1),
            ',' | '\r' | '\n' if !quoted => return from..at,
            _ => {}
        }
    }
    from..text.len()
}

#[cfg(test)]
mod tests {
    use super::{field, first_line, open_quote};

    #[test]
    fn quotes_are_open_or_closed() {
        for (text, open) in [
            ("1,\"2", Some(2..3)),
            ("1,\"2\n3,4\n", Some(2..3)),
            ("1,\"a\"\"", Some(5..6)),
            ("1,\"a\"\"b\",2", None),
            ("1,a\"b,2\n", None),
            ("", None),
        ] {
            assert_eq!(open_quote(text), open, "{text}");
        }
    }

    #[test]
    fn fields_are_found_behind_quotes() {
        let text = "1,\"a, \"\"b\"\"\n\",,é,2\r\nnext";
        let fields: Vec<&str> = (0..5).map(|column| &text[field(text, column)]).collect();
        assert_eq!(fields, ["1", "\"a, \"\"b\"\"\n\"", "", "é", "2"]);
        assert_eq!(&text[first_line("1,2\r\n")], "1,\"");
    }
}
