//! Lines of text that are not too long.

use std::cmp::Reverse;
use std::ops::Range;

/// Further lines stand so many columns to the right of the first.
const INDENT: usize = 4;
/// A further line begins at the latest where one part in so many of the width ends: in the left half.
const LATEST: usize = 2;

/// The text with every line of more than so many columns broken at spaces, outside of parentheses and
/// before a sign where that can be; a word is never broken.
#[must_use]
pub fn lines(text: &str, width: usize) -> String {
    let folded: Vec<String> = text.split('\n').map(|line| fold(line, width)).collect();
    folded.join("\n")
}

/// Which terms of a sum stand in which line: as many in each as there is room for, with a space between them.
pub(super) fn filled<T>(
    terms: &[T],
    width: impl Fn(&T) -> usize,
    room: usize,
) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut used = 0;
    for (i, term) in terms.iter().enumerate() {
        let width = width(term);
        match lines.last_mut() {
            Some(line) if used + 1 + width <= room => {
                line.end = i + 1;
                used += 1 + width;
            }
            _ => {
                lines.push(i..i + 1);
                used = width;
            }
        }
    }
    lines
}

fn fold(line: &str, width: usize) -> String {
    let mut rest: Vec<char> = line.chars().collect();
    let start = rest.iter().take_while(|c| **c == ' ').count();
    // Below the right side of an equation.
    let right = line.find(" = ").map(|at| line[..at].chars().count() + 3);
    let right = right.filter(|right| *right < width / LATEST).unwrap_or(start);
    let indent = right + INDENT;
    let mut folded = String::new();
    let mut first = start;
    while rest.len() > width {
        let Some(at) = place(&rest, first, width) else { break };
        let after: Vec<char> = rest[at..].iter().skip_while(|c| **c == ' ').copied().collect();
        folded.extend(&rest[..at]);
        folded = folded.trim_end().to_owned() + "\n";
        rest = std::iter::repeat_n(' ', indent).chain(after).collect();
        first = indent;
    }
    folded.extend(rest);
    folded
}

/// The best place for a break behind column `first`: inside of as few parentheses as can be, before a
/// sign, far to the right.
fn place(line: &[char], first: usize, width: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut spaces: Vec<(usize, bool, Reverse<usize>)> = Vec::new();
    for (i, c) in line.iter().enumerate() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ' ' if i > first => {
                let sign = matches!(line.get(i + 1), Some('+' | '−'));
                let is_sign = sign && line.get(i + 2) == Some(&' ');
                spaces.push((depth, !is_sign, Reverse(i)));
            }
            _ => {}
        }
    }
    // A break in the first third would leave most of the line empty.
    let near = first + width.saturating_sub(first) / 3;
    let fits = |space: &&(usize, bool, Reverse<usize>)| (near..=width).contains(&space.2.0);
    let best = spaces.iter().filter(fits).min().or_else(|| spaces.first());
    best.map(|(_, _, Reverse(at))| *at)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn breaks_stand_outside_of_parentheses() {
        let text = "E[g] = 1/2 (γ² + 3 γ ξ² + 5 ξ⁴) erf(γ/(√2 ξ))\nshort";
        assert_eq!(
            lines(text, 31),
            "E[g] = 1/2 (γ² + 3 γ ξ² + 5 ξ⁴)\n           erf(γ/(√2 ξ))\nshort"
        );
        assert_eq!(lines(text, 80), text);
        assert_eq!(lines("one_word_that_is_long", 8), "one_word_that_is_long");
    }
}
