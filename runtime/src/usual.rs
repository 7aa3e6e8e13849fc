//! Which inputs are usual: so far from overflow and underflow that no number in a kernel meets either.

use crate::accuracy::Accuracy;
use crate::precision::Precision;

/// The limits of usual inputs, exponents of powers of two.
#[derive(Clone, Copy, Debug)]
pub struct Usual {
    /// |γ| is at most this.
    pub size: i32,
    /// ξ² is at least this,
    pub least: i32,
    /// and at most this.
    pub most: i32,
}

impl Usual {
    /// Where powers up to a degree of inputs of a precision, and their products with densities of an accuracy,
    /// are far from overflow and underflow, and so are rounding errors.
    #[inline(always)]
    #[must_use]
    pub fn new<T: Precision, A: Accuracy>(degree: u32) -> Self {
        let degree = if degree == 0 { 1 } else { degree as i32 };
        let (power, density) = (T::USUAL_EXPONENT / degree, A::DENSITY_RANGE);
        // Derivatives divide densities by ξ², whatever the degree.
        let least = if power < density { -power } else { -density };
        Self { size: power / 2, least, most: density / degree }
    }
}
