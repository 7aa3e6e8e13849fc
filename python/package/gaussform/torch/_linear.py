"""Functions of PyTorch that are linear in the values of a network, by what the squares of their coefficients are.

The covariance of a linear map A is A C Aᵀ, whatever the map is, and forward mode gives A v. For the variances of independent units alone, each coefficient
is squared, and most maps say by themselves what that gives: one that places or sums units has the coefficients 1, and a product with a constant has its square.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional as F

#: Each output is a unit, a constant, or a sum of some units.
PLACED: set[Any] = {
    torch.cat, torch.concat, torch.concatenate, torch.stack, torch.hstack, torch.vstack, torch.index_select, torch.gather, torch.take_along_dim,
    torch.repeat_interleave, torch.where, torch.masked_fill, torch.tril, torch.triu, torch.diagonal, torch.cumsum, torch.rot90, torch.t,
    torch.moveaxis, torch.swapdims, torch.ravel, F.pad, F.pixel_shuffle, F.pixel_unshuffle, F.channel_shuffle, F.unfold, F.fold,
}  # fmt: skip
#: Methods of this kind that are no functions of PyTorch; some give numbers of another type, or the same.
METHODS = {
    "unfold", "view_as", "reshape_as", "expand_as", "to", "type", "type_as", "double", "float", "half", "bfloat16", "cpu", "cuda",
}  # fmt: skip
#: Element by element: sums, with a factor `alpha` of the second term, and products with a constant.
SUMS: set[Any] = {operator.add, torch.add, operator.sub, torch.sub, torch.subtract, torch.rsub}
SCALED: set[Any] = {operator.mul, torch.mul, torch.multiply, operator.truediv, torch.div, torch.divide, torch.true_divide}
QUOTIENTS: set[Any] = {operator.truediv, torch.div, torch.divide, torch.true_divide}
#: Sums of products with constants, which are tensors.
CONTRACTED: set[Any] = {
    operator.matmul, torch.matmul, torch.mm, torch.bmm, torch.mv, torch.dot, torch.einsum, torch.tensordot, F.linear, F.conv1d, F.conv2d, F.conv3d,
    F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d,
}  # fmt: skip
#: A first term, to which the product of the two behind it is added; any coefficients.
ADDED: set[Any] = {torch.addmm, torch.addmv, torch.baddbmm, torch.addbmm, torch.addcmul}
#: Any coefficients.
OTHERS: set[Any] = {F.interpolate, torch.diff}

_SHUFFLES: tuple[type[nn.Module], ...] = (nn.PixelShuffle, nn.PixelUnshuffle, nn.ChannelShuffle, nn.Unflatten, nn.Unfold, nn.Fold)
_PADS: tuple[type[nn.Module], ...] = tuple(
    getattr(nn, f"{kind}Pad{d}d")
    for kind in ("Zero", "Constant", "Reflection", "Replication", "Circular")
    for d in (1, 2, 3)
    if hasattr(nn, f"{kind}Pad{d}d")
)
#: Modules without weights whose coefficients are 1, and those with others.
PLACING: tuple[type[nn.Module], ...] = (*_SHUFFLES, *_PADS)
RESAMPLING: tuple[type[nn.Module], ...] = (nn.Upsample, nn.UpsamplingNearest2d, nn.UpsamplingBilinear2d)

#: Functions that divide a value into parts, which share its memory.
_SPLITS: set[Any] = {
    torch.chunk, torch.split, torch.tensor_split, torch.unbind, torch.hsplit, torch.vsplit, torch.split_with_sizes,
    "chunk", "split", "tensor_split", "unbind", "hsplit", "vsplit", "split_with_sizes",
}  # fmt: skip


def piece(x: torch.Tensor, split: Any, index: int, *args: Any, **kwargs: Any) -> torch.Tensor:
    """One of the parts that a value is divided into."""
    parts = getattr(x, split)(*args, **kwargs) if isinstance(split, str) else split(x, *args, **kwargs)
    part: torch.Tensor = parts[index]
    return part


def take_pieces(graph: fx.Graph) -> None:
    """Makes each part of a divided value a node of its own."""
    for node in list(graph.nodes):
        if node.op not in ("call_function", "call_method") or node.target not in _SPLITS:
            continue
        kwargs = dict(node.kwargs)
        first, *rest = node.args or (kwargs.pop("input", kwargs.pop("tensor", None)),)
        for user in list(node.users):
            if user.target is operator.getitem and isinstance(user.args[1], int):
                with graph.inserting_before(user):
                    part = graph.call_function(piece, (first, node.target, user.args[1], *rest), kwargs)
                part.meta = dict(node.meta)
                user.replace_all_uses_with(part)
                graph.erase_node(user)
        if not node.users:
            graph.erase_node(node)
