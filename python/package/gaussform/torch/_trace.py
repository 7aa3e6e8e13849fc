"""Networks as graphs of torch.fx, in which work in place stays work in place.

The tracer of torch.fx takes `y += z` for `y = y + z`, which is another thing where `y` has the memory of another value. Here the graph keeps the operator.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Mapping
from typing import Any

import torch
from torch import fx, nn
from torch.fx.proxy import TraceError
from torch.nn import functional as F

from ._extremes import count_of_parts, take_extremes
from ._linear import parts, take_pieces
from ._noise import NoRule

#: Operators in place, and those that give the same without it.
_OPERATORS: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.ipow: operator.pow,
    operator.imatmul: operator.matmul,
}


class _Proxy(fx.Proxy):
    def __setitem__(self, key: Any, value: Any) -> None:
        path = self.tracer.scope.module_path
        raise NoRule(f"{path + ': ' if path else ''}no rule for an assignment to elements of a value; torch.cat of the parts has one")


def _recorded(function: Any) -> Any:
    def method(self: fx.Proxy, other: Any) -> fx.Proxy:
        result: fx.Proxy = self.tracer.create_proxy("call_function", function, (self, other), {})
        return result

    return method


for _function in _OPERATORS:
    setattr(_Proxy, f"__{_function.__name__}__", _recorded(_function))


class Tracer(fx.Tracer):
    """A tracer that keeps whole the modules for which there are rules."""

    def __init__(self, rules: Mapping[type[nn.Module], Any]) -> None:
        super().__init__()
        self.rules = rules

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return type(m) in self.rules or bool(super().is_leaf_module(m, module_qualified_name))

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Proxy(node, self)

    def iter(self, obj: fx.Proxy) -> Any:
        count = parts(obj.node) or count_of_parts(obj.node)
        whole: Any = obj
        return super().iter(obj) if count is None else iter([whole[i] for i in range(count)])

    def traced(self, root: nn.Module) -> tuple[fx.Graph, dict[str, Any]]:
        """The graph, and the constants of the code, which a tracer leaves on the module."""
        before = set(vars(root))
        try:
            graph = self.trace(root)
            take_pieces(graph)
            take_extremes(graph)
            return graph, {name: value for name, value in vars(root).items() if name not in before}
        except (TraceError, TypeError) as error:
            path = self.scope.module_path
            raise NoRule(
                f"{path + ': ' if path else ''}torch.fx cannot trace the code, because {error}; a module that `rules` names is kept whole"
            ) from error
        finally:
            for name in set(vars(root)) - before:
                delattr(root, name)


def where(node: fx.Node | None) -> str:
    """The path of the module that a node belongs to, with a colon; nothing for the network's own code."""
    if node is None:
        return ""
    if node.op == "call_module":
        return f"{node.target}: "
    stack = node.meta.get("nn_module_stack") or {}
    path = [path for path, _ in stack.values()][-1:]
    return f"{path[0]}: " if path and path[0] else ""


def named(node: fx.Node) -> str:
    """The name of what a node calls."""
    if node.op == "call_module":
        return "the module"
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


def plain(target: Any) -> Any:
    """The operator that gives the same as one in place: `add` for `add_`."""
    name = target if isinstance(target, str) else getattr(target, "__name__", "")
    if target in _OPERATORS or not _ends_in_place(name):
        return _OPERATORS.get(target, target)
    return name[:-1] if isinstance(target, str) else getattr(torch, name[:-1], getattr(F, name[:-1], target))


def changed(net: nn.Module, node: fx.Node) -> fx.Node | None:
    """The node whose value another one changes in place."""
    is_in_place = False
    if node.op == "call_module":
        is_in_place = bool(getattr(net.get_submodule(str(node.target)), "inplace", False))
    elif node.op in ("call_function", "call_method"):
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        is_in_place = node.target in _OPERATORS or _ends_in_place(name) or _asks_for_it(node)
    first = node.args[0] if node.args else node.kwargs.get("input")
    return first if is_in_place and isinstance(first, fx.Node) else None


def _ends_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def _asks_for_it(node: fx.Node) -> bool:
    """Whether the argument `inplace` of a function is true, by its name or its place."""
    if node.op != "call_function":
        return False
    try:
        bound = inspect.signature(node.target).bind(*node.args, **node.kwargs)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return bool(node.kwargs.get("inplace", False))
    return bool(bound.arguments.get("inplace", False))
