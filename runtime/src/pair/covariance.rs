//! Cov(g(u), h(w)): the polynomials of both sides, each with the tails of the other, and pairs of tails.

use alloc::vec::Vec;

use super::corner::{Corner, WEAK, is_weak};
use super::law::Law;
use super::ratio::{INV_SQRT_TAU, binomial, half_exponential, hermite, power, power_means};
use super::side::{Side, Strip, Tail, add_features, quadrature};
use crate::kernel::word;
use crate::lanes::double::two_sum;

/// A sum with the errors of its additions.
#[derive(Default)]
struct Sum([f64; 2]);

impl Sum {
    fn add(&mut self, term: f64) {
        let [sum, error] = two_sum(self.0[0], term);
        self.0 = [sum, self.0[1] + error];
    }

    fn value(&self) -> f64 {
        let sum = self.0[0] + self.0[1];
        if sum.is_nan() { self.0[0] } else { sum }
    }
}

/// σᵏ E\[p⁽ᵏ⁾\] of the polynomial that a tail is on its side.
fn polynomial_of(tail: &Tail, deviation: f64, count: usize) -> Vec<f64> {
    let means = power_means(-tail.distance[0] / deviation, tail.coefficients.len() + 1);
    let of = |k: usize| -> f64 {
        let terms = tail.terms().filter_map(|(i, c)| Some((usize::try_from(i).ok()?, c)));
        terms.filter(|(i, _)| *i >= k).map(|(i, c)| c * power(tail.side, k) * means[i - k]).sum()
    };
    (0..count).map(of).collect()
}

fn size(p: &[f64]) -> f64 {
    p.iter().skip(1).fold(0.0, |size, x| x.abs().max(size))
}

/// In the units of both sides.
pub(super) fn covariance(left: &Side, right: &Side, law: &Law) -> f64 {
    let mut sum = Sum::default();
    let count = left.polynomial.len().max(right.polynomial.len()).max(1);
    let padded = |p: &[f64]| {
        let mut p = p.to_vec();
        p.resize(count, 0.0);
        p
    };
    let (p, q) = (padded(&left.polynomial), padded(&right.polynomial));
    polynomials(law.rho, &p, &q, &mut sum);
    let mut beside_left: Vec<Vec<f64>> = left.tails.iter().map(|_| q.clone()).collect();
    let mut beside_right: Vec<Vec<f64>> = right.tails.iter().map(|_| p.clone()).collect();
    for (first, beside_first) in left.tails.iter().zip(&mut beside_left) {
        for (second, beside_second) in right.tails.iter().zip(&mut beside_right) {
            let corner = Corner::new(first, second, law);
            let [a, b, r] = corner.numbers();
            let may_flip = !corner.is_weak() && first.is_function() && second.is_function();
            // Given the far one, the near one is past its knot: it changes sides if that leaves less.
            if may_flip && b >= a && a < r * b {
                let other = added(beside_second, &polynomial_of(first, left.deviation, count));
                if size(&other) < size(beside_second) {
                    *beside_second = other;
                    let flipped = first.flipped();
                    sum.add(Corner::new(&flipped, second, law).covariance(&flipped, second));
                    continue;
                }
            } else if may_flip && a > b && b < r * a {
                let other = added(beside_first, &polynomial_of(second, right.deviation, count));
                if size(&other) < size(beside_first) {
                    *beside_first = other;
                    let flipped = second.flipped();
                    sum.add(Corner::new(first, &flipped, law).covariance(first, &flipped));
                    continue;
                }
            }
            sum.add(corner.covariance(first, second));
        }
    }
    let (left_masses, right_masses) = (left.masses(), right.masses());
    let mut across = |tails: &[Tail], beside: &[Vec<f64>], side: &Side| {
        for (tail, polynomial) in tails.iter().zip(beside) {
            let mut features = alloc::vec![0.0; count];
            add_features(tail, side.variance, side.deviation, &mut features);
            polynomials(law.rho, &features, polynomial, &mut sum);
        }
    };
    across(&left.tails, &beside_left, left);
    across(&right.tails, &beside_right, right);
    across(&left_masses, &left_masses.iter().map(|_| q.clone()).collect::<Vec<_>>(), left);
    across(&right_masses, &right_masses.iter().map(|_| p.clone()).collect::<Vec<_>>(), right);
    if law.rho.abs() <= WEAK {
        pairs(&left.tails, &right_masses, law, &mut sum);
        pairs(&left_masses, &right.tails, law, &mut sum);
        pairs(&left_masses, &right_masses, law, &mut sum);
        return sum.value();
    }
    let back = law.swapped();
    for (strips, side, tails, other, law) in [
        (&left.strips, left, &right.tails, right, law),
        (&right.strips, right, &left.tails, left, &back),
    ] {
        let (tails, masses): (Vec<Tail>, Vec<Vec<Tail>>) = tails.iter().map(Tail::parted).unzip();
        for strip in strips {
            let nodes = graded(strip, side, &ends(&tails), law);
            pairs(&nodes, &tails, law, &mut sum);
        }
        let masses: Vec<Tail> = masses.into_iter().flatten().collect();
        for strip in strips {
            masses_and_strip(&masses, strip, other, side, &law.swapped(), &mut sum);
        }
    }
    for first in &left.strips {
        for second in &right.strips {
            let meet = [second.lower, second.upper];
            let masses = graded(first, left, &meet, law);
            masses_and_strip(&masses, second, left, right, law, &mut sum);
        }
    }
    sum.value()
}

fn pairs(first: &[Tail], second: &[Tail], law: &Law, sum: &mut Sum) {
    for first in first {
        for second in second {
            sum.add(Corner::new(first, second, law).covariance(first, second));
        }
    }
}

fn added(p: &[f64], q: &[f64]) -> Vec<f64> {
    p.iter().zip(q).map(|(p, q)| p + q).collect()
}

/// Σ ρᵏ/k! p_k q_k.
fn polynomials(rho: f64, p: &[f64], q: &[f64], sum: &mut Sum) {
    let mut weight = 1.0;
    for (k, (p, q)) in p.iter().zip(q).enumerate().skip(1) {
        weight *= rho / k as f64;
        if *p != 0.0 && *q != 0.0 {
            sum.add(weight * p * q);
        }
    }
}

/// Where tails begin, from the mean.
fn ends(tails: &[Tail]) -> Vec<[f64; 2]> {
    let end =
        |tail: &Tail| if tail.side > 0.0 { tail.distance } else { word::negate(tail.distance) };
    tails.iter().map(end).collect()
}

/// \[0, width\] in panels for a function that changes within a scale of the centres.
fn panels(width: f64, centres: &[f64], scale: f64) -> Vec<f64> {
    let steps = [-9.0, -4.0, -1.5, 0.0, 1.5, 4.0, 9.0];
    let places = centres.iter().flat_map(|centre| steps.map(|step| centre + step * scale));
    let mut places: Vec<f64> = places.filter(|x| 0.0 < *x && *x < width).collect();
    places.extend([0.0, width]);
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// A strip as point masses that resolve where the conditional mean of the other meets its knots.
fn graded(strip: &Strip, side: &Side, others: &[[f64; 2]], law: &Law) -> Vec<Tail> {
    let c = law.covariance;
    let scale = libm::sqrt(law.determinant[0]) * side.deviation / c.abs();
    let centre = |end: &[f64; 2]| {
        let meets = word::divide(word::multiply([side.variance, 0.0], *end), [c, 0.0]);
        word::add(meets, word::negate(strip.lower))[0]
    };
    let centres: Vec<f64> = others.iter().map(centre).collect();
    let panels = panels(strip.width, &centres, scale);
    let nodes = panels.windows(2).flat_map(|ends| quadrature(ends[0], ends[1]));
    nodes.map(|(at, weight)| strip.mass(at, weight, side.deviation)).collect()
}

/// Point masses of one side and a strip of the other: an integral over the strip around the conditional mean.
fn masses_and_strip(
    masses: &[Tail],
    strip: &Strip,
    left: &Side,
    right: &Side,
    law: &Law,
    sum: &mut Sum,
) {
    let scale = libm::sqrt(law.determinant[0] / left.variance);
    let density = |tail: &Tail, variance: f64, deviation: f64| {
        let square = word::divide(word::multiply(tail.distance, tail.distance), [variance, 0.0]);
        let he = hermite(tail.distance[0] / deviation, tail.first.unsigned_abs() as usize);
        he.last().map_or(0.0, |he| he * INV_SQRT_TAU * half_exponential(square))
    };
    let plain = strip.masses(right.deviation);
    let plain =
        plain.iter().map(|m| m.coefficients[0] * density(m, right.variance, right.deviation));
    let plain: f64 = plain.sum();
    for outer in masses {
        let weight = outer.coefficients[0];
        // Where w is expected, from both ends.
        let [mean, past] = [strip.lower, strip.upper]
            .map(|end| -law.offset(outer.distance, end)[0] / left.variance);
        let mut inner = 0.0;
        if law.is_degenerate() {
            if mean >= 0.0 && past <= 0.0 {
                inner = along(outer, strip, left, right, law, mean);
                // On an end of the strip: the other half is that of its neighbour.
                if mean == 0.0 || past == 0.0 {
                    inner *= 0.5;
                }
            }
        } else {
            let panels = panels(strip.width, &[mean], scale);
            for ends in panels.windows(2) {
                if ends[1] < mean - 9.0 * scale || ends[0] > mean + 9.0 * scale {
                    continue;
                }
                for (at, w) in quadrature(ends[0], ends[1]) {
                    let mass = strip.mass(at, w, right.deviation);
                    let corner = Corner::new(outer, &mass, law);
                    inner += mass.coefficients[0] * corner.joint_mass(outer.first, mass.first);
                }
            }
        }
        let apart = density(outer, left.variance, left.deviation) * plain;
        sum.add(weight * (inner - apart));
    }
}

/// The joint part of a point mass and a strip on which w is determined.
fn along(outer: &Tail, second: &Strip, left: &Side, right: &Side, law: &Law, mean: f64) -> f64 {
    let n = (-1 - outer.first) as usize;
    let he = hermite(outer.distance[0] / left.deviation, n + 1);
    let square = word::divide(word::multiply(outer.distance, outer.distance), [left.variance, 0.0]);
    let density = INV_SQRT_TAU * half_exponential(square);
    let derivative = |times: usize| {
        let terms = second.polynomial.iter().enumerate().skip(times).rev();
        terms.fold(0.0, |sum, (i, c)| {
            sum * mean + c * (i + 1 - times..=i).map(|k| k as f64).product::<f64>()
        })
    };
    let term = |k: usize| {
        let times = k + second.times;
        let unit = power(-law.rho, k) * power(right.deviation, times);
        binomial(n, k) * he[n - k] * unit * derivative(times)
    };
    density * (0..=n).map(term).sum::<f64>()
}

/// Whether the series of whole functions holds all their digits.
pub(super) fn is_weak_pair(rho: f64, reach: [f64; 2]) -> bool {
    is_weak(rho, reach[0], reach[1])
}
