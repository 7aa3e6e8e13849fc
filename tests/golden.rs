//! The kernels against high-precision truth, in both precisions.
//!
//! Errors are in units in the last place of the precision: relative for the second moment and
//! the variance; for the mean and the gradients, which cross zero, relative to E|g|, E|g′|,
//! ½E|g″| and to the variance over ξ or ξ².

use gaussform::{Float, MomentsGrad};
use gaussform_codegen::Kernel;
use gaussform_symbolic::{Activation, Library};

/// The functions of the tables.
const DECLARATIONS: &str = include_str!("golden/activations.gf");

struct Row {
    activation: String,
    gamma: f64,
    xi2: f64,
    /// mean, second, variance, the four derivatives; then the three scales.
    values: Vec<f64>,
}

fn table(text: &str) -> Vec<Row> {
    let rows = text.lines().skip(1).map(|line| {
        let mut fields = line.split(',');
        let activation = fields.next().expect("a name").to_owned();
        let numbers: Vec<f64> = fields.map(|f| f.parse().expect("a number")).collect();
        Row { activation, gamma: numbers[0], xi2: numbers[1], values: numbers[2..].to_vec() }
    });
    rows.collect()
}

/// The precision's unit roundoff, its smallest normal number and its largest number.
struct Unit {
    epsilon: f64,
    tiny: f64,
    huge: f64,
}

const F64: Unit = Unit { epsilon: f64::EPSILON / 2.0, tiny: f64::MIN_POSITIVE, huge: f64::MAX };
const F32: Unit = Unit {
    epsilon: f32::EPSILON as f64 / 2.0,
    tiny: f32::MIN_POSITIVE as f64,
    huge: f32::MAX as f64,
};

/// The error of each of the seven results in units of its scale's last place.
fn errors<T: Float>(row: &Row, m: &MomentsGrad<T>, unit: &Unit) -> [f64; 7] {
    let got = m.to_array().map(T::to_f64);
    let truth = &row.values[..7];
    let [in_mean, in_gamma, in_xi2] = [row.values[7], row.values[8], row.values[9]];
    let variance = truth[2];
    let [by_xi, by_xi2] =
        if row.xi2 > 0.0 { [variance / row.xi2.sqrt(), variance / row.xi2] } else { [0.0, 0.0] };
    let scales = [
        in_mean,
        truth[1],
        variance,
        in_gamma,
        in_xi2,
        truth[5].abs().max(by_xi),
        truth[6].abs().max(by_xi2),
    ];
    std::array::from_fn(|i| {
        if truth[i].abs() > unit.huge {
            return if got[i].is_infinite() && got[i].signum() == truth[i].signum() {
                0.0
            } else {
                f64::INFINITY
            };
        }
        let difference = (got[i] - truth[i]).abs();
        // Below the smallest normal number the error is absolute.
        let error =
            difference / (2.0 * unit.epsilon * scales[i].max(truth[i].abs()).max(unit.tiny));
        // NaN is no error to pass over.
        if error.is_nan() { f64::INFINITY } else { error }
    })
}

/// The names of the results, in the order of the tables.
const NAMES: [&str; 7] = ["mean", "second", "variance", "dm/dγ", "dm/dξ²", "dV/dγ", "dV/dξ²"];

fn check<T: Float>(text: &str, unit: &Unit, tolerance: f64) {
    let rows = table(text);
    let mut failures = String::new();
    let mut checked = 0;
    let activations = Activation::parse_file(DECLARATIONS, &Library::new()).expect("declarations");
    for activation in &activations {
        let name = &activation.name;
        let kernel = Kernel::new(activation).expect("a kernel");
        for row in rows.iter().filter(|row| row.activation == *name) {
            checked += 1;
            let (gamma, xi2) = (row.gamma, row.xi2);
            let m = kernel.moments_grad(&[], T::from_f64(gamma), T::from_f64(xi2));
            assert!(m.variance >= T::ZERO, "{name}: {m:?} at {gamma}, {xi2}");
            for (result, error) in NAMES.iter().zip(errors(row, &m, unit)) {
                if error > tolerance {
                    failures += &format!("{name} {result}: {error:.1} ulp at {gamma:e}, {xi2:e}\n");
                }
            }
        }
    }
    assert_eq!(checked, rows.len(), "rows of functions that are not declared");
    assert!(failures.is_empty(), "errors above {tolerance} ulp:\n{failures}");
}

// A single pre-activation is computed in double precision for both precisions, and results of
// single precision are rounded once from there. `tests/accuracy` measures the batched methods.

#[test]
fn double_precision() {
    check::<f64>(include_str!("golden/moments_f64.csv"), &F64, 6.0);
}

#[test]
fn single_precision() {
    check::<f32>(include_str!("golden/moments_f32.csv"), &F32, 1.0);
}
