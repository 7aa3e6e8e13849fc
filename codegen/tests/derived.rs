//! The kernel's numbers against the derived forms themselves, evaluated in high precision.
//!
//! The kernel never evaluates those forms: it works with tails, quadrature and a base piece. The
//! forms need hundreds of bits because they cancel.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gaussform_codegen::Kernel;
use gaussform_runtime::{Float as Precision, MomentsGrad};
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, exact::Rational};
use puremp::{FixedFloat as Real, Float, RoundingMode::Nearest};

const BITS: u64 = 320;

/// Kinks and jumps at one knot, also one that no float holds, of degree up to 4.
const ONE_KNOT: [&str; 5] = [
    "max(0, x - 1/3)",
    "2*step(x - 1/7) - x/3",
    "(x - 1000)^2*step(x - 1000)",
    "max(x/8, 1 - 3*x)^2",
    "x^4*sign(x - 1/2)",
];

/// Several knots, close and far.
const SEVERAL_KNOTS: [&str; 4] = [
    "x*clamp(x + 3, 0, 6)/6",
    "clamp(x, -1/3, 2/3)^3",
    "sign(x + 2) + 3*step(x - 1/7)",
    "||x| - 1| + x/4",
];

fn real(value: &Rational) -> Real {
    let value = value.to_string().parse().expect("a rational");
    Real::from_float(Float::from_rational(&value, BITS, Nearest), Nearest)
}

fn float(value: f64) -> Real {
    Real::from_float(Float::from_f64(value, BITS, Nearest), Nearest)
}

struct Point {
    gamma: Real,
    xi2: Real,
    known: RefCell<BTreeMap<Function, Real>>,
}

impl Point {
    fn evaluate(&self, form: &Form) -> Real {
        form.terms().fold(float(0.0), |sum, (product, coefficient)| {
            let mut term = self.polynomial(coefficient);
            for (function, exponent) in product.factors() {
                let value = self.function(function);
                for _ in 0..exponent {
                    term = &term * &value;
                }
            }
            &sum + &term
        })
    }

    fn polynomial(&self, polynomial: &Polynomial) -> Real {
        polynomial.terms().fold(float(0.0), |sum, (monomial, coefficient)| {
            let mut term = real(coefficient);
            for (symbol, exponent) in monomial.powers() {
                let base = if *symbol == Symbol::Gamma { &self.gamma } else { &self.xi2 };
                for _ in 0..exponent.unsigned_abs() {
                    term = if *exponent > 0 { &term * base } else { &term / base };
                }
            }
            &sum + &term
        })
    }

    fn function(&self, function: &Function) -> Real {
        let known = self.known.borrow().get(function).cloned();
        known.unwrap_or_else(|| {
            let value = self.compute(function);
            self.known.borrow_mut().insert(function.clone(), value.clone());
            value
        })
    }

    fn compute(&self, function: &Function) -> Real {
        let offset = &self.gamma - &real(function.knot().value());
        let squared = &(&offset * &offset) / &(&self.xi2 * &float(2.0));
        match function {
            Function::Erf(_) => {
                let argument = &offset / &(&self.xi2 * &float(2.0)).sqrt();
                Real::from_float(argument.as_float().erf(BITS, Nearest), Nearest)
            }
            Function::Gauss(_) => {
                let height = &(&self.xi2 * &float(2.0)) / &Real::pi(BITS, Nearest);
                &height.sqrt() * &(&squared * &float(-1.0)).exp()
            }
        }
    }
}

/// The forms of the seven results.
fn forms(activation: &Activation) -> [Form; 7] {
    let [mean, second] = [1, 2].map(|n| activation.moment(n).expect("a low order").form().clone());
    let variance = &second - &(&mean * &mean);
    let [gamma, xi2] = [Symbol::Gamma, Symbol::Xi2];
    let derivatives = [
        mean.derivative(&gamma),
        mean.derivative(&xi2),
        variance.derivative(&gamma),
        variance.derivative(&xi2),
    ];
    let [a, b, c, d] = derivatives;
    [mean, second, variance, a, b, c, d]
}

/// The largest error over the results, in units of the last place of each one's scale.
fn error<T: Precision>(m: &MomentsGrad<T>, truth: &[Real; 7], xi2: f64, epsilon: f64) -> f64 {
    let got = m.to_array();
    let [second, variance] = [1, 2].map(|i| truth[i].as_float().to_f64());
    let (xi, sd) = (xi2.sqrt(), variance.sqrt());
    let scales =
        [second.sqrt(), second, variance, sd / xi, sd / xi2, variance / xi, variance / xi2];
    let errors = got.iter().zip(truth).zip(scales).map(|((got, truth), scale)| {
        let difference = (&float(got.to_f64()) - truth).as_float().to_f64().abs();
        difference / (scale.max(truth.as_float().to_f64().abs()) * epsilon)
    });
    // NaN is no error to pass over.
    errors.map(|e| if e.is_nan() { f64::INFINITY } else { e }).fold(0.0, f64::max)
}

fn worst<T: Precision>(text: &str, epsilon: f64) -> (f64, f64, f64) {
    let activation = Activation::parse(text).expect("a valid activation");
    let kernel = Kernel::new(&activation).expect("a kernel");
    let forms = forms(&activation);
    let knots = activation.function.knots();
    let mut worst = (0.0, 0.0, 0.0);
    for xi in [1e-3, 0.2, 0.7, 3.0, 40.0] {
        for (i, z) in [-9.0, -4.2, -1.9, -0.6, 0.1, 0.8, 2.4, 5.5, 12.0].iter().enumerate() {
            let knot: f64 =
                num_traits::ToPrimitive::to_f64(knots[i % knots.len()].value()).expect("a number");
            let (gamma, xi2) = (T::from_f64(knot + z * xi), T::from_f64(xi * xi));
            let point = Point {
                gamma: float(gamma.to_f64()),
                xi2: float(xi2.to_f64()),
                known: RefCell::default(),
            };
            let truth = forms.each_ref().map(|form| point.evaluate(form));
            let error = error(&kernel.moments_grad(&[], gamma, xi2), &truth, xi2.to_f64(), epsilon);
            if error > worst.0 {
                worst = (error, gamma.to_f64(), xi2.to_f64());
            }
        }
    }
    worst
}

fn check<T: Precision>(activations: &[&str], epsilon: f64, tolerance: f64) {
    let mut failures = String::new();
    for text in activations {
        let (error, gamma, xi2) = worst::<T>(text, epsilon);
        if error > tolerance {
            failures += &format!("{error:.1} ulp at γ = {gamma:e}, ξ² = {xi2:e}: {text}\n");
        }
    }
    assert!(failures.is_empty(), "errors above {tolerance} ulp:\n{failures}");
}

#[test]
fn one_knot() {
    check::<f64>(&ONE_KNOT, f64::EPSILON, 8.0);
    check::<f32>(&ONE_KNOT, f64::from(f32::EPSILON), 24.0);
}

/// The base piece is the one nearest to γ, even where the mass lies on a flat piece beside it
/// and the variance of the base polynomial is much larger than that of the function: then
/// Var q + 2 Cov(q, T) + Var T cancels, by a factor of 60 for the clamped cube.
#[test]
fn several_knots() {
    check::<f64>(&SEVERAL_KNOTS, f64::EPSILON, 128.0);
    check::<f32>(&SEVERAL_KNOTS, f64::from(f32::EPSILON), 256.0);
}
