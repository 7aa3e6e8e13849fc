//! A piecewise polynomial as numbers: knots, coefficients around them, and limits for ξ → 0.

use core::fmt;

use crate::kernel::sum::{self, Knot, Piece, Place, Rows};
use crate::kernel::{place, triple};

/// The highest degree of a piece.
pub const MAX_DEGREE: usize = 64;
/// Above this degree, terms of a sum cancel by more digits than double words have to spare.
pub const STEEPEST: usize = 32;

/// A piecewise polynomial g = 2ᵉ ĝ: the coefficients of ĝ, none of which is much larger than 1.
///
/// A polynomial is given by its coefficients in powers of the distance from a place, each in two words, the constant
/// first: degree + 1 of them.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The highest degree of a piece, at least 1 and at most [`MAX_DEGREE`].
    pub degree: usize,
    /// e: g is this power of two times ĝ.
    pub exponent: i32,
    /// The knots in ascending order, in three words.
    pub knots: &'a [[f64; 3]],
    /// The widths of the bounded pieces, in two words.
    pub widths: &'a [[f64; 2]],
    /// The coefficients around each knot: those of the piece to its left, then those of the piece to its right.
    pub sides: &'a [[f64; 2]],
    /// Further places around which pieces are given. Where γ is near one, its coefficients lose fewer digits than
    /// those around a knot.
    pub centers: &'a [Center<'a>],
    /// The value of g on each knot.
    pub values: &'a [f64],
    /// The limits for ξ → 0 with γ on a knot.
    pub limits: Limits<'a>,
    /// The rows of the sum of truncated moments, up to degree [3](sum::MAX_DEGREE); none above.
    pub rows: Rows<'a>,
}

/// The limits for ξ → 0 with γ on a knot: mean, variance and their derivatives in γ and ξ².
#[derive(Clone, Copy)]
pub enum Limits<'a> {
    /// Numbers for each knot.
    Given(&'a [[f64; 6]]),
    /// A function of γ, where they depend on parameters: `None` off the knots.
    Computed(&'a (dyn Fn(f64) -> Option<[f64; 6]> + Sync)),
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(limits) => f.debug_tuple("Given").field(limits).finish(),
            Self::Computed(_) => f.write_str("Computed"),
        }
    }
}

/// A place around which a piece is given.
#[derive(Clone, Copy, Debug)]
pub struct Center<'a> {
    /// The piece.
    pub piece: usize,
    /// The place, in three words.
    pub at: [f64; 3],
    /// The coefficients around it.
    pub coefficients: &'a [[f64; 2]],
}

impl<'a> Table<'a> {
    /// The number of coefficients of a piece.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.degree + 1
    }

    /// The piece to the left of a knot around it.
    #[inline(always)]
    pub(crate) fn left_of(&self, knot: usize) -> &'a [[f64; 2]] {
        let count = self.count();
        &self.sides[2 * knot * count..][..count]
    }

    /// The piece to the right of a knot around it.
    #[inline(always)]
    pub(crate) fn right_of(&self, knot: usize) -> &'a [[f64; 2]] {
        let count = self.count();
        &self.sides[(2 * knot + 1) * count..][..count]
    }

    /// How many places there are in the [rows](Self::rows).
    #[must_use]
    pub const fn place_count(knots: usize, centers: usize) -> usize {
        2 * knots + centers
    }

    /// Writes the rows: one for each knot, for each piece between two, and for each place, as many as
    /// [`place_count`](Self::place_count) says. Pieces whose terms nearly cancel are cut, if that is wanted.
    ///
    /// # Panics
    ///
    /// If the degree is above [3](sum::MAX_DEGREE), or there are not as many rows.
    pub fn write_rows(
        &self,
        places: &mut [Place],
        knots: &mut [Knot],
        pieces: &mut [Piece],
        may_cut: bool,
    ) {
        for (i, row) in knots.iter_mut().enumerate() {
            *row = sum::knot(self.knots[i], self.left_of(i), self.right_of(i));
        }
        for (i, row) in pieces.iter_mut().enumerate() {
            let ends = [self.right_of(i), self.left_of(i + 1)];
            let cut = if may_cut { sum::cut(self.widths[i][0], ends) } else { None };
            *row = sum::piece(self.knots[i], self.widths[i], ends[0], cut);
        }
        let mut count = 0;
        let mut offer = |at: [f64; 3], around: &[[f64; 2]], from: Option<[f64; 2]>| {
            let from = from.unwrap_or([f64::NEG_INFINITY, 0.0]);
            places[count] = sum::place(at, around, from);
            count += 1;
        };
        for piece in 0..=self.knots.len() {
            // Where the piece begins, and the place before.
            let mut from = piece.checked_sub(1).map(|i| [self.knots[i][0], self.knots[i][1]]);
            let mut before = f64::NEG_INFINITY;
            let end = self.knots.get(piece).map(|knot| knot[0]);
            if let Some(i) = piece.checked_sub(1) {
                offer(self.knots[i], self.right_of(i), from);
                before = self.knots[i][0];
                from = None;
            }
            let middle = |before: f64, at: f64| {
                (before != f64::NEG_INFINITY).then_some([0.5 * before + 0.5 * at, 0.0])
            };
            for center in self.centers.iter().filter(|center| center.piece == piece) {
                let at = center.at[0];
                // One that parameters have moved off its piece is never taken.
                let is_inside = before < at && end.is_none_or(|end| at < end);
                // γ takes the place from the middle between it and the one before on.
                let start =
                    if is_inside { from.or_else(|| middle(before, at)) } else { Some(NEVER) };
                offer(center.at, center.coefficients, start);
                if is_inside {
                    (before, from) = (at, None);
                }
            }
            if let Some(end) = self.knots.get(piece) {
                offer(*end, self.left_of(piece), from.or_else(|| middle(before, end[0])));
            }
        }
        // So that they ascend.
        for i in (1..places.len()).rev() {
            if places[i - 1].from == NEVER {
                places[i - 1].from = places[i].from;
            }
        }
    }

    /// The jumps of ĝ and its slope at a knot.
    #[inline(always)]
    pub(super) fn jumps(&self, knot: usize) -> [f64; 2] {
        let (left, right) = (self.left_of(knot), self.right_of(knot));
        let jump = |j: usize| (right[j][0] - left[j][0]) + (right[j][1] - left[j][1]);
        [jump(0), jump(1)]
    }

    /// g(x).
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        if x.is_nan() {
            return x;
        }
        let place = place(x, self.knots);
        if place % 2 == 1 {
            return self.values[place / 2];
        }
        let piece = place / 2;
        let knots = [
            piece.checked_sub(1).map(|knot| (self.knots[knot], self.right_of(knot))),
            self.knots.get(piece).map(|knot| (*knot, self.left_of(piece))),
        ];
        let centers = self.centers.iter().filter(|center| center.piece == piece);
        let centers = centers.map(|center| (center.at, center.coefficients));
        let around = knots.into_iter().flatten().chain(centers);
        let distance = |at: [f64; 3]| triple::subtract([x, 0.0, 0.0], at);
        let nearest = around.map(|(at, coefficients)| (distance(at), coefficients));
        let nearest = nearest.min_by(|(a, _), (b, _)| a[0].abs().total_cmp(&b[0].abs()));
        let Some((distance, coefficients)) = nearest else { return 0.0 };
        // So that a distance may be infinite.
        let mut terms = coefficients.iter().rev().skip_while(|c| c[0] == 0.0);
        let Some(&[high, low]) = terms.next() else { return 0.0 };
        let value = terms.fold([high, low, 0.0], |sum, &[high, low]| {
            triple::add(triple::multiply(sum, distance), [high, low, 0.0])
        });
        scaled(value[0], self.exponent)
    }
}

/// The start of a place that no γ takes.
const NEVER: [f64; 2] = [f64::INFINITY, 0.0];

/// value · 2ᵉ, rounded once if at all.
pub(super) fn scaled(value: f64, exponent: i32) -> f64 {
    let power = |e: i32| f64::from_bits(((1023 + e) as u64) << 52);
    let mut left = exponent;
    let mut value = value;
    // The last step alone may leave the range.
    while left != 0 {
        let step = left.clamp(-900, 900);
        value *= power(step);
        left -= step;
    }
    value
}

/// Takes a power of two out of coefficients that are far from 1, and gives its exponent: `count` of them a polynomial, on both
/// sides of each knot and around other places. Of constants their jumps at the knots count alone: what a function varies by is
/// squared, and its level is not.
#[must_use]
pub fn scale(coefficients: &mut [[f64; 2]], count: usize, knots: usize) -> i32 {
    let exponent = |value: f64| (value.to_bits() >> 52 & 0x7FF) as i32 - 1023;
    let jumps = coefficients[..2 * count * knots].chunks_exact(2 * count);
    let jumps = jumps.map(|sides| (sides[count][0] - sides[0][0]).abs()).fold(0.0, f64::max);
    let slopes = coefficients.chunks_exact(count).flat_map(|row| &row[1..]);
    let largest = slopes.map(|c| c[0].abs()).fold(jumps, f64::max);
    let exponent = exponent(largest);
    if largest == 0.0 || !largest.is_finite() || exponent.abs() < FAR {
        return 0;
    }
    for c in coefficients {
        *c = c.map(|word| scaled(word, -exponent));
    }
    exponent
}

/// The exponent from which on coefficients are far from 1.
const FAR: i32 = 64;

impl Table<'_> {
    /// The limits with γ on a knot; `None` elsewhere.
    pub(super) fn limits_at(&self, gamma: f64) -> Option<[f64; 6]> {
        match self.limits {
            Limits::Given(limits) => {
                let place = place(gamma, self.knots);
                (place % 2 == 1).then(|| limits[place / 2])
            }
            Limits::Computed(limits) => limits(gamma),
        }
    }
}
