//! Derivatives of moments: those of each function by a table, and those of forms by the rules of sums and products.

use super::form::{Form, Product};
use super::function::{Axis, Function};
use crate::exact::{integer, ratio};
use crate::polynomial::{Polynomial, Symbol};

impl Form {
    /// The partial derivative in γ, ξ², γ′, ξ′², σ or a parameter.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Self {
        let mut sum = Self::zero();
        for (product, coefficient) in &self.0 {
            sum.accumulate(product.clone(), &coefficient.derivative(symbol));
            for (function, exponent) in &product.0 {
                let rest = product.without_one(function);
                let factor = coefficient.scale(&integer(i64::from(*exponent)));
                for (inner, slope) in &function.derivative(symbol).0 {
                    sum.accumulate(rest.times(inner), &(&factor * slope));
                }
            }
        }
        sum
    }

    /// The operator γ + ξ² ∂_γ: from E\[f(u)\] to E\[u f(u)\] (Eq. 14 of the paper).
    ///
    /// On A·E_t + B·G_t it is (γA + ξ²A′)·E_t + (A + tB + ξ²B′)·G_t, which divides by nothing.
    #[must_use]
    pub fn times_u(&self) -> Self {
        let gamma = Symbol::Gamma;
        let slope = |p: &Polynomial| p.derivative(&gamma).shift(&Symbol::Xi2, 1);
        let mut sum = Self::zero();
        for (product, coefficient) in &self.0 {
            let mut factors = product.0.iter();
            match (factors.next(), factors.next()) {
                (None, _) => {
                    let raised = &coefficient.shift(&gamma, 1) + &slope(coefficient);
                    sum.accumulate(product.clone(), &raised);
                }
                (Some((Function::Erf(knot), 1)), None) => {
                    let raised = &coefficient.shift(&gamma, 1) + &slope(coefficient);
                    sum.accumulate(product.clone(), &raised);
                    let gauss = Product([(Function::Gauss(knot.clone()), 1)].into());
                    sum.accumulate(gauss, coefficient);
                }
                (Some((Function::Gauss(knot), 1)), None) => {
                    let raised = &(coefficient * &knot.polynomial()) + &slope(coefficient);
                    sum.accumulate(product.clone(), &raised);
                }
                _ => {
                    // For products the operator is used as it stands. Its factor ξ² cancels the
                    // 1/ξ² of derivatives.
                    let alone = Self::zero().with(product.clone(), coefficient);
                    let raised =
                        alone.derivative(&gamma).multiply(&Polynomial::symbol(Symbol::Xi2));
                    sum = &(&sum + &alone.multiply(&Polynomial::symbol(gamma.clone()))) + &raised;
                }
            }
        }
        sum
    }
}

impl Function {
    /// The partial derivative.
    ///
    /// In a parameter θ only the knots move: ∂/∂θ = −(∂s/∂θ) ∂/∂γ − (∂t/∂θ) ∂/∂γ′.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Form {
        match symbol {
            Symbol::Gamma => self.in_mean(Axis::First),
            Symbol::GammaOther => self.in_mean(Axis::Second),
            Symbol::Xi2 => self.in_variance(Axis::First),
            Symbol::Xi2Other => self.in_variance(Axis::Second),
            Symbol::Covariance => self.in_covariance(),
            Symbol::Parameter(_) => {
                let mut sum = Form::zero();
                for axis in Axis::BOTH {
                    let Some(knot) = self.knot(axis) else { continue };
                    let speed = knot.polynomial().derivative(symbol);
                    if !speed.is_zero() {
                        sum.add_product(&-&speed, &self.in_mean(axis));
                    }
                }
                sum
            }
            _ => Form::zero(),
        }
    }

    /// With v and v′ the variances, the axis first, a and b the distances from the knots:
    ///
    /// E → G/v, G → −(a/v) G, Q → A/v, A → −(a/v) A − (σ/Δ) K, B → (v′/Δ) K,
    /// K → ((σb − v′a)/Δ) K, where A and B are the edges on this axis and on the other.
    fn in_mean(&self, axis: Axis) -> Form {
        let per_variance = |p: Polynomial| p.shift(&axis.variance(), -1);
        let per_determinant = |p: Polynomial| p.shift(&Symbol::Determinant, -1);
        let [_, other] = variances(axis);
        let covariance = Polynomial::symbol(Symbol::Covariance);
        match self {
            Self::Erf(s) if axis == Axis::First => {
                Form::term(per_variance(Polynomial::one()), Self::Gauss(s.clone()))
            }
            Self::ErfOther(t) if axis == Axis::Second => {
                Form::term(per_variance(Polynomial::one()), Self::GaussOther(t.clone()))
            }
            Self::Gauss(_) if axis == Axis::First => {
                Form::term(per_variance(-&self.offset(axis)), self.clone())
            }
            Self::GaussOther(_) if axis == Axis::Second => {
                Form::term(per_variance(-&self.offset(axis)), self.clone())
            }
            Self::Quadrant(s, t) => {
                Form::term(per_variance(Polynomial::one()), Self::Edge(axis, s.clone(), t.clone()))
            }
            Self::Edge(on, s, t) => {
                let corner = Self::Corner(s.clone(), t.clone());
                if *on == axis {
                    let along = Form::term(per_variance(-&self.offset(axis)), self.clone());
                    &along + &Form::term(per_determinant(-&covariance), corner)
                } else {
                    Form::term(per_determinant(other), corner)
                }
            }
            Self::Corner(..) => {
                let (a, b) = (self.offset(axis), self.offset(axis.other()));
                let pull = &(&covariance * &b) - &(&other * &a);
                Form::term(per_determinant(pull), self.clone())
            }
            _ => Form::zero(),
        }
    }

    /// E → −a/(2v²) G, G → (v + a²)/(2v²) G, Q → −a/(2v²) A − σ/(2vΔ) K,
    /// A → (v + a²)/(2v²) A + \[b/Δ − (vb − σa)(Δ + vv′)/(2vΔ²)\] K, B → −v′(v′a − σb)/(2Δ²) K,
    /// K → ½ \[(v′ − b²)/Δ + v′q/Δ\] K with q = (v′a² − 2σab + vb²)/Δ; letters as for the mean.
    fn in_variance(&self, axis: Axis) -> Form {
        let half = ratio(1, 2);
        let [v, other] = variances(axis);
        let covariance = Polynomial::symbol(Symbol::Covariance);
        let over = |p: &Polynomial, variance: i32, determinant: i32| {
            let shifted = p.shift(&axis.variance(), -variance);
            shifted.shift(&Symbol::Determinant, -determinant)
        };
        let (a, b) = (self.offset(axis), self.offset(axis.other()));
        let sinking = || over(&a.scale(&-half.clone()), 2, 0);
        let spreading = || over(&(&v + &a.pow(2)).scale(&half), 2, 0);
        match self {
            Self::Erf(s) if axis == Axis::First => Form::term(sinking(), Self::Gauss(s.clone())),
            Self::ErfOther(t) if axis == Axis::Second => {
                Form::term(sinking(), Self::GaussOther(t.clone()))
            }
            Self::Gauss(_) if axis == Axis::First => Form::term(spreading(), self.clone()),
            Self::GaussOther(_) if axis == Axis::Second => Form::term(spreading(), self.clone()),
            Self::Quadrant(s, t) => {
                let edge = Form::term(sinking(), Self::Edge(axis, s.clone(), t.clone()));
                let corner = over(&covariance.scale(&-half.clone()), 1, 1);
                &edge + &Form::term(corner, Self::Corner(s.clone(), t.clone()))
            }
            Self::Edge(on, s, t) => {
                let corner = Self::Corner(s.clone(), t.clone());
                if *on != axis {
                    let pull = &(&other * &a) - &(&covariance * &b);
                    let slope = over(&(&other * &pull).scale(&-half.clone()), 0, 2);
                    return Form::term(slope, corner);
                }
                let pull = &(&v * &b) - &(&covariance * &a);
                let both = &Polynomial::symbol(Symbol::Determinant) + &(&v * &other);
                let slope = &over(&b, 0, 1) - &over(&(&pull * &both).scale(&half), 1, 2);
                &Form::term(spreading(), self.clone()) + &Form::term(slope, corner)
            }
            Self::Corner(..) => {
                let direct = over(&(&other - &b.pow(2)), 0, 1);
                let slope = &direct + &over(&(&other * &self.quadratic()), 0, 2);
                Form::term(slope.scale(&half), self.clone())
            }
            _ => Form::zero(),
        }
    }

    /// Q → K/Δ, A → v(σb − v′a)/Δ² K for the edge on either axis, K → \[(ab − σ)/Δ − σq/Δ\] K.
    fn in_covariance(&self) -> Form {
        let over = |p: &Polynomial, exponent: i32| p.shift(&Symbol::Determinant, -exponent);
        let covariance = Polynomial::symbol(Symbol::Covariance);
        let [a, b] = Axis::BOTH.map(|axis| self.offset(axis));
        match self {
            Self::Quadrant(s, t) => {
                Form::term(over(&Polynomial::one(), 1), Self::Corner(s.clone(), t.clone()))
            }
            Self::Edge(axis, s, t) => {
                let [v, other] = variances(*axis);
                let (near, far) = if *axis == Axis::First { (a, b) } else { (b, a) };
                let pull = &(&covariance * &far) - &(&other * &near);
                Form::term(over(&(&v * &pull), 2), Self::Corner(s.clone(), t.clone()))
            }
            Self::Corner(..) => {
                let direct = over(&(&(&a * &b) - &covariance), 1);
                let slope = &direct - &over(&(&covariance * &self.quadratic()), 2);
                Form::term(slope, self.clone())
            }
            _ => Form::zero(),
        }
    }

    /// ξ′²a² − 2σab + ξ²b².
    fn quadratic(&self) -> Polynomial {
        let [v, other] = variances(Axis::First);
        let [a, b] = Axis::BOTH.map(|axis| self.offset(axis));
        let mixed = &Polynomial::symbol(Symbol::Covariance) * &(&a * &b);
        &(&(&other * &a.pow(2)) + &(&v * &b.pow(2))) - &mixed.scale(&integer(2))
    }
}

/// The variance of a pre-activation, and that of the other.
fn variances(axis: Axis) -> [Polynomial; 2] {
    [axis, axis.other()].map(|axis| Polynomial::symbol(axis.variance()))
}
