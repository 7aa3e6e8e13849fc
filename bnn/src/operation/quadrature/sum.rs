//! Sums with the sum of the absolute values of their terms, which bounds the rounding error.

use burn::tensor::{Bool, DType, Tensor};

/// A sum, and the sum of the absolute values of its terms.
pub(super) struct Sum {
    pub(super) value: Tensor<2>,
    pub(super) size: Tensor<2>,
}

impl Sum {
    pub(super) fn nothing(like: &Tensor<2>) -> Self {
        Self { value: like.zeros_like(), size: like.zeros_like() }
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self { value: self.value.mul_scalar(factor), size: self.size.mul_scalar(factor) }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.value = self.value.clone() + other.value;
        self.size = self.size.clone() + other.size;
    }

    /// The value of the sum with the smaller terms, where `may` allows the other one. It is clamped to finite
    /// numbers, so that it is 0 when it is multiplied by 0.
    pub(super) fn or_if_smaller(self, other: Self, may: Tensor<2, Bool>) -> Tensor<2> {
        let smaller = other.size.lower(self.size.mul_scalar(0.5)).bool_and(may);
        let value = self.value.mask_where(smaller, other.value);
        let most = if value.dtype() == DType::F64 { f64::MAX } else { f64::from(f32::MAX) };
        value.clamp(-most, most)
    }
}
