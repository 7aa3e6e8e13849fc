//! The integrand of a mixed moment: g in units of a deviation, E\[h(w) | u\] relative to itself however small it is, and the panels that cover both.
//!
//! # A function in units of a deviation
//!
//! With u = m + σz, a polynomial Σ cᵢ (u − t)ⁱ is Σ cᵢ σⁱ (z − α)ⁱ with α = (t − m)/σ. Places and coefficients are double
//! words, with the power of two taken out that makes the largest coefficient about 1.
//!
//! # E\[h(w) | u\] and its slope
//!
//! Given u = γ + ξx, w is Normal with the mean γ′ + ξ′ρx and the deviation ξ′√(1 − ρ²). In units of that deviation the mean is κx with
//! κ = ρ/√(1 − ρ²), and the variance is 1. So the numbers of h are made once, and each x takes the kernel of one pre-activation at the
//! number next to κx, with a step of Taylor's series for the rest: E\[h\] + δ E\[h′\] and E\[h′\] + δ E\[h″\].
//!
//! Where δ is large, and, with wide exponents, where E underflows, the kernel is asked for a mean of 0 and knots that are moved by −κx as
//! double words, so that no input is rounded.
//!
//! # Panels
//!
//! Let x = (u − γ)/ξ be on a piece, and w on an interval between two knots. Given x, the interval has the distance d(x) from the
//! conditional mean of w, in units of the conditional deviation. Its part of the integrand falls as e^(−m/2) with m = x² + d(x)², which is convex:
//! the least m on the piece is 0, or at an end of the piece, or at an end of the interval. Panels go out from there. Over each one m/2 grows by
//! no more than a constant. For its curvature the largest one is taken, 1/(1 − ρ²), unless the conditional mean is well inside of the interval,
//! where it is 1.

use alloc::vec::Vec;

use super::super::decomposition::seen;
use crate::kernel::pieces::{Center, Limits, Table};
use crate::kernel::single::{Far, far_gradients};
use crate::kernel::sum::{Knot, MAX_DEGREE, Piece, Place, Rows};
use crate::kernel::{triple, word};
use crate::lanes::Lanes;
use crate::tabulated;

/// A number in two words.
pub(super) type Word = [f64; 2];

/// Up to such a change, relative to what changes, a function of parameters may be continuous, or smooth.
const SAME: f64 = 1.0 / (1_u128 << 90) as f64;

/// σ = `word` · 2^`exponent`, with a word of about 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deviation {
    pub(super) word: Word,
    pub(super) exponent: i32,
}

impl Deviation {
    /// From a positive word of any size.
    pub(super) fn new(word: Word, exponent: i32) -> Self {
        let own = libm::ilogb(word[0]);
        Self { word: word.map(|x| libm::scalbn(x, -own)), exponent: exponent + own }
    }
}

/// A place inside of a piece, and the piece around it.
#[derive(Clone, Debug)]
pub(super) struct Inside {
    pub(super) piece: usize,
    pub(super) at: Word,
    pub(super) coefficients: Vec<Word>,
}

/// The function 2^`exponent` times that of the coefficients.
#[derive(Clone, Debug)]
pub(super) struct Standard {
    pub(super) degree: usize,
    pub(super) exponent: i64,
    pub(super) knots: Vec<Word>,
    pub(super) widths: Vec<Word>,
    /// As in [`Table::sides`].
    pub(super) sides: Vec<Word>,
    pub(super) centers: Vec<Inside>,
}

impl Standard {
    pub(super) fn new(table: &Table<'_>, mean: f64, deviation: Deviation) -> Self {
        let Deviation { word: unit, exponent } = deviation;
        let distance = |at: [f64; 3]| {
            let [high, low, _] = triple::add(at, [-mean, 0.0, 0.0]);
            seen(in_units([high, low], deviation))
        };
        let around = || table.sides.chunks(table.degree + 1);
        let polynomials = around().chain(table.centers.iter().map(|center| center.coefficients));
        // The largest coefficient, without the factor of the word.
        let size = |(i, c): (i32, &Word)| (c[0] != 0.0).then(|| libm::ilogb(c[0]) + i * exponent);
        let shift = -polynomials.flat_map(|p| (0..).zip(p).filter_map(size)).max().unwrap_or(0);
        let scaled = |p: &[Word]| -> Vec<Word> {
            let mut power = [1.0, 0.0];
            let term = |(c, i): (&Word, i32)| {
                let scaled =
                    word::multiply(*c, power).map(|x| libm::scalbn(x, i * exponent + shift));
                power = word::multiply(power, unit);
                scaled
            };
            p.iter().zip(0..).map(term).collect()
        };
        Self {
            degree: table.degree,
            exponent: i64::from(table.exponent) - i64::from(shift),
            knots: table.knots.iter().map(|knot| distance(*knot)).collect(),
            widths: table.widths.iter().map(|width| seen(in_units(*width, deviation))).collect(),
            sides: around().flat_map(scaled).collect(),
            centers: table
                .centers
                .iter()
                .map(|center| Inside {
                    piece: center.piece,
                    at: distance(center.at),
                    coefficients: scaled(center.coefficients),
                })
                .collect(),
        }
    }

    /// How many pieces there are.
    pub(super) fn pieces(&self) -> usize {
        self.knots.len() + 1
    }

    /// The ends of a piece.
    pub(super) fn ends(&self, piece: usize) -> [Option<Word>; 2] {
        [piece.checked_sub(1).map(|knot| self.knots[knot]), self.knots.get(piece).copied()]
    }

    fn side(&self, which: usize) -> &[Word] {
        let count = self.degree + 1;
        &self.sides[which * count..][..count]
    }

    /// The places around which a piece is known.
    fn places(&self, piece: usize) -> impl Iterator<Item = (Word, &[Word])> {
        let left = piece.checked_sub(1).map(|knot| (self.knots[knot], self.side(2 * knot + 1)));
        let right = self.knots.get(piece).map(|knot| (*knot, self.side(2 * piece)));
        let centers = self.centers.iter().filter(move |center| center.piece == piece);
        let centers = centers.map(|center| (center.at, &center.coefficients[..]));
        left.into_iter().chain(right).chain(centers)
    }

    /// Whether a derivative of the function is 0 on a piece.
    pub(super) fn vanishes(&self, piece: usize, times: usize) -> bool {
        let known = self.places(piece).next();
        known.is_none_or(|(_, p)| p.iter().skip(times).all(|c| c[0] == 0.0))
    }

    /// A derivative of the polynomial of a piece.
    pub(super) fn value(&self, piece: usize, x: Word, times: usize) -> f64 {
        let distance = |at: Word| word::subtract(x, at);
        let places = self.places(piece).map(|(at, p)| (distance(at), p));
        let nearest = places.min_by(|(a, _), (b, _)| a[0].abs().total_cmp(&b[0].abs()));
        let Some((distance, p)) = nearest else { return 0.0 };
        let falling = |i: usize| (i + 1 - times..=i).map(|k| k as f64).product::<f64>();
        let terms = p.iter().enumerate().skip(times).rev();
        // So that a distance may be infinite.
        let terms = terms.skip_while(|(_, c)| c[0] == 0.0);
        terms.fold([0.0; 2], |sum, (i, c)| {
            let term = word::multiply(*c, [falling(i), 0.0]);
            word::add(word::multiply(sum, distance), term)
        })[0]
    }

    /// By how much a derivative of the function jumps at a knot.
    pub(super) fn jump(&self, knot: usize, times: usize) -> f64 {
        let [left, right] = [2 * knot, 2 * knot + 1].map(|which| self.side(which)[times]);
        let jump = word::subtract(right, left)[0];
        if jump.abs() > SAME * left[0].abs().max(right[0].abs()) { jump } else { 0.0 }
    }

    /// The natural logarithm of the largest coefficient over the smallest one.
    pub(super) fn spread(&self) -> f64 {
        let all = self.sides.iter().chain(self.centers.iter().flat_map(|c| &c.coefficients));
        let sizes = all.map(|c| c[0].abs()).filter(|size| *size != 0.0);
        let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (x.min(a), x.max(b)));
        if least < most { libm::log(most) - libm::log(least) } else { 0.0 }
    }
}

fn in_units(distance: Word, Deviation { word: unit, exponent }: Deviation) -> Word {
    word::divide(distance.map(|x| libm::scalbn(x, -exponent)), unit)
}

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
            // Rows serve the sum of truncated moments, which has no higher degree.
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
            // The first place begins at −∞, which does not move.
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
        let far = |table: &Table<'_>| far_gradients(table, 0.0, Far::splat(1.0));
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
    let center = |center: &'_ Inside| (center.piece, place(center.at));
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

/// The growth of m/2 over a panel.
const STEP: f64 = 4.0;
/// No panel is wider.
const WIDEST: f64 = 2.0;
/// So many conditional deviations from its ends the conditional mean is well inside of an interval.
const INSIDE: f64 = 9.0;
/// No side needs as many panels.
const PANELS: usize = 2000;

/// An end of the interval of w.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// In units of ξ′ from the mean.
    pub(super) beta: f64,
    /// In units of the conditional deviation from the conditional mean, for x = 0.
    pub(super) place: Word,
}

/// A piece of u and an interval of w.
pub(super) struct Rectangle {
    pub(super) rho: f64,
    /// κ = ρ/√(1 − ρ²), by which the conditional mean moves with x.
    pub(super) steepness: Word,
    pub(super) piece: [Option<Word>; 2],
    pub(super) interval: [Option<Level>; 2],
}

impl Rectangle {
    /// The ends of the interval, given x.
    fn given(&self, x: Word) -> [f64; 2] {
        let by = word::negate(word::multiply(self.steepness, x));
        let of = |end: usize, none| {
            self.interval[end].map_or(none, |level| word::add(level.place, by)[0])
        };
        [of(0, f64::NEG_INFINITY), of(1, f64::INFINITY)]
    }

    /// m at x, and half its slope.
    fn fall(&self, x: Word) -> [f64; 2] {
        let [lower, upper] = self.given(x);
        let d = if lower > 0.0 { lower } else { upper.min(0.0) };
        [x[0] * x[0] + d * d, x[0] - self.steepness[0] * d]
    }

    /// Where m is least, and m there.
    pub(super) fn nearest(&self) -> (Word, f64) {
        let [lower, upper] = self.piece.map(|end| end.map(|end| end[0]));
        let is_inside = |x: f64| lower.is_none_or(|l| l <= x) && upper.is_none_or(|u| x <= u);
        let ends = self.piece.into_iter().flatten().map(|end| (end, self.fall(end)[0]));
        let levels = self.interval.into_iter().flatten().map(|level| level.beta);
        let levels = levels.filter(|beta| is_inside(self.rho * beta));
        let levels = levels.map(|beta| ([self.rho * beta, 0.0], beta * beta));
        let center = ([0.0; 2], self.fall([0.0; 2])[0]);
        let is_center = is_inside(0.0) && center.1 == 0.0;
        let others = ends.chain(levels).filter(|_| !is_center);
        others.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(center)
    }

    /// Adds the ends of panels on both sides of a place where m is least, until m has grown by so much; and gives the ends of all of them.
    pub(super) fn panels(
        &self,
        (from, least): (Word, f64),
        most: f64,
        into: &mut Vec<Word>,
    ) -> [f64; 2] {
        into.push(from);
        [(-1.0, self.piece[0]), (1.0, self.piece[1])].map(|(side, end)| {
            let mut x = from;
            for _ in 0..PANELS {
                let [m, slope] = self.fall(x);
                if m - least > most || end.is_some_and(|end| end == x) {
                    break;
                }
                let width = self.width(x, side, side * slope);
                let next = word::add(x, [side * width, 0.0]);
                let left = end.map(|end| word::subtract(end, next)[0]);
                x = end.filter(|_| left.is_some_and(|left| side * left <= 0.0)).unwrap_or(next);
                into.push(x);
            }
            x[0]
        })
    }

    /// How wide a panel may be that begins at x, where m/2 has such a slope to its side.
    fn width(&self, x: Word, side: f64, slope: f64) -> f64 {
        let [lower, upper] = self.given(x);
        let kappa = self.steepness[0];
        let width = |curvature: f64| {
            // Panels lead away from the least m, so that the slope is negative by rounding alone.
            let slope = slope.max(0.0);
            // The root of slope · x + curvature · x²/2 = STEP, as a quotient: a difference would cancel.
            let root = libm::sqrt(slope * slope + 2.0 * STEP * curvature);
            (2.0 * STEP / (slope + root)).min(WIDEST)
        };
        let steep = width(1.0 + kappa * kappa);
        if lower > -INSIDE || upper < INSIDE {
            return steep;
        }
        // Up to where the conditional mean comes near the end that it moves to.
        let room = if side * kappa > 0.0 { upper - INSIDE } else { -INSIDE - lower };
        width(1.0).min(room / kappa.abs()).max(steep)
    }
}
