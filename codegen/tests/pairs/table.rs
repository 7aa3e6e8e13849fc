//! Against values to 40 digits.

use std::collections::BTreeMap;

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::{ACCURACY, Inputs};
use gaussform_symbolic::{Activation, Library};

const TABLE: &str = include_str!("../../../tests/golden/bivariate.csv");

const DECLARATIONS: &str = include_str!("../../../tests/golden/bivariate.gf");

fn activations() -> BTreeMap<String, Dynamic> {
    let declared = Activation::parse_file(DECLARATIONS, &Library::new()).expect("declarations");
    let numbers = |a: Activation| (a.name.to_string(), Dynamic::new(&a, &[]).expect("numbers"));
    declared.into_iter().map(numbers).collect()
}

/// The largest errors of the covariance, of its derivatives in means, variances and c, and of E[g h].
///
/// Units: the scales that `tests/golden/README.md` gives.
const LIMITS: [f64; 5] = [ACCURACY * f64::EPSILON, 2e-14, 1e-13, 1e-13, ACCURACY * f64::EPSILON];

#[test]
#[allow(clippy::print_stdout, reason = "the errors that documents state")]
fn the_table() {
    let activations = activations();
    let mut worst: [(f64, &str); 5] = [(0.0, ""); 5];
    for line in TABLE.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (g, h) = (&activations[fields[0]], &activations[fields[1]]);
        let x: Vec<f64> = fields[2..].iter().map(|f| f.parse().expect("a number")).collect();
        let at = Inputs { gamma: x[0], gamma_h: x[1], xi2: x[2], xi2_h: x[3], cov: x[4] };
        let m = g.pair_moments(h, at).expect("a law");
        let [scale, scale_c] = [x[13], x[14]];
        let mut note = |i: usize, value: f64, truth: f64, scale: f64| {
            let error = (value - truth).abs();
            // Results that underflow have no digits.
            let relative = if error < 1e-300 { 0.0 } else { error / scale };
            if relative.is_nan() || relative > worst[i].0 {
                worst[i] = (if relative.is_nan() { f64::INFINITY } else { relative }, line);
            }
        };
        note(0, m.covariance, x[6], scale);
        let of = |truth: f64, unit: f64| {
            if scale == 0.0 { truth.abs() } else { truth.abs().max(scale / unit) }
        };
        note(1, m.dcovariance_dgamma, x[7], of(x[7], at.xi2.sqrt()));
        note(1, m.dcovariance_dgamma_h, x[8], of(x[8], at.xi2_h.sqrt()));
        note(2, m.dcovariance_dxi2, x[9], of(x[9], at.xi2));
        note(2, m.dcovariance_dxi2_h, x[10], of(x[10], at.xi2_h));
        let slope = |g: &Dynamic, gamma: f64, xi2: f64| g.moments_grad(gamma, xi2).dmean_dgamma;
        let slopes = slope(g, at.gamma, at.xi2) * slope(h, at.gamma_h, at.xi2_h);
        // E[g h] is the sum of the covariance and E[g] E[h].
        note(4, m.mixed, x[5], scale + (x[5] - x[6]).abs());
        note(3, m.dcovariance_dcov, x[11], scale_c.max(slopes.abs()));
    }
    for ((error, line), limit) in worst.iter().zip(LIMITS) {
        println!(
            "{error:e} ({limit:e}): {}",
            line.split(',').take(9).collect::<Vec<_>>().join(",")
        );
    }
    for ((error, line), limit) in worst.iter().zip(LIMITS) {
        assert!(*error <= limit, "{error:e} at {line}");
    }
}
