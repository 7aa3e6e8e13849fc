//! Values of closed forms, by those of polynomials and of transcendental functions.

use gaussform_symbolic::derivation::Value;
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::Polynomial;

use super::real::{Real, real, whole};

/// A point at which forms are evaluated.
pub(crate) trait Forms {
    /// The value of a coefficient.
    fn polynomial(&mut self, polynomial: &Polynomial) -> Real;

    /// The value of a function.
    fn function(&mut self, function: &Function) -> Real;

    fn value(&mut self, value: &Value) -> Real {
        let mut sum = whole(0);
        for (product, coefficient) in value.terms() {
            let mut term = real(coefficient);
            for quantity in product {
                let form = value.form_of(quantity).expect("a quantity that occurs");
                term = &term * &self.evaluate(form);
            }
            sum = &sum + &term;
        }
        sum
    }

    fn evaluate(&mut self, form: &Form) -> Real {
        let mut sum = whole(0);
        for (product, coefficient) in form.terms() {
            let mut term = self.polynomial(coefficient);
            for (function, power) in product.factors() {
                let value = self.function(function);
                for _ in 0..power {
                    term = &term * &value;
                }
            }
            sum = &sum + &term;
        }
        sum
    }
}
