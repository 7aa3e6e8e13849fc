//! Values with a power of ξ, and a factor of a density, kept apart.
//!
//! ξᵉ · value, or p · ξᵉ · value with the density φ(s) = h · p at a knot, where h ≈ p ≈ √φ and the value
//! has the factor h. Powers of ξ cancel exactly before anything is computed, and p is multiplied in
//! last: φ(s) alone underflows long before φ(s) times a power of a large ξ does.

use gaussform_symbolic::exact::Rational;

use crate::builder::{Builder, input, is_zero, zero};
use crate::ir::{Input, Operand};

/// ξ^xi · p(root) · value.
#[derive(Clone, Debug)]
pub(crate) struct Scaled {
    pub(crate) value: Operand,
    pub(crate) xi: i32,
    pub(crate) root: Option<usize>,
}

impl Scaled {
    pub(crate) fn zero() -> Self {
        Self::new(zero(), 0)
    }

    pub(crate) fn new(value: Operand, xi: i32) -> Self {
        Self { value, xi, root: None }
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

    pub(crate) fn times(&self, b: &mut Builder, other: &Self) -> Self {
        let (mut other_value, mut root) = (other.value.clone(), other.root);
        if let (Some(_), Some(knot)) = (self.root, other.root) {
            other_value = b.multiply(input(Input::DensityPower(knot)), other_value);
            root = None;
        }
        let value = b.multiply(self.value.clone(), other_value);
        Self { value, xi: self.xi + other.xi, root: self.root.or(root) }
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
        // A common power is taken out, but not a division by ξ that one side does without.
        let [low, high] = [self.xi.min(other.xi), self.xi.max(other.xi)];
        let root = if self.root == other.root { self.root } else { None };
        // Nor where a density is multiplied in: it would underflow before it is divided.
        let xi = if low < 0 && (high >= 0 || root != self.root) { 0 } else { low };
        let left = self.settle(b, xi, root);
        let right = other.settle(b, xi, root);
        Self { value: operation(b, left, right), xi, root }
    }

    /// The value that ξ^xi · p(root) is to be multiplied with.
    fn settle(self, b: &mut Builder, xi: i32, root: Option<usize>) -> Operand {
        match self.root {
            Some(knot) if root.is_none() => {
                // High powers go to both factors, so that neither overflows.
                let exponent = self.xi - xi;
                let half = if exponent > 2 { exponent / 2 } else { 0 };
                let factor = power(b, input(Input::DensityPower(knot)), exponent - half);
                let value = power(b, self.value, half);
                b.multiply(factor, value)
            }
            _ => power(b, self.value, self.xi - xi),
        }
    }

    /// The plain value, up to a power of ξ that is left to be multiplied in.
    pub(crate) fn finish(self, b: &mut Builder, xi: i32) -> Operand {
        self.settle(b, xi, None)
    }
}

/// factor · ξᵉ, one ξ at a time for negative e so that no power overflows by itself.
fn power(b: &mut Builder, factor: Operand, exponent: i32) -> Operand {
    let mut product = factor;
    for _ in 0..(-exponent).max(0) {
        product = b.multiply(product, input(Input::InverseXi));
    }
    for _ in 0..exponent.max(0) / 2 {
        product = b.multiply(product, input(Input::Xi2));
    }
    if exponent > 0 && exponent % 2 == 1 {
        product = b.multiply(product, input(Input::Xi));
    }
    product
}
