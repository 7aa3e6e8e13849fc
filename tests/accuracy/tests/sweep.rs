//! Dense sweeps: every activation, both precisions, every method of the trait, around every
//! boundary that a kernel may have.
//!
//! `GAUSSFORM_SWEEP=n` takes n times the points, `GAUSSFORM_ONLY=name` the activations whose names
//! begin so.

use gaussform_accuracy::error::Precision;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::registry;
use gaussform_accuracy::sweep::{count, sweep};
use gaussform_accuracy::tolerance::tolerance;

/// Points for each activation.
const POINTS: usize = 2000;

fn check<T: Precision>() {
    let oracle = Oracle::default();
    let only = std::env::var("GAUSSFORM_ONLY").unwrap_or_default();
    let mut failures = [String::new(), String::new()];
    for entry in registry::all() {
        let name = &entry.function.name;
        if !name.starts_with(&only) {
            continue;
        }
        let allowed = |quantity: usize| tolerance::<T>(&entry, quantity);
        for ((quantity, method, extreme), worst) in
            sweep::<T>(&oracle, &entry, count(POINTS), &allowed)
        {
            if worst.exceeding > 0 {
                failures[usize::from(extreme)] += &worst.describe(name, quantity, method);
            }
        }
    }
    let [ordinary, extreme] = failures;
    assert!(
        ordinary.is_empty() && extreme.is_empty(),
        "{}, errors above the tolerance\n\nin the middle of the range:\n{ordinary}\nwhere a result is near an end of the range, or ξ² is subnormal:\n{extreme}",
        T::NAME
    );
}

#[test]
fn double_precision() {
    check::<f64>();
}

#[test]
fn single_precision() {
    check::<f32>();
}
