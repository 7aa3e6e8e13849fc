//! Constants of `f64` in the precision of the lanes, as one word, as two or as three.

use crate::Float;
use crate::lanes::Lanes;

/// A constant, the same in all lanes.
#[inline(always)]
pub fn number<V: Lanes>(value: f64) -> V {
    V::splat(V::Scalar::from_f64(value))
}

/// The sum of three words of `f64` as three words of another precision.
#[inline(always)]
#[allow(unreachable_pub)] // `record` reaches it, with the feature `source`.
pub fn words<T: Float>([high, low, lowest]: [f64; 3]) -> [T; 3] {
    let top = T::from_f64(high);
    // Exact; one of the two is 0.
    let rest = (high - top.to_f64()) + low;
    // An infinite difference has no low word.
    if !rest.is_finite() {
        return [top, T::ZERO, T::ZERO];
    }
    let middle = T::from_f64(rest);
    [top, middle, T::from_f64((rest - middle.to_f64()) + lowest)]
}

/// A constant as a double word of the precision, the same in all lanes.
#[inline(always)]
pub(crate) fn pair<V: Lanes>(value: [f64; 2]) -> [V; 2] {
    let [high, low, _] = words::<V::Scalar>([value[0], value[1], 0.0]);
    [V::splat(high), V::splat(low)]
}
