//! The operation by tensor operations alone, on Flex as on any other backend, against the kernels on the host.

use burn::tensor::{DType, Device, Tensor, TensorData};
use gaussform::activations::{
    Abs, HardSwish, HardTanh, Hat, Heaviside, Identity, Relu, Relu3, SignOf, SparsePlus, Sqnl,
    Square,
};
use gaussform_bnn::{Nonlinearity, Random, moments_by_tensors};
use gaussform_runtime::Activation;

use crate::support::values;

/// Where to compute, and with which numbers.
type Place<'a> = (&'a Device, DType);

/// Mean, variance and their derivatives by backward passes.
fn by_tensors<A: Nonlinearity>(
    g: &A,
    gamma: &[f64],
    xi2: &[f64],
    (device, dtype): Place<'_>,
) -> [Vec<f64>; 6] {
    let device = device.clone().autodiff();
    let leaf = |v: &[f64]| -> Tensor<1> {
        Tensor::from_data(TensorData::new(v.to_vec(), [v.len()]), (&device, dtype)).require_grad()
    };
    let mut out = [const { Vec::new() }; 6];
    for result in 0..2 {
        let (gamma, xi2) = (leaf(gamma), leaf(xi2));
        let (mean, variance) = moments_by_tensors(g, gamma.clone(), xi2.clone()).unwrap();
        let of = if result == 0 { mean } else { variance };
        out[result] = values(of.clone().inner());
        let gradients = of.sum().backward();
        out[2 + 2 * result] = values(gamma.grad(&gradients).unwrap());
        out[3 + 2 * result] = values(xi2.grad(&gradients).unwrap());
    }
    out
}

/// The largest error of each result, in roundings times 1 + z², z standard deviations away from the knots.
fn errors<A: Nonlinearity>(g: &A, knots: &[f64], place: Place<'_>, seed: u64) -> [f64; 6] {
    let dtype = place.1;
    let mut random = Random::new(seed);
    let (mut gamma, mut xi2) = (Vec::new(), Vec::new());
    for _ in 0..600 {
        let sd = 10f64.powf(2.0 * random.normal());
        let knot = knots.get((random.normal().abs() * 3.0) as usize % knots.len().max(1));
        let at = knot.copied().unwrap_or(0.0) + 3.0 * random.normal() * sd;
        let round = |x: f64| if dtype == DType::F64 { x } else { f64::from(x as f32) };
        gamma.push(round(at));
        xi2.push(round(sd * sd));
    }
    let found = by_tensors(g, &gamma, &xi2, place);
    let unit = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let mut worst = [0.0_f64; 6];
    for i in 0..gamma.len() {
        let (m, v) = (gamma[i], xi2[i]);
        let truth = Activation::<f64>::moments_grad(g, m, v);
        let (sd, xi) = (truth.variance.sqrt(), v.sqrt());
        let z = knots.iter().map(|t| (t - m).abs() / xi).fold(f64::INFINITY, f64::min);
        let z = if z.is_finite() { z } else { 0.0 };
        // E g′², and what jumps make of it.
        let steep = truth.dvariance_dxi2.abs().sqrt() + sd / xi;
        let truths = [
            (truth.mean, Activation::<f64>::value(g, m).abs() + sd),
            (truth.variance, truth.variance),
            (truth.dmean_dgamma, truth.dmean_dgamma.abs() + sd / xi),
            (truth.dmean_dxi2, truth.dmean_dxi2.abs() + sd / v),
            (truth.dvariance_dgamma, truth.dvariance_dgamma.abs() + sd * steep),
            (truth.dvariance_dxi2, truth.dvariance_dxi2.abs() + steep * steep),
        ];
        for (r, (exact, scale)) in truths.into_iter().enumerate() {
            let error = (found[r][i] - exact).abs();
            // What underflows in f32 is not compared.
            let least = if dtype == DType::F64 { 1e-290 } else { 1e-30 };
            let measure = error / ((scale + least) * unit * (1.0 + z * z));
            worst[r] = worst[r].max(if measure.is_nan() { f64::INFINITY } else { measure });
        }
    }
    worst
}

fn all(place: Place<'_>) -> Vec<(&'static str, [f64; 6])> {
    macro_rules! each {
        ($($g:ident $knots:expr),* $(,)?) => {
            vec![$((stringify!($g), errors(&$g, &$knots, place, 1))),*]
        };
    }
    let none: [f64; 0] = [];
    each![
        Relu [0.0], Abs [0.0], Identity none, Square none, Relu3 [0.0], Heaviside [0.0],
        SignOf [0.0], HardTanh [-1.0, 1.0], Hat [-1.0, 0.0, 1.0], HardSwish [-3.0, 3.0],
        Sqnl [-2.0, 0.0, 2.0], SparsePlus [-1.0, 1.0],
    ]
}

#[test]
fn double_precision_has_the_results_of_the_kernels() {
    for (name, worst) in all((&Device::flex(), DType::F64)) {
        assert!(worst.iter().all(|e| *e < 50.0), "{name}: {worst:?}");
    }
}

#[test]
fn single_precision_has_the_accuracy_that_is_documented() {
    holds_in_single_precision(&Device::flex());
}

/// The largest errors of mean, variance and derivatives.
pub(crate) fn holds_in_single_precision(device: &Device) -> [f64; 6] {
    let mut largest = [0.0_f64; 6];
    for (name, worst) in all((device, DType::F32)) {
        assert!(worst[..2].iter().all(|e| *e < 10.0), "{name}: {worst:?}");
        assert!(worst.iter().all(|e| *e < 50.0), "{name}: {worst:?}");
        for (largest, worst) in largest.iter_mut().zip(worst) {
            *largest = largest.max(worst);
        }
    }
    largest
}

#[test]
fn tails_are_right_relative_to_themselves() {
    has_tails(&Device::flex(), 12, 4.0);
}

/// Up to `farthest` standard deviations away, within so many roundings times 1 + z².
pub(crate) fn has_tails(device: &Device, farthest: u32, roundings: f64) {
    let z: Vec<f64> = (2..=farthest).map(f64::from).collect();
    let gamma: Vec<f64> = z.iter().map(|z| -2.0 * z).collect();
    let xi2 = vec![4.0; z.len()];
    fn check<A: Nonlinearity>(
        g: &A,
        z: &[f64],
        [gamma, xi2]: [&[f64]; 2],
        (device, roundings): (&Device, f64),
    ) {
        let found = by_tensors(g, gamma, xi2, (device, DType::F32));
        for i in 0..z.len() {
            let m = Activation::<f64>::moments_grad(g, gamma[i], xi2[i]);
            let exact = [
                m.mean,
                m.variance,
                m.dmean_dgamma,
                m.dmean_dxi2,
                m.dvariance_dgamma,
                m.dvariance_dxi2,
            ];
            let bound = roundings * f64::from(f32::EPSILON) * (1.0 + z[i] * z[i]);
            for (r, exact) in exact.iter().enumerate() {
                let error = found[r][i] / exact - 1.0;
                assert!(error.abs() < bound, "{g:?}, {r} at {}: {error:e}", z[i]);
            }
        }
    }
    let place = (device, roundings);
    check(&Relu, &z, [&gamma, &xi2], place);
    check(&Heaviside, &z, [&gamma, &xi2], place);
    check(&Relu3, &z, [&gamma, &xi2], place);
}

#[test]
fn what_is_known_or_no_variance() {
    let flex = Device::flex();
    let gamma = [-1.5, -1.0, 0.25, 1.0, 7.0, 0.0, f64::NAN];
    let xi2 = [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0];
    let [mean, variance, slope, ..] = by_tensors(&HardTanh, &gamma, &xi2, (&flex, DType::F32));
    assert_eq!(mean[..5], [-1.0, -1.0, 0.25, 1.0, 1.0]);
    assert!(variance[..5].iter().all(|v| *v < 1e-29));
    assert!((slope[2] - 1.0).abs() < 1e-6 && (slope[3] - 0.5).abs() < 1e-6 && slope[4] == 0.0);
    assert!([&mean, &variance].iter().all(|r| r[5].is_nan() && r[6].is_nan()));
    // A jump halves the unit mass.
    let [mean, variance, ..] =
        by_tensors(&Heaviside, &[0.0, 1.0], &[0.0, 0.0], (&flex, DType::F64));
    assert!((mean[0] - 0.5).abs() < 1e-12 && (variance[0] - 0.25).abs() < 1e-12 && mean[1] == 1.0);
}
