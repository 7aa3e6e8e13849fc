//! The Normal density of the root of a double word, without a branch.
//!
//! φ(√y) = e^(−y/2)/√2π = 2ⁿ φ(√r) with r = y + n ln 4, |r| ≤ ln 2:
//!
//! - n is rounded by adding 1.5·2^(p−1), which also leaves n in the low bits.
//! - n ln 4 is added in two parts, the first of them exactly.
//! - φ(√r) = c + b r + r² q(r), with q the interpolant at Chebyshev nodes. Its degree is 10 in f64 (relative error 3e-17),
//!   4 in f32 (2e-8), and 5 for digits of f32 in f64 (2e-10).
//! - The power of two is applied so that the result underflows gradually.
//!
//! Error, measured: 0.99 ulp of the result, apart from underflow. A caller may ask for a pair: then the terms c + b r are
//! summed in double words, and the low word is the rounding error of the result. `tests/tails.rs` bounds
//! the error of the pair with that of the tails.

use super::polynomial::horner;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::double::{fast_two_sum, two_product, two_sum};
use crate::lanes::{Lanes, Named};
use crate::precision::Precision;

/// φ(√y), for y from −64 to S_MAX²; one number above is taken for the upper end.
#[inline(always)]
pub(crate) fn density<V: Lanes>(y: V) -> V {
    struct Density;
    impl Named<1, 1> for Density {
        const NAME: &'static str = "density";
        #[inline(always)]
        fn body<V: Lanes>([y]: [V; 1]) -> [V; 1] {
            let Reduced { value, shifted, .. } =
                reduce::<V, false>(y, V::splat(V::Scalar::ZERO), 0);
            [value.scale(shifted)]
        }
    }
    let [density] = V::named::<Density, 1, 1>([y]);
    density
}

/// φ(√(y + low)), for y from 0 to S_MAX² and |low| much smaller than 1.
#[inline(always)]
pub(crate) fn density_after<V: Lanes>(y: V, low: V) -> V {
    let Reduced { value, shifted, .. } = reduce::<V, false>(y, low, 0);
    value.raise(shifted)
}

/// φ(√(y + low)) in its [unit](density_unit), for |low| much smaller than 1; anything for y beyond the farthest distance.
#[inline(always)]
pub(crate) fn density_in_unit<V: Lanes>(y: V, low: V) -> V {
    struct InUnit;
    impl Named<2, 1> for InUnit {
        const NAME: &'static str = "density_in_unit";
        #[inline(always)]
        fn body<V: Lanes>([y, low]: [V; 2]) -> [V; 1] {
            let (y, low, far) = if V::UNBOUNDED {
                let [y, low, far] = without_powers(y, low);
                (y, low, Some(far))
            } else {
                (y, low, None)
            };
            let exponent = V::Accuracy::DENSITY_EXPONENT;
            let Reduced { value, shifted, .. } = reduce_below::<V, false>(y, low, exponent);
            let value = value.raise(shifted);
            [match far {
                Some(far) => value * far,
                None => value,
            }]
        }
    }
    let [density] = V::named::<InUnit, 2, 1>([y, low]);
    density
}

/// φ(√(y + low)) in its [unit](density_unit), for |low| much smaller than 1; if it is to be precise, what
/// rounding took from it; and the power of two that it is between ¼ and 1 of, whatever `low` is, not positive
/// where vectors have no normal number for it.
#[inline(always)]
pub(crate) fn density_in_units<V: Lanes, const PRECISE: bool>(y: V, low: V) -> [V; 3] {
    struct InUnits<const PRECISE: bool>;
    impl<const PRECISE: bool> Named<2, 3> for InUnits<PRECISE> {
        const NAME: &'static str =
            if PRECISE { "precise_density_in_units" } else { "density_in_units" };
        #[inline(always)]
        fn body<V: Lanes>(inputs: [V; 2]) -> [V; 3] {
            in_units::<V, PRECISE>(inputs)
        }
    }
    V::named::<InUnits<PRECISE>, 2, 3>([y, low])
}

#[inline(always)]
fn in_units<V: Lanes, const PRECISE: bool>([y, low]: [V; 2]) -> [V; 3] {
    let (y, low, far) = if V::UNBOUNDED {
        let [y, low, far] = without_powers(y, low);
        (y, low, Some(far))
    } else {
        (y, low, None)
    };
    let Reduced { value, low, shifted } =
        reduce::<V, PRECISE>(y, low, V::Accuracy::DENSITY_EXPONENT);
    let power = V::splat(V::Scalar::ONE).raise(shifted);
    let (value, low) = (value.raise(shifted), low * power);
    match far {
        Some(far) => [value * far, low * far, power * far],
        None => [value, low, power],
    }
}

/// The distance in units of ξ beyond which the density is taken for 0.
#[inline(always)]
pub(crate) fn farthest<V: Lanes>() -> V {
    V::splat(if V::UNBOUNDED {
        V::Scalar::power_of_two(30)
    } else if V::GENERAL {
        V::Scalar::S_MAX
    } else {
        V::Scalar::S_MAX_VECTOR
    })
}

/// ln 4 in three words.
const LN_4: [f64; 3] =
    [1.386_294_361_119_890_6, 4.638_093_627_692_599e-17, 1.141_541_687_683_242_4e-33];

/// y + low, of any size, as a number near 0 in two words, and the power of two by which the density at its root is
/// smaller. The first step leaves the digits that an integer of the precision cannot hold.
#[inline(always)]
fn without_powers<V: Lanes>(y: V, low: V) -> [V; 3] {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    let farthest = farthest::<V>();
    let farthest = farthest * farthest;
    let mut low = V::select(y.lt(farthest), low, V::splat(V::Scalar::ZERO));
    let mut y = y.min(farthest);
    let mut power = V::splat(V::Scalar::ONE);
    let shifter = V::splat(V::Scalar::SHIFTER);
    for _ in 0..3 {
        let n = y.mul_add(V::splat(V::Scalar::LOG4_E), shifter) - shifter;
        // n may have all bits of a word here, so that even its product with the first word is rounded.
        let [first, first_low] = two_product(n, constant(LN_4[0]));
        let [second, second_low] = two_product(n, constant(LN_4[1]));
        let [rest, rest_low] = two_sum(y, -first);
        let [rest, more] = two_sum(rest, -second);
        let third = n.mul_add(constant(LN_4[2]), second_low);
        [y, low] = two_sum(rest, ((rest_low - first_low) + (more - third)) + low);
        power = power * (-n).two_to();
    }
    [y, low, power]
}

/// The unit of densities at knots, a power of two. φ alone would underflow long before φ times a power of a large ξ.
#[inline(always)]
pub fn density_unit<V: Lanes>() -> V {
    V::splat(V::Scalar::power_of_two(-V::Accuracy::DENSITY_EXPONENT))
}

/// φ(√y) as (value + low) · 2ⁿ. The field `shifted` is n plus the constant that rounds to an integer.
struct Reduced<V> {
    value: V,
    low: V,
    shifted: V,
}

/// φ(√(y + low)) times a power of two.
#[inline(always)]
fn reduce<V: Lanes, const PRECISE: bool>(y: V, low: V, exponent: i32) -> Reduced<V> {
    // Vectors do not use what is beyond, and are not to compute with subnormal numbers.
    let farthest = if V::GENERAL { V::Scalar::S_MAX } else { V::Scalar::S_MAX_VECTOR };
    reduce_below::<V, PRECISE>(y.min(V::splat(farthest * farthest)), low, exponent)
}

/// φ(√(y + low)) times a power of two, for a y within the range of powers of two. Elsewhere the result must not be
/// used.
#[inline(always)]
fn reduce_below<V: Lanes, const PRECISE: bool>(y: V, low: V, exponent: i32) -> Reduced<V> {
    // The exponent of the unit rides along in the constant that rounds: `shifted` raises by it too, and n is without it.
    let shifter = V::splat(V::Scalar::SHIFTER + V::Scalar::from_f64(f64::from(exponent)));
    let shifted = y.mul_add(V::splat(-V::Scalar::LOG4_E), shifter);
    let n = shifted - shifter;
    let [ln4, ln4_low] = V::Scalar::LN_4;
    let [r, r_low] = if V::Accuracy::COMPENSATED {
        let leading = n.mul_add(V::splat(ln4), y);
        fast_two_sum(leading, n.mul_add(V::splat(ln4_low), low))
    } else {
        [n.mul_add(V::splat(ln4 + ln4_low), y), low]
    };
    let square = r * r;
    // Two chains, for the even and the odd powers: half the latency of one.
    let odd = horner(V::Accuracy::DENSITY_ODD, square);
    let series = r.mul_add(odd, horner(V::Accuracy::DENSITY_EVEN, square));
    let [peak, peak_low] = V::Scalar::DENSITY_PEAK;
    let slope = V::splat(V::Scalar::DENSITY_SLOPE);
    if !V::Accuracy::COMPENSATED {
        let value = square.mul_add(series, r.mul_add(slope, V::splat(peak)));
        return Reduced { value, low: V::splat(V::Scalar::ZERO), shifted };
    }
    if !PRECISE {
        // The first word of c comes last, since all before it is smaller: so one rounding shows.
        let start = r.mul_add(slope, V::splat(peak_low));
        let value = V::splat(peak) + square.mul_add(series, start);
        return Reduced { value, low: V::splat(V::Scalar::ZERO), shifted };
    }
    // b is half of −c, in the second word too.
    let slope_low = V::splat(V::Scalar::ZERO - V::Scalar::HALF * peak_low);
    let [line, line_low] = two_product(r, slope);
    let [sum, sum_low] = fast_two_sum(V::splat(peak), line);
    let start = r_low.mul_add(slope, r.mul_add(slope_low, V::splat(peak_low)));
    let rest = square.mul_add(series, start + (line_low + sum_low));
    let [value, low] = fast_two_sum(sum, rest);
    Reduced { value, low, shifted }
}
