//! The contribution of a curved stretch, by Gauss–Legendre quadrature.
//!
//! A panel reaches from its near end to the far one, or as far as anything of the density is left. The density falls from
//! one end to the other, by a factor e^(−E). The larger E, the more nodes the Gauss–Legendre rule takes. All weights are
//! positive. The polynomial is evaluated at nodes whose places are known to twice the precision, so that the
//! squares are right however its terms cancel.

use super::common::Common;
use super::contribution::{Contribution, Slopes};
use super::panel::Panel;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::constants::rules::Row;
use crate::kernel::exponential::density_after;
use crate::kernel::number::number;
use crate::kernel::{Deviation, Lanes, Mask, Pair, pair};
use crate::lanes::double::{two_product, two_sum};
use crate::precision::Precision;

/// The most nodes of a rule.
pub(super) const MAX_NODES: usize = 192;

/// The most nodes of a rule for the moments of polynomials of a degree.
pub(super) const fn most_nodes(degree: usize) -> usize {
    if degree <= 4 { 50 } else { MAX_NODES }
}

/// Masses at the nodes of a panel, and the values of its polynomial there. They are written before they are read, and
/// kept between panels: to clear them would take as long as to use them.
pub(super) struct Nodes<V, const COUNT: usize> {
    masses: [V; COUNT],
    values: [V; COUNT],
}

impl<V: Lanes, const COUNT: usize> Nodes<V, COUNT> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new() -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        Self { masses: [zero; COUNT], values: [zero; COUNT] }
    }
}

/// The degree from which on the terms of a polynomial may cancel by more than plain numbers have to spare.
pub(super) const CANCELS_FROM: usize = 3;

/// √2π in two words.
pub(super) const ROOT_TAU: [f64; 2] = [2.506_628_274_631_000_7, -1.832_857_962_060_432_6e-16];

/// The contribution of a polynomial on a panel. Each lane takes the rule for its own fall of the density, whatever
/// its neighbours take.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn contribution<V: Lanes, const SLOPES: bool, const COUNT: usize>(
    panel: &Panel<V>,
    coefficients: &mut [Pair<V>],
    deviation: &Deviation<V>,
    nodes: &mut Nodes<V, COUNT>,
) -> Contribution<V> {
    let degree = coefficients.len() - 1;
    let stretch = Stretch::new(panel, degree, deviation);
    turn(panel, coefficients);
    let mut result = Contribution::nothing();
    result.mean = coefficients[0];
    let mut rules = Rules::new(panel, degree, COUNT);
    while let Some((rule, here)) = rules.next(&stretch) {
        let contribution = by_rule::<V, SLOPES, COUNT>(rule, panel, coefficients, &stretch, nodes);
        result = Contribution::select::<SLOPES>(here, contribution, result);
    }
    result
}

/// Mass, means and covariance of two polynomials on a panel. Each lane takes the rule for its own fall of the
/// density.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn common<V: Lanes>(
    panel: &Panel<V>,
    mut coefficients: [&mut [Pair<V>]; 2],
    deviation: &Deviation<V>,
    nodes: &mut [Nodes<V, MAX_NODES>; 2],
) -> Common<V> {
    let degree = coefficients[0].len() - 1;
    let stretch = Stretch::new(panel, degree, deviation);
    for coefficients in &mut coefficients {
        turn(panel, coefficients);
    }
    let along = [&*coefficients[0], &*coefficients[1]];
    let mut result = Common::nothing();
    result.means = [along[0][0], along[1][0]];
    let mut rules = Rules::new(panel, degree, MAX_NODES);
    while let Some((rule, here)) = rules.next(&stretch) {
        let common = common_by_rule::<V>(rule, panel, along, &stretch, nodes);
        result = Common::select(here, common, result);
    }
    result
}

/// A polynomial in the direction of the panel.
#[cfg_attr(not(debug_assertions), inline(always))]
fn turn<V: Lanes>(panel: &Panel<V>, coefficients: &mut [Pair<V>]) {
    for j in (1..coefficients.len()).step_by(2) {
        let c = coefficients[j];
        coefficients[j] = Pair::select(panel.leftward, -c, c);
    }
}

/// A rule with the lanes that take it.
type Chosen<V> = (&'static [Row<<V as Lanes>::Scalar>], <V as Lanes>::Mask);

/// The rules that the lanes of a panel take, each with those that take it.
struct Rules<V: Lanes> {
    left: V::Mask,
    next: usize,
    degree: usize,
    most_nodes: usize,
}

impl<V: Lanes> Rules<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(panel: &Panel<V>, degree: usize, most_nodes: usize) -> Self {
        let left = V::splat(V::Scalar::ZERO).lt(panel.density.round());
        Self { left, next: 0, degree, most_nodes }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn next(&mut self, stretch: &Stretch<V>) -> Option<Chosen<V>> {
        let rules = V::Accuracy::RULES;
        while self.left.any() && self.next < rules.len() {
            let rule = rules[self.next];
            self.next += 1;
            let mut here = self.left;
            // Lanes with an input outside the safe range may have any fall, and take the last rule for which there is room.
            if rules.get(self.next).is_some_and(|next| next.len() <= self.most_nodes) {
                let most = number::<V>(most_fall(V::Accuracy::NODE_COUNT, rule.len(), self.degree));
                here = here.and(stretch.fall.le(most));
            }
            if here.any() {
                self.left = self.left.and(here.not());
                return Some((rule, here));
            }
        }
        None
    }
}

/// The contribution of a polynomial on a panel, by one rule.
#[cfg_attr(not(debug_assertions), inline(always))]
fn by_rule<V: Lanes, const SLOPES: bool, const COUNT: usize>(
    rule: &[Row<V::Scalar>],
    panel: &Panel<V>,
    along: &[Pair<V>],
    stretch: &Stretch<V>,
    nodes: &mut Nodes<V, COUNT>,
) -> Contribution<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let Stretch { width, length, .. } = *stretch;
    let Nodes { masses, values } = nodes;
    let (mut mass, mut sum) = (zero, zero);
    for (i, row) in rule.iter().enumerate() {
        let row = words(row);
        let m = mass_at(row, panel.near, length);
        let value = rise(along, place_at(row, width));
        (masses[i], values[i]) = (m, value);
        [mass, sum] = gather([mass, sum], m, value);
    }
    // Around the mean of the values: squares around anything else would have to be subtracted.
    let [middle, inverse] = middle([mass, sum]);
    let mut around = Around::nothing();
    for (i, row) in rule.iter().enumerate() {
        let (m, t) = (masses[i], values[i] - middle);
        let mut smooth = [zero; 2];
        if SLOPES {
            // The derivatives need no second word: each is a sum that is compared with its terms later.
            smooth = derivatives(along, width.round() * V::splat(row[0]));
        }
        let z = z_at(words(row), panel.near, length);
        around = around.with::<SLOPES>(m, t, z, smooth);
    }
    finish(panel, length, along[0], [mass, middle, inverse], around)
}

/// A node in two words, and its weight.
#[cfg_attr(not(debug_assertions), inline(always))]
fn words<V: Lanes>(row: &Row<V::Scalar>) -> [V; 3] {
    [V::splat(row[0]), V::splat(row[1]), V::splat(row[2])]
}

/// The density at a node less that at the near end, times its weight.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn mass_at<V: Lanes>([x, x_low, weight]: [V; 3], near: Pair<V>, length: Pair<V>) -> V {
    weight * decay(near, Pair::new(x, x_low) * length)
}

/// How far a node is from the near end.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn place_at<V: Lanes>([x, x_low, _]: [V; 3], width: Pair<V>) -> Pair<V> {
    Pair::new(x, x_low) * width
}

/// z at a node, in the direction of the panel.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn z_at<V: Lanes>([x, ..]: [V; 3], near: Pair<V>, length: Pair<V>) -> V {
    length.round().mul_add(x, near.round())
}

/// The sums of the masses and of the values with a node.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn gather<V: Lanes>([mass, sum]: [V; 2], m: V, value: V) -> [V; 2] {
    [mass + m, m.mul_add(value, sum)]
}

/// The mean of the values, and one over the mass.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn middle<V: Lanes>([mass, sum]: [V; 2]) -> [V; 2] {
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    let inverse = one.quotient(V::select(zero.lt(mass), mass, one));
    [sum * inverse, inverse]
}

/// Sums over nodes around the mean of the values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<V> {
    /// The sum of the values less their rounded mean.
    pub(super) rest: V,
    pub(super) squares: V,
    pub(super) slopes: Slopes<V>,
}

impl<V: Lanes> Around<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn nothing() -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        Self { rest: zero, squares: zero, slopes: Slopes::zero() }
    }

    /// The sums with one more node, at z and of mass m, where the value exceeds the mean by t.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn with<const SLOPES: bool>(self, m: V, t: V, z: V, derivatives: [V; 2]) -> Self {
        let Self { mut rest, mut squares, mut slopes } = self;
        let weighted = m * t;
        rest = rest + weighted;
        squares = weighted.mul_add(t, squares);
        if SLOPES {
            let hermite = [z, z.mul_sub(z, V::splat(V::Scalar::ONE))];
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
        Self { rest, squares, slopes }
    }
}

/// The contribution of a panel from the sums over nodes: the mass, the mean of the values, one over the mass, and the
/// sums around the mean.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn finish<V: Lanes>(
    panel: &Panel<V>,
    length: Pair<V>,
    constant: Pair<V>,
    [mass, middle, inverse]: [V; 3],
    around: Around<V>,
) -> Contribution<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let Around { rest, squares, slopes } = around;
    let correction = rest * inverse;
    // Values were taken less their rounded mean, and the squares around that are larger than around the true one.
    let squares = correction.neg_mul_add(rest, squares).max(zero);
    let scale = scale(panel, length);
    let sign = panel.sign();
    // z and first derivatives change their signs with the direction of the panel; squares of z do not.
    let odd = sign * scale;
    let Slopes { hermite, first, second, smooth, size } = slopes;
    Contribution {
        mass: Pair::exact(scale * mass),
        mean: constant + (Pair::exact(middle) + Pair::exact(correction)),
        squares: Pair::exact(scale * squares),
        slopes: Slopes {
            hermite: [odd * hermite[0], scale * hermite[1]],
            first: [odd * first[0], scale * first[1]],
            second: [odd * second[0], scale * second[1]],
            smooth: [odd * smooth[0], scale * smooth[1]],
            size: [scale * size[0], scale * size[1]],
        },
    }
}

/// The common factor of the masses of a rule: length · φ(near) · √2π, with the density in its unit.
#[cfg_attr(not(debug_assertions), inline(always))]
fn scale<V: Lanes>(panel: &Panel<V>, length: Pair<V>) -> V {
    (length * panel.density * pair(ROOT_TAU)).round()
}

/// Mass, means and covariance of two polynomials on a panel, by one Gauss–Legendre rule.
#[cfg_attr(not(debug_assertions), inline(always))]
fn common_by_rule<V: Lanes>(
    rule: &[Row<V::Scalar>],
    panel: &Panel<V>,
    along: [&[Pair<V>]; 2],
    stretch: &Stretch<V>,
    nodes: &mut [Nodes<V, MAX_NODES>; 2],
) -> Common<V> {
    let zero = V::splat(V::Scalar::ZERO);
    let Stretch { width, length, .. } = *stretch;
    let mut sums = [zero; 3];
    for (i, row) in rule.iter().enumerate() {
        let row = words(row);
        let m = mass_at(row, panel.near, length);
        nodes[0].masses[i] = m;
        let place = place_at(row, width);
        for f in 0..2 {
            nodes[f].values[i] = rise(along[f], place);
        }
        sums = gather_both(sums, m, [nodes[0].values[i], nodes[1].values[i]]);
    }
    let middles = both_middles(sums);
    let mut around = [zero; 3];
    for i in 0..rule.len() {
        let values = [nodes[0].values[i], nodes[1].values[i]];
        around = around_both(around, nodes[0].masses[i], values, middles);
    }
    finish_both(panel, length, [along[0][0], along[1][0]], sums[0], middles, around)
}

/// The sums of the masses and of the values of two functions with a node.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn gather_both<V: Lanes>([mass, a, b]: [V; 3], m: V, values: [V; 2]) -> [V; 3] {
    [mass + m, m.mul_add(values[0], a), m.mul_add(values[1], b)]
}

/// The means of both, and one over the mass.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn both_middles<V: Lanes>([mass, a, b]: [V; 3]) -> [V; 3] {
    let [first, inverse] = middle([mass, a]);
    [first, b * inverse, inverse]
}

/// The sums \[a, b, product\] of both values less their means and of the product of these differences, with one more node of
/// mass m.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn around_both<V: Lanes>(
    [a, b, product]: [V; 3],
    m: V,
    values: [V; 2],
    middles: [V; 3],
) -> [V; 3] {
    let first = m * (values[0] - middles[0]);
    let second = values[1] - middles[1];
    [a + first, m.mul_add(second, b), first.mul_add(second, product)]
}

/// Mass, means and covariance of two polynomials on a panel, from the sums over its nodes.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn finish_both<V: Lanes>(
    panel: &Panel<V>,
    length: Pair<V>,
    constants: [Pair<V>; 2],
    mass: V,
    middles: [V; 3],
    around: [V; 3],
) -> Common<V> {
    let inverse = middles[2];
    // What the rounded means leave.
    let corrections = [around[0] * inverse, around[1] * inverse];
    let product = corrections[0].neg_mul_add(around[1], around[2]);
    let scale = scale(panel, length);
    let mut means = constants;
    for f in 0..2 {
        means[f] = means[f] + (Pair::exact(middles[f]) + Pair::exact(corrections[f]));
    }
    Common { mass: scale * mass, means, product: scale * product }
}

/// The part of a panel that is integrated, from its near end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<V> {
    pub(super) width: Pair<V>,
    /// The length of the part in units of ξ.
    pub(super) length: Pair<V>,
    /// E: the density falls by e to this power.
    pub(super) fall: V,
}

impl<V: Lanes> Stretch<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(panel: &Panel<V>, degree: usize, deviation: &Deviation<V>) -> Self {
        Self::up_to(number(twice_all(V::Accuracy::FALL, degree)), panel, deviation)
    }

    /// The part of a panel over which the density falls by at most e^(most/2).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn up_to(most: V, panel: &Panel<V>, deviation: &Deviation<V>) -> Self {
        let (zero, half) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::HALF));
        let s = panel.near.round();
        // Beyond this nothing is left.
        // The root of x² + 2sx = most, as a quotient: √(s² + most) − s would cancel.
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

/// Twice the E beyond which nothing is left for polynomials of a degree.
pub(super) fn twice_all(fall: [f64; 2], degree: usize) -> f64 {
    2.0 * (fall[0] + fall[1] * degree as f64)
}

/// The largest fall E of the density on a panel for a rule of `nodes` nodes, with nodes = a + b√E + d (1 + c√E) for
/// degree d.
pub(super) fn most_fall([a, b, c]: [f64; 3], nodes: usize, degree: usize) -> f64 {
    let degree = degree as f64;
    let root = (nodes as f64 - a - degree) / (b + c * degree);
    if root > 0.0 { root * root } else { -1.0 }
}

/// φ(s + δ)/φ(s), times 1/√2π.
#[cfg_attr(not(debug_assertions), inline(always))]
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
#[cfg_attr(not(debug_assertions), inline(always))]
fn rise<V: Lanes>(coefficients: &[Pair<V>], w: Pair<V>) -> V {
    let (last, rest) = match coefficients.split_last() {
        Some((last, [_, rest @ ..])) => (last, rest),
        _ => return V::splat(V::Scalar::ZERO),
    };
    if !V::Accuracy::COMPENSATED || coefficients.len() <= CANCELS_FROM {
        let w = w.round();
        let mut sum = last.round();
        for c in rest.iter().rev() {
            sum = sum.mul_add(w, c.round());
        }
        return sum * w;
    }
    let mut sum = *last;
    for &c in rest.iter().rev() {
        sum = sum * w + c;
    }
    (sum * w).round()
}

/// The first two derivatives of the polynomial.
#[cfg_attr(not(debug_assertions), inline(always))]
fn derivatives<V: Lanes>(coefficients: &[Pair<V>], w: V) -> [V; 2] {
    let zero = V::splat(V::Scalar::ZERO);
    let (mut first, mut second) = (zero, zero);
    for i in (1..coefficients.len()).rev() {
        let (j, c) = (i as f64, coefficients[i].round());
        if i >= 2 {
            second = second.mul_add(w, number::<V>(j * (j - 1.0)) * c);
        }
        first = first.mul_add(w, number::<V>(j) * c);
    }
    [first, second]
}
