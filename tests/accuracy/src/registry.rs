//! The activations of the suite, written by hand for the oracle beside their compiled kernels.

#[allow(missing_docs, unreachable_pub)]
mod activations {
    gaussform::include_activations!("activations");
}

use activations as a;
use gaussform::Activation;

use crate::function::Function;
use crate::kernels::Kernels;
use crate::polynomial::{Polynomial, product, sum};
use crate::real::{Real, TABLE, float, integer, one, ratio, zero};

/// An activation with its kernels.
pub struct Entry {
    /// What the oracle takes for it.
    pub function: Function,
    /// Its kernels in single precision.
    pub single: Box<dyn Kernels<f32>>,
    /// Its kernels in double precision.
    pub double: Box<dyn Kernels<f64>>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("function", &self.function).finish_non_exhaustive()
    }
}

fn entry<A>(function: Function, kernels: A) -> Entry
where
    A: Activation<f32> + Activation<f64> + Clone + 'static,
{
    Entry { function, single: Box::new(kernels.clone()), double: Box::new(kernels) }
}

/// All activations, those with parameters once for each choice of values.
#[must_use]
pub fn all() -> Vec<Entry> {
    let mut all = linear();
    all.extend(curved());
    all.extend(stepped());
    all.extend(with_parameters());
    all
}

/// Piecewise linear and continuous.
fn linear() -> Vec<Entry> {
    let g = Function::rational;
    vec![
        entry(g("relu", &["0"], &[&["0"], &["0", "1"]]), a::Relu),
        entry(g("leaky_relu", &["0"], &[&["0", "1/100"], &["0", "1"]]), a::LeakyRelu),
        entry(g("hard_tanh", &["-1", "1"], &[&["-1"], &["0", "1"], &["1"]]), a::HardTanh),
        entry(g("relu6", &["0", "6"], &[&["0"], &["0", "1"], &["6"]]), a::Relu6),
        entry(
            g("soft_shrink_half", &["-1/2", "1/2"], &[&["1/2", "1"], &["0"], &["-1/2", "1"]]),
            a::SoftShrinkHalf,
        ),
        entry(g("hat", &["-1", "0", "1"], &[&["0"], &["1", "1"], &["1", "-1"], &["0"]]), a::Hat),
        entry(g("abs", &["0"], &[&["0", "-1"], &["0", "1"]]), a::Abs),
        entry(
            g(
                "bent",
                &["-1", "0", "1"],
                &[&["-1", "-3/4"], &["1", "5/4"], &["1", "-3/4"], &["-1", "5/4"]],
            ),
            a::Bent,
        ),
        entry(
            g(
                "leaky_kinks",
                &["-1/2", "1/2"],
                &[&["-1/2000", "1"], &["0", "1001/1000"], &["1/2000", "1"]],
            ),
            a::LeakyKinks,
        ),
        entry(close_knots(), a::CloseKnots),
    ]
}

/// Of degree 2 to 5.
fn curved() -> Vec<Entry> {
    let g = Function::rational;
    vec![
        entry(
            g("hard_swish", &["-3", "3"], &[&["0"], &["0", "1/2", "1/6"], &["0", "1"]]),
            a::HardSwish,
        ),
        entry(g("x_abs_x", &["0"], &[&["0", "0", "-1"], &["0", "0", "1"]]), a::XAbsX),
        entry(g("relu2", &["0"], &[&["0"], &["0", "0", "1"]]), a::Relu2),
        entry(g("relu3", &["0"], &[&["0"], &["0", "0", "0", "1"]]), a::Relu3),
        entry(abs_square(), a::AbsSquare),
        entry(abs_cubic(), a::AbsCubic),
        entry(
            g("clamp_cubed", &["-1/3", "2/3"], &[&["-1/27"], &["0", "0", "0", "1"], &["8/27"]]),
            a::ClampCubed,
        ),
        entry(
            g("smoothstep", &["0", "1"], &[&["0"], &["0", "0", "3", "-2"], &["1"]]),
            a::Smoothstep,
        ),
        entry(
            g(
                "bspline",
                &["-2", "-1", "0", "1", "2"],
                &[
                    &["0"],
                    &["4/3", "2", "1", "1/6"],
                    &["2/3", "0", "-1", "-1/2"],
                    &["2/3", "0", "-1", "1/2"],
                    &["4/3", "-2", "1", "-1/6"],
                    &["0"],
                ],
            ),
            a::Bspline,
        ),
        entry(
            g("smootherstep", &["0", "1"], &[&["0"], &["0", "0", "0", "10", "-15", "6"], &["1"]]),
            a::Smootherstep,
        ),
    ]
}

/// With jumps.
fn stepped() -> Vec<Entry> {
    let g = Function::rational;
    vec![
        entry(
            g("hard_shrink", &["-1/2", "1/2"], &[&["0", "1"], &["0"], &["0", "1"]]),
            a::HardShrink,
        ),
        entry(g("sign_of", &["0"], &[&["-1"], &["1"]]), a::SignOf),
        entry(g("step_seventh", &["1/7"], &[&["0"], &["1"]]), a::StepSeventh),
        entry(
            g(
                "staircase",
                &["-2", "-1", "0", "1", "3"],
                &[&["0"], &["1/2"], &["3/2"], &["7/2"], &["15/4"], &["11/4"]],
            ),
            a::Staircase,
        ),
        entry(
            g("quartic_sign", &["1/2"], &[&["0", "0", "0", "0", "-1"], &["0", "0", "0", "0", "1"]]),
            a::QuarticSign,
        ),
        entry(g("offset", &["0"], &[&["999", "0", "1"], &["1001", "0", "1"]]), a::Offset),
    ]
}

/// Knots and slopes that are known at run time.
fn with_parameters() -> Vec<Entry> {
    let mut out = Vec::new();
    for lambda in [0.3, 1e-9, 30.0] {
        out.push(entry(soft_shrink(lambda), a::SoftShrink { lambda }));
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-9], [100.0, 101.0]] {
        out.push(entry(clamp_between(a, b), a::ClampBetween { a, b }));
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-4], [100.0, 101.0]] {
        out.push(entry(smooth_ramp(a, b), a::SmoothRamp { a, b }));
    }
    for alpha in [0.3, 1e3] {
        out.push(entry(hard_sigmoid(alpha), a::HardSigmoid { alpha }));
    }
    for slope in [-0.25, 0.999] {
        out.push(entry(prelu(slope), a::Prelu { slope }));
    }
    out
}

fn number(x: f64) -> Real {
    float(x, TABLE)
}

/// Σ ±|x − t|, the signs in turn.
fn close_knots() -> Function {
    let knots: Vec<Real> = ["0", "1/100", "1/50", "1", "101/100", "51/50"].map(ratio).to_vec();
    let piece = |place: usize| {
        let terms = knots.iter().enumerate().map(|(i, knot)| {
            let negative = (i % 2 == 1) != (place <= i);
            let sign = if negative { -one(TABLE) } else { one(TABLE) };
            vec![-(knot * &sign), sign]
        });
        terms.fold(Vec::new(), |all, term| sum(&all, &term))
    };
    let pieces = (0..=knots.len()).map(piece).collect();
    Function::new("close_knots", knots, pieces)
}

fn abs_square() -> Function {
    let root = integer(2, TABLE).sqrt();
    let p = |texts: [&str; 3]| texts.map(ratio).to_vec();
    let [outer, inner] = [p(["-2", "0", "1"]), p(["2", "0", "-1"])];
    let knots = vec![-root.clone(), root];
    Function::new("abs_square", knots, vec![outer.clone(), inner, outer])
}

fn abs_cubic() -> Function {
    // Newton for x³ − x − 1.
    let [two, three] = [2, 3].map(|n| integer(n, TABLE));
    let mut root = number(1.324_717_957_244_746);
    for _ in 0..7 {
        let square = &root * &root;
        let above = &(&(&two * &square) * &root) + &one(TABLE);
        root = &above / &(&(&three * &square) - &one(TABLE));
    }
    let p = |texts: [&str; 4]| texts.map(ratio).to_vec();
    let pieces = vec![p(["1", "1", "0", "-1"]), p(["-1", "-1", "0", "1"])];
    Function::new("abs_cubic", vec![root], pieces)
}

fn soft_shrink(lambda: f64) -> Function {
    let [knot, one] = [number(lambda), one(TABLE)];
    let pieces = vec![vec![knot.clone(), one.clone()], Vec::new(), vec![-knot.clone(), one]];
    Function::new(&format!("soft_shrink({lambda})"), vec![-knot.clone(), knot], pieces)
}

fn clamp_between(a: f64, b: f64) -> Function {
    let name = format!("clamp_between({a}, {b})");
    let [a, b] = [number(a), number(b)];
    let pieces = vec![vec![a.clone()], vec![zero(TABLE), one(TABLE)], vec![b.clone()]];
    Function::new(&name, vec![a, b], pieces)
}

fn smooth_ramp(a: f64, b: f64) -> Function {
    let name = format!("smooth_ramp({a}, {b})");
    let [a, b] = [number(a), number(b)];
    let width = &b - &a;
    let t: Polynomial = vec![-(&a / &width), &one(TABLE) / &width];
    // t² (3 − 2t)
    let factor = sum(&product(&t, &[-integer(2, TABLE)]), &[integer(3, TABLE)]);
    let ramp = product(&product(&t, &t), &factor);
    Function::new(&name, vec![a, b], vec![Vec::new(), ramp, vec![one(TABLE)]])
}

fn hard_sigmoid(alpha: f64) -> Function {
    let (knot, one) = (number(alpha), one(TABLE));
    let pieces = vec![vec![-one.clone()], vec![zero(TABLE), &one / &knot], vec![one]];
    Function::new(&format!("hard_sigmoid({alpha})"), vec![-knot.clone(), knot], pieces)
}

fn prelu(slope: f64) -> Function {
    let line = |slope: Real| vec![zero(TABLE), slope];
    let pieces = vec![line(number(slope)), line(one(TABLE))];
    Function::new(&format!("prelu({slope})"), vec![zero(TABLE)], pieces)
}
