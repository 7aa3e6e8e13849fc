//! The logarithms of the moments and their derivatives against truth in many bits, where the moments are normal numbers
//! and where they underflow.

use gaussform_accuracy::error::Precision;
use gaussform_accuracy::oracle::{Oracle, Truth};
use gaussform_accuracy::points::points;
use gaussform_accuracy::real::{Real, to_f64};
use gaussform_accuracy::registry;
use gaussform_accuracy::sweep::count;

/// Points for each activation.
const POINTS: usize = 40;
/// Largest error of a logarithm, in units in the last place of its value, or of 1 where the value is less.
const UNITS: f64 = 8.0;
/// Of a derivative: two errors of kernels and a division, each for a table as large as a kernel's largest.
const SLOPE_UNITS: f64 = 24.0;
/// Below this share of E\[g²\], E\[g\]² is that of a bump which is 10¹⁶ times as narrow as ξ.
const BUMP: f64 = 1e-15;
/// Beyond 64 deviations the oracle takes the density for 0.
const FARTHEST: f64 = 62.0;

/// ln E\[g\] and ln Var g with their derivatives, and what the errors of the latter are measured against.
fn logarithms(truth: &Truth, xi2: f64) -> [[f64; 2]; 6] {
    let [mean, _, variance, a, b, c, d] = &truth.values;
    let ln = |x: &Real| to_f64(&x.ln());
    let per = |x: &Real, whole: &Real| to_f64(&(x / whole));
    let slope = |x: f64, scale: f64| [x, x.abs().max(scale)];
    let spread = to_f64(&(&variance.sqrt() / mean)).abs();
    let xi = xi2.sqrt();
    let log = |x: f64| [x, x.abs().max(1.0)];
    [
        log(ln(mean)),
        log(ln(variance)),
        slope(per(a, mean), spread / xi),
        slope(per(b, mean), spread / xi2),
        slope(per(c, variance), 1.0 / xi),
        slope(per(d, variance), 1.0 / xi2),
    ]
}

fn check<T: Precision>() {
    // The quotients of what nearly cancels for a ξ that is huge take so many bits.
    let oracle = Oracle::new(1200);
    let only = std::env::var("GAUSSFORM_ONLY").unwrap_or_default();
    let (mut failures, mut seen, mut underflows) = (String::new(), 0, 0);
    for entry in registry::all() {
        let name = &entry.function.name;
        if !name.starts_with(&only) {
            continue;
        }
        let kernels = T::kernels(&entry);
        let knots: Vec<f64> = entry.function.knots.iter().map(to_f64).collect();
        let is_near =
            |gamma: f64, xi: f64| knots.iter().all(|knot| (knot - gamma).abs() < FARTHEST * xi);
        let mut points = points::<T>(&entry.function, count(POINTS));
        points.retain(|(_, xi2)| *xi2 > T::ZERO);
        let (gamma, xi2): (Vec<T>, Vec<T>) = points.iter().copied().unzip();
        let batch = kernels.batch_log_grad(&gamma, &xi2);
        for i in 0..gamma.len() {
            let (gamma, xi2) = (gamma[i].to_f64(), xi2[i].to_f64());
            if !is_near(gamma, xi2.sqrt()) {
                continue;
            }
            let truth = oracle.truth(&entry.function, gamma, xi2);
            let wanted = logarithms(&truth, xi2);
            let one = kernels.log_moments_grad(points[i].0, points[i].1);
            let one = [
                one.log_mean,
                one.log_variance,
                one.dlog_mean_dgamma,
                one.dlog_mean_dxi2,
                one.dlog_variance_dgamma,
                one.dlog_variance_dxi2,
            ];
            seen += 1;
            underflows += usize::from(to_f64(&truth.values[2]) < T::TINY);
            for (method, got) in [("single", one), ("batch", std::array::from_fn(|q| batch[q][i]))]
            {
                for (quantity, (got, [value, size])) in got.into_iter().zip(wanted).enumerate() {
                    let got = got.to_f64();
                    if matches!(quantity, 0 | 2 | 3) && !kernels.is_nonnegative() {
                        assert!(got.is_nan(), "{name}: the logarithm of what may be negative");
                        continue;
                    }
                    // Of a bump seen from so far a table has no digits of the mean.
                    let is_bump = entry.is_table
                        && to_f64(&truth.values[0]).powi(2) < BUMP * to_f64(&truth.values[1]);
                    if is_bump && matches!(quantity, 0 | 2 | 3) {
                        continue;
                    }
                    // What the oracle takes for 0 has no logarithm: γ is the number next to a knot.
                    if value.is_nan() || value.is_infinite() {
                        continue;
                    }
                    // Beyond the range.
                    if value.abs() > T::HUGE || size < T::TINY / T::EPSILON {
                        continue;
                    }
                    let units = if quantity < 2 { UNITS } else { SLOPE_UNITS };
                    let error = (got - value).abs() / size / T::EPSILON;
                    if error.is_nan() || error > units {
                        failures += &format!(
                            "{name} {method} {quantity}: {error:.1} units at γ = {gamma:e}, ξ² = {xi2:e}: \
                             {got:e} for {value:e}\n"
                        );
                    }
                }
            }
        }
    }
    assert!(!only.is_empty() || underflows * 50 > seen, "{underflows} of {seen} points underflow");
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
