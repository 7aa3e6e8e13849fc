//! Limits of forms in u alone for ξ → 0, between knots and on them.

use std::collections::BTreeMap;

use super::{Form, Function};
use crate::domain::Knot;
use crate::exact::integer;
use crate::polynomial::{Polynomial, Symbol};

/// Expansion of a form for small ξ with γ on a knot: Σ ξⁿ Σᵣ cₙᵣ √(2/π)ʳ, as n → \[cₙ₀, cₙ₁, …\].
pub type Expansion = BTreeMap<i32, Vec<Polynomial>>;

impl Form {
    /// The form at γ = t, up to what vanishes faster than every power of ξ: there E_t = 0,
    /// and at every other knot E is ±1 and G is 0. Only G_t and powers of ξ² are left.
    #[must_use]
    pub fn at_knot(&self, knot: &Knot) -> Self {
        let mut sum = Self::zero();
        for (product, coefficient) in self.terms() {
            let mut here = Self::from(coefficient.substitute(&Symbol::Gamma, &knot.polynomial()));
            for (function, exponent) in product.factors() {
                let value = match function {
                    Function::Erf(other) => match other.cmp(knot) {
                        std::cmp::Ordering::Less => Self::from(Polynomial::one()),
                        std::cmp::Ordering::Equal => Self::zero(),
                        std::cmp::Ordering::Greater => Self::from(-&Polynomial::one()),
                    },
                    Function::Gauss(other) if other == knot => {
                        Self::term(Polynomial::one(), function.clone())
                    }
                    Function::Gauss(_) => Self::zero(),
                    other => Self::term(Polynomial::one(), other.clone()),
                };
                for _ in 0..exponent {
                    here = &here * &value;
                }
            }
            sum = &sum + &here;
        }
        sum
    }

    /// The limit for ξ → 0 with γ just right of `knot`, or left of all knots: there every E is ±1,
    /// and every G vanishes faster than every power of ξ. As a form it has a limit unless a
    /// power of 1/ξ² stands alone in it, which none that is derived does.
    #[must_use]
    pub fn beyond(&self, knot: Option<&Knot>) -> Polynomial {
        let mut sum = Polynomial::zero();
        for (product, coefficient) in self.terms() {
            let mut sign = 1;
            let mut vanishes = false;
            for (function, exponent) in product.factors() {
                match function {
                    Function::Erf(t) if knot.is_some_and(|knot| t <= knot) => {}
                    Function::Erf(_) if exponent % 2 == 1 => sign = -sign,
                    Function::Erf(_) => {}
                    _ => vanishes = true,
                }
            }
            if !vanishes {
                let still = coefficient.by_powers(&Symbol::Xi2).remove(&0).unwrap_or_default();
                sum = &sum + &still.scale(&integer(sign));
            }
        }
        sum
    }

    /// The expansion in powers of ξ of a form made by [`at_knot`](Self::at_knot).
    #[must_use]
    pub fn expansion(&self) -> Expansion {
        let mut expansion = Expansion::new();
        for (product, coefficient) in self.terms() {
            let gauss: u32 = product.factors().map(|(_, exponent)| exponent).sum();
            for (power, part) in coefficient.by_powers(&Symbol::Xi2) {
                // G on its own knot is √(2/π) ξ, so it counts for one power of ξ.
                let exponent = 2 * power + i32::try_from(gauss).expect("a small exponent");
                let roots = expansion.entry(exponent).or_default();
                let index = gauss as usize;
                if roots.len() <= index {
                    roots.resize(index + 1, Polynomial::zero());
                }
                roots[index] = &roots[index] + &part;
            }
        }
        expansion.retain(|_, roots| roots.iter().any(|part| !part.is_zero()));
        expansion
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;
    use crate::exact::ratio;

    #[test]
    fn relu_on_its_knot() {
        let relu = Activation::parse("max(0, x)").expect("valid");
        let knot = &relu.function.knots()[0];
        let half = Polynomial::constant(ratio(1, 2));
        // E[g] = ½ √(2/π) ξ, so ∂E[g]/∂ξ² = ¼ √(2/π)/ξ has a pole.
        let mean = relu.moment(1).expect("a low order").form().clone();
        let expected = Expansion::from([(1, vec![Polynomial::zero(), half.clone()])]);
        assert_eq!(mean.at_knot(knot).expansion(), expected);
        let slope = mean.derivative(&Symbol::Xi2).at_knot(knot).expansion();
        assert_eq!(slope.keys().copied().collect::<Vec<_>>(), [-1]);
    }
}
