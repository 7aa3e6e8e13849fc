//! From the regimes of an activation to the IR of its moments.
//!
//! The formulas stand in [`gaussform_symbolic::Regime`]'s documentation; here are their
//! derivatives in γ, ξ² and the parameters, in terms of Q_k and T̂_k = ξᵏ T_k, Ŝ_k = ξᵏ S_k:
//!
//! - ∂E\[g\]/∂γ = Q₁ + T̂₁/ξ and ∂E\[g\]/∂ξ² = ½ (Q₂ + T̂₂/ξ²),
//! - ∂Var/∂γ = 2 Σ (ξ²ᵏ Q_k Q_{k+1} + ξᵏ⁻¹ Q_k T̂_{k+1} + ξᵏ Q_{k+1} T̂_k)/k! + (Ŝ₁ − 2 T̂₀ T̂₁)/ξ,
//! - ∂Var/∂ξ² = Σ (k ξ²ᵏ⁻² Q_k² + ξ²ᵏ Q_k Q_{k+2})/k! + Σ (ξᵏ⁻² (2k Q_k T̂_k + Q_k T̂_{k+2})
//!   + ξᵏ Q_{k+2} T̂_k)/k! + (½ Ŝ₂ − T̂₀ T̂₂)/ξ²,
//!
//! sums over k ≥ 1. For a parameter θ, with R and U the derivatives of q and T in θ,
//! ∂E\[g\]/∂θ = R₀ + Û₀ and ∂Var/∂θ = 2 Σ (ξ²ᵏ Q_k R_k + ξᵏ (Q_k Û_k + R_k T̂_k))/k!
//! + 2 (E\[TU\] − T̂₀ Û₀); the motion of knots is in `boundary`.

use gaussform_symbolic::exact::{Rational, factorial, integer, ratio};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot, Regime};
use num_traits::One;

use crate::boundary::{Jump, jumps};
use crate::builder::{Builder, input};
use crate::ir::{Block, Condition, Input, Operand};
use crate::scaled::Scaled;
use crate::tail::{Contributions, Integrand};

/// What a function of the kernel returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// mean, second, variance
    Moments,
    /// and the derivatives in γ and ξ²
    Gradient,
    /// the derivatives of mean, second and variance in each parameter
    Parameters,
}

/// Lowers one function of the kernel.
pub(crate) fn lower(activation: &Activation, role: Role) -> Block {
    let lowering = Lowering { contributions: Contributions::new(activation), role };
    let pieces = activation.function.pieces().len();
    Builder::default().block(|b| match pieces {
        1 => lowering.regime(b, 0),
        _ => b.branch(Condition::BasePiece, pieces, |b, base| lowering.regime(b, base)),
    })
}

/// Lowers g itself: a branch on the place of x, which is the input γ here.
pub(crate) fn value(activation: &Activation) -> Block {
    let contributions = Contributions::new(activation);
    let function = &activation.function;
    Builder::default().block(|b| {
        let places = 2 * function.pieces().len() - 1;
        let at = |b: &mut Builder, place: usize| {
            let polynomials =
                if place.is_multiple_of(2) { function.pieces() } else { function.at_knots() };
            vec![contributions.at_gamma(b, place / 2, &polynomials[place / 2])]
        };
        if places == 1 { at(b, 0) } else { b.branch(Condition::Place, places, at) }
    })
}

struct Lowering<'a> {
    contributions: Contributions<'a>,
    role: Role,
}

/// Q_k and T̂_k of a function, with k beyond the last as zero.
pub(crate) struct Parts {
    pub(crate) q: Vec<Scaled>,
    t: Vec<Scaled>,
}

impl Parts {
    pub(crate) fn q(&self, k: usize) -> Scaled {
        self.q.get(k).cloned().unwrap_or_else(Scaled::zero)
    }

    pub(crate) fn t(&self, k: usize) -> Scaled {
        self.t[k].clone()
    }

    /// Q_k shifted by a power of ξ, times T̂_j or Q_j of the same or another function.
    pub(crate) fn product(b: &mut Builder, a: &Scaled, c: &Scaled, xi: usize) -> Scaled {
        let xi = i32::try_from(xi).expect("a small degree");
        a.times(b, c).shift(xi)
    }
}

impl Lowering<'_> {
    fn regime(&self, b: &mut Builder, base: usize) -> Vec<Operand> {
        let activation = self.contributions.activation;
        let regime = Regime::new(&activation.function, base);
        let polynomial = regime.polynomial().clone();
        let degree = usize::try_from(polynomial.degree(&Symbol::Variable)).unwrap_or(0);
        let (orders, squares) = match self.role {
            Role::Moments => (degree + 1, 1),
            Role::Gradient => (degree + 3, 3),
            Role::Parameters => (degree + 1, 0),
        };
        let parameters: Vec<Symbol> = match self.role {
            Role::Parameters => {
                activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone())).collect()
            }
            _ => Vec::new(),
        };

        // T, then T² or, for each parameter, U and TU.
        let mut t = vec![Scaled::zero(); orders];
        let mut s = vec![Scaled::zero(); squares];
        let mut u = vec![(vec![Scaled::zero(); orders], Scaled::zero()); parameters.len()];
        for difference in regime.differences() {
            let p = difference.polynomial.clone();
            let mut integrands = vec![
                Integrand { polynomials: vec![p.clone()], count: orders },
                Integrand { polynomials: vec![p.clone(), p.clone()], count: squares },
            ];
            for symbol in &parameters {
                let d = p.derivative(symbol);
                integrands.push(Integrand { polynomials: vec![d.clone()], count: orders });
                integrands.push(Integrand { polynomials: vec![p.clone(), d], count: 1 });
            }
            let mut parts = self.contributions.of(b, &difference, &integrands).into_iter();
            let mut next = || parts.next().expect("one for each integrand");
            accumulate(b, &mut t, next());
            accumulate(b, &mut s, next());
            for (first, cross) in &mut u {
                accumulate(b, first, next());
                accumulate(b, std::slice::from_mut(cross), next());
            }
        }
        let g = Parts { q: self.smooth(b, base, &polynomial, degree), t };
        match self.role {
            Role::Moments => {
                let (mean, variance) = self.moments(b, &g, &s);
                let second = second(b, &mean, &variance);
                vec![mean, second, variance]
            }
            Role::Gradient => {
                let (mean, variance) = self.moments(b, &g, &s);
                let second = second(b, &mean, &variance);
                let mut results = vec![mean, second, variance];
                results.extend(self.gradient(b, &g, &s));
                results
            }
            Role::Parameters => {
                let mean = g.t(0).plus(b, g.q(0)).finish(b, 0);
                let jumps = jumps(activation, &polynomial);
                let mut results = Vec::new();
                for (symbol, (first, cross)) in parameters.iter().zip(u) {
                    let q = self.smooth(b, base, &polynomial.derivative(symbol), degree);
                    let h = Parts { q, t: first };
                    let flux = self.fluxes(b, &g, &jumps, symbol);
                    results.extend(self.parameter(b, &mean, &g, &h, cross, flux));
                }
                results
            }
        }
    }

    /// Q₀, Q₁, … up to the degree.
    fn smooth(
        &self,
        b: &mut Builder,
        base: usize,
        polynomial: &Polynomial,
        degree: usize,
    ) -> Vec<Scaled> {
        let order = |k: usize| u32::try_from(k).expect("a small degree");
        let values = (0..=degree).map(|k| {
            let by_xi2: Vec<Operand> = Regime::smooth(polynomial, order(k))
                .iter()
                .map(|p| self.contributions.at_gamma(b, base, p))
                .collect();
            Scaled::new(b.horner(&by_xi2, &input(Input::Xi2)), 0)
        });
        values.collect()
    }

    fn moments(&self, b: &mut Builder, g: &Parts, s: &[Scaled]) -> (Operand, Operand) {
        let mean = g.t(0).plus(b, g.q(0)).finish(b, 0);
        let square = g.t(0).times(b, &g.t(0));
        let mut tails = s[0].clone().minus(b, square);
        let mut smooth = Scaled::zero();
        for k in 1..g.q.len() {
            let weight = inverse_factorial(k);
            let cross = Parts::product(b, &g.q(k), &g.t(k), k);
            let cross = cross.scale(b, &(&weight * integer(2)));
            tails = tails.plus(b, cross);
            let square = Parts::product(b, &g.q(k), &g.q(k), 2 * k).scale(b, &weight);
            smooth = smooth.plus(b, square);
        }
        let variance = tails.plus(b, smooth).finish(b, 0);
        (mean, b.variance(variance))
    }

    fn gradient(&self, b: &mut Builder, g: &Parts, s: &[Scaled]) -> [Operand; 4] {
        let half = ratio(1, 2);
        let two = integer(2);
        let dmean_dgamma = g.t(1).shift(-1).plus(b, g.q(1)).finish(b, 0);
        let dmean_dxi2 = g.t(2).shift(-2).plus(b, g.q(2)).scale(b, &half).finish(b, 0);

        let cross = Parts::product(b, &g.t(0), &g.t(1), 0).scale(b, &two);
        let mut in_gamma = s[1].clone().minus(b, cross).shift(-1);
        let square = s[2].clone().scale(b, &half);
        let cross = g.t(0).times(b, &g.t(2));
        let mut in_xi2 = square.minus(b, cross).shift(-2);
        let mut smooth_gamma = Scaled::zero();
        let mut smooth_xi2 = Scaled::zero();
        for k in 1..g.q.len() {
            let weight = inverse_factorial(k);
            let order = integer(i64::try_from(k).expect("a small degree"));

            let right = Parts::product(b, &g.q(k), &g.t(k + 1), k - 1);
            let left = Parts::product(b, &g.q(k + 1), &g.t(k), k);
            let both = right.plus(b, left).scale(b, &(&two * &weight));
            in_gamma = in_gamma.plus(b, both);
            let smooth = Parts::product(b, &g.q(k), &g.q(k + 1), 2 * k);
            let smooth = smooth.scale(b, &(&two * &weight));
            smooth_gamma = smooth_gamma.plus(b, smooth);

            let own = g.t(k).scale(b, &(&two * &order)).plus(b, g.t(k + 2));
            let own = Parts::product(b, &g.q(k), &own, k).shift(-2);
            let next = Parts::product(b, &g.q(k + 2), &g.t(k), k);
            let both = own.plus(b, next).scale(b, &weight);
            in_xi2 = in_xi2.plus(b, both);
            let square = Parts::product(b, &g.q(k), &g.q(k), 2 * k - 2).scale(b, &order);
            let next = Parts::product(b, &g.q(k), &g.q(k + 2), 2 * k);
            let smooth = square.plus(b, next).scale(b, &weight);
            smooth_xi2 = smooth_xi2.plus(b, smooth);
        }
        let dvariance_dgamma = in_gamma.plus(b, smooth_gamma).finish(b, 0);
        let dvariance_dxi2 = in_xi2.plus(b, smooth_xi2).finish(b, 0);
        [dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2]
    }

    /// What the motion of the knots adds to ∂E\[g\]/∂θ and ½ ∂Var/∂θ.
    fn fluxes(&self, b: &mut Builder, g: &Parts, jumps: &[Jump], theta: &Symbol) -> [Scaled; 2] {
        let mut sums = [Scaled::zero(), Scaled::zero()];
        for jump in jumps {
            let flux = jump.flux(b, &self.contributions, theta);
            if !flux.is_zero() {
                let level = jump.level(b, &self.contributions, g);
                let level = level.times(b, &flux);
                accumulate(b, &mut sums, vec![flux, level]);
            }
        }
        sums
    }

    /// The derivatives of mean, second moment and variance in one parameter.
    fn parameter(
        &self,
        b: &mut Builder,
        mean: &Operand,
        g: &Parts,
        h: &Parts,
        cross: Scaled,
        [flux, level]: [Scaled; 2],
    ) -> [Operand; 3] {
        let dmean = h.t(0).plus(b, h.q(0)).plus(b, flux).finish(b, 0);
        let product = g.t(0).times(b, &h.t(0));
        let mut tails = cross.minus(b, product).plus(b, level);
        let mut smooth = Scaled::zero();
        for k in 1..g.q.len() {
            let weight = inverse_factorial(k);
            let right = Parts::product(b, &g.q(k), &h.t(k), k);
            let left = Parts::product(b, &h.q(k), &g.t(k), k);
            let both = right.plus(b, left).scale(b, &weight);
            tails = tails.plus(b, both);
            let product = Parts::product(b, &g.q(k), &h.q(k), 2 * k).scale(b, &weight);
            smooth = smooth.plus(b, product);
        }
        let dvariance = tails.plus(b, smooth).scale(b, &integer(2)).finish(b, 0);
        let twice = b.scale(mean.clone(), &integer(2));
        let square = b.multiply(twice, dmean.clone());
        let dsecond = b.add(dvariance.clone(), square);
        [dmean, dsecond, dvariance]
    }
}

impl Contributions<'_> {
    /// A polynomial in u, that of a piece or one made from it, at u = γ: in double-word arithmetic
    /// where a plain sum would cancel, and around an end of the piece that moves, where powers
    /// of u itself could cancel by more than that.
    fn at_gamma(&self, b: &mut Builder, piece: usize, polynomial: &Polynomial) -> Operand {
        let coefficients = polynomial.coefficients(&Symbol::Variable);
        if is_benign(&coefficients) {
            let values: Vec<Operand> =
                coefficients.iter().map(|c| self.coefficient(b, c)).collect();
            return b.horner(&values, &input(Input::Gamma));
        }
        let knots = self.activation.function.knots();
        let moves = |i: &usize| matches!(knots.get(*i), Some(Knot::Parametric { .. }));
        let around = piece.checked_sub(1).filter(moves).or(Some(piece).filter(moves));
        let coefficients = match around {
            Some(knot) => polynomial.taylor(&Symbol::Variable, &knots[knot].polynomial()),
            None => coefficients,
        };
        b.polynomial(around, coefficients.iter().map(|c| self.words.quotient(c)).collect())
    }
}

/// Whether Horner's rule stays accurate near the zeros of the polynomial: a single term, or
/// γ plus or minus a constant that both precisions hold exactly.
fn is_benign(coefficients: &[Polynomial]) -> bool {
    let unit = |c: &Rational| c.is_one() || (-c).is_one();
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

fn accumulate(b: &mut Builder, sums: &mut [Scaled], parts: Vec<Scaled>) {
    for (sum, part) in sums.iter_mut().zip(parts) {
        *sum = std::mem::replace(sum, Scaled::zero()).plus(b, part);
    }
}

fn second(b: &mut Builder, mean: &Operand, variance: &Operand) -> Operand {
    let square = b.multiply(mean.clone(), mean.clone());
    b.add(variance.clone(), square)
}

pub(crate) fn inverse_factorial(k: usize) -> Rational {
    factorial(u32::try_from(k).expect("a small degree")).recip()
}
