//! Errors in units in the last place of a precision.
//!
//! Relative for the second moment and the variance. The mean and the gradients cross zero: they are
//! measured against E|g|, E|g′|, ½ E|g″|, and the gradients of the variance against the variance
//! over ξ or ξ². Below the smallest normal number the error is absolute.

use gaussform::Float;
use gaussform_accuracy_kernels::Kernels;

use crate::oracle::Truth;
use crate::registry::Entry;

/// A precision.
pub trait Precision: Float {
    /// The name of the precision.
    const NAME: &'static str;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
    /// The smallest normal number.
    const TINY: f64;
    /// The largest number.
    const HUGE: f64;
    /// Powers of ten of ξ in the sweeps.
    const DECADES: &'static [f64];

    /// The kernels in this precision.
    fn kernels(entry: &Entry) -> &dyn Kernels<Self>;
}

impl Precision for f32 {
    const NAME: &'static str = "f32";
    const EPSILON: f64 = f32::EPSILON as f64;
    const TINY: f64 = f32::MIN_POSITIVE as f64;
    const HUGE: f64 = f32::MAX as f64;
    const DECADES: &'static [f64] = &[
        -22.0, -15.0, -10.0, -6.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0, 6.0, 10.0,
        15.0, 18.5,
    ];

    fn kernels(entry: &Entry) -> &dyn Kernels<f32> {
        entry.kernels.single.as_ref()
    }
}

impl Precision for f64 {
    const NAME: &'static str = "f64";
    const EPSILON: f64 = f64::EPSILON;
    const TINY: f64 = f64::MIN_POSITIVE;
    const HUGE: f64 = f64::MAX;
    const DECADES: &'static [f64] = &[
        -160.0, -100.0, -60.0, -30.0, -15.0, -8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0,
        8.0, 15.0, 30.0, 60.0, 100.0, 150.0,
    ];

    fn kernels(entry: &Entry) -> &dyn Kernels<f64> {
        entry.kernels.double.as_ref()
    }
}

/// The names of the results, in the order of `MomentsGrad::to_array`.
pub const QUANTITIES: [&str; 7] =
    ["mean", "second", "variance", "dm/dγ", "dm/dξ²", "dV/dγ", "dV/dξ²"];

/// Truth in doubles, with what its errors are measured against.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// The values as sums of two doubles.
    pub values: [[f64; 2]; 7],
    /// One for each.
    pub scales: [f64; 7],
}

impl Measure {
    /// Of the truth at a point.
    #[must_use]
    pub fn new(truth: &Truth) -> Self {
        let [mean, gamma, slope, over_xi, over_xi2] = truth.scales;
        let scales = [mean, 0.0, 0.0, gamma, slope, over_xi, over_xi2];
        Self { values: truth.pairs(), scales }
    }

    /// Truth and scales for a kernel that is a table, a sum over pieces. The scales are what is promised of tables,
    /// where that is more: √E\[g²\] for the mean, √Var/ξ and √Var/ξ² for its derivatives.
    #[must_use]
    pub fn of_table(truth: &Truth, xi2: f64) -> Self {
        let mut measure = Self::new(truth);
        let [second, variance] = [1, 2].map(|i: usize| measure.values[i][0].sqrt());
        let xi = xi2.sqrt();
        let promised = [(0, second), (3, variance / xi), (4, variance / xi / xi)];
        for (quantity, scale) in promised {
            if scale.is_finite() {
                measure.scales[quantity] = measure.scales[quantity].max(scale);
            }
        }
        measure
    }

    /// Whether the results are so far out that what they are computed from may overflow or
    /// underflow: ξ² subnormal, or a result within a factor ε of the ends of the range.
    #[must_use]
    pub fn is_extreme<T: Precision>(&self, xi2: f64) -> bool {
        let inside = T::TINY / T::EPSILON..T::HUGE * T::EPSILON;
        let extreme = |quantity: usize| {
            let value = self.values[quantity][0].abs();
            // Of what is not 0 in truth but may be here.
            let positive = xi2 > 0.0 && (quantity == 1 || quantity == 2);
            (value != 0.0 || positive) && !inside.contains(&value)
        };
        let subnormal = xi2 > 0.0 && xi2 < T::TINY;
        subnormal || (0..self.values.len()).any(extreme)
    }

    /// The error of one of the seven results, in units in the last place of T.
    #[must_use]
    pub fn error<T: Precision>(&self, quantity: usize, got: T) -> f64 {
        let [high, low] = self.values[quantity];
        let got = got.to_f64();
        if got.is_nan() || quantity == 2 && got < 0.0 {
            return f64::INFINITY;
        }
        let scale = self.scales[quantity].max(high.abs());
        let crosses_zero = self.scales[quantity] > 0.0;
        if crosses_zero && (scale.is_infinite() || scale > T::HUGE && high.abs() < scale) {
            // The scale of the error is out of range.
            return 0.0;
        }
        // What rounds to the largest number may also be infinite.
        if high.abs() > T::HUGE * (1.0 - 64.0 * T::EPSILON) {
            let enough = got.abs() >= T::HUGE * (1.0 - 128.0 * T::EPSILON);
            return if enough && got.signum() == high.signum() { 0.0 } else { f64::INFINITY };
        }
        let unit = self.unit::<T>(quantity);
        if unit.is_infinite() {
            return 0.0;
        }
        let difference = ((got - high) - low).abs();
        // Within a factor ε of underflow errors are absolute: vectors take a density for 0 where no
        // result would be a normal number, before small coefficients of the function come in.
        if difference <= 4.0 * T::TINY / T::EPSILON { 0.0 } else { difference / unit }
    }

    /// One unit in the last place of the scale.
    #[must_use]
    pub fn unit<T: Precision>(&self, quantity: usize) -> f64 {
        // A product with ε may be less than the least number of all.
        let scale = self.scales[quantity].max(self.values[quantity][0].abs()).max(T::TINY);
        scale * T::EPSILON
    }
}
