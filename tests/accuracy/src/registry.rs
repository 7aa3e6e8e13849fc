//! The activations of the suite, written by hand for the oracle beside their compiled kernels.

use std::collections::BTreeSet;

use crate::function::Function;
use crate::polynomial::{Polynomial, product, sum};
use crate::real::{Real, TABLE, float, integer, one, ratio, zero};
use gaussform_accuracy_kernels::{self as kernels, Pair};
use gaussform_codegen::Kernel;
use gaussform_symbolic::{Activation, Library};

/// An activation with its kernels.
#[derive(Debug)]
pub struct Entry {
    /// The function by its knots and pieces, for the oracle.
    pub function: Function,
    /// The compiled kernels of the function.
    pub kernels: Pair,
    /// Whether that is a table, a sum over pieces.
    pub is_table: bool,
}

/// The names of the declarations whose kernels are tables.
fn tables() -> BTreeSet<String> {
    let declared = Activation::parse_file(kernels::DECLARATIONS, &Library::new());
    let declared = declared.expect("the declarations are valid").into_iter();
    let is_table = |a: &Activation| Kernel::new(a).is_ok_and(|kernel| kernel.table().is_some());
    declared.filter(is_table).map(|a| a.name).collect()
}

/// All activations, those with parameters once for each choice of values.
///
/// # Panics
///
/// If a function has no kernels, or kernels are no function's.
#[must_use]
pub fn all() -> Vec<Entry> {
    let (mut compiled, tables) = (kernels::all(), tables());
    let functions = [linear(), curved(), stepped(), with_parameters()].into_iter().flatten();
    let mut entry = |function: Function| {
        let kernels = compiled.remove(&function.name);
        let kernels = kernels.unwrap_or_else(|| panic!("no kernels of {}", function.name));
        // Without the values of the parameters.
        let declared = function.name.split('(').next().unwrap_or_default();
        let is_table = tables.contains(declared);
        Entry { function, kernels, is_table }
    };
    let all = functions.map(&mut entry).collect();
    assert!(compiled.is_empty(), "kernels of no function: {:?}", compiled.keys());
    all
}

/// Piecewise linear and continuous.
fn linear() -> Vec<Function> {
    let g = Function::rational;
    vec![
        g("relu", &["0"], &[&["0"], &["0", "1"]]),
        g("leaky_relu", &["0"], &[&["0", "1/100"], &["0", "1"]]),
        g("hard_tanh", &["-1", "1"], &[&["-1"], &["0", "1"], &["1"]]),
        g("relu6", &["0", "6"], &[&["0"], &["0", "1"], &["6"]]),
        g("soft_shrink_half", &["-1/2", "1/2"], &[&["1/2", "1"], &["0"], &["-1/2", "1"]]),
        g("hat", &["-1", "0", "1"], &[&["0"], &["1", "1"], &["1", "-1"], &["0"]]),
        g("abs", &["0"], &[&["0", "-1"], &["0", "1"]]),
        g(
            "bent",
            &["-1", "0", "1"],
            &[&["-1", "-3/4"], &["1", "5/4"], &["1", "-3/4"], &["-1", "5/4"]],
        ),
        g(
            "leaky_kinks",
            &["-1/2", "1/2"],
            &[&["-1/2000", "1"], &["0", "1001/1000"], &["1/2000", "1"]],
        ),
        close_knots(),
    ]
}

/// Of degree 2 to 5.
fn curved() -> Vec<Function> {
    let g = Function::rational;
    vec![
        g("hard_swish", &["-3", "3"], &[&["0"], &["0", "1/2", "1/6"], &["0", "1"]]),
        g("x_abs_x", &["0"], &[&["0", "0", "-1"], &["0", "0", "1"]]),
        g("relu2", &["0"], &[&["0"], &["0", "0", "1"]]),
        g("relu3", &["0"], &[&["0"], &["0", "0", "0", "1"]]),
        abs_square(),
        abs_cubic(),
        g("clamp_cubed", &["-1/3", "2/3"], &[&["-1/27"], &["0", "0", "0", "1"], &["8/27"]]),
        g("smoothstep", &["0", "1"], &[&["0"], &["0", "0", "3", "-2"], &["1"]]),
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
        g("smootherstep", &["0", "1"], &[&["0"], &["0", "0", "0", "10", "-15", "6"], &["1"]]),
    ]
}

/// With jumps.
fn stepped() -> Vec<Function> {
    let g = Function::rational;
    vec![
        g("hard_shrink", &["-1/2", "1/2"], &[&["0", "1"], &["0"], &["0", "1"]]),
        g("sign_of", &["0"], &[&["-1"], &["1"]]),
        g("step_seventh", &["1/7"], &[&["0"], &["1"]]),
        g(
            "staircase",
            &["-2", "-1", "0", "1", "3"],
            &[&["0"], &["1/2"], &["3/2"], &["7/2"], &["15/4"], &["11/4"]],
        ),
        g("quartic_sign", &["1/2"], &[&["0", "0", "0", "0", "-1"], &["0", "0", "0", "0", "1"]]),
        // The same value on both sides of pieces that jump.
        g("gap", &["-1/100", "1/100"], &[&["1"], &["0", "1"], &["1"]]),
        g("arch", &["-1", "1"], &[&["0"], &["33/10", "0", "1"], &["0"]]),
        g("pyramid", &["-2", "-1", "1", "2"], &[&["0"], &["1"], &["2"], &["1"], &["0"]]),
        g("offset", &["0"], &[&["999", "0", "1"], &["1001", "0", "1"]]),
    ]
}

/// Knots and slopes that are known at run time.
fn with_parameters() -> Vec<Function> {
    let mut out = Vec::new();
    for lambda in [0.3, 1e-9, 30.0] {
        out.push(soft_shrink(lambda));
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-9], [100.0, 101.0]] {
        out.push(clamp_between(a, b));
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-4], [100.0, 101.0]] {
        out.push(smooth_ramp(a, b));
    }
    for alpha in [0.3, 1e3] {
        out.push(hard_sigmoid(alpha));
    }
    for slope in [-0.25, 0.999] {
        out.push(prelu(slope));
    }
    for [height, base] in [[3.3, 0.0], [0.7, 5.1]] {
        out.push(pulse(height, base));
    }
    for [a, b] in [[0.3, 0.4], [-7.0, 1e-3]] {
        out.push(third_step(a, b));
    }
    for [a, b] in [[0.7, 0.3], [300.0, -7.1]] {
        out.push(slanted(a, b));
    }
    for [a, b] in [[0.7, 1.0], [1e-3, 0.3]] {
        out.push(band(a, b));
    }
    for [a, b] in [[0.1, 0.2], [5.0, 1e-9]] {
        out.push(square_beyond(a, b));
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

fn pulse(height: f64, base: f64) -> Function {
    let name = format!("pulse({height}, {base})");
    let [height, base] = [number(height), number(base)];
    let line = vec![&integer(3, TABLE) * &height, height];
    let outside = vec![base];
    let knots = vec![-one(TABLE), one(TABLE)];
    Function::new(&name, knots, vec![outside.clone(), line, outside])
}

fn third_step(a: f64, b: f64) -> Function {
    let knot = &(&number(a) + &number(b)) / &integer(3, TABLE);
    Function::new(&format!("third_step({a}, {b})"), vec![knot], vec![Vec::new(), vec![one(TABLE)]])
}

fn slanted(a: f64, b: f64) -> Function {
    let name = format!("slanted({a}, {b})");
    let [a, b] = [number(a), number(b)];
    Function::new(&name, vec![&b / &a], vec![Vec::new(), vec![-b, a]])
}

fn band(a: f64, b: f64) -> Function {
    let name = format!("band({a}, {b})");
    let [a, b] = [number(a), number(b)];
    let knot = &b / &a;
    let pieces = vec![vec![-b.clone()], vec![zero(TABLE), a], vec![b]];
    Function::new(&name, vec![-knot.clone(), knot], pieces)
}

fn square_beyond(a: f64, b: f64) -> Function {
    let knot = &one(TABLE) / &(&number(a) + &number(b));
    let line = vec![-knot.clone(), one(TABLE)];
    let pieces = vec![Vec::new(), product(&line, &line)];
    Function::new(&format!("square_beyond({a}, {b})"), vec![knot], pieces)
}

fn prelu(slope: f64) -> Function {
    let line = |slope: Real| vec![zero(TABLE), slope];
    let pieces = vec![line(number(slope)), line(one(TABLE))];
    Function::new(&format!("prelu({slope})"), vec![zero(TABLE)], pieces)
}
