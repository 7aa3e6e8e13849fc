//! Limits of forms in γ and in parameters.

use std::collections::BTreeMap;

use super::{Form, Function};
use crate::assumption::{Assumption, Assumptions};
use crate::domain::{Domain, Knot};
use crate::exact::{Rational, factorial, integer};
use crate::polynomial::{Polynomial, Symbol, sign};

/// Where a symbol goes to in a limit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    /// ∞
    Infinity,
    /// −∞
    NegativeInfinity,
    /// A number, from above.
    Above(Rational),
    /// A number, from below.
    Below(Rational),
}

/// Why there is no limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LimitError {
    /// The form grows beyond all bounds, like this power of the distance from a number, or of
    /// the symbol's reciprocal at infinity.
    Divergent(i32),
    /// The declared domains do not decide to which side a knot goes.
    Direction(Polynomial),
    /// The declared domain of the parameter excludes the neighbourhood of the point.
    Excluded,
    /// The moments have no limits by themselves, and expanding what is made of them takes too long.
    TooLarge,
    /// The form is that of two pre-activations.
    Pair,
    /// γ has limits at ±∞, a parameter at ±∞ and at numbers, ξ² none here: its limit depends on
    /// where γ lies.
    Symbol,
}

/// The distance from the point, or the reciprocal at infinity: positive, and on its way to 0.
/// No declared name has such a letter.
fn epsilon() -> Symbol {
    Symbol::Parameter("ε→0".into())
}

impl Form {
    /// The limit in a parameter; in γ at ±∞, the form up to what vanishes there faster than any
    /// power.
    ///
    /// # Errors
    ///
    /// If there is no finite limit, or what is declared does not decide it.
    pub(crate) fn limit(
        &self,
        symbol: &Symbol,
        point: &Point,
        domain: &Domain,
    ) -> Result<Self, LimitError> {
        let mut functions = self.terms().flat_map(|(product, _)| product.factors());
        if functions.any(|(function, _)| function.in_u().is_none()) {
            return Err(LimitError::Pair);
        }
        match (symbol, point) {
            (Symbol::Gamma, Point::Infinity) => Ok(self.far(1)),
            (Symbol::Gamma, Point::NegativeInfinity) => Ok(self.far(-1)),
            (Symbol::Parameter(_), _) => {
                let there = limiting(symbol, point, domain).ok_or(LimitError::Excluded)?;
                let mut sum = Self::zero();
                for (product, coefficient) in self.terms() {
                    let factors: Vec<_> = product.factors().collect();
                    sum = &sum + &term(coefficient, &factors, symbol, point, domain)?;
                }
                Ok(constant_term(&sum)?.with_knots(|knot| match knot {
                    Knot::Parametric { place, .. } => there.knot(place.clone()),
                    number => number.clone(),
                }))
            }
            _ => Err(LimitError::Symbol),
        }
    }

    /// With E_t → ±1 and G_t → 0.
    fn far(&self, sign: i64) -> Self {
        let mut sum = Self::zero();
        for (product, coefficient) in self.terms() {
            let mut value = coefficient.clone();
            for (function, exponent) in product.factors() {
                value = match function {
                    Function::Erf(_) => value.scale(&integer(sign).pow(exponent.cast_signed())),
                    _ => Polynomial::zero(),
                };
            }
            sum = &sum + &value.into();
        }
        sum
    }
}

/// The symbol in terms of ε.
fn approach(point: &Point) -> Polynomial {
    let small = Polynomial::symbol(epsilon());
    let large = || small.reciprocal().expect("ε is not zero");
    match point {
        Point::Infinity => large(),
        Point::NegativeInfinity => -&large(),
        Point::Above(value) => &Polynomial::constant(value.clone()) + &small,
        Point::Below(value) => &Polynomial::constant(value.clone()) - &small,
    }
}

/// The domain of the other parameters close to the point; `None` if the declaration excludes its neighbourhood.
pub(crate) fn limiting(symbol: &Symbol, point: &Point, domain: &Domain) -> Option<Domain> {
    // In powers of ε. What is below is a power of ε, which is positive.
    let near = |assumption: &Assumption| {
        let near = assumption.polynomial.substitute(symbol, &approach(point)).numerator();
        (near.by_powers(&epsilon()), assumption.strict)
    };
    let near: Vec<_> = domain.assumptions().iter().map(near).collect();
    // Close to the point the lowest power of ε has the sign of all.
    let lowest = near.iter().filter_map(|(powers, strict)| {
        let (_, lead) = powers.first_key_value()?;
        Some(Assumption { polynomial: lead.clone(), strict: *strict })
    });
    let others: Vec<Symbol> =
        domain.parameters().filter(|other| *other != symbol).cloned().collect();
    let there = Domain::new(&others, Assumptions::new(lowest), &[])?;
    // Where declarations leave nothing but a border, the lowest power is 0 there, and the next one decides.
    let holds = near.iter().all(|(powers, strict)| {
        let mut signs = powers.values().map(|power| power.evaluate(there.witness()));
        let first = signs.find_map(|value| value.map(|v| sign(&v)).filter(|sign| *sign != 0));
        first.map_or(!strict, |sign| sign > 0)
    });
    holds.then_some(there)
}

/// A term near the point, up to what vanishes there.
fn term(
    coefficient: &Polynomial,
    factors: &[(&Function, u32)],
    symbol: &Symbol,
    point: &Point,
    domain: &Domain,
) -> Result<Form, LimitError> {
    let coefficient = coefficient.substitute(symbol, &approach(point));
    let Some(order) = order(&coefficient) else { return Ok(Form::zero()) };
    // Each factor is expanded as far as the coefficient grows, since later terms vanish.
    let terms = u32::try_from(-order).unwrap_or(0);
    let mut product = Form::from(coefficient);
    for (function, exponent) in factors {
        let near = near(function, symbol, point, terms, domain)?;
        for _ in 0..*exponent {
            product = &product * &near;
        }
    }
    Ok(product)
}

/// A function whose knot moves with ε: its limit where the knot goes to infinity, and else its
/// expansion around the place that the knot goes to.
fn near(
    function: &Function,
    symbol: &Symbol,
    point: &Point,
    terms: u32,
    domain: &Domain,
) -> Result<Form, LimitError> {
    let Some(knot) = function.in_u() else { return Err(LimitError::Pair) };
    let place = knot.polynomial();
    let one = Form::term(Polynomial::one(), function.clone());
    if !place.contains(symbol) {
        return Ok(one);
    }
    let moving = place.substitute(symbol, &approach(point));
    let mut series = laurent(&moving);
    if let Some((exponent, lead)) = series.first_key_value().filter(|(k, _)| **k < 0) {
        debug_assert!(*exponent < 0);
        let side = domain.sign(lead).filter(|sign| *sign != 0);
        let side = side.ok_or_else(|| LimitError::Direction(place.clone()))?;
        return Ok(match function {
            // A knot at ∞ lies to the right of u, where its sign is −1.
            Function::Erf(_) => Polynomial::constant(integer(-i64::from(side))).into(),
            _ => Form::zero(),
        });
    }
    let centre = series.remove(&0).unwrap_or_default();
    let step = &moving - &centre;
    let knot = domain.knot(centre);
    let mut current = match function {
        Function::Erf(_) => Form::term(Polynomial::one(), Function::Erf(knot)),
        _ => Form::term(Polynomial::one(), Function::Gauss(knot)),
    };
    // Taylor's series in the knot: ∂/∂t = −∂/∂γ.
    let mut sum = Form::zero();
    let mut power = Polynomial::one();
    for k in 0..=terms {
        sum = &sum + &current.multiply(&power.scale(&factorial(k).recip()));
        power = &power * &-&step;
        current = current.derivative(&Symbol::Gamma);
    }
    Ok(sum)
}

/// The part that does not depend on ε, if no part grows.
fn constant_term(form: &Form) -> Result<Form, LimitError> {
    let mut limit = Form::zero();
    for (product, coefficient) in form.terms() {
        let series = laurent(coefficient);
        if let Some((exponent, _)) = series.first_key_value().filter(|(k, _)| **k < 0) {
            return Err(LimitError::Divergent(*exponent));
        }
        if let Some(constant) = series.get(&0) {
            limit = limit.with(product.clone(), constant);
        }
    }
    Ok(limit)
}

/// The lowest power of ε in a quotient of polynomials; `None` for 0.
fn order(quotient: &Polynomial) -> Option<i32> {
    let below = quotient.denominator().map_or(0, |below| below.lowest(&epsilon()));
    (!quotient.is_zero()).then(|| quotient.numerator().lowest(&epsilon()) - below)
}

/// The expansion of a quotient of polynomials in ε up to ε⁰.
fn laurent(quotient: &Polynomial) -> BTreeMap<i32, Polynomial> {
    let small = epsilon();
    let above = quotient.numerator().by_powers(&small);
    let below = match quotient.denominator() {
        Some(below) => below.by_powers(&small),
        None => [(0, Polynomial::one())].into(),
    };
    let (start, lead) = below.first_key_value().expect("a denominator is not zero");
    let inverse = lead.reciprocal().expect("a denominator is not zero");
    let lowest = above.keys().next().copied().unwrap_or(0);
    let count = usize::try_from(start - lowest).unwrap_or(0);
    // 1/Σ dᵢ εⁱ, coefficient by coefficient.
    let mut reciprocal: Vec<Polynomial> = Vec::new();
    for n in 0..=count {
        let mut sum = if n == 0 { Polynomial::one() } else { Polynomial::zero() };
        for i in 1..=n {
            let index = start + i32::try_from(i).expect("a small order");
            if let Some(d) = below.get(&index) {
                sum = &sum - &(d * &reciprocal[n - i]);
            }
        }
        reciprocal.push(&sum * &inverse);
    }
    let mut series: BTreeMap<i32, Polynomial> = BTreeMap::new();
    for (exponent, coefficient) in &above {
        for (k, r) in (exponent - start..=0).zip(&reciprocal) {
            let sum = series.entry(k).or_default();
            *sum = &*sum + &(coefficient * r);
        }
    }
    series.retain(|_, coefficient| !coefficient.is_zero());
    series
}
