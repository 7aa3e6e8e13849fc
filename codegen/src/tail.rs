//! What one piece contributes to T̂_k = ξᵏ ∂ᵏE\[T\]/∂γᵏ: tails at its knots, or quadrature.

use gaussform_symbolic::exact::{factorial, integer};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Difference};

use crate::builder::{Builder, constant, input, is_zero, zero};
use crate::ir::{Condition, Input, Operand};
use crate::rounding::approximate;
use crate::scaled::Scaled;
use crate::word::Words;

/// A function on the pieces other than the base piece, and how many of its derivatives in γ
/// are needed.
pub(crate) struct Integrand {
    /// The factors: T itself, T², or T times its derivative in a parameter.
    pub(crate) polynomials: Vec<Polynomial>,
    /// k = 0, 1, …, `count` − 1.
    pub(crate) count: usize,
}

/// Lowers the contributions of pieces.
pub(crate) struct Contributions<'a> {
    pub(crate) activation: &'a Activation,
    pub(crate) words: Words<'a>,
}

impl<'a> Contributions<'a> {
    pub(crate) fn new(activation: &'a Activation) -> Self {
        Self { activation, words: Words::new(activation) }
    }

    /// For each integrand, ξᵏ ∂ᵏ/∂γᵏ of its expectation over the piece of `difference`.
    pub(crate) fn of(
        &self,
        b: &mut Builder,
        difference: &Difference,
        integrands: &[Integrand],
    ) -> Vec<Vec<Scaled>> {
        let Some(far) = difference.far else {
            return self.tails(b, difference.near, difference.right, integrands);
        };
        let flat = b.branch(Condition::Narrow(difference.piece), 2, |b, arm| match arm {
            0 => self.narrow(b, difference, integrands),
            _ => {
                let near = self.tails(b, difference.near, difference.right, integrands);
                let far = self.tails(b, far, difference.right, integrands);
                let pairs = near.into_iter().flatten().zip(far.into_iter().flatten());
                pairs.map(|(near, far)| near.minus(b, far).finish(b, 0)).collect()
            }
        });
        let mut values = flat.into_iter().map(|value| Scaled::new(value, 0));
        integrands.iter().map(|integrand| values.by_ref().take(integrand.count).collect()).collect()
    }

    /// A quotient of polynomials in the parameters.
    pub(crate) fn coefficient(&self, b: &mut Builder, polynomial: &Polynomial) -> Operand {
        let symbols = polynomial.symbols();
        let Some(symbol @ Symbol::Parameter(_)) = symbols.first() else {
            return match polynomial.denominator() {
                Some(_) => b.word(self.words.quotient(polynomial)),
                None => Operand::Constant(approximate(polynomial)),
            };
        };
        // Where knots move, differences of parameters are what small widths come from.
        let sum = polynomial.len() > 1 && self.words.move_knots();
        if sum || polynomial.denominator().is_some() {
            return b.word(self.words.quotient(polynomial));
        }
        let coefficients: Vec<Operand> =
            polynomial.coefficients(symbol).iter().map(|c| self.coefficient(b, c)).collect();
        b.horner(&coefficients, &input(Input::Parameter(self.words.parameter(symbol))))
    }

    /// The coefficients of the product of the polynomials, in powers of u − t. Factors that
    /// hold parameters are multiplied as numbers: (1 − ε)² cancels when it is expanded.
    fn expansion(&self, b: &mut Builder, knot: usize, integrand: &Integrand) -> Vec<Operand> {
        let centre = self.activation.function.knots()[knot].polynomial();
        let mut product = vec![constant(1)];
        for polynomial in &integrand.polynomials {
            let taylor = polynomial.taylor(&Symbol::Variable, &centre);
            let factor: Vec<Operand> = taylor.iter().map(|c| self.coefficient(b, c)).collect();
            product = convolve(b, &product, &factor);
        }
        product
    }

    /// Everything beyond a knot: φ(s) Σⱼ cⱼ σʲ⁺ᵏ j! ξʲ R_{j−k}(s).
    fn tails(
        &self,
        b: &mut Builder,
        knot: usize,
        right: bool,
        integrands: &[Integrand],
    ) -> Vec<Vec<Scaled>> {
        let mut all = Vec::with_capacity(integrands.len());
        for integrand in integrands {
            let expansion = self.expansion(b, knot, integrand);
            let lowest = expansion.iter().take_while(|c| is_zero(c)).count();
            let tails = (0..integrand.count).map(|k| {
                if lowest == expansion.len() {
                    return Scaled::zero();
                }
                let terms = expansion.iter().enumerate().skip(lowest).map(|(j, c)| {
                    let sign = if right || (j + k) % 2 == 0 { 1 } else { -1 };
                    let n = u32::try_from(j).expect("a small degree");
                    let weight = b.scale(c.clone(), &(factorial(n) * integer(sign)));
                    let ratio = ratio(b, knot, j, k);
                    b.multiply(weight, ratio)
                });
                let terms: Vec<Operand> = terms.collect();
                let sum = b.horner(&terms, &input(Input::Xi));
                let value = b.multiply(input(Input::RootDensity(knot)), sum);
                let xi = i32::try_from(lowest).expect("a small degree");
                Scaled { value, xi, root: Some(knot) }
            });
            all.push(tails.collect());
        }
        all
    }

    /// The same over a narrow piece, by quadrature in w = u − t from its left knot.
    fn narrow(
        &self,
        b: &mut Builder,
        difference: &Difference,
        integrands: &[Integrand],
    ) -> Vec<Operand> {
        let left = difference.piece - 1;
        let factor =
            |polynomial: &Polynomial| Integrand { polynomials: vec![polynomial.clone()], count: 1 };
        let [from, to] =
            [left, difference.piece].map(|i| self.activation.function.knots()[i].polynomial());
        let width = self.coefficient(b, &(&to - &from));
        b.quadrature(difference.piece, width, |b| {
            let w = input(Input::Offset);
            let mut results = Vec::new();
            for integrand in integrands {
                let mut value = constant(1);
                for polynomial in &integrand.polynomials {
                    let coefficients = self.expansion(b, left, &factor(polynomial));
                    let here = b.horner(&coefficients, &w);
                    value = b.multiply(value, here);
                }
                for k in 0..integrand.count {
                    let hermite = hermite(b, k, &input(Input::Score));
                    results.push(b.multiply(value.clone(), hermite));
                }
            }
            results
        })
    }
}

/// The coefficients of the product of two polynomials.
fn convolve(b: &mut Builder, left: &[Operand], right: &[Operand]) -> Vec<Operand> {
    let mut product = vec![zero(); (left.len() + right.len()).saturating_sub(1)];
    for (i, x) in left.iter().enumerate() {
        for (j, y) in right.iter().enumerate() {
            let term = b.multiply(x.clone(), y.clone());
            product[i + j] = b.add(product[i + j].clone(), term);
        }
    }
    product
}

/// R_{j−k}(s): a tail, or for negative order a Hermite polynomial, because ∂/∂s lowers the
/// order and R₋₁ = 1.
fn ratio(b: &mut Builder, knot: usize, j: usize, k: usize) -> Operand {
    match j.checked_sub(k) {
        Some(order) => input(Input::Tail(knot, order)),
        None => hermite(b, k - j - 1, &input(Input::Distance(knot))),
    }
}

/// The probabilists' Hermite polynomial He_k(x).
pub(crate) fn hermite(b: &mut Builder, k: usize, x: &Operand) -> Operand {
    let (mut previous, mut current) = (zero(), constant(1));
    for n in 0..k {
        let raised = b.multiply(x.clone(), current.clone());
        let order = integer(i64::try_from(n).expect("a small degree"));
        let lowered = b.scale(previous, &order);
        previous = current;
        current = b.subtract(raised, lowered);
    }
    current
}
