//! Nodes for integrals over the correlation, from 0 to ρ, in x = t/t_ρ with t = tan(½ asin r).
//!
//! Up to |ρ| = 0.95 one Gauss–Legendre rule on \[0, 1\] has all digits. Nearer to 1 the integrand changes within |α ∓ β| of |t| = 1, however
//! small that is. So panels there are half as long as the one before, down to the length 2⁻ᴶ, which is about 1 − |t_ρ|.

use crate::constants::rules::{PAIRS, Row};
use crate::kernel::{Lanes, Mask, number};
use crate::precision::Precision;

/// Which rule has all digits for |ρ| and |ρ| times the farthest knot: each is for what is at most so large.
const SERVES: [[f64; 2]; 4] = [[0.3, 0.6], [0.6, 1.5], [0.8, 1.6], [0.9, 4.5]];

/// The nodes up to |ρ| = 0.95.
#[inline(always)]
pub(super) fn rule<V: Lanes>(rho: V, strength: V) -> &'static [Row<f64>] {
    let size = rho.abs();
    let is_enough =
        |[most, product]: [f64; 2]| size.le(number(most)).and(strength.le(number(product))).all();
    let rule = SERVES.iter().position(|limits| is_enough(*limits)).unwrap_or(SERVES.len());
    PAIRS[rule]
}

/// The nodes beyond, by 1 − |t_ρ|, of which NaN asks for nothing.
#[inline(always)]
pub(super) fn graded_rule<V: Lanes>(rest: V) -> &'static [Row<f64>] {
    let last = GRADED.len() - 1;
    let is_enough = |levels: i32| {
        let least = number::<V>(SERVES_GRADED) * V::splat(V::Scalar::power_of_two(-levels));
        rest.lt(least).not().all()
    };
    let enough = GRADED.iter().position(|(levels, _)| is_enough(*levels));
    GRADED[enough.unwrap_or(last)].1
}

/// By how much 1 − |t_ρ| may be less than the length of the last panel.
pub(super) const SERVES_GRADED: f64 = 0.7;

/// J, and the nodes for it.
const GRADED: [(i32, &[Row<f64>]); 5] = [
    (2, &graded::<{ count(2) }>()),
    (3, &graded::<{ count(3) }>()),
    (4, &graded::<{ count(4) }>()),
    (6, &graded::<{ count(6) }>()),
    (8, &graded::<{ count(8) }>()),
];

/// The rule for |ρ| up to 0.95.
#[cfg(feature = "source")]
pub(super) const STRONGEST_RULE: &[Row<f64>] = PAIRS[4];

/// The rules of the first half, with 24 nodes, and of the panels after it, with 16.
pub(super) const HALF: &[Row<f64>] = PAIRS[3];
pub(super) const PANEL: &[Row<f64>] = PAIRS[2];

const fn count(levels: usize) -> usize {
    HALF.len() + levels * PANEL.len()
}

/// The nodes on panels from 1 − 2⁻ʲ to 1 − 2⁻ʲ⁻¹, and on the last one of length 2⁻ᴶ.
const fn graded<const N: usize>() -> [Row<f64>; N] {
    let mut rows = [[0.0; 3]; N];
    let levels = (N - HALF.len()) / PANEL.len();
    let (mut row, mut panel, mut width) = (0, 0, 0.5);
    while panel <= levels {
        let start = if panel == levels { 1.0 - width } else { 1.0 - 2.0 * width };
        let rule = if panel == 0 { HALF } else { PANEL };
        let mut i = 0;
        while i < rule.len() {
            let [node, low, weight] = rule[i];
            let (far, low) = (width * node, width * low);
            let place = start + far;
            rows[row] = [place, (far - (place - start)) + low, width * weight];
            (row, i) = (row + 1, i + 1);
        }
        if panel + 1 < levels {
            width *= 0.5;
        }
        panel += 1;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::GRADED;

    #[test]
    fn the_panels_fill_the_interval() {
        for (levels, rows) in GRADED {
            let ascend = rows.windows(2).all(|pair| pair[0][0] < pair[1][0]);
            assert!(ascend && rows[0][0] > 0.0, "{levels}");
            let sum: f64 = rows.iter().map(|row| row[2]).sum();
            assert!((sum - 1.0).abs() < 1e-15, "{levels}: {sum}");
            // ∫ 1/(2⁻ᴶ + 1 − x) dx
            let end = f64::from(-levels).exp2();
            let value: f64 = rows.iter().map(|[x, low, w]| w / (end + ((1.0 - x) - low))).sum();
            let truth = libm::log1p(1.0 / end);
            assert!((value / truth - 1.0).abs() < 1e-14, "{levels}: {value} {truth}");
        }
    }
}
