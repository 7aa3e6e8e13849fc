//! The tails J_n(z) = E\[(x − z)₊ⁿ\]/n! of one standard Normal number, relative to its density and themselves.
//!
//! J_{n−1} = −J_n′, so J₋₁ = φ and J_{−1−n} = He_n φ.

use alloc::vec::Vec;
use core::cell::OnceCell;

use crate::kernel::exponential::density_after;
use crate::kernel::{Edge, tails};
use crate::lanes::double::two_square;
use crate::precision::Precision;

/// 1/√(2π)
pub(super) const INV_SQRT_TAU: f64 = 0.398_942_280_401_432_7;
/// √(2π)
const ROOT_TAU: f64 = <f64 as Precision>::ROOT_TAU;
/// Beyond it the density is 0.
pub(super) const CUT: f64 = 100.0;
/// The highest order, with room: that of the joint tail of two pieces of the highest degree.
pub(super) const ORDERS: usize = 136;

/// R_n(z) = J_n(z)/φ(z) for n = 0 … count − 1 and z ≥ 0; 0 where the density is.
pub(super) fn ratios(z: f64, count: usize) -> Vec<f64> {
    if z > CUT {
        return alloc::vec![0.0; count];
    }
    let edge = Edge { z, s: z, d: z, h: 1.0, h_low: 0.0, s_low: 0.0 };
    match count {
        0..=3 => tails::<f64, 3>(&edge)[..count].to_vec(),
        4..=5 => tails::<f64, 5>(&edge)[..count].to_vec(),
        6..=9 => tails::<f64, 9>(&edge)[..count].to_vec(),
        _ => tails::<f64, ORDERS>(&edge)[..count].to_vec(),
    }
}

/// He_n(z) for n = 0 … count − 1.
pub(super) fn hermite(z: f64, count: usize) -> Vec<f64> {
    let z = z.clamp(-CUT, CUT);
    let mut values = Vec::with_capacity(count);
    let (mut before, mut now) = (0.0, 1.0);
    for n in 0..count {
        values.push(now);
        (before, now) = (now, z * now - n as f64 * before);
    }
    values
}

/// The last of them.
pub(super) fn hermite_of(z: f64, n: usize) -> f64 {
    let z = z.clamp(-CUT, CUT);
    let (mut before, mut now) = (0.0, 1.0);
    for k in 0..n {
        (before, now) = (now, z * now - k as f64 * before);
    }
    now
}

/// J_n(z)/φ(z) for n from some negative order on; those with n ≥ 0 for z ≥ 0 only.
#[derive(Clone, Debug, Default)]
pub(super) struct Ratios {
    z: f64,
    upper: Vec<f64>,
    depth: usize,
    lower: OnceCell<Vec<f64>>,
}

impl Ratios {
    /// For −`depth` ≤ n ≤ `top`.
    pub(super) fn new(z: f64, depth: usize, top: i32) -> Self {
        let count = if z >= 0.0 { usize::try_from(top + 1).unwrap_or(0) } else { 0 };
        Self { z, upper: ratios(z, count), depth, lower: OnceCell::new() }
    }

    /// Those with n ≥ 0.
    pub(super) fn upper(&self) -> &[f64] {
        &self.upper
    }

    /// J_n/φ.
    pub(super) fn get(&self, n: i32) -> f64 {
        let value = match usize::try_from(-1 - n) {
            // Less than the whole list costs.
            Ok(order) if order < FEW => return hermite_of(self.z, order),
            Ok(order) => self.lower.get_or_init(|| hermite(self.z, self.depth)).get(order),
            Err(_) => usize::try_from(n).ok().and_then(|order| self.upper.get(order)),
        };
        value.copied().unwrap_or(f64::NAN)
    }
}

/// e^{−q/2} for a double word.
pub(super) fn half_exponential(q: [f64; 2]) -> f64 {
    // Beyond, the result is 0 and the low word may be anything.
    if q[0] > 1600.0 { 0.0 } else { libm::exp(-q[0] / 2.0) * (1.0 - q[1] / 2.0) }
}

/// φ(z)
pub(super) fn density(z: f64) -> f64 {
    let [square, low] = two_square(z.clamp(-CUT, CUT));
    density_after(square, low)
}

/// e^{−x}, for x ≥ −500, which a lesser x is taken for.
pub(super) fn falling(x: f64) -> f64 {
    let x = x.max(-500.0);
    density_after(x + x, 0.0) * ROOT_TAU
}

/// How many tails are kept without an allocation.
const FEW: usize = 3;

/// J_n(z) for any z.
#[derive(Debug)]
pub(super) struct TailValues {
    z: f64,
    density: f64,
    few: [f64; FEW],
    /// Where more are wanted.
    all: Vec<f64>,
}

impl TailValues {
    /// For n < `count`.
    pub(super) fn new(z: f64, count: usize) -> Self {
        let mut values = Self::before(z, count);
        if z < 0.0 {
            let add = |(value, mean): (&mut f64, &f64)| *value += mean;
            if values.all.is_empty() {
                values.few.iter_mut().zip(&[1.0, -z, 0.5 * (z * z + 1.0)]).for_each(add);
            } else {
                values.all.iter_mut().zip(&power_means(-z, count)).for_each(add);
            }
        }
        values
    }

    /// For n < `count`, where z < 0 without E\[(x − z)ⁿ\]/n!: what J_n(|z|) takes from it or adds to it.
    pub(super) fn before(z: f64, count: usize) -> Self {
        let (density, s) = (density(z), z.abs());
        let (mut few, mut all) = ([0.0; FEW], Vec::new());
        if count > FEW {
            all = ratios(s, count);
            all.iter_mut().for_each(|value| *value *= density);
        } else if s <= CUT {
            few = tails(&Edge { z: s, s, d: s, h: density, h_low: 0.0, s_low: 0.0 });
        }
        if z < 0.0 {
            few.iter_mut().step_by(2).for_each(|value| *value = -*value);
            all.iter_mut().step_by(2).for_each(|value| *value = -*value);
        }
        Self { z, density, few, all }
    }

    /// J_n.
    pub(super) fn get(&self, n: i32) -> f64 {
        match usize::try_from(n) {
            Ok(order) if self.all.is_empty() => self.few.get(order).copied().unwrap_or(f64::NAN),
            Ok(order) => self.all.get(order).copied().unwrap_or(f64::NAN),
            Err(_) => hermite_of(self.z, (-1 - n) as usize) * self.density,
        }
    }
}

/// E\[(x + a)ⁿ\]/n! for n = 0 … count − 1.
pub(super) fn power_means(a: f64, count: usize) -> Vec<f64> {
    let mut means: Vec<f64> = Vec::with_capacity(count);
    for n in 0..count {
        // n m_n = a m_{n−1} + m_{n−2}
        let mean = match n {
            0 => 1.0,
            1 => a,
            _ => (a * means[n - 1] + means[n - 2]) / n as f64,
        };
        means.push(mean);
    }
    means
}

/// n!
pub(super) fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// n!/(k! (n − k)!)
pub(super) fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64)
}

/// xⁿ
pub(super) fn power(x: f64, n: usize) -> f64 {
    (0..n).fold(1.0, |p, _| p * x)
}
