//! The safe range of inputs: for γ and ξ² in it, no number in a kernel overflows or underflows.

use crate::accuracy::Accuracy;
use crate::precision::Precision;

/// The limits of the safe range, as exponents of two: |γ| ≤ 2^size and 2^least ≤ ξ² ≤ 2^most.
#[derive(Clone, Copy, Debug)]
pub struct SafeRange {
    /// |γ| is at most this.
    pub size: i32,
    /// ξ² is at least this,
    pub least: i32,
    /// and at most this.
    pub most: i32,
}

impl SafeRange {
    /// The safe range for a degree: powers of inputs up to this degree, and their products with densities of an
    /// accuracy, are far from overflow and underflow. So are their rounding errors.
    #[inline(always)]
    #[must_use]
    pub fn new<T: Precision, A: Accuracy>(degree: u32) -> Self {
        let degree = if degree == 0 { 1 } else { degree as i32 };
        let (power, density) = (T::SAFE_EXPONENT / degree, A::DENSITY_RANGE);
        // Derivatives divide densities by ξ², whatever the degree.
        let least = if power < density { -power } else { -density };
        Self { size: power / 2, least, most: density / degree }
    }
}
