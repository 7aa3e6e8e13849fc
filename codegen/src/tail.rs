//! The contribution of one piece to expectations and their derivatives in γ: tails at its knots, or integrals of powers
//! if it is narrow, and straight.
//!
//! The derivatives of the mean are E\[p⁽ᵏ⁾\] over the pieces and, from the knots, the jumps of g and its
//! derivatives there ([`Contributions::flux`]): neighbouring pieces never cancel each other's
//! boundary terms, so that the error is small against E|g′| and E|g″|. The derivatives of the
//! variance are E\[f He_k(z)\]/ξᵏ with f the integrand of the variance, in the tails by their
//! recurrence: there the error is to be small against the variance, not against the slopes of
//! narrow pieces.

use gaussform_symbolic::exact::{self, factorial, integer};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Difference};

use crate::builder::{Builder, constant, input, is_zero, zero};
use crate::ir::{Condition, Input, Operand, Product};
use crate::quotient::Words;
use crate::rounding::approximate;
use crate::xi_term::XiTerm;

/// A function on the pieces, and how many of its derivatives in γ are needed.
pub(crate) enum Integrand<'a> {
    /// The k-th derivative of a polynomial less a number, for k = 0, 1, …, `count` − 1.
    Derivatives {
        /// T or g, or their derivative in a parameter.
        factor: Factor<'a>,
        /// How many.
        count: usize,
    },
    /// He_k(z)/ξᵏ times a product of two factors, for k = 0, 1, …, `count` − 1.
    Product {
        /// The factors.
        factors: [Factor<'a>; 2],
        /// How many.
        count: usize,
    },
}

/// Where tails at a knot reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// To the left of the knot.
    Left,
    /// To the right of the knot.
    Right,
    /// Away from γ, lane by lane; to the left with the opposite sign, as the jump of a function has when it is
    /// crossed from the right.
    Away,
}

/// A polynomial less a number.
#[derive(Clone)]
pub(crate) struct Factor<'a> {
    pub(crate) polynomial: Polynomial,
    pub(crate) less: Less<'a>,
}

/// The number that is subtracted from a polynomial.
#[derive(Clone)]
pub(crate) enum Less<'a> {
    /// No number.
    Nothing,
    /// A number.
    Number(Operand),
    /// The value of a polynomial at a knot, exactly, and a number for each knot: together the same
    /// for all knots.
    AtKnots(&'a Polynomial, &'a [Operand]),
}

impl Factor<'_> {
    pub(crate) fn whole(polynomial: Polynomial) -> Self {
        Self { polynomial, less: Less::Nothing }
    }
}

impl Integrand<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Derivatives { count, .. } | Self::Product { count, .. } => *count,
        }
    }
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

    /// The expectation of each integrand over the piece of `difference`, which is known to be narrow if γ lies on it.
    /// Products over a narrow piece are left out: they are integrals of a [`product`](Self::product).
    pub(crate) fn of(
        &self,
        b: &mut Builder,
        difference: &Difference,
        own: bool,
        integrands: &[Integrand<'_>],
    ) -> Vec<Vec<XiTerm>> {
        let beyond = if difference.right { Beyond::Right } else { Beyond::Left };
        let Some(far) = difference.far else {
            return self.tails(b, difference.near, beyond, integrands);
        };
        let narrow = |b: &mut Builder| self.narrow(b, difference.piece, integrands);
        let flat = if own {
            narrow(b)
        } else {
            b.branch(Condition::Narrow(difference.piece), 2, |b, arm| match arm {
                0 => narrow(b),
                _ => {
                    let near = self.tails(b, difference.near, beyond, integrands);
                    let far = self.tails(b, far, beyond, integrands);
                    let pairs = near.into_iter().flatten().zip(far.into_iter().flatten());
                    // The tails at both knots reach to infinity, so that their difference is the
                    // piece. Both arms of a branch give plain numbers: powers of ξ are multiplied
                    // in.
                    pairs.map(|(near, far)| near.minus(b, far).in_units(b)).collect()
                }
            })
        };
        let mut values = flat.into_iter().map(|value| XiTerm::dense(value, 0));
        let all = integrands.iter();
        all.map(|integrand| values.by_ref().take(integrand.count()).collect()).collect()
    }

    /// Two factors on a bounded piece, which is straight. Numbers are subtracted from the values of the factors at its
    /// nearer knot.
    pub(crate) fn product(
        &self,
        b: &mut Builder,
        place: &Difference,
        factors: &[Factor<'_>; 2],
        less: Operand,
    ) -> Product {
        let [first, second] = factors.each_ref().map(|factor| {
            let (polynomial, less) = self.at_knot(place.near, factor);
            self.line(b, place.piece, &polynomial, less)
        });
        Product { first, second, less }
    }

    /// No factors: for the piece around γ whose own polynomial is subtracted.
    pub(crate) fn no_product(&self) -> Product {
        // A line has two coefficients, middle and rise, and this stands in its place.
        let factor = vec![zero(); 2];
        Product { first: factor.clone(), second: factor, less: zero() }
    }

    pub(crate) fn degree(&self) -> usize {
        usize::try_from(self.activation.function.degree()).unwrap_or(0)
    }

    /// The contribution of the jumps of a function and its derivatives at a knot to the k-th derivative of its
    /// expectation, for k < `count`: φ(z) Σ_{j<k} ξʲ⁻ᵏ Δ_j He_{k−1−j}(z) with Δ_j the jump of the j-th derivative.
    pub(crate) fn flux(
        &self,
        b: &mut Builder,
        knot: usize,
        sides: [&Polynomial; 2],
        count: usize,
    ) -> Vec<XiTerm> {
        let jumps = self.taylor(b, knot, &(sides[1] - sides[0]));
        let of = |b: &mut Builder, k: usize| {
            let jumps = jumps.iter().enumerate().take(k);
            jumps.fold(XiTerm::zero(), |sum, (j, jump)| {
                let order = factorial(u32::try_from(j).expect("a small degree"));
                let height = b.scale(jump.clone(), &order);
                let hermite = hermite(b, k - 1 - j, &input(Input::SignedDistance(knot)));
                let value = b.multiply(height, hermite);
                let value = b.multiply(value, input(Input::Density(knot)));
                sum.plus(b, XiTerm::dense(value, order_of(j) - order_of(k)))
            })
        };
        (0..count).map(|k| of(b, k)).collect()
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
        // Sums of parameters may cancel, and small widths come from their differences.
        if polynomial.len() > 1 || polynomial.denominator().is_some() {
            return b.word(self.words.quotient(polynomial));
        }
        let coefficients: Vec<Operand> =
            polynomial.coefficients(symbol).iter().map(|c| self.coefficient(b, c)).collect();
        b.horner(&coefficients, &input(Input::Parameter(self.words.parameter(symbol))))
    }

    /// The coefficients of a polynomial in powers of u − t.
    pub(crate) fn taylor(
        &self,
        b: &mut Builder,
        knot: usize,
        polynomial: &Polynomial,
    ) -> Vec<Operand> {
        let centre = self.activation.function.knots()[knot].polynomial();
        let taylor = polynomial.taylor(&Symbol::Variable, &centre);
        taylor.iter().map(|c| self.coefficient(b, c)).collect()
    }

    /// The Taylor coefficients of a factor at a knot, at least one.
    fn expansion(&self, b: &mut Builder, knot: usize, factor: &Factor<'_>) -> Vec<Operand> {
        let (polynomial, less) = self.at_knot(knot, factor);
        let mut coefficients = self.taylor(b, knot, &polynomial);
        // The number is taken from the first coefficient, so there is one in any case.
        if coefficients.is_empty() {
            coefficients.push(zero());
        }
        if let Some(less) = less {
            coefficients[0] = b.subtract(coefficients[0].clone(), less);
        }
        coefficients
    }

    /// A factor as a polynomial less a number, near a knot.
    fn at_knot(&self, knot: usize, factor: &Factor<'_>) -> (Polynomial, Option<Operand>) {
        let polynomial = factor.polynomial.clone();
        match &factor.less {
            Less::Nothing => (polynomial, None),
            Less::Number(number) => (polynomial, Some(number.clone())),
            Less::AtKnots(level, numbers) => {
                let place = self.activation.function.knots()[knot].polynomial();
                let level = level.substitute(&Symbol::Variable, &place);
                (&polynomial - &level, Some(numbers[knot].clone()))
            }
        }
    }

    /// Everything beyond a knot.
    fn tails(
        &self,
        b: &mut Builder,
        knot: usize,
        beyond: Beyond,
        integrands: &[Integrand<'_>],
    ) -> Vec<Vec<XiTerm>> {
        let of = |b: &mut Builder, integrand: &Integrand<'_>| match integrand {
            Integrand::Derivatives { factor, count } => {
                let coefficients = self.expansion(b, knot, factor);
                derivatives(b, knot, beyond, &coefficients, *count)
            }
            Integrand::Product { factors, count } => {
                let factors = factors.each_ref().map(|factor| self.expansion(b, knot, factor));
                products(b, knot, beyond, &factors, *count)
            }
        };
        integrands.iter().map(|integrand| of(b, integrand)).collect()
    }

    /// Integrals of the integrands over a narrow piece, for derivatives: sums of the integrals of a basis.
    fn narrow(&self, b: &mut Builder, piece: usize, integrands: &[Integrand<'_>]) -> Vec<Operand> {
        let mut results = Vec::new();
        for integrand in integrands {
            match integrand {
                Integrand::Derivatives { factor, count } => {
                    // A bounded piece is expanded around the knot to its left, whose number is
                    // one less.
                    let (mut derivative, mut less) = self.at_knot(piece - 1, factor);
                    for _ in 0..*count {
                        // Only the function itself is less a number, and its derivatives are not.
                        let line = self.line(b, piece, &derivative, less.take());
                        results.push(integral(b, piece, &line));
                        derivative = derivative.derivative(&Symbol::Variable);
                    }
                }
                Integrand::Product { count, .. } => {
                    results.extend(std::iter::repeat_n(zero(), *count));
                }
            }
        }
        results
    }

    /// A straight line less a number by its middle on a bounded piece and half its rise.
    pub(crate) fn line(
        &self,
        b: &mut Builder,
        piece: usize,
        polynomial: &Polynomial,
        less: Option<Operand>,
    ) -> Vec<Operand> {
        let [from, to] =
            [piece - 1, piece].map(|i| self.activation.function.knots()[i].polynomial());
        let mut taylor = polynomial.taylor(&Symbol::Variable, &from);
        // A constant has no slope, but a line has two coefficients.
        taylor.resize(2, Polynomial::zero());
        let left = &taylor[0];
        let right = left + &(&taylor[1] * &(&to - &from));
        // These are polynomials in the parameters, so nothing cancels here.
        let halves = [&right + left, &right - left].map(|p| p.scale(&exact::ratio(1, 2)));
        let [mut middle, rise] = halves.each_ref().map(|p| self.coefficient(b, p));
        if let Some(less) = less {
            middle = b.subtract(middle, less);
        }
        vec![middle, rise]
    }
}

/// Σ cⱼ times the integral of τʲ.
fn integral(b: &mut Builder, piece: usize, coefficients: &[Operand]) -> Operand {
    let terms = coefficients.iter().enumerate();
    terms.fold(zero(), |sum, (j, coefficient)| {
        let term = b.multiply(coefficient.clone(), input(Input::Integral(piece, j)));
        b.add(sum, term)
    })
}

/// An order as an exponent.
fn order_of(k: usize) -> i32 {
    i32::try_from(k).expect("a small degree")
}

/// A polynomial that is a number.
fn number(coefficients: &[Operand]) -> Option<&Operand> {
    let (number, rest) = coefficients.split_first()?;
    rest.iter().all(is_zero).then_some(number)
}

/// Coefficients of ξ⁻ˡᵒʷ p in powers of ξ(z − s)/ξ, and the lowest power that p has.
fn in_units(b: &mut Builder, coefficients: &[Operand]) -> (Vec<Operand>, usize) {
    let low = coefficients.iter().take_while(|c| is_zero(c)).count();
    let mut power = constant(1);
    let mut scaled = Vec::new();
    for coefficient in &coefficients[low..] {
        scaled.push(b.multiply(coefficient.clone(), power.clone()));
        power = b.multiply(power, input(Input::Xi));
    }
    (scaled, low)
}

/// E\[p⁽ᵏ⁾\] over what lies beyond a knot for k < `count`, from the coefficients of p in powers of u − t.
pub(crate) fn derivatives(
    b: &mut Builder,
    knot: usize,
    beyond: Beyond,
    coefficients: &[Operand],
    count: usize,
) -> Vec<XiTerm> {
    let orders = 0..count;
    orders.map(|k| tail(b, knot, beyond, coefficients, k).shift(-order_of(k))).collect()
}

/// E\[p q He_k(z)\]/ξᵏ over what lies beyond a knot for k < `count`, from the coefficients of p and q in powers of u − t.
pub(crate) fn products(
    b: &mut Builder,
    knot: usize,
    beyond: Beyond,
    factors: &[Vec<Operand>; 2],
    count: usize,
) -> Vec<XiTerm> {
    // Two constants go on below, where their product folds into one.
    if let (1, [Some(first), Some(second)]) = (count, factors.each_ref().map(|f| number(f)))
        && !matches!((first, second), (Operand::Constant(_), Operand::Constant(_)))
    {
        // One after the other: the tail is multiplied with the first for the derivatives too.
        let value = term(b, knot, beyond, first, 0, 0);
        return vec![XiTerm::dense(b.multiply(value, second.clone()), 0)];
    }
    // In powers of ξ(z − s): each coefficient takes its power of ξ along, so that none is squared that is
    // large only because ξ is small.
    let [(first, low), (second, lower)] = factors.each_ref().map(|factor| in_units(b, factor));
    let product = convolve(b, &first, &second);
    let xi = order_of(low + lower);
    // The place of a term says the order of its tail, so what was taken out stays as zeros.
    let zeros = std::iter::repeat_n(zero(), low + lower);
    let shifted: Vec<Operand> = zeros.chain(product).collect();
    let orders = 0..count;
    orders.map(|k| product_tail(b, knot, beyond, &shifted, k).shift(xi - order_of(k))).collect()
}

/// ξᵏ E\[p⁽ᵏ⁾\] over what lies beyond a knot, from the coefficients of p in powers of u − t:
/// φ(s) Σ_{j≥k} cⱼ σʲ⁺ᵏ j! ξʲ R_{j−k}(s).
fn tail(
    b: &mut Builder,
    knot: usize,
    beyond: Beyond,
    coefficients: &[Operand],
    k: usize,
) -> XiTerm {
    // Lower powers vanish in the k-th derivative.
    let lowest = coefficients.iter().take_while(|c| is_zero(c)).count().max(k);
    if lowest >= coefficients.len() {
        return XiTerm::zero();
    }
    let terms = coefficients.iter().enumerate().skip(lowest);
    let terms: Vec<Operand> = terms.map(|(j, c)| term(b, knot, beyond, c, j, k)).collect();
    let value = b.horner(&terms, &input(Input::Xi));
    XiTerm::dense(value, order_of(lowest))
}

/// ξᵏ ∂ᵏ/∂γᵏ of E\[p\] over what lies beyond a knot, for coefficients that hold their powers of ξ
/// already: also with the terms below k.
fn product_tail(
    b: &mut Builder,
    knot: usize,
    beyond: Beyond,
    coefficients: &[Operand],
    k: usize,
) -> XiTerm {
    let terms = coefficients.iter().enumerate().filter(|(_, c)| !is_zero(c));
    let terms: Vec<Operand> = terms.map(|(j, c)| term(b, knot, beyond, c, j, k)).collect();
    let value = terms.into_iter().fold(zero(), |sum, term| b.add(sum, term));
    XiTerm::dense(value, 0)
}

/// c σʲ⁺ᵏ j! h R_{j−k}
fn term(b: &mut Builder, knot: usize, beyond: Beyond, c: &Operand, j: usize, k: usize) -> Operand {
    let is_even = (j + k).is_multiple_of(2);
    let sign = if beyond == Beyond::Left && !is_even { -1 } else { 1 };
    let n = u32::try_from(j).expect("a small degree");
    let weight = b.scale(c.clone(), &(factorial(n) * integer(sign)));
    let mut ratio = ratio(b, knot, j, k);
    if beyond == Beyond::Away && is_even {
        // −σʲ⁺ᵏ to the left.
        let negative = b.negate(ratio.clone());
        ratio = b.side(knot, ratio, negative);
    }
    b.multiply(weight, ratio)
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

/// h R_{j−k}(s): a tail, or for negative order a Hermite polynomial, because ∂/∂s lowers the
/// order and R₋₁ = 1.
fn ratio(b: &mut Builder, knot: usize, j: usize, k: usize) -> Operand {
    match j.checked_sub(k) {
        Some(order) => input(Input::Tail(knot, order)),
        None => {
            let hermite = hermite(b, k - j - 1, &input(Input::Distance(knot)));
            b.multiply(hermite, input(Input::Density(knot)))
        }
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
