//! The mean of a function that is nowhere negative, relative to itself: in both tails, and where it is small for any other
//! reason.

use gaussform_accuracy::error::Precision;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::to_pair;
use gaussform_accuracy::registry;
use gaussform_accuracy::sweep::count;
use gaussform_accuracy::tolerance::tolerance;

/// Points for each activation.
const POINTS: usize = 1000;

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

#[test]
fn double_precision() {
    check::<f64>();
}

#[test]
fn single_precision() {
    check::<f32>();
}
