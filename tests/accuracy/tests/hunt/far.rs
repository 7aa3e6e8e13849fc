//! Random functions at points far from their knots: the variance and all derivatives, each relative to itself where its sign does
//! not change near by.

use gaussform_accuracy::error::Precision;
use gaussform_accuracy::far;
use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_codegen::Kernel;
use gaussform_runtime::kernel::sum::MAX_DEGREE;
use gaussform_symbolic::Activation as Declared;

use crate::measure::slice;
use crate::setting;
use crate::subject::{Subject, subject};
use crate::tally::Tally;

/// Distances from each knot.
const DISTANCES: u32 = 5;

fn check<T: Precision>(
    tally: &mut Tally,
    name: &str,
    kernel: &Kernel,
    (oracle, function): (&Oracle, &Function),
    range: (f64, f64),
) {
    let points: Vec<[f64; 2]> = far::points::<T>(function, range, DISTANCES)
        .into_iter()
        .map(|(gamma, xi2)| [gamma.to_f64(), xi2.to_f64()])
        .collect();
    let fixed = kernel.fixed(&[]);
    let mut results: Vec<(&str, Vec<[f64; 7]>)> = Vec::new();
    if size_of::<T>() == size_of::<f64>() {
        let single = |&[gamma, xi2]: &[f64; 2]| fixed.moments_grad(gamma, xi2).to_array();
        results.push(("single", points.iter().map(single).collect()));
    }
    if let Some(numbers) = kernel.numbers_for(&[]) {
        results.push(("slice", numbers.with(|table| slice::<T>(table, &points))));
    }
    for (i, &[gamma, xi2]) in points.iter().enumerate() {
        let truth = far::steady(oracle, function, gamma, xi2);
        for quantity in 2..7 {
            let Some([high, low]) = truth[quantity] else { continue };
            if !(T::TINY / T::EPSILON..T::HUGE * T::EPSILON).contains(&high.abs()) {
                continue;
            }
            let most = if quantity < 5 { kernel.accuracy() } else { kernel.accuracy_of_slope() };
            for (how, results) in &results {
                let error = ((results[i][quantity] - high) - low) / high / T::EPSILON;
                tally.record(error.abs(), most, || {
                    let s = far::nearest(function, gamma, xi2);
                    let quantity = gaussform_accuracy::error::QUANTITIES[quantity];
                    format!(
                        "{} {how}, {quantity} of {name} at {gamma:e}, {xi2:e}, {s:.1} ξ away",
                        T::NAME
                    )
                });
            }
        }
    }
}

#[test]
fn far_from_knots_results_are_right_relative_to_themselves() {
    let functions = setting("GAUSSFORM_HUNT", 400) / 4;
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1) + 4_000);
    let (double, single) = (Oracle::new(1100), Oracle::new(320));
    let mut tally = Tally::default();
    for _ in 0..functions {
        let Subject { kind, declaration, function, .. } = subject(&mut random);
        if function.knots.is_empty() || function.degree() > MAX_DEGREE {
            continue;
        }
        let activation = Declared::parse(&declaration).expect("a declaration");
        let kernel = Kernel::new(&activation).expect("a kernel");
        let name = format!("{kind:?}: {declaration}");
        check::<f64>(&mut tally, &name, &kernel, (&double, &function), (36.0, 100.0));
        check::<f32>(&mut tally, &name, &kernel, (&single, &function), (12.5, 100.0));
    }
    tally.end(&format!("{functions} functions far from their knots"));
}
