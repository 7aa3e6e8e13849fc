//! E\[g h\], its logarithm and the derivatives of both, relative to themselves.

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::{Inputs, mixed_moment};

use crate::functions::declared;

const TABLE: &str = include_str!("../../../tests/golden/mixed.csv");

/// The functions of the table, as `tests/golden/mixed.py` has them by pieces.
const DECLARATIONS: [(&str, &str); 9] = [
    ("relu", "g(x) = max(0, x)"),
    ("step", "g(x) = piecewise { x > 0: 1; else: 0 }"),
    ("hard_sigmoid", "g(x) = clamp(x, 0, 1)"),
    ("hat", "g(x) = max(0, 1 - |x|)"),
    ("relu2", "g(x) = max(0, x)^2"),
    ("absx2m2", "g(x) = |x^2 - 2|"),
    ("cubic", "g(x) = 1/8 + max(0, x - 1)^3"),
    ("stairs", "g(x) = piecewise { x > 2: 3; x > 0: 1; else: 0 }"),
    ("power8", "g(x) = clamp(x, 0, 1)^8"),
];

fn function(name: &str) -> Dynamic {
    let known = DECLARATIONS.iter().find(|(known, _)| *known == name);
    declared(known.expect("a function of the table").1)
}

/// What an error of each result is relative to: the result or, for derivatives, E\[g h\] over the deviations if that is more; of a
/// logarithm, 1 if that is more.
fn scales(truth: &[f64; 12], at: &Inputs) -> [f64; 12] {
    let (s, t) = (at.xi2.sqrt(), at.xi2_h.sqrt());
    let units = [1.0, s, at.xi2, t, at.xi2_h, s * t];
    let of = |i: usize| truth[i].abs().max((if i < 6 { truth[0] } else { 1.0 }) / units[i % 6]);
    core::array::from_fn(of)
}

/// The largest errors of E\[g h\], its derivatives, ln E\[g h\] and its derivatives.
const LIMITS: [f64; 4] = [2e-14, 1e-12, 2e-14, 1e-12];

#[test]
#[allow(clippy::print_stdout, reason = "the errors that documents state")]
fn the_table_of_mixed_moments() {
    let mut worst = std::array::from_fn::<_, 4, _>(|_| (0.0_f64, String::new()));
    for line in TABLE.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (g, h) = (function(fields[0]), function(fields[1]));
        let x: Vec<f64> = fields[2..].iter().map(|f| f.parse().expect("a number")).collect();
        let at = Inputs { gamma: x[0], xi2: x[1], gamma_h: x[2], xi2_h: x[3], cov: x[4] };
        let truth: [f64; 12] = x[5..].try_into().expect("twelve results");
        let scales = scales(&truth, &at);
        let found = mixed_moment(&g, &h, at).to_array();
        for i in 0..12 {
            let error = (found[i] - truth[i]).abs();
            // Results that underflow have no digits.
            let relative = if i < 6 && error < 1e-300 { 0.0 } else { error / scales[i] };
            let which = 2 * (i / 6) + usize::from(i % 6 > 0);
            if relative.is_nan() || relative > worst[which].0 {
                let note = format!("{i}: {:e} for {:e}: {line}", found[i], truth[i]);
                worst[which] = (if relative.is_nan() { f64::INFINITY } else { relative }, note);
            }
        }
    }
    for ((error, line), limit) in worst.iter().zip(LIMITS) {
        println!("{error:e} ({limit:e}): {}", &line[..line.len().min(180)]);
    }
    for ((error, line), limit) in worst.iter().zip(LIMITS) {
        assert!(*error <= limit, "{error:e} at {line}");
    }
}
