//! Gauss–Legendre rules on [0, 1].
//!
//! The nodes on [−1, 1] are the zeros x of the Legendre polynomial P_n, by Newton's method from
//! cos(π(i − ¼)/(n + ½)), and the weights 2/((1 − x²) P_n′(x)²). A rule is symmetric, so half of
//! the nodes is enough.

use crate::number::{BITS, Real, integer, pi, real};

/// Steps of Newton's method; each doubles the digits, of which there are 2 at first.
const STEPS: usize = 10;

/// A node in [0, ½] and its weight, which is that of 1 minus the node too.
pub(crate) struct Node {
    pub(crate) place: Real,
    pub(crate) weight: Real,
}

/// The lower half of the rule of n nodes, n even, in ascending order.
pub(crate) fn rule(n: usize) -> Vec<Node> {
    let (one, half) = (real(1.0), real(0.5));
    let nodes: Vec<_> = (1..=n / 2)
        .map(|i| {
            let x = zero(n, i);
            let [_, slope] = legendre(n, &x);
            // Half of the weight on [−1, 1].
            let weight = &one / &(&(&one - &(&x * &x)) * &(&slope * &slope));
            Node { place: &(&one - &x) * &half, weight }
        })
        .collect();
    let sum = nodes.iter().fold(real(0.0), |sum, node| &sum + &node.weight);
    assert!((&sum - &half).abs().to_f64() < 1e-55, "the weights sum to 1");
    nodes
}

/// The i-th largest zero of P_n.
fn zero(n: usize, i: usize) -> Real {
    let angle = &(&pi(BITS) * &real(i as f64 - 0.25)) / &real(n as f64 + 0.5);
    (0..STEPS).fold(angle.cos(), |x, _| {
        let [value, slope] = legendre(n, &x);
        &x - &(&value / &slope)
    })
}

/// P_n and its derivative, for −1 < x < 1.
fn legendre(n: usize, x: &Real) -> [Real; 2] {
    let one = real(1.0);
    let (mut before, mut current) = (one.clone(), x.clone());
    for k in 2..=n {
        let sum = &(&(&integer(2 * k - 1) * x) * &current) - &(&integer(k - 1) * &before);
        (before, current) = (current, &sum / &integer(k));
    }
    let slope = &(&integer(n) * &(&(x * &current) - &before)) / &(&(x * x) - &one);
    [current, slope]
}
