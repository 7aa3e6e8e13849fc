//! How a kernel, which works on slices, reaches the memory of a tensor.
//!
//! On Burn's Flex backend a contiguous tensor is borrowed where it lies; only a strided view
//! is copied first.

use std::borrow::Cow;

use burn::backend::flex::FlexTensor;
use burn::tensor::{DType, Element, Shape, TensorData};
use gaussform_runtime::{Activation, Float};

use crate::kernel::Kernel;

/// An element type that both the kernels and the tensors have.
pub(crate) trait Scalar: Float + Element {
    /// The elements of `tensor` in row-major order, if they are of this type.
    fn view(tensor: &FlexTensor) -> Cow<'_, [Self]>;
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
        }
    };
}

scalar!(f32);
scalar!(f64);

/// The moments of a batch in one tensor: the means, then the variances, along the first axis.
pub(crate) fn packed_moments<A: Kernel>(
    activation: &A,
    gamma: &FlexTensor,
    xi2: &FlexTensor,
) -> FlexTensor {
    match gamma.dtype() {
        DType::F64 => packed::<f64, A>(activation, gamma, xi2),
        _ => packed::<f32, A>(activation, gamma, xi2),
    }
}

/// The cotangents of γ and ξ², given that of [`packed_moments`].
pub(crate) fn packed_vjp<A: Kernel>(
    activation: &A,
    gamma: &FlexTensor,
    xi2: &FlexTensor,
    cotangent: &FlexTensor,
) -> (FlexTensor, FlexTensor) {
    match gamma.dtype() {
        DType::F64 => vjp::<f64, A>(activation, gamma, xi2, cotangent),
        _ => vjp::<f32, A>(activation, gamma, xi2, cotangent),
    }
}

fn packed<T: Scalar, A: Activation<T>>(
    activation: &A,
    gamma: &FlexTensor,
    xi2: &FlexTensor,
) -> FlexTensor {
    let mut shape = gamma.layout().shape().clone();
    shape[0] *= 2;
    let (gamma, xi2) = (T::view(gamma), T::view(xi2));
    let mut out = vec![T::ZERO; 2 * gamma.len()];
    let (mean, variance) = out.split_at_mut(gamma.len());
    activation.moments_into(&gamma, &xi2, mean, variance);
    tensor(out, shape)
}

fn vjp<T: Scalar, A: Activation<T>>(
    activation: &A,
    gamma: &FlexTensor,
    xi2: &FlexTensor,
    cotangent: &FlexTensor,
) -> (FlexTensor, FlexTensor) {
    let shape = gamma.layout().shape().clone();
    let (gamma, xi2, cotangent) = (T::view(gamma), T::view(xi2), T::view(cotangent));
    let (d_mean, d_variance) = cotangent.split_at(gamma.len());
    let mut d_gamma = vec![T::ZERO; gamma.len()];
    let mut d_xi2 = vec![T::ZERO; gamma.len()];
    activation.vjp_into(&gamma, &xi2, d_mean, d_variance, &mut d_gamma, &mut d_xi2);
    (tensor(d_gamma, shape.clone()), tensor(d_xi2, shape))
}

fn tensor<T: Scalar>(values: Vec<T>, shape: Shape) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
