//! A polynomial at u = γ, accurate where it nearly vanishes.

use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use num_traits::One;

use crate::builder::{Builder, input};
use crate::ir::{Input, Operand};
use crate::tail::Contributions;

impl Contributions<'_> {
    /// A polynomial in u, that of a piece or one made from it, at u = γ: in double-word arithmetic
    /// where a plain sum would cancel, and around an end of the piece where powers of u itself could
    /// cancel by more than that: an end that moves, or one at which the polynomial vanishes to
    /// second order.
    pub(super) fn at_gamma(
        &self,
        b: &mut Builder,
        piece: usize,
        polynomial: &Polynomial,
    ) -> Operand {
        let coefficients = polynomial.coefficients(&Symbol::Variable);
        if is_benign(&coefficients) {
            let values: Vec<Operand> =
                coefficients.iter().map(|c| self.coefficient(b, c)).collect();
            return b.horner(&values, &input(Input::Gamma));
        }
        let knots = self.activation.function.knots();
        let ends = [piece.checked_sub(1), Some(piece).filter(|i| *i < knots.len())];
        let [left, right] = ends.map(|end| {
            end.filter(|i| {
                let taylor = polynomial.taylor(&Symbol::Variable, &knots[*i].polynomial());
                taylor.len() > 1 && taylor.iter().take(2).all(Polynomial::is_zero)
            })
        });
        let moving =
            |end: &Option<usize>| end.filter(|i| matches!(knots[*i], Knot::Parametric { .. }));
        let end = left.or(right).or_else(|| ends.iter().find_map(moving));
        self.over_common_denominator(
            b,
            end,
            &match end {
                Some(knot) => polynomial.taylor(&Symbol::Variable, &knots[knot].polynomial()),
                None => coefficients,
            },
        )
    }

    /// The value of a polynomial given by its coefficients around a knot or 0. Divided one by one they are
    /// rounded, and where they cancel that is what is left; over their common denominator they
    /// are mostly exact.
    fn over_common_denominator(
        &self,
        b: &mut Builder,
        around: Option<usize>,
        coefficients: &[Polynomial],
    ) -> Operand {
        let one = Polynomial::one();
        let below = coefficients.iter().fold(one, |below, c| {
            (c * &below).denominator().map_or(below.clone(), |rest| &below * rest)
        });
        let above = coefficients.iter().map(|c| self.words.quotient(&(c * &below))).collect();
        let value = b.polynomial(around, above);
        if below.as_constant().is_some() {
            return value;
        }
        let inverse = below.reciprocal().expect("a denominator is not 0");
        let inverse = b.word(self.words.quotient(&inverse));
        b.multiply(value, inverse)
    }
}

/// Whether Horner's rule stays accurate near the zeros of the polynomial: a single term, or
/// γ plus or minus a constant that both precisions hold exactly.
fn is_benign(coefficients: &[Polynomial]) -> bool {
    let unit = |c: &Rational| c.is_one() || (-c).is_one();
    // A number of single precision has 24 bits.
    let exact = |c: &Rational| {
        let power_of_two = c.denom().trailing_zeros() == Some(c.denom().bits() - 1);
        power_of_two && c.denom().bits() < 64 && c.numer().bits() <= 24
    };
    let is = |c: &Polynomial, test: &dyn Fn(&Rational) -> bool| {
        c.as_constant().is_some_and(|c| test(&c))
    };
    match coefficients {
        [constant, slope] if is(slope, &unit) => is(constant, &exact),
        _ => coefficients.iter().filter(|c| !c.is_zero()).count() <= 1,
    }
}
