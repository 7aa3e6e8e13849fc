"""Values of a graph that lie in the same memory, and whether a change of one in place is a change of another that is still used.

What moves elements may give a view of its input, and what works in place gives its input again. All of these count as one memory.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx, nn
from torch.nn import functional as F

from ._linear import piece
from ._trace import changed

#: Linear maps that give views of their input, or the input itself where there is nothing to do; methods by their names.
VIEWS: set[Any] = {
    torch.flatten, torch.reshape, torch.permute, torch.transpose, torch.squeeze, torch.unsqueeze, torch.movedim, torch.swapaxes, torch.narrow,
    torch.select, torch.unflatten, torch.detach, operator.getitem, piece,
    "flatten", "reshape", "view", "permute", "transpose", "squeeze", "unsqueeze", "movedim", "swapaxes", "narrow", "select", "unflatten", "detach",
    "contiguous", "expand",
}  # fmt: skip
#: Linear maps whose results have memory of their own.
COPIES: set[Any] = {torch.mean, torch.sum, torch.clone, torch.flip, torch.roll, torch.tile, "mean", "sum", "clone", "flip", "roll", "repeat", "tile"}
#: Maps with rules of their own that may give a view of their input, or the input itself.
_MAY_SHARE: set[Any] = {
    torch.t, torch.moveaxis, torch.swapdims, torch.ravel, torch.diagonal, F.pad, "t", "moveaxis", "swapdims", "ravel", "diagonal", "unfold", "view_as",
    "reshape_as", "expand_as", "to", "type", "type_as", "double", "float", "half", "bfloat16", "cpu", "cuda", getattr,
}  # fmt: skip
_PASSED: set[Any] = {F.dropout, F.dropout1d, F.dropout2d, F.dropout3d}
_MODULES = (nn.Flatten, nn.Unflatten, nn.Identity, nn.modules.dropout._DropoutNd)


class Memory:
    def __init__(self, net: nn.Module, graph: fx.Graph) -> None:
        self._changed = {node: changed(net, node) for node in graph.nodes}
        self._places = {node: place for place, node in enumerate(graph.nodes)}
        self._owners: dict[fx.Node, fx.Node] = {}
        self._last = {used: self._places[node] for node in graph.nodes for used in node.all_input_nodes}
        for node in graph.nodes:
            inputs = node.all_input_nodes
            shares = self._changed[node] is not None or node.target in VIEWS or node.target in _PASSED or node.target in _MAY_SHARE
            if node.op == "call_module":
                shares = shares or isinstance(net.get_submodule(str(node.target)), _MODULES)
            self._owners[node] = self._owners[inputs[0]] if shares and inputs else node

    def changed(self, node: fx.Node) -> fx.Node | None:
        """The node whose value this one changes in place."""
        return self._changed[node]

    def is_lost(self, node: fx.Node) -> bool:
        """Whether this node changes, in place, a value that the graph uses afterwards under another name."""
        value = self._changed[node]
        if value is None:
            return False
        place, owner = self._places[node], self._owners[value]
        return any(
            self._owners[other] is owner and self._places[other] < place < last for other, last in self._last.items()
        )
