//! Values with a power of ξ, and the unit of densities, kept apart.
//!
//! ξᵉ · value, or 2⁻ᵏ · ξᵉ · value where the value has the factor 2ᵏφ, a density at a knot in the unit of
//! densities. Powers of ξ cancel exactly before anything is computed, and the unit is multiplied in last: φ
//! alone underflows long before φ times a power of a large ξ does.

use gaussform_symbolic::exact::Rational;

use crate::builder::{Builder, input, is_zero, zero};
use crate::ir::{Input, Operand};

/// ξ^xi · value, times the unit of densities if it is dense.
#[derive(Clone, Debug)]
pub(crate) struct XiTerm {
    value: Operand,
    xi: i32,
    is_dense: bool,
}

impl XiTerm {
    pub(crate) fn zero() -> Self {
        Self::new(zero(), 0)
    }

    pub(crate) fn new(value: Operand, xi: i32) -> Self {
        Self { value, xi, is_dense: false }
    }

    /// A value with a density in its unit as a factor, as tails and integrals are.
    pub(crate) fn dense(value: Operand, xi: i32) -> Self {
        Self { value, xi, is_dense: true }
    }

    pub(crate) fn is_zero(&self) -> bool {
        is_zero(&self.value)
    }

    /// Multiplied by a power of ξ.
    pub(crate) fn shift(mut self, xi: i32) -> Self {
        self.xi += xi;
        self
    }

    pub(crate) fn scale(mut self, b: &mut Builder, factor: &Rational) -> Self {
        self.value = b.scale(self.value, factor);
        self
    }

    /// The power of ξ times another number, which `of` makes of the value.
    pub(crate) fn map(mut self, of: impl FnOnce(Operand) -> Operand) -> Self {
        self.value = of(self.value);
        self
    }

    pub(crate) fn times(&self, b: &mut Builder, other: &Self) -> Self {
        let mut other_value = other.value.clone();
        // The product has the unit once, so one of the two units is multiplied in.
        if self.is_dense && other.is_dense {
            other_value = b.multiply(input(Input::DensityUnit), other_value);
        }
        let value = b.multiply(self.value.clone(), other_value);
        Self { value, xi: self.xi + other.xi, is_dense: self.is_dense || other.is_dense }
    }

    pub(crate) fn plus(self, b: &mut Builder, other: Self) -> Self {
        self.combine(b, other, Builder::add)
    }

    pub(crate) fn minus(self, b: &mut Builder, other: Self) -> Self {
        self.combine(b, other, Builder::subtract)
    }

    fn combine(
        self,
        b: &mut Builder,
        other: Self,
        operation: fn(&mut Builder, Operand, Operand) -> Operand,
    ) -> Self {
        if other.is_zero() {
            return self;
        }
        if self.is_zero() {
            let value = operation(b, zero(), other.value);
            return Self { value, ..other };
        }
        let is_dense = self.is_dense && other.is_dense;
        // A common power is taken out, but not a division by ξ that one side does without, nor where the unit
        // is multiplied in, with all powers.
        let [low, high] = [self.xi.min(other.xi), self.xi.max(other.xi)];
        let differ = self.is_dense != other.is_dense;
        let xi = if differ || (low < 0 && high >= 0) { 0 } else { low };
        let left = self.settle(b, xi, is_dense);
        let right = other.settle(b, xi, is_dense);
        Self { value: operation(b, left, right), xi, is_dense }
    }

    /// The value that ξ^xi, and the unit if it stays `dense`, is to be multiplied with.
    fn settle(self, b: &mut Builder, xi: i32, dense: bool) -> Operand {
        let exponent = self.xi - xi;
        if !self.is_dense || dense {
            return power(b, self.value, exponent);
        }
        // High powers go to both factors, so that neither overflows.
        let half = if exponent > 2 { exponent / 2 } else { 0 };
        let factor = power(b, input(Input::DensityUnit), exponent - half);
        let value = power(b, self.value, half);
        b.multiply(factor, value)
    }

    /// The plain value.
    pub(crate) fn finish(self, b: &mut Builder) -> Operand {
        self.settle(b, 0, false)
    }

    /// The value with all of its powers of ξ, but in the unit of densities.
    pub(crate) fn in_units(self, b: &mut Builder) -> Operand {
        debug_assert!(self.is_dense || self.is_zero(), "only a density has the unit");
        self.settle(b, 0, true)
    }
}

/// factor · ξᵉ, one ξ at a time for negative e so that no power overflows by itself.
fn power(b: &mut Builder, factor: Operand, exponent: i32) -> Operand {
    let mut product = factor;
    for _ in 0..(-exponent).max(0) {
        product = b.multiply(product, input(Input::InverseXi));
    }
    // ξ² is given, and ξ is its rounded root.
    for _ in 0..exponent.max(0) / 2 {
        product = b.multiply(product, input(Input::Xi2));
    }
    if exponent > 0 && exponent % 2 == 1 {
        product = b.multiply(product, input(Input::Xi));
    }
    product
}
