"""Functions of PyTorch that give the largest or the smallest element of a value or of two, by what they reduce.

`torch.max(x, dim)` gives elements and their places together. Where only the elements are used, it is `torch.amax`, and the graph gets that.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import fx

#: Along axes: 1 for the largest element, −1 for the smallest.
ALONG: dict[Any, int] = {torch.amax: 1, torch.amin: -1}
#: Of two values, element by element.
OF_TWO: dict[Any, int] = {torch.maximum: 1, torch.minimum: -1, torch.fmax: 1, torch.fmin: -1}
#: Either of these, by their arguments.
EITHER: dict[Any, int] = {torch.max: 1, torch.min: -1}
_NAMED = {"max": torch.amax, "min": torch.amin, torch.max: torch.amax, torch.min: torch.amin}


def _axis(node: fx.Node) -> int | None:
    """The axis along which elements and their places are asked for."""
    if node.op not in ("call_function", "call_method") or node.target not in _NAMED:
        return None
    axis = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim")
    return axis if isinstance(axis, int) else None


def take_extremes(graph: fx.Graph) -> None:
    """Makes the elements a node of their own, without their places."""
    for node in list(graph.nodes):
        axis = _axis(node)
        if axis is None:
            continue
        value = node.args[0] if node.args else node.kwargs.get("input")
        keeps = node.args[2] if len(node.args) > 2 else node.kwargs.get("keepdim", False)
        for user in list(node.users):
            if user.target not in (operator.getitem, getattr):
                continue
            if user.args[1] in (0, "values"):
                with graph.inserting_before(user):
                    elements = graph.call_function(_NAMED[node.target], (value, axis, keeps))
                elements.meta = dict(node.meta)
                user.replace_all_uses_with(elements)
                graph.erase_node(user)
            elif not user.users:
                graph.erase_node(user)
        if not node.users:
            graph.erase_node(node)
