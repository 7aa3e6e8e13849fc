//! A term of a covariance: a tail or a mass of each side, and the sum to which their covariances are added.

use core::cell::OnceCell;

use super::joint_tails::JointTails;
use super::law::Law;
use super::series::{is_weak, series};
use super::tail::Seen;
use crate::lanes::Lanes;
use crate::lanes::double::two_sum;

/// How often both functions are differentiated.
pub(super) type Order = [usize; 2];

/// A sum with the errors of its additions.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum<V = f64>(pub(super) [V; 2]);

impl<V: Lanes> Sum<V> {
    #[inline(always)]
    pub(super) fn add(&mut self, term: V) {
        let [sum, error] = two_sum(self.0[0], term);
        self.0 = [sum, self.0[1] + error];
    }
}

impl Sum {
    pub(super) fn value(self) -> f64 {
        let sum = self.0[0] + self.0[1];
        if sum.is_nan() { self.0[0] } else { sum }
    }
}

/// A tail or a mass of each side, with what their covariances of all orders share.
pub(super) struct Pair<'a, A, B> {
    first: &'a A,
    second: &'a B,
    law: &'a Law,
    /// ρ, or −ρ where the two are seen to different sides.
    pub(super) r: f64,
    joint: OnceCell<JointTails<'a>>,
}

impl<'a, A: Seen, B: Seen> Pair<'a, A, B> {
    pub(super) fn new(first: &'a A, second: &'a B, law: &'a Law) -> Self {
        let r = first.place().side * second.place().side * law.rho;
        Self { first, second, law, r, joint: OnceCell::new() }
    }

    /// Adds the covariances as they are.
    pub(super) fn add_plainly<const N: usize>(&self, orders: &[Order; N], sums: &mut [Sum; N]) {
        let [first, second] = [self.first.place(), self.second.place()];
        if !is_weak(self.r, first.z, second.z) {
            for (order, sum) in orders.iter().zip(sums) {
                sum.add(self.covariance_of(*order, |_, _| true));
            }
            return;
        }
        let density = first.density * second.density;
        if density == 0.0 {
            return;
        }
        for (order, sum) in orders.iter().zip(sums) {
            let product = |k| self.first.ratio(k, order[0]) * self.second.ratio(k, order[1]);
            sum.add(density * series(self.r, [first.z, second.z], product));
        }
    }

    /// The covariance from the vertex, of the terms whose orders are wanted.
    pub(super) fn covariance_of(&self, order: Order, wanted: impl Fn(i32, i32) -> bool) -> f64 {
        let mut sum = 0.0;
        for (i, c) in self.first.terms(order[0]) {
            for (j, d) in self.second.terms(order[1]).filter(|(j, _)| wanted(i, *j)) {
                let joint =
                    self.joint.get_or_init(|| JointTails::new(self.first, self.second, self.law));
                sum += c * d * joint.covariance(i, j);
            }
        }
        sum
    }
}
