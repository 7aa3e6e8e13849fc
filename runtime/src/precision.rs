//! What the kernels need to know of a precision; it also seals [`Float`](crate::Float).

use crate::kernel::fits::{self, Fit};
use crate::kernel::nodes::{self, Node};

/// The constants of one precision.
pub trait Precision: Copy + 'static {
    /// One half.
    const HALF: Self;
    /// Veltkamp's constant, 2^⌈p/2⌉ + 1 with p the bits of the significand.
    const SPLITTER: Self;

    /// Below this a variance is scaled before the square of its root is taken apart.
    const SMALL_VARIANCE: Self;
    /// Above this likewise.
    const LARGE_VARIANCE: Self;
    /// The scale for the root of small variances, a power of two.
    const RESCALE: Self;
    /// 1/[`RESCALE`](Self::RESCALE), the scale for the root of large ones.
    const UNSCALE: Self;

    /// The distance in units of ξ beyond which the root of the density is 0.
    const S_MAX: Self;
    /// The largest finite number.
    const MAX: Self;
    /// −S_MAX²/4, the least argument of the exponential.
    const EXP_MIN: Self;
    /// ¼ ln 2π in two words, the first with few enough bits to be added to n ln 2 exactly.
    const QUARTER_LN_TAU: [Self; 2];
    /// ln 2 likewise: n times the first word is exact.
    const LN_2: [Self; 2];
    /// 1/ln 2.
    const LOG2_E: Self;
    /// 1.5·2^(p−1) + 2·bias: adding it rounds to an integer n and leaves n + 2·bias > 0 in the
    /// low bits.
    const SHIFTER: Self;
    /// Coefficients of the even powers of q in eʳ = 1 + r + r² q(r), constant term first.
    const EXP_EVEN: &'static [Self];
    /// Those of the odd powers.
    const EXP_ODD: &'static [Self];

    /// Starts of the backward recurrence for orders up to 2, 4, 6 and 8.
    const FITS: [Fit<Self>; 4];
    /// Half of the symmetric Gauss–Legendre rule on \[0, 1\].
    const NODES: &'static [Node<Self>];

    /// Two powers of two whose product is 2ⁿ, for `shifted` = n + [`SHIFTER`](Self::SHIFTER).
    fn powers_of_two(shifted: Self) -> [Self; 2];
}

impl Precision for f64 {
    const HALF: f64 = 0.5;
    const SPLITTER: f64 = 134_217_729.0;

    const SMALL_VARIANCE: f64 = f64::from_bits((1023 - 800) << 52);
    const LARGE_VARIANCE: f64 = f64::from_bits((1023 + 800) << 52);
    const RESCALE: f64 = f64::from_bits((1023 + 120) << 52);
    const UNSCALE: f64 = f64::from_bits((1023 - 120) << 52);

    const S_MAX: f64 = 64.0;
    const MAX: f64 = f64::MAX;
    const EXP_MIN: f64 = -1024.0;
    const QUARTER_LN_TAU: [f64; 2] = [0.459_469_266_601_445_27, 8.911_011_192_445_916e-13];
    const LN_2: [f64; 2] = [0.693_147_180_559_208_2, 7.371_002_565_167_799e-13];
    const LOG2_E: f64 = core::f64::consts::LOG2_E;
    const SHIFTER: f64 = 6_755_399_441_055_744.0 + 2046.0;
    const EXP_EVEN: &'static [f64] = &[
        0.5,
        0.041_666_666_666_666_67,
        0.001_388_888_888_888_371_1,
        2.480_158_732_567_746e-5,
        2.755_727_347_871_858e-7,
        2.091_475_532_589_32e-9,
    ];
    const EXP_ODD: &'static [f64] = &[
        0.166_666_666_666_666_7,
        0.008_333_333_333_326_084,
        0.000_198_412_698_750_022_8,
        2.755_725_517_000_089e-6,
        2.510_531_272_962_210_3e-8,
    ];

    const FITS: [Fit<f64>; 4] = fits::F64;
    const NODES: &'static [Node<f64>] = &nodes::F64;

    #[inline]
    fn powers_of_two(shifted: f64) -> [f64; 2] {
        let biased = shifted.to_bits() & 0xFFF;
        let half = biased >> 1;
        [f64::from_bits(half << 52), f64::from_bits((biased - half) << 52)]
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
    const MAX: f32 = f32::MAX;
    const EXP_MIN: f32 = -144.0;
    const QUARTER_LN_TAU: [f32; 2] = [0.459_411_62, 5.764_551e-5];
    const LN_2: [f32; 2] = [0.693_115_23, 3.194_618_3e-5];
    const LOG2_E: f32 = core::f32::consts::LOG2_E;
    const SHIFTER: f32 = 12_582_912.0 + 254.0;
    const EXP_EVEN: &'static [f32] = &[0.5, 0.041_666_552, 0.001_392_625];
    const EXP_ODD: &'static [f32] = &[0.166_665_76, 0.008_363_233];

    const FITS: [Fit<f32>; 4] = fits::F32;
    const NODES: &'static [Node<f32>] = &nodes::F32;

    #[inline]
    fn powers_of_two(shifted: f32) -> [f32; 2] {
        let biased = shifted.to_bits() & 0x3FF;
        let half = biased >> 1;
        [f32::from_bits(half << 23), f32::from_bits((biased - half) << 23)]
    }
}
