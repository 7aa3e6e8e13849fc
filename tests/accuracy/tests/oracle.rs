//! The oracle itself: against 40-digit tables that another program has computed, and against
//! itself with twice the bits.

use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::{Real, TABLE, decimal, float, ratio, to_f64};
use gaussform_accuracy::registry;

/// The names of the results, in the order of the tables.
const NAMES: [&str; 7] = ["mean", "second", "variance", "dm/dγ", "dm/dξ²", "dV/dγ", "dV/dξ²"];

fn root_of_two() -> Real {
    float(2.0, TABLE).sqrt()
}

/// The activations of `tests/golden`.
fn golden(name: &str) -> Function {
    let g = |knots: &[&str], pieces: &[&[&str]]| Function::rational(name, knots, pieces);
    match name {
        "relu" => g(&["0"], &[&["0"], &["0", "1"]]),
        "leaky_relu" => g(&["0"], &[&["0", "1/100"], &["0", "1"]]),
        "hard_tanh" => g(&["-1", "1"], &[&["-1"], &["0", "1"], &["1"]]),
        "relu2" => g(&["0"], &[&["0"], &["0", "0", "1"]]),
        "abs" => g(&["0"], &[&["0", "-1"], &["0", "1"]]),
        "xabsx" => g(&["0"], &[&["0", "0", "-1"], &["0", "0", "1"]]),
        "hat" => g(&["-1", "0", "1"], &[&["0"], &["1", "1"], &["1", "-1"], &["0"]]),
        "heaviside" => g(&["0"], &[&["0"], &["1"]]),
        "soft_shrink" => g(&["-1/2", "1/2"], &[&["1/2", "1"], &["0"], &["-1/2", "1"]]),
        "absx2m2" => {
            let p = |c: &str, a: &str| vec![ratio(c), ratio("0"), ratio(a)];
            let pieces = vec![p("-2", "1"), p("2", "-1"), p("-2", "1")];
            Function::new(name, vec![-root_of_two(), root_of_two()], pieces)
        }
        _ => panic!("no activation {name}"),
    }
}

/// |got − truth| in units of the largest of |truth|, the scale and 10⁻³⁰⁸.
fn distance(got: &Real, truth: &Real, scale: f64) -> f64 {
    let unit = float(scale.max(1e-308), got.precision());
    let unit = if truth.abs() > unit { truth.abs() } else { unit };
    to_f64(&(&(got - truth) / &unit)).abs()
}

fn check(text: &str) {
    let oracle = Oracle::default();
    let (mut worst, mut failures) = (0.0_f64, String::new());
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields[i].parse::<f64>().expect("a number");
        let (gamma, xi2) = (number(1), number(2));
        let g = golden(fields[0]);
        let on_knot = g.knots.iter().any(|knot| to_f64(knot) == gamma);
        if xi2 == 0.0 && on_knot {
            continue;
        }
        let truth = oracle.truth(&g, gamma, xi2);
        let variance = number(5);
        let [by_xi, by_xi2] =
            if xi2 > 0.0 { [variance / xi2.sqrt(), variance / xi2] } else { [0.0; 2] };
        let scales = [number(10), 0.0, 0.0, number(11), number(12), by_xi, by_xi2];
        for i in 0..7 {
            let expected = decimal(fields[3 + i], 256);
            let error = distance(&truth.values[i], &expected, scales[i]);
            worst = worst.max(error);
            if error.is_nan() || error > 1e-30 {
                failures += &format!(
                    "{} {}: {:e} for {} at {gamma:e}, {xi2:e}: {error:e}\n",
                    fields[0],
                    NAMES[i],
                    to_f64(&truth.values[i]),
                    fields[3 + i]
                );
            }
        }
        // The tables have no scales for zero variance.
        for i in if xi2 > 0.0 { 0..3 } else { 0..0 } {
            let (scale, expected) = (truth.scales[i], number(10 + i));
            // The tables have 6 digits, ours at least 3.
            if (scale - expected).abs() > 1e-3 * expected.max(1e-307) {
                failures += &format!(
                    "{} scale {i}: {scale:e} for {expected:e} at {gamma:e}, {xi2:e}\n",
                    fields[0]
                );
            }
        }
    }
    assert!(failures.is_empty(), "worst {worst:e}\n{failures}");
}

#[test]
fn doubles_of_the_golden_table() {
    check(include_str!("../../golden/moments_f64.csv"));
}

#[test]
fn singles_of_the_golden_table() {
    check(include_str!("../../golden/moments_f32.csv"));
}

/// With twice the bits, where bits could be lost: all activations, boundaries, magnitudes.
#[test]
fn twice_the_bits_say_the_same() {
    let [usual, twice] = [Oracle::default(), Oracle::new(512)];
    let mut failures = String::new();
    for entry in registry::all() {
        let g = &entry.function;
        for (gamma, xi2) in points::<f64>(g, 60) {
            let [a, b] = [&usual, &twice].map(|oracle| oracle.truth(g, gamma, xi2));
            let [mean, by_gamma, by_slope, over_xi, over_xi2] = b.scales;
            let scales = [mean, 0.0, 0.0, by_gamma, by_slope, over_xi, over_xi2];
            // Where the scale overflows, nothing is promised of what does not.
            for i in (0..7).filter(|i| scales[*i].is_finite()) {
                let error = distance(&a.values[i], &b.values[i], scales[i]);
                if error.is_nan() || error > 1e-22 {
                    failures +=
                        &format!("{} {} at {gamma:e}, {xi2:e}: {error:e}\n", g.name, NAMES[i]);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
