//! E\[h(w) | u\] and its slope, each relative to itself however small it is.
//!
//! Given u = γ + ξx, w is Normal with the mean γ′ + ξ′ρx and the deviation ξ′√(1 − ρ²). In units of that deviation the mean is κx with
//! κ = ρ/√(1 − ρ²), and the variance is 1. So the numbers of h are made once, and each x takes the kernel of one pre-activation at the
//! number next to κx, with a step of Taylor's series for the rest: E\[h\] + δ E\[h′\] and E\[h′\] + δ E\[h″\].
//!
//! Where δ is large, and, with wide exponents, where E underflows, the kernel is asked for a mean of 0 and knots that are moved by −κx as
//! double words, so that no input is rounded.

use alloc::vec::Vec;

use super::standard::{Deviation, Standard, Word};
use crate::kernel::pieces::{Center, Limits, Table};
use crate::kernel::single::{Far, far_gradients};
use crate::kernel::sum::{Knot, MAX_DEGREE, Piece, Place, Rows};
use crate::kernel::word;
use crate::lanes::Lanes;
use crate::tabulated;
use crate::tabulated::sum::Sum;

/// The least number that has surely all of its digits.
const LEAST: f64 = 1e-280;

/// The largest δ. Up to 37 deviations, where E underflows, the next term of the series, δ²/2 E″, is less than a rounding of E.
const LARGEST_STEP: f64 = 1.0 / (1_u64 << 34) as f64;

/// A function of w, given u.
pub(super) struct Given {
    /// In units of the conditional deviation, for x = 0.
    pub(super) function: Standard,
    /// κ
    pub(super) steepness: Word,
    places: Vec<Place>,
    knots: Vec<Knot>,
    pieces: Vec<Piece>,
}

impl Given {
    /// From the mean of w, the conditional deviation and κ.
    pub(super) fn new(table: &Table<'_>, mean: f64, deviation: Deviation, steepness: Word) -> Self {
        let function = Standard::new(table, mean, deviation);
        let mut rows = Self {
            places: Vec::new(),
            knots: Vec::new(),
            pieces: Vec::new(),
            steepness,
            function: function.clone(),
        };
        if function.degree <= MAX_DEGREE {
            let count = function.knots.len();
            rows.places =
                alloc::vec![Place::EMPTY; Table::place_count(count, function.centers.len())];
            rows.knots = alloc::vec![Knot::EMPTY; count];
            rows.pieces = alloc::vec![Piece::EMPTY; count.saturating_sub(1)];
            with_table(&function, [0.0; 2], Rows::default(), |table| {
                table.write_rows(&mut rows.places, &mut rows.knots, &mut rows.pieces, true);
            });
        }
        rows
    }

    /// Lends E\[h | u\] and its derivative in the conditional mean as functions of u, without the power of two of h.
    pub(super) fn with<R>(&self, work: impl FnOnce(&Expected<'_>) -> R) -> R {
        let rows = Rows { places: &self.places, knots: &self.knots, pieces: &self.pieces };
        with_table(&self.function, [0.0; 2], rows, |table| {
            work(&Expected { given: self, table: *table })
        })
    }

    /// Lends the function with a conditional mean of 0, as a table whose knots have moved instead.
    fn moved<R>(&self, mean: Word, work: impl FnOnce(&Table<'_>) -> R) -> R {
        let by = word::negate(mean);
        let (mut places, mut knots, mut pieces) =
            (self.places.clone(), self.knots.clone(), self.pieces.clone());
        let words = |at: &mut [f64; 2]| *at = word::add(*at, by);
        for place in &mut places {
            words(&mut place.at);
            if place.from[0].is_finite() {
                words(&mut place.from);
            }
        }
        for knot in &mut knots {
            knot.at = move_place(knot.at, by);
        }
        for piece in &mut pieces {
            words(&mut piece.whole.middle);
            if let Some(cut) = &mut piece.cut {
                cut.at = move_place(cut.at, by);
                cut.parts.iter_mut().for_each(|part| words(&mut part.middle));
            }
        }
        let rows = Rows { places: &places, knots: &knots, pieces: &pieces };
        with_table(&self.function, by, rows, work)
    }
}

/// The moments of h given u.
pub(super) struct Expected<'a> {
    given: &'a Given,
    table: Table<'a>,
}

impl Expected<'_> {
    /// E\[h | u\], or with `times` 1 its derivative in the conditional mean, for u at x.
    pub(super) fn at(&self, x: Word, times: usize) -> Far {
        let mean = word::multiply(self.given.steepness, x);
        let value = if mean[1].abs() < LARGEST_STEP {
            let [value, _, slope, half_curvature, ..] =
                tabulated::gradients(&self.table, mean[0], 1.0);
            match times {
                0 => value + mean[1] * slope,
                _ => slope + 2.0 * mean[1] * half_curvature,
            }
        } else {
            self.given.moved(mean, |table| tabulated::gradients(table, 0.0, 1.0)[2 * times])
        };
        if value.abs() > LEAST {
            return Far::splat(value);
        }
        let far = |table: &Table<'_>| far_gradients(&Sum::of(table), 0.0, Far::splat(1.0));
        self.given.moved(mean, |table| far(table)[2 * times])
    }
}

fn move_place(at: [f64; 3], by: Word) -> [f64; 3] {
    let [high, low] = word::add([at[0], at[1]], by);
    [high, low, 0.0]
}

/// The function with moved knots as a table.
fn with_table<R>(
    function: &Standard,
    by: Word,
    rows: Rows<'_>,
    work: impl FnOnce(&Table<'_>) -> R,
) -> R {
    let place = |at: Word| move_place([at[0], at[1], 0.0], by);
    let knots: Vec<[f64; 3]> = function.knots.iter().map(|knot| place(*knot)).collect();
    let center = |center: &'_ super::standard::Inside| (center.piece, place(center.at));
    let moved: Vec<(usize, [f64; 3])> = function.centers.iter().map(center).collect();
    let centers = moved.iter().zip(&function.centers);
    let centers = centers.map(|((piece, at), center)| Center {
        piece: *piece,
        at: *at,
        coefficients: &center.coefficients,
    });
    let centers: Vec<Center<'_>> = centers.collect();
    work(&Table {
        degree: function.degree,
        exponent: 0,
        knots: &knots,
        widths: &function.widths,
        sides: &function.sides,
        centers: &centers,
        values: &[],
        limits: Limits::Given(&[]),
        rows,
    })
}
