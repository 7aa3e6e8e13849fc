//! Error-free transformations: sums and products with their rounding errors.
//!
//! Knuth's two-sum, Dekker's fast two-sum, and the product with its error: by a fused
//! multiplication where there is one, by Veltkamp's splitting elsewhere (Muller et al., "Handbook of
//! Floating-Point Arithmetic", ch. 4). The errors are exact as long as nothing overflows and
//! no product of halves underflows. Callers say why that holds or why it does not matter.

use super::Lanes;
use crate::precision::Precision;

/// a + b and its rounding error.
#[inline(always)]
pub(crate) fn two_sum<V: Lanes>(a: V, b: V) -> [V; 2] {
    #[inline(always)]
    fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 2] {
        let sum = a + b;
        let b_part = sum - a;
        let a_part = sum - b_part;
        [sum, (a - a_part) + (b - b_part)]
    }
    V::named("two_sum", [a, b], body)
}

/// a + b and its rounding error, for |a| ≥ |b| or a = 0.
#[inline(always)]
pub(crate) fn fast_two_sum<V: Lanes>(a: V, b: V) -> [V; 2] {
    #[inline(always)]
    fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 2] {
        let sum = a + b;
        [sum, b - (sum - a)]
    }
    V::named("fast_two_sum", [a, b], body)
}

/// a = high + low, each with half of the bits.
#[inline(always)]
fn split<V: Lanes>(a: V) -> [V; 2] {
    #[inline(always)]
    fn body<V: Lanes>([a]: [V; 1]) -> [V; 2] {
        let c = V::splat(V::Scalar::SPLITTER) * a;
        let high = c - (c - a);
        [high, a - high]
    }
    V::named("split", [a], body)
}

/// a·b and its rounding error.
#[inline(always)]
pub(crate) fn two_product<V: Lanes>(a: V, b: V) -> [V; 2] {
    #[inline(always)]
    fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 2] {
        let product = a * b;
        if V::FUSED {
            return [product, a.mul_sub(b, product)];
        }
        let [ah, al] = split(a);
        let [bh, bl] = split(b);
        [product, ((ah * bh - product) + ah * bl + al * bh) + al * bl]
    }
    V::named("two_product", [a, b], body)
}

/// a² and its rounding error.
#[inline(always)]
pub(crate) fn two_square<V: Lanes>(a: V) -> [V; 2] {
    #[inline(always)]
    fn body<V: Lanes>([a]: [V; 1]) -> [V; 2] {
        let product = a * a;
        if V::FUSED {
            return [product, a.mul_sub(a, product)];
        }
        let [ah, al] = split(a);
        let cross = ah * al;
        [product, ((ah * ah - product) + (cross + cross)) + al * al]
    }
    V::named("two_square", [a], body)
}
