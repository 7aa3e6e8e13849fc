//! The operation on devices that have no kernel for it, by the kernels of the host.
//!
//! The inputs are read from the device, and the results and their derivatives are written to it, outside any graph. A result
//! enters the graph as its value and each derivative times what its input moves by, which is 0: reverse mode then finds the
//! derivatives and nothing else, with no need of a backend's own types. The error is that of the kernels. A derivative that is
//! infinite is the largest number, of which 0 times is 0.

use burn::tensor::{DType, Tensor, TensorData};

use super::MomentsError;
use super::host::Scalar;
use super::slices::{self, MomentRule};
use crate::function::Bound;

/// The results of a step stacked along the first axis. `xi2` has the shape of `gamma`, or is not read.
pub(super) fn apply<const D: usize>(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<Tensor<D>, MomentsError> {
    match gamma.dtype() {
        DType::F64 => apply_in::<f64, D>(activation, step, gamma, xi2, theta),
        _ => apply_in::<f32, D>(activation, step, gamma, xi2, theta),
    }
}

fn apply_in<T: Scalar, const D: usize>(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<Tensor<D>, MomentsError> {
    let mut shape = gamma.dims();
    let (device, dtype) = (gamma.clone().inner().device(), gamma.dtype());
    if xi2.clone().inner().device() != device {
        let problem = "`gamma` and `xi2` are on different devices";
        return Err(MomentsError::Backend(problem.to_owned()));
    }
    let [x, v] = [&gamma, &xi2].map(|t| read::<T>(t.clone().inner().flatten(0, D - 1)));
    let (x, v) = (x?, v?);
    let n = x.len();
    let tensor = |values: &[T]| -> Tensor<1> {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), (&device, dtype))
    };
    let slope = |derivative: &[T]| -> Tensor<1> {
        let finite = |d: &T| match *d {
            d if d == T::INFINITY => T::LARGEST,
            d if d == -T::INFINITY => -T::LARGEST,
            d => d,
        };
        tensor(&derivative.iter().map(finite).collect::<Vec<T>>())
    };
    let along = |t: &Tensor<D>| moved(t).map(|t| t.flatten::<1>(0, D - 1));
    let by_input = [along(&gamma), along(&xi2)];
    let by_theta = theta.as_ref().and_then(moved);
    let of_theta = match &by_theta {
        Some(_) => slices::by_parameter(activation, step, [&x, &v], activation.parameters().len()),
        None => Vec::new(),
    };
    let [values, by_gamma, by_xi2] = match by_input {
        [None, None] => [slices::forward(activation, step, &x, &v), Vec::new(), Vec::new()],
        _ => slices::with_derivatives(activation, step, [&x, &v]),
    };
    let mut results = Vec::new();
    for (r, value) in values.chunks_exact(n).enumerate() {
        let own = r * n..(r + 1) * n;
        let mut result = tensor(value);
        for (derivatives, moved) in [&by_gamma, &by_xi2].into_iter().zip(&by_input) {
            if let Some(moved) = moved {
                result = result + slope(&derivatives[own.clone()]) * moved.clone();
            }
        }
        if let Some(moved) = &by_theta {
            for (p, derivatives) in of_theta.iter().enumerate() {
                let derivative = slope(&derivatives[own.clone()]);
                result = result + derivative * moved.clone().narrow(0, p, 1);
            }
        }
        results.push(result);
    }
    shape[0] *= step.results();
    Ok(Tensor::cat(results, 0).reshape(shape))
}

/// The tensor t − detach(t): 0 everywhere, with a derivative of 1 in t. None if no graph tracks `t`.
fn moved<const D: usize>(t: &Tensor<D>) -> Option<Tensor<D>> {
    t.is_autodiff().then(|| t.clone() - t.clone().detach())
}

fn read<T: Scalar>(tensor: Tensor<1>) -> Result<Vec<T>, MomentsError> {
    let data = tensor.try_into_data().map_err(|e| MomentsError::Backend(e.to_string()))?;
    data.try_into_vec::<T>().map_err(|e| MomentsError::Backend(format!("{e:?}")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use burn::tensor::{DType, Device, Tensor, TensorData};
    use gaussform_generated::{HardTanh, Heaviside, Prelu, Sqnl};

    use super::super::slices::{self, MomentRule};
    use super::apply;
    use crate::function::Bound;

    const GAMMA: [f64; 7] = [-2.5, -1.0, -0.3, 0.0, 0.4, 1.0, 2.0];
    const XI2: [f64; 7] = [0.4, 1.0, 2.0, 0.1, 3.0, 0.7, 0.2];
    /// Of the results, all means, then all variances.
    const COTANGENT: [f64; 14] =
        [0.3, -1.0, 2.0, 0.7, -0.2, 1.1, 0.9, 1.3, -0.4, 0.8, 0.6, -1.7, 0.2, -0.5];

    fn near(found: Tensor<1>, expected: &[f64]) {
        let found = found.into_data().try_into_vec_as::<f64>().unwrap();
        assert_eq!(found.len(), expected.len());
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{found:?} {expected:?}");
        }
    }

    /// Forward and backward against the kernels on slices.
    fn agrees(bound: &dyn Bound, step: MomentRule, theta: Option<f64>) {
        let device = Device::flex().autodiff();
        let leaf = |v: &[f64]| -> Tensor<1> {
            let data = TensorData::new(v.to_vec(), [v.len()]);
            Tensor::from_data(data, (&device, DType::F64)).require_grad()
        };
        let (gamma, xi2) = (leaf(&GAMMA), leaf(&XI2));
        let theta = theta.map(|theta| leaf(&[theta]));
        let out = apply(bound, step, gamma.clone(), xi2.clone(), theta.clone()).unwrap();
        near(out.clone().inner(), &slices::forward::<f64>(bound, step, &GAMMA, &XI2));
        let cotangent = &COTANGENT[..step.results() * GAMMA.len()];
        let gradients = (out * leaf(cotangent).inner()).sum().backward();
        let count = usize::from(theta.is_some());
        let expected = slices::pull_back::<f64>(bound, step, [&GAMMA, &XI2], cotangent, count);
        near(gamma.grad(&gradients).unwrap(), &expected[0]);
        if step != MomentRule::Values {
            near(xi2.grad(&gradients).unwrap(), &expected[1]);
        }
        if let Some(theta) = theta {
            near(theta.grad(&gradients).unwrap(), &expected[2]);
        }
    }

    #[test]
    fn a_derivative_that_is_infinite_leaves_the_result() {
        let device = Device::flex().autodiff();
        let leaf = |x: f32| Tensor::<1>::from_floats([x], &device).require_grad();
        // The kink of a hard tanh, and the jump of a step, without a variance.
        let functions: [(Arc<dyn Bound>, f32, [f32; 2]); 2] =
            [(Arc::new(HardTanh), 1.0, [1.0, 0.0]), (Arc::new(Heaviside), 0.0, [0.5, 0.25])];
        for (g, knot, expected) in functions {
            let (gamma, xi2) = (leaf(knot), leaf(0.0));
            let out = apply(&*g, MomentRule::Moments, gamma, xi2.clone(), None).unwrap();
            assert_eq!(out.clone().inner().into_data().try_into_vec::<f32>().unwrap(), expected);
            let gradients = out.narrow(0, 0, 1).sum().backward();
            let by_xi2 = xi2.grad(&gradients).unwrap().into_data().try_into_vec::<f32>().unwrap();
            assert!(by_xi2[0].is_finite(), "{by_xi2:?}");
        }
    }

    #[test]
    fn every_step_is_that_of_the_kernels() {
        let functions: [Arc<dyn Bound>; 3] =
            [Arc::new(HardTanh), Arc::new(Heaviside), Arc::new(Sqnl)];
        for step in [MomentRule::Moments, MomentRule::Linearised, MomentRule::Values] {
            for function in &functions {
                agrees(&**function, step, None);
            }
            agrees(&Prelu::new(0.3).unwrap(), step, Some(0.3));
        }
    }
}
