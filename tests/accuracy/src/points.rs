//! Where the sweeps measure: around knots and the middles of pieces, at distances and widths around
//! those at which kernels change their way of computing, over many magnitudes.

use crate::error::Precision;
use crate::function::Function;
use crate::real::{TABLE, float, to_f64};

/// Distances of γ from knots, in units of ξ, with a number on either side of each.
const BOUNDARIES: [f64; 15] =
    [0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 13.0, 20.0, 37.0, 38.5];

/// Other distances.
const DISTANCES: [f64; 13] =
    [0.0, 1e-200, 1e-17, 1e-12, 1e-6, 1e-3, 0.1, 3.5, 5.0, 7.0, 10.0, 16.5, 30.0];

/// Widths of pieces in units of ξ, with a number on either side of each.
const WIDTHS: [f64; 14] =
    [0.01, 0.1, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 5.657, 8.0, 16.0];

/// Pseudo-random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A sequence for each seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number of 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between two numbers.
    #[allow(clippy::cast_precision_loss, reason = "53 bits")]
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * ((self.draw() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// An element.
    pub fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        let n = u64::try_from(list.len()).unwrap_or(u64::MAX);
        &list[usize::try_from(self.draw() % n).unwrap_or(0)]
    }
}

/// About `count` points: half of them drawn from the grid of boundaries, half at random.
#[must_use]
pub fn points<T: Precision>(g: &Function, count: usize) -> Vec<(T, T)> {
    let seed = g.name.bytes().fold(7, |hash: u64, b| hash.wrapping_mul(131) ^ u64::from(b));
    let mut random = Random::new(seed);
    let knots: Vec<f64> = g.knots.iter().map(to_f64).collect();
    let mut places = knots.clone();
    places.extend(knots.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
    let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let around = |x: f64| [x * (1.0 - 1e-3), x, x * (1.0 + 1e-3)];
    let distances: Vec<f64> =
        BOUNDARIES.into_iter().flat_map(around).chain(DISTANCES).flat_map(|z| [z, -z]).collect();
    let decades: Vec<f64> = T::DECADES.iter().map(|e| 10_f64.powf(*e)).collect();
    let narrow: Vec<f64> = widths
        .iter()
        .flat_map(|width| WIDTHS.into_iter().flat_map(around).map(move |r| width / r))
        .collect();
    let mut out = Vec::new();
    let mut push = |gamma: f64, xi: f64| {
        let (gamma, xi2) = (T::from_f64(gamma), T::from_f64(xi * xi));
        if gamma.is_finite() && xi2.is_finite() && xi2 > T::ZERO {
            out.push((gamma, xi2));
        }
    };
    for i in 0..count {
        let place = *random.of(&places);
        if i % 2 == 0 {
            let by_width = !narrow.is_empty() && i % 4 == 0;
            let xi = *random.of(if by_width { &narrow } else { &decades });
            push(place + random.of(&distances) * xi, xi);
            continue;
        }
        let near = if widths.is_empty() { 1.0 } else { *random.of(&widths) };
        let xi = match i % 8 {
            1 => 10_f64.powf(random.between(T::DECADES[1], T::DECADES[T::DECADES.len() - 2])),
            _ => near * 10_f64.powf(random.between(-1.8, 1.5)),
        };
        let z = match i % 16 {
            3 => random.between(-40.0, 40.0),
            5 => 10_f64.powf(random.between(-20.0, 8.0)),
            7 => -10_f64.powf(random.between(-20.0, 8.0)),
            _ => random.between(-5.0, 5.0),
        };
        push(place + z * xi, xi);
    }
    // On the number nearest to a knot and those beside it, with a ξ so small that their distance counts.
    for knot in &g.knots {
        for step in [-T::EPSILON, 0.0, T::EPSILON] {
            let gamma = T::from_f64(to_f64(knot) * (1.0 + step)).to_f64();
            let distance = to_f64(&(knot - &float(gamma, TABLE))).abs();
            for s in BOUNDARIES {
                push(gamma, distance / s);
            }
        }
    }
    // Zero variance, off the knots.
    for place in [-1e30, -1.9, -0.3, 0.77, 5.0, 1e10] {
        let gamma = T::from_f64(place);
        if !knots.iter().any(|knot| (knot - gamma.to_f64()).abs() < 1e-3) {
            out.push((gamma, T::ZERO));
        }
    }
    out
}
