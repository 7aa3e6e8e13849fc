//! The parts of the line between the knots of a function, the ends of a set A, and γ.

use crate::kernel::pieces::Table;

/// A point of the line in three words.
pub(super) type Abscissa = [f64; 3];

/// A part of the line on one side of γ. The function is one polynomial on it, and it lies in A or outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    /// The piece of the function.
    pub(super) piece: usize,
    /// Whether the part lies in A.
    pub(super) is_inside: bool,
    /// The end that is nearer to γ.
    pub(super) near: Abscissa,
    /// The other end, unless there is none.
    pub(super) far: Option<Abscissa>,
    /// Whether the part lies to the right of γ.
    pub(super) is_right: bool,
}

/// An iterator over the parts, from left to right.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    function: &'a Table<'a>,
    condition: Option<&'a Table<'a>>,
    gamma: Abscissa,
    /// The pieces of the function and of the condition on which the next part lies, and whether γ is to its left.
    at: (usize, usize, bool),
    lower: Option<Abscissa>,
    is_over: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        function: &'a Table<'a>,
        condition: Option<&'a Table<'a>>,
        gamma: f64,
    ) -> Self {
        let gamma = [gamma, 0.0, 0.0];
        Self { function, condition, gamma, at: (0, 0, false), lower: None, is_over: false }
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        if self.is_over {
            return None;
        }
        let (piece, interval, is_right) = self.at;
        let (knots, ends) = (
            &self.function.knots[piece..],
            self.condition.map_or(&[][..], |c| &c.knots[interval..]),
        );
        let candidates = [knots.first(), ends.first(), (!is_right).then_some(&self.gamma)];
        // Words compare as their digits do.
        let upper = candidates.into_iter().flatten().copied();
        let upper = upper.reduce(|a, b| if b < a { b } else { a });
        let is_inside = self.condition.is_none_or(|condition| holds(condition, interval));
        let part = match (is_right, self.lower) {
            (true, Some(near)) => Part { piece, is_inside, near, far: upper, is_right },
            // Before γ there is an upper end: γ itself, if no other.
            _ => Part {
                piece,
                is_inside,
                near: upper.unwrap_or(self.gamma),
                far: self.lower,
                is_right,
            },
        };
        match upper {
            Some(upper) => {
                let passed =
                    |places: &[Abscissa]| places.iter().take_while(|t| **t <= upper).count();
                self.at.0 += passed(knots);
                self.at.1 += passed(ends);
                // After γ, or a knot on it, parts are to the right.
                self.at.2 |= self.gamma <= upper;
            }
            None => self.is_over = true,
        }
        self.lower = upper;
        Some(part)
    }
}

/// Whether γ, which is no end of A, lies in A.
pub(super) fn is_inside(condition: &Table<'_>, gamma: f64) -> bool {
    let gamma = [gamma, 0.0, 0.0];
    holds(condition, condition.knots.iter().take_while(|knot| **knot <= gamma).count())
}

/// Whether a condition holds on an interval between its knots: where it is not 0.
fn holds(condition: &Table<'_>, interval: usize) -> bool {
    let around = match (interval.checked_sub(1), condition.centers.first()) {
        (Some(left), _) => condition.right_of(left),
        (None, _) if !condition.knots.is_empty() => condition.left_of(0),
        // Without knots it is one polynomial, given around some place.
        (None, Some(center)) => center.coefficients,
        (None, None) => return false,
    };
    around.iter().any(|c| c[0] != 0.0)
}
