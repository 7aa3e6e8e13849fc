//! Constants of the generated code in the precision of the lanes.

use crate::Float;
use crate::lanes::Lanes;

/// A constant, the same in all lanes.
#[inline(always)]
pub fn number<V: Lanes>(value: f64) -> V {
    V::splat(V::Scalar::from_f64(value))
}

/// A double word in a precision.
#[inline(always)]
pub(crate) fn words<T: Float>([high, low]: [f64; 2]) -> [T; 2] {
    let top = T::from_f64(high);
    let rest = (high - top.to_f64()) + low;
    // An infinite difference has no low word.
    [top, if rest.is_finite() { T::from_f64(rest) } else { T::ZERO }]
}

/// A constant to twice the precision, the same in all lanes.
#[inline(always)]
pub(crate) fn pair<V: Lanes>(value: [f64; 2]) -> [V; 2] {
    words::<V::Scalar>(value).map(V::splat)
}
