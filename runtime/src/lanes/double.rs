//! Error-free transformations: sums and products with their rounding errors.
//!
//! Knuth's two-sum, Dekker's fast two-sum, and the product with its error: by a fused
//! multiplication where there is one, by Veltkamp's splitting elsewhere (Muller et al., "Handbook of
//! Floating-Point Arithmetic", ch. 4). The errors are exact as long as nothing overflows and
//! no product of halves underflows. Callers say why that holds or why it does not matter.

use super::{Lanes, Named};
use crate::precision::Precision;

/// a + b and its rounding error.
#[inline(always)]
pub(crate) fn two_sum<V: Lanes>(a: V, b: V) -> [V; 2] {
    struct TwoSum;
    impl Named<2, 2> for TwoSum {
        const NAME: &'static str = "two_sum";
        #[inline(always)]
        fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 2] {
            let sum = a + b;
            let b_part = sum - a;
            let a_part = sum - b_part;
            [sum, (a - a_part) + (b - b_part)]
        }
    }
    V::named::<TwoSum, 2, 2>([a, b])
}

/// a + b and its rounding error, for |a| ≥ |b| or a = 0.
#[inline(always)]
pub(crate) fn fast_two_sum<V: Lanes>(a: V, b: V) -> [V; 2] {
    struct FastTwoSum;
    impl Named<2, 2> for FastTwoSum {
        const NAME: &'static str = "fast_two_sum";
        #[inline(always)]
        fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 2] {
            let sum = a + b;
            [sum, b - (sum - a)]
        }
    }
    V::named::<FastTwoSum, 2, 2>([a, b])
}

/// a = high + low, each with half of the bits.
#[inline(always)]
fn split<V: Lanes>(a: V) -> [V; 2] {
    struct Split;
    impl Named<1, 2> for Split {
        const NAME: &'static str = "split";
        #[inline(always)]
        fn body<V: Lanes>([a]: [V; 1]) -> [V; 2] {
            // The large product is rounded to half of the bits of a.
            let c = V::splat(V::Scalar::SPLITTER) * a;
            let high = c - (c - a);
            [high, a - high]
        }
    }
    V::named::<Split, 1, 2>([a])
}

/// a·b and its rounding error.
#[inline(always)]
pub(crate) fn two_product<V: Lanes>(a: V, b: V) -> [V; 2] {
    struct TwoProduct;
    impl Named<2, 2> for TwoProduct {
        const NAME: &'static str = "two_product";
        #[inline(always)]
        fn body<V: Lanes>([a, b]: [V; 2]) -> [V; 2] {
            let product = a * b;
            if V::is_fused() {
                return [product, a.mul_sub(b, product)];
            }
            let [ah, al] = split(a);
            let [bh, bl] = split(b);
            // In this order each sum is exact.
            [product, ((ah * bh - product) + ah * bl + al * bh) + al * bl]
        }
    }
    V::named::<TwoProduct, 2, 2>([a, b])
}

/// a² and its rounding error.
#[inline(always)]
pub(crate) fn two_square<V: Lanes>(a: V) -> [V; 2] {
    struct TwoSquare;
    impl Named<1, 2> for TwoSquare {
        const NAME: &'static str = "two_square";
        #[inline(always)]
        fn body<V: Lanes>([a]: [V; 1]) -> [V; 2] {
            let product = a * a;
            if V::is_fused() {
                return [product, a.mul_sub(a, product)];
            }
            let [ah, al] = split(a);
            let cross = ah * al;
            [product, ((ah * ah - product) + (cross + cross)) + al * al]
        }
    }
    V::named::<TwoSquare, 1, 2>([a])
}
