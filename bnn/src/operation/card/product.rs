//! Products of matrices on a card and their derivatives.
//!
//! ```text
//! c = a · b,   ∂/∂a = ∂/∂c · bᵀ,   ∂/∂b = aᵀ · ∂/∂c
//! ```
//!
//! CubeK has several kernels for a product. Burn takes the one with the largest tiles for every shape, which leaves most of a card
//! idle where the result is small, as that of aᵀ · ∂/∂c is. Or it measures all kernels while a program runs, so that two runs
//! have different bits. Here the shape decides, by what was quickest on an H200 for layers of 10 to 784 units and 32 to 4096
//! rows. A result has the error of a sum in single precision.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::{
    BalancedCheckpointing, CheckpointStrategy, NoCheckpointing,
};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Cube, DispatchKindConversion};
use burn::tensor::{DispatchTensor, GradientCheckpointingStrategy, Tensor};
use burn_cubecl::kernel::matmul::{MatmulStrategy, matmul};
use burn_cubecl::tensor::CubeTensor;
use cubecl::ir::{ElemType, FloatKind};
use cubek::matmul::definition::{MatmulElems, MatmulGlobalElems};
use cubek::matmul::launch::launch_ref;
use cubek::matmul::multi_level::Strategy;
use cubek::matmul::multi_level::routines::TileSizeSelection;
use cubek::matmul::multi_level::routines::batch::simple_unit::SimpleUnitSelectionArgs;
use cubek::matmul::routine::BlueprintStrategy;
use cubek::std::InputBinding;

use super::{empty, plain, wrapped};

/// Elements of a result up to which each has an invocation of its own.
const FEW: usize = 1 << 18;
/// Multiplications from which on the largest tiles are quickest.
const MANY: usize = 1 << 30;

/// a · b, for matrices of single precision on a card; `None` where they are not, or not both in one graph.
pub(crate) fn product(a: &Tensor<2>, b: &Tensor<2>) -> Option<Tensor<2>> {
    let ([rows, inner], [_, columns]) = (a.dims(), b.dims());
    // Burn says what does not fit.
    if inner != b.dims()[0] || rows * inner * columns == 0 {
        return None;
    }
    if !super::is_on_card(a) || !super::is_on_card(b) {
        return None;
    }
    let strategies = [a, b].map(Tensor::gradient_checkpointing_strategy);
    let Some(strategy) = strategies.into_iter().flatten().next() else {
        let [a, b] = [a, b].map(|tensor| tensor.clone().try_into_primitive::<Cube>());
        let c = multiplied(plain(&a.ok()?), plain(&b.ok()?));
        return Some(Tensor::from_primitive::<Cube>(wrapped(c)));
    };
    // An input outside the graph is a constant inside it.
    let inputs = [a, b].map(|tensor| match tensor.gradient_checkpointing_strategy() {
        Some(_) => tensor.clone(),
        None => tensor.clone().autodiff().with_gradient_checkpointing_strategy(strategy),
    });
    match strategy {
        GradientCheckpointingStrategy::Disabled => tracked::<NoCheckpointing>(inputs),
        GradientCheckpointingStrategy::Balanced => tracked::<BalancedCheckpointing>(inputs),
    }
}

fn tracked<C: CheckpointStrategy>(inputs: [Tensor<2>; 2]) -> Option<Tensor<2>>
where
    DispatchTensor: DispatchKindConversion<Autodiff<Cube, C>>,
{
    let [a, b] = inputs.map(|tensor| tensor.try_into_primitive::<Autodiff<Cube, C>>());
    let ((a, a_node), (b, b_node)) = (a.ok()?.into_parts(), b.ok()?.into_parts());
    let c = wrapped(multiplied(plain(&a), plain(&b)));
    let prepared = Backward::<Cube, 2>::prepare::<C>(Product, [a_node, b_node]);
    let c = match prepared.compute_bound().stateful() {
        OpsKind::Tracked(node) => node.finish([a, b], c),
        OpsKind::UnTracked(node) => node.finish(c),
    };
    Some(Tensor::from_primitive::<Autodiff<Cube, C>>(c))
}

/// The backward pass, whose state is a and b.
#[derive(Debug)]
struct Product;

impl Backward<Cube, 2> for Product {
    type State = [FloatTensor<Cube>; 2];

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let [a, b] = ops.state;
        let cotangent = plain(&grads.consume::<Cube>(&ops.node));
        let [a_node, b_node] = ops.parents;
        if let Some(node) = a_node {
            let of_a = multiplied(cotangent.clone(), transposed(b));
            grads.register::<Cube>(node.id, wrapped(of_a));
        }
        if let Some(node) = b_node {
            grads.register::<Cube>(node.id, wrapped(multiplied(transposed(a), cotangent)));
        }
    }
}

fn transposed(matrix: FloatTensor<Cube>) -> CubeTensor {
    fn of<B: Backend>(matrix: FloatTensor<B>) -> FloatTensor<B> {
        B::float_transpose(matrix)
    }
    plain(&of::<Cube>(matrix))
}

/// a · b by the kernel that suits the shapes; by Burn's choice where that kernel cannot run.
fn multiplied(a: CubeTensor, b: CubeTensor) -> CubeTensor {
    let number = ElemType::Float(FloatKind::F32);
    let mut types =
        MatmulElems::from_globals(&MatmulGlobalElems { lhs: number, rhs: number, out: number });
    let (rows, columns) = (a.meta.shape()[0], b.meta.shape()[1]);
    let out = empty(&a, [rows, columns].into());
    let (left, right) = (a.clone().binding(), b.clone().binding());
    let done = launch_ref(
        &strategy(&a, columns).into(),
        &a.client,
        InputBinding::new(left, number),
        InputBinding::new(right, number),
        out.clone().binding(),
        &mut types,
    );
    if done.is_ok() {
        return out;
    }
    let dtype = a.dtype;
    matmul(a, b, Some(out), MatmulStrategy::default(), dtype).expect("a product of matrices")
}

/// The kernel for a product with so many columns.
fn strategy(a: &CubeTensor, columns: usize) -> Strategy {
    let [rows, inner] = [a.meta.shape()[0], a.meta.shape()[1]];
    let by_tiles = |tile_size| {
        Strategy::SimpleUnit(BlueprintStrategy::Inferred(SimpleUnitSelectionArgs { tile_size }))
    };
    let is_transposed = inner > 1 && a.meta.strides()[1] != 1;
    match (is_transposed, rows * columns) {
        (false, ..=FEW) => Strategy::Naive,
        (false, elements) if elements * inner >= MANY => by_tiles(TileSizeSelection::MaxTileSize),
        _ => by_tiles(TileSizeSelection::MinTileSize),
    }
}
