//! Errors of results that do not change their sign, relative to these results: the mean of a function that is nowhere negative, in both tails and
//! where it is small for any other reason; the variance and all derivatives far from the knots, in both tails.

use gaussform_accuracy::error::{Precision, QUANTITIES};
use gaussform_accuracy::far;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::to_pair;
use gaussform_accuracy::registry;
use gaussform_accuracy::sweep::count;
use gaussform_accuracy::tolerance::tolerance;

/// Points for each activation.
const POINTS: usize = 1000;

/// Distances from each knot.
const DISTANCES: u32 = 24;

fn check<T: Precision>() {
    let oracle = Oracle::default();
    let (mut failures, mut seen) = (String::new(), 0);
    for entry in registry::all() {
        let name = &entry.function.name;
        if !T::kernels(&entry).is_nonnegative() {
            continue;
        }
        let (kernels, most) = (T::kernels(&entry), tolerance::<T>(&entry, 0));
        let points = points::<T>(&entry.function, count(POINTS));
        let (gamma, xi2): (Vec<T>, Vec<T>) = points.iter().copied().unzip();
        let [batch, _] = kernels.batch(&gamma, &xi2);
        for i in 0..points.len() {
            let truth = oracle.truth(&entry.function, gamma[i].to_f64(), xi2[i].to_f64());
            let [high, low] = to_pair(&truth.values[0]);
            // Nearer to the ends of the range, errors are absolute.
            if !(T::TINY / T::EPSILON..T::HUGE * T::EPSILON).contains(&high) {
                continue;
            }
            seen += 1;
            for (how, got) in
                [("alone", kernels.moments(gamma[i], xi2[i]).mean), ("slice", batch[i])]
            {
                let error = (((got.to_f64() - high) - low) / high / T::EPSILON).abs();
                if error.is_nan() || error > most {
                    failures += &format!(
                        "{name} {how}: {error:.1} ulp of the mean {high:e} at γ = {:e}, ξ² = {:e}\n",
                        gamma[i].to_f64(),
                        xi2[i].to_f64()
                    );
                }
            }
        }
    }
    assert!(seen > 1000, "{seen} points");
    assert!(failures.is_empty(), "{}:\n{failures}", T::NAME);
}

/// The results after the mean relative to themselves up to `farthest` deviations from a knot, where they may be below 2^−`bits`
/// of the variance, wherever their signs do not change near by.
fn check_far<T: Precision>(farthest: f64, bits: u64) {
    let oracle = Oracle::new(bits);
    let (mut failures, mut seen) = (String::new(), 0);
    for entry in registry::all() {
        let (kernels, function) = (T::kernels(&entry), &entry.function);
        let points = far::points::<T>(function, (farthest, 100.0), DISTANCES);
        let (gamma, xi2): (Vec<T>, Vec<T>) = points.iter().copied().unzip();
        let batch = kernels.batch_grad(&gamma, &xi2);
        for (i, &(gamma, xi2)) in points.iter().enumerate() {
            let truth = far::steady(&oracle, function, gamma.to_f64(), xi2.to_f64());
            let alone = kernels.moments_grad(gamma, xi2).to_array();
            for quantity in 2..7 {
                let Some([high, low]) = truth[quantity] else { continue };
                if !(T::TINY / T::EPSILON..T::HUGE * T::EPSILON).contains(&high.abs()) {
                    continue;
                }
                seen += 1;
                let most = tolerance::<T>(&entry, quantity);
                for (how, got) in [("alone", alone[quantity]), ("slice", batch[quantity - 1][i])] {
                    let error = (((got.to_f64() - high) - low) / high / T::EPSILON).abs();
                    if error.is_nan() || error > most {
                        failures += &format!(
                            "{} {how}: {error:.1} ulp of {} {high:e} at γ = {:e}, ξ² = {:e}\n",
                            function.name,
                            QUANTITIES[quantity],
                            gamma.to_f64(),
                            xi2.to_f64()
                        );
                    }
                }
            }
        }
    }
    assert!(seen > 1000, "{seen} results");
    assert!(failures.is_empty(), "{}:\n{failures}", T::NAME);
}

#[test]
fn double_precision() {
    check::<f64>();
    check_far::<f64>(36.0, 1100);
}

#[test]
fn single_precision() {
    check::<f32>();
    check_far::<f32>(13.0, 256);
}
