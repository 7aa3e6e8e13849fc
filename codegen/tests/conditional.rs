//! Conditional moments and second derivatives beside truth in many digits (`tests/golden`).

use std::collections::BTreeMap;
use std::path::Path;

use gaussform_codegen::Dynamic;
use gaussform_runtime::conditional::ConditionalMoments;
use gaussform_runtime::hessian::MomentsHessian;
use gaussform_symbolic::Activation;

/// The fields of a line of comma-separated values.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("there is one").push(c),
        }
    }
    fields
}

/// A table of truth: its header, and its rows.
fn golden(name: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden").join(name);
    let text = std::fs::read_to_string(path).expect("the table is there");
    let mut rows = text.lines().map(fields);
    (rows.next().expect("a header"), rows.collect())
}

fn dynamic(text: &str) -> Dynamic {
    let activation = Activation::parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    Dynamic::new(&activation, &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// By how many ulp of its scale a result is wrong. What no double holds counts as 0.
fn error(value: f64, truth: &str, scale: &str) -> f64 {
    let [truth, scale] = [truth, scale].map(|text| text.parse::<f64>().expect("a number"));
    if value == truth {
        return 0.0;
    }
    (value - truth).abs() / (scale.abs().max(1e-290) * f64::EPSILON)
}

#[test]
fn conditional_moments_are_right_however_far_the_set_is() {
    let (header, rows) = golden("conditional.csv");
    let mut known: BTreeMap<String, Dynamic> = BTreeMap::new();
    let names = ConditionalMoments::<f64>::NAMES;
    let mut worst: BTreeMap<&str, (f64, String)> = BTreeMap::new();
    for row in &rows {
        let condition = format!("piecewise {{ {}: 1; else: 0 }}", row[1]);
        for text in [&row[0], &condition] {
            if !known.contains_key(text) {
                known.insert(text.clone(), dynamic(text));
            }
        }
        let [gamma, xi2] = [2, 3].map(|i: usize| row[i].parse::<f64>().expect("a number"));
        let values = known[&row[0]].given(&known[&condition]).moments(gamma, xi2).to_array();
        for (name, value) in names.into_iter().zip(values) {
            let Some(column) = header.iter().position(|column| column == name) else { continue };
            let found = error(value, &row[column], &row[column + 1]);
            let found = if found.is_nan() { f64::INFINITY } else { found };
            let entry = worst.entry(name).or_default();
            if found > entry.0 {
                *entry = (found, format!("{row:?} gave {value:e}"));
            }
        }
    }
    assert!(rows.len() > 300, "{}", rows.len());
    assert_eq!(worst.len(), 10);
    for (name, (error, at)) in worst {
        assert!(error <= 32.0, "{name}: {error} at {at}");
    }
}

#[test]
fn second_derivatives_are_right() {
    let (header, rows) = golden("hessian.csv");
    let mut known: BTreeMap<String, Dynamic> = BTreeMap::new();
    for row in &rows {
        let g = known.entry(row[0].clone()).or_insert_with(|| dynamic(&row[0]));
        let [gamma, xi2] = [1, 2].map(|i: usize| row[i].parse::<f64>().expect("a number"));
        let values = g.moments_hessian(gamma, xi2).to_array();
        for (name, value) in MomentsHessian::<f64>::NAMES.into_iter().zip(values) {
            let column = header.iter().position(|column| column == name).expect("a column");
            let error = error(value, &row[column], &row[column + 1]);
            assert!(error <= 128.0, "{name}: {error} at {row:?}: {value:e}");
        }
    }
    assert!(rows.len() > 100, "{}", rows.len());
}

#[test]
fn a_probability_beyond_all_doubles_has_a_logarithm() {
    let (x, positive) = (dynamic("x"), dynamic("step(x)"));
    let m = x.given(&positive).moments(-1e100_f64, 1.0);
    assert_eq!(m.probability, 0.0);
    assert!((m.log_probability / -5e199 - 1.0).abs() < 1e-15, "{m:?}");
    assert!((m.mean * 1e100 - 1.0).abs() < 1e-15 && (m.variance * 1e200 - 1.0).abs() < 1e-14);
    assert!((m.log_mean + 100.0 * std::f64::consts::LN_10).abs() < 1e-12);
}

#[test]
fn an_empty_set_gives_no_number_and_the_whole_line_the_moments() {
    use gaussform_runtime::Activation as _;
    let x = dynamic("max(0, x)");
    let nothing =
        x.given(&dynamic("piecewise { x^2 < 0: 1; else: 0 }").clone()).moments(0.5_f64, 1.0);
    assert!(nothing.to_array().into_iter().all(f64::is_nan), "{nothing:?}");
    let everything = dynamic("piecewise { x < 1 or x > 0: 1; else: 0 }");
    let all = x.given(&everything).moments(0.5_f64, 1.0);
    let plain = x.moments_grad(0.5_f64, 1.0);
    assert_eq!((all.probability, all.log_probability), (1.0, 0.0));
    let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
    assert!(close(all.mean, plain.mean) && close(all.variance, plain.variance));
    assert!(close(all.dmean_dgamma, plain.dmean_dgamma));
    assert!(close(all.dvariance_dxi2, plain.dvariance_dxi2));
}

#[test]
fn at_zero_variance_the_nearest_point_of_the_set_counts() {
    let x = dynamic("x");
    let m = x.given(&dynamic("piecewise { x > 2: 1; else: 0 }")).moments(-1.0_f64, 0.0);
    assert_eq!((m.probability, m.mean, m.variance), (0.0, 2.0, 0.0));
    let m = x.given(&dynamic("piecewise { x > -2: 1; else: 0 }")).moments(-1.0_f64, 0.0);
    assert_eq!((m.probability, m.mean, m.variance), (1.0, -1.0, 0.0));
    assert!((m.dmean_dgamma - 1.0).abs() < 1e-14 && (m.dvariance_dxi2 - 1.0).abs() < 1e-14);
}

#[test]
fn slices_are_the_numbers_one_by_one() {
    let (x, positive) = (dynamic("max(0, x)^2"), dynamic("step(x + 1)"));
    let (gamma, xi2) = ([-3.0_f32, 0.0, 2.0], [1.0_f32, 0.5, 2.0]);
    let mut out = [ConditionalMoments::default(); 3];
    x.given(&positive).moments_into(&gamma, &xi2, &mut out);
    for i in 0..3 {
        assert_eq!(out[i], x.given(&positive).moments(gamma[i], xi2[i]));
    }
}

/// Functions of high degree, and knots at which squares overflow.
#[test]
fn high_degrees_and_far_knots_keep_their_digits() {
    use gaussform_runtime::Activation as _;
    let near = |value: f64, truth: f64, digits: f64| (value / truth - 1.0).abs() < digits;
    let m = dynamic("clamp(x,-1,1)^64").moments(-1.225, 20.0);
    assert!(near(m.mean, 0.832_057, 1e-6) && near(m.variance, 0.138_454_9, 1e-6), "{m:?}");
    let m = dynamic("piecewise { x < 1e100: x^2; else: 0 }").moments(0.0, 1.0);
    assert!(near(m.second, 3.0, 1e-14) && near(m.variance, 2.0, 1e-14), "{m:?}");
    let m = dynamic("max(0,x)^2 + step(x-1e150)*x").moments(0.0, 1.0);
    assert!(near(m.second, 1.5, 1e-14) && near(m.variance, 1.25, 1e-14), "{m:?}");
}

/// Polynomials whose moments are written out, with γ far from every knot: at ξ² = 0, and where 1/ξ⁴ is large.
#[test]
fn without_a_knot_in_sight_derivatives_are_those_of_the_piece() {
    let gamma = 5.0_f64;
    for xi2 in [0.0, 1e-30, 1e-10, 1e-3] {
        let fourth =
            [12.0 * (gamma * gamma + xi2), 12.0 * gamma, 6.0].map(|value: f64| (value, 1e-13));
        let cases = [
            ("x", [(0.0, 0.0); 6]),
            ("3*x - 1", [(0.0, 0.0); 6]),
            ("x^2", [2.0, 0.0, 0.0, 8.0 * xi2, 8.0 * gamma, 4.0].map(|value: f64| (value, 1e-14))),
        ];
        for (text, expected) in cases {
            let values = dynamic(text).moments_hessian(gamma, xi2).to_array();
            for (value, (truth, error)) in values.into_iter().zip(expected) {
                assert!((value - truth).abs() <= error * truth.abs(), "{text}, {xi2}: {values:?}");
            }
        }
        let values = dynamic("max(0, x)^4").moments_hessian(gamma, xi2).to_array();
        for (value, (truth, error)) in values.into_iter().zip(fourth) {
            assert!((value - truth).abs() <= error * truth, "{xi2}: {values:?}");
        }
    }
    let at_zero = dynamic("max(0, x)^4").moments_hessian(gamma, 0.0).to_array();
    let truth = [0.0, 96.0 * gamma.powi(5), 336.0 * gamma.powi(4)];
    for (value, truth) in at_zero[3..].iter().zip(truth) {
        assert!((value - truth).abs() <= 1e-13 * truth, "{at_zero:?}");
    }
}

#[test]
fn a_law_inside_of_the_set_has_the_moments_of_the_function() {
    let positive = dynamic("step(x)");
    for xi2 in [0.0_f64, 1e-30, 1e-10] {
        let m = dynamic("x^2").given(&positive).moments(5.0, xi2);
        assert_eq!((m.probability, m.log_probability), (1.0, 0.0));
        assert_eq!((m.dlog_probability_dgamma, m.dlog_probability_dxi2), (0.0, 0.0));
        assert_eq!((m.mean, m.dmean_dgamma, m.dmean_dxi2), (25.0 + xi2, 10.0, 1.0));
        assert!((m.variance - 100.0 * xi2).abs() <= 1e-9 * xi2, "{m:?}");
        assert!((m.log_variance - (100.0 * xi2).ln()).abs() < 1e-11 || xi2 == 0.0, "{m:?}");
    }
    let m = dynamic("x^2").given(&positive).moments(5.0, 0.0);
    assert_eq!(m.log_variance, f64::NEG_INFINITY);
}

/// Coefficients whose squares are no numbers of double precision.
#[test]
fn large_and_small_coefficients_have_logarithms() {
    use gaussform_runtime::Activation as _;
    let of = |text: &str, gamma: f64, xi2: f64| {
        let g = dynamic(text);
        (g.moments_grad(gamma, xi2), g.log_moments(gamma, xi2).log_variance)
    };
    for (text, gamma, xi2, log_variance) in [
        ("1e160*max(0, x)", 0.5, 1.0, 736.2356),
        ("1e155*clamp(x, 0, 1)", 1.0, 1e-5, 701.212),
        ("1e160*x^2", 0.5, 1.0, 737.9258),
        ("1e-170*x", 1.0, 1.0, -782.879),
        ("1e-170*step(x)", 0.0, 1.0, -784.265),
        ("1e-200*max(0, x)", 0.5, 1.0, -921.626),
    ] {
        let (m, logarithm) = of(text, gamma, xi2);
        assert!(!m.variance.is_nan() && !m.dvariance_dxi2.is_nan(), "{text}: {m:?}");
        assert!((logarithm - log_variance).abs() < 1e-2, "{text}: {logarithm}");
    }
}
