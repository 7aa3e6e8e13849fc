//! The other side: integrals over u of g times the mean of h given u.

use std::f64::consts;

use gaussform_symbolic::exact::Rational;

use super::Normal;
use super::pieces::{Pieces, Polynomial};
use super::real::{Real, bell, erf, nodes, pi, real, rounded, whole};

/// The window of z = (u − γ)/ξ, and the panels in a unit of it.
const REACH: i64 = 16;
const PANELS: i64 = 2;
const NODES: usize = 24;

/// E[g h] and its derivatives in γ, γ′, ξ², ξ′² and σ, each with a size to measure errors by.
pub(crate) struct Integrals(pub(crate) [(Real, f64); 6]);

impl Integrals {
    pub(crate) fn of(
        pieces: &[Pieces<Polynomial>; 2],
        normals: &[Normal; 2],
        [rho, rest]: &[Rational; 2],
    ) -> Self {
        let [g, h] = pieces;
        let (slope, width) = (real(rho), real(rest));
        let rule = nodes(NODES);
        // E[g h z₁ⁱ z₂ʲ] for i + j ≤ 2.
        let mut moments: [[Real; 3]; 3] =
            std::array::from_fn(|_| std::array::from_fn(|_| whole(0)));
        for (from, to, piece) in g.intervals() {
            let ends = ends(&from, &to);
            for pair in ends.windows(2) {
                for_nodes(&pair[0], &pair[1], &rule, |z, weight| {
                    let given = conditional(h, &(&slope * z), &width);
                    let mut mass = &(weight * &bell(z)) * &piece.at(z);
                    for row in &mut moments {
                        for (sum, mean) in row.iter_mut().zip(&given) {
                            *sum = &*sum + &(&mass * mean);
                        }
                        mass = &mass * z;
                    }
                });
            }
        }
        let height = &whole(1) / &(&whole(2) * &pi()).sqrt();
        let at = |i: usize, j: usize| &moments[i][j] * &height;
        let [first, second] = [&normals[0], &normals[1]].map(|normal| real(&normal.xi));
        let free = &width * &width;
        let twice = &whole(2) * &slope;
        // The scores (z₁ − ρ z₂)/(ξ (1 − ρ²)) and (z₂ − ρ z₁)/(ξ′ (1 − ρ²)).
        let score = |near: Real, far: Real, xi: &Real| &(&near - &(&slope * &far)) / &(xi * &free);
        let curve = |near: Real, far: Real, xi: &Real| {
            let square = &(&near - &(&twice * &at(1, 1))) + &(&(&slope * &slope) * &far);
            let square = &square / &(&free * &free);
            let all = &(&square - &(&at(0, 0) / &free)) * &rounded(0.5);
            &all / &(xi * xi)
        };
        let mixed =
            &(&(&whole(1) + &(&slope * &slope)) * &at(1, 1)) - &(&slope * &(&at(2, 0) + &at(0, 2)));
        let mixed = &(&mixed / &(&free * &free)) + &(&(&slope * &at(0, 0)) / &free);
        let both = &first * &second;
        let size = rms(g) * rms(h);
        let (x, y, r) = (first.to_f64(), second.to_f64(), free.to_f64());
        Self([
            (at(0, 0), size),
            (score(at(1, 0), at(0, 1), &first), size / (x * r)),
            (score(at(0, 1), at(1, 0), &second), size / (y * r)),
            (curve(at(2, 0), at(0, 2), &first), size / (x * x * r * r)),
            (curve(at(0, 2), at(2, 0), &second), size / (y * y * r * r)),
            (&mixed / &both, size / (x * y * r * r)),
        ])
    }
}

/// E[h z₂ʲ] for j = 0, 1, 2 where z₂ is Normal with this mean and standard deviation.
fn conditional(h: &Pieces<Polynomial>, mean: &Real, width: &Real) -> [Real; 3] {
    let mut sums = [whole(0), whole(0), whole(0)];
    let height = &whole(1) / &(&whole(2) * &pi()).sqrt();
    let root = whole(2).sqrt();
    // ½ erf(y/√2) and the density at each break; ±½ and 0 at infinity.
    let edges: Vec<[Real; 3]> = h
        .breaks
        .iter()
        .map(|place| {
            let y = &(place - mean) / width;
            [&erf(&(&y / &root)) * &rounded(0.5), &bell(&y) * &height, y]
        })
        .collect();
    let infinity = |half: f64| [rounded(half), whole(0), whole(0)];
    for (i, piece) in h.values.iter().enumerate() {
        let from = i.checked_sub(1).map_or_else(|| infinity(-0.5), |i| edges[i].clone());
        let to = edges.get(i).cloned().unwrap_or_else(|| infinity(0.5));
        let degree = piece.0.len() + 2;
        // Moments of y, by parts: Tₖ = (k − 1) Tₖ₋₂ − [yᵏ⁻¹ φ].
        let mut truncated = vec![&to[0] - &from[0], &from[1] - &to[1]];
        let mut powers = [from[1].clone(), to[1].clone()];
        for k in 2..=degree {
            powers = [&powers[0] * &from[2], &powers[1] * &to[2]];
            let inner = &whole(k as i64 - 1) * &truncated[k - 2];
            truncated.push(&(&inner + &powers[0]) - &powers[1]);
        }
        // Moments of z₂ = mean + width y, by a table of binomials.
        let mut raised = vec![truncated];
        for k in 0..degree {
            let last = &raised[k];
            let next = last.windows(2).map(|pair| &(mean * &pair[0]) + &(width * &pair[1]));
            raised.push(next.collect());
        }
        for (k, coefficient) in piece.0.iter().enumerate() {
            for (j, sum) in sums.iter_mut().enumerate() {
                *sum = &*sum + &(coefficient * &raised[k + j][0]);
            }
        }
    }
    sums
}

/// √E[g²(1 + z⁴)], roughly.
fn rms(pieces: &Pieces<Polynomial>) -> f64 {
    let count = 640;
    let step = 2.0 * REACH as f64 / f64::from(count);
    let mass = |i: i32| {
        let z = (f64::from(i) + 0.5) * step - REACH as f64;
        let value = pieces.at(&rounded(z)).to_f64();
        value * value * (1.0 + z.powi(4)) * (-z * z / 2.0).exp()
    };
    ((0..count).map(mass).sum::<f64>() * step / (2.0 * consts::PI).sqrt()).sqrt()
}

/// The ends of panels from one place to another, within the window.
fn ends(from: &Real, to: &Real) -> Vec<Real> {
    let edge = |i: i64| rounded(i as f64 / PANELS as f64);
    let reach = REACH * PANELS;
    let (low, high) = (from.to_f64(), to.to_f64());
    let start = if low < -(REACH as f64) { edge(-reach) } else { from.clone() };
    let stop = if high > REACH as f64 { edge(reach) } else { to.clone() };
    if low > REACH as f64 || high < -(REACH as f64) {
        return Vec::new();
    }
    let inner = (-reach..=reach)
        .map(edge)
        .filter(|e| (e - &start).to_f64() > 0.0 && (&stop - e).to_f64() > 0.0);
    let inner: Vec<Real> = inner.collect();
    [vec![start.clone()], inner, vec![stop.clone()]].concat()
}

fn for_nodes(from: &Real, to: &Real, rule: &[(Real, Real)], mut each: impl FnMut(&Real, &Real)) {
    let half = &(to - from) * &rounded(0.5);
    let middle = from + &half;
    for (node, weight) in rule {
        each(&(&middle + &(&half * node)), &(&half * weight));
    }
}

/// The integral over panels with these ends.
pub(crate) fn panels(
    ends: &[Real],
    rule: &[(Real, Real)],
    integrand: impl Fn(&Real) -> Real,
) -> Real {
    let mut sum = whole(0);
    for pair in ends.windows(2) {
        for_nodes(&pair[0], &pair[1], rule, |x, weight| {
            sum = &sum + &(weight * &integrand(x));
        });
    }
    sum
}
