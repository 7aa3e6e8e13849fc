//! The moments of an activation by standard operators.
//!
//! ```text
//! E[g(u)] = g(γ) + Σ ∫ (g − g(γ)) φ dz        Var g(u) = Σ ∫ (g − E g)² φ dz
//! ```
//!
//! The line is divided where the polynomial changes. On a stretch the density falls outward from its point closest to γ,
//! and a Gauss–Legendre rule from there, cut off where nothing is left, has positive weights: nothing cancels, and tails are
//! as right as the exponential of the runtime. Errors are some roundings of the precision that the graph computes in.

use std::f64::consts::TAU;

use super::graph::{Graph, Value};
use super::proto::Element;
use super::rule::gauss_legendre;
use crate::pieces::{Pieces, Stretch};

/// A smaller variance counts as this one.
const LEAST_VARIANCE: f64 = 1e-30;
/// Farther than anything that matters; its square is finite in f32.
const FAR: f64 = 1e18;

/// The pieces of the function as tensors of shape \[stretches\]: ends, centres and Taylor coefficients there.
struct Stretches {
    from: Value,
    to: Value,
    at: Value,
    coefficients: Vec<Value>,
}

impl Stretches {
    fn new(graph: &mut Graph, stretches: &[Stretch], degree: usize) -> Self {
        let mut of = |f: &dyn Fn(&Stretch) -> f64| {
            let values: Vec<f64> = stretches.iter().map(f).collect();
            graph.numbers(&values, &[values.len()])
        };
        let coefficient =
            |j: usize| move |s: &Stretch| s.coefficients.get(j).copied().unwrap_or(0.0);
        Self {
            from: of(&|s| s.from.max(-FAR)),
            to: of(&|s| s.to.min(FAR)),
            at: of(&|s| s.at),
            coefficients: (0..=degree).map(|j| of(&coefficient(j))).collect(),
        }
    }

    /// The Taylor coefficients of each stretch around `at`, of shape \[…, stretches\].
    fn around(&self, graph: &mut Graph, at: &Value) -> Vec<Value> {
        let distance = graph.sub(at, &self.at);
        let mut a = self.coefficients.clone();
        let degree = a.len() - 1;
        for j in 0..degree {
            for i in (j..degree).rev() {
                let more = graph.mul(&a[i + 1], &distance);
                a[i] = graph.add(&a[i], &more);
            }
        }
        a
    }
}

/// g(γ) and g′(γ), for γ of shape \[…, 1\], with the stretch that γ lies on: 1 there and 0 elsewhere.
fn at_gamma(graph: &mut Graph, stretches: &Stretches, gamma: &Value) -> ([Value; 2], Value) {
    let above = graph.apply("GreaterOrEqual", &[gamma, &stretches.from]);
    let below = graph.apply("Less", &[gamma, &stretches.to]);
    let own = graph.apply("And", &[&above, &below]);
    let taylor = stretches.around(graph, gamma);
    let zero = graph.number(0.0);
    let pick = |graph: &mut Graph, j: usize| match taylor.get(j) {
        Some(a) => {
            let own = graph.choose(&own, a, &zero);
            let sum = graph.sum(&own, 1);
            graph.deep(&sum)
        }
        None => graph.times(gamma, 0.0),
    };
    ([pick(graph, 0), pick(graph, 1)], own)
}

/// g(γ) and g′(γ)² ξ², of the shape of γ; ξ² may be left out.
pub(super) fn linearised(
    graph: &mut Graph,
    pieces: &Pieces,
    gamma: &Value,
    xi2: Option<&Value>,
) -> (Value, Option<Value>) {
    let stretches = pieces.stretches();
    let stretches = Stretches::new(graph, &stretches, pieces.degree());
    let gamma = graph.deep(gamma);
    let ([mut value, mut slope], _) = at_gamma(graph, &stretches, &gamma);
    for (knot, [at, first, _]) in pieces.limits() {
        let knot = graph.number(knot);
        let there = graph.apply("Equal", &[&gamma, &knot]);
        let [at, first] = [at, first].map(|v| graph.number(v));
        value = graph.choose(&there, &at, &value);
        slope = graph.choose(&there, &first, &slope);
    }
    let [value, slope] = [value, slope].map(|v| graph.sum(&v, 1));
    let square = graph.square(&slope);
    let variance = xi2.map(|xi2| graph.mul(&square, xi2));
    (value, variance)
}

/// E\[g(u)\] and Var g(u) for u ~ N(γ, ξ²), of the shape of γ.
pub(super) fn moments(
    graph: &mut Graph,
    pieces: &Pieces,
    gamma: &Value,
    xi2: &Value,
) -> (Value, Value) {
    let degree = pieces.degree();
    // Number of nodes, and the power of e by which the density falls before a rule ends.
    let (count, fall) = match graph.element {
        Element::Double => (24 + 2 * degree, 37.0 + 5.0 * degree as f64),
        _ => (12 + 2 * degree, 20.0 + 4.0 * degree as f64),
    };
    let (nodes, weights) = gauss_legendre(count);
    let weights: Vec<f64> = weights.iter().map(|w| w / TAU.sqrt()).collect();
    let nodes = graph.numbers(&nodes, &[count]);
    let weights = graph.numbers(&weights, &[count]);

    let stretches = pieces.stretches();
    let stretches = Stretches::new(graph, &stretches, degree);
    let least = graph.max(xi2, LEAST_VARIANCE);
    let xi = graph.apply("Sqrt", &[&least]);
    let [gamma, xi] = [gamma, &xi].map(|v| graph.deep(v));
    let ([value, _], own) = at_gamma(graph, &stretches, &gamma);
    // The point of each stretch that is closest to γ.
    let capped = graph.apply("Min", &[&gamma, &stretches.to]);
    let near = graph.apply("Max", &[&capped, &stretches.from]);
    let taylor = stretches.around(graph, &near);
    let zero = graph.number(0.0);
    let rise = graph.sub(&taylor[0], &value);
    // On γ's own stretch the rise is 0, and no rounding must be left of it.
    let rise = graph.choose(&own, &zero, &rise);

    // To the right of that point, and to its left.
    let mut panels = Vec::new();
    for (sign, end) in [(1.0, &stretches.to), (-1.0, &stretches.from)] {
        let distance = graph.sub(&near, &gamma);
        let distance = graph.times(&distance, sign);
        let start = graph.div(&distance, &xi);
        let start = graph.max(&start, 0.0);
        let length = graph.sub(end, &near);
        let length = graph.times(&length, sign);
        let length = graph.div(&length, &xi);
        let length = graph.max(&length, 0.0);
        // 2 fall/(start + √(start² + 2 fall)): how far the density falls by e to the power of `fall`.
        let square = graph.square(&start);
        let under = graph.plus(&square, 2.0 * fall);
        let root = graph.apply("Sqrt", &[&under]);
        let sum = graph.add(&start, &root);
        let most = graph.number(2.0 * fall);
        let reach = graph.div(&most, &sum);
        let length = graph.apply("Min", &[&length, &reach]);
        let [start, length, xi] = [&start, &length, &xi].map(|v| graph.deep(v));
        let part = graph.mul(&length, &nodes);
        let z = graph.add(&start, &part);
        let bell = graph.bell(&z);
        let share = graph.mul(&length, &weights);
        let mass = graph.mul(&bell, &share);
        let step = graph.mul(&part, &xi);
        let step = graph.times(&step, sign);
        let mut polynomial: Option<Value> = None;
        for a in taylor.iter().skip(1).rev() {
            let a = graph.deep(a);
            polynomial = Some(match polynomial {
                Some(p) => {
                    let p = graph.mul(&p, &step);
                    graph.add(&p, &a)
                }
                None => a,
            });
        }
        let rise = graph.deep(&rise);
        let apart = match polynomial {
            Some(p) => {
                let p = graph.mul(&p, &step);
                graph.add(&p, &rise)
            }
            None => rise,
        };
        panels.push((mass, apart));
    }
    let mut offset: Option<Value> = None;
    for (mass, apart) in &panels {
        let weighted = graph.mul(mass, apart);
        let sum = graph.sum(&weighted, 2);
        offset = Some(match offset {
            Some(o) => graph.add(&o, &sum),
            None => sum,
        });
    }
    let offset = offset.unwrap_or(zero);
    let once = graph.deep(&offset);
    let deep = graph.deep(&once);
    let mut variance: Option<Value> = None;
    for (mass, apart) in &panels {
        let apart = graph.sub(apart, &deep);
        let square = graph.square(&apart);
        let weighted = graph.mul(mass, &square);
        let sum = graph.sum(&weighted, 2);
        variance = Some(match variance {
            Some(v) => graph.add(&v, &sum),
            None => sum,
        });
    }
    let value = graph.sum(&value, 1);
    let mean = graph.add(&value, &offset);
    (mean, variance.unwrap_or(offset))
}
