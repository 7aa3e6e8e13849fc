//! The accuracy that results of a kernel are wanted in, with the tables and the limits for it.

pub(crate) mod limits;

use crate::constants::decay::{self, Decay};
use crate::constants::exponential;
use crate::constants::fits::{self, Fit};
use crate::constants::rules::{self, Row};
use crate::precision::Precision;
use limits::Series;

/// The tables and limits for one accuracy.
pub trait Accuracy: 'static {
    /// The type of the numbers that are computed with.
    type Scalar: Precision;

    /// Whether results are wanted to the last digits of a scalar, so that what rounding takes from a
    /// distance or an exponent has to be carried along.
    const COMPENSATED: bool;
    /// Densities are computed in units of 2 to minus this, so that neither they nor their products with
    /// powers of ξ underflow before a result does.
    const DENSITY_EXPONENT: i32;
    /// A power of ξ between 2 to minus this and 2 to this, times a density in that unit, is far from overflow,
    /// and from underflow where it is so without the unit.
    const DENSITY_RANGE: i32;
    /// Coefficients of the even powers of q in the [density](crate::kernel), constant term first.
    const DENSITY_EVEN: &'static [Self::Scalar];
    /// Coefficients of the odd powers of q in the density, that of the first power first.
    const DENSITY_ODD: &'static [Self::Scalar];
    /// Starts of the backward recurrence for orders up to 2, 4, 6 and 8.
    const FITS: [Fit<Self::Scalar>; 4];
    /// Gauss–Legendre rules on \[0, 1\], of more and more nodes.
    const RULES: &'static [&'static [Row<Self::Scalar>]];
    /// a, b, c: a panel on which the density falls by e^(−E), with polynomials of degree d, takes
    /// a + b√E + d (1 + c√E) nodes.
    const NODE_COUNT: [f64; 3];
    /// Density fall E = −ln(φ(end)/φ(near)) of a panel beyond which the rest of it is negligible: \[for degree 0,
    /// more for each degree\].
    const FALL: [f64; 2];
    /// A piece of a formula, which is straight, is narrow below this: around γ if its width in units of ξ is less, away
    /// from γ if the exponent of the density changes by less.
    const STRAIGHT: f64;
    /// The lengths of the series of the integrals of powers over a straight piece.
    const POWERS: Series;
    /// Bound on the change of the density's exponent over a narrow piece: \[where all pieces are straight, where some
    /// are curved\].
    const NARROW: [f64; 2];
    /// Error of the truncated series over a narrow piece, relative to their sums.
    const SERIES_END: f64;
    /// The square of the distance, in units of ξ, from which on a density is negligible, also times any power of ξ in
    /// the safe range. A density at less than this distance is a normal number in its unit.
    const FARTHEST: f64;
    /// The polynomial for the decay of the density over a narrow straight piece.
    const DECAY: Decay<Self::Scalar>;
}

/// All digits of double precision.
impl Accuracy for f64 {
    type Scalar = f64;

    const COMPENSATED: bool = true;
    const DENSITY_EXPONENT: i32 = 520;
    const DENSITY_RANGE: i32 = 440;
    const DENSITY_EVEN: &'static [f64] = exponential::F64.even;
    const DENSITY_ODD: &'static [f64] = exponential::F64.odd;
    const FITS: [Fit<f64>; 4] = fits::F64;
    const RULES: &'static [&'static [Row<f64>]] = &rules::F64;
    const NODE_COUNT: [f64; 3] = [8.5, 3.1, 0.04];
    const FALL: [f64; 2] = [46.0, 5.0];
    const STRAIGHT: f64 = 2.0;
    const POWERS: Series = Series::new(Self::STRAIGHT, 3e-17);
    const NARROW: [f64; 2] = [2.0, 4.0];
    const SERIES_END: f64 = 3e-17;
    const FARTHEST: f64 = 2037.0;
    const DECAY: Decay<f64> = decay::F64;
}

/// All digits of single precision.
impl Accuracy for f32 {
    type Scalar = f32;

    const COMPENSATED: bool = true;
    const DENSITY_EXPONENT: i32 = 64;
    const DENSITY_RANGE: i32 = 56;
    const DENSITY_EVEN: &'static [f32] = exponential::F32.even;
    const DENSITY_ODD: &'static [f32] = exponential::F32.odd;
    const FITS: [Fit<f32>; 4] = fits::F32;
    // Slices of what needs them are computed in f64.
    const RULES: &'static [&'static [Row<f32>]] = &[&[]];
    const NODE_COUNT: [f64; 3] = [5.5, 2.4, 0.04];
    const FALL: [f64; 2] = [26.0, 4.0];
    const STRAIGHT: f64 = 2.0;
    const POWERS: Series = Series::new(Self::STRAIGHT, 6e-8);
    const NARROW: [f64; 2] = [2.0, 4.0];
    const SERIES_END: f64 = 2e-8;
    const FARTHEST: f64 = 252.0;
    const DECAY: Decay<f32> = decay::F32;
}

/// The digits of single precision, computed in double precision: with 29 bits to lose, sums may cancel,
/// pieces are narrow only where they are much smaller, and nothing needs compensation.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relaxed;

#[cfg(target_arch = "x86_64")]
impl Accuracy for Relaxed {
    type Scalar = f64;

    const COMPENSATED: bool = false;
    const DENSITY_EXPONENT: i32 = 0;
    const DENSITY_RANGE: i32 = 90;
    const DENSITY_EVEN: &'static [f64] = exponential::RELAXED.even;
    const DENSITY_ODD: &'static [f64] = exponential::RELAXED.odd;
    const FITS: [Fit<f64>; 4] = fits::RELAXED;
    const RULES: &'static [&'static [Row<f64>]] = &rules::RELAXED;
    const NODE_COUNT: [f64; 3] = <f32 as Accuracy>::NODE_COUNT;
    const FALL: [f64; 2] = <f32 as Accuracy>::FALL;
    const STRAIGHT: f64 = 0.25;
    const POWERS: Series = Series::new(Self::STRAIGHT, 1e-11);
    const NARROW: [f64; 2] = [0.5, 2.0];
    const SERIES_END: f64 = 1e-11;
    const FARTHEST: f64 = 900.0;
    const DECAY: Decay<f64> = decay::RELAXED;
}
