//! The line cut at the knots and at γ: its points, its parts, and the jumps on it.

use std::cell::OnceCell;

use crate::polynomial::Polynomial;
use crate::real::{Real, to_f64};
use crate::tails::{FAR, Tails};

/// A point of the line, in units of ξ from γ.
pub(crate) struct Edge {
    pub(crate) s: Real,
    /// |s|.
    pub(crate) distance: Real,
    pub(crate) density: Real,
    tails: OnceCell<Vec<Real>>,
}

impl Edge {
    pub(crate) fn new(tails: &Tails, s: Real) -> Self {
        Self { distance: s.abs(), density: tails.density(&s), s, tails: OnceCell::new() }
    }

    pub(crate) fn tails(&self, tails: &Tails, n: usize) -> &[Real] {
        self.tails.get_or_init(|| tails.tails(&self.distance, &self.density, n))
    }

    pub(crate) fn is_far(&self) -> bool {
        to_f64(&self.distance) > FAR
    }
}

/// An end of a segment.
pub(crate) struct End<'a> {
    pub(crate) edge: &'a Edge,
    /// The Taylor coefficients of h there, in units of ξ and away from γ.
    pub(crate) h: Polynomial,
}

/// A part of a piece on one side of γ.
pub(crate) struct Segment<'a> {
    /// On which side of γ.
    pub(crate) left: bool,
    pub(crate) near: End<'a>,
    pub(crate) far: Option<(End<'a>, Real)>,
    /// The Taylor coefficients of g at the near end, as those of h.
    pub(crate) g: Polynomial,
}

impl Segment<'_> {
    /// The distance of the near end, in units of ξ.
    pub(crate) fn distance(&self) -> f64 {
        to_f64(&self.near.edge.distance)
    }

    /// In units of ξ.
    pub(crate) fn width(&self) -> f64 {
        self.far.as_ref().map_or(f64::INFINITY, |(_, width)| to_f64(width))
    }
}

/// A jump of g or of its derivative in z.
pub(crate) struct Jump<'a> {
    pub(crate) edge: &'a Edge,
    /// Of g and g′.
    pub(crate) by: [Real; 2],
}

impl Jump<'_> {
    /// The distance of the knot from γ, in units of ξ.
    pub(crate) fn distance(&self) -> f64 {
        to_f64(&self.edge.distance)
    }
}
