//! Error-free transformations: sums and products with their rounding errors.
//!
//! Knuth's two-sum, Dekker's fast two-sum and product with Veltkamp's splitting (Muller et
//! al., "Handbook of Floating-Point Arithmetic", ch. 4). The errors are exact as long as
//! nothing overflows and no product of halves underflows; callers say why that holds or why
//! it does not matter. A fused multiplication would give the same words; it is not used
//! because `no_std` has none that inlines, and libm's costs a call.

use crate::Float;

/// a + b and its rounding error.
#[inline]
pub(crate) fn two_sum<T: Float>(a: T, b: T) -> [T; 2] {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    [sum, (a - a_part) + (b - b_part)]
}

/// a + b and its rounding error, for |a| ≥ |b| or a = 0.
#[inline]
pub(crate) fn fast_two_sum<T: Float>(a: T, b: T) -> [T; 2] {
    let sum = a + b;
    [sum, b - (sum - a)]
}

/// a = high + low, each with half of the bits.
#[inline]
fn split<T: Float>(a: T) -> [T; 2] {
    let c = T::SPLITTER * a;
    let high = c - (c - a);
    [high, a - high]
}

/// a·b and its rounding error.
#[inline]
pub(crate) fn two_product<T: Float>(a: T, b: T) -> [T; 2] {
    let product = a * b;
    let [ah, al] = split(a);
    let [bh, bl] = split(b);
    [product, ((ah * bh - product) + ah * bl + al * bh) + al * bl]
}

/// a² and its rounding error.
#[inline]
pub(crate) fn two_square<T: Float>(a: T) -> [T; 2] {
    let product = a * a;
    let [ah, al] = split(a);
    let cross = ah * al;
    [product, ((ah * ah - product) + (cross + cross)) + al * al]
}
