//! The text of the help after the options: examples, and with `--help` more.
//!
//! Clap breaks a line only where it exceeds the width. So a paragraph is one line, and a line of examples has at most 80
//! columns.

pub(super) const OVERVIEW: &str = "\
Examples:
  gaussform inspect 'max(0, x)'
  gaussform inspect relu --steps
  gaussform eval 'clamp(x, -1, 1)' --gamma 0.5 --xi2 2
  gaussform plot relu --out relu.svg
  gaussform emit 'relu6(x + 3) * x / 6' --target rust --name HardSwish
  gaussform verify 'max(0, x)^2'
  gaussform list

The language:
  x, numbers, + - * / ^, |…|, abs, max, min, clamp, relu, sign, step,
  piecewise { x < -1: 0; x < 1: x; else: 1 },
  every activation that `gaussform list` shows: relu6(x + 3) * x / 6,
  and declarations with parameters: leaky(x; eps in (0, 1)) = max(x, eps * x),
  which may be related: clip(x; a < b) = clamp(x, a, b)";

/// The exit code of `verify` alone.
const REFUTED: &str = "
  1    a check of `verify` fails";

const FAILURES: &str = "
  2    wrong input, or a file cannot be read or written; only an error is shown
  101  a bug in gaussform
  130  interrupted; no half of a file stays behind
  141  the reader of the output has closed it";

/// The first examples.
pub(super) fn short(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text)
}

/// The whole text, with the exit codes of a command that checks nothing.
pub(super) fn long(text: &str) -> String {
    format!("{text}\n\nExit codes:\n  0    done{FAILURES}")
}

/// The whole text, with all exit codes.
pub(super) fn long_with_checks(text: &str) -> String {
    format!("{text}\n\nExit codes:\n  0    done{REFUTED}{FAILURES}")
}
