//! The one operation that Burn does not have: the moments of an activation, with a backward
//! pass of their own.
//!
//! Nothing here is composed of tensor operations. Forward is one call of
//! [`Activation::moments_into`](gaussform_runtime::Activation::moments_into), backward one of
//! [`Activation::vjp_into`](gaussform_runtime::Activation::vjp_into), and the graph keeps γ and
//! ξ² alone. Burn's graph has one output for each node, so the node's output is mean and
//! variance stacked along the first axis, and the two results are views of it.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, DispatchKindConversion, Flex};
use burn::tensor::{DType, DispatchTensor, GradientCheckpointingStrategy, Tensor, TensorData};
use gaussform_runtime::{Activation, Float};

use crate::host::{packed_moments, packed_vjp};
use crate::kernel::Kernel;

/// Why [`moments`] could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// γ and ξ² differ in shape; nothing is broadcast.
    #[error("`gamma` has shape {gamma:?} but `xi2` has shape {xi2:?}; they must be the same")]
    Shape {
        /// The shape of γ.
        gamma: Vec<usize>,
        /// The shape of ξ².
        xi2: Vec<usize>,
    },
    /// There are kernels for f32 and f64 only, and both inputs must agree.
    #[error("`gamma` is {gamma} and `xi2` is {xi2}; both must be f32 or both f64")]
    Precision {
        /// The element type of γ.
        gamma: String,
        /// The element type of ξ².
        xi2: String,
    },
    /// One input asks for gradient checkpointing and the other asks for none.
    #[error("`gamma` and `xi2` come from devices that differ in gradient checkpointing")]
    Checkpointing,
    /// The tensors live on a backend that this operation cannot reach.
    #[error("the moments cannot be taken on this backend: {0}")]
    Backend(String),
}

/// E\[g(u)\] and Var g(u) for u ~ N(γ, ξ²), element by element (Eq. 9 and 12 of Jankowiak,
/// "Closed Form Variational Objectives For Bayesian Neural Networks with a Single Hidden
/// Layer").
///
/// `gamma` is any real tensor, `xi2` one of the same shape with elements ≥ 0; an element
/// outside the domain gives NaN at its place. The results have that shape too. Where an input
/// is tracked by autodiff the results are, and differentiate exactly.
///
/// Differentiation needs Burn's Flex backend, and there the inputs are read in place. Without
/// it any backend will do; the elements then pass through the host.
///
/// # Errors
///
/// [`MomentsError`], if the inputs do not fit each other, are of a precision other than f32 and
/// f64, or are tracked on a backend other than Flex.
pub fn moments<A: Kernel, const D: usize>(
    activation: &A,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<(Tensor<D>, Tensor<D>), MomentsError> {
    check(&gamma, &xi2)?;
    if gamma.shape().num_elements() == 0 {
        return Ok((gamma, xi2));
    }
    let rows = gamma.dims()[0];
    let context = (gamma.gradient_checkpointing_strategy(), xi2.gradient_checkpointing_strategy());
    let packed = match context {
        (None, None) => plain(activation, gamma, xi2)?,
        (Some(a), Some(b)) if a != b => return Err(MomentsError::Checkpointing),
        (Some(strategy), _) | (None, Some(strategy)) => {
            // An input outside the graph is a constant inside it.
            let gamma = gamma.autodiff().with_gradient_checkpointing_strategy(strategy);
            let xi2 = xi2.autodiff().with_gradient_checkpointing_strategy(strategy);
            match strategy {
                GradientCheckpointingStrategy::Disabled => {
                    tracked::<A, NoCheckpointing, D>(activation, gamma, xi2)?
                }
                GradientCheckpointingStrategy::Balanced => {
                    tracked::<A, BalancedCheckpointing, D>(activation, gamma, xi2)?
                }
            }
        }
    };
    Ok((packed.clone().narrow(0, 0, rows), packed.narrow(0, rows, rows)))
}

fn check<const D: usize>(gamma: &Tensor<D>, xi2: &Tensor<D>) -> Result<(), MomentsError> {
    if gamma.dims() != xi2.dims() {
        let (gamma, xi2) = (gamma.dims().to_vec(), xi2.dims().to_vec());
        return Err(MomentsError::Shape { gamma, xi2 });
    }
    match (gamma.dtype(), xi2.dtype()) {
        (DType::F32, DType::F32) | (DType::F64, DType::F64) => Ok(()),
        (gamma, xi2) => Err(MomentsError::Precision {
            gamma: format!("{gamma:?}").to_lowercase(),
            xi2: format!("{xi2:?}").to_lowercase(),
        }),
    }
}

fn plain<A: Kernel, const D: usize>(
    activation: &A,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<Tensor<D>, MomentsError> {
    let flex = gamma.clone().try_into_primitive::<Flex>();
    match (flex, xi2.clone().try_into_primitive::<Flex>()) {
        (Ok(gamma), Ok(xi2)) => {
            Ok(Tensor::from_primitive::<Flex>(packed_moments(activation, &gamma, &xi2)))
        }
        _ if gamma.dtype() == DType::F64 => through_host::<f64, A, D>(activation, gamma, xi2),
        _ => through_host::<f32, A, D>(activation, gamma, xi2),
    }
}

fn through_host<T, A, const D: usize>(
    activation: &A,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<Tensor<D>, MomentsError>
where
    T: Float + burn::tensor::Element,
    A: Activation<T>,
{
    let (device, dtype, mut dims) = (gamma.device(), gamma.dtype(), gamma.dims());
    dims[0] *= 2;
    let gamma = read::<T, D>(gamma)?;
    let xi2 = read::<T, D>(xi2)?;
    let mut out = vec![T::ZERO; 2 * gamma.len()];
    let (mean, variance) = out.split_at_mut(gamma.len());
    activation.moments_into(&gamma, &xi2, mean, variance);
    Ok(Tensor::from_data(TensorData::new(out, dims), (&device, dtype)))
}

fn read<T: burn::tensor::Element, const D: usize>(
    tensor: Tensor<D>,
) -> Result<Vec<T>, MomentsError> {
    let data = tensor.try_into_data().map_err(|e| MomentsError::Backend(e.to_string()))?;
    data.try_into_vec::<T>().map_err(|e| MomentsError::Backend(format!("{e:?}")))
}

fn tracked<A, C, const D: usize>(
    activation: &A,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<Tensor<D>, MomentsError>
where
    A: Kernel,
    C: CheckpointStrategy,
    DispatchTensor: DispatchKindConversion<Autodiff<Flex, C>>,
{
    let backend = |e| MomentsError::Backend(format!("{e:?}"));
    let gamma = gamma.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let xi2 = xi2.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let (gamma, gamma_node) = gamma.into_parts();
    let (xi2, xi2_node) = xi2.into_parts();

    let out = packed_moments(activation, &gamma, &xi2);
    // The kernel is dear against the memory it reads, hence never recomputed.
    let prepared = MomentsBackward::<A>::default().prepare::<C>([gamma_node, xi2_node]);
    let out = match prepared.compute_bound().stateful() {
        OpsKind::Tracked(node) => {
            node.finish(Saved { activation: activation.clone(), gamma, xi2 }, out)
        }
        OpsKind::UnTracked(node) => node.finish(out),
    };
    Ok(Tensor::from_primitive::<Autodiff<Flex, C>>(out))
}

/// What the backward pass needs: shared handles, no copies.
#[derive(Clone, Debug)]
struct Saved<A> {
    activation: A,
    gamma: FlexTensor,
    xi2: FlexTensor,
}

/// The backward step of [`moments`]; its state is [`Saved`], as Burn wants it.
#[derive(Debug)]
struct MomentsBackward<A>(std::marker::PhantomData<A>);

impl<A> Default for MomentsBackward<A> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<A: Kernel> Backward<Flex, 2> for MomentsBackward<A> {
    type State = Saved<A>;

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let Saved { activation, gamma, xi2 } = ops.state;
        let cotangent = grads.consume::<Flex>(&ops.node);
        let (d_gamma, d_xi2) = packed_vjp(&activation, &gamma, &xi2, &cotangent);
        let [gamma_node, xi2_node] = ops.parents;
        if let Some(node) = gamma_node {
            grads.register::<Flex>(node.id, d_gamma);
        }
        if let Some(node) = xi2_node {
            grads.register::<Flex>(node.id, d_xi2);
        }
    }
}
