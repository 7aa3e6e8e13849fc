//! Forms of two pre-activations u and w: multiplication by one of them under the expectation, what
//! forms become where u and w are independent, and where they are the same.

use super::{Axis, Form, Function, Product};
use crate::exact::integer;
use crate::polynomial::{Monomial, Polynomial, Symbol};

impl Form {
    /// The operator γ + ξ² ∂_γ + σ ∂_γ′: from E\[f(u, w)\] to E\[u f(u, w)\] (Stein's lemma); for
    /// the other axis, from E\[f(u, w)\] to E\[w f(u, w)\].
    #[must_use]
    pub fn times(&self, axis: Axis) -> Self {
        let mean = Polynomial::symbol(axis.mean());
        let along = |slope: &Polynomial| slope.shift(&axis.variance(), 1);
        let across = |slope: &Polynomial| slope * &Polynomial::symbol(Symbol::Covariance);
        let mut sum = Self::zero();
        for (product, coefficient) in self.terms() {
            let [near, far] = [axis, axis.other()].map(|axis| coefficient.derivative(&axis.mean()));
            let raised = &(&mean * coefficient) + &(&along(&near) + &across(&far));
            sum.accumulate(product.clone(), &raised);
            for (function, exponent) in product.factors() {
                let rest = product.without_one(function);
                let factor = coefficient.scale(&integer(i64::from(exponent)));
                let near = function.derivative(&axis.mean()).mapped(along);
                let far = function.derivative(&axis.other().mean()).mapped(across);
                for (inner, slope) in (&near + &far).terms() {
                    sum.accumulate(rest.times(inner), &(&factor * slope));
                }
            }
        }
        sum
    }

    /// A form of u ~ N(γ, ξ²) as one of w ~ N(γ′, ξ′²).
    #[must_use]
    pub fn in_other(&self) -> Self {
        let renamed = |symbol: &Symbol, exponent| match symbol {
            Symbol::Gamma => Polynomial::power(Symbol::GammaOther, exponent),
            Symbol::Xi2 => Polynomial::power(Symbol::Xi2Other, exponent),
            other => Polynomial::power(other.clone(), exponent),
        };
        self.rewritten(renamed, |function| {
            let moved = match function {
                Function::Erf(knot) => Function::ErfOther(knot.clone()),
                Function::Gauss(knot) => Function::GaussOther(knot.clone()),
                other => other.clone(),
            };
            Self::term(Polynomial::one(), moved)
        })
    }

    /// The form for independent u and w, where σ = 0 and Δ = ξ²ξ′²: there every function of both is
    /// a product.
    #[must_use]
    pub fn independent(&self) -> Self {
        let value = |symbol: &Symbol, exponent| match symbol {
            Symbol::Covariance => Polynomial::zero(),
            Symbol::Determinant => {
                Polynomial::power(Symbol::Xi2, exponent).shift(&Symbol::Xi2Other, exponent)
            }
            other => Polynomial::power(other.clone(), exponent),
        };
        let one = |function| Self::term(Polynomial::one(), function);
        self.rewritten(value, |function| match function.clone() {
            Function::Quadrant(s, t) => &one(Function::Erf(s)) * &one(Function::ErfOther(t)),
            Function::Edge(Axis::First, s, t) => {
                &one(Function::Gauss(s)) * &one(Function::ErfOther(t))
            }
            Function::Edge(Axis::Second, s, t) => {
                &one(Function::Erf(s)) * &one(Function::GaussOther(t))
            }
            Function::Corner(s, t) => &one(Function::Gauss(s)) * &one(Function::GaussOther(t)),
            other => one(other),
        })
    }

    /// The limit w → u: γ′ = γ, ξ′² = σ = ξ² and Δ → 0, for a form without divisors Δ whose knots
    /// have a known order. There sgn(u − s) sgn(u − t) = 1 + sgn(u − t) − sgn(u − s) for s < t.
    #[must_use]
    pub fn coincident(&self) -> Self {
        let value = |symbol: &Symbol, exponent| match symbol {
            Symbol::GammaOther => Polynomial::power(Symbol::Gamma, exponent),
            Symbol::Xi2Other | Symbol::Covariance => Polynomial::power(Symbol::Xi2, exponent),
            Symbol::Determinant => Polynomial::zero(),
            other => Polynomial::power(other.clone(), exponent),
        };
        let one = |function| Self::term(Polynomial::one(), function);
        self.rewritten(value, |function| match function.clone() {
            Function::ErfOther(t) => one(Function::Erf(t)),
            Function::GaussOther(t) => one(Function::Gauss(t)),
            Function::Quadrant(s, t) => {
                // For s = t the two signs cancel, and sgn² = 1 is left.
                let (left, right) = (s.clone().min(t.clone()), s.max(t));
                let signs = &one(Function::Erf(right)) - &one(Function::Erf(left));
                &Self::from(Polynomial::one()) + &signs
            }
            // On the edge w is the knot itself, on one side of the other.
            Function::Edge(axis, s, t) => {
                let (on, other) = if axis == Axis::First { (s, t) } else { (t, s) };
                let side = match on.cmp(&other) {
                    std::cmp::Ordering::Less => -1,
                    std::cmp::Ordering::Equal => 0,
                    std::cmp::Ordering::Greater => 1,
                };
                one(Function::Gauss(on)).scale(&integer(side))
            }
            Function::Corner(..) => Self::zero(),
            other => one(other),
        })
    }

    /// The limit of 1, signs and quadrants for (ξ², ξ′², σ) → 0 in proportion, by their functions;
    /// `None` if a coefficient of one of them grows. All other functions vanish off the lines
    /// through the knots, faster than every power.
    #[must_use]
    pub(crate) fn at_zero_variance(&self) -> Option<Self> {
        let mut sum = Self::zero();
        for (product, coefficient) in self.terms() {
            let vanishes = product.factors().any(|(function, _)| {
                let signs = matches!(function, Function::Erf(_) | Function::ErfOther(_));
                !signs && !matches!(function, Function::Quadrant(..))
            });
            if vanishes {
                continue;
            }
            let mut parts = coefficient.graded(degree);
            if parts.keys().next().is_some_and(|lowest| *lowest < 0) {
                return None;
            }
            sum.accumulate(product.clone(), &parts.remove(&0).unwrap_or_default());
        }
        Some(sum)
    }

    fn mapped(&self, map: impl Fn(&Polynomial) -> Polynomial) -> Self {
        let mut mapped = Self::zero();
        for (product, coefficient) in self.terms() {
            mapped.accumulate(product.clone(), &map(coefficient));
        }
        mapped
    }

    fn rewritten(
        &self,
        value: impl Fn(&Symbol, i32) -> Polynomial,
        function: impl Fn(&Function) -> Self,
    ) -> Self {
        let mut sum = Self::zero();
        for (product, coefficient) in self.terms() {
            let coefficient = coefficient.replaced(&value);
            sum.add_product(&coefficient, &expanded(product, &function));
        }
        sum
    }
}

fn expanded(product: &Product, function: impl Fn(&Function) -> Form) -> Form {
    let factors = product.factors().flat_map(|(f, n)| (0..n).map(move |_| f));
    factors.fold(Form::from(Polynomial::one()), |product, f| &product * &function(f))
}

/// The power of a common scale of ξ², ξ′² and σ.
fn degree(monomial: &Monomial) -> i32 {
    let once = [Symbol::Xi2, Symbol::Xi2Other, Symbol::Covariance];
    let sum: i32 = once.iter().map(|symbol| monomial.exponent(symbol)).sum();
    // Δ = ξ²ξ′² − σ² is quadratic in the scale.
    sum + 2 * monomial.exponent(&Symbol::Determinant)
}
