//! How a kernel, which works on slices, reaches the memory of a tensor.
//!
//! On Burn's Flex backend a contiguous tensor is borrowed where it lies; only a strided view
//! is copied first.

use std::borrow::Cow;

use burn::backend::flex::FlexTensor;
use burn::tensor::{DType, Element, Shape, TensorData};

use super::slices::{MomentRule, forward, pull_back};
use crate::function::{Bound, Kernels};

/// An element type that both the kernels and the tensors have.
pub(crate) trait Scalar: Kernels + Element {
    /// The elements of `tensor` in row-major order, if they are of this type.
    fn view(tensor: &FlexTensor) -> Cow<'_, [Self]>;

    /// A tensor of shape \[values\].
    fn tensor(values: Vec<Self>) -> FlexTensor {
        let length = values.len();
        tensor(values, Shape::new([length]))
    }

    /// The tensor's own memory, in row-major order, of which it has a copy first where it is shared or strided.
    fn own(tensor: &mut FlexTensor) -> &mut [Self];

    /// eˣ, as tensors have it.
    fn exponential(self) -> Self;

    /// √x ≥ 0.
    fn root(self) -> Self;
}

macro_rules! scalar {
    ($T:ident) => {
        impl Scalar for $T {
            fn view(tensor: &FlexTensor) -> Cow<'_, [Self]> {
                match tensor.as_slice::<$T>() {
                    Some(slice) => Cow::Borrowed(slice),
                    None => {
                        let whole = tensor.to_contiguous();
                        Cow::Owned(whole.as_slice::<$T>().unwrap_or_default().to_vec())
                    }
                }
            }

            fn own(tensor: &mut FlexTensor) -> &mut [Self] {
                let whole = tensor.layout().shape().num_elements();
                if !tensor.is_contiguous() || tensor.storage::<$T>().len() != whole {
                    *tensor = tensor.to_contiguous();
                }
                tensor.storage_mut::<$T>()
            }

            fn exponential(self) -> Self {
                self.exp()
            }

            fn root(self) -> Self {
                self.sqrt()
            }
        }
    };
}

scalar!(f32);
scalar!(f64);

/// The result of a step: one tensor, whose first axis is as often as long as there are results.
pub(crate) fn run(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: &FlexTensor,
    xi2: &FlexTensor,
) -> FlexTensor {
    match gamma.dtype() {
        DType::F64 => run_in::<f64>(activation, step, gamma, xi2),
        _ => run_in::<f32>(activation, step, gamma, xi2),
    }
}

/// The cotangents of γ, ξ² and the parameters, given that of the result of [`run`].
pub(crate) fn run_back(
    activation: &dyn Bound,
    step: MomentRule,
    inputs: [&FlexTensor; 2],
    cotangent: &FlexTensor,
    parameters: bool,
) -> [FlexTensor; 3] {
    match inputs[0].dtype() {
        DType::F64 => run_back_in::<f64>(activation, step, inputs, cotangent, parameters),
        _ => run_back_in::<f32>(activation, step, inputs, cotangent, parameters),
    }
}

fn run_in<T: Scalar>(
    activation: &dyn Bound,
    step: MomentRule,
    gamma: &FlexTensor,
    xi2: &FlexTensor,
) -> FlexTensor {
    let mut shape = gamma.layout().shape().clone();
    shape[0] *= step.results();
    let (gamma, xi2) = (T::view(gamma), T::view(xi2));
    tensor(forward(activation, step, &gamma, &xi2), shape)
}

fn run_back_in<T: Scalar>(
    activation: &dyn Bound,
    step: MomentRule,
    [gamma, xi2]: [&FlexTensor; 2],
    cotangent: &FlexTensor,
    parameters: bool,
) -> [FlexTensor; 3] {
    let [shape, other] = [gamma, xi2].map(|t| t.layout().shape().clone());
    let (gamma, xi2, cotangent) = (T::view(gamma), T::view(xi2), T::view(cotangent));
    let count = if parameters { activation.parameters().len() } else { 0 };
    let [d_gamma, d_xi2, d_theta] = pull_back(activation, step, [&gamma, &xi2], &cotangent, count);
    let d_theta = if parameters { d_theta } else { vec![T::ZERO] };
    let length = d_theta.len();
    [tensor(d_gamma, shape), tensor(d_xi2, other), tensor(d_theta, Shape::new([length]))]
}

pub(super) fn tensor<T: Scalar>(values: Vec<T>, shape: Shape) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
