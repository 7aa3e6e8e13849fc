//! The operation on any backend, with a backward pass of its own.
//!
//! Results and their derivatives are computed outside any graph. A result enters the graph as its value and each
//! derivative times what its input moves by, which is 0: reverse mode then finds the derivatives and nothing else, with
//! no need of a backend's own types.

use burn::tensor::{DType, Tensor, TensorData};

use super::host::Scalar;
use super::slices::{self, MomentRule};
use super::{MomentsError, quadrature};
use crate::function::Bound;
use crate::pieces::Pieces;

/// Results and their derivatives at each element; each list has one for each result.
struct Local {
    values: Vec<Tensor<1>>,
    by_gamma: Vec<Tensor<1>>,
    by_xi2: Vec<Tensor<1>>,
    /// For each parameter that is learned.
    by_theta: Vec<Vec<Tensor<1>>>,
}

impl Local {
    /// The numbers below `least` become 0.
    fn flushed(self, least: f64) -> Self {
        let flush = |t: Tensor<1>| {
            let below = t.clone().abs().lower_elem(least);
            t.mask_fill(below, 0.0)
        };
        let all = |ts: Vec<Tensor<1>>| ts.into_iter().map(flush).collect::<Vec<_>>();
        Self {
            values: all(self.values),
            by_gamma: all(self.by_gamma),
            by_xi2: all(self.by_xi2),
            by_theta: self.by_theta.into_iter().map(all).collect(),
        }
    }
}

/// The results of a step stacked along the first axis. `xi2` has the shape of `gamma`, or is not read.
pub(super) fn apply<const D: usize>(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<Tensor<D>, MomentsError> {
    let dims = gamma.dims();
    let plain = |t: &Tensor<D>| t.clone().inner().flatten::<1>(0, D - 1);
    let inputs = [plain(&gamma), plain(&xi2)];
    let local = match &theta {
        // The numbers of the pieces move with the parameters; the host's kernels have the derivatives.
        Some(_) if gamma.dtype() == DType::F64 => by_host::<f64>(activation, step, inputs)?,
        Some(_) => by_host::<f32>(activation, step, inputs)?,
        None => by_tensors(&activation.pieces(), step, inputs),
    };
    let local = local.flushed(match gamma.dtype() {
        DType::F64 => f64::MIN_POSITIVE,
        _ => f32::MIN_POSITIVE.into(),
    });
    let along = |t: &Tensor<D>| moved(t).map(|t| t.flatten::<1>(0, D - 1));
    let (d_gamma, d_xi2) = (along(&gamma), along(&xi2));
    let d_theta = theta.as_ref().and_then(moved);
    let mut results = Vec::new();
    for (r, value) in local.values.into_iter().enumerate() {
        let mut result = value;
        for (derivatives, moved) in [(&local.by_gamma, &d_gamma), (&local.by_xi2, &d_xi2)] {
            if let (Some(derivative), Some(moved)) = (derivatives.get(r), moved) {
                result = result + derivative.clone() * moved.clone();
            }
        }
        if let Some(moved) = &d_theta {
            for (p, derivatives) in local.by_theta.iter().enumerate() {
                let moved = moved.clone().narrow(0, p, 1);
                result = result + derivatives[r].clone() * moved;
            }
        }
        results.push(result.reshape(dims));
    }
    Ok(Tensor::cat(results, 0))
}

/// The tensor t − detach(t): 0 everywhere, with a derivative of 1 in t. None if no graph tracks `t`.
fn moved<const D: usize>(t: &Tensor<D>) -> Option<Tensor<D>> {
    t.is_autodiff().then(|| t.clone() - t.clone().detach())
}

fn by_tensors(pieces: &Pieces, step: MomentRule, [gamma, xi2]: [Tensor<1>; 2]) -> Local {
    let by_theta = Vec::new();
    if step == MomentRule::Moments {
        let [mean, variance, a, b, c, d] = quadrature::moments(pieces, gamma, xi2);
        return Local {
            values: vec![mean, variance],
            by_gamma: vec![a, c],
            by_xi2: vec![b, d],
            by_theta,
        };
    }
    let [value, slope, bend] = quadrature::values(pieces, gamma);
    if step == MomentRule::Values {
        let (values, by_gamma) = (vec![value], vec![slope]);
        return Local { values, by_gamma, by_xi2: Vec::new(), by_theta };
    }
    let square = slope.clone().square();
    let twice = (slope.clone() * bend * xi2.clone()).mul_scalar(2.0);
    Local {
        values: vec![value.clone(), square.clone() * xi2],
        by_gamma: vec![slope, twice],
        by_xi2: vec![value.zeros_like(), square],
        by_theta,
    }
}

fn by_host<T: Scalar>(
    activation: &dyn Bound,
    step: MomentRule,
    inputs: [Tensor<1>; 2],
) -> Result<Local, MomentsError> {
    let device = inputs[0].device();
    let dtype = inputs[0].dtype();
    let [gamma, xi2] = inputs.map(read::<T>);
    let (gamma, xi2) = (gamma?, xi2?);
    let n = gamma.len();
    let count = activation.parameters().len();
    let results = step.results();
    let tensor = |values: &[T]| {
        Tensor::from_data(TensorData::new(values.to_vec(), [values.len()]), (&device, dtype))
    };
    let (mut by_gamma, mut by_xi2) = (Vec::new(), Vec::new());
    for r in 0..results {
        // The pullback of a cotangent of ones in one result is the derivative of this result.
        let mut unit = vec![T::ZERO; results * n];
        unit[r * n..(r + 1) * n].fill(T::ONE);
        let [d_gamma, d_xi2, _] = slices::pull_back(activation, step, [&gamma, &xi2], &unit, 0);
        by_gamma.push(tensor(&d_gamma));
        if step != MomentRule::Values {
            by_xi2.push(tensor(&d_xi2));
        }
    }
    let by_theta = slices::by_parameter(activation, step, [&gamma, &xi2], count);
    let values = slices::forward(activation, step, &gamma, &xi2);
    Ok(Local {
        values: values.chunks_exact(n).map(tensor).collect(),
        by_gamma,
        by_xi2,
        by_theta: by_theta.iter().map(|p| p.chunks_exact(n).map(tensor).collect()).collect(),
    })
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
