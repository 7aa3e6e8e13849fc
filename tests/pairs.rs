//! Two correlated pre-activations of compiled activations.

use gaussform::activations::{HardSwish, HardTanh, Heaviside, Relu};
use gaussform::pair::{self, ACCURACY, Inputs, Outputs, PairMoments, Piecewise};
use gaussform_codegen::Dynamic;
use gaussform_symbolic::Activation as Declared;

/// Between numbers: a table.
#[gaussform::activation(low < high)]
fn ramp(x: f64, low: f64, high: f64) -> f64 {
    ((x - low) / (high - low)).clamp(0.0, 1.0)
}

/// A knot that moves, and formulas.
#[gaussform::activation]
fn hinge(x: f64, place: f64) -> f64 {
    (x - place).max(0.0)
}

const TRUTH: &str = include_str!("golden/bivariate.csv");

/// The covariance of a row, and its error in units of the scale of `tests/golden/README.md`.
fn error<G: Piecewise, H: Piecewise>(g: &G, h: &H, x: &[f64]) -> f64 {
    let at = Inputs { gamma: x[0], gamma_h: x[1], xi2: x[2], xi2_h: x[3], cov: x[4] };
    let difference = (pair::moments(g, h, at).covariance - x[6]).abs();
    if difference < 1e-300 { 0.0 } else { difference / x[13] }
}

#[test]
fn types_are_held_to_the_table() {
    let mut rows = 0;
    for line in TRUTH.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let x: Vec<f64> = fields[2..].iter().map(|f| f.parse().expect("a number")).collect();
        let of = |error: f64| assert!(error <= ACCURACY * f64::EPSILON, "{error:e} at {line}");
        match (fields[0], fields[1]) {
            ("relu", "relu") => of(error(&Relu, &Relu, &x)),
            ("heaviside", "heaviside") => of(error(&Heaviside, &Heaviside, &x)),
            ("hard_tanh", "hard_tanh") => of(error(&HardTanh, &HardTanh, &x)),
            ("relu", "heaviside") => of(error(&Relu, &Heaviside, &x)),
            _ => continue,
        }
        rows += 1;
    }
    assert!(rows == 256, "{rows} rows");
}

const AT: [Inputs; 4] = [
    Inputs { gamma: 0.3, xi2: 1.2, gamma_h: -0.4, xi2_h: 0.7, cov: 0.5 },
    Inputs { gamma: -2.0, xi2: 0.5, gamma_h: 1.0, xi2_h: 3.0, cov: -0.9 },
    Inputs { gamma: 0.5, xi2: 2.0, gamma_h: 0.5, xi2_h: 2.0, cov: 2.0 },
    Inputs { gamma: -9.0, xi2: 1.0, gamma_h: -8.0, xi2_h: 1.0, cov: 0.1 },
];

fn declared(text: &str, values: &[f64]) -> Dynamic {
    let activation = Declared::parse(text).expect("a declaration");
    Dynamic::new(&activation, values).expect("values of its parameters")
}

#[track_caller]
fn close(found: PairMoments, wanted: PairMoments) {
    for (found, wanted) in found.to_array().into_iter().zip(wanted.to_array()) {
        let error = (found - wanted).abs();
        assert!(error <= 1e-12 * wanted.abs(), "{found:e} instead of {wanted:e}");
    }
}

#[test]
fn parameters_are_those_of_the_value() {
    let ramp = Ramp::new(-0.75, 1.25).expect("in order");
    let hinge = Hinge::new(0.5).expect("a number");
    let ramp_of_text = declared(
        "ramp(x; low, high, low < high) = clamp((x - low)/(high - low), 0, 1)",
        &[-0.75, 1.25],
    );
    let hinge_of_text = declared("hinge(x; place) = max(0, x - place)", &[0.5]);
    for at in AT {
        close(pair::moments(&ramp, &hinge, at), pair::moments(&ramp_of_text, &hinge_of_text, at));
    }
}

#[test]
fn formulas_and_tables_give_the_same_pair() {
    let swish = declared("hard_swish(x) = x*clamp(x + 3, 0, 6)/6", &[]);
    for at in AT {
        assert_eq!(pair::moments(&HardSwish, &Relu, at), pair::moments(&swish, &Relu, at));
    }
}

#[test]
fn slices_and_layers_are_pairs() {
    let column = |of: fn(&Inputs) -> f64| AT.each_ref().map(of);
    let inputs = [
        column(|at| at.gamma),
        column(|at| at.xi2),
        column(|at| at.gamma_h),
        column(|at| at.xi2_h),
        column(|at| at.cov),
    ];
    let mut results = [[0.0; 4]; 7];
    let columns = results.each_mut().map(|column| &mut column[..]);
    pair::moments_into(&Relu, &HardTanh, inputs.each_ref().map(|x| &x[..]), Outputs { columns });
    for (i, at) in AT.into_iter().enumerate() {
        let result = PairMoments::from_array(results.map(|column| column[i]));
        // Columns have the vectors of the machine.
        let single = pair::moments(&Relu, &HardTanh, at).to_array();
        for (column, single) in result.to_array().into_iter().zip(single) {
            assert!((column / single - 1.0).abs() < 1e-14, "{column} {single} at {at:?}");
        }
    }

    let mut matrix = [0.0; 4];
    pair::layer(&Relu, &[0.3, -0.4], &[1.2, 0.5, 0.5, 0.7], &mut matrix);
    let wanted = pair::moments(&Relu, &Relu, AT[0]).covariance;
    assert!((matrix[1] / wanted - 1.0).abs() < 1e-14 && matrix[1] == matrix[2]);
}

/// For a small ρ, Cov = c E\[g′\] E\[h′\]. Between deviations that are far apart it may be far below both.
#[test]
fn a_small_covariance_between_scales_that_are_far_apart() {
    let power = |exponent: i32| 2f64.powi(exponent);
    for (exponent, cov) in [(800, -700), (-800, -700), (400, -1000)] {
        let (xi2, xi2_h, cov) = (power(exponent), power(-exponent), power(cov));
        let at = Inputs { gamma: 0.0, xi2, gamma_h: 0.0, xi2_h, cov };
        // A hard swish has the slopes 0 and 1 far from 0, and ½ at 0: ½ is expected of all three.
        for found in [pair::moments(&Relu, &Relu, at), pair::moments(&Relu, &HardSwish, at)] {
            let error = found.covariance / (cov / 4.0) - 1.0;
            assert!(error.abs() < 1e-14, "{error:e} at {at:?}");
        }
    }
}

#[test]
fn no_law_has_no_numbers() {
    let at = Inputs { cov: 1.5, ..AT[0] };
    assert!(at.check().is_err() && pair::moments(&Relu, &Relu, at).covariance.is_nan());
}
