//! ξ² = 0 with γ on a knot: the limits for ξ → 0, taken from the pieces on both sides of it.
//!
//! Let a and b be the pieces to the left and to the right of the knot t, with coefficients aₖ and bₖ in powers of u − t.
//! Near t all else vanishes faster than every power of ξ, so that with u = t + ξz and hₖ = E\[zᵏ; z > 0\]
//!
//! - E\[g\] = Σ ξᵏ (bₖ + (−1)ᵏ aₖ) hₖ,
//! - ∂E\[g\]/∂γ = E\[g z\]/ξ and ∂E\[g\]/∂ξ² = ½ E\[g (z² − 1)\]/ξ², which are sums of the same kind,
//! - ∂E\[g\]/∂θ is E\[∂g/∂θ\] less what the jumps at the knots sweep over, √(2/π)/(2ξ) ∂t/∂θ (b₀ − a₀).
//!
//! These limits hold for g² too, so no moment has to be derived for them. Off the knots nothing special happens: the tails
//! vanish and Q_k are the derivatives of g. A knot at an irrational number is never hit.

use gaussform_symbolic::exact::{integer, ratio};
use gaussform_symbolic::moment::Expansion;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot, Parameter};

use crate::builder::{Builder, input, zero};
use crate::ir::{AtZeroVariance, Input, Operand};
use crate::quantity::{Moment, Quantity, Variable};
use crate::tail::Contributions;

/// How many coefficients of a piece around a knot reach a limit: the highest derivative, in ξ², divides by ξ².
const REACH: usize = 3;

/// The results of a function of the kernel for ξ² = 0 on each knot.
pub(crate) fn lower(activation: &Activation, quantities: &[Quantity]) -> Vec<AtZeroVariance> {
    if quantities.is_empty() {
        return Vec::new();
    }
    let contributions = Contributions::new(activation);
    let knots = activation.function.knots();
    let runs = (0..knots.len()).flat_map(|first| {
        let last = if may_meet(activation) { knots.len() } else { first + 1 };
        // The longest run of knots that have met decides.
        (first..last).rev().map(move |last| (first, last))
    });
    let is_irrational = |knot: &Knot| matches!(knot, Knot::Algebraic(_));
    let is_hit = |(first, last): &(usize, usize)| !knots[*first..=*last].iter().any(is_irrational);
    let at_zero_variance = runs.filter(is_hit).map(|(first, last)| {
        let near = Near::new(activation, first, last);
        let expansions: Vec<Expansion> = quantities.iter().map(|of| near.expansion(of)).collect();
        let block = Builder::default()
            .block(|b| expansions.iter().map(|of| limit(b, &contributions, of)).collect());
        AtZeroVariance { first, last, block }
    });
    at_zero_variance.collect()
}

/// Whether knots that move may have the same place: no inequality between parameters that is
/// not strict, no knots that meet.
fn may_meet(activation: &Activation) -> bool {
    let closed = |p: &Parameter| [&p.lower, &p.upper].into_iter().flatten().any(|end| end.closed);
    let moves = |knot: &Knot| matches!(knot, Knot::Parametric { .. });
    activation.function.knots().iter().any(moves)
        && (activation.relations.iter().any(|relation| !relation.strict)
            || activation.parameters.iter().any(closed))
}

/// A function next to a knot, or to several knots that have met.
struct Near<'a> {
    activation: &'a Activation,
    /// The first and the last of the knots.
    run: [usize; 2],
    /// The lowest coefficients to the left and to the right, in powers of u − t.
    sides: [Vec<Polynomial>; 2],
    /// The lowest coefficients of g² to the left and to the right, in powers of u − t.
    squares: [Vec<Polynomial>; 2],
}

impl<'a> Near<'a> {
    fn new(activation: &'a Activation, first: usize, last: usize) -> Self {
        let place = activation.function.knots()[first].polynomial();
        let pieces = activation.function.pieces();
        // The pieces between knots that have met are empty.
        let sides = [first, last + 1].map(|piece| lowest(&pieces[piece], &place));
        let squares = sides.each_ref().map(|side| square(side));
        Self { activation, run: [first, last], sides, squares }
    }

    /// The expansion of a quantity for small ξ, up to powers of ξ that no limit needs.
    fn expansion(&self, quantity: &Quantity) -> Expansion {
        match quantity {
            Quantity::Moment(Moment::Mean) => self.mean(),
            Quantity::Moment(Moment::Second) => derivative(&self.squares, 0),
            Quantity::Moment(Moment::Variance) => {
                let mean = self.mean();
                minus(derivative(&self.squares, 0), &times(&mean, &mean))
            }
            Quantity::Derivative(moment, variable) => {
                let [mean, second] = self.slopes(*variable);
                match moment {
                    Moment::Mean => mean,
                    Moment::Second => second,
                    Moment::Variance => {
                        // (Var)′ is E[g²]′ − 2 E[g] E[g]′, and the product is taken off twice.
                        let twice = times(&self.mean(), &mean);
                        minus(minus(second, &twice), &twice)
                    }
                }
            }
        }
    }

    fn mean(&self) -> Expansion {
        derivative(&self.sides, 0)
    }

    /// The derivatives of E\[g\] and E\[g²\].
    fn slopes(&self, variable: Variable) -> [Expansion; 2] {
        match variable {
            Variable::Gamma => [derivative(&self.sides, 1), derivative(&self.squares, 1)],
            Variable::Xi2 => [derivative(&self.sides, 2), derivative(&self.squares, 2)],
            Variable::Parameter(i) => self.in_parameter(i),
        }
    }

    /// The derivatives of E\[g\] and E\[g²\] in a parameter.
    fn in_parameter(&self, parameter: usize) -> [Expansion; 2] {
        let symbol = Symbol::Parameter(self.activation.parameters[parameter].name.clone());
        let [first, last] = self.run;
        let function = &self.activation.function;
        let pieces = function.pieces();
        let at = |p: &Polynomial, knot: usize| {
            p.substitute(&Symbol::Variable, &function.knots()[knot].polynomial())
        };
        let rates = [first, last + 1].map(|piece| at(&pieces[piece].derivative(&symbol), first));
        let still = (&rates[0] + &rates[1]).scale(&ratio(1, 2));
        // ∂(g²) is 2g ∂g, and each side has half of the mass.
        let second = &(&self.sides[0][0] * &rates[0]) + &(&self.sides[1][0] * &rates[1]);
        let mut swept = [Polynomial::zero(), Polynomial::zero()];
        for knot in first..=last {
            let motion = function.knots()[knot].polynomial().derivative(&symbol);
            if motion.is_zero() {
                continue;
            }
            let [left, right] = [knot, knot + 1].map(|piece| at(&pieces[piece], knot));
            let jumps = [&left - &right, &(&left * &left) - &(&right * &right)];
            for (sum, jump) in swept.iter_mut().zip(&jumps) {
                *sum += &(jump * &motion);
            }
        }
        // The second coefficient is that of √(2/π).
        let [of_mean, of_second] =
            swept.map(|sum| vec![Polynomial::zero(), sum.scale(&ratio(1, 2))]);
        [[(-1, of_mean), (0, vec![still])].into(), [(-1, of_second), (0, vec![second])].into()]
    }
}

/// The lowest coefficients of a polynomial in powers of u − t.
fn lowest(polynomial: &Polynomial, place: &Polynomial) -> Vec<Polynomial> {
    let mut derivative = polynomial.clone();
    let mut coefficients = Vec::with_capacity(REACH);
    for k in (1..).take(REACH) {
        coefficients.push(derivative.substitute(&Symbol::Variable, place));
        derivative = derivative.derivative(&Symbol::Variable).scale(&ratio(1, k));
    }
    coefficients
}

/// The lowest coefficients of the square.
fn square(coefficients: &[Polynomial]) -> Vec<Polynomial> {
    let sum = |k: usize| {
        (0..=k).fold(Polynomial::zero(), |sum, i| &sum + &(&coefficients[i] * &coefficients[k - i]))
    };
    (0..coefficients.len()).map(sum).collect()
}

/// ∂ⁿE\[g\]/∂γⁿ/n!, which for n = 2 is ∂E\[g\]/∂ξ², from the coefficients on both sides:
/// Σ ξᵏ⁻ⁿ (bₖ + (−1)ᵏ⁺ⁿ aₖ) E\[zᵏ He_n(z); z > 0\]/n!.
fn derivative([left, right]: &[Vec<Polynomial>; 2], n: usize) -> Expansion {
    let mut expansion = Expansion::new();
    for (k, (a, b)) in left.iter().zip(right).enumerate() {
        // E[zʲ; z > 0] is ½ (j − 1)!!, times √(2/π) for odd j. With He₁ it is that of j = k + 1, and with He₂ it is
        // k times that of j = k.
        let j = if n == 1 { k + 1 } else { k };
        let half = (1..j).rev().step_by(2).fold(ratio(1, 2), |product, i| product * whole(i));
        let weight = if n == 2 { half * ratio(1, 2) * whole(k) } else { half };
        let both = if (k + n).is_multiple_of(2) { b + a } else { b - a };
        let mut roots = vec![Polynomial::zero(); j % 2];
        roots.push(both.scale(&weight));
        expansion.insert(order(k) - order(n), roots);
    }
    expansion
}

fn whole(k: usize) -> gaussform_symbolic::exact::Rational {
    integer(i64::from(order(k)))
}

fn order(k: usize) -> i32 {
    i32::try_from(k).expect("a small order")
}

/// The difference.
fn minus(mut left: Expansion, right: &Expansion) -> Expansion {
    for (exponent, roots) in right {
        let sum = left.entry(*exponent).or_default();
        for (i, part) in roots.iter().enumerate() {
            add(sum, i, &-part);
        }
    }
    left
}

/// The product, up to ξ⁰.
fn times(left: &Expansion, right: &Expansion) -> Expansion {
    let mut product = Expansion::new();
    for (m, a) in left {
        for (n, b) in right.range(..=-m) {
            let sum = product.entry(m + n).or_default();
            for (i, a) in a.iter().enumerate() {
                for (j, b) in b.iter().enumerate() {
                    add(sum, i + j, &(a * b));
                }
            }
        }
    }
    product
}

/// Adds to the coefficient of a power of √(2/π).
fn add(roots: &mut Vec<Polynomial>, power: usize, part: &Polynomial) {
    if roots.len() <= power {
        roots.resize(power + 1, Polynomial::zero());
    }
    roots[power] += part;
}

/// The limit for ξ → 0, infinite if a negative power of ξ is left.
fn limit(b: &mut Builder, contributions: &Contributions<'_>, expansion: &Expansion) -> Operand {
    let evaluate = |b: &mut Builder, roots: &[Polynomial]| {
        let coefficients: Vec<Operand> =
            roots.iter().map(|part| contributions.coefficient(b, part)).collect();
        b.horner(&coefficients, &input(Input::RootTwoOverPi))
    };
    let mut value = expansion.get(&0).map_or_else(zero, |roots| evaluate(b, roots));
    // The most negative power decides, so it comes last and outermost.
    for (_, roots) in expansion.range(..0).rev() {
        let coefficient = evaluate(b, roots);
        value = b.pole(coefficient, value);
    }
    value
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use gaussform_symbolic::exact::Rational;
    use gaussform_symbolic::moment::Form;

    use super::*;

    /// E\[g\] and E\[g²\] as they are derived, near a knot: the same without a look at the pieces.
    fn derived(activation: &Activation, knot: &Knot, quantity: &Quantity) -> Expansion {
        let moments = [1, 2].map(|n| activation.moment(n).expect("little work").form());
        let here = |form: &Form| form.at_knot(knot);
        let [mean, second] = moments.each_ref().map(here);
        let of = |form: Form| form.expansion().into_iter().filter(|(n, _)| *n <= 0).collect();
        let symbol = |variable: &Variable| match variable {
            Variable::Gamma => Symbol::Gamma,
            Variable::Xi2 => Symbol::Xi2,
            Variable::Parameter(i) => Symbol::Parameter(activation.parameters[*i].name.clone()),
        };
        of(match quantity {
            Quantity::Moment(Moment::Mean) => mean,
            Quantity::Moment(Moment::Second) => second,
            Quantity::Moment(Moment::Variance) => &second - &(&mean * &mean),
            Quantity::Derivative(moment, variable) => {
                let slope = |form: &Form| here(&form.derivative(&symbol(variable)));
                let [dmean, dsecond] = moments.each_ref().map(slope);
                match moment {
                    Moment::Mean => dmean,
                    Moment::Second => dsecond,
                    Moment::Variance => &dsecond - &(&mean * &dmean).scale(&integer(2)),
                }
            }
        })
    }

    fn quantities(activation: &Activation) -> Vec<Quantity> {
        let parameters = Quantity::in_parameters(activation.parameters.len());
        [vec![Quantity::Moment(Moment::Second)], Quantity::with_gradient(), parameters].concat()
    }

    /// The terms of an expansion that reach the limit, without trailing zeros.
    fn limits(expansion: Expansion) -> Expansion {
        let trimmed = expansion.into_iter().filter(|(n, _)| *n <= 0).map(|(n, mut roots)| {
            while roots.last().is_some_and(Polynomial::is_zero) {
                roots.pop();
            }
            (n, roots)
        });
        trimmed.filter(|(_, roots)| !roots.is_empty()).collect()
    }

    #[test]
    fn limits_are_those_of_the_derived_moments() {
        for text in [
            "max(0, x)",
            "step(x - 1/3)",
            "clamp(x, -1, 1)",
            "max(0, x)^2",
            "max(0, x)^3 - step(x)",
            "x^2*max(0, 1 - |x|)",
            "|x^2 - 2| - max(x, 1)",
            "piecewise { x < -1: 2 - x; x < 1/2: x^3 - x^2; x < 3: 1; else: x^2 - 4*x }",
            "g(x; eps) = piecewise { x < 0: eps*x; else: x }",
            "g(x; a < b) = clamp(x, a, b)",
            "g(x; a < b, c) = piecewise { x < a: c*x^2; x < b: 1 + a*x; else: b - c^2*x }",
            "g(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)",
        ] {
            let activation = Activation::parse(text).expect("a valid activation");
            for (i, knot) in activation.function.knots().iter().enumerate() {
                let near = Near::new(&activation, i, i);
                for quantity in quantities(&activation) {
                    let expansion = limits(near.expansion(&quantity));
                    let expected = limits(derived(&activation, knot, &quantity));
                    assert_eq!(expansion, expected, "{quantity:?} of {text} at {knot:?}");
                }
            }
        }
    }

    #[test]
    fn knots_that_have_met_count_as_one() {
        let text = "g(x; a <= b, c) = piecewise { x < a: c*x^2; x < b: 1 + a*x; else: b - c^2*x }";
        let activation = Activation::parse(text).expect("a valid activation");
        let near = Near::new(&activation, 0, 1);
        let one = "g(x; a, c) = piecewise { x < a: c*x^2; else: a - c^2*x }";
        let one = Activation::parse(one).expect("a valid activation");
        let alone = Near::new(&one, 0, 0);
        let numbers = [("a", ratio(2, 3)), ("b", ratio(2, 3)), ("c", ratio(-5, 7))];
        let numbers: BTreeMap<Symbol, Rational> = numbers
            .into_iter()
            .map(|(name, value)| (Symbol::Parameter(name.into()), value))
            .collect();
        let value = |expansion: Expansion| {
            let value = |p: &Polynomial| p.evaluate(&numbers).expect("numbers for all");
            let constant = |p: &Polynomial| Polynomial::constant(value(p));
            let of = expansion.into_iter();
            limits(of.map(|(n, roots)| (n, roots.iter().map(constant).collect())).collect())
        };
        for quantity in Quantity::with_gradient() {
            assert_eq!(value(near.expansion(&quantity)), value(alone.expansion(&quantity)));
        }
        // The derivative in a where both knots move is the sum of those in a and in b.
        for moment in [Moment::Mean, Moment::Second, Moment::Variance] {
            let of = |near: &Near<'_>, i: usize| {
                near.expansion(&Quantity::Derivative(moment, Variable::Parameter(i)))
            };
            let both = minus(of(&near, 0), &of(&near, 1).into_iter().map(negated).collect());
            assert_eq!(value(both), value(of(&alone, 0)), "{moment:?}");
            assert_eq!(value(of(&near, 2)), value(of(&alone, 1)), "{moment:?}");
        }
    }

    fn negated((n, roots): (i32, Vec<Polynomial>)) -> (i32, Vec<Polynomial>) {
        (n, roots.iter().map(|part| -part).collect())
    }
}
