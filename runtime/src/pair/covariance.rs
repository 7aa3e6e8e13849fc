//! Cov(g(u), h(w)) and its derivatives from the parts of both functions, one pair of parts after the other.
//!
//! ```text
//! Cov(g, h) = Σ_k≥1 ρᵏ/k! ĝ_k ĥ_k      ĝ_k = ξᵏ ∂ᵏE[g]/∂γᵏ
//! ```
//!
//! is a finite sum where one of the two is a polynomial. So the polynomials of both sides meet each other, and the tails and narrow pieces of the other
//! side, in this sum. Pairs of tails ([`tail_pair`](super::tail_pair)) and narrow pieces ([`narrow_covariance`]) are added. A tail whose knot the other
//! one implies is taken from its other side, with a polynomial, if less is left to cancel then.
//!
//! Error: some ulp of the largest part, since sums carry the errors of their additions. Functions of several knots lose digits beyond |ρ| = 1 − 10⁻⁹, where
//! parts cancel.
//!
//! # Where jumps of both functions meet
//!
//! Let u determine w, and let g jump by Δ at s where w is on a knot of h that jumps by Δ′. Near |ρ| = 1 the density of (u, w) there is
//! p(s)/√(2π Δ_c) with Δ_c → 0 the conditional variance of w, and the pair adds ΔΔ′ times it to E\[g′(u) h′(w)\]. It adds −ρ ΔΔ′ times the
//! same, up to positive factors, to ∂Cov/∂ξ² = ½ Cov(g″, h), and nothing without bound to ∂Cov/∂γ.
//! So the sum of p(s) ΔΔ′ over all jumps that meet decides, and where it is 0, what is left is finite.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::decomposition::{Decomposition, is_steep};
use super::law::{Inputs, InvalidLaw, Law, LowWords, ScaledLaw, scale};
use super::quadrant::Summation;
use super::straight::cancels;
use super::tail::{Seen, Tail, TailTerms, half_exponential, power, power_means};
use super::tail_pair::{JointTails, Order, Sum, TailPair, is_weak};
use super::{PairMoments, narrow_covariance};
use crate::Activation;
use crate::kernel::pieces::Table;
use crate::kernel::word;

/// The derivatives of [`PairMoments`]: in nothing, γ, ξ², γ′, ξ′² and c.
const ORDERS: [Order; 6] = [[0, 0], [1, 0], [2, 0], [0, 1], [0, 2], [1, 1]];

/// The moments of functions that the sum over pairs of knots does not serve: one pair of tails after the other.
pub(super) fn one_by_one(
    g: &Table<'_>,
    h: &Table<'_>,
    at: Inputs,
    summation: Summation,
) -> Result<PairMoments, InvalidLaw> {
    of_words(g, h, at, LowWords::default(), summation)
}

/// [`one_by_one`] of a law that is known to twice the precision.
pub(super) fn of_words(
    g: &Table<'_>,
    h: &Table<'_>,
    at: Inputs,
    low: LowWords,
    summation: Summation,
) -> Result<PairMoments, InvalidLaw> {
    at.check()?;
    let first = g.moments_grad(at.gamma, at.xi2);
    let second = h.moments_grad(at.gamma_h, at.xi2_h);
    let apart = first.mean * second.mean;
    // A slope of 0 is one for all variances about 0, where that of a jump tends to infinity.
    let is_flat = first.dmean_dgamma == 0.0 || second.dmean_dgamma == 0.0;
    let slopes = if is_flat { 0.0 } else { first.dmean_dgamma * second.dmean_dgamma };
    let scaled = if at.cov == 0.0 { None } else { at.scaled_with(low) };
    let Some(ScaledLaw { law, exponents }) = scaled else {
        return Ok(PairMoments::from_array([apart, 0.0, 0.0, 0.0, 0.0, 0.0, slopes]));
    };
    let left = Decomposition::new(g, at.gamma, law.variance[0], exponents[0]);
    let right = Decomposition::new(h, at.gamma_h, law.variance[1], exponents[1]);
    let law = Law { summation, ..law };
    let mut values = covariances(&left, &right, &law, &ORDERS);
    let rescaled = |value: f64, times: Order| {
        let unit = |i: usize| (0..times[i]).fold(1.0, |unit, _| unit * law.deviation[i]);
        let power = |i: usize| exponents[i] * times[i] as i32;
        let powers = power(0) + power(1);
        scale(value / (unit(0) * unit(1)), g.exponent + h.exponent - powers)
    };
    for (value, times) in values.iter_mut().zip(ORDERS) {
        *value = rescaled(*value, times);
    }
    let [covariance, gamma, xi2, gamma_h, xi2_h, cov] = values;
    // As the covariance of derivatives takes them away.
    let slope = |side: &Decomposition| side.features(2)[1];
    let slopes = if slopes == 0.0 { 0.0 } else { rescaled(slope(&left) * slope(&right), [1, 1]) };
    let limit = common_jumps(&left, &right, &law);
    let along_variance = boundless(-law.rho * limit);
    // Of functions that are 0 where the means are, relative to themselves.
    let whole = |order: Order, [covariance, apart]: [f64; 2]| {
        let whole = cancels(covariance, apart).then(|| expectation(&left, &right, &law, order));
        whole.flatten().map_or(covariance + apart, |value| rescaled(value, order))
    };
    Ok(PairMoments {
        mixed: whole([0, 0], [covariance, apart]),
        covariance,
        dcovariance_dgamma: gamma,
        dcovariance_dxi2: xi2 / 2.0 + along_variance,
        dcovariance_dgamma_h: gamma_h,
        dcovariance_dxi2_h: xi2_h / 2.0 + along_variance,
        dcovariance_dcov: whole([1, 1], [cov, slopes]) + boundless(limit),
    })
}

/// The covariance of derivatives, in the units of both sides, for each of some orders.
pub(super) fn covariances<'a, const N: usize>(
    left: &'a Decomposition,
    right: &'a Decomposition,
    law: &Law,
    orders: &[Order; N],
) -> [f64; N] {
    let mut sums = [Sum::default(); N];
    let steepness = law.rho.abs() / law.rest;
    let of = |side: &'a Decomposition| {
        // Where the other pre-activation nearly determines this one, the conditional density is not smooth over a narrow piece.
        let is_steep = side.narrow_pieces.iter().any(|piece| is_steep(piece.width, steepness));
        if is_steep { Cow::Owned(side.with_ends(steepness)) } else { Cow::Borrowed(side) }
    };
    let (left, right) = (of(left), of(right));
    let mut beside = orders.map(|order| Around::new(&left, &right, order));
    for (sum, around) in sums.iter_mut().zip(&beside) {
        let of = |which: usize, k| coefficient(around.polynomials[which], k);
        products(law.rho, around.count, |k| [of(0, k), of(1, k)], sum);
    }
    for (m, first) in left.tails.iter().enumerate() {
        for (n, second) in right.tails.iter().enumerate() {
            add_tails([first, second], [m, n], law, orders, &mut beside, &mut sums);
        }
    }
    for ((order, sum), around) in orders.iter().zip(&mut sums).zip(&beside) {
        for (which, side) in [&left, &right].into_iter().enumerate() {
            let (count, times) = (around.count, order[which]);
            for (place, tail) in side.tails.iter().enumerate() {
                let beside = around.beside(which, place);
                let factors = |k| [tail.feature(k, times), coefficient(beside, k)];
                products(law.rho, count, factors, sum);
            }
            for piece in &side.narrow_pieces {
                let beside = around.polynomials[1 - which];
                let factors = |k| [piece.feature(k, times), coefficient(beside, k)];
                products(law.rho, count, factors, sum);
            }
        }
    }
    narrow_covariance::add(&left, &right, law, orders, &mut sums);
    sums.map(Sum::value)
}

/// E of the product of derivatives, in the units of both sides, where both functions are 0 on the piece of their mean: a sum of joint tails.
/// `None` where they are not, or the tails are no numbers.
fn expectation(
    left: &Decomposition,
    right: &Decomposition,
    law: &Law,
    order: Order,
) -> Option<f64> {
    let is_zero = |side: &Decomposition, times: usize| {
        side.narrow_pieces.is_empty() && side.polynomial.iter().skip(times).all(|p| *p == 0.0)
    };
    if !is_zero(left, order[0]) || !is_zero(right, order[1]) {
        return None;
    }
    let mut sum = 0.0;
    for first in &left.tails {
        for second in &right.tails {
            let joint = JointTails::new(first, second, law);
            for (i, c) in first.terms(order[0]) {
                for (j, d) in second.terms(order[1]) {
                    sum += c * d * joint.expectation(i, j);
                }
            }
        }
    }
    sum.is_finite().then_some(sum)
}

/// Adds Σ ρᵏ/k! p_k q_k of so many terms, from k = 1 on.
fn products(rho: f64, count: usize, factors: impl Fn(usize) -> [f64; 2], sum: &mut Sum) {
    let mut weight = 1.0;
    for k in 1..count {
        weight *= rho / k as f64;
        let [p, q] = factors(k);
        // A polynomial of a far place may overflow where the other factor is 0.
        if p != 0.0 && q != 0.0 {
            sum.add(weight * p * q);
        }
    }
}

/// σᵏE\[q⁽ᵏ⁾\] of the polynomials of one order, and what they are for tails beside which others change sides.
struct Around<'a> {
    count: usize,
    polynomials: [&'a [f64]; 2],
    /// For tails of the first side and of the second, by their place: the polynomial of the other side.
    changed: [Vec<(usize, Vec<f64>)>; 2],
}

impl<'a> Around<'a> {
    fn new(left: &'a Decomposition, right: &'a Decomposition, order: Order) -> Self {
        // A derivative moves all features by one: they are ξᵏE[q⁽ᵏ⁾].
        let polynomials = [(left, order[0]), (right, order[1])]
            .map(|(side, times)| side.polynomial.get(times..).unwrap_or_default());
        let count = polynomials.iter().map(|p| p.len()).max().unwrap_or(0).max(1);
        Self { count, polynomials, changed: [Vec::new(), Vec::new()] }
    }

    /// The polynomial that a tail of a side meets.
    fn beside(&self, which: usize, tail: usize) -> &[f64] {
        let changed = self.changed[which].iter().find(|(place, _)| *place == tail);
        changed.map_or(self.polynomials[1 - which], |(_, polynomial)| polynomial)
    }

    /// Whether the polynomial that a tail meets becomes smaller by another; if so, that is added.
    fn shrinks(&mut self, which: usize, tail: usize, polynomial: &[f64]) -> bool {
        // Without the constant, which no covariance has.
        let size = |p: &[f64]| p.iter().skip(1).fold(0.0, |size: f64, x| x.abs().max(size));
        let before = self.beside(which, tail);
        let after: Vec<f64> =
            polynomial.iter().enumerate().map(|(k, p)| coefficient(before, k) + p).collect();
        let is_smaller = size(&after) < size(before);
        if is_smaller {
            self.changed[which].retain(|(place, _)| *place != tail);
            self.changed[which].push((tail, after));
        }
        is_smaller
    }
}

fn coefficient(p: &[f64], k: usize) -> f64 {
    p.get(k).copied().unwrap_or(0.0)
}

/// σᵏE\[p⁽ᵏ⁾\] of the polynomial that the derivative of a tail is on its side.
fn polynomial_of(tail: &Tail, times: usize, count: usize) -> Vec<f64> {
    let means = power_means(-tail.place.z, tail.coefficients.len() + 1);
    let of = |k: usize| -> f64 {
        let terms = tail.terms(times).filter_map(|(i, c)| Some((usize::try_from(i).ok()?, c)));
        let terms = terms.filter(|(i, _)| *i >= k);
        terms.map(|(i, c)| c * power(tail.place.side, k) * means[i - k]).sum()
    };
    (0..count).map(of).collect()
}

/// Adds the covariances of two tails, of which the nearer one may change sides.
fn add_tails<const N: usize>(
    tails: [&Tail; 2],
    index: [usize; 2],
    law: &Law,
    orders: &[Order; N],
    beside: &mut [Around<'_>; N],
    sums: &mut [Sum; N],
) {
    let [first, second] = tails;
    let pair = TailPair::new(first, second, law);
    // Point masses have no other side.
    if first.part == TailTerms::Ends || second.part == TailTerms::Ends {
        return pair.add_plainly(orders, sums);
    }
    let [a, b] = [first.place.z, second.place.z];
    // Given the far one, the near one is past its knot: it changes sides if that leaves less.
    let near = match (b >= a && a < pair.r * b, a > b && b < pair.r * a) {
        (true, _) => 0,
        (_, true) => 1,
        _ => return pair.add_plainly(orders, sums),
    };
    if is_weak(pair.r, a, b) {
        return pair.add_plainly(orders, sums);
    }
    let flipped = tails[near].flipped();
    let other = if near == 0 {
        TailPair::new(&flipped, second, law)
    } else {
        TailPair::new(first, &flipped, law)
    };
    for ((order, sum), around) in orders.iter().zip(sums).zip(beside) {
        let are_functions = first.is_function(order[0]) && second.is_function(order[1]);
        let flips = are_functions && {
            let polynomial = polynomial_of(tails[near], order[near], around.count);
            around.shrinks(1 - near, index[1 - near], &polynomial)
        };
        let pair = if flips { &other } else { &pair };
        sum.add(pair.covariance_of(*order, |_, _| true));
    }
}

/// Σ p(s) ΔΔ′ over jumps of both functions at one place, where |ρ| = 1, up to a positive factor; 0 elsewhere.
fn common_jumps(left: &Decomposition, right: &Decomposition, law: &Law) -> f64 {
    if !law.is_degenerate() {
        return 0.0;
    }
    let mut met = Vec::new();
    for (a, jump) in &left.jumps {
        for (b, other) in &right.jumps {
            if law.offset(*a, *b)[0] == 0.0 {
                let square = word::divide(word::multiply(*a, *a), [left.unit[0], 0.0]);
                met.push((square, jump * other));
            }
        }
    }
    // Relative to the nearest, since densities far out are no numbers.
    let nearest = met.iter().map(|(square, _)| *square).min_by(|a, b| a[0].total_cmp(&b[0]));
    let beside = word::negate(nearest.unwrap_or_default());
    met.iter().map(|(square, jumps)| half_exponential(word::add(*square, beside)) * jumps).sum()
}

/// ±∞, or 0 for 0.
fn boundless(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { f64::INFINITY.copysign(x) }
}
