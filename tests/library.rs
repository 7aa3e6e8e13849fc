//! Activations of the library as they are compiled: the same bits as the interpreted kernels, sane
//! everywhere.

use std::sync::LazyLock;

use gaussform::activations::{
    Abs, DECLARATIONS, HardShrink, HardSigmoid, HardSwish, HardTanh, Hat, Heaviside, LeakyRelu,
    Prelu, Relu, Relu2, Relu6, SoftShrink, Threshold,
};
use gaussform::{Activation, Float, MomentsGrad, MomentsGradMut, ParameterGrad, ParameterGradMut};
use gaussform_codegen::{Dynamic, Kernel};
use gaussform_symbolic::Library;

/// Calls `$check(name, &activation, parameters)` for activations of every kind.
macro_rules! for_each {
    ($($check:tt)+) => {
        $($check)+("relu", &Relu, &[]);
        $($check)+("leaky_relu", &LeakyRelu::new(0.01).expect("in the domain"), &[0.01]);
        $($check)+("prelu", &Prelu::new(-0.25).expect("in the domain"), &[-0.25]);
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

/// γ on, near and far from the knots, and ξ² small, large and zero.
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
            format!("{:?}", kernel.fixed(parameters).parameter_grad(gamma, xi2)),
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
fn at_zero_variance_the_moments_are_those_of_a_point() {
    let m = HardTanh.moments_grad(0.25, 0.0);
    assert_eq!(m.to_array(), [0.25, 0.0625, 0.0, 1.0, 0.0, 0.0, 1.0]);
    // On a knot, the limits for ξ → 0: the slope is the mean of both sides, the curvature a pole.
    let m = Relu.moments_grad(0.0, 0.0);
    assert_eq!([m.mean, m.variance, m.dmean_dgamma], [0.0, 0.0, 0.5]);
    assert_eq!(m.dmean_dxi2, f64::INFINITY);
    let pi = std::f64::consts::PI;
    assert!((m.dvariance_dxi2 - (0.5 - 0.5 / pi)).abs() < 1e-15);
}

/// Columns that the batched methods write: mean, variance, their four derivatives, then the cotangents of γ and ξ²
/// for the cotangents 1 and 2 of mean and variance, then mean and variance again.
fn batch<T: Float, A: Activation<T>>(activation: &A, gamma: &[T], xi2: &[T]) -> [Vec<T>; 10] {
    let n = gamma.len();
    let mut out: [Vec<T>; 10] = std::array::from_fn(|_| vec![T::ZERO; n]);
    let [
        mean,
        variance,
        dmean_dgamma,
        dmean_dxi2,
        dvariance_dgamma,
        dvariance_dxi2,
        d_gamma,
        d_xi2,
        mean_again,
        variance_again,
    ] = &mut out;
    let gradients = MomentsGradMut {
        mean,
        variance,
        dmean_dgamma,
        dmean_dxi2,
        dvariance_dgamma,
        dvariance_dxi2,
    };
    activation.moments_grad_into(gamma, xi2, gradients);
    let (ones, twos) = (vec![T::ONE; n], vec![T::ONE + T::ONE; n]);
    activation.vjp_into(gamma, xi2, &ones, &twos, d_gamma, d_xi2);
    activation.moments_into(gamma, xi2, mean_again, variance_again);
    out
}

fn same_slices<T: Float, A: Activation<T>>(name: &str, activation: &A)
where
    Dynamic: Activation<T>,
{
    let activations = gaussform_symbolic::Activation::parse_file(DECLARATIONS, &Library::new());
    let mut activations = activations.expect("the declarations are valid").into_iter();
    let declared = activations.find(|declared| declared.name == name).expect("declared");
    // A table in both forms. Compiled formulas are held to the truth.
    if Kernel::new(&declared).expect("a kernel").table().is_none() {
        return;
    }
    let dynamic = Dynamic::new(&declared, &[]).expect("a kernel");
    let points = points().into_iter().map(|(gamma, xi2)| (T::from_f64(gamma), T::from_f64(xi2)));
    let (gamma, xi2): (Vec<T>, Vec<T>) = points.unzip();
    for length in [1, 5, 100, gamma.len()] {
        let (gamma, xi2) = (&gamma[..length], &xi2[..length]);
        let results = [batch(activation, gamma, xi2), batch(&dynamic, gamma, xi2)];
        let [compiled, declared] =
            results.map(|r| r.concat().iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>());
        let different = compiled.iter().zip(&declared).position(|(a, b)| a != b);
        if let Some(at) = different {
            let (gamma, xi2) = (gamma[at % length], xi2[at % length]);
            panic!("{name}, result {} at {gamma}, {xi2}, {length} elements", at / length);
        }
    }
}

#[test]
fn slices_of_compiled_and_of_declared_kernels_agree_to_the_bit() {
    fn check<A: Activation<f64> + Activation<f32>>(name: &str, a: &A, parameters: &[f64]) {
        // A value of a parameter is exact here, and a word there.
        if parameters.is_empty() {
            same_slices::<f64, A>(name, a);
            same_slices::<f32, A>(name, a);
        }
    }
    for_each!(check);
    check("hard_swish", &HardSwish, &[]);
}

/// A continuous function as its knots and the slopes of its pieces.
struct Slopes<'a> {
    knots: &'a [f64],
    slopes: &'a [f64],
}

impl Slopes<'_> {
    /// E|g′| and ½ E|g″|, to a few digits; what narrow pieces cancel is counted.
    fn scales(&self, gamma: f64, xi2: f64) -> [f64; 2] {
        const STEPS: u32 = 200;
        let xi = xi2.sqrt();
        let density = |u: f64| {
            let z = (u - gamma) / xi;
            (-0.5 * z * z).exp() / (std::f64::consts::TAU.sqrt() * xi)
        };
        let slopes = self.slopes.iter().enumerate().map(|(i, slope)| {
            let end = |knot: Option<&f64>, open: f64| {
                knot.copied().unwrap_or(open).clamp(gamma - 9.0 * xi, gamma + 9.0 * xi)
            };
            let left = end(i.checked_sub(1).map(|i| &self.knots[i]), f64::NEG_INFINITY);
            let right = end(self.knots.get(i), f64::INFINITY);
            let step = (right - left) / f64::from(STEPS);
            let places = (0..STEPS).map(|i| left + step * (f64::from(i) + 0.5));
            slope.abs() * places.map(density).sum::<f64>() * step
        });
        let kinks = self.knots.iter().zip(self.slopes.windows(2));
        let kinks = kinks.map(|(knot, sides)| density(*knot) * (sides[1] - sides[0]).abs());
        [slopes.sum(), 0.5 * kinks.sum::<f64>()]
    }
}

/// The columns of [`batch`] for a single pre-activation, each with the scale of its error: the root of the second
/// moment, the variance, E|g′|, ½ E|g″|, or √Var/ξ, √Var/ξ², Var/ξ, Var/ξ² where those are more.
fn one_by_one<T: Float, A: Activation<T>>(
    activation: &A,
    slopes: &Slopes<'_>,
    gamma: T,
    xi2: T,
) -> [[f64; 2]; 10] {
    let m = activation.moments_grad(gamma, xi2);
    let [mean, second, variance, a, b, c, d] = m.to_array().map(T::to_f64);
    let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
    let (xi, sd) = (xi2.sqrt(), variance.sqrt());
    let [in_gamma, in_xi2] = slopes.scales(gamma, xi2);
    let scales = [in_gamma.max(sd / xi), in_xi2.max(sd / xi2), variance / xi, variance / xi2];
    // For zero variance, scales over ξ are not numbers.
    let at_least =
        |value: f64, scale: f64| value.abs().max(if scale.is_finite() { scale } else { 0.0 });
    let [of_a, of_b, of_c, of_d] = [(a, scales[0]), (b, scales[1]), (c, scales[2]), (d, scales[3])]
        .map(|(x, s)| at_least(x, s));
    let [of_mean, of_variance] = [[mean, second.sqrt()], [variance, variance]];
    [
        of_mean,
        of_variance,
        [a, of_a],
        [b, of_b],
        [c, of_c],
        [d, of_d],
        [a + 2.0 * c, of_a + 2.0 * of_c],
        [b + 2.0 * d, of_b + 2.0 * of_d],
        of_mean,
        of_variance,
    ]
}

/// Points of the precision at which the function is far from overflow.
fn finite_points<T: Float>() -> (Vec<T>, Vec<T>) {
    let points = points().into_iter().map(|(gamma, xi2)| (T::from_f64(gamma), T::from_f64(xi2)));
    points.filter(|(gamma, _)| gamma.is_finite()).unzip()
}

/// The largest error of every result, if it is larger than 16 units in the last place of its scale. `epsilon` is the
/// distance from 1 to the next number of the precision. `tiny` is the least scale, since products on the way may
/// underflow to it.
fn far_apart<T: Float, A: Activation<T>>(
    name: &str,
    activation: &A,
    slopes: &Slopes<'_>,
    [epsilon, tiny]: [f64; 2],
) -> String {
    let (gamma, xi2) = finite_points::<T>();
    let results = batch(activation, &gamma, &xi2);
    let mut worst = [const { (16.0, String::new()) }; 10];
    for i in 0..gamma.len() {
        let (gamma, xi2) = (gamma[i], xi2[i]);
        let singles = one_by_one(activation, slopes, gamma, xi2);
        for (([single, scale], result), worst) in singles.iter().zip(&results).zip(&mut worst) {
            let result = result[i].to_f64();
            if result == *single || (result.is_nan() && single.is_nan()) {
                continue;
            }
            let error = (result - single).abs() / (scale.max(tiny) * epsilon);
            // NaN is no error to pass over.
            let error = if error.is_nan() { f64::INFINITY } else { error };
            if error > worst.0 {
                let place = format!("at {gamma:?}, {xi2:?}: {result:e}, alone {single:e}");
                *worst = (error, place);
            }
        }
    }
    let failures = worst.iter().enumerate().filter(|(_, (_, place))| !place.is_empty());
    let line = |(which, (error, place)): (usize, &(f64, String))| {
        format!("{name}, epsilon {epsilon:e}, result {which}: {error:.1} ulp {place}\n")
    };
    failures.map(line).collect()
}

/// In a slice that begins elsewhere, in one that is cut short and beside other neighbours, every
/// result is the same.
fn independent_of_position<T: Float, A: Activation<T>>(name: &str, activation: &A) {
    let (gamma, xi2) = finite_points::<T>();
    let whole = batch(activation, &gamma, &xi2);
    // From single numbers to several vectors of the widest kind and a rest.
    for (start, length) in [(0, 1), (1, 1), (3, 5), (2, 17), (5, 64), (7, gamma.len() - 7)] {
        let range = start..start + length;
        let part = batch(activation, &gamma[range.clone()], &xi2[range.clone()]);
        for (which, (whole, part)) in whole.iter().zip(&part).enumerate() {
            let place = format!("{name}, result {which}, {length} from {start}");
            same_numbers(&whole[range.clone()], part, &gamma[range.clone()], &place);
        }
    }
    // In a vector of its own, where nothing is computed for the sake of another lane.
    for i in (0..gamma.len()).step_by(7).chain(gamma.len() - 8..gamma.len()) {
        let own = batch(activation, &[gamma[i]; 16], &[xi2[i]; 16]);
        for (which, (whole, own)) in whole.iter().zip(&own).enumerate() {
            let place = format!("{name}, result {which}, beside itself");
            same_numbers(&[whole[i]; 16], own, &[gamma[i]; 16], &place);
        }
    }
    // Every third, so that all neighbours are others.
    for start in 0..3 {
        let third = |all: &[T]| -> Vec<T> { all.iter().skip(start).step_by(3).copied().collect() };
        let (gamma, xi2) = (third(&gamma), third(&xi2));
        let apart = batch(activation, &gamma, &xi2);
        for (which, (whole, apart)) in whole.iter().zip(&apart).enumerate() {
            let place = format!("{name}, result {which}, every third from {start}");
            same_numbers(&third(whole), apart, &gamma, &place);
        }
    }
}

/// Asserts that the numbers are the same as text, because NaN equals itself there and −0 is not 0.
fn same_numbers<T: Float>(a: &[T], b: &[T], gamma: &[T], place: &str) {
    for ((a, b), gamma) in a.iter().zip(b).zip(gamma) {
        assert_eq!(format!("{a:?}"), format!("{b:?}"), "{place} at {gamma:?}");
    }
}

#[test]
fn batches_are_element_by_element() {
    const F64: [f64; 2] = [f64::EPSILON, 1e-290];
    const F32: [f64; 2] = [f32::EPSILON as f64, 1e-30];
    fn check<A>(name: &str, activation: &A, slopes: &Slopes<'_>) -> String
    where
        A: Activation<f64> + Activation<f32>,
    {
        let double = far_apart::<f64, A>(name, activation, slopes, F64);
        double + &far_apart::<f32, A>(name, activation, slopes, F32)
    }
    let slopes = |knots, slopes| Slopes { knots, slopes };
    let failures = [
        check("relu6", &Relu6, &slopes(&[0.0, 6.0], &[0.0, 1.0, 0.0])),
        check("hard_tanh", &HardTanh, &slopes(&[-1.0, 1.0], &[0.0, 1.0, 0.0])),
        check("hat", &Hat, &slopes(&[-1.0, 0.0, 1.0], &[0.0, 1.0, -1.0, 0.0])),
        check("prelu", &Prelu::new(-0.25).expect("in the domain"), &slopes(&[0.0], &[-0.25, 1.0])),
    ];
    assert!(failures.concat().is_empty(), "batches differ:\n{}", failures.concat());
}

#[test]
fn a_result_does_not_depend_on_its_position_in_a_batch() {
    fn check<A: Activation<f64> + Activation<f32>>(name: &str, a: &A, _: &[f64]) {
        independent_of_position::<f64, A>(name, a);
        independent_of_position::<f32, A>(name, a);
    }
    for_each!(check);
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

/// Slices are the sum over pieces, one by one may be formulas: both are right to some units in the last place of their terms.
fn slices_of_parameters<T: Float, A: Activation<T>>(name: &str, activation: &A, units: f64) {
    let points = points().into_iter().map(|(gamma, xi2)| (T::from_f64(gamma), T::from_f64(xi2)));
    let (gamma, xi2): (Vec<T>, Vec<T>) = points.unzip();
    let mut slices = vec![[(); 3].map(|()| vec![T::NAN; gamma.len()]); A::PARAMETERS.len()];
    let mut out: Vec<_> = slices
        .iter_mut()
        .map(|[dmean, dsecond, dvariance]| ParameterGradMut { dmean, dsecond, dvariance })
        .collect();
    activation.parameter_grad_into(&gamma, &xi2, &mut out);
    let mut one = vec![ParameterGrad::default(); A::PARAMETERS.len()];
    // For larger ξ² the contributions of two jumps nearly cancel.
    for i in (0..gamma.len()).filter(|i| xi2[*i].to_f64() < 100.0) {
        activation.parameter_grad(gamma[i], xi2[i], &mut one);
        for (slices, one) in slices.iter().zip(&one) {
            let one = [one.dmean, one.dsecond, one.dvariance].map(T::to_f64);
            // Each of them may be near 0, where terms of both signs meet.
            let scale = one.iter().fold(0.0, |largest, value| value.abs().max(largest));
            let slices = slices.each_ref().map(|slice| slice[i].to_f64());
            for (slice, one) in slices.iter().zip(one) {
                let near = (slice - one).abs() <= units * scale + 1e-36;
                let (gamma, xi2) = (gamma[i], xi2[i]);
                let near = near || slice.is_nan() && one.is_nan();
                assert!(*slice == one || near, "{name} at {gamma}, {xi2}: {slice} {one}");
            }
        }
    }
}

#[test]
fn slices_of_parameter_gradients_are_those_of_their_elements() {
    fn check<A: Activation<f64> + Activation<f32>>(name: &str, a: &A) {
        slices_of_parameters::<f64, A>(name, a, 256.0 * f64::EPSILON);
        slices_of_parameters::<f32, A>(name, a, 256.0 * f64::from(f32::EPSILON));
    }
    check("leaky_relu", &LeakyRelu::new(0.01).expect("in the domain"));
    check("prelu", &Prelu::new(-0.25).expect("in the domain"));
    check("soft_shrink", &SoftShrink::new(1.0).expect("in the domain"));
    check("hard_shrink", &HardShrink::new(1.0).expect("in the domain"));
    check("threshold", &Threshold::new(-1.0, 2.0).expect("in the domain"));
    check("relu", &Relu);
}

#[test]
fn parameter_gradients_are_differences() {
    let step = 1e-6;
    for (gamma, xi2) in [(0.3, 0.5), (-2.0, 1.0), (3.0, 4.0), (-0.1, 1e-3)] {
        let at = |slope: f64| Prelu::new(slope).expect("in the domain").moments(gamma, xi2);
        let (up, down) = (at(-0.25 + step), at(-0.25 - step));
        let mut out = [ParameterGrad::default()];
        Prelu::new(-0.25).expect("in the domain").parameter_grad(gamma, xi2, &mut out);
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
