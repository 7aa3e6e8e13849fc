//! Steps on cards: one kernel for the results, and one for the cotangents of γ and ξ².
//!
//! The kernels of an activation are recorded by `gaussform-codegen` as graphs of operations. A kernel of
//! CubeCL's walks such a graph while it is built (`walk`, `kernels`), so that one source serves every card that CubeCL
//! compiles for: by Vulkan, Metal, WebGPU and CUDA. With more than five knots a graph has a loop over the rows of the function's table,
//! which lies in the memory of the card. Functions of a degree above 3, learned parameters, double precision and streams that fuse
//! operations have no such kernel.

mod draws;
mod kernels;
mod product;
mod walk;

use std::any::Any;

use burn::backend::Cube;
use burn::backend::tensor::FloatTensor;
use burn::tensor::{DType, Shape, Tensor};
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;

pub(crate) use draws::normals;
pub(crate) use product::product;
pub(crate) use walk::is_finite;

use super::StepBackend;
use super::slices::MomentRule;
use crate::programs::Programs;

/// A step of an activation that has kernels.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) programs: Programs,
    pub(super) step: MomentRule,
}

/// Whether a tensor of single precision lies on a card, in memory of its own.
pub(crate) fn is_on_card<const D: usize>(tensor: &Tensor<D>) -> bool {
    let tensor = tensor.clone().inner();
    let is_single = tensor.dtype() == DType::F32;
    let is_plain = |tensor: FloatTensor<Cube>| (&tensor as &dyn Any).is::<CubeTensor>();
    is_single && tensor.try_into_primitive::<Cube>().is_ok_and(is_plain)
}

/// The tensor as CubeCL has it.
pub(crate) fn plain(tensor: &FloatTensor<Cube>) -> CubeTensor {
    let tensor = (tensor as &dyn Any).downcast_ref::<CubeTensor>();
    tensor.expect("steps are asked whether a tensor is on a card").clone()
}

/// The tensor as Burn has it.
fn wrapped(tensor: CubeTensor) -> FloatTensor<Cube> {
    let tensor: Box<dyn Any> = Box::new(tensor);
    *tensor.downcast::<FloatTensor<Cube>>().expect("it was made from such a tensor")
}

/// A tensor of the card as one of the graph that another tensor is in, or of none.
pub(crate) fn beside<const D: usize, const E: usize>(
    tensor: CubeTensor,
    like: &Tensor<E>,
) -> Tensor<D> {
    let tensor = Tensor::from_primitive::<Cube>(wrapped(tensor));
    match like.gradient_checkpointing_strategy() {
        Some(strategy) => tensor.autodiff().with_gradient_checkpointing_strategy(strategy),
        None => tensor,
    }
}

/// Memory for results beside a tensor.
pub(crate) fn empty(like: &CubeTensor, shape: Shape) -> CubeTensor {
    empty_device_contiguous_dtype(like.client.clone(), like.device.clone(), shape, like.dtype)
}

impl StepBackend for Cube {
    type Call = Call;

    fn run(call: &Call, gamma: &FloatTensor<Self>, xi2: &FloatTensor<Self>) -> FloatTensor<Self> {
        let [gamma, xi2] = [gamma, xi2].map(plain);
        let mut shape = gamma.meta.shape().clone();
        shape[0] *= call.step.results();
        let out = empty(&gamma, shape);
        kernels::forward(call, [gamma, xi2], out.clone());
        wrapped(out)
    }

    fn run_back(
        call: &Call,
        inputs: [&FloatTensor<Self>; 2],
        cotangent: &FloatTensor<Self>,
        _: bool,
    ) -> [Option<FloatTensor<Self>>; 3] {
        let inputs = inputs.map(plain);
        let results = inputs.each_ref().map(|input| empty(input, input.meta.shape().clone()));
        kernels::backward(call, inputs, plain(cotangent), results.clone());
        let [d_gamma, d_xi2] = results.map(wrapped);
        // Values come with a single ξ², which has no cotangent.
        let has_variance = call.step != MomentRule::Values;
        [Some(d_gamma), has_variance.then_some(d_xi2), None]
    }
}
