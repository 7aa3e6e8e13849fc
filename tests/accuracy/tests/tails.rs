//! What does not change its sign, relative to itself: the mean of a function that is nowhere negative, in both tails and
//! where it is small for any other reason; ∂Var/∂γ of a straight continuous function, in both tails.

use gaussform_accuracy::error::Precision;
use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::{to_f64, to_pair};
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

/// Whether the function is straight and has no jump.
fn is_bent(function: &Function) -> bool {
    function.degree() == 1 && function.jumps.iter().all(|jump| to_f64(&jump[0]) == 0.0)
}

/// γ from 4 to `farthest` deviations away on both sides of each knot, the next of which is 100 deviations off.
fn far_from_knots<T: Precision>(function: &Function, farthest: f64) -> Vec<(T, T)> {
    let knots: Vec<f64> = function.knots.iter().map(to_f64).collect();
    let gap = knots.windows(2).map(|pair| pair[1] - pair[0]).fold(100.0, f64::min);
    let xi = gap / 100.0;
    let distances = (0..100).map(|i| 4.0 + (farthest - 4.0) * f64::from(i) / 99.0);
    let places = distances.flat_map(|s| knots.iter().flat_map(move |t| [t - s * xi, t + s * xi]));
    places.map(|gamma| (T::from_f64(gamma), T::from_f64(xi * xi))).collect()
}

/// ∂Var/∂γ relative to itself up to `farthest` deviations from a knot, where it may be below 2^−`bits` of the variance. A table, unlike
/// formulas, may also err as the density does of a distance that is rounded once: by s² ulp, s deviations away.
fn check_slope<T: Precision>(farthest: f64, bits: u64) {
    let oracle = Oracle::new(bits);
    let (mut failures, mut seen, slope) = (String::new(), 0, 5);
    for entry in registry::all().iter().filter(|entry| is_bent(&entry.function)) {
        let (kernels, promised) = (T::kernels(entry), tolerance::<T>(entry, slope));
        let knots: Vec<f64> = entry.function.knots.iter().map(to_f64).collect();
        let rounding = if entry.is_table { 1.0 } else { 0.0 };
        let points = far_from_knots::<T>(&entry.function, farthest);
        let (gamma, xi2): (Vec<T>, Vec<T>) = points.iter().copied().unzip();
        let [.., batch, _] = kernels.batch_grad(&gamma, &xi2);
        for i in 0..points.len() {
            let truth = oracle.truth(&entry.function, gamma[i].to_f64(), xi2[i].to_f64());
            let [high, low] = to_pair(&truth.values[slope]);
            if high.abs() < T::TINY / T::EPSILON {
                continue;
            }
            seen += 1;
            let distance = |knot: &f64| (gamma[i].to_f64() - knot).powi(2) / xi2[i].to_f64();
            let most = promised + rounding * knots.iter().map(distance).fold(f64::MAX, f64::min);
            let alone = kernels.moments_grad(gamma[i], xi2[i]).dvariance_dgamma;
            for (how, got) in [("alone", alone), ("slice", batch[i])] {
                let error = (((got.to_f64() - high) - low) / high / T::EPSILON).abs();
                if error.is_nan() || error > most {
                    failures += &format!(
                        "{} {how}: {error:.1} ulp of ∂Var/∂γ {high:e} at γ = {:e}, ξ² = {:e}\n",
                        entry.function.name,
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
    check_slope::<f64>(36.0, 1100);
}

#[test]
fn single_precision() {
    check::<f32>();
    check_slope::<f32>(13.0, 256);
}
