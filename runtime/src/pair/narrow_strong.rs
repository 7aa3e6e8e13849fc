//! Covariances of narrow pieces over which the conditional density is not smooth: ρ is near 1 or −1, and the conditional deviation r = √(1 − ρ²) is
//! small beside the piece.
//!
//! With κ = |ρ|/r, x in standard deviations of u, and s_l the place at which w is expected on the knot l of h, where h changes by Σ q_m (t − β)ᵐ/m!,
//!
//! ```text
//! E[T(u) h(w)] = ∫ T φ Q dx + Σ_l Σ_m q_m rᵐ ∫ T φ (±J_m(κ|x − s_l|)) dx      + for J before its knot, (−1)^(m+1) past it
//! ∫ p φ J_m(κ(x − s)) dx from a place to the far side = Σ_n κ^(−n−1) (pφ)⁽ⁿ⁾ J_{m+n+1}(κ|x − s|) at the place
//! ```
//!
//! with Q the mean of the piece of h on which w is expected. The first integral is one of a polynomial with the density. In the others Tφ is a smooth function
//! on each side of each knot of T, of which the series has all digits for κ ≥ [`LEAST`]. Below, pieces are wide, and nodes on them do.
//!
//! Error: some ulp of the integrals with |T| and |h|. Of the point masses of derivatives the differences are as small as the piece, so that derivatives in
//! variances lose as many digits.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::OnceCell;

use super::decomposition::{Decomposition, NarrowEnd, NarrowPiece, derivatives, rule, value};
use super::law::Law;
use super::tail::{DERIVATIVES, SeenPoint, Tail, TailValues, density, factorial, falling, power};
use super::tail_pair::{Order, Sum};
use crate::kernel::ratios_in_one_word;

/// The least κ for which the series is used.
const LEAST: f64 = 8.0;
/// The most terms of the series.
const TERMS: usize = 28;
/// The most conditional deviations that nodes of one panel resolve.
const PANEL: f64 = 4.0;
/// A knot of u adds nothing where it is so far from a knot of w: the square of that distance in conditional deviations exceeds the square of the distance of the
/// knot of w from its mean by more than this, so that the joint density is e^(−45) of the density at that knot.
const FARTHEST: f64 = 90.0;

/// A part of a function: pieces beside each other, or a tail.
pub(super) struct Shape<'a> {
    knots: Vec<Knot<'a>>,
    pieces: Vec<Piece<'a>>,
    /// E of the derivatives.
    means: [f64; DERIVATIVES],
}

struct Knot<'a> {
    /// Seen to the right.
    place: Cow<'a, SeenPoint>,
    /// By how much each derivative changes there.
    jumps: Vec<f64>,
    /// The narrow piece to the right.
    right: Option<&'a NarrowPiece>,
}

/// A piece between knots, whose polynomials are those of a narrow piece, or a tail's.
struct Piece<'a> {
    /// The number of the knot from which distances are taken.
    at: usize,
    /// Whether that knot is the lower end.
    is_lower: bool,
    /// Infinite for a tail.
    width: f64,
    /// For each derivative, the coefficients in powers of the distance.
    polynomials: Cow<'a, [Vec<f64>; DERIVATIVES]>,
    narrow: Option<&'a NarrowPiece>,
}

/// Coefficients of a polynomial from its derivatives.
fn coefficients(derivatives: &[f64]) -> Vec<f64> {
    derivatives.iter().enumerate().map(|(m, q)| q / factorial(m)).collect()
}

impl<'a> Shape<'a> {
    /// The pieces that are differentiated, in runs.
    pub(super) fn runs(side: &'a Decomposition) -> Vec<Self> {
        let apart: Vec<&NarrowPiece> =
            side.narrow_pieces.iter().filter(|piece| piece.is_apart).collect();
        // Neighbours share a knot, where the function changes by the difference of both pieces.
        let runs = apart.chunk_by(|a, b| a.lower_end + 1 == b.lower_end);
        runs.map(|run| {
            let narrow_ends = &side.narrow_ends[run[0].lower_end..=run[0].lower_end + run.len()];
            let knot = |(i, end): (usize, &'a NarrowEnd)| {
                let (polynomial, sign) = match i {
                    0 => (&end.sides[1], 1.0),
                    i if i == run.len() => (&end.sides[0], -1.0),
                    _ => (&end.jump, 1.0),
                };
                let mut jumps = derivatives(polynomial, 0.0);
                jumps.iter_mut().for_each(|c| *c *= sign);
                Knot { place: Cow::Borrowed(&end.place), jumps, right: run.get(i).copied() }
            };
            let piece = |(at, piece): (usize, &&'a NarrowPiece)| Piece {
                at,
                is_lower: true,
                width: piece.width,
                polynomials: Cow::Borrowed(&piece.polynomials),
                narrow: Some(*piece),
            };
            let mean = |times| run.iter().map(|piece| piece.feature(0, times)).sum();
            Self {
                knots: narrow_ends.iter().enumerate().map(knot).collect(),
                pieces: run.iter().enumerate().map(piece).collect(),
                means: core::array::from_fn(mean),
            }
        })
        .collect()
    }

    /// A tail without the point masses of its derivatives.
    pub(super) fn of_tail(tail: &Tail) -> Self {
        let side = tail.place.side;
        let place = tail.place.to_the_right();
        let beyond: Vec<f64> =
            tail.coefficients.iter().enumerate().map(|(m, c)| power(side, m) * c).collect();
        // A tail to the left ends at its knot: from left to right the function changes by its negative.
        let jumps = beyond.iter().map(|q| side * q).collect();
        let piece = Piece {
            at: 0,
            is_lower: side > 0.0,
            width: f64::INFINITY,
            polynomials: Cow::Owned(core::array::from_fn(|times| {
                coefficients(beyond.get(times..).unwrap_or_default())
            })),
            narrow: None,
        };
        Self {
            knots: [Knot { place: Cow::Owned(place), jumps, right: None }].into(),
            pieces: [piece].into(),
            means: core::array::from_fn(|times| tail.mean_inside(times)),
        }
    }

    /// Adds the covariances of a run of pieces with a part of the other function.
    pub(super) fn add<const N: usize>(
        &self,
        other: &Shape<'_>,
        law: &Law,
        orders: &[Order; N],
        sums: &mut [Sum; N],
    ) {
        let mut table = Table::default();
        if law.rho.abs() / law.rest < LEAST {
            over_panels(self, other, law, &mut table);
        } else {
            // By how much w is expected before each knot of the other function, given each knot of the run.
            let gap = |u: &Knot<'_>, w: &Knot<'_>| {
                law.offset(u.place.distance, w.place.distance)[0]
                    / (law.variance[0] * law.deviation[1])
            };
            let gaps = self.knots.iter().map(|u| other.knots.iter().map(|w| gap(u, w)).collect());
            let gaps: Vec<Vec<f64>> = gaps.collect();
            where_expected(self, other, &gaps, law, &mut table);
            if !law.is_degenerate() {
                around_knots(self, other, &gaps, law, &mut table);
            }
        }
        for ([i, j], sum) in orders.iter().zip(sums) {
            sum.add(table[*i][*j]);
            sum.add(-self.means[*i] * other.means[*j]);
        }
    }
}

/// The integrals of each derivative of T and of h.
type Table = [[f64; DERIVATIVES]; DERIVATIVES];

/// ∫ T φ Q dx.
fn where_expected(
    run: &Shape<'_>,
    other: &Shape<'_>,
    gaps: &[Vec<f64>],
    law: &Law,
    table: &mut Table,
) {
    let rho = law.rho;
    for (n, piece) in run.pieces.iter().enumerate() {
        let Some(narrow) = piece.narrow else { continue };
        for part in &other.pieces {
            // The ends of the part: the number of the knot, and its distance from the knot from which distances are taken.
            let lower = part.is_lower.then_some((part.at, 0.0));
            let upper = if part.is_lower {
                part.width.is_finite().then_some((part.at + 1, part.width))
            } else {
                Some((part.at, 0.0))
            };
            let [from, to] = if rho > 0.0 { [lower, upper] } else { [upper, lower] };
            // x of both, from the lower end of the piece, and what w is expected to be there.
            let start = from.map(|(knot, t)| (gaps[n][knot] / rho, t));
            // Both are there from the later of both beginnings on.
            let is_inside = start.is_some_and(|(x, _)| x > 0.0);
            let (x, t) = start.filter(|_| is_inside).unwrap_or((0.0, -gaps[n][part.at]));
            let to_end = match (from, is_inside) {
                (Some((knot, _)), true) => -gaps[n + 1][knot] / rho,
                _ => piece.width,
            };
            let length = match (to, from, is_inside) {
                (Some(_), Some(_), true) => to_end.min(part.width / rho.abs()),
                (Some((knot, _)), _, _) => to_end.min(gaps[n][knot] / rho - x),
                (None, ..) => to_end,
            };
            if length > 0.0 {
                let rule = rule(length);
                for (node, [share, ..]) in narrow.nodes(rule, [x, x + length]).zip(rule) {
                    let w = t + rho * (length * share);
                    add_values(piece, part, node.mass, [node.x, w], law.rest, table);
                }
            }
        }
    }
}

/// Adds mass · T⁽ⁱ⁾ E\[h⁽ʲ⁾\] for w at its mean, with the conditional deviation.
fn add_values(
    piece: &Piece<'_>,
    part: &Piece<'_>,
    mass: f64,
    [x, w]: [f64; 2],
    rest: f64,
    table: &mut Table,
) {
    let expected = part.polynomials.each_ref().map(|p| -> f64 {
        // The mean of a straight line is its value at the mean.
        if p.len() < 3 {
            return value(p, w);
        }
        let half = 0.5 * rest * rest;
        let terms = derivatives(p, w).into_iter().step_by(2).enumerate();
        terms.map(|(l, q)| q * power(half, l) / factorial(l)).sum()
    });
    for (row, p) in table.iter_mut().zip(piece.polynomials.iter()) {
        let value = mass * value(p, x);
        row.iter_mut().zip(expected).for_each(|(sum, expected)| *sum += value * expected);
    }
}

/// The integrals of J around the knots of the other function.
fn around_knots(
    run: &Shape<'_>,
    other: &Shape<'_>,
    gaps: &[Vec<f64>],
    law: &Law,
    table: &mut Table,
) {
    let (rho, rest) = (law.rho, law.rest);
    let steepness = rho.abs() / rest;
    let farthest = run.knots.iter().fold(0.0, |z: f64, knot| knot.place.z.abs().max(z));
    let terms = terms(farthest, steepness);
    // Series at the knots of the run, of what changes there.
    let of_each = |q: &[f64], at: [f64; 2]| -> [Vec<f64>; DERIVATIVES] {
        let of = |times| slopes(q.get(times..).unwrap_or_default(), at, steepness, terms);
        core::array::from_fn(of)
    };
    // A series at a knot of the run serves all knots of the other function.
    let at_knots: Vec<OnceCell<[Vec<f64>; DERIVATIVES]>> =
        run.knots.iter().map(|_| OnceCell::new()).collect();
    for (l, knot) in other.knots.iter().enumerate() {
        let most = knot.place.z * knot.place.z + FARTHEST;
        let orders = knot.jumps.len();
        let mut add = |y: f64, is_right: bool, sign: f64, series: &[Vec<f64>; DERIVATIVES]| {
            let tails = conditional_tails(y.abs(), orders + terms);
            // Past the knot of h, J stands for what the tail lacks of its polynomial.
            let is_before = is_right == (rho < 0.0);
            for (i, series) in series.iter().enumerate().filter(|(_, series)| !series.is_empty()) {
                for m in 0..orders {
                    let terms = series.iter().zip(&tails[m + 1..]).enumerate();
                    let term = |(n, (g, tail)): (usize, (&f64, &f64))| {
                        // To the left the distance grows against x, so that odd derivatives change their signs.
                        if n % 2 == 1 && !is_right { -g * tail } else { g * tail }
                    };
                    let integral: f64 = terms.map(term).sum();
                    let turn = if is_before || m % 2 == 1 { sign } else { -sign };
                    let integral = turn * integral;
                    for (j, sum) in table[i].iter_mut().enumerate() {
                        if let Some(q) = knot.jumps.get(m + j) {
                            *sum += q * power(rest, m) * integral;
                        }
                    }
                }
            }
        };
        for (k, series) in at_knots.iter().enumerate() {
            let y = gaps[k][l] / rest;
            let is_right = y * rho <= 0.0;
            let here = &run.knots[k];
            if y * y <= most {
                let of_jumps = || of_each(&here.jumps, [here.place.z, here.place.density]);
                let sign = if is_right { 1.0 } else { -1.0 };
                add(y, is_right, sign, series.get_or_init(of_jumps));
            }
            // The piece on which w is expected on the knot, from there to both sides.
            let next = gaps.get(k + 1).is_some_and(|gaps| gaps[l] * rho <= 0.0);
            if let (Some(piece), false, true) = (here.right, is_right, next) {
                let x = gaps[k][l] / rho;
                let density = piece.ends[0].density * falling(x * (piece.ends[0].z + 0.5 * x));
                let here = derivatives(&piece.polynomials[0], x);
                let series = of_each(&here, [piece.ends[0].z + x, density]);
                add(0.0, true, 1.0, &series);
                add(0.0, false, 1.0, &series);
            }
        }
    }
}

/// How many terms of the series hold all digits: He_n(z) κ⁻ⁿ J_n(0) falls by about (|z| + √n)/(κ√n) with each.
fn terms(z: f64, steepness: f64) -> usize {
    let (mut size, mut n) = (1.0, 2);
    while size > 1e-18 && n < TERMS {
        let root = libm::sqrt(n as f64);
        size *= (z + root) / (steepness * root);
        n += 1;
    }
    n + 1
}

/// κ^(−n−1) (pφ)⁽ⁿ⁾ for n below a number, given the derivatives of p, and z and φ at the place.
fn slopes(p: &[f64], [z, density]: [f64; 2], steepness: f64, count: usize) -> Vec<f64> {
    if p.iter().all(|c| *c == 0.0) {
        return Vec::new();
    }
    let inverse = 1.0 / steepness;
    // (−1/κ)ⁿ He_n φ/κ.
    let mut densities = Vec::with_capacity(count);
    let (mut before, mut now) = (0.0, density * inverse);
    for n in 0..count {
        densities.push(now);
        (before, now) = (now, -inverse * (z * now + n as f64 * inverse * before));
    }
    let slope = |n: usize| -> f64 {
        let (mut sum, mut weight) = (0.0, 1.0);
        for (l, c) in p.iter().enumerate().take(n + 1) {
            sum += weight * c * densities[n - l];
            weight *= (n - l) as f64 / (l + 1) as f64 * inverse;
        }
        sum
    };
    (0..count).map(slope).collect()
}

/// J_n for n below a number.
fn conditional_tails(s: f64, count: usize) -> Vec<f64> {
    let mut tails = alloc::vec![0.0; count + 1];
    ratios_in_one_word(s, &mut tails);
    let density = density(s);
    tails.iter_mut().for_each(|tail| *tail *= density);
    tails
}

/// All of the integrals by nodes on panels of the run's pieces.
fn over_panels(run: &Shape<'_>, other: &Shape<'_>, law: &Law, table: &mut Table) {
    let slope = law.rho / law.rest;
    let root = libm::sqrt(law.determinant[0]);
    for piece in &run.pieces {
        let Some(narrow) = piece.narrow else { continue };
        let start = |knot: &Knot<'_>| {
            law.offset(narrow.ends[0].distance, knot.place.distance)[0] / (law.deviation[0] * root)
        };
        let starts: Vec<f64> = other.knots.iter().map(start).collect();
        let panels = (piece.width * slope.abs() / PANEL) as usize + 1;
        let width = piece.width / panels as f64;
        let rule = rule(width * (1.0 + slope.abs()));
        for panel in 0..panels {
            let from = width * panel as f64;
            for node in narrow.nodes(rule, [from, from + width]) {
                let expected = expected(other, |l| starts[l] - slope * node.x, law.rest);
                for (row, p) in table.iter_mut().zip(piece.polynomials.iter()) {
                    let value = node.mass * value(p, node.x);
                    row.iter_mut().zip(expected).for_each(|(sum, e)| *sum += value * e);
                }
            }
        }
    }
}

/// E of the derivatives of a part, given how far w is expected before each of its knots.
fn expected(part: &Shape<'_>, distance: impl Fn(usize) -> f64, rest: f64) -> [f64; DERIVATIVES] {
    let mut expected = [0.0; DERIVATIVES];
    // From the side on which the part ends.
    let is_left = part.pieces.iter().any(|piece| !piece.is_lower);
    let last = part.knots.len() - 1;
    let is_past = part.pieces[0].width.is_finite() && distance(last) < 0.0;
    let from_left = is_left || is_past;
    for (l, knot) in part.knots.iter().enumerate() {
        let y = distance(l);
        // Of a function that is 0 to the right, minus what is to the left of each knot.
        let values = TailValues::new(if from_left { -y } else { y }, knot.jumps.len());
        for (times, sum) in expected.iter_mut().enumerate() {
            for (m, q) in knot.jumps.iter().skip(times).enumerate() {
                let turn = if from_left && m % 2 == 0 { -1.0 } else { 1.0 };
                *sum += turn * q * power(rest, m) * values.get(m as i32);
            }
        }
    }
    expected
}
