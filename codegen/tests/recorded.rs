//! Recorded kernels, run operation by operation in single precision, against the kernels in double precision.

use std::collections::BTreeMap;

use gaussform_codegen::recorded::{self, Graph, Loop, Operation, Recorded, Source};
use gaussform_codegen::{ACCURACY_CURVED, Kernel};
use gaussform_symbolic::Activation;

/// The results of a record on some inputs.
fn run(recorded: &Recorded, inputs: &[f32]) -> Vec<f32> {
    results(&recorded.graph, inputs, &recorded.cells)
}

/// The results of a graph. A truth value is 0 or 1.
fn results(graph: &Graph, inputs: &[f32], cells: &[Vec<f64>]) -> Vec<f32> {
    let mut values: Vec<f32> = Vec::new();
    let mut ends: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        let of = |at: usize| values[node.operands[at]];
        let truth = |holds: bool| f32::from(u8::from(holds));
        let power = |shifted: f32| (shifted - 12_582_912.0).exp2();
        values.push(match node.operation {
            Operation::Input(at) => inputs[at],
            Operation::Constant(bits) => f64::from_bits(bits) as f32,
            Operation::Truth(holds) => truth(holds),
            Operation::Negate => -of(0),
            Operation::Abs => of(0).abs(),
            Operation::Root => of(0).sqrt(),
            Operation::InverseRoot => of(0).sqrt().recip(),
            Operation::Inverse => of(0).recip(),
            Operation::Add => of(0) + of(1),
            Operation::Subtract => of(0) - of(1),
            Operation::Multiply => of(0) * of(1),
            Operation::Divide => of(0) / of(1),
            Operation::MultiplyAdd => of(0) * of(1) + of(2),
            Operation::MultiplySubtract => of(0) * of(1) - of(2),
            Operation::NegateMultiplyAdd => of(2) - of(0) * of(1),
            Operation::Scale | Operation::Raise => of(0) * power(of(1)),
            Operation::Less => truth(of(0) < of(1)),
            Operation::AtMost => truth(of(0) <= of(1)),
            Operation::Equals => truth(of(0) == of(1)),
            Operation::And => of(0) * of(1),
            Operation::Or => of(0).max(of(1)),
            Operation::Not => 1.0 - of(0),
            Operation::Larger => of(0).max(of(1)),
            Operation::Smaller => of(0).min(of(1)),
            Operation::Loop(number) => {
                let operands: Vec<f32> = node.operands.iter().map(|i| values[*i]).collect();
                ends.insert(at, repeated(&graph.loops[&number], operands, cells));
                0.0
            }
            Operation::Last(place) => ends[&node.operands[0]][place],
            Operation::Carried { .. } => unreachable!("loops are graphs of their own"),
            Operation::Select | Operation::Branch => of(if of(0) == 1.0 { 1 } else { 2 }),
            Operation::Call { .. } | Operation::Part(_) => unreachable!("nothing is called"),
        });
    }
    graph.results.iter().map(|result| values[*result]).collect()
}

/// The values that a loop ends with.
fn repeated(looped: &Loop, mut operands: Vec<f32>, cells: &[Vec<f64>]) -> Vec<f32> {
    let outside = operands.split_off(looped.carried.len());
    let mut carried = operands;
    let lengths = looped.inputs.iter().filter_map(|source| match source {
        Source::Cell(name) => Some(cells[*name].len()),
        _ => None,
    });
    let lengths: Vec<usize> = lengths.collect();
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    for row in 0..lengths[0] {
        let inputs = looped.inputs.iter().map(|source| match *source {
            Source::Outside(at) => outside[at],
            Source::Carried(at) => carried[at],
            Source::Cell(name) => cells[name][row] as f32,
        });
        carried = results(&looped.step, &inputs.collect::<Vec<f32>>(), cells);
    }
    carried
}

fn kernel(text: &str) -> Kernel {
    Kernel::with_table(&Activation::parse(text).unwrap()).unwrap()
}

const FUNCTIONS: [&str; 9] = [
    "relu(x) = max(0, x)",
    "clip(x) = clamp(x, -0.3, 1.7)",
    "step(x) = piecewise { x < 0: 0; else: 1 }",
    "swish(x) = x * clamp(x / 6 + 1/2, 0, 1)",
    "cube(x) = max(0, x)^3",
    "square(x) = x^2",
    // More than five knots.
    "stairs(x) = piecewise { x < -2.5: 0; x < -1.5: 1; x < -0.5: 3; x < 0.5: 2; x < 1.5: 4; \
     x < 2.5: 5; else: 6 }",
    "hinges(x) = max(0, x + 2.1) - 2 * max(0, x + 1.3) + max(0, x + 0.4) - max(0, x - 0.3) \
     + 3 * max(0, x - 1) - max(0, x - 1.7)",
    "spline(x) = max(0, x + 2)^3 - 4 * max(0, x + 1)^3 + 6 * max(0, x)^3 - 4 * max(0, x - 1)^3 \
     + max(0, x - 2)^3 + max(0, x - 3)^2",
];

#[test]
fn moments_and_derivatives_are_those_of_the_kernels() {
    for text in FUNCTIONS {
        let kernel = kernel(text);
        let numbers = kernel.numbers().unwrap();
        let moments = numbers.with(recorded::moments).unwrap();
        let gradients = numbers.with(recorded::gradients).unwrap();
        for i in -40..=40 {
            for xi in [0.01_f32, 0.3, 1.0, 4.0] {
                let (gamma, xi2) = (0.13 * i as f32, xi * xi);
                let found = run(&gradients, &[gamma, xi2]);
                assert_eq!(run(&moments, &[gamma, xi2]), found[..2], "{text}");
                let truth = kernel.moments_grad(&[], f64::from(gamma), f64::from(xi2));
                let (variance, xi2) = (truth.variance, f64::from(xi2));
                let xi = xi2.sqrt();
                let exact = [
                    (truth.mean, (truth.mean * truth.mean + variance).sqrt()),
                    (variance, variance),
                    (truth.dmean_dgamma, variance.sqrt() / xi),
                    (truth.dmean_dxi2, variance.sqrt() / xi2),
                    (truth.dvariance_dgamma, variance / xi),
                    (truth.dvariance_dxi2, variance / xi2),
                ];
                for (found, (exact, scale)) in found.iter().zip(exact) {
                    let error = (f64::from(*found) - exact).abs();
                    let unit = f64::from(f32::EPSILON) * scale.max(exact.abs()) + 1e-36;
                    assert!(
                        error <= ACCURACY_CURVED * unit,
                        "{text} at {gamma}, {xi2}: {found} {exact}"
                    );
                }
            }
        }
    }
}

#[test]
fn slopes_are_those_of_the_pieces() {
    let at = |text: &str, x: f32| {
        run(&kernel(text).numbers().unwrap().with(recorded::slopes).unwrap(), &[x])
    };
    let [relu, clip, step, swish, cube, square, stairs, hinges, spline] = FUNCTIONS;
    assert_eq!(at(relu, 2.0), [2.0, 1.0, 0.0]);
    // The mean of both sides on a kink.
    assert_eq!(at(relu, 0.0), [0.0, 0.5, 0.0]);
    assert_eq!(at(clip, 5.0), [1.7, 0.0, 0.0]);
    assert_eq!(at(step, 0.0), [1.0, 0.0, 0.0]);
    assert_eq!(at(step, -1.0), [0.0, 0.0, 0.0]);
    assert_eq!(at(cube, 2.0), [8.0, 12.0, 12.0]);
    assert_eq!(at(square, -3.0), [9.0, -6.0, 2.0]);
    assert_eq!(at(stairs, 0.0), [2.0, 0.0, 0.0]);
    assert_eq!(at(stairs, 1.5), [5.0, 0.0, 0.0]);
    assert_eq!(at(hinges, f32::NEG_INFINITY), [0.0, 0.0, 0.0]);
    let near = |text: &str, x: f32, exact: [f32; 3]| {
        for (found, exact) in at(text, x).iter().zip(exact) {
            assert!(
                (found - exact).abs() <= 4e-6 * exact.abs().max(1.0),
                "{text}, {x}: {found} {exact}"
            );
        }
    };
    near(swish, 1.0, [4.0 / 6.0, 5.0 / 6.0, 1.0 / 3.0]);
    near(hinges, 0.0, [-0.1, 0.0, 0.0]);
    near(hinges, 1.0, [-0.8, 0.5, 0.0]);
    near(spline, -0.5, [2.875, 3.75, -3.0]);
    near(spline, 3.0, [0.0, 0.0, 1.0]);
    near(spline, 5.0, [4.0, 4.0, 2.0]);
    assert_eq!(at("large(x) = 1e20 * max(0, x)", 3.0), [3e20, 1e20, 0.0]);
    assert_eq!(at(relu, f32::INFINITY), [f32::INFINITY, 1.0, 0.0]);
    assert_eq!(at(clip, f32::NEG_INFINITY), [-0.3, 0.0, 0.0]);
    assert!(at(relu, f32::NAN).iter().all(|value| value.is_nan()));
}

#[test]
fn what_has_no_record() {
    let high = kernel("quartic(x) = max(0, x)^4");
    assert!(high.numbers().unwrap().with(recorded::moments).is_none());
    assert!(high.numbers().unwrap().with(recorded::slopes).is_none());
}
