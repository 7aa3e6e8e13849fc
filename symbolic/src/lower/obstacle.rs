//! What to tell of a sign or an order that is not known.

use super::scope::Scope;
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::piecewise::{Knot, Obstacle};
use crate::polynomial::Polynomial;
use crate::render::source;

impl Scope<'_> {
    pub(super) fn obstructed(&self, obstacle: Obstacle, span: Span) -> Error {
        match obstacle {
            Obstacle::Undecided(value) => {
                let expression = self.plain(&value);
                // The sign of a denominator is known.
                let above = value.numerator();
                let (less, greater) = source::alternatives(&above, &Polynomial::zero());
                Error::new(ErrorKind::Undecided { expression }, span)
                    .help(format!("declare what decides it: `{less}` or `{greater}`"))
                    .undecided(value)
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
                    _ => {
                        let difference = &left.polynomial() - &right.polynomial();
                        let zero = Polynomial::zero();
                        let (less, greater) = source::alternatives(&difference.numerator(), &zero);
                        error
                            .help(format!("declare what decides it: `{less}` or `{greater}`"))
                            .undecided(difference)
                    }
                }
            }
            Obstacle::Parametric(value) => {
                let expression = self.plain(&value);
                Error::new(ErrorKind::ParametricKnot { expression }, span).help(
                    "declare the root itself as the parameter, as in `|x^2 - r^2|` with `r > 0`",
                )
            }
            Obstacle::Work(needed) => Error::limit(Limit::Roots, Some(needed), span),
        }
    }
}
