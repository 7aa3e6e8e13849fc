//! One side: the value of a closed form of two pre-activations.

use std::collections::BTreeMap;

use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::moment::{Axis, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};

use super::Normal;
use super::forms::Forms;
use super::integral::panels;
use super::real::{PRECISION, Real, erf, nodes, pi, real, rounded, whole};

/// Nodes of a panel of Plackett's integral.
const NODES: usize = 40;

/// A point at which forms are evaluated, with the functions that were needed so far.
pub(crate) struct Point {
    means: [Real; 2],
    variances: [Real; 2],
    covariance: Real,
    determinant: Real,
    functions: BTreeMap<Function, Real>,
    rule: Vec<(Real, Real)>,
}

impl Point {
    pub(crate) fn new(normals: &[Normal; 2], [rho, _]: &[Rational; 2]) -> Self {
        let [first, second] = normals;
        let square = |normal: &Normal| &normal.xi * &normal.xi;
        let covariance = rho * &first.xi * &second.xi;
        Self::with(
            [&first.gamma, &second.gamma].map(real),
            [square(first), square(second)].map(|value| real(&value)),
            real(&covariance),
        )
    }

    /// At the numbers γ, γ′, ξ², ξ′² and σ.
    pub(crate) fn at(inputs: [f64; 5]) -> Self {
        let [m1, m2, v1, v2, c] = inputs.map(rounded);
        Self::with([m1, m2], [v1, v2], c)
    }

    fn with(means: [Real; 2], variances: [Real; 2], covariance: Real) -> Self {
        let determinant = &(&variances[0] * &variances[1]) - &(&covariance * &covariance);
        let (functions, rule) = (BTreeMap::new(), nodes(NODES));
        Self { means, variances, covariance, determinant, functions, rule }
    }

    fn computed(&self, function: &Function) -> Real {
        let offset = |i: usize, knot: &Knot| &self.means[i] - &place(knot);
        let sign = |i: usize, knot: &Knot| {
            erf(&(&offset(i, knot) / &(&whole(2) * &self.variances[i]).sqrt()))
        };
        let bell = |i: usize, knot: &Knot| {
            let a = offset(i, knot);
            let exponent = &(&(&a * &a) / &self.variances[i]) * &rounded(-0.5);
            let scale = (&(&whole(2) * &self.variances[i]) / &pi()).sqrt();
            &scale * &exponent.exp()
        };
        match function {
            Function::Erf(s) => sign(0, s),
            Function::ErfOther(t) => sign(1, t),
            Function::Gauss(s) => bell(0, s),
            Function::GaussOther(t) => bell(1, t),
            Function::Edge(axis, s, t) => {
                let (i, j) = if *axis == Axis::First { (0, 1) } else { (1, 0) };
                let offsets = [offset(0, s), offset(1, t)];
                let pull = &(&self.variances[i] * &offsets[j]) - &(&self.covariance * &offsets[i]);
                let scale = (&(&whole(2) * &self.variances[i]) * &self.determinant).sqrt();
                &bell(i, [s, t][i]) * &erf(&(&pull / &scale))
            }
            Function::Corner(s, t) => {
                let [a, b] = [offset(0, s), offset(1, t)];
                let squares =
                    &(&self.variances[1] * &(&a * &a)) + &(&self.variances[0] * &(&b * &b));
                let mixed = &(&(&a * &b) * &self.covariance) * &whole(2);
                let exponent = &(&(&squares - &mixed) / &self.determinant) * &rounded(-0.5);
                &(&(&whole(2) / &pi()) * &self.determinant.sqrt()) * &exponent.exp()
            }
            Function::Quadrant(s, t) => {
                let [a, b] = [offset(0, s), offset(1, t)];
                let a = &a / &self.variances[0].sqrt();
                let b = &b / &self.variances[1].sqrt();
                let product = &sign(0, s) * &sign(1, t);
                let scale = (&self.variances[0] * &self.variances[1]).sqrt();
                let rest = self.plackett(&a, &b, &(&self.covariance / &scale));
                &product + &(&(&whole(2) / &pi()) * &rest)
            }
        }
    }

    /// ∫₀^ρ exp(−(a² − 2xab + b²)/(2(1 − x²))) dx/√(1 − x²).
    fn plackett(&self, a: &Real, b: &Real, rho: &Real) -> Real {
        let (squares, product) = (&(a * a) + &(b * b), &(a * b) * &whole(2));
        // Panels that halve the distance from ±1.
        let size = rho.to_f64();
        let mut ends = vec![whole(0)];
        let mut gap = 0.75;
        while 1.0 - gap < size.abs() && gap > 1e-9 {
            ends.push(rounded((1.0 - gap).copysign(size)));
            gap *= 0.75;
        }
        ends.push(rho.clone());
        panels(&ends, &self.rule, |x| {
            let below = &whole(1) - &(x * x);
            let exponent = &(&squares - &(x * &product)) / &(&below * &whole(-2));
            &exponent.exp() / &below.sqrt()
        })
    }
}

impl Forms for Point {
    fn polynomial(&mut self, polynomial: &Polynomial) -> Real {
        let mut sum = whole(0);
        for (monomial, coefficient) in polynomial.terms() {
            let mut term = real(coefficient);
            for (symbol, exponent) in monomial.powers() {
                let base = match symbol {
                    Symbol::Gamma => self.means[0].clone(),
                    Symbol::GammaOther => self.means[1].clone(),
                    Symbol::Xi2 => self.variances[0].clone(),
                    Symbol::Xi2Other => self.variances[1].clone(),
                    Symbol::Covariance => self.covariance.clone(),
                    Symbol::Determinant => self.determinant.clone(),
                    Symbol::Root(root) => place(&Knot::Algebraic(root.clone())),
                    other => panic!("{other:?} in a moment"),
                };
                for _ in 0..exponent.unsigned_abs() {
                    term = if *exponent > 0 { &term * &base } else { &term / &base };
                }
            }
            sum = &sum + &term;
        }
        sum
    }

    fn function(&mut self, function: &Function) -> Real {
        if let Some(known) = self.functions.get(function) {
            return known.clone();
        }
        let value = self.computed(function);
        self.functions.insert(function.clone(), value.clone());
        value
    }
}

fn place(knot: &Knot) -> Real {
    real(&knot.enclosure(PRECISION as u32).expect("a number").0)
}
