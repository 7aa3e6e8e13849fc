//! The kernel's numbers against the derived forms themselves, evaluated in high precision.
//!
//! The kernel never evaluates those forms: it works with tails, narrow pieces and a base piece. The
//! forms need hundreds of bits because they cancel. Errors are measured against the root of the
//! second moment, the variance, E|g′|, ½ E|g″| and E|∂g/∂θ|, the result itself where it is larger.

use std::cell::RefCell;
use std::collections::BTreeMap;

use gaussform_codegen::Kernel;
use gaussform_runtime::{Float as Precision, MomentsGrad, ParameterGrad};
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot, exact::Rational};
use puremp::{FixedFloat as Real, Float, RoundingMode::Nearest};

const BITS: u64 = 640;

/// Kinks and jumps at one knot, also one that no float holds, of degree up to 4.
const ONE_KNOT: [&str; 5] = [
    "max(0, x - 1/3)",
    "2*step(x - 1/7) - x/3",
    "(x - 1000)^2*step(x - 1000)",
    "max(x/8, 1 - 3*x)^2",
    "x^4*sign(x - 1/2)",
];

/// Several knots, close and far.
const SEVERAL_KNOTS: [&str; 3] =
    ["x*clamp(x + 3, 0, 6)/6", "sign(x + 2) + 3*step(x - 1/7)", "||x| - 1| + x/4"];

/// Knots that are irrational.
const IRRATIONAL_KNOTS: [&str; 4] =
    ["|x^2 - 2|", "|x^3 - x - 1|", "max(x^4 - 3*x, x + 1)", "x*sign(x^3 - 2)"];

/// Knots that move, and values of the parameters.
const MOVING_KNOTS: [(&str, &[&[f64]]); 12] = [
    ("g(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)", &[&[1.0], &[0.3], &[1e-9], &[1e3]]),
    ("g(x; a < b) = clamp(x, a, b)", CLOSE_AND_FAR),
    ("g(x; a <= b) = clamp(x, a, b)", &[&[0.3, 0.3], &[0.3, 1.0]]),
    ("g(x; lambda > 0) = x - clamp(x, -lambda, lambda)", &[&[0.5], &[0.1], &[1e-9], &[30.0]]),
    ("g(x; a) = step(x - a)", &[&[0.0], &[0.3], &[-1e3]]),
    ("g(x; theta, v) = piecewise { x < theta: v; else: x }", &[&[0.1, 20.0], &[-0.7, -0.7]]),
    ("g(x; a < b) = clamp((x - a)/(b - a), 0, 1)", CLOSE_AND_FAR),
    (
        "g(x; a < b) = clamp((x - a)/(b - a), 0, 1)^2*(3 - 2*clamp((x - a)/(b - a), 0, 1))",
        CLOSE_AND_FAR,
    ),
    ("g(x; a > 2, c) = c*|x^2 - 2| + max(0, x/a - 1)", &[&[2.5, 0.1], &[4.0, -3.0]]),
    ("g(x; a) = 1000 + sign(x - a/3) + x^2", &[&[0.1], &[-7.0]]),
    ("g(x; a < b, c) = sign(x - a) + c*step(x - b)", &[&[-0.3, 0.8, 2.0], &[0.3, 0.3001, -2.0]]),
    ("g(x; w > 0) = max(0, 1 - |x|/w)^2", &[&[1.0], &[0.01], &[70.0]]),
];

/// A parabola beside a piece that may be narrow.
const PARABOLA: Case<'_> = (
    "g(x; a < b, c) = piecewise { x < a: x^2; x < b: c*x; else: 1 - x }",
    &[&[-0.3, 0.8, 2.0], &[0.3, 0.3 + 1e-9, -2.0], &[5.0, 6.0, 0.1]],
);

const CLOSE_AND_FAR: &[&[f64]] = &[&[-1.0, 2.0], &[0.1, 0.4], &[0.3, 0.3 + 1e-9], &[100.0, 101.0]];

fn real(value: &Rational) -> Real {
    let value = value.to_string().parse().expect("a rational");
    Real::from_float(Float::from_rational(&value, BITS, Nearest), Nearest)
}

fn float(value: f64) -> Real {
    Real::from_float(Float::from_f64(value, BITS, Nearest), Nearest)
}

/// A knot that is a number.
fn number(knot: &Knot) -> Real {
    let (lower, upper) = knot.enclosure(700).expect("a number");
    &(&real(&lower) + &real(&upper)) * &float(0.5)
}

struct Point<'a> {
    activation: &'a Activation,
    parameters: &'a [f64],
    gamma: Real,
    xi2: Real,
    known: RefCell<BTreeMap<Function, Real>>,
    constants: &'a RefCell<BTreeMap<Symbol, Real>>,
}

impl Point<'_> {
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
                let base = self.symbol(symbol);
                for _ in 0..exponent.unsigned_abs() {
                    term = if *exponent > 0 { &term * &base } else { &term / &base };
                }
            }
            &sum + &term
        })
    }

    fn symbol(&self, symbol: &Symbol) -> Real {
        match symbol {
            Symbol::Gamma => return self.gamma.clone(),
            Symbol::Xi2 => return self.xi2.clone(),
            _ => {}
        }
        let known = self.constants.borrow().get(symbol).cloned();
        known.unwrap_or_else(|| {
            let value = self.constant(symbol);
            self.constants.borrow_mut().insert(symbol.clone(), value.clone());
            value
        })
    }

    /// The value of a symbol that does not depend on γ and ξ².
    fn constant(&self, symbol: &Symbol) -> Real {
        match symbol {
            Symbol::Root(root) => number(&Knot::Algebraic(root.clone())),
            Symbol::Reciprocal(below) => &float(1.0) / &self.polynomial(below),
            Symbol::Parameter(name) => {
                let mut declared = self.activation.parameters.iter();
                float(self.parameters[declared.position(|p| p.name == *name).expect("declared")])
            }
            _ => unreachable!("a moment does not hold u"),
        }
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
        let offset =
            &self.gamma - &self.polynomial(&function.in_u().expect("a function of u").polynomial());
        let argument = &offset / &(&self.xi2 * &float(2.0)).sqrt();
        // As far as all of the bits go, and to compute them would take long.
        let place = argument.as_float().to_f64();
        let far = place.abs() > 25.0;
        match function {
            Function::Erf(_) if far => float(place.signum()),
            Function::Gauss(_) if far => float(0.0),
            Function::Erf(_) => Real::from_float(argument.as_float().erf(BITS, Nearest), Nearest),
            Function::Gauss(_) => {
                let height = &(&self.xi2 * &float(2.0)) / &Real::pi(BITS, Nearest);
                &height.sqrt() * &(&(&argument * &argument) * &float(-1.0)).exp()
            }
            _ => unreachable!("a moment of one pre-activation"),
        }
    }
}

/// The forms of the results: those in γ and ξ², then those in each parameter.
fn forms(activation: &Activation) -> Vec<Form> {
    let [mean, second] = [1, 2].map(|n| activation.moment(n).expect("a low order").form().clone());
    let variance = &second - &(&mean * &mean);
    let [gamma, xi2] = [Symbol::Gamma, Symbol::Xi2];
    let mut forms = vec![
        mean.clone(),
        second.clone(),
        variance.clone(),
        mean.derivative(&gamma),
        mean.derivative(&xi2),
        variance.derivative(&gamma),
        variance.derivative(&xi2),
    ];
    for parameter in &activation.parameters {
        let theta = Symbol::Parameter(parameter.name.clone());
        forms.extend([&mean, &second, &variance].map(|form| form.derivative(&theta)));
    }
    forms
}

fn results<T: Precision>(kernel: &Kernel, parameters: &[f64], gamma: T, xi2: T) -> Vec<f64> {
    let m: MomentsGrad<T> = kernel.moments_grad(parameters, gamma, xi2);
    let mut results = m.to_array().map(T::to_f64).to_vec();
    for ParameterGrad { dmean, dsecond, dvariance } in
        kernel.fixed(parameters).parameter_grad(gamma, xi2)
    {
        results.extend([dmean, dsecond, dvariance].map(T::to_f64));
    }
    results
}

impl Point<'_> {
    /// E|∂g/∂θ| for each parameter, to a few digits; the motion of jumps is not counted.
    fn slopes(&self) -> Vec<f64> {
        let symbols = self.activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
        symbols.map(|theta| self.absolute(|piece| piece.derivative(&theta))).collect()
    }

    /// E|g′| and ½ E|g″|, to a few digits, where jumps of g and g′ count: what derivatives of the
    /// mean are sums of, which cancel on a piece that is narrow.
    fn steepness(&self) -> [f64; 2] {
        let u = Symbol::Variable;
        let function = &self.activation.function;
        let [gamma, xi] = [&self.gamma, &self.xi2.sqrt()].map(|x| x.as_float().to_f64());
        let slope = |piece: &Polynomial| piece.derivative(&u);
        let mut sums = [self.absolute(slope), self.absolute(|piece| slope(&slope(piece)))];
        for (knot, sides) in function.knots().iter().zip(function.pieces().windows(2)) {
            let z = (self.number(&knot.polynomial()) - gamma) / xi;
            let density = (-0.5 * z * z).exp() / (std::f64::consts::TAU.sqrt() * xi);
            let rise = &sides[1] - &sides[0];
            let at_knot = |p: &Polynomial| self.number(&p.substitute(&u, &knot.polynomial())).abs();
            let [jump, kink] = [at_knot(&rise), at_knot(&slope(&rise))];
            sums[0] += density * jump;
            sums[1] += density * (kink + z.abs() / xi * jump);
        }
        [sums[0], 0.5 * sums[1]]
    }

    /// E|d(u)| for what `of` makes of the polynomials of the pieces, to a few digits.
    fn absolute(&self, of: impl Fn(&Polynomial) -> Polynomial) -> f64 {
        let function = &self.activation.function;
        let knots: Vec<f64> =
            function.knots().iter().map(|t| self.number(&t.polynomial())).collect();
        let [gamma, xi2] = [&self.gamma, &self.xi2].map(|value| value.as_float().to_f64());
        let pieces = function.pieces().iter().enumerate().map(|(i, piece)| {
            let left = i.checked_sub(1).map_or(f64::NEG_INFINITY, |i| knots[i]);
            let right = knots.get(i).copied().unwrap_or(f64::INFINITY);
            let centre = gamma.clamp(left, right);
            let coefficients: Vec<f64> = of(piece)
                .taylor(&Symbol::Variable, &Polynomial::constant(exact(centre)))
                .iter()
                .map(|c| self.number(c))
                .collect();
            let at = |u: f64| {
                let value = coefficients.iter().rev().fold(0.0, |sum, c| sum * (u - centre) + c);
                value.abs() * (-(u - gamma).powi(2) / (2.0 * xi2)).exp()
            };
            [left, right].map(|end| integral(centre, end, (centre - gamma).abs(), xi2, at))
        });
        pieces.flatten().sum::<f64>() / (std::f64::consts::TAU * xi2).sqrt()
    }

    fn number(&self, polynomial: &Polynomial) -> f64 {
        self.polynomial(polynomial).as_float().to_f64()
    }
}

fn exact(value: f64) -> Rational {
    num_rational::Ratio::from_float(value).expect("finite")
}

/// Of a density that decays from `from`, at a distance from γ, towards `to`.
fn integral(from: f64, to: f64, distance: f64, xi2: f64, f: impl Fn(f64) -> f64) -> f64 {
    const NODES: u32 = 100;
    let xi = xi2.sqrt();
    let reach = 9.0 * xi / (distance / xi).max(1.0);
    let length = (to - from).clamp(-reach, reach);
    let step = length / f64::from(NODES);
    (0..NODES).map(|i| f(from + step * (f64::from(i) + 0.5))).sum::<f64>() * step.abs()
}

/// The error of each result, in units of the last place of its scale.
fn errors(point: &Point<'_>, got: &[f64], truth: &[Real], epsilon: f64) -> Vec<f64> {
    // In single precision, what is below may be a product of numbers that underflow.
    let tiny = if epsilon > 1e-9 { 1e-30 } else { 1e-290 };
    let [second, variance] = [1, 2].map(|i| truth[i].as_float().to_f64());
    let xi2 = point.xi2.as_float().to_f64();
    let (xi, sd) = (xi2.sqrt(), variance.sqrt());
    let [first, curvature] = point.steepness();
    let by_place = [first.max(sd / xi), curvature.max(sd / xi2), variance / xi, variance / xi2];
    let mut scales = vec![second.sqrt(), second, variance];
    scales.extend(by_place);
    for (by_parameter, slope) in truth[7..].chunks(3).zip(point.slopes()) {
        let slope = by_parameter[0].as_float().to_f64().abs().max(slope);
        scales.extend([slope, second.sqrt() * slope, sd * slope]);
    }
    let errors = got.iter().zip(truth).zip(scales).map(|((got, truth), scale)| {
        let difference = (&float(*got) - truth).as_float().to_f64().abs();
        let unit = scale.max(truth.as_float().to_f64().abs()).max(tiny) * epsilon;
        // NaN is no error to pass over.
        if difference.is_nan() { f64::INFINITY } else { difference / unit }
    });
    errors.collect()
}

/// The largest error, what it is the error of, and where.
struct Worst {
    error: f64,
    result: usize,
    place: String,
}

struct Subject {
    activation: Activation,
    kernel: Kernel,
    forms: Vec<Form>,
}

fn worst<T: Precision>(
    subject: &Subject,
    parameters: &[f64],
    deviations: &[f64],
    epsilon: f64,
) -> Worst {
    let Subject { activation, kernel, forms } = subject;
    let knots = activation.function.knots();
    let constants = RefCell::default();
    let mut worst = Worst { error: 0.0, result: 0, place: String::new() };
    for xi in deviations {
        for (i, z) in [-9.0, -4.2, -1.9, -0.6, 0.1, 0.8, 2.4, 5.5, 12.0].iter().enumerate() {
            let mut point = Point {
                activation,
                parameters,
                gamma: float(0.0),
                xi2: float(1.0),
                known: RefCell::default(),
                constants: &constants,
            };
            let knot = point.polynomial(&knots[i % knots.len()].polynomial()).as_float().to_f64();
            let (gamma, xi2) = (T::from_f64(knot + z * xi), T::from_f64(xi * xi));
            (point.gamma, point.xi2) = (float(gamma.to_f64()), float(xi2.to_f64()));
            let truth: Vec<Real> = forms.iter().map(|form| point.evaluate(form)).collect();
            let got = results(kernel, parameters, gamma, xi2);
            let errors = errors(&point, &got, &truth, epsilon);
            for (result, error) in errors.into_iter().enumerate() {
                if error > worst.error {
                    let place = format!("γ = {:e}, ξ² = {:e}", gamma.to_f64(), xi2.to_f64());
                    worst = Worst { error, result, place };
                }
            }
        }
    }
    worst
}

type Case<'a> = (&'a str, &'a [&'a [f64]]);

/// Standard deviations.
const USUAL: [f64; 5] = [1e-3, 0.2, 0.7, 3.0, 40.0];

fn check<T: Precision>(activations: &[Case<'_>], epsilon: f64, tolerance: f64) {
    check_for::<T>(&USUAL, activations, epsilon, tolerance);
}

fn check_for<T: Precision>(
    deviations: &[f64],
    activations: &[Case<'_>],
    epsilon: f64,
    tolerance: f64,
) {
    let mut failures = String::new();
    for (text, values) in activations {
        let activation = Activation::parse(text).expect("a valid activation");
        let kernel = Kernel::new(&activation).expect("a kernel");
        let subject = Subject { forms: forms(&activation), activation, kernel };
        for parameters in *values {
            let Worst { error, result, place } =
                worst::<T>(&subject, parameters, deviations, epsilon);
            if error > tolerance {
                failures += &format!(
                    "{error:.1} ulp in result {result} at {place}: {text}, {parameters:?}\n"
                );
            }
        }
    }
    assert!(failures.is_empty(), "errors above {tolerance} ulp:\n{failures}");
}

/// Activations without parameters.
fn plain<'a>(activations: &[&'a str]) -> Vec<Case<'a>> {
    const NONE: &[&[f64]] = &[&[]];
    activations.iter().map(|text| (*text, NONE)).collect()
}

// Single results of single precision are rounded from double precision.

#[test]
fn one_knot() {
    check::<f64>(&plain(&ONE_KNOT), f64::EPSILON, 8.0);
    check::<f32>(&plain(&ONE_KNOT), f64::from(f32::EPSILON), 1.0);
}

#[test]
fn several_knots() {
    check::<f64>(&plain(&SEVERAL_KNOTS), f64::EPSILON, 8.0);
    check::<f32>(&plain(&SEVERAL_KNOTS), f64::from(f32::EPSILON), 1.0);
}

/// Straight continuous functions, with knots that are a hundred units from each other.
const BENT: [&str; 5] =
    ["max(0, x)", "|x|", "max(x/100, x)", "x/8 + max(0, 300 - x)", "clamp(x, -50, 50)"];

/// Where γ is far from the knot of a straight continuous function, ∂Var/∂γ keeps its sign, and is right relative to itself.
fn slope_in_the_tails<T: Precision>(farthest: f64, epsilon: f64, tolerance: f64) {
    let slope = 5;
    for text in BENT {
        let activation = Activation::parse(text).expect("a valid activation");
        let (kernel, forms) = (Kernel::new(&activation).expect("a kernel"), forms(&activation));
        let constants = RefCell::default();
        for knot in activation.function.knots() {
            let knot = number(knot).as_float().to_f64();
            for z in (0..64).map(|i| 4.0 + (farthest - 4.0) * f64::from(i) / 63.0) {
                for gamma in [knot - z, knot + z].map(T::from_f64) {
                    let point = Point {
                        activation: &activation,
                        parameters: &[],
                        gamma: float(gamma.to_f64()),
                        xi2: float(1.0),
                        known: RefCell::default(),
                        constants: &constants,
                    };
                    let truth = point.evaluate(&forms[slope]);
                    let got = results(&kernel, &[], gamma, T::from_f64(1.0))[slope];
                    let error = (&(&float(got) - &truth) / &truth).as_float().to_f64().abs();
                    let place = gamma.to_f64();
                    assert!(
                        error <= tolerance * epsilon,
                        "{text} at {place}: {error:e} of {got:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_slope_of_the_variance_far_from_a_knot() {
    slope_in_the_tails::<f64>(24.0, f64::EPSILON, 16.0);
    slope_in_the_tails::<f32>(12.0, f64::from(f32::EPSILON), 1.0);
}

/// Where γ is near the end of a piece 5 ξ wide, its mass may lie on the flat piece beside it, and
/// the variance of the base polynomial is much larger than that of the function: then
/// Var q + 2 Cov(q, T) + Var T cancels.
#[test]
fn a_steep_piece_beside_a_flat_one() {
    let cube = plain(&["clamp(x, -1/3, 2/3)^3"]);
    check::<f64>(&cube, f64::EPSILON, 128.0);
    check::<f32>(&cube, f64::from(f32::EPSILON), 1.0);
}

#[test]
fn irrational_knots() {
    check::<f64>(&plain(&IRRATIONAL_KNOTS), f64::EPSILON, 12.0);
    check::<f32>(&plain(&IRRATIONAL_KNOTS), f64::from(f32::EPSILON), 1.0);
}

/// The largest errors are those of ∂Var/∂α of a clamp whose knots are −α and α, seen from 4 to
/// 12 ξ away, where it changes sign; and of ∂E\[g²\]/∂c of a parabola beside a line of slope c, where that is narrow and far away.
#[test]
fn moving_knots_in_double_precision() {
    let deviations = [1e-9, 1e-3, 0.2, 0.7, 3.0, 1e4];
    check_for::<f64>(&deviations, &MOVING_KNOTS, f64::EPSILON, 128.0);
    check_for::<f64>(&deviations, &[PARABOLA], f64::EPSILON, 300.0);
}

#[test]
fn moving_knots_in_single_precision() {
    let deviations = [1e-3, 0.2, 0.7, 3.0, 1e4];
    check_for::<f32>(&deviations, &MOVING_KNOTS, f64::from(f32::EPSILON), 1.0);
    check_for::<f32>(&deviations, &[PARABOLA], f64::from(f32::EPSILON), 1.0);
}

/// What double precision has no numbers for is refused: as an infinite knot, a jump or a 0 it would be another function.
#[test]
fn numbers_out_of_range_are_refused() {
    for (text, problem) in [
        ("max(x, 1e309)", Some("a knot beyond the largest number")),
        ("step(x + 1e400) + max(x, 0)", Some("a knot beyond the largest number")),
        ("clamp(1e400*x, -1, 1)", Some("two knots that are not told apart")),
        ("clamp(1e200*(x - 1), -1, 1)", None),
        ("1e200*max(x, 0) + 1e-200*max(-x, 0)", Some("coefficients of too different sizes")),
        ("1e200*max(x, 0) + 1e-90*max(-x, 0)", None),
        ("1e-200*max(x, 0) + 1e-290", None),
        ("1e320*max(x, 1e-20)", None),
        ("max(x, 1e-400)", None),
        ("max(x, 1e-100)^4", None),
    ] {
        let kernel = Kernel::new(&Activation::parse(text).expect("a valid activation"));
        match (kernel, problem) {
            (Ok(_), None) => {}
            (Err(error), Some(problem)) => {
                assert!(error.to_string().contains(problem), "{text}: {error}");
            }
            (Ok(_), Some(_)) => panic!("{text} has a kernel"),
            (Err(error), None) => panic!("{text}: {error}"),
        }
    }
}

/// Large numbers that have no part in a result leave it as it is: knots far away, a slope behind one.
#[test]
fn large_numbers_far_away_do_not_matter() {
    let pairs = [
        ("clamp(x, -C, C)", "x"),
        ("min(x, C)", "x"),
        ("clamp(x, 0, C)^2", "max(0, x)^2"),
        ("max(0, x)^2 - max(0, x - C)^2", "max(0, x)^2"),
        ("C*max(0, x - 100) + max(0, x) - 2*max(0, x + 1)", "max(0, x) - 2*max(0, x + 1)"),
    ];
    let kernel = |text: &str| {
        Kernel::new(&Activation::parse(text).expect("a valid activation")).expect("a kernel")
    };
    for (far, near) in pairs {
        let near = kernel(near);
        for size in ["10^8", "10^20", "10^80", "10^170"] {
            let far = kernel(&far.replace('C', size));
            for [gamma, xi2] in [[0.5, 1.0], [-1.0, 0.25], [0.0, 2.0]] {
                let [got, wanted] =
                    [&far, &near].map(|kernel| kernel.moments_grad(&[], gamma, xi2).to_array());
                for (got, wanted) in got.into_iter().zip(wanted) {
                    assert!((got - wanted).abs() < 1e-14, "{size} {gamma} {xi2}: {got} {wanted}");
                }
            }
        }
    }
}
