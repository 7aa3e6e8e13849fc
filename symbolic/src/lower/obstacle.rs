//! Errors for a sign or an order that does not follow from the declaration, each with the declarations that would
//! decide it.

use crate::domain::{Knot, Obstacle};
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::polynomial::Polynomial;
use crate::render::{plain, source};

/// An error that goes away with a declaration of the value's sign.
pub(super) fn open(error: Error, does: &str, value: Polynomial) -> Error {
    // The sign of a denominator is known.
    let (less, greater) = source::alternatives(&value.numerator());
    error.help(format!("declare what {does}: `{less}` or `{greater}`")).undecided(value)
}

/// The error for an obstacle, with expressions in the variable's own name.
pub(super) fn obstructed(obstacle: Obstacle, variable: &str, span: Span) -> Error {
    match obstacle {
        Obstacle::Undecided(value) => {
            let expression = plain(&value, variable);
            let error = Error::new(ErrorKind::Undecided { expression }, span);
            open(error, "decides it", value)
        }
        Obstacle::Order(knots) => {
            let (left, right) = *knots;
            let [a, b] = [&left, &right].map(source::knot);
            let error = Error::new(ErrorKind::Order { left: a, right: b }, span);
            match (&left, &right) {
                // A relation needs a rational number beside the irrational one.
                (moving, Knot::Algebraic(root)) | (Knot::Algebraic(root), moving) => {
                    let [low, high] = source::around(root);
                    let moving = source::knot(moving);
                    error.help(format!(
                        "declare what decides it: `{moving} < {low}` or `{moving} > {high}`"
                    ))
                }
                _ => open(error, "decides it", &left.polynomial() - &right.polynomial()),
            }
        }
        Obstacle::Parametric(value) => {
            let expression = plain(&value, variable);
            Error::new(ErrorKind::ParametricKnot { expression }, span)
                .help("declare the root itself as the parameter, as in `|x^2 - r^2|` with `r > 0`")
        }
        Obstacle::Work(needed) => Error::limit(Limit::Roots, Some(needed), span),
    }
}
