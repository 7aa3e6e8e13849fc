//! The share of a curved stretch, by quadrature.
//!
//! A panel reaches from its near end to the far one, or as far as anything is left. Its density falls from one end to
//! the other, by a factor e^(−E): the larger E, the more nodes its Gauss–Legendre rule takes. All weights are
//! positive, and the polynomial is evaluated at nodes whose places are known to twice the precision, so that the
//! squares are right however its terms cancel.

use super::panel::Panel;
use super::share::{Share, Slopes};
use super::table::MAX_DEGREE;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::constants::rules::Row;
use crate::kernel::double::{two_product, two_sum};
use crate::kernel::exponential::density_after;
use crate::kernel::number::number;
use crate::kernel::{Deviation, Lanes, Mask, Pair, pair};
use crate::precision::Precision;

/// The most nodes of a rule.
const MAX_NODES: usize = 80;

/// A polynomial in the distance from the near end of a panel, in the direction of u.
pub(super) type Coefficients<V> = [Pair<V>; MAX_DEGREE + 1];

/// From this degree on the terms of a polynomial may cancel by more than rounding may take.
const CANCELS_FROM: usize = 3;

/// √2π in two words.
const ROOT_TAU: [f64; 2] = [2.506_628_274_631_000_7, -1.832_857_962_060_432_6e-16];

/// The share of a polynomial on a panel.
#[inline(always)]
pub(super) fn share<V: Lanes, const SLOPES: bool>(
    panel: &Panel<V>,
    coefficients: &[Pair<V>],
    deviation: &Deviation<V>,
) -> Share<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let degree = coefficients.len() - 1;
    let Stretch { width, length, fall } = Stretch::new(panel, degree, deviation);
    let rule = rule::<V>(degree, fall);
    // In the direction of the panel.
    let mut along: Coefficients<V> = [Pair::exact(zero); MAX_DEGREE + 1];
    let along = &mut along[..=degree];
    for (j, (along, &c)) in along.iter_mut().zip(coefficients).enumerate() {
        *along = if j % 2 == 1 { Pair::select(panel.leftward, -c, c) } else { c };
    }
    let mut masses = [zero; MAX_NODES];
    let mut values = [zero; MAX_NODES];
    let (mut mass, mut sum) = (zero, zero);
    for ((row, m), value) in rule.iter().zip(&mut masses).zip(&mut values) {
        let node = node(row);
        *m = V::splat(row[2]) * decay(panel.near, times(node, length));
        *value = rise(along, times(node, width));
        mass = mass + *m;
        sum = m.mul_add(*value, sum);
    }
    let positive = V::select(zero.lt(mass), mass, V::splat(V::Scalar::ONE));
    let inverse = V::splat(V::Scalar::ONE).quotient(positive);
    let middle = sum * inverse;
    let (mut rest, mut squares) = (zero, zero);
    let mut slopes = Slopes::zero();
    let near = panel.near.round();
    for ((row, &m), &value) in rule.iter().zip(&masses).zip(&values) {
        let t = value - middle;
        let weighted = m * t;
        rest = rest + weighted;
        squares = weighted.mul_add(t, squares);
        if SLOPES {
            let x = V::splat(row[0]);
            let z = length.round().mul_add(x, near);
            let hermite = [z, z.mul_sub(z, V::splat(V::Scalar::ONE))];
            let derivatives = derivatives(along, width.round() * x);
            for k in 0..2 {
                slopes.hermite[k] = m.mul_add(hermite[k], slopes.hermite[k]);
                let first = weighted * hermite[k];
                slopes.first[k] = slopes.first[k] + first;
                slopes.second[k] = first.mul_add(t, slopes.second[k]);
                let smooth = m * derivatives[k];
                slopes.smooth[k] = slopes.smooth[k] + smooth;
                slopes.size[k] = slopes.size[k] + smooth.abs();
            }
        }
    }
    // What the rounded mean leaves.
    let correction = rest * inverse;
    let squares = correction.neg_mul_add(rest, squares).max(zero);
    let scale = (length * panel.density * pair(ROOT_TAU)).round();
    let of = |value: V| scale * value;
    let sign = panel.sign();
    let odd = sign * scale;
    let each = |values: [V; 2]| [odd * values[0], scale * values[1]];
    let Slopes { hermite, first, second, smooth, size } = slopes;
    Share {
        mass: Pair::exact(of(mass)),
        mean: along[0] + (Pair::exact(middle) + Pair::exact(correction)),
        squares: Pair::exact(of(squares)),
        slopes: Slopes {
            hermite: each(hermite),
            first: each(first),
            second: each(second),
            smooth: each(smooth),
            size: size.map(of),
        },
    }
}

/// How far a panel is integrated.
struct Stretch<V> {
    width: Pair<V>,
    /// In units of ξ.
    length: Pair<V>,
    /// E: the density falls by e to this power.
    fall: V,
}

impl<V: Lanes> Stretch<V> {
    #[inline(always)]
    fn new(panel: &Panel<V>, degree: usize, deviation: &Deviation<V>) -> Self {
        let (zero, half) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::HALF));
        let most: V = number(2.0 * (V::Accuracy::FALL[0] + V::Accuracy::FALL[1] * degree as f64));
        let s = panel.near.round();
        // Beyond this nothing is left.
        let reach = most.quotient(s + s.mul_add(s, most).sqrt());
        let whole = panel.width.round() * deviation.inverse;
        let cut = reach.lt(whole);
        let cut_width = Pair::exact(reach * deviation.xi);
        let width = Pair::select(cut, cut_width, panel.width);
        // Where nothing is left of the density, anything finite.
        let seen = zero.lt(panel.density.round());
        let width = Pair::select(seen, width, Pair::exact(zero));
        let length = width * deviation.inverse_pair();
        let l = length.round();
        Self { width, length, fall: l * half.mul_add(l, s) }
    }
}

/// A rule of as many nodes as panels of such a fall take: about a + b√E + d (1 + c√E).
#[inline(always)]
fn rule<V: Lanes>(degree: usize, fall: V) -> &'static [Row<V::Scalar>] {
    let [a, b, c] = V::Accuracy::NODE_COUNT;
    let degree = degree as f64;
    let rules = V::Accuracy::RULES;
    for rule in &rules[..rules.len() - 1] {
        let root = (rule.len() as f64 - a - degree) / (b + c * degree);
        if root > 0.0 && !number::<V>(root * root).lt(fall).any() {
            return rule;
        }
    }
    rules[rules.len() - 1]
}

#[inline(always)]
fn node<V: Lanes>(row: &Row<V::Scalar>) -> Pair<V> {
    Pair::new(V::splat(row[0]), V::splat(row[1]))
}

/// A part of a length.
#[inline(always)]
fn times<V: Lanes>(part: Pair<V>, length: Pair<V>) -> Pair<V> {
    part * length
}

/// φ(s + δ)/φ(s), times 1/√2π.
#[inline(always)]
fn decay<V: Lanes>(s: Pair<V>, delta: Pair<V>) -> V {
    let ([s, s_low], [delta, delta_low]) = (s.words(), delta.words());
    let two = V::splat(V::Scalar::ONE + V::Scalar::ONE);
    if !V::Accuracy::COMPENSATED {
        return density_after(delta * two.mul_add(s, delta), V::splat(V::Scalar::ZERO));
    }
    // δ(2s + δ)
    let [sum, sum_low] = two_sum(two * s, delta);
    let [product, product_low] = two_product(delta, sum);
    let inner = delta.mul_add(sum_low + two * s_low, product_low);
    let low = delta_low.mul_add(two * (s + delta), inner);
    density_after(product, low)
}

/// The polynomial less its constant.
#[inline(always)]
fn rise<V: Lanes>(coefficients: &[Pair<V>], w: Pair<V>) -> V {
    let (last, rest) = match coefficients.split_last() {
        Some((last, [_, rest @ ..])) => (last, rest),
        _ => return V::splat(V::Scalar::ZERO),
    };
    if !V::Accuracy::COMPENSATED || coefficients.len() <= CANCELS_FROM {
        let w = w.round();
        let sum = rest.iter().rev().fold(last.round(), |sum, c| sum.mul_add(w, c.round()));
        return sum * w;
    }
    let sum = rest.iter().rev().fold(*last, |sum, &c| sum * w + c);
    (sum * w).round()
}

/// The first two derivatives of the polynomial.
#[inline(always)]
fn derivatives<V: Lanes>(coefficients: &[Pair<V>], w: V) -> [V; 2] {
    let zero = V::splat(V::Scalar::ZERO);
    let (mut first, mut second) = (zero, zero);
    for (j, c) in coefficients.iter().enumerate().skip(1).rev() {
        let (j, c) = (j as f64, c.round());
        if j >= 2.0 {
            second = second.mul_add(w, number::<V>(j * (j - 1.0)) * c);
        }
        first = first.mul_add(w, number::<V>(j) * c);
    }
    [first, second]
}
