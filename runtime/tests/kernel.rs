//! Every type that implements `Kernel` is an activation in both precisions, also over slices.

use gaussform_runtime::{Activation, Float, Moments, MomentsGradMut, ParameterGrad};

/// Where `Activation` is not in scope: its methods have the same names.
mod by_hand {
    use gaussform_runtime::kernel::{Facts, Form, Kernel, Lanes, number};

    /// Formulas in which nothing overflows.
    const fn form(knots: usize, degree: u32) -> Form {
        Form::Formulas(Facts { knots, degree, is_moderate: true })
    }

    /// g(x) = c·x, with moments that need nothing but the pre-activation.
    #[derive(Clone, Copy)]
    pub(crate) struct Scaled {
        pub(crate) c: f64,
    }

    impl Kernel for Scaled {
        type Unit = ();

        const PARAMETERS: &'static [&'static str] = &["c"];
        const FORM: Form = form(0, 1);

        fn value(&self, x: f64) -> f64 {
            self.c * x
        }

        fn moments<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 2] {
            let c = number::<V>(self.c);
            [c * gamma, c * c * xi2]
        }

        fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
            let ([mean, variance], zero) = (self.moments(gamma, xi2), number(0.0));
            let c = number::<V>(self.c);
            [mean, variance, c, zero, zero, c * c]
        }

        fn parameter_gradients<V: Lanes>(&self, gamma: V, xi2: V, out: &mut [[V; 3]]) {
            let c = number::<V>(self.c);
            let two = number::<V>(2.0);
            out[0] = [gamma, two * c * (xi2 + gamma * gamma), two * c * xi2];
        }
    }

    /// A step at 0, whose moments are tested at zero variance only.
    #[derive(Clone, Copy)]
    pub(crate) struct Step;

    impl Kernel for Step {
        type Unit = ();

        const PARAMETERS: &'static [&'static str] = &[];
        const FORM: Form = form(1, 0);
        fn value(&self, x: f64) -> f64 {
            if x < 0.0 { 0.0 } else { 1.0 }
        }
        fn moments<V: Lanes>(&self, gamma: V, _: V) -> [V; 2] {
            let [zero, one] = [0.0, 1.0].map(number::<V>);
            [V::select(gamma.lt(zero), zero, one), zero]
        }
        fn gradients<V: Lanes>(&self, gamma: V, xi2: V) -> [V; 6] {
            let ([mean, variance], zero) = (self.moments(gamma, xi2), number(0.0));
            [mean, variance, zero, zero, zero, zero]
        }
        fn gradients_at_zero_variance(&self, gamma: f64) -> Option<[f64; 6]> {
            (gamma == 0.0).then_some([0.5, 0.25, 0.0, 0.0, 0.0, 0.0])
        }
    }
}
use by_hand::{Scaled, Step};

/// The identity.
const PLAIN: Scaled = Scaled { c: 1.0 };

fn single<T: Float>() {
    let [gamma, xi2] = [-1.5, 0.25].map(T::from_f64);
    assert_eq!(<Scaled as Activation<T>>::PARAMETERS, ["c"]);
    assert_eq!(PLAIN.value(gamma), gamma);
    let second = T::from_f64(2.5);
    let moments = PLAIN.moments(gamma, xi2);
    assert_eq!(moments, Moments { mean: gamma, second, variance: xi2 });
    let m = PLAIN.moments_grad(gamma, xi2);
    let (zero, one) = (T::ZERO, T::ONE);
    assert_eq!(m.to_array(), [gamma, second, xi2, one, zero, zero, one]);
    assert_eq!([m.dsecond_dgamma(), m.dsecond_dxi2()], [gamma + gamma, one]);
    let mut out = [ParameterGrad::default()];
    PLAIN.parameter_grad(gamma, xi2, &mut out);
    let [dmean, dsecond, dvariance] = [-1.5, 5.0, 0.5].map(T::from_f64);
    assert_eq!(out, [ParameterGrad { dmean, dsecond, dvariance }]);
}

#[test]
fn one_pre_activation() {
    single::<f64>();
    single::<f32>();
}

/// Lengths below, at and beyond whole vectors of every width, and several of them.
const LENGTHS: [usize; 13] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 67];

/// Usual inputs, and those that vectors leave to the single kernels.
fn inputs<T: Float>(length: usize) -> (Vec<T>, Vec<T>) {
    let pairs = (0..length).map(|i| match i % 11 {
        3 => (T::ONE, T::ZERO),
        5 => (T::from_f64(1e30), T::from_f64(1e-35)),
        7 => (T::from_f64(i as f64), -T::ONE),
        9 => (T::NAN, T::ONE),
        _ => (T::from_f64(i as f64 - 7.5), T::from_f64(0.5 + i as f64)),
    });
    pairs.unzip()
}

/// The expected result for one pre-activation: NaN if its law is none.
fn expected<T: Float>(gamma: T, xi2: T, value: T) -> T {
    let valid = gamma.is_finite() && xi2 >= T::ZERO;
    if valid { value } else { T::NAN }
}

/// Whether two numbers are the same, NaN too.
fn same<T: Float>(a: T, b: T) -> bool {
    a.to_f64() == b.to_f64() || (a.to_f64().is_nan() && b.to_f64().is_nan())
}

fn slices<T: Float>(length: usize) {
    let (gamma, xi2) = inputs::<T>(length);
    let new = || vec![T::ONE; length];
    let check = |name: &str, got: &[T], of: &dyn Fn(usize) -> T| {
        for (i, got) in got.iter().enumerate() {
            let expected = expected(gamma[i], xi2[i], of(i));
            assert!(same(*got, expected), "{name} {i} of {length}: {got}, not {expected}");
        }
    };

    let (mut mean, mut variance) = (new(), new());
    PLAIN.moments_into(&gamma, &xi2, &mut mean, &mut variance);
    check("mean", &mean, &|i| gamma[i]);
    check("variance", &variance, &|i| xi2[i]);

    let mut out: [Vec<T>; 6] = std::array::from_fn(|_| new());
    let slices = MomentsGradMut::new(out.each_mut().map(Vec::as_mut_slice));
    PLAIN.moments_grad_into(&gamma, &xi2, slices);
    check("mean", &out[0], &|i| gamma[i]);
    check("variance", &out[1], &|i| xi2[i]);
    for (slice, value) in out[2..].iter().zip([T::ONE, T::ZERO, T::ZERO, T::ONE]) {
        check("derivative", slice, &|_| value);
    }

    let cotangent = |factor: f64| (0..length).map(|i| T::from_f64(i as f64 * factor)).collect();
    let (d_mean, d_variance): (Vec<T>, Vec<T>) = (cotangent(0.5), cotangent(-2.0));
    let (mut d_gamma, mut d_xi2) = (new(), new());
    PLAIN.vjp_into(&gamma, &xi2, &d_mean, &d_variance, &mut d_gamma, &mut d_xi2);
    check("cotangent of γ", &d_gamma, &|i| d_mean[i]);
    check("cotangent of ξ²", &d_xi2, &|i| d_variance[i]);
}

#[test]
fn slices_of_every_length() {
    for length in LENGTHS {
        slices::<f64>(length);
        slices::<f32>(length);
    }
}

#[test]
fn at_zero_variance_on_a_knot_the_kernel_is_asked_for_limits() {
    let gamma = [-1.0_f32, 0.0, 1.0, 0.0, -0.0];
    let (mut mean, mut variance) = ([9.0; 5], [9.0; 5]);
    Step.moments_into(&gamma, &[0.0; 5], &mut mean, &mut variance);
    assert_eq!(mean, [0.0, 0.5, 1.0, 0.5, 0.5]);
    assert_eq!(variance, [0.0, 0.25, 0.0, 0.25, 0.25]);
    for (i, gamma) in gamma.iter().enumerate() {
        let m = Step.moments(*gamma, 0.0);
        assert_eq!([m.mean, m.variance], [mean[i], variance[i]]);
    }
}

#[test]
#[should_panic(expected = "`out` has 2 elements but the activation has 1 parameters")]
fn gradients_of_too_many_parameters_panic() {
    PLAIN.parameter_grad(0.0_f64, 1.0, &mut [ParameterGrad::default(); 2]);
}
