//! E\[g h\], its logarithm and the derivatives of both, relative to themselves.

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::{ACCURACY, Inputs, mixed_moment};

use crate::functions::{Any, Numbers, count, declared};

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

/// The width of the narrowest bounded piece.
fn narrowest(name: &str) -> f64 {
    match name {
        "hard_sigmoid" | "hat" | "power8" => 1.0,
        "stairs" => 2.0,
        _ => f64::INFINITY,
    }
}

/// The scale of the error of each result: the result or, for derivatives, E\[g h\] over the deviations, or the widths of
/// narrower pieces, if that is more; of a logarithm, 1 if that is more.
fn scales(truth: &[f64; 12], at: &Inputs, names: [&str; 2]) -> [f64; 12] {
    let [s, t] = [(at.xi2, names[0]), (at.xi2_h, names[1])]
        .map(|(variance, name)| variance.sqrt().min(narrowest(name)));
    let units = [1.0, s, s * s, t, t * t, s * t];
    let of = |i: usize| truth[i].abs().max((if i < 6 { truth[0] } else { 1.0 }) / units[i % 6]);
    core::array::from_fn(of)
}

/// The largest errors of E\[g h\], its derivatives, ln E\[g h\] and its derivatives.
const LIMITS: [f64; 4] = [ACCURACY * f64::EPSILON, 1e-14, ACCURACY * f64::EPSILON, 1e-14];

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
        let scales = scales(&truth, &at, [fields[0], fields[1]]);
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

fn close(value: f64, truth: f64, relative: f64) {
    assert!((value / truth - 1.0).abs() <= relative, "{value:e} beside {truth:e}");
}

/// For w = u, E\[g(u)²\] and its derivatives along the line are those of one pre-activation; for w = −u they are with h mirrored.
#[test]
fn where_u_determines_w() {
    let pairs = [
        ("max(0, x)", "max(0, -x)"),
        ("max(0, 1 - |x - 3|)", "max(0, 1 - |x + 3|)"),
        ("clamp(x, 0, 1)", "clamp(-x, 0, 1)"),
        ("max(0, x)^2", "max(0, -x)^2"),
    ];
    for (g, mirrored) in pairs
        .map(|(g, h)| [g, h].map(|text| declared(&format!("g(x) = {text}"))))
        .map(|[g, h]| (g, h))
    {
        for (gamma, xi2) in [(0.25, 1.0), (-20.0, 4.0), (-31.0, 1.0)] {
            let one = g.moments_grad(gamma, xi2);
            let by_gamma = one.dvariance_dgamma + 2.0 * one.mean * one.dmean_dgamma;
            let by_xi2 = one.dvariance_dxi2 + 2.0 * one.mean * one.dmean_dxi2;
            let same = Inputs { gamma, xi2, gamma_h: gamma, xi2_h: xi2, cov: xi2 };
            let opposite = Inputs { gamma_h: -gamma, cov: -xi2, ..same };
            for (h, at, sign) in [(&g, same, 1.0), (&mirrored, opposite, -1.0)] {
                let m = mixed_moment(&g, h, at);
                close(m.mixed, one.second, 1e-14);
                close(m.dmixed_dgamma + sign * m.dmixed_dgamma_h, by_gamma, 1e-13);
                close(m.dmixed_dxi2 + m.dmixed_dxi2_h + sign * m.dmixed_dcov, by_xi2, 1e-12);
                close(m.log_mixed, one.second.ln(), 1e-14);
            }
        }
    }
}

/// Functions of any sign: Cov + E\[g\] E\[h\] and its derivatives by the product rule, from the other kernels.
#[test]
fn any_functions_by_the_covariance() {
    let mut numbers = Numbers::new(61);
    for _ in 0..count(16) {
        let (g, h) = (Any::random(&mut numbers), Any::random(&mut numbers));
        let (a, b) = (g.dynamic(), h.dynamic());
        let (s, t) = (numbers.between(-2.0, 2.0).exp2(), numbers.between(-2.0, 2.0).exp2());
        let rho = numbers.between(-1.8, 1.8).tanh();
        let [gamma, gamma_h] = [0; 2].map(|_| numbers.between(-2.0, 2.0));
        let at = Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: rho * s * t };
        let pair = a.pair_moments(&b, at).expect("a law");
        let (first, second) = (a.moments_grad(gamma, at.xi2), b.moments_grad(gamma_h, at.xi2_h));
        let wanted = [
            pair.covariance + first.mean * second.mean,
            pair.dcovariance_dgamma + first.dmean_dgamma * second.mean,
            pair.dcovariance_dxi2 + first.dmean_dxi2 * second.mean,
            pair.dcovariance_dgamma_h + first.mean * second.dmean_dgamma,
            pair.dcovariance_dxi2_h + first.mean * second.dmean_dxi2,
            pair.dcovariance_dcov,
        ];
        let found = a.mixed_moment(&b, at).expect("a law").to_array();
        let size = (first.second * second.second).sqrt();
        let rest = 1.0 - rho * rho;
        let units = [1.0, s, s * s * rest, t, t * t * rest, s * t * rest];
        for i in 0..6 {
            let error = (found[i] - wanted[i]).abs() * units[i] / size;
            assert!(error < 1e-12, "{i}: {error:e}: {}; {}; {at:?}", g.text(), h.text());
        }
    }
}

/// Where every weight underflows: −q/2 with q the square of the distance of the corner, beside which nothing else counts.
#[test]
fn beyond_all_exponents() {
    let step = function("step");
    for size in [1e9, 1e12, 1e30] {
        let at =
            Inputs { gamma: -3.0 * size, xi2: 1.0, gamma_h: -2.0 * size, xi2_h: 1.0, cov: -0.5 };
        let m = mixed_moment(&step, &step, at);
        let rates = [4.0 * size / 0.75, 3.5 * size / 0.75];
        close(m.log_mixed, -(3.0 * rates[0] + 2.0 * rates[1]) * size / 2.0, 1e-14);
        close(m.dlog_mixed_dgamma, rates[0], 1e-14);
        close(m.dlog_mixed_dxi2_h, rates[1] * rates[1] / 2.0, 1e-14);
        assert_eq!(m.mixed, 0.0);
    }
}
