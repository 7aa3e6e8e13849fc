//! Means and covariances of the activations of a layer as one differentiable operation of Burn.
//!
//! ```text
//! u ~ N(γ, C + diag(d)):        E g(u_i)        E g′(u_i)        Cov(g(u_i), g(u_j))
//! ```
//!
//! The node's one output has these three along its second axis, so that its shape is \[n, 2 + units, units\]. Both passes
//! run on the host (`matrices`), hence on Burn's Flex backend alone.

use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::{Autodiff, DispatchKindConversion, Flex};
use burn::tensor::{DType, DispatchTensor, GradientCheckpointingStrategy, Tensor};

use super::host::tensor;
pub(crate) use super::matrices::Map;
use super::matrices::{forward, pull_back};
use super::{MomentsError, Scalar, check, is_on_flex};
use crate::function::{Bound, Nonlinearity};

/// E\[g(u_i)\], of shape \[n, units\], and Cov(g(u_i), g(u_j)), of shape \[n, units, units\], for the jointly Normal
/// pre-activations u of a layer in each of n rows (Wu et al. 2019, 3.1, for any activation).
///
/// `gamma` has the means of u, of shape \[n, units\], `covariance` their covariances, of shape \[n, units, units\]: of
/// the two numbers that stand for a covariance the mean counts, and one that exceeds what the variances allow counts as
/// the largest one that they do. Where an input is tracked by autodiff the results are, and differentiate exactly.
///
/// Everything is computed in f64, whatever the precision of the tensors. The graph keeps `gamma` and `covariance`. A
/// row takes of the order of units² times that of one moment.
///
/// # Errors
///
/// [`MomentsError`], if the inputs do not fit each other, are of a precision other than f32 and f64, or lie on another
/// backend than Flex.
pub fn joint_moments<A: Nonlinearity>(
    activation: &A,
    gamma: Tensor<2>,
    covariance: Tensor<3>,
) -> Result<(Tensor<2>, Tensor<3>), MomentsError> {
    let none = Tensor::zeros(gamma.dims(), (&gamma.clone().inner().device(), gamma.dtype()));
    let joint = joint(Arc::new(activation.clone()), Map::Exact, gamma, covariance, none)?;
    Ok((joint.mean, joint.covariance))
}

/// The moments of the activations of a layer.
pub(crate) struct Joint {
    /// E\[g(u_i)\], of shape \[n, units\].
    pub(crate) mean: Tensor<2>,
    /// E\[g′(u_i)\], of shape \[n, units\].
    pub(crate) slope: Tensor<2>,
    /// Cov(g(u_i), g(u_j)), of shape \[n, units, units\].
    pub(crate) covariance: Tensor<3>,
}

/// The moments of g(u) for u ~ N(γ, C + diag(d)), with d = `own`, of shape \[n, units\].
pub(crate) fn joint(
    activation: Arc<dyn Bound>,
    map: Map,
    gamma: Tensor<2>,
    covariance: Tensor<3>,
    own: Tensor<2>,
) -> Result<Joint, MomentsError> {
    check(&gamma, &own)?;
    let [n, units] = gamma.dims();
    if covariance.dims() != [n, units, units] {
        let (gamma, covariance) = (gamma.dims().to_vec(), covariance.dims().to_vec());
        return Err(MomentsError::Covariance { gamma, covariance });
    }
    if covariance.dtype() != gamma.dtype() {
        let [gamma, xi2] =
            [gamma.dtype(), covariance.dtype()].map(|t| format!("{t:?}").to_lowercase());
        return Err(MomentsError::Precision { gamma, xi2 });
    }
    if gamma.shape().num_elements() == 0 {
        return Ok(Joint { mean: gamma, slope: own, covariance });
    }
    let packed = apply(Call { activation, map }, gamma, covariance, own)?;
    let row = |i| packed.clone().narrow(1, i, 1).reshape([n, units]);
    let [mean, slope] = [0, 1].map(row);
    Ok(Joint { mean, slope, covariance: packed.narrow(1, 2, units) })
}

fn apply(
    call: Call,
    gamma: Tensor<2>,
    covariance: Tensor<3>,
    own: Tensor<2>,
) -> Result<Tensor<3>, MomentsError> {
    if !(is_on_flex(&gamma) && is_on_flex(&covariance) && is_on_flex(&own)) {
        let problem = "covariances of a layer are computed on Flex alone";
        return Err(MomentsError::Backend(problem.to_owned()));
    }
    let strategies = [
        gamma.gradient_checkpointing_strategy(),
        covariance.gradient_checkpointing_strategy(),
        own.gradient_checkpointing_strategy(),
    ];
    let mut wanted = strategies.into_iter().flatten();
    let strategy = wanted.next();
    if wanted.any(|other| Some(other) != strategy) {
        return Err(MomentsError::Checkpointing);
    }
    let Some(strategy) = strategy else {
        let gamma = gamma.try_into_primitive::<Flex>().map_err(backend)?;
        let covariance = covariance.try_into_primitive::<Flex>().map_err(backend)?;
        let own = own.try_into_primitive::<Flex>().map_err(backend)?;
        return Ok(Tensor::from_primitive::<Flex>(run(&call, [&gamma, &covariance, &own])));
    };
    // An input outside the graph is a constant inside it.
    let gamma = gamma.autodiff().with_gradient_checkpointing_strategy(strategy);
    let covariance = covariance.autodiff().with_gradient_checkpointing_strategy(strategy);
    let own = own.autodiff().with_gradient_checkpointing_strategy(strategy);
    match strategy {
        GradientCheckpointingStrategy::Disabled => {
            tracked::<NoCheckpointing>(call, gamma, covariance, own)
        }
        GradientCheckpointingStrategy::Balanced => {
            tracked::<BalancedCheckpointing>(call, gamma, covariance, own)
        }
    }
}

fn backend(error: impl std::fmt::Debug) -> MomentsError {
    MomentsError::Backend(format!("{error:?}"))
}

fn tracked<C>(
    call: Call,
    gamma: Tensor<2>,
    covariance: Tensor<3>,
    own: Tensor<2>,
) -> Result<Tensor<3>, MomentsError>
where
    C: CheckpointStrategy,
    DispatchTensor: DispatchKindConversion<Autodiff<Flex, C>>,
{
    let gamma = gamma.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let covariance = covariance.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let own = own.try_into_primitive::<Autodiff<Flex, C>>().map_err(backend)?;
    let (gamma, gamma_node) = gamma.into_parts();
    let (covariance, covariance_node) = covariance.into_parts();
    let (own, own_node) = own.into_parts();

    let out = run(&call, [&gamma, &covariance, &own]);
    // The kernel is dear against the memory it reads, hence never recomputed.
    let prepared = JointBackward.prepare::<C>([gamma_node, covariance_node, own_node]);
    let out = match prepared.compute_bound().stateful() {
        OpsKind::Tracked(node) => node.finish(Saved { call, gamma, covariance, own }, out),
        OpsKind::UnTracked(node) => node.finish(out),
    };
    Ok(Tensor::from_primitive::<Autodiff<Flex, C>>(out))
}

#[derive(Clone, Debug)]
struct Call {
    activation: Arc<dyn Bound>,
    map: Map,
}

/// State of the backward pass: the call, and handles of γ, C and d that share their memory.
#[derive(Clone, Debug)]
struct Saved {
    call: Call,
    gamma: FlexTensor,
    covariance: FlexTensor,
    own: FlexTensor,
}

/// The backward pass; its state is [`Saved`], as Burn wants it.
#[derive(Debug)]
struct JointBackward;

impl Backward<Flex, 3> for JointBackward {
    type State = Saved;

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let Saved { call, gamma, covariance, own } = ops.state;
        let cotangent = grads.consume::<Flex>(&ops.node);
        let inputs = [&gamma, &covariance, &own];
        let results = match gamma.dtype() {
            DType::F64 => run_back_in::<f64>(&call, inputs, &cotangent),
            _ => run_back_in::<f32>(&call, inputs, &cotangent),
        };
        for (node, result) in ops.parents.into_iter().zip(results) {
            if let Some(node) = node {
                grads.register::<Flex>(node.id, result);
            }
        }
    }
}

fn run(call: &Call, inputs: [&FlexTensor; 3]) -> FlexTensor {
    match inputs[0].dtype() {
        DType::F64 => run_in::<f64>(call, inputs),
        _ => run_in::<f32>(call, inputs),
    }
}

fn run_in<T: Scalar>(call: &Call, inputs: [&FlexTensor; 3]) -> FlexTensor {
    let mut shape = inputs[1].layout().shape().clone();
    let units = shape[2];
    shape[1] += 2;
    let views = inputs.map(T::view);
    let views = [&views[0][..], &views[1], &views[2]];
    tensor(forward(&*call.activation, call.map, views, units), shape)
}

/// The cotangents of γ, C and d.
fn run_back_in<T: Scalar>(
    call: &Call,
    inputs: [&FlexTensor; 3],
    cotangent: &FlexTensor,
) -> [FlexTensor; 3] {
    let shapes = inputs.map(|t| t.layout().shape().clone());
    let units = shapes[1][2];
    let views = inputs.map(T::view);
    let views = [&views[0][..], &views[1], &views[2]];
    let results = pull_back(&*call.activation, call.map, views, &T::view(cotangent), units);
    let [gamma, covariance, own] = results;
    let [of_gamma, of_covariance, of_own] = shapes;
    [tensor(gamma, of_gamma), tensor(covariance, of_covariance), tensor(own, of_own)]
}
