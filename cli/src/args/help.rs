//! The text of the help after the options: examples, and with `--help` more.

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

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    a check of `verify` fails
  2    the input is wrong, or a file cannot be read or written; nothing is printed but the error
  101  a bug in gaussform
  130  interrupted; no half of a file stays behind
  141  the reader of the output has closed it";

/// The first examples.
pub(super) fn short(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or(text)
}

/// All examples, with the exit codes.
pub(super) fn long(text: &str) -> String {
    format!("{text}\n\n{EXIT_CODES}")
}
