//! Emitted code in other languages, compiled and run.
//!
//! Here is what the tests of all targets share: the activations, the points, what the crate says there,
//! and the 40-digit tables.

mod c;
mod knots;
mod pair;
mod program;
mod rust;
mod wgsl;

use gaussform_codegen::Kernel;
use gaussform_symbolic::Activation;

/// An activation with values of its parameters.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    pub(crate) parameters: &'static [f64],
}

const fn case(name: &'static str, text: &'static str, parameters: &'static [f64]) -> Case {
    Case { name, text, parameters }
}

/// One of each kind: knots that are numbers, irrational, moving and met; jumps; degrees with and
/// without a fit of their own; coefficients far from 1. By formulas and by tables.
pub(crate) const CASES: [Case; 24] = [
    case("relu", "relu(x) = max(0, x)", &[]),
    case("leaky_relu", "leaky_relu(x; eps in (0, 1)) = max(eps * x, x)", &[0.01]),
    case("hard_tanh", "hard_tanh(x) = clamp(x, -1, 1)", &[]),
    case("relu2", "relu2(x) = max(0, x)^2", &[]),
    case("hat", "hat(x) = max(0, 1 - |x|)", &[]),
    case("heaviside", "heaviside(x) = step(x)", &[]),
    case("absx2m2", "absx2m2(x) = |x^2 - 2|", &[]),
    case("third", "third(x) = x - clamp(x, -1/3, 1/3)", &[]),
    case("soft", "soft(x; alpha > 0) = clamp(x/alpha, -1, 1)", &[0.3]),
    case("window", "window(x; int, b, int < b) = step(x - int)*x - step(x - b)*x", &[-0.5, 0.7]),
    case("met", "met(x; A, b, A <= b) = max(x, A) - max(x, b)", &[1.5, 1.5]),
    case("parallel", "parallel(x; a > 0, b > 0) = max(0, (a + b)*x - a*b)", &[0.6, 0.75]),
    case(
        "smootherstep",
        "smootherstep(x) = clamp(x,0,1)^3*(6*clamp(x,0,1)^2 - 15*clamp(x,0,1) + 10)",
        &[],
    ),
    case("square", "square(x) = x^2 - 3*x", &[]),
    case("three", "three(x) = 3", &[]),
    case(
        "hinges",
        "hinges(x) = max(0, x + 7) - 2*max(0, x + 6) + 3*max(0, x + 5) - 4*max(0, x + 4) + 5*max(0, x + 3) \
         - 6*max(0, x + 2) + 7*max(0, x + 1) - 8*max(0, x) + 9*max(0, x - 1) - 8*max(0, x - 2) \
         + 7*max(0, x - 3) - 6*max(0, x - 4) + 5*max(0, x - 5) - 4*max(0, x - 6) + 3*max(0, x - 7) \
         - 2*max(0, x - 8)",
        &[],
    ),
    case(
        "rough",
        "rough(x) = piecewise { x < -13/7: -3 + 6/5*x - x^2 + 9/5*x^3 - 12/5*x^4 - 3*x^5 - 2/5*x^6; \
         x <= 1/3: x^2; x < 7/10: -1; else: -8/5 - 7/5*x - 13/5*x^2 + x^6 }",
        &[],
    ),
    case(
        "steps",
        "steps(x; a > 0, b) = clamp(x, -a, a)^3 + b*step(x - 2*a)*(x - 1) + b^2*max(0, x + 3*a)",
        &[0.35, -1.5],
    ),
    case("large", "large(x) = 10^40*(max(0, x)^2 - max(0, x - 1)^2 - |x + 1|)", &[]),
    case("raised", "raised(x; a, b, a < b) = 10^40*(step(x - a) + step(x - b))", &[-0.3, 0.7]),
    case(
        "mixed",
        "mixed(x; a, b, a < b) = piecewise { x < a: 0; x < b: 2^80; else: 2^70*b }",
        &[-0.5, 0.75],
    ),
    case("gained", "gained(x; c > 0) = c*step(x - 1)*x^2 - max(0, x + 1)", &[1e25]),
    case("touching", "touching(x) = (x - 1)^3*(x + 1/3)^2 + 2", &[]),
    // Its right piece is divided.
    case("turns", "turns(x) = 10*x + step(x + 2.5)*(10*x - 1.4*x^2 + 2*x^3)", &[]),
];

impl Case {
    /// The kernel that all languages but WGSL print.
    pub(crate) fn kernel(&self) -> Kernel {
        Kernel::new(&self.activation()).expect("a kernel")
    }

    fn activation(&self) -> Activation {
        Activation::parse(self.text).expect("a valid activation")
    }
}

/// γ and ξ² on and around knots, at zero variance, subnormal, huge, and where there is no distribution.
pub(crate) fn points() -> Vec<[f64; 2]> {
    let knots = [0.0, 1.0, -0.3, 0.7, std::f64::consts::SQRT_2, 1.0 / 3.0];
    let mut points = Vec::new();
    for xi2 in [0.0, 5e-324, 1e-200, 1e-34, 1e-20, 1e-4, 0.04, 1.0, 30.0, 1e200, 1.7e308] {
        let xi = f64::sqrt(xi2);
        for knot in knots {
            for z in [0.0, 0.01, -1.1, 2.5, -14.0, 37.9] {
                points.push([knot + z * xi, xi2]);
            }
        }
        points.extend([1e-300, -1e30, 1e160, -1.7e308, 5e-324].map(|gamma| [gamma, xi2]));
    }
    let bad = [f64::NAN, f64::INFINITY, -1.0, -5e-324];
    points.extend(bad.map(|xi2| [0.5, xi2]));
    points.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|gamma| [gamma, 1.0]));
    points
}

/// The results of a target at a point: g, the moments and their derivatives, those in the parameters, and the moments
/// and derivatives in single precision.
fn expected(case: &Case, kernel: &Kernel, [gamma, xi2]: [f64; 2]) -> Vec<f64> {
    let mut values = vec![kernel.evaluate(case.parameters, gamma)];
    values.extend(kernel.moments_grad(case.parameters, gamma, xi2).to_array());
    for entry in kernel.fixed(case.parameters).parameter_grad(gamma, xi2) {
        values.extend([entry.dmean, entry.dsecond, entry.dvariance]);
    }
    let single = kernel.moments_grad(case.parameters, gamma as f32, xi2 as f32);
    values.extend(single.to_array().map(f64::from));
    values
}

/// The results of a target for all cases at each of the points, point by point.
pub(crate) fn all_expected(kernel: fn(&Case) -> Kernel, points: &[[f64; 2]]) -> Vec<f64> {
    let kernels: Vec<Kernel> = CASES.iter().map(kernel).collect();
    let at = |point: &[f64; 2]| {
        let pairs = CASES.iter().zip(&kernels);
        pairs.flat_map(|(case, kernel)| expected(case, kernel, *point)).collect::<Vec<f64>>()
    };
    points.iter().flat_map(at).collect()
}

/// Whether two numbers have the same bits. All NaN are the same.
pub(crate) fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// A row of the tables of 40-digit truth.
pub(crate) struct Row {
    pub(crate) activation: String,
    pub(crate) point: [f64; 2],
    truth: [f64; 7],
    scales: [f64; 7],
}

/// The rows of `tests/golden`, with the scale of each error.
pub(crate) fn golden() -> Vec<Row> {
    let text = include_str!("../../../tests/golden/moments_f64.csv");
    let row = |line: &str| {
        let mut fields = line.split(',');
        let activation = fields.next().expect("a name").to_owned();
        let n: Vec<f64> = fields.map(|f| f.parse().expect("a number")).collect();
        let (xi2, variance) = (n[1], n[4]);
        let by = |scale: f64| if xi2 > 0.0 { variance / scale } else { 0.0 };
        Row {
            activation,
            point: [n[0], xi2],
            truth: std::array::from_fn(|i| n[2 + i]),
            scales: [n[9], n[3], variance, n[10], n[11], by(xi2.sqrt()), by(xi2)],
        }
    };
    text.lines().skip(1).map(row).collect()
}

impl Row {
    /// The largest error of the moments and their derivatives, in units of the last place.
    pub(crate) fn error(&self, got: &[f64]) -> f64 {
        let errors = self.truth.iter().zip(self.scales).zip(got).map(|((truth, scale), got)| {
            if truth.is_infinite() {
                return if got == truth { 0.0 } else { f64::INFINITY };
            }
            let scale = scale.max(truth.abs()).max(f64::MIN_POSITIVE);
            let error = (got - truth).abs() / (f64::EPSILON * scale);
            if error.is_nan() { f64::INFINITY } else { error }
        });
        errors.fold(0.0, f64::max)
    }
}
