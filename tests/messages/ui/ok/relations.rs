//! Relations between parameters, and knots that are irrational or move with parameters.

#![deny(warnings, missing_docs, unreachable_pub, clippy::pedantic)]

use gaussform::Activation;

/// The larger slope wins on the right.
#[gaussform::activation(0 < a < b < 1)]
pub(crate) fn bent(x: f64, a: f64, b: f64) -> f64 {
    (a * x).max(b * x)
}

#[gaussform::activation(alpha > 2 * beta + 1.5, beta >= 0.0)]
fn wedge(x: f64, alpha: f64, beta: f64) -> f64 {
    (alpha * x).max(beta * x)
}

#[gaussform::activation(a < b)]
fn between(x: f64, a: f64, b: f64) -> f64 {
    x.clamp(a, b)
}

#[gaussform::activation]
fn well(x: f64) -> f64 {
    (x * x - 2.0).abs()
}

fn main() {
    let g = Bent::new(0.25, 0.5).expect("in the domain");
    assert!((g.value(-1.0) - bent(-1.0, 0.25, 0.5)).abs() < 1e-15);
    assert!(Bent::new(0.25, 0.5).is_ok() && Bent::new(-0.25, 0.5).is_err());
    assert!(Bent::new(0.5, 0.25).is_err());

    let g = Wedge::new(4.0, 1.0).expect("in the domain");
    assert!((g.moments(2.0, 0.0).mean - wedge(2.0, 4.0, 1.0)).abs() < 1e-12);
    assert_eq!(<Wedge as Activation<f64>>::PARAMETERS, ["alpha", "beta"]);

    let g = Between::new(-1.0, 3.0).expect("in order");
    assert!((g.moments(1.0, 2.0).mean - between(1.0, -1.0, 3.0)).abs() < 1e-15);
    let low: f64 = g.moments(-50.0, 1.0).mean;
    assert!((low + 1.0).abs() < 1e-15);
    let root = 2.0_f64.sqrt();
    assert!((Well.moments(root, 1e-20).mean - well(root)).abs() < 1e-8);
}
