//! `gaussform list` on the command line.

pub(super) const HELP: &str = "\
Examples:
  gaussform list
  gaussform list | grep clamp
  gaussform inspect relu6";
