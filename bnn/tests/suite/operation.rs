//! The operation against the kernel it wraps and against finite differences.

use burn::tensor::{DType, Device, Tensor, TensorData};
use gaussform_bnn::{MomentsError, Random, moments};
use gaussform_runtime::Activation;

use crate::activations::{Identity, Relu};

const H: f64 = 1e-5;

fn tensor<const D: usize>(values: &[f64], dims: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), dims), (device, DType::F64))
}

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().try_into_vec_as::<f64>().unwrap()
}

fn drawn(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.normal()).collect()
}

/// Uses both inputs twice, both outputs, and a view that is not contiguous.
fn composite(x: Tensor<2>, s: Tensor<2>) -> Tensor<1> {
    let gamma = (x.clone() * s.clone()).transpose();
    let xi2 = (s.clone() * 0.5 + x.clone()).exp().transpose();
    let (mean, variance) = moments(&Relu, gamma.clone(), xi2.clone()).unwrap();
    // The same tensor as both inputs: its gradient is the sum of two.
    let (mean2, variance2) = moments(&Relu, xi2.clone(), xi2).unwrap();
    (mean.clone().sin() * variance + gamma * mean + mean2 * variance2.log()).sum()
}

#[test]
fn forward_is_the_kernel() {
    let device = Device::flex();
    let gamma = drawn(24, 1);
    let xi2: Vec<f64> = drawn(24, 2).iter().map(|v| v * v + 0.1).collect();
    let dims = [2, 3, 4];
    let (mean, variance) =
        moments(&Relu, tensor(&gamma, dims, &device), tensor(&xi2, dims, &device)).unwrap();
    assert_eq!((mean.dims(), variance.dims()), (dims, dims));
    let expected: Vec<_> = gamma.iter().zip(&xi2).map(|(&g, &v)| Relu.moments(g, v)).collect();
    assert_eq!(values(mean), expected.iter().map(|m| m.mean).collect::<Vec<_>>());
    assert_eq!(values(variance), expected.iter().map(|m| m.variance).collect::<Vec<_>>());
}

#[test]
fn backward_agrees_with_finite_differences_inside_an_expression() {
    let dims = [3, 4];
    let (x, s) = (drawn(12, 3), drawn(12, 4));
    for device in [Device::flex().autodiff(), Device::flex().autodiff().gradient_checkpointing()] {
        let leaves = [&x, &s].map(|v| tensor(v, dims, &device).require_grad());
        let [a, b] = leaves.clone();
        let gradients = composite(a, b).backward();
        let exact = leaves.map(|leaf| values(leaf.grad(&gradients).unwrap()));

        let plain = Device::flex();
        for (input, exact) in exact.iter().enumerate() {
            for (i, exact) in exact.iter().enumerate() {
                let at = |h: f64| {
                    let mut moved = [x.clone(), s.clone()];
                    moved[input][i] += h;
                    let [x, s] = moved.map(|v| tensor(&v, dims, &plain));
                    values(composite(x, s))[0]
                };
                let numeric = (at(H) - at(-H)) / (2.0 * H);
                assert!(
                    (exact - numeric).abs() < 1e-7 * (1.0 + numeric.abs()),
                    "input {input}, element {i}: {exact} against {numeric}"
                );
            }
        }
    }
}

#[test]
fn one_tracked_input_and_one_used_output_suffice() {
    let (plain, tracked) = (Device::flex(), Device::flex().autodiff());
    let gamma = tensor(&[-0.5, 0.7], [2], &plain);
    let xi2 = tensor(&[0.3, 1.9], [2], &tracked).require_grad();
    let (_, variance) = moments(&Relu, gamma, xi2.clone()).unwrap();
    let gradient = values(xi2.grad(&variance.sum().backward()).unwrap());
    let expected = [(-0.5, 0.3), (0.7, 1.9)].map(|(g, v)| Relu.moments_grad(g, v).dvariance_dxi2);
    assert_eq!(gradient, expected);
}

#[test]
fn the_identity_passes_both_gradients_through_in_single_precision() {
    let device = Device::flex().autodiff();
    let gamma = Tensor::<1>::from_floats([1.0, 2.0], &device).require_grad();
    let xi2 = Tensor::<1>::from_floats([3.0, 4.0], &device).require_grad();
    let (mean, variance) = moments(&Identity, gamma.clone(), xi2.clone()).unwrap();
    let gradients = (mean * 5.0 + variance * 7.0).sum().backward();
    assert_eq!(values(gamma.grad(&gradients).unwrap()), [5.0, 5.0]);
    assert_eq!(values(xi2.grad(&gradients).unwrap()), [7.0, 7.0]);
}

#[test]
fn no_elements_give_no_elements() {
    let device = Device::flex();
    let none = || tensor(&[], [0, 3], &device);
    let (mean, variance) = moments(&Relu, none(), none()).unwrap();
    assert_eq!((mean.dims(), variance.dims()), ([0, 3], [0, 3]));
}

#[test]
fn inputs_that_do_not_fit_are_errors() {
    let device = Device::flex();
    let two = tensor(&[1.0, 2.0], [2], &device);
    let three = tensor(&[1.0, 2.0, 3.0], [3], &device);
    let error = moments(&Relu, two.clone(), three).unwrap_err();
    assert_eq!(error, MomentsError::Shape { gamma: vec![2], xi2: vec![3] });
    let single = Tensor::<1>::from_floats([1.0, 2.0], &device);
    let error = moments(&Relu, two, single).unwrap_err();
    assert_eq!(error.to_string(), "`gamma` is f64 and `xi2` is f32; both must be f32 or both f64");
}
