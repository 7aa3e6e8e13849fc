//! The library as it is compiled: the same bits as the interpreted kernels, sane everywhere.

use std::sync::LazyLock;

use gaussform::activations::{
    Abs, DECLARATIONS, HardSigmoid, HardTanh, Hat, Heaviside, LeakyRelu, Prelu, Relu, Relu2, Relu6,
};
use gaussform::{Activation, Float, MomentsGrad, MomentsGradMut, ParameterGrad};
use gaussform_codegen::Kernel;
use gaussform_symbolic::Library;

/// Calls `$check(name, &activation, parameters)` for every activation of the library.
macro_rules! for_each {
    ($($check:tt)+) => {
        $($check)+("relu", &Relu, &[]);
        $($check)+("leaky_relu", &LeakyRelu { eps: 0.01 }, &[0.01]);
        $($check)+("prelu", &Prelu { slope: -0.25 }, &[-0.25]);
        $($check)+("hard_tanh", &HardTanh, &[]);
        $($check)+("hard_sigmoid", &HardSigmoid, &[]);
        $($check)+("relu2", &Relu2, &[]);
        $($check)+("relu6", &Relu6, &[]);
        $($check)+("abs", &Abs, &[]);
        $($check)+("heaviside", &Heaviside, &[]);
        $($check)+("hat", &Hat, &[]);
    };
}

/// The interpreted kernels by name, in the order of the declarations.
static KERNELS: LazyLock<Vec<(String, Kernel)>> = LazyLock::new(|| {
    let activations = gaussform_symbolic::Activation::parse_file(DECLARATIONS, &Library::new());
    let kernel = |a: gaussform_symbolic::Activation| {
        let kernel = Kernel::new(&a).expect("a kernel");
        (a.name, kernel)
    };
    activations.expect("the declarations are valid").into_iter().map(kernel).collect()
});

/// γ and ξ² on, near and far from the knots, narrow and wide, and at rest.
fn points() -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for exponent in -20..=20 {
        let xi2 = 10.0_f64.powi(exponent) * 1.7;
        for knot in [-3.0, -1.0, 0.0, 1.0, 3.0, 6.0] {
            for z in [-39.0, -12.0, -4.1, -1.3, -0.2, 0.0, 0.3, 0.9, 2.5, 7.7, 40.0] {
                points.push((knot + z * xi2.sqrt(), xi2));
            }
        }
    }
    for gamma in [-7.0, -3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0, 5.0, 6.0, 9.0] {
        points.push((gamma, 0.0));
    }
    for gamma in [-1e300, -1e30, 1e30, 1e300] {
        points.push((gamma, 1.0));
        points.push((gamma / 1e200, 1e-300));
    }
    points
}

fn same_bits<T: Float, A: Activation<T>>(name: &str, activation: &A, parameters: &[f64]) {
    let (_, kernel) = KERNELS.iter().find(|(n, _)| n == name).expect("declared");
    for (gamma, xi2) in points() {
        let (gamma, xi2) = (T::from_f64(gamma), T::from_f64(xi2));
        let compiled = activation.moments_grad(gamma, xi2);
        let interpreted = kernel.moments_grad(parameters, gamma, xi2);
        let bits = |m: &MomentsGrad<T>| m.to_array().map(|x| x.to_f64().to_bits());
        assert_eq!(bits(&compiled), bits(&interpreted), "{name} at {gamma}, {xi2}");
        let mut gradients = vec![ParameterGrad::default(); A::PARAMETERS.len()];
        activation.parameter_grad(gamma, xi2, &mut gradients);
        // Compared as text, because NaN equals itself there.
        assert_eq!(
            format!("{gradients:?}"),
            format!("{:?}", kernel.parameter_grad(parameters, gamma, xi2)),
            "{name} at {gamma}, {xi2}"
        );
        let value = activation.value(gamma).to_f64();
        assert_eq!(value, kernel.evaluate(parameters, gamma).to_f64(), "{name} at {gamma}");
    }
}

#[test]
fn compiled_and_interpreted_kernels_agree_to_the_bit() {
    fn check<A: Activation<f64> + Activation<f32>>(name: &str, a: &A, parameters: &[f64]) {
        same_bits::<f64, A>(name, a, parameters);
        same_bits::<f32, A>(name, a, parameters);
    }
    for_each!(check);
}

#[test]
fn the_list_above_is_the_whole_library() {
    let tested = std::cell::RefCell::new(Vec::new());
    let declared: Vec<String> = KERNELS.iter().map(|(name, _)| name.clone()).collect();
    macro_rules! note {
        ($name:literal, $activation:expr, $parameters:expr) => {
            tested.borrow_mut().push($name.to_owned())
        };
    }
    for_each!(note!);
    assert_eq!(tested.into_inner(), declared);
}

fn sane<T: Float, A: Activation<T>>(name: &str, activation: &A) {
    for (gamma, xi2) in points() {
        let (gamma, xi2) = (T::from_f64(gamma), T::from_f64(xi2));
        if !(gamma.is_finite() && xi2.is_finite()) {
            continue;
        }
        let m = activation.moments_grad(gamma, xi2);
        for value in m.to_array() {
            assert!(!value.to_f64().is_nan(), "{name}: {m:?} at {gamma}, {xi2}");
        }
        assert!(m.variance >= T::ZERO, "{name}: {m:?} at {gamma}, {xi2}");
        assert!(m.second >= m.variance, "{name}: {m:?} at {gamma}, {xi2}");
        let moments = activation.moments(gamma, xi2);
        let close = |a: T, b: T| {
            let (a, b) = (a.to_f64(), b.to_f64());
            a == b || (a - b).abs() <= 1e-4 * a.abs()
        };
        assert!(close(moments.variance, m.variance), "{name}: {moments:?}, {m:?}");
        assert!(close(moments.mean, m.mean), "{name}: {moments:?}, {m:?}");
    }
}

#[test]
fn no_nan_and_no_negative_variance() {
    fn check<A: Activation<f64> + Activation<f32>>(name: &str, a: &A, _: &[f64]) {
        sane::<f64, A>(name, a);
        sane::<f32, A>(name, a);
    }
    for_each!(check);
}

#[test]
fn bad_input_is_nan() {
    for (gamma, xi2) in [(f64::NAN, 1.0), (0.0, f64::NAN), (0.0, -1.0), (f64::INFINITY, 1.0)] {
        let m = HardTanh.moments_grad(gamma, xi2);
        assert!(m.to_array().iter().all(|value| value.is_nan()), "{m:?} at {gamma}, {xi2}");
    }
}

#[test]
fn at_rest_the_moments_are_those_of_a_point() {
    let m = HardTanh.moments_grad(0.25, 0.0);
    assert_eq!(m.to_array(), [0.25, 0.0625, 0.0, 1.0, 0.0, 0.0, 1.0]);
    // On a knot, the limits for ξ → 0: the slope is the mean of both sides, the curvature a pole.
    let m = Relu.moments_grad(0.0, 0.0);
    assert_eq!([m.mean, m.variance, m.dmean_dgamma], [0.0, 0.0, 0.5]);
    assert_eq!(m.dmean_dxi2, f64::INFINITY);
    let pi = std::f64::consts::PI;
    assert!((m.dvariance_dxi2 - (0.5 - 0.5 / pi)).abs() < 1e-15);
}

#[test]
fn batches_are_element_by_element() {
    let gamma: Vec<f64> = points().iter().map(|p| p.0).collect();
    let xi2: Vec<f64> = points().iter().map(|p| p.1).collect();
    let n = gamma.len();
    let zeros = || vec![0.0; n];
    let (mut mean, mut variance) = (zeros(), zeros());
    Relu6.moments_into(&gamma, &xi2, &mut mean, &mut variance);
    let mut out: [Vec<f64>; 6] = std::array::from_fn(|_| zeros());
    let [a, b, c, d, e, f] = &mut out;
    Relu6.moments_grad_into(
        &gamma,
        &xi2,
        MomentsGradMut {
            mean: a,
            variance: b,
            dmean_dgamma: c,
            dmean_dxi2: d,
            dvariance_dgamma: e,
            dvariance_dxi2: f,
        },
    );
    let (ones, twos) = (vec![1.0; n], vec![2.0; n]);
    let (mut d_gamma, mut d_xi2) = (zeros(), zeros());
    Relu6.vjp_into(&gamma, &xi2, &ones, &twos, &mut d_gamma, &mut d_xi2);
    for i in 0..n {
        let m = Relu6.moments_grad(gamma[i], xi2[i]);
        assert_eq!([mean[i], variance[i]], [m.mean, m.variance]);
        assert_eq!(out[4][i], m.dvariance_dgamma);
        assert_eq!(d_gamma[i], m.dmean_dgamma + 2.0 * m.dvariance_dgamma);
        assert_eq!(d_xi2[i], m.dmean_dxi2 + 2.0 * m.dvariance_dxi2);
    }
}

#[test]
#[should_panic(expected = "`xi2` has 2 elements but `gamma` has 3")]
fn slices_of_different_length_panic() {
    Relu.moments_into(&[0.0; 3], &[1.0; 2], &mut [0.0; 3], &mut [0.0; 3]);
}

#[test]
fn parameters_are_checked_on_request() {
    assert!(LeakyRelu::new(0.5).is_ok());
    let error = LeakyRelu::new(1.5).unwrap_err();
    assert_eq!(
        error.to_string(),
        "LeakyRelu: parameter `eps` is declared with `eps in (0, 1)`, but its value is 1.5"
    );
    assert!(LeakyRelu::new(f64::NAN).is_err());
}

#[test]
fn parameter_gradients_are_differences() {
    let step = 1e-6;
    for (gamma, xi2) in [(0.3, 0.5), (-2.0, 1.0), (3.0, 4.0), (-0.1, 1e-3)] {
        let at = |slope: f64| Prelu { slope }.moments(gamma, xi2);
        let (up, down) = (at(-0.25 + step), at(-0.25 - step));
        let mut out = [ParameterGrad::default()];
        Prelu { slope: -0.25 }.parameter_grad(gamma, xi2, &mut out);
        let differences: [f64; 3] =
            [up.mean - down.mean, up.second - down.second, up.variance - down.variance];
        for (exact, difference) in
            [out[0].dmean, out[0].dsecond, out[0].dvariance].iter().zip(differences)
        {
            let numeric = difference / (2.0 * step);
            assert!((exact - numeric).abs() < 1e-8 * (1.0 + exact.abs()), "{exact} {numeric}");
        }
    }
}
