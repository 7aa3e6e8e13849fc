//! The distribution of a Normal number plus a Gumbel number, in a coordinate that both tails keep.
//!
//! For z ~ N(0, s²) and a standard Gumbel number G, F(x) = P(z + G ≤ x) = E exp(−e^(−(x − z))) is written as
//! F = exp(−e^(−Y)). So Y(x) = x for s = 0, and F has its relative accuracy on the left, 1 − F on the right.
//! Y is a smooth function of u = x/√(1 + s²) and of the angle of s, which runs from 0 to ∞ between two right angles.
//!
//! A table holds Y as a polynomial of degree 9 on each unit of u, for 97 angles; between angles eight of them are
//! interpolated. What an angle holds is computed once, at its first use: for s < 1 as the mean of the Gumbel distribution over z, for
//! s ≥ 1 as the mean of the Normal one over G, either by the trapezoidal rule, which converges geometrically.
//! F has an error below 1e-9, mostly below 1e-11, for every s.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_PI_2, PI, TAU};
use std::sync::OnceLock;

/// Units of u, from [`FIRST`] on.
pub(super) const CELLS: usize = 29;
const FIRST: f64 = -9.0;
/// Coefficients of a polynomial.
pub(super) const TERMS: usize = 10;
/// Angles between s = 0 and s = ∞.
pub(super) const ANGLES: usize = 96;
/// The s of half a right angle.
pub(super) const HALF: f64 = 0.8;
/// How many angles are interpolated.
const STENCIL: usize = 8;

/// Coefficients of all cells, for ascending powers of the place in a cell, from −1 to 1.
type Slice = Vec<[f64; TERMS]>;

static SLICES: [OnceLock<Slice>; ANGLES + 1] = [const { OnceLock::new() }; ANGLES + 1];

/// Y as a function of x, for one s.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    cells: Vec<[f64; TERMS]>,
    scale: f64,
    /// Cells before this one are empty.
    first: usize,
    /// At the end of the table: Y, its slope and its bend in u.
    end: [f64; 3],
}

impl Curve {
    /// The curve of the standard deviation s ≥ 0, which may be infinite, for x from `from` on.
    pub(super) fn set(&mut self, s: f64, from: f64) {
        let place = (s / HALF).atan() * FRAC_2_PI * ANGLES as f64;
        // Y is an even function of s, so that angles go on below 0.
        let first = place.floor() as isize - (STENCIL as isize / 2 - 1);
        // Beyond s = ∞ there are no angles: the stencil is one-sided at this end.
        let first = first.min((ANGLES + 1 - STENCIL) as isize);
        let weight = |i: usize| -> f64 {
            let factor = |k: usize| (place - (first + k as isize) as f64) / (i as f64 - k as f64);
            (0..STENCIL).filter(|k| *k != i).map(factor).product()
        };
        self.scale = (1.0 + s * s).sqrt();
        self.first = ((from / self.scale - FIRST).max(0.0) as usize).min(CELLS - 1);
        self.cells.clear();
        self.cells.resize(CELLS, [0.0; TERMS]);
        for i in 0..STENCIL {
            let weight = weight(i);
            let angle = (first + i as isize).unsigned_abs();
            let slice = held(angle);
            for (sums, cell) in self.cells[self.first..].iter_mut().zip(&slice[self.first..]) {
                for (sum, c) in sums.iter_mut().zip(cell) {
                    *sum += weight * c;
                }
            }
        }
        let last = &self.cells[CELLS - 1];
        let [mut value, mut slope, mut bend] = [0.0; 3];
        for (power, c) in last.iter().enumerate() {
            let power = power as f64;
            value += c;
            slope += 2.0 * power * c;
            bend += 4.0 * power * (power - 1.0) * c;
        }
        self.end = [value, slope, bend];
    }

    /// √(1 + s²), over which Y changes.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// Y and dY/dx at several x. Left of the table, where F < 1e-18, Y is that of its edge; right of it, where 1 − F is below
    /// 1e-8 of anything that is wanted, Y goes on with its bend until its slope is 1, the slope of the Gumbel number's tail.
    #[allow(clippy::needless_range_loop, reason = "several arrays advance together")]
    pub(super) fn at<const N: usize>(&self, x: [f64; N]) -> [[f64; N]; 2] {
        let place = x.map(|x| (x / self.scale - FIRST).max(self.first as f64));
        let cell = place.map(|p| (p as usize).min(CELLS - 1));
        let r: [f64; N] = std::array::from_fn(|i| 2.0 * (place[i] - cell[i] as f64) - 1.0);
        let cells = cell.map(|c| &self.cells[c]);
        let (mut value, mut slope) = ([0.0; N], [0.0; N]);
        // All points advance together: a polynomial alone waits for each of its terms.
        for term in (0..TERMS).rev() {
            for i in 0..N {
                slope[i] = slope[i] * r[i] + value[i];
                value[i] = value[i] * r[i] + cells[i][term];
            }
        }
        let mut slope = slope.map(|s| 2.0 * s / self.scale);
        for i in 0..N {
            if place[i] > CELLS as f64 {
                [value[i], slope[i]] = self.beyond(place[i] - CELLS as f64);
            }
        }
        [value, slope]
    }

    fn beyond(&self, d: f64) -> [f64; 2] {
        let [value, slope, bend] = self.end;
        let bent = ((self.scale - slope) / bend.max(1e-12)).clamp(0.0, d);
        let reached = if bent < d { self.scale } else { slope + bend * d };
        let y = value + bent * (slope + 0.5 * bend * bent) + (d - bent) * self.scale;
        [y, reached / self.scale]
    }
}

/// The polynomials of each angle in turn.
#[cfg(feature = "wgpu")]
pub(super) fn slices() -> impl Iterator<Item = &'static Slice> {
    (0..=ANGLES).map(held)
}

/// The polynomials for the `j`-th angle, computed once.
fn held(j: usize) -> &'static Slice {
    SLICES[j].get_or_init(|| slice(j))
}

/// The polynomials for the `j`-th angle.
fn slice(j: usize) -> Slice {
    let s = HALF * (FRAC_PI_2 * j as f64 / ANGLES as f64).tan();
    let y = |u: f64| match j {
        0 => u,
        ANGLES => coordinate(normal(u), normal(-u)),
        _ => sum(u * (1.0 + s * s).sqrt(), s),
    };
    (0..CELLS)
        .map(|cell| {
            let middle = FIRST + cell as f64 + 0.5;
            interpolated(|r| y(middle + 0.5 * r))
        })
        .collect()
}

/// Y, from F and 1 − F.
fn coordinate(below: f64, above: f64) -> f64 {
    let rate = if above < 0.5 { -(-above).ln_1p() } else { -below.max(1e-300).ln() };
    -rate.ln()
}

/// Φ.
fn normal(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// Y for 0 < s < ∞. Only the half of F and 1 − F that is smaller is summed up.
fn sum(x: f64, s: f64) -> f64 {
    let right = x > 0.3;
    let total: f64 = if s < 1.0 {
        const STEP: f64 = 0.25;
        let term = |i: i32| {
            let z = STEP * f64::from(i);
            let rate = (s * z - x).exp();
            let inner = if right { -(-rate).exp_m1() } else { (-rate).exp() };
            (-0.5 * z * z).exp() * inner
        };
        (-52..=52).map(term).sum::<f64>() * STEP / TAU.sqrt()
    } else {
        const STEP: f64 = 0.3;
        // The right tail of the Gumbel number makes up 1 − F around here, if at all.
        let peak = (x - s * s).max(0.0);
        let last = (peak + 9.0 * s.min(peak) + 45.0) / STEP;
        let term = |i: i32| {
            let g = STEP * f64::from(i);
            let a = (x - g) / s;
            (-g - (-g).exp()).exp() * normal(if right { -a } else { a })
        };
        (-16..=last as i32).map(term).sum::<f64>() * STEP
    };
    if right { coordinate(1.0 - total, total) } else { coordinate(total, 1.0 - total) }
}

/// The polynomial through `f` at the Chebyshev points of \[−1, 1\].
fn interpolated(f: impl Fn(f64) -> f64) -> [f64; TERMS] {
    let n = TERMS as f64;
    let angle = |i: usize| PI * (i as f64 + 0.5) / n;
    let values: Vec<f64> = (0..TERMS).map(|i| f(angle(i).cos())).collect();
    let mut out = [0.0; TERMS];
    // T₀ and T₁, from which the others follow: T₊ = 2r T − T₋.
    let (mut before, mut now) = ([0.0; TERMS], [0.0; TERMS]);
    (before[0], now[1]) = (1.0, 1.0);
    for k in 0..TERMS {
        let sum: f64 =
            values.iter().enumerate().map(|(i, v)| v * (k as f64 * angle(i)).cos()).sum();
        let coefficient = sum * if k == 0 { 1.0 } else { 2.0 } / n;
        for (out, t) in out.iter_mut().zip(&before) {
            *out += coefficient * t;
        }
        let next = std::array::from_fn(|i| if i == 0 { 0.0 } else { 2.0 * now[i - 1] } - before[i]);
        (before, now) = (now, next);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F by the trapezoidal rule in z with steps far below 1/s, which no part of the table uses.
    fn truth(x: f64, s: f64) -> [f64; 2] {
        let step = 0.02 / (1.0 + s);
        let last = (12.0 / step) as i32;
        let mut out = [0.0; 2];
        for i in -last..=last {
            let z = step * f64::from(i);
            let weight = (-0.5 * z * z).exp() * step / TAU.sqrt();
            let rate = (s * z - x).exp();
            out[0] += weight * (-rate).exp();
            out[1] -= weight * (-rate).exp_m1();
        }
        out
    }

    #[test]
    fn the_table_is_the_distribution() {
        let mut curve = Curve::default();
        for s in [0.0, 0.004, 0.02, 0.09, 0.3, 0.55, 0.97, 1.2, 1.9, 3.1, 5.3, 9.7, 17.0, 49.0] {
            curve.set(s, f64::NEG_INFINITY);
            for i in -85..=190 {
                let x = f64::from(i) / 10.0 * (1.0 + s * s).sqrt();
                let [below, above] = truth(x, s);
                let rate = (-curve.at([x])[0][0]).exp();
                let error = [(-rate).exp() - below, -(-rate).exp_m1() - above];
                assert!(error[0].abs() < 1e-9, "F at {x} for {s}: {error:?}");
                // Tails keep their digits.
                if below > 1e-9 && above > 1e-9 {
                    assert!(error[0].abs() < 1e-5 * below, "F at {x} for {s}: {error:?}");
                    assert!(error[1].abs() < 1e-5 * above, "1 − F at {x} for {s}: {error:?}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_those_of_the_curve_within_the_table_and_beyond() {
        let mut curve = Curve::default();
        for s in [0.0, 0.3, 1.0, 4.0, 30.0] {
            curve.set(s, f64::NEG_INFINITY);
            for u in [-4.03, -0.51, 0.07, 3.3, 11.4, 25.2, 70.1, 4e3] {
                let (x, h) = (u * curve.scale(), 1e-4 * curve.scale());
                let [[left, right], _] = curve.at([x - h, x + h]);
                let difference = (right - left) / (2.0 * h);
                let [slope] = curve.at([x])[1];
                assert!((slope - difference).abs() < 1e-5 * (1.0 + slope.abs()), "{s}, {u}");
            }
        }
    }
}
