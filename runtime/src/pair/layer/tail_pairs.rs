//! Strongly correlated pairs of a layer: one unit with others of one shape, side by side in the vectors of the machine.
//!
//! It computes what [`covariances`](crate::pair::covariance::covariances) does for one pair, as two passes. The first one takes pairs as they
//! stand in the row; the second one takes their quadrants, sorted by what they need (`quadrants`). What vectors do not serve is NaN, and left
//! to that function.

use alloc::vec::Vec;

use super::Unit;
use super::columns::{Columns, Shape};
use super::quadrants::{Class, Quadrants};
use super::tails::{Lawful, TwoTails, one};
use crate::kernel::{Lanes, Mask, Pair, number};
use crate::lanes::dispatch::{Task, Vectors};
use crate::pair::quadrant_lanes::WIDEST;
use crate::pair::term::Sum;

/// Below it, or above its inverse, a covariance in the units of both may have lost digits.
const LEAST: f64 = 1.0 / (1_u128 << 100) as f64;

/// The units of a layer by their shapes.
#[derive(Debug)]
pub(super) struct Strong {
    groups: Vec<Columns>,
    /// For each unit its group and its place there.
    places: Vec<Option<(usize, usize)>>,
}

impl Strong {
    pub(super) fn new(units: &[Option<Unit>]) -> Self {
        let mut shapes: Vec<(Shape, Vec<usize>)> = Vec::new();
        let mut places = Vec::with_capacity(units.len());
        for (i, unit) in units.iter().enumerate() {
            places.push(unit.as_ref().and_then(Shape::of).map(|shape| {
                let group = shapes.iter().position(|(other, _)| *other == shape);
                let group = group.unwrap_or_else(|| {
                    shapes.push((shape, Vec::new()));
                    shapes.len() - 1
                });
                shapes[group].1.push(i);
                (group, shapes[group].1.len() - 1)
            }));
        }
        let columns = |(shape, members)| Columns::new(shape, members, units);
        Self { groups: shapes.into_iter().map(columns).collect(), places }
    }

    /// Replaces sums that are NaN by the covariances of one unit with the ones before it, given those of its pre-activation with
    /// theirs, where vectors serve.
    pub(super) fn fill(&self, unit: usize, covariances: &[f64], sums: &mut [f64]) {
        let Some((group, at)) = self.places[unit] else { return };
        let left = &self.groups[group];
        for right in &self.groups {
            let before = right.members.partition_point(|j| *j < unit);
            let members = &right.members[..before];
            if !members.iter().any(|j| sums[*j].is_nan()) {
                continue;
            }
            let mut scaled = alloc::vec![f64::NAN; before.next_multiple_of(WIDEST)];
            for (scaled, (j, scale)) in scaled.iter_mut().zip(members.iter().zip(&right.scale)) {
                let c = covariances[*j] * left.scale[at] * scale;
                if sums[*j].is_nan() && (LEAST..1.0 / LEAST).contains(&c.abs()) {
                    *scaled = c;
                }
            }
            let (mut high, mut low) = (scaled.clone(), alloc::vec![0.0; scaled.len()]);
            let quadrants = quadrants(&left.shape, &right.shape, before);
            let into = [&mut high[..], &mut low[..]];
            f64::dispatch(TailPairRow { left, at, right, covariances: &scaled, into, quadrants });
            for (j, (high, low)) in members.iter().zip(high.iter().zip(&low)) {
                if sums[*j].is_nan() {
                    sums[*j] = high + low;
                }
            }
        }
    }
}

/// Room for the quadrants of each class, for each two tails.
fn quadrants(left: &Shape, right: &Shape, most: usize) -> Vec<[Quadrants; 4]> {
    let pairs = left.tails.iter().flat_map(|a| right.tails.iter().map(move |b| [a.1 - 1, b.1 - 1]));
    pairs.map(|top| Class::ALL.map(|class| Quadrants::new(class, top, most))).collect()
}

/// One unit with some of a group.
struct TailPairRow<'a> {
    left: &'a Columns,
    at: usize,
    right: &'a Columns,
    /// In the units of both; NaN where nothing is wanted.
    covariances: &'a [f64],
    /// The high and the low words of the results.
    into: [&'a mut [f64]; 2],
    quadrants: Vec<[Quadrants; 4]>,
}

impl Task<f64> for TailPairRow<'_> {
    type Unit = ();

    #[inline(always)]
    fn run<V: Lanes<Element = f64>, R: Lanes<Element = f64>>(self) {
        self.with::<V>();
    }

    fn run_one_by_one(self) {
        self.with::<f64>();
    }
}

/// Polynomials of a tail of one side that others change: those of the other side.
struct Beside<V> {
    count: usize,
    /// For each tail, coefficient by coefficient.
    left: Vec<V>,
    right: Vec<V>,
}

impl TailPairRow<'_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(mut self) {
        let count = self.left.shape.polynomial.max(self.right.shape.polynomial);
        let zeros = |tails: usize| alloc::vec![number::<V>(0.0); tails * count];
        let mut beside = Beside {
            count,
            left: zeros(self.left.tails.len()),
            right: zeros(self.right.tails.len()),
        };
        for start in (0..self.covariances.len()).step_by(V::COUNT) {
            self.block::<V>(start, &mut beside);
        }
        let Self { into: [high, low], quadrants, .. } = &mut self;
        for quadrants in quadrants.iter_mut().flatten() {
            quadrants.drain::<V>([&mut **high, &mut **low]);
        }
    }

    /// Pairs as they stand in the row: all but their quadrants.
    #[inline(always)]
    fn block<V: Lanes<Element = f64>>(&mut self, start: usize, beside: &mut Beside<V>) {
        let Self { left, at, right, covariances, into, quadrants } = self;
        let at = *at;
        let zero = number::<V>(0.0);
        let deviation: [V; 2] = [one(&left.deviation, at), V::load(&right.deviation[start..])];
        let variance: [V; 2] = [one(&left.variance, at), V::load(&right.variance[start..])];
        let c = V::load(&covariances[start..]);
        let product = Pair::exact(variance[0]) * Pair::exact(variance[1]);
        let determinant = product - Pair::exact(c) * Pair::exact(c);
        let mut serves = zero.lt(determinant.round());
        if !serves.any() {
            number::<V>(f64::NAN).store(&mut into[0][start..]);
            return;
        }
        let both = deviation[0] * deviation[1];
        let rho = (c / both).max(number(-1.0)).min(number(1.0));
        let root = determinant.round().sqrt();
        let law = Lawful { variance, deviation, c, determinant, rho, root, rest: root / both };
        let mut sum = Sum([zero; 2]);
        let mut power = number::<V>(1.0);
        let shared = left.shape.polynomial.min(right.shape.polynomial);
        for k in 1..shared {
            power = power * (rho / number(k as f64));
            sum.add(
                power * one::<V>(&left.polynomial[k], at) * V::load(&right.polynomial[k][start..]),
            );
        }
        for k in 0..beside.count {
            let polynomial = match right.polynomial.get(k) {
                Some(column) => V::load(&column[start..]),
                None => zero,
            };
            for m in 0..left.tails.len() {
                beside.left[m * beside.count + k] = polynomial;
            }
            let polynomial = match left.polynomial.get(k) {
                Some(column) => one(column, at),
                None => zero,
            };
            for n in 0..right.tails.len() {
                beside.right[n * beside.count + k] = polynomial;
            }
        }
        for (m, tail) in left.tails.iter().enumerate() {
            for (n, other) in right.tails.iter().enumerate() {
                let sides = left.shape.tails[m].0 * right.shape.tails[n].0;
                let tails = TwoTails { tail, at, other, start, sides };
                let quadrants = &mut quadrants[m * right.tails.len() + n];
                let beside = [
                    &mut beside.right[n * beside.count..][..beside.count],
                    &mut beside.left[m * beside.count..][..beside.count],
                ];
                serves = tails.add(&law, beside, serves, &mut sum, quadrants);
            }
        }
        let mut power = number::<V>(1.0);
        for k in 1..beside.count {
            power = power * (rho / number(k as f64));
            for (m, tail) in left.tails.iter().enumerate() {
                let sign = if k % 2 == 1 { left.shape.tails[m].0 } else { 1.0 };
                let feature = number::<V>(sign * tail.features[k][at] * tail.density[at]);
                sum.add(power * feature * beside.left[m * beside.count + k]);
            }
            for (n, tail) in right.tails.iter().enumerate() {
                let sign = if k % 2 == 1 { right.shape.tails[n].0 } else { 1.0 };
                let feature = V::load(&tail.features[k][start..]) * V::load(&tail.density[start..]);
                sum.add(power * number(sign) * feature * beside.right[n * beside.count + k]);
            }
        }
        V::select(serves, sum.0[0], number(f64::NAN)).store(&mut into[0][start..]);
        sum.0[1].store(&mut into[1][start..]);
    }
}
