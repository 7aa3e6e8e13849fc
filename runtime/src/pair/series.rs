//! Weakly correlated pairs: Σ ρᵏ/k! f_k g_k, in proportion to c.
//!
//! f_k and g_k are features of one function each: those of a layer are computed once for each unit, and many pairs at a time.

use alloc::vec::Vec;

use crate::Float;
use crate::lanes::dispatch::{Task, Vectors};
use crate::lanes::{Lanes, Register};

/// Up to which |ρ| and |ρ|(α + 1)(β + 1) the series is used, and how many of its terms.
pub(super) const WEAK: f64 = 0.3;
const WEAK_PRODUCT: f64 = 1.5;
pub(super) const TERMS: usize = 32;

/// Whether a pair of knots is in reach of the series.
pub(super) fn is_weak(r: f64, a: f64, b: f64) -> bool {
    r.abs() <= WEAK && r.abs() * (a.abs() + 1.0) * (b.abs() + 1.0) <= WEAK_PRODUCT
}

/// Σ rᵏ/k! of the products f_k g_k, from k = 1 on, small terms first.
pub(super) fn series(r: f64, product: impl Fn(usize) -> f64) -> f64 {
    (1..=TERMS).rev().fold(0.0, |sum, k| r / k as f64 * (product(k) + sum))
}

/// Features of the units of a layer.
pub(super) struct Rows {
    units: usize,
    /// Row k − 1 holds the k-th feature of all units, over √k!.
    features: Vec<f64>,
    weights: [f64; TERMS],
}

/// So many pairs are summed with as many terms as the strongest of them needs.
const BLOCK: usize = 16;

impl Rows {
    pub(super) fn new(units: usize) -> Self {
        let mut square = 1.0;
        let weights = core::array::from_fn(|k| {
            square *= (k + 1) as f64;
            1.0 / libm::sqrt(square)
        });
        Self { units, features: alloc::vec![0.0; TERMS * units], weights }
    }

    /// How many features of a unit there are, the mean included.
    pub(super) fn count(&self) -> usize {
        TERMS + 1
    }

    pub(super) fn set(&mut self, unit: usize, features: &[f64]) {
        for (k, (feature, weight)) in features.iter().skip(1).zip(&self.weights).enumerate() {
            self.features[k * self.units + unit] = feature * weight;
        }
    }

    /// The covariances of one unit with the first ones.
    pub(super) fn sums(&self, unit: usize, rho: &[f64], strength: &[f64], into: &mut [f64]) {
        f64::dispatch(Row { rows: self, unit, rho, strength, into });
    }
}

/// How many terms hold all digits, for |ρ|(α + 1)(β + 1).
fn terms(strength: f64) -> usize {
    match strength {
        s if s <= 0.01 => 8,
        s if s <= 0.05 => 12,
        s if s <= 0.15 => 20,
        _ => TERMS,
    }
}

struct Row<'a> {
    rows: &'a Rows,
    unit: usize,
    rho: &'a [f64],
    strength: &'a [f64],
    into: &'a mut [f64],
}

impl Row<'_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(self) {
        let Rows { units, features, .. } = self.rows;
        let of = |k: usize| features[k * units + self.unit];
        let count = self.into.len();
        let mut start = 0;
        while start < count {
            let end = count.min(start + BLOCK);
            let strongest = self.strength[start..end].iter().fold(0.0, |most, s| s.max(most));
            let terms = terms(strongest);
            while start + V::COUNT <= end {
                let rho = V::load(&self.rho[start..]);
                let mut sum = V::splat(V::Scalar::from_f64(0.0));
                for k in (0..terms).rev() {
                    let product = V::splat(V::Scalar::from_f64(of(k)))
                        * V::load(&features[k * units + start..]);
                    sum = sum.mul_add(rho, product);
                }
                (sum * rho).store(&mut self.into[start..]);
                start += V::COUNT;
            }
            while start < end {
                let sum = (0..terms).rev().fold(0.0, |sum, k| {
                    sum * self.rho[start] + of(k) * features[k * units + start]
                });
                self.into[start] = sum * self.rho[start];
                start += 1;
            }
        }
    }
}

impl Task<f64> for Row<'_> {
    type Unit = ();

    #[inline(always)]
    fn run<V: Register<Element = f64>, R: Register<Element = f64>>(self) {
        self.with::<V>();
    }

    fn run_one_by_one(self) {
        self.with::<f64>();
    }
}
