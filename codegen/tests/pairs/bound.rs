//! |ρ| = 1: the limits from inside, also where knots of both functions meet.

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::infinite::{Layer, Values};
use gaussform_runtime::pair::Inputs;

use crate::functions::{Any, Numbers, count, declared, half};

/// So far from the bound, what has a limit is near it, and what has none grows.
const NEAR: [f64; 3] = [1e-8, 1e-10, 1e-12];

/// w is ±2ʲ u and a constant; all numbers are multiples of some power of two, so that knots do meet.
fn bound(numbers: &mut Numbers) -> Inputs {
    let sign = if numbers.next() < 0.5 { -1.0 } else { 1.0 };
    let slope = sign * numbers.between(-2.0, 2.0).round().exp2();
    // What meets within four deviations is seen to grow.
    let deviation = numbers.between(-1.5, 2.0).round().exp2();
    let (gamma, knot, knot_h) = (half(numbers), half(numbers), half(numbers));
    let xi2 = deviation * deviation;
    let gamma_h = knot_h + slope * (gamma - knot);
    Inputs { gamma, xi2, gamma_h, xi2_h: slope * slope * xi2, cov: slope * xi2 }
}

/// Holds the numbers at the bound to those near it; how many are infinite.
fn compare(g: &Dynamic, h: &Dynamic, at: Inputs) -> Result<usize, String> {
    let moments = |by: f64| {
        let at = Inputs { cov: at.cov * (1.0 - by), ..at };
        g.pair_moments(h, at).expect("a law").to_array()
    };
    let (there, [far, near, nearest]) = (moments(0.0), NEAR.map(moments));
    let second = |g: &Dynamic, gamma: f64, xi2: f64| g.moments(gamma, xi2).second.sqrt();
    let size = second(g, at.gamma, at.xi2) * second(h, at.gamma_h, at.xi2_h);
    let (s, t) = (at.xi2.sqrt(), at.xi2_h.sqrt());
    let units = [1.0, 1.0, s, at.xi2, t, at.xi2_h, s * t];
    let mut infinite = 0;
    for i in 0..7 {
        let size = (size / units[i]).max(nearest[i].abs());
        let is_right = if there[i].is_infinite() {
            infinite += 1;
            // As 1/√(1 − ρ²).
            let steps = [near[i] - far[i], nearest[i] - near[i]];
            there[i].signum() == steps[1].signum() && steps[1] / steps[0] > 5.0
        } else {
            (there[i] - nearest[i]).abs() <= 1e-4 * size
        };
        if !is_right {
            let before = [far[i], near[i], nearest[i]];
            return Err(format!("{i}: {:e}, but {before:?} before it", there[i]));
        }
    }
    Ok(infinite)
}

#[test]
fn limits_of_any_functions() {
    let mut numbers = Numbers::new(11);
    let (mut infinite, mut failures) = (0, Vec::new());
    for _ in 0..count(12) {
        let (g, h) = (Any::random(&mut numbers), Any::random(&mut numbers));
        let (first, second) = (g.dynamic(), h.dynamic());
        for _ in 0..25 {
            let at = bound(&mut numbers);
            match compare(&first, &second, at) {
                Ok(count) => infinite += count,
                Err(message) => {
                    failures.push(format!("{}; {}; {at:?}\n  {message}", g.text(), h.text()))
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures, such as\n{}",
        failures.len(),
        failures[..failures.len().min(3)].join("\n")
    );
    assert!(infinite > 0, "{infinite} limits were infinite");
}

#[test]
fn jumps_and_kinks_that_meet() {
    let step = declared("g(x) = piecewise { x > 0: 1; else: 0 }");
    let down = declared("g(x) = piecewise { x > 0: 0; else: 1 }");
    let relu = declared("g(x) = max(0, x)");
    let of = |g: &Dynamic, h: &Dynamic, rho: f64, gamma_h: f64| {
        let at = Inputs { gamma: 0.0, xi2: 4.0, gamma_h, xi2_h: 1.0, cov: 2.0 * rho };
        let m = g.pair_moments(h, at).expect("a law");
        [m.dcovariance_dcov, m.dcovariance_dxi2, m.dcovariance_dxi2_h]
    };
    let infinite = f64::INFINITY;
    // The covariance of two steps is arcsin(c/√(ξ² ξ′²))/2π.
    assert_eq!(of(&step, &step, 1.0, 0.0), [infinite, -infinite, -infinite]);
    assert_eq!(of(&step, &step, -1.0, 0.0), [infinite; 3]);
    assert_eq!(of(&step, &down, 1.0, 0.0), [-infinite, infinite, infinite]);
    assert_eq!(of(&down, &down, -1.0, 0.0), [infinite; 3]);
    for rho in [1.0, -1.0] {
        assert!(of(&step, &step, rho, 0.25).iter().all(|x| x.is_finite()));
        // E[δ(u) 1(w > 0)] = p(0)/2, and E[1 1] the probability that both are positive.
        let density = 0.5 / (8.0 * std::f64::consts::PI).sqrt();
        assert!((of(&step, &relu, rho, 0.0)[0] - density).abs() < 1e-15);
        let both = if rho > 0.0 { 0.5 } else { 0.0 };
        assert!((of(&relu, &relu, rho, 0.0)[0] - both).abs() < 1e-15);
    }
}

#[test]
fn a_jump_has_no_tangent_kernel_at_equal_inputs() {
    let step = declared("g(x) = piecewise { x > 0: 1; else: 0 }");
    let layer = Layer { weight: 1.0, bias: 0.2, mean: 0.0 };
    let (x, y) = ([0.8, -1.1, 0.4], [0.3, 0.9, 1.4]);
    assert_eq!(Values::first(&x, &x, layer).then(&step, layer).ntk, f64::INFINITY);
    let apart = Values::first(&x, &y, layer).then(&step, layer).ntk;
    assert!(apart.is_finite() && apart > 0.0);
}

/// Inputs nearly as near as numbers are: closed forms in the angle between them, which their cross product gives.
#[test]
fn nearly_parallel_inputs_have_tangent_kernels() {
    use std::f64::consts::PI;
    let [relu, step] = ["max(0, x)", "step(x)"].map(|text| declared(&format!("g(x) = {text}")));
    let layers = [1.0, 2.0].map(|weight| Layer { weight, bias: 0.0, mean: 0.0 });
    for exponent in [8, 20, 26, 30, 40, 46] {
        let t = 2.0_f64.powi(-exponent);
        let (x, y) = ([1.0, 2.0], [1.0 + t, 2.0]);
        let first = Values::first(&x, &y, layers[0]);
        let size = |x: [f64; 2]| x[0].hypot(x[1]);
        let (sizes, cross) = (size(x) * size(y), 2.0 * t);
        let angle = (cross / sizes).asin();
        let slopes = (PI - angle) / PI;
        let nngp = sizes / 2.0 * (angle.sin() / PI + slopes * angle.cos());
        let of_relu = nngp + slopes * (x[0] * y[0] + 4.0) / 2.0;
        // Two densities meet where both pre-activations are 0, and E[1 1] is a part of the circle.
        let of_step = slopes + 2.0 / (2.0 * PI * (cross / 2.0)) * first.ntk;
        // Of a sum in two words 1 − ρ² has what rounding leaves. A kink has the root of that, and a jump its reciprocal.
        let of_jump = 4e-15 + 2.0_f64.powi(-100) / (t * t);
        for (g, expected, error) in [(&relu, of_relu, 4e-15), (&step, of_step, of_jump)] {
            let found = first.then(g, layers[1]).ntk;
            assert!((found / expected - 1.0).abs() < error, "{t}: {found} for {expected}");
        }
    }
}

#[test]
fn jumps_that_cancel_leave_what_is_finite() {
    // On −1 both jump up, on 1 the first one jumps down, as far from the mean.
    let bump =
        declared("g(x) = piecewise { x > -1: 1; else: 0 } - piecewise { x > 1: 1; else: 0 }");
    let steps =
        declared("g(x) = piecewise { x > -1: 1; else: 0 } + piecewise { x > 1: 1; else: 0 }");
    for xi2 in [0.25, 1.0, 256.0] {
        let at = Inputs { gamma: 0.0, xi2, gamma_h: 0.0, xi2_h: xi2, cov: xi2 };
        let m = bump.pair_moments(&steps, at).expect("a law");
        assert!(m.to_array().iter().all(|x| x.is_finite()), "{m:?}");
        let near = Inputs { cov: xi2 * (1.0 - 1e-12), ..at };
        let near = bump.pair_moments(&steps, near).expect("a law");
        assert!((m.dcovariance_dcov - near.dcovariance_dcov).abs() < 1e-5, "{m:?} {near:?}");
        let nearer = bump.pair_moments(&steps, Inputs { gamma: 1e-3, ..at }).expect("a law");
        assert!(nearer.dcovariance_dcov.is_finite());
    }
}

#[test]
fn a_variance_of_zero_on_a_jump() {
    let step = declared("g(x) = piecewise { x > 0: 1; else: 0 }");
    let relu = declared("g(x) = max(0, x)");
    let still = Inputs { gamma: 0.0, xi2: 0.0, gamma_h: -3.0, xi2_h: 0.0, cov: 0.0 };
    // Nothing of the second for any variance near 0.
    assert_eq!(step.pair_moments(&relu, still).expect("a law").dcovariance_dcov, 0.0);
    let on = Inputs { gamma_h: 3.0, ..still };
    assert_eq!(step.pair_moments(&relu, on).expect("a law").dcovariance_dcov, f64::INFINITY);
    let mut numbers = Numbers::new(12);
    for _ in 0..50 {
        let (g, h) = (Any::random(&mut numbers).dynamic(), Any::random(&mut numbers).dynamic());
        let at = Inputs { gamma: half(&mut numbers), gamma_h: half(&mut numbers), ..still };
        let m = g.pair_moments(&h, at).expect("a law");
        assert!(m.to_array().iter().all(|x| !x.is_nan()), "{at:?} {m:?}");
    }
}
