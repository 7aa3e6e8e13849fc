//! The constants and elementary steps of a precision.

use crate::constants::exponential;

/// The constants of one precision.
pub trait Precision: Copy + 'static {
    /// One half.
    const HALF: Self;
    /// Veltkamp's constant, 2^⌈p/2⌉ + 1 with p the bits of the significand.
    const SPLITTER: Self;

    /// A variance below this is scaled before the square of its root is taken apart.
    const SMALL_VARIANCE: Self;
    /// A variance above this is scaled before the square of its root is taken apart.
    const LARGE_VARIANCE: Self;
    /// The scale for the root of small variances, a power of two.
    const RESCALE: Self;
    /// 1/[`RESCALE`](Self::RESCALE), the scale for the root of large variances.
    const UNSCALE: Self;

    /// The distance in units of ξ beyond which the density is taken for 0.
    const S_MAX: Self;
    /// The distance beyond which vectors take the density for 0. Results that need more are left to single numbers.
    const S_MAX_VECTOR: Self;
    /// The exponent of the smallest normal number, as a power of two.
    const LEAST_EXPONENT: i32;
    /// A power of two between the reciprocals of which every number is normal.
    const MOST_EXPONENT: i32;
    /// The exponent of a density that is negligible relative to 1.
    const NEGLIGIBLE_EXPONENT: i32;
    /// The largest finite number.
    const MAX: Self;
    /// The number that stands for 1/ξ at ξ = 0. Its products count in every sum, and its square in the unit of
    /// densities does not overflow.
    const INVERSE_AT_ZERO_VARIANCE: Self;
    /// ln 4 in two words: n times the first word is exact.
    const LN_4: [Self; 2];
    /// 1/ln 4.
    const LOG4_E: Self;
    /// 1.5·2^(p−1): adding it rounds to an integer and leaves that in the low bits.
    const SHIFTER: Self;
    /// √2π.
    const ROOT_TAU: Self;
    /// c in φ(√r) = c + b r + r² q(r), in two words.
    const DENSITY_PEAK: [Self; 2];
    /// b.
    const DENSITY_SLOPE: Self;
    /// The start of the recurrence of high orders, so small that it does not overflow.
    const HIGH_SCALE: Self;
    /// Inputs and their powers up to this one, or from its reciprocal on, are far from overflow
    /// and underflow: a power of two.
    const SAFE_EXPONENT: i32;

    /// 2ᵉ for an e that is far from the limits.
    fn power_of_two(exponent: i32) -> Self;
}

impl Precision for f64 {
    const HALF: f64 = 0.5;
    const SPLITTER: f64 = 134_217_729.0;

    const SMALL_VARIANCE: f64 = f64::from_bits((1023 - 800) << 52);
    const LARGE_VARIANCE: f64 = f64::from_bits((1023 + 800) << 52);
    const RESCALE: f64 = f64::from_bits((1023 + 120) << 52);
    const UNSCALE: f64 = f64::from_bits((1023 - 120) << 52);

    const S_MAX: f64 = 106.0;
    const S_MAX_VECTOR: f64 = 53.0;
    const LEAST_EXPONENT: i32 = -1022;
    const MOST_EXPONENT: i32 = 1000;
    const NEGLIGIBLE_EXPONENT: i32 = -112;
    const MAX: f64 = f64::MAX;
    const INVERSE_AT_ZERO_VARIANCE: f64 = f64::from_bits((1023 + 700) << 52);
    const LN_4: [f64; 2] = exponential::F64.ln_4;
    const LOG4_E: f64 = exponential::F64.log4_e;
    const SHIFTER: f64 = 6_755_399_441_055_744.0;
    const ROOT_TAU: f64 = 2.506_628_274_631_000_5;
    const DENSITY_PEAK: [f64; 2] = exponential::F64.peak;
    const DENSITY_SLOPE: f64 = exponential::F64.slope;
    const HIGH_SCALE: f64 = 1.0;
    const SAFE_EXPONENT: i32 = 960;

    #[inline(always)]
    fn power_of_two(exponent: i32) -> f64 {
        f64::from_bits(((1023 + exponent) as u64) << 52)
    }
}

impl Precision for f32 {
    const HALF: f32 = 0.5;
    const SPLITTER: f32 = 4097.0;

    const SMALL_VARIANCE: f32 = f32::from_bits((127 - 60) << 23);
    const LARGE_VARIANCE: f32 = f32::from_bits((127 + 60) << 23);
    const RESCALE: f32 = f32::from_bits((127 + 40) << 23);
    const UNSCALE: f32 = f32::from_bits((127 - 40) << 23);

    const S_MAX: f32 = 24.0;
    const S_MAX_VECTOR: f32 = 18.0;
    const LEAST_EXPONENT: i32 = -126;
    const MOST_EXPONENT: i32 = 120;
    const NEGLIGIBLE_EXPONENT: i32 = -48;
    const MAX: f32 = f32::MAX;
    const INVERSE_AT_ZERO_VARIANCE: f32 = f32::from_bits((127 + 80) << 23);
    const LN_4: [f32; 2] = exponential::F32.ln_4;
    const LOG4_E: f32 = exponential::F32.log4_e;
    const SHIFTER: f32 = 12_582_912.0;
    const ROOT_TAU: f32 = 2.506_628_3;
    const DENSITY_PEAK: [f32; 2] = exponential::F32.peak;
    const DENSITY_SLOPE: f32 = exponential::F32.slope;
    // 24⁴⁸ times this is less than 2¹²⁷.
    const HIGH_SCALE: f32 = f32::from_bits((127 - 110) << 23);
    const SAFE_EXPONENT: i32 = 90;

    #[inline(always)]
    fn power_of_two(exponent: i32) -> f32 {
        f32::from_bits(((127 + exponent) as u32) << 23)
    }
}
