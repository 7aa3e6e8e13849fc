//! Moments of an activation of Normal numbers as one differentiable operation of Burn, with a backward pass of its
//! own.
//!
//! On Flex nothing is composed of tensor operations. Forward is one call of a kernel, backward another,
//! and the graph keeps γ and ξ² alone. Burn's graph has one output for each node, so the node's
//! output is mean and variance stacked along the first axis, and the two results are views of it.
//!
//! On cards (`card`, with the features of Burn's backends for them) each pass is one kernel too, that the card runs. For
//! other backends, and for what a card has no kernel for, the host computes (`portable`).

#[cfg(feature = "wgpu")]
pub(crate) mod card;
mod derivatives;
mod host;
mod joint;
mod matrices;
mod portable;
mod slices;

use std::fmt::Debug;
use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, DispatchKindConversion, Flex};
use burn::tensor::{DType, DispatchTensor, GradientCheckpointingStrategy, Tensor};

pub(crate) use host::Scalar;
use host::{run, run_back};
pub use joint::joint_moments;
pub(crate) use joint::{Joint, Map, joint};
pub(crate) use slices::MomentRule;

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
    /// The covariances of a layer are not a square for each row.
    #[error(
        "`gamma` has shape {gamma:?} but the covariances have shape {covariance:?}; they must be \
         [rows, units] and [rows, units, units]"
    )]
    Covariance {
        /// The shape of γ.
        gamma: Vec<usize>,
        /// The shape of the covariances.
        covariance: Vec<usize>,
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
    /// A tensor cannot be read back from its device, or γ and ξ² are on different ones.
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
/// No result and no gradient is subnormal: what is below the smallest normal number of the precision is 0. (The kernels of the
/// activation itself give subnormal numbers, but products of matrices that hold them take several times as long.)
///
/// On Burn's Flex backend the inputs are read in place. On a card a kernel of single precision computes the moments of a
/// function whose pieces have a degree of 3 at most. A mean has an error relative to |g(γ)| + √Var g there, a derivative that is
/// infinite is the largest number, and what is near the smallest normal number may be 0. A variance is infinite
/// where E\[g²\] is above 4 · 10¹⁸. For other functions and on other devices the inputs are read back, and the kernels of the
/// processor compute. The results can be differentiated once there, and a derivative that is infinite is the largest number.
///
/// # Errors
///
/// [`MomentsError`], if the inputs do not fit each other or are of a precision other than f32 and
/// f64.
pub fn moments<A: Nonlinearity, const D: usize>(
    activation: &A,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<(Tensor<D>, Tensor<D>), MomentsError> {
    pair(Arc::new(activation.clone()), MomentRule::Moments, gamma, xi2, None)
}

/// The two results of a step; `theta` are the parameters that the activation was made with, if
/// their gradient is wanted.
pub(crate) fn pair<const D: usize>(
    activation: Arc<dyn Bound>,
    step: MomentRule,
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
    let none = Tensor::empty([1; D], (&x.clone().inner().device(), x.dtype()));
    apply(activation, MomentRule::Values, x, none, theta)
}

fn apply<const D: usize>(
    activation: Arc<dyn Bound>,
    step: MomentRule,
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
    let strategy = wanted.next();
    if wanted.any(|other| Some(other) != strategy) {
        return Err(MomentsError::Checkpointing);
    }
    if is_on_flex(&gamma) && is_on_flex(&xi2) {
        let call = Call { activation, step, learned: theta.is_some() };
        return on::<Flex, D>(call, strategy, gamma, xi2, theta);
    }
    #[cfg(feature = "wgpu")]
    // A recorded kernel has no derivatives in parameters.
    if theta.is_none()
        && card::is_on_card(&gamma)
        && card::is_on_card(&xi2)
        && let Some(programs) = activation.programs()
    {
        let call = card::Call { programs, step };
        return on::<burn::backend::Cube, D>(call, strategy, gamma, xi2, None);
    }
    portable::apply(&*activation, step, gamma, xi2, theta)
}

/// A step on a backend that has kernels for it.
fn on<B: StepBackend, const D: usize>(
    call: B::Call,
    strategy: Option<GradientCheckpointingStrategy>,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Option<Tensor<1>>,
) -> Result<Tensor<D>, MomentsError>
where
    DispatchTensor: DispatchKindConversion<B>
        + DispatchKindConversion<Autodiff<B, NoCheckpointing>>
        + DispatchKindConversion<Autodiff<B, BalancedCheckpointing>>,
{
    let Some(strategy) = strategy else { return plain::<B, D>(&call, gamma, xi2) };
    // What is not learned is never read.
    let theta = theta
        .unwrap_or_else(|| Tensor::empty([1], (&gamma.clone().inner().device(), gamma.dtype())));
    // An input outside the graph is a constant inside it.
    let gamma = gamma.autodiff().with_gradient_checkpointing_strategy(strategy);
    let xi2 = xi2.autodiff().with_gradient_checkpointing_strategy(strategy);
    let theta = theta.autodiff().with_gradient_checkpointing_strategy(strategy);
    match strategy {
        GradientCheckpointingStrategy::Disabled => {
            tracked::<B, NoCheckpointing, D>(call, gamma, xi2, theta)
        }
        GradientCheckpointingStrategy::Balanced => {
            tracked::<B, BalancedCheckpointing, D>(call, gamma, xi2, theta)
        }
    }
}

/// a · b. On a card the shapes decide which kernel multiplies.
pub(crate) fn product(a: Tensor<2>, b: Tensor<2>) -> Tensor<2> {
    #[cfg(feature = "wgpu")]
    if let Some(c) = card::product(&a, &b) {
        return c;
    }
    a.matmul(b)
}

pub(crate) fn is_on_flex<const D: usize>(tensor: &Tensor<D>) -> bool {
    tensor.clone().inner().try_into_primitive::<Flex>().is_ok()
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

fn plain<B: StepBackend, const D: usize>(
    call: &B::Call,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
) -> Result<Tensor<D>, MomentsError>
where
    DispatchTensor: DispatchKindConversion<B>,
{
    let backend = |e| MomentsError::Backend(format!("{e:?}"));
    let gamma = gamma.try_into_primitive::<B>().map_err(backend)?;
    let xi2 = xi2.try_into_primitive::<B>().map_err(backend)?;
    Ok(Tensor::from_primitive::<B>(B::run(call, &gamma, &xi2)))
}

fn tracked<B: StepBackend, C, const D: usize>(
    call: B::Call,
    gamma: Tensor<D>,
    xi2: Tensor<D>,
    theta: Tensor<1>,
) -> Result<Tensor<D>, MomentsError>
where
    C: CheckpointStrategy,
    DispatchTensor: DispatchKindConversion<Autodiff<B, C>>,
{
    let backend = |e| MomentsError::Backend(format!("{e:?}"));
    let gamma = gamma.try_into_primitive::<Autodiff<B, C>>().map_err(backend)?;
    let xi2 = xi2.try_into_primitive::<Autodiff<B, C>>().map_err(backend)?;
    let theta = theta.try_into_primitive::<Autodiff<B, C>>().map_err(backend)?;
    let (gamma, gamma_node) = gamma.into_parts();
    let (xi2, xi2_node) = xi2.into_parts();
    let (_, theta_node) = theta.into_parts();

    let out = B::run(&call, &gamma, &xi2);
    // The kernel is dear against the memory it reads, hence never recomputed.
    let nodes = [gamma_node, xi2_node, theta_node];
    let prepared = Backward::<B, 3>::prepare::<C>(StepBackward, nodes);
    let out = match prepared.compute_bound().stateful() {
        OpsKind::Tracked(node) => node.finish(Saved::<B> { call, gamma, xi2 }, out),
        OpsKind::UnTracked(node) => node.finish(out),
    };
    Ok(Tensor::from_primitive::<Autodiff<B, C>>(out))
}

/// A backend of Burn on which a pass of a step is one call.
trait StepBackend: Backend {
    /// A step of an activation.
    type Call: Clone + Debug + Send + 'static;

    /// The result of a step: one tensor, whose first axis is as often as long as there are results.
    fn run(
        call: &Self::Call,
        gamma: &FloatTensor<Self>,
        xi2: &FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The cotangents of γ, ξ² and the parameters, given that of the result; `None` of what has no part in the step.
    fn run_back(
        call: &Self::Call,
        inputs: [&FloatTensor<Self>; 2],
        cotangent: &FloatTensor<Self>,
        parameters: bool,
    ) -> [Option<FloatTensor<Self>>; 3];
}

/// A step by the kernels of the runtime.
#[derive(Clone, Debug)]
struct Call {
    activation: Arc<dyn Bound>,
    step: MomentRule,
    /// Whether the gradient in the parameters is wanted.
    learned: bool,
}

impl StepBackend for Flex {
    type Call = Call;

    fn run(call: &Call, gamma: &FlexTensor, xi2: &FlexTensor) -> FlexTensor {
        run(&*call.activation, call.step, gamma, xi2)
    }

    fn run_back(
        call: &Call,
        inputs: [&FlexTensor; 2],
        cotangent: &FlexTensor,
        parameters: bool,
    ) -> [Option<FlexTensor>; 3] {
        let learned = call.learned && parameters;
        run_back(&*call.activation, call.step, inputs, cotangent, learned).map(Some)
    }
}

/// State of the backward pass: the call, and handles of γ and ξ² that share their memory.
#[derive(Clone, Debug)]
struct Saved<B: StepBackend> {
    call: B::Call,
    gamma: FloatTensor<B>,
    xi2: FloatTensor<B>,
}

/// The backward pass; its state is [`Saved`], as Burn wants it.
#[derive(Debug)]
struct StepBackward;

impl<B: StepBackend> Backward<B, 3> for StepBackward {
    type State = Saved<B>;

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let Saved { call, gamma, xi2 } = ops.state;
        let cotangent = grads.consume::<B>(&ops.node);
        // Parameters that no graph tracks have no node: their derivatives are not computed.
        let results = B::run_back(&call, [&gamma, &xi2], &cotangent, ops.parents[2].is_some());
        for (node, result) in ops.parents.into_iter().zip(results) {
            if let (Some(node), Some(result)) = (node, result) {
                grads.register::<B>(node.id, result);
            }
        }
    }
}
