//! Derivatives against differences of covariances, also where u all but determines w.

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::Inputs;

use crate::functions::{Any, Numbers, count};

/// The derivative of a function of one number at 0, by differences of the sixth order.
fn difference(f: impl Fn(f64) -> f64, step: f64) -> f64 {
    let central = |k: f64| f(k * step) - f(-k * step);
    (45.0 * central(1.0) - 9.0 * central(2.0) + central(3.0)) / (60.0 * step)
}

/// Holds the derivatives to differences.
fn compare(g: &Dynamic, h: &Dynamic, at: Inputs) -> Result<(), String> {
    let covariance = |at: Inputs| g.pair_moments(h, at).expect("a law").covariance;
    let found = g.pair_moments(h, at).expect("a law");
    let (s, t) = (at.xi2.sqrt(), at.xi2_h.sqrt());
    let rest = 1.0 - (at.cov / (s * t)).powi(2);
    let width = rest.sqrt();
    let second = |g: &Dynamic, gamma: f64, xi2: f64| g.moments(gamma, xi2).second.sqrt();
    let size = second(g, at.gamma, at.xi2) * second(h, at.gamma_h, at.xi2_h);
    // Steps are small beside what the law changes within.
    let small = 4e-3;
    let units = [s * width, at.xi2 * rest, t * width, at.xi2_h * rest, s * t * rest];
    let shifted: [&dyn Fn(f64) -> Inputs; 5] = [
        &|x| Inputs { gamma: at.gamma + x, ..at },
        &|x| Inputs { xi2: at.xi2 + x, ..at },
        &|x| Inputs { gamma_h: at.gamma_h + x, ..at },
        &|x| Inputs { xi2_h: at.xi2_h + x, ..at },
        &|x| Inputs { cov: at.cov + x, ..at },
    ];
    let names = ["γ", "ξ²", "γ′", "ξ′²", "c"];
    for (i, value) in found.to_array()[2..].iter().enumerate() {
        let truth = difference(|x| covariance(shifted[i](x)), small * units[i]);
        let scale = value.abs().max(size / [s, at.xi2, t, at.xi2_h, s * t][i]);
        // What the covariances have lost, over the step.
        let noise = 1e-14 * size / (small * units[i]);
        if (value - truth).abs() > 1e-8 * scale + noise {
            return Err(format!("∂{}: {value:e}, {truth:e} by differences", names[i]));
        }
    }
    Ok(())
}

#[test]
fn derivatives_are_limits_of_differences() {
    let mut numbers = Numbers::new(41);
    let mut failures = Vec::new();
    for _ in 0..count(24) {
        let (g, h) = (Any::random(&mut numbers), Any::random(&mut numbers));
        let (a, b) = (g.dynamic(), h.dynamic());
        for _ in 0..6 {
            let (s, t) = (numbers.between(-4.0, 4.0).exp2(), numbers.between(-4.0, 4.0).exp2());
            let rho = numbers.between(-8.0, 8.0).tanh();
            let [gamma, gamma_h] = [s, t].map(|s| numbers.between(-2.0, 2.0) * (1.0 + s));
            let at = Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: rho * s * t };
            if let Err(message) = compare(&a, &b, at) {
                failures.push(format!("{}; {}; {at:?}\n  {message}", g.text(), h.text()));
            }
        }
    }
    let some = failures[..failures.len().min(4)].join("\n");
    assert!(failures.is_empty(), "{} failures, such as\n{some}", failures.len());
}
