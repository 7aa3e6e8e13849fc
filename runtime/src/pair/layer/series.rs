//! The series of weakly correlated pairs for one unit of a layer with many others, in the vectors of the machine.

use alloc::vec::Vec;

use crate::Float;
use crate::lanes::dispatch::{Task, Vectors};
use crate::lanes::twice::Twice;
use crate::lanes::{Lanes, Mask};
use crate::pair::series::{TERMS, WEAK, WEAK_PRODUCT, terms};

/// Features of the units of a layer, each row with room for whole vectors.
pub(super) struct UnitFeatures {
    stride: usize,
    /// Row k − 1 holds the k-th feature of all units, over √k!.
    features: Vec<f64>,
    weights: [f64; TERMS],
    /// 1/ξ, and one more than the farthest knot in standard deviations.
    inverse: Vec<f64>,
    reach: Vec<f64>,
}

/// How many pairs are summed with as many terms as the strongest of them needs: four of the widest vectors.
const BLOCK: usize = 32;
/// Below it c/ξ may have lost digits.
const LEAST: f64 = f64::MIN_POSITIVE * (1_u64 << 60) as f64;

impl UnitFeatures {
    pub(super) fn new(units: usize) -> Self {
        let stride = units.next_multiple_of(BLOCK);
        let mut square = 1.0;
        let weights = core::array::from_fn(|k| {
            square *= (k + 1) as f64;
            1.0 / libm::sqrt(square)
        });
        let row = || alloc::vec![0.0; stride];
        let features = alloc::vec![0.0; TERMS * stride];
        Self { stride, features, weights, inverse: row(), reach: row() }
    }

    /// The length of a row.
    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    /// A unit whose 1/ξ, farthest knot and features are these.
    pub(super) fn set(
        &mut self,
        unit: usize,
        inverse: f64,
        reach: f64,
        features: impl Fn(usize) -> Vec<f64>,
    ) {
        (self.inverse[unit], self.reach[unit]) = (inverse, reach + 1.0);
        let features = features(TERMS + 1);
        for (k, (feature, weight)) in features.iter().skip(1).zip(&self.weights).enumerate() {
            self.features[k * self.stride + unit] = feature * weight;
        }
    }

    /// The covariances of one unit with the first ones, given those of its pre-activation with theirs; NaN where the series does
    /// not serve. Slices have the length of a row.
    pub(super) fn sums(&self, unit: usize, covariances: &[f64], into: &mut [f64]) {
        f64::dispatch(SeriesRow { rows: self, unit, covariances, into });
    }
}

struct SeriesRow<'a> {
    rows: &'a UnitFeatures,
    unit: usize,
    covariances: &'a [f64],
    into: &'a mut [f64],
}

impl SeriesRow<'_> {
    #[inline(always)]
    fn with<V: Lanes<Element = f64>>(self) {
        let UnitFeatures { stride, features, inverse, reach, .. } = self.rows;
        let number = |x: f64| V::splat(V::Scalar::from_f64(x));
        let least = number(LEAST);
        for start in (0..self.unit).step_by(V::COUNT) {
            let c = V::load(&self.covariances[start..]);
            let part = c * number(inverse[self.unit]);
            let rho = part * V::load(&inverse[start..]);
            // Terms fall with the powers of this.
            let strength = rho.abs() * number(reach[self.unit]) * V::load(&reach[start..]);
            let is_exact = least.le(part.abs()).and(least.le(rho.abs())).or(c.equals(number(0.0)));
            let is_weak = rho.abs().le(number(WEAK)).and(strength.le(number(WEAK_PRODUCT)));
            let serves = is_weak.and(is_exact);
            let terms = terms(strength, serves);
            let mut sum = number(0.0);
            for k in (0..terms).rev() {
                let feature = number(features[k * stride + self.unit]);
                sum = sum.mul_add(rho, feature * V::load(&features[k * stride + start..]));
            }
            V::select(serves, sum * rho, number(f64::NAN)).store(&mut self.into[start..]);
        }
    }
}

impl Task<f64> for SeriesRow<'_> {
    type Unit = ();

    #[inline(always)]
    fn run<V: Lanes<Element = f64>, R: Lanes<Element = f64>>(self) {
        self.with::<Twice<Twice<V>>>();
    }

    fn run_one_by_one(self) {
        self.with::<f64>();
    }
}
