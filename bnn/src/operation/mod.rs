//! The one operation that Burn does not have: an activation of Normal numbers, with a backward
//! pass of its own.
//!
//! Nothing here is composed of tensor operations. Forward is one call of a kernel, backward another,
//! and the graph keeps γ and ξ² alone. Burn's graph has one output for each node, so the node's
//! output is mean and variance stacked along the first axis, and the two results are views of it.

mod host;
mod slices;

use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, DispatchKindConversion, Flex};
use burn::tensor::{
    DType, DispatchTensor, Element, GradientCheckpointingStrategy, Tensor, TensorData,
};

use host::{Scalar, run, run_back};
pub(crate) use slices::{Step, slopes};

use crate::function::{Bound, Nonlinearity};

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
pub fn moments<A: Nonlinearity, const D: usize>(
    activation: &A,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<(Tensor<D>, Tensor<D>), MomentsError> {
    pair(Arc::new(activation.clone()), Step::Moments, gamma, xi2, None)
}

/// The two results of a step; `theta` are the parameters that the activation was made with, if
/// their gradient is wanted.
pub(crate) fn pair<const D: usize>(
    activation: Arc<dyn Bound>,
    step: Step,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<(Tensor<D>, Tensor<D>), MomentsError> {
    check(&gamma, &xi2)?;
    if gamma.shape().num_elements() == 0 {
        return Ok((gamma, xi2));
    }
    let rows = gamma.dims()[0];
    let packed = apply(activation, step, gamma, xi2, theta)?;
    Ok((packed.clone().narrow(0, 0, rows), packed.narrow(0, rows, rows)))
}

/// g(x), element by element.
pub(crate) fn values<const D: usize>(
    activation: Arc<dyn Bound>,
    x: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<Tensor<D>, MomentsError> {
    check(&x, &x)?;
    if x.shape().num_elements() == 0 {
        return Ok(x);
    }
    // ξ² is not read; a single element stands for it.
    let none = Tensor::zeros([1; D], (&x.clone().inner_if_tracked().device(), x.dtype()));
    apply(activation, Step::Values, x, none, theta)
}

fn apply<const D: usize>(
    activation: Arc<dyn Bound>,
    step: Step,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<Tensor<D>, MomentsError> {
    let strategies = [
        gamma.gradient_checkpointing_strategy(),
        xi2.gradient_checkpointing_strategy(),
        theta.as_ref().and_then(Tensor::gradient_checkpointing_strategy),
    ];
    let mut wanted = strategies.into_iter().flatten();
    let Some(strategy) = wanted.next() else {
        return plain(&*activation, step, gamma, xi2);
    };
    if wanted.any(|other| other != strategy) {
        return Err(MomentsError::Checkpointing);
    }
    let learned = theta.is_some();
    let theta = theta.unwrap_or_else(|| {
        Tensor::zeros([1], (&gamma.clone().inner_if_tracked().device(), gamma.dtype()))
    });
    // An input outside the graph is a constant inside it.
    let gamma = gamma.autodiff().with_gradient_checkpointing_strategy(strategy);
    let xi2 = xi2.autodiff().with_gradient_checkpointing_strategy(strategy);
    let theta = theta.autodiff().with_gradient_checkpointing_strategy(strategy);
    let call = Call { activation, step, learned };
    match strategy {
        GradientCheckpointingStrategy::Disabled => {
            tracked::<NoCheckpointing, D>(call, gamma, xi2, theta)
        }
        GradientCheckpointingStrategy::Balanced => {
            tracked::<BalancedCheckpointing, D>(call, gamma, xi2, theta)
        }
    }
}

/// A tensor without its graph, whether it has one or not.
trait InnerIfTracked {
    fn inner_if_tracked(self) -> Self;
}

impl<const D: usize> InnerIfTracked for Tensor<D> {
    fn inner_if_tracked(self) -> Self {
        if self.is_autodiff() { self.inner() } else { self }
    }
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

fn plain<const D: usize>(
    activation: &dyn Bound,
    step: Step,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<Tensor<D>, MomentsError> {
    let flex = gamma.clone().try_into_primitive::<Flex>();
    match (flex, xi2.clone().try_into_primitive::<Flex>()) {
        (Ok(gamma), Ok(xi2)) => {
            Ok(Tensor::from_primitive::<Flex>(run(activation, step, &gamma, &xi2)))
        }
        _ if gamma.dtype() == DType::F64 => through_host::<f64, D>(activation, step, gamma, xi2),
        _ => through_host::<f32, D>(activation, step, gamma, xi2),
    }
}

fn through_host<T: Scalar, const D: usize>(
    activation: &dyn Bound,
    step: Step,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<Tensor<D>, MomentsError> {
    let (device, dtype, mut dims) = (gamma.device(), gamma.dtype(), gamma.dims());
    dims[0] *= step.results();
    let (gamma, xi2) = (read::<T, D>(gamma)?, read::<T, D>(xi2)?);
    let out = slices::forward(T::kernels(activation), step, &gamma, &xi2);
    Ok(Tensor::from_data(TensorData::new(out, dims), (&device, dtype)))
}

fn read<T: Element, const D: usize>(tensor: Tensor<D>) -> Result<Vec<T>, MomentsError> {
    let data = tensor.try_into_data().map_err(|e| MomentsError::Backend(e.to_string()))?;
    data.try_into_vec::<T>().map_err(|e| MomentsError::Backend(format!("{e:?}")))
}

fn tracked<C, const D: usize>(
    call: Call,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Tensor<1>,
) -> Result<Tensor<D>, MomentsError>
where
    C: CheckpointStrategy,
    DispatchTensor: DispatchKindConversion<Autodiff<Flex, C>>,
{
    let backend = |e| MomentsError::Backend(format!("{e:?}"));
    let gamma = gamma.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let xi2 = xi2.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let theta = theta.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let (gamma, gamma_node) = gamma.into_parts();
    let (xi2, xi2_node) = xi2.into_parts();
    let (_, theta_node) = theta.into_parts();

    let out = run(&*call.activation, call.step, &gamma, &xi2);
    // The kernel is dear against the memory it reads, hence never recomputed.
    let prepared = StepBackward.prepare::<C>([gamma_node, xi2_node, theta_node]);
    let out = match prepared.compute_bound().stateful() {
        OpsKind::Tracked(node) => node.finish(Saved { call, gamma, xi2 }, out),
        OpsKind::UnTracked(node) => node.finish(out),
    };
    Ok(Tensor::from_primitive::<Autodiff<Flex, C>>(out))
}

#[derive(Clone, Debug)]
struct Call {
    activation: Arc<dyn Bound>,
    step: Step,
    /// Whether the gradient in the parameters is wanted.
    learned: bool,
}

/// What the backward pass needs: shared handles, no copies.
#[derive(Clone, Debug)]
struct Saved {
    call: Call,
    gamma: FlexTensor,
    xi2: FlexTensor,
}

/// The backward pass; its state is [`Saved`], as Burn wants it.
#[derive(Debug)]
struct StepBackward;

impl Backward<Flex, 3> for StepBackward {
    type State = Saved;

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let Saved { call, gamma, xi2 } = ops.state;
        let cotangent = grads.consume::<Flex>(&ops.node);
        let learned = call.learned && ops.parents[2].is_some();
        let results = run_back(&*call.activation, call.step, [&gamma, &xi2], &cotangent, learned);
        for (node, result) in ops.parents.into_iter().zip(results) {
            if let Some(node) = node {
                grads.register::<Flex>(node.id, result);
            }
        }
    }
}
