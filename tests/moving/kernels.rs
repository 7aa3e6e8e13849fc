//! Compiled kernels whose knots move with parameters or are irrational: the same bits as the
//! interpreted ones, values on the right side of every knot, checked relations.

use gaussform::{Activation, DomainError, Float, MomentsGrad, ParameterGrad};
use gaussform_codegen::Kernel;
use gaussform_symbolic::Library;
use gaussform_symbolic::exact::{Rational, integer, ratio};

#[allow(missing_docs, unreachable_pub)]
mod activations {
    gaussform::include_activations!("activations");
}
use activations::{
    AbsX2Minus2, Both, ClampBetween, HardSigmoid, Parallel, Related, SmoothRamp, SoftShrink,
    StepAt, ThirdOf, Thirds, Threshold,
};

fn kernel(name: &str) -> Kernel {
    let declared =
        gaussform_symbolic::Activation::parse_file(include_str!("activations.gf"), &Library::new());
    let found = declared.expect("valid declarations").into_iter().find(|a| a.name == name);
    Kernel::new(&found.expect("declared")).expect("a kernel")
}

/// γ on, near and far from the knots, and ξ² small, large and zero.
fn points(knots: &[f64]) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for exponent in (-34..=-31).chain(-20..=12) {
        let xi2 = 10.0_f64.powi(exponent) * 1.7;
        for knot in knots {
            for z in [-39.0, -4.1, -1.3, -0.2, 0.0, 0.3, 0.9, 2.5, 7.7, 40.0] {
                points.push((knot + z * xi2.sqrt(), xi2));
            }
        }
    }
    points.extend(knots.iter().map(|knot| (*knot, 0.0)));
    points.extend([-1e300, -1.5, 0.25, 7.0, 1e300].map(|gamma| (gamma, 0.0)));
    points
}

fn same_bits<T: Float, A: Activation<T>>(
    kernel: &Kernel,
    a: &A,
    parameters: &[f64],
    knots: &[f64],
) {
    let name = &kernel.activation().name;
    for (gamma, xi2) in points(knots) {
        let (gamma, xi2) = (T::from_f64(gamma), T::from_f64(xi2));
        // Compared as text, because NaN equals itself there and −0 is not 0.
        let compiled: MomentsGrad<T> = a.moments_grad(gamma, xi2);
        let interpreted = kernel.moments_grad(parameters, gamma, xi2);
        assert_eq!(
            format!("{compiled:?}"),
            format!("{interpreted:?}"),
            "{name} {parameters:?} at {gamma}, {xi2}"
        );
        let mut gradients = vec![ParameterGrad::default(); A::PARAMETERS.len()];
        a.parameter_grad(gamma, xi2, &mut gradients);
        let interpreted = kernel.fixed(parameters).parameter_grad(gamma, xi2);
        assert_eq!(
            format!("{gradients:?}"),
            format!("{interpreted:?}"),
            "{name} {parameters:?} at {gamma}, {xi2}"
        );
        if gamma.abs() < T::from_f64(1e9) {
            let all = format!("{compiled:?} {gradients:?}");
            assert!(!all.contains("NaN"), "{name} {parameters:?} at {gamma}, {xi2}: {all}");
            assert!(compiled.variance >= T::ZERO, "{name} {parameters:?} at {gamma}, {xi2}");
        }
        let value = a.value(gamma).to_f64();
        assert_eq!(value, kernel.evaluate(parameters, gamma).to_f64(), "{name} at {gamma}");
    }
}

#[test]
fn compiled_and_interpreted_kernels_agree_to_the_bit() {
    fn check<A>(name: &str, a: &A, parameters: &[f64], knots: &[f64])
    where
        A: Activation<f64> + Activation<f32>,
    {
        let kernel = kernel(name);
        same_bits::<f64, A>(&kernel, a, parameters, knots);
        same_bits::<f32, A>(&kernel, a, parameters, knots);
    }
    for alpha in [1.0, 0.3, 1e-9] {
        check(
            "hard_sigmoid",
            &HardSigmoid::new(alpha).expect("in the domain"),
            &[alpha],
            &[-alpha, alpha],
        );
    }
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-9], [0.5, 0.5]] {
        check("clamp_between", &ClampBetween::new(a, b).expect("in the domain"), &[a, b], &[a, b]);
    }
    // Coefficients are multiples of up to (b − a)⁻⁷, which are to be numbers of f32.
    for [a, b] in [[-1.0, 2.0], [0.3, 0.3 + 1e-4]] {
        check("smooth_ramp", &SmoothRamp::new(a, b).expect("in the domain"), &[a, b], &[a, b]);
    }
    check("soft_shrink", &SoftShrink::new(0.5).expect("in the domain"), &[0.5], &[-0.5, 0.5]);
    check("step_at", &StepAt::new(0.1).expect("in the domain"), &[0.1], &[0.1]);
    check("threshold", &Threshold::new(0.25, 20.0).expect("in the domain"), &[0.25, 20.0], &[0.25]);
    let root = 2.0_f64.sqrt();
    check("abs_x2_minus_2", &AbsX2Minus2, &[], &[-root, root]);
    check("both", &Both::new(2.5, -3.0).expect("in the domain"), &[2.5, -3.0], &[-root, root, 2.5]);
    check("related", &Related::new(0.1, 3.0).expect("in the domain"), &[0.1, 3.0], &[0.1]);
    check("third_of", &ThirdOf::new(0.3, 0.7).expect("in the domain"), &[0.3, 0.7], &[1.0 / 3.0]);
    check(
        "parallel",
        &Parallel::new(0.6, 0.75).expect("in the domain"),
        &[0.6, 0.75],
        &[1.0 / 3.0],
    );
    check("thirds", &Thirds, &[], &[1.0 / 3.0, 2.0 / 3.0]);
}

#[test]
fn a_number_next_to_a_knot_is_on_the_side_on_which_it_lies() {
    // As doubles, 1/3 is rounded down and 2/3 too; as singles, both are rounded up.
    let thirds = |x: f64| Thirds.value(x);
    assert_eq!([thirds(1.0 / 3.0), thirds(2.0 / 3.0)], [0.0, 1.0]);
    let thirds = |x: f32| Thirds.value(x);
    assert_eq!([thirds(1.0 / 3.0), thirds(2.0 / 3.0)], [1.0, 3.0]);
    // A double knot between two singles.
    let step = StepAt::new(0.1).expect("in the domain");
    assert_eq!([step.value(0.1_f64), step.value(0.1_f64.next_up())], [0.0, 1.0]);
    assert_eq!([step.value(0.1_f32), step.value(0.1_f32.next_down())], [1.0, 0.0]);
}

#[test]
fn a_computed_knot_that_is_a_number_is_that_number() {
    // 0.3 + 0.4, without a rounding, is three times a double.
    let third = ThirdOf::new(0.3, 0.4).expect("in the domain");
    let knot = 0.233_333_333_333_333_34_f64;
    let at = [knot.next_down(), knot, knot.next_up()].map(|x| third.value(x));
    assert_eq!(at, [0.0, 0.0, 1.0]);
    assert!((third.moments(knot, 1e-300).mean - 0.5).abs() < 4e-16);
    assert_eq!(third.moments(knot, 0.0).mean, 0.5);
}

#[test]
fn values_near_an_irrational_knot_are_right_to_the_last_bit() {
    // The double next to √2 lies above it by 9.667e-17.
    let value = AbsX2Minus2.value(2.0_f64.sqrt());
    assert_eq!(value, 2.734_323_463_064_769_3e-16);
}

#[test]
fn at_zero_variance_on_a_moving_knot() {
    let m: MomentsGrad<f64> =
        ClampBetween::new(0.5, 2.0).expect("in the domain").moments_grad(0.5, 0.0);
    assert_eq!([m.mean, m.variance, m.dmean_dgamma], [0.5, 0.0, 0.5]);
    assert_eq!(m.dmean_dxi2, f64::INFINITY);
    // Where the knots have met the function is constant.
    let met = ClampBetween::new(0.5, 0.5).expect("in the domain");
    let m: MomentsGrad<f64> = met.moments_grad(0.5, 0.0);
    assert_eq!(m.to_array(), [0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let mut out = [ParameterGrad::<f64>::default(); 2];
    met.parameter_grad(0.5, 0.0, &mut out);
    assert_eq!(out.map(|slope| slope.dmean), [0.5, 0.5]);
    // A jump that moves.
    let mut out = [ParameterGrad::<f64>::default()];
    StepAt::new(0.1).expect("in the domain").parameter_grad(0.1, 0.0, &mut out);
    assert_eq!(out[0].dmean, f64::NEG_INFINITY);
}

/// The limits are taken from the derived forms, the moments beside them from tails and fluxes.
#[test]
fn limits_on_a_moving_knot_are_those_of_small_deviations() {
    for (name, parameters, knots) in [
        ("hard_sigmoid", &[0.5][..], &[-0.5, 0.5][..]),
        ("clamp_between", &[0.5, 2.0], &[0.5, 2.0]),
        ("clamp_between", &[0.5, 0.5], &[0.5]),
        ("soft_shrink", &[0.5], &[-0.5, 0.5]),
        ("step_at", &[0.25], &[0.25]),
        ("threshold", &[0.25, 20.0], &[0.25]),
        ("threshold", &[0.25, 0.25], &[0.25]),
        ("smooth_ramp", &[-1.0, 2.0], &[-1.0, 2.0]),
        ("both", &[2.5, -3.0], &[2.5]),
        ("related", &[0.25, 3.0], &[0.25]),
    ] {
        let kernel = kernel(name);
        let results = |gamma: f64, xi2: f64| {
            let mut all = kernel.moments_grad(parameters, gamma, xi2).to_array().to_vec();
            for slope in kernel.fixed(parameters).parameter_grad(gamma, xi2) {
                all.extend([slope.dmean, slope.dsecond, slope.dvariance]);
            }
            all
        };
        for knot in knots {
            let beside = results(*knot, 1e-16);
            // Units in the last place of the derivatives of the variance are those of Var/ξ and Var/ξ².
            let unit = |i: usize| match i {
                5 => f64::EPSILON * beside[2] / 1e-8,
                6 => f64::EPSILON * beside[2] / 1e-16,
                _ => 0.0,
            };
            for (i, (limit, near)) in results(*knot, 0.0).into_iter().zip(&beside).enumerate() {
                let near = *near;
                let same = match limit {
                    f64::INFINITY => near > 1e6,
                    f64::NEG_INFINITY => near < -1e6,
                    _ => (limit - near).abs() < 1e-6 * (1.0 + limit.abs()) + 8.0 * unit(i),
                };
                assert!(same, "{name} {parameters:?}, result {i} at {knot}: {limit} and {near}");
            }
        }
    }
}

#[test]
fn relations_are_checked_on_request() {
    assert!(ClampBetween::new(1.0, 1.0).is_ok());
    let error: DomainError = ClampBetween::new(1.0, 0.5).unwrap_err();
    assert_eq!(
        error.to_string(),
        "ClampBetween: parameter `b` is declared with `a <= b`, but its value is 0.5"
    );
    assert!(SmoothRamp::new(1.0, 1.0).is_err());
    assert!(SmoothRamp::new(1.0, f64::NAN).is_err());
    // 2a + 1 < b² + 1/3, also where the two sides round to the same number.
    assert!(Related::new(1.0, 2.0).is_ok());
    assert!(Related::new(2.0, 2.0).is_err());
    let b = 1.0 + f64::EPSILON;
    let a = (b * b - 2.0 / 3.0) / 2.0;
    let exact = |x: f64| Rational::from_float(x).expect("finite");
    let holds = |a: f64| exact(a) * integer(2) + integer(1) < exact(b) * exact(b) + ratio(1, 3);
    for a in [a.next_down().next_down(), a.next_down(), a, a.next_up(), a.next_up().next_up()] {
        assert_eq!(Related::new(a, b).is_ok(), holds(a), "{a:e}");
    }
}
