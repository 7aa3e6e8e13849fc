//! The functions of one kernel in Python.

use super::Target;
use super::body::{Body, Content};
use crate::kernel::{Kernel, Routine};

/// g itself.
pub(super) fn value(kernel: &Kernel, target: Target) -> String {
    let head = format!("def _value_kernel({}):", parameters(kernel, &["p", "x"]));
    let mut body = Body::new(kernel, target, "x", &head);
    body.results(Content::Value);
    body.line("return results");
    body.finish()
}

/// A routine: its function and the limits for ξ² = 0 on knots.
pub(super) fn routine(kernel: &Kernel, target: Target, name: &str, routine: &Routine) -> String {
    let head = format!("def {name}({}):", parameters(kernel, &["p", "gamma", "xi2"]));
    let mut body = Body::new(kernel, target, "gamma", &head);
    body.results(Content::Routine(routine));
    body.line("return _finish(gamma, xi2, results)");
    body.finish()
}

/// The arguments of a kernel, parameters last.
pub(super) fn parameters(kernel: &Kernel, first: &[&str]) -> String {
    let mut names: Vec<String> = first.iter().map(|&name| name.to_owned()).collect();
    names.extend((0..kernel.activation().parameters.len()).map(|index| format!("theta{index}")));
    names.join(", ")
}
