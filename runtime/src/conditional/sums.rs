//! Conditional moments from sums over nodes: means given A first, then sums around these means.
//!
//! The first sums are in double words, and those around the means in plain numbers. Inputs outside the safe range are
//! computed with wide exponents.

use super::measure::{Measure, Node, Visitor, Word};
use super::near::Near;
use super::number::Number;
use super::part::is_inside;

use crate::kernel::density_unit;
use crate::kernel::exponential::density_in_unit;
use crate::kernel::number;
use crate::kernel::pieces::{Table, raise};
use crate::kernel::single::{Far, wide_variance};
use crate::kernel::word::{add, divide, multiply, subtract};

/// √(2π)
const ROOT_OF_TWO_PI: f64 = 2.506_628_274_631_000_5;

/// The results in the order of [`ConditionalMoments`](super::ConditionalMoments).
pub(super) fn moments(
    function: &Table<'_>,
    condition: &Table<'_>,
    gamma: f64,
    xi2: f64,
) -> [f64; 12] {
    let near = || Near::of(function, Some(condition), gamma, xi2);
    if let Some(near) = is_inside(condition, gamma).then(near).flatten() {
        return certain(&near);
    }
    if are_safe([function, condition], gamma, xi2) {
        let results = Results::<f64>::new(function, condition, gamma, xi2);
        if let Some(values) = results.and_then(|r| r.safe()) {
            return values;
        }
    }
    Results::<Far>::new(function, condition, gamma, wide_variance(xi2))
        .map_or([f64::NAN; 12], |r| r.values())
}

/// The results where all of the law lies in A, on one piece of the function.
fn certain(near: &Near) -> [f64; 12] {
    let [mean, variance] = [near.mean, near.variance].map(Number::to_f64);
    let logarithms = [near.mean, near.variance].map(logarithm);
    let [a, b, c, d] = near.first.map(Number::to_f64);
    [1.0, mean, variance, 0.0, logarithms[0], logarithms[1], 0.0, 0.0, a, b, c, d]
}

/// The logarithm; NaN of a negative number.
fn logarithm<V: Number>(value: V) -> f64 {
    if value.to_f64() < 0.0 { f64::NAN } else { value.ln() }
}

/// Whether the inputs are in the safe range: no power of them overflows or underflows.
fn are_safe<const N: usize>(tables: [&Table<'_>; N], gamma: f64, xi2: f64) -> bool {
    let knots = tables.into_iter().flat_map(|table| table.knots);
    let is_safe = |x: f64| x == 0.0 || (LEAST..MOST).contains(&x.abs());
    (LEAST..MOST).contains(&xi2) && is_safe(gamma) && knots.into_iter().all(|t| is_safe(t[0]))
}

const LEAST: f64 = 1e-100;
const MOST: f64 = 1e100;

/// Sums over the nodes, in double words: of the weights, and of value, z and z² times the weight.
struct First<V> {
    mass: Word<V>,
    value: Word<V>,
    distance: Word<V>,
    square: Word<V>,
}

impl<V: Number> Visitor<V> for First<V> {
    fn visit(&mut self, node: Node<V>) {
        let weight = [node.weight, number(0.0)];
        self.mass = add(self.mass, weight);
        self.value = add(self.value, multiply(weight, node.value));
        self.distance = add(self.distance, multiply(weight, node.distance));
        self.square = add(self.square, multiply(weight, node.square));
    }
}

/// Means given A, in double words.
#[derive(Clone, Copy)]
struct Means<V> {
    mass: V,
    value: Word<V>,
    distance: Word<V>,
    square: Word<V>,
}

impl<V: Number> Means<V> {
    fn of(measure: &Measure<'_, V>) -> Self {
        let zero = [number(0.0); 2];
        let mut sums = First { mass: zero, value: zero, distance: zero, square: zero };
        measure.visit(&mut sums);
        let First { mass, value, distance, square } = sums;
        let [value, distance, square] = [value, distance, square].map(|sum| divide(sum, mass));
        Self { mass: mass[0], value, distance, square }
    }

    /// The differences of a node from the means: δ for the value, η for z and κ for z².
    fn apart(&self, node: &Node<V>) -> [V; 3] {
        let apart = |value: Word<V>, mean: Word<V>| subtract(value, mean)[0];
        [
            apart(node.value, self.value),
            apart(node.distance, self.distance),
            apart(node.square, self.square),
        ]
    }
}

/// Sums of products of [differences](Means::apart) from the means.
struct Second<V> {
    means: Means<V>,
    /// δ², δη, δκ, δ²η, δ²κ.
    sums: [V; 5],
}

impl<V: Number> Visitor<V> for Second<V> {
    fn visit(&mut self, node: Node<V>) {
        let [value, distance, square] = self.means.apart(&node);
        let weighted = value * node.weight;
        let products = [value, distance, square, value * distance, value * square];
        for (sum, product) in self.sums.iter_mut().zip(products) {
            *sum = weighted.mul_add(product, *sum);
        }
    }
}

/// Mean, variance and their derivatives, of a function less its power of two.
struct Central<V> {
    means: Means<V>,
    mean: V,
    variance: V,
    /// The derivatives in γ and ξ² of the mean, then of the variance.
    slopes: [V; 4],
}

impl<V: Number> Central<V> {
    fn of(measure: &Measure<'_, V>, xi2: V) -> Self {
        let means = Means::of(measure);
        let mut second = Second { means, sums: [number(0.0); 5] };
        measure.visit(&mut second);
        let [variance, by_distance, by_square, third, third_by_square] =
            second.sums.map(|sum| sum / means.mass);
        let xi = xi2.sqrt();
        let by_xi2 = number::<V>(0.5) / xi2;
        Self {
            means,
            mean: add(measure.level(), means.value)[0],
            variance,
            slopes: [by_distance / xi, by_square * by_xi2, third / xi, third_by_square * by_xi2],
        }
    }

    /// Mean, variance and derivatives of 2ᵉ times the function.
    fn results(&self, exponent: i32) -> [V; 6] {
        let [by_gamma, by_xi2, variance_by_gamma, variance_by_xi2] = self.slopes;
        let [mean, by_gamma, by_xi2] = [self.mean, by_gamma, by_xi2].map(|x| raise(x, exponent));
        let [variance, variance_by_gamma, variance_by_xi2] =
            [self.variance, variance_by_gamma, variance_by_xi2].map(|x| raise(x, 2 * exponent));
        [mean, variance, by_gamma, by_xi2, variance_by_gamma, variance_by_xi2]
    }
}

/// The probability of A, and the moments given A with their derivatives.
struct Results<V> {
    /// P(A).
    probability: V,
    log_probability: f64,
    /// The derivatives of ln P(A).
    scores: [V; 2],
    /// Mean, variance and their derivatives.
    central: [V; 6],
}

impl<V: Number> Results<V> {
    fn new(function: &Table<'_>, condition: &Table<'_>, gamma: f64, xi2: V) -> Option<Self> {
        let measure = Measure::new(function, Some(condition), gamma, xi2, true)?;
        let central = Central::of(&measure, xi2);
        let half = number::<V>(0.5);
        let law = Law::new(&measure, &central.means, xi2);
        let outside = Measure::new(function, Some(condition), gamma, xi2, false);
        let outside = outside.map(|measure| Law::new(&measure, &Means::of(&measure), xi2));
        let law = match outside {
            // The smaller one of P(A) and 1 − P(A) is right relative to itself. Of the larger one nothing is lost by 1 − P.
            Some(outside) if outside.probability.lt(half) => outside.opposite(),
            Some(_) => law,
            None => Law::certain(),
        };
        Some(Self {
            probability: law.probability,
            log_probability: law.logarithm,
            scores: law.scores,
            central: central.results(function.exponent),
        })
    }

    fn values(&self) -> [f64; 12] {
        let [by_gamma, by_xi2] = self.scores.map(V::to_f64);
        let [mean, variance, mean_by_gamma, mean_by_xi2, variance_by_gamma, variance_by_xi2] =
            self.central.map(V::to_f64);
        [
            self.probability.to_f64(),
            mean,
            variance,
            self.log_probability,
            logarithm(self.central[0]),
            logarithm(self.central[1]),
            by_gamma,
            by_xi2,
            mean_by_gamma,
            mean_by_xi2,
            variance_by_gamma,
            variance_by_xi2,
        ]
    }
}

impl Results<f64> {
    /// The results, unless some number on the way may have left the range.
    fn safe(&self) -> Option<[f64; 12]> {
        let values = self.values();
        // A probability may underflow, and a logarithm may be infinite or NaN by right.
        let are_finite = [1, 2, 6, 7, 8, 9, 10, 11].into_iter().all(|i| values[i].is_finite());
        (are_finite && values[1].abs() > LEAST && values[2] > LEAST).then_some(values)
    }
}

/// The probability of a set, with its logarithm and the derivatives of that in γ and ξ².
struct Law<V> {
    probability: V,
    logarithm: f64,
    scores: [V; 2],
}

impl<V: Number> Law<V> {
    /// The law of the whole line, whose probability is 1.
    fn certain() -> Self {
        Self { probability: number(1.0), logarithm: 0.0, scores: [number(0.0); 2] }
    }

    fn new(measure: &Measure<'_, V>, means: &Means<V>, xi2: V) -> Self {
        let unit = density_unit::<V>();
        let [square, low] = measure.nearest_square();
        let root = number::<V>(ROOT_OF_TWO_PI);
        let [half, one] = [0.5, 1.0].map(number::<V>);
        let density = (density_in_unit(square, low) * unit) * root;
        let relative = means.mass * unit;
        let mean = measure.nearest() + means.distance[0];
        let mean_square = add(add([square, low], [-one, number(0.0)]), means.square)[0];
        Self {
            probability: relative * density,
            // The square comes last: it may be 10⁶ where the other terms are of order 1.
            logarithm: (relative.ln() - (low * half).to_f64()) - (square * half).to_f64(),
            scores: [mean / xi2.sqrt(), mean_square * (half / xi2)],
        }
    }

    /// The law of the complement.
    fn opposite(self) -> Self {
        let probability = number::<V>(1.0) - self.probability;
        // ∂ ln(1 − P) = −P/(1 − P) ∂ ln P.
        let odds = self.probability / probability;
        let logarithm = libm::log1p(-self.probability.to_f64());
        Self { probability, logarithm, scores: self.scores.map(|score| -(score * odds)) }
    }
}

/// Mean, variance and their derivatives in γ and ξ² where nothing is given, for any function.
pub(crate) fn whole(function: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 6] {
    // Terms of one polynomial cost far less than nodes.
    if let Some(near) = Near::of(function, None, gamma, xi2) {
        return near.values();
    }
    if are_safe([function], gamma, xi2) {
        let values = central::<f64>(function, gamma, xi2);
        if values.iter().all(|value| value.is_finite()) && values[1] > LEAST {
            return values;
        }
    }
    central::<Far>(function, gamma, wide_variance(xi2)).map(Number::to_f64)
}

fn central<V: Number>(function: &Table<'_>, gamma: f64, xi2: V) -> [V; 6] {
    let Some(measure) = Measure::new(function, None, gamma, xi2, true) else {
        return [number(0.0); 6];
    };
    Central::of(&measure, xi2).results(function.exponent)
}

/// Sums for second derivatives: η², ηκ, κ², and δ and δ² times these.
struct Third<V> {
    means: Means<V>,
    sums: [[V; 3]; 3],
}

impl<V: Number> Visitor<V> for Third<V> {
    fn visit(&mut self, node: Node<V>) {
        let [value, distance, square] = self.means.apart(&node);
        let weighted = value * node.weight;
        let products = [distance * distance, distance * square, square * square];
        for (i, weight) in [node.weight, weighted, weighted * value].into_iter().enumerate() {
            for (sum, product) in self.sums[i].iter_mut().zip(products) {
                *sum = weight.mul_add(product, *sum);
            }
        }
    }
}

/// ∂²/∂γ², ∂²/∂γ∂ξ² and ∂²/∂(ξ²)² of the mean, then of the variance, for a function of any degree.
///
/// With a = η/ξ and b = κ/(2ξ²), the scores less their means, m the mean and V the variance,
///
/// ```text
/// m_γγ = E[δa²]                        V_γγ = E[δ²a²] − V E[a²] − 2 m_γ²
/// m_γξ² = E[δab] − m_γ/ξ²              V_γξ² = E[δ²ab] − V E[ab] − 2 m_γ m_ξ² − V_γ/ξ²
/// m_ξ²ξ² = E[δb²] − 2 m_ξ²/ξ²          V_ξ²ξ² = E[δ²b²] − V E[b²] − 2 m_ξ²² − 2 V_ξ²/ξ²
/// ```
pub(crate) fn second_derivatives(function: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 6] {
    if let Some(near) = Near::of(function, None, gamma, xi2) {
        return near.second();
    }
    if are_safe([function], gamma, xi2) {
        let values = second::<f64>(function, gamma, xi2);
        if values.iter().all(|value| value.is_finite()) {
            return values;
        }
    }
    second::<Far>(function, gamma, wide_variance(xi2)).map(Number::to_f64)
}

fn second<V: Number>(function: &Table<'_>, gamma: f64, xi2: V) -> [V; 6] {
    let Some(measure) = Measure::new(function, None, gamma, xi2, true) else {
        return [number(0.0); 6];
    };
    let means = Means::of(&measure);
    let zero = number::<V>(0.0);
    let mut second = Second { means, sums: [zero; 5] };
    measure.visit(&mut second);
    let mut third = Third { means, sums: [[zero; 3]; 3] };
    measure.visit(&mut third);
    let mass = means.mass;
    let [variance, by_gamma, by_xi2, variance_by_gamma, variance_by_xi2] =
        second.sums.map(|sum| sum / mass);
    let [plain, once, twice] = third.sums.map(|sums| sums.map(|sum| sum / mass));
    // In z and z²: of units of ξ for γ, and of 2ξ² for ξ².
    let (two, four) = (number::<V>(2.0), number::<V>(4.0));
    let mean = [once[0], once[1] - two * by_gamma, once[2] - four * by_xi2];
    let slopes = [by_gamma * by_gamma, by_gamma * by_xi2, by_xi2 * by_xi2];
    let moved = [zero, two * variance_by_gamma, four * variance_by_xi2];
    let (xi, xi4) = (xi2.sqrt(), xi2 * xi2);
    let units = [xi2, two * xi2 * xi, four * xi4];
    let mut results = [zero; 6];
    for i in 0..3 {
        results[i] = raise(mean[i] / units[i], function.exponent);
        let central = (twice[i] - variance * plain[i]) - (two * slopes[i] + moved[i]);
        results[3 + i] = raise(central / units[i], 2 * function.exponent);
    }
    results
}
