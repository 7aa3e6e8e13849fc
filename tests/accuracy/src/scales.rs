//! Scales for the errors of numbers that cross zero: E|g|, E|g′| and ½ E|g″|, in doubles.

use crate::polynomial::powers;
use crate::real::{float, to_f64};
use crate::segment::{Jump, Segment};

/// The nodes of Gauss–Legendre on \[0, 1\], and their weights.
const NODES: [[f64; 2]; 4] = [
    [0.069_431_844_202_973_71, 0.173_927_422_568_726_93],
    [0.330_009_478_207_571_9, 0.326_072_577_431_273_07],
    [0.669_990_521_792_428_1, 0.326_072_577_431_273_07],
    [0.930_568_155_797_026_3, 0.173_927_422_568_726_93],
];

/// Each side of γ is cut into so many panels.
const PANELS: u32 = 24;

/// E|g|, E|g′|, ½ E|g″|; jumps of g and g′ count.
pub(crate) fn scales(segments: &[Segment<'_>], jumps: &[Jump<'_>], xi: f64, xi2: f64) -> [f64; 3] {
    let units = [1.0, 1.0 / xi, 0.5 / xi2];
    let mut sums = [0.0; 3];
    let mut add = |parts: [f64; 3], s: f64| {
        // In two steps, between which powers of ξ keep the product in the range.
        let root = (-0.25 * s * s).exp() / std::f64::consts::TAU.sqrt().sqrt();
        for ((sum, part), unit) in sums.iter_mut().zip(parts).zip(units) {
            if part > 0.0 {
                *sum += part * root * unit * root;
            }
        }
    };
    for segment in segments {
        add(segment_scales(segment), segment.distance());
    }
    for jump in jumps {
        let s = jump.distance();
        let [by, slope] = [0, 1].map(|k| to_f64(&jump.by[k]).abs());
        add([0.0, by, slope + s * by], s);
    }
    sums
}

/// Of one segment, in units of ξ and of the density at its near end.
fn segment_scales(segment: &Segment<'_>) -> [f64; 3] {
    let (s, end) = (segment.distance(), segment.width());
    // Beyond, less than a thousandth is left, also of polynomials of degree 5.
    let reach = (14.0 / s.max(1.0) + 8.0 / s.max(1.0).powi(2).min(4.0)).min(12.0).min(end);
    // In units of the reach, because powers of ξ may overflow where the polynomial does not.
    let bits = segment.g[0].precision();
    let powers = powers(&float(reach, bits), segment.g.len());
    let p: Vec<f64> =
        segment.g.iter().zip(&powers).map(|(c, power)| to_f64(&(c * power))).collect();
    let panel = 1.0 / f64::from(PANELS);
    let mut sums = [0.0; 3];
    for i in 0..PANELS {
        for [x, weight] in NODES {
            let x = (f64::from(i) + x) * panel;
            let w = x * reach;
            let weight = weight * panel * (-w * (s + 0.5 * w)).exp();
            for (sum, value) in sums.iter_mut().zip(values(&p, x)) {
                *sum += weight * value.abs();
            }
        }
    }
    let [g, dg, ddg] = sums;
    // Infinite coefficients have made NaN.
    [g * reach, dg, ddg / reach].map(|x| if x.is_nan() { f64::INFINITY } else { x })
}

/// p(w), p′(w), p″(w).
fn values(p: &[f64], w: f64) -> [f64; 3] {
    let (mut a, mut b, mut c) = (0.0, 0.0, 0.0);
    for coefficient in p.iter().rev() {
        c = c * w + b;
        b = b * w + a;
        a = a * w + coefficient;
    }
    [a, b, 2.0 * c]
}
