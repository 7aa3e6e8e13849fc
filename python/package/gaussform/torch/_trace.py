"""Networks as graphs of torch.fx, in which work in place stays work in place, hooks are part of the code, and shapes are known.

The tracer of torch.fx takes `y += z` for `y = y + z`, which is another thing where `y` has the memory of another value. Here the graph keeps the operator.
Code may ask for shapes, types and devices, and decide by them: the nodes before are then run on fake tensors, which have these and no numbers. The tracer also leaves out the hooks of modules that it keeps whole. Here they are traced as the code around the module. Hooks of PyTorch that compute a weight from other
parameters (`weight_norm`, `spectral_norm`, `prune`) run before instead, since a rule takes the weight and not its history.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._dynamo import OptimizedModule
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.node import map_arg
from torch.nn import functional as F
from torch.nn.modules import module as of_all
from torch.nn.utils.prune import BasePruningMethod
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm

from ._extremes import take_extremes
from ._linear import take_pieces
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


#: What a tensor says of itself without its numbers: attributes, and methods and functions.
_ATTRIBUTES = ("shape", "ndim", "dtype", "device", "layout", "itemsize", "is_cuda", "is_sparse", "is_quantized")
_QUESTIONS: set[Any] = {
    "size", "dim", "ndimension", "numel", "nelement", "element_size", "get_device", "is_floating_point", "is_complex", "is_contiguous", "stride",
    torch.numel, torch.is_floating_point, torch.is_complex,
}  # fmt: skip
#: Attributes that are values of their own.
TRANSPOSED = ("T", "mT")

#: Hooks that compute a weight from other parameters, and leave the input alone.
_REFRESHING = (WeightNorm, SpectralNorm, BasePruningMethod)


def has_hooks(module: nn.Module) -> bool:
    """Whether a call of the module runs more than its code."""
    hooks = (module._forward_hooks, module._forward_pre_hooks, of_all._global_forward_hooks, of_all._global_forward_pre_hooks)
    return any(hooks)


def is_patched(module: nn.Module) -> bool:
    """Whether the module has a `forward` of its own in the place of that of its class."""
    return "forward" in vars(module)


@contextmanager
def refreshed(net: nn.Module) -> Iterator[list[tuple[str, nn.Module]]]:
    """The modules whose weights are computed by hooks, after these have run; within the context no module has them, nor hooks of gradients nor compiled code."""
    found, saved = [], []
    for name, module in net.named_modules():
        if isinstance(module, OptimizedModule):
            continue
        refreshing = {key: hook for key, hook in module._forward_pre_hooks.items() if isinstance(hook, _REFRESHING)}
        for hook in refreshing.values():
            hook(module, ())
        if refreshing:
            found.append((name, module))
        others = {key: hook for key, hook in module._forward_pre_hooks.items() if key not in refreshing}
        own = vars(module)
        changes: dict[str, Any] = {"_forward_pre_hooks": others, "_backward_hooks": {}, "_backward_pre_hooks": {}, "_compiled_call_impl": None}
        changes = {key: value for key, value in changes.items() if own.get(key)}
        saved.append((own, {key: own[key] for key in changes}))
        own.update(changes)
    try:
        yield found
    finally:
        for own, values in saved:
            own.update(values)


class _Proxy(fx.Proxy):
    tracer: Tracer

    def __getattr__(self, k: str) -> Any:
        if k in _ATTRIBUTES:
            return getattr(self.tracer.shaped(self.node), k)
        if k in TRANSPOSED:
            return self.tracer.create_proxy("call_function", getattr, (self, k), {})
        return super().__getattr__(k)

    def __len__(self) -> int:
        return len(self.tracer.shaped(self.node))

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
    """A tracer of networks for an input; it keeps whole the modules for which there are rules."""

    def __init__(self, rules: Mapping[type[nn.Module], Any], input: Tensor) -> None:
        super().__init__()
        self.rules = rules
        #: What nodes give for a fake tensor in the place of the input, where that was asked for.
        self.fake = FakeTensorMode(allow_non_fake_inputs=True)
        self.shapes: dict[fx.Node, Any] = {}
        self.input = self.fake.from_tensor(input)
        #: Whether modules are run on fake tensors, and not traced.
        self.is_asking = False
        #: The module that is being called, if its call is traced although it is kept whole.
        self.opened: nn.Module | None = None

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return m is not self.opened and self.is_whole(m, module_qualified_name)

    def call_module(self, m: nn.Module, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.is_asking:
            return forward(*args, **kwargs)
        path = self.path_of_module(m)
        if isinstance(m, OptimizedModule):
            return self.opening(m, m._orig_mod, forward, args, kwargs)
        if has_hooks(m) and self.is_whole(m, path):
            return self.opening(m, lambda *a, **k: self.create_proxy("call_module", path, a, k), forward, args, kwargs)
        return super().call_module(m, forward, args, kwargs)

    def opening(self, m: nn.Module, code: Any, forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a module as PyTorch makes it, with hooks, and with other code."""
        before, opened = dict(vars(m)), self.opened

        def closing(*args: Any, **kwargs: Any) -> Any:
            self.opened = opened
            return code(*args, **kwargs)

        self.opened = m
        vars(m)["forward"] = closing
        try:
            return super().call_module(m, forward, args, kwargs)
        finally:
            self.opened = opened
            traced = [name for name, value in vars(m).items() if isinstance(value, fx.Proxy)]
            for name in ("forward", *traced):
                if name in before:
                    vars(m)[name] = before[name]
                else:
                    del vars(m)[name]
            lost = [name for name in traced if isinstance(before.get(name), torch.Tensor)]
            if lost:
                raise NoRule(f"{self.path_of_module(m)}: no rule for a hook that computes `{lost[0]}`; torch.nn.utils.parametrize has one")

    def is_whole(self, m: nn.Module, module_qualified_name: str) -> bool:
        """Whether a module is kept whole: not if its code is not that of its class."""
        return type(m) in self.rules or (not is_patched(m) and bool(super().is_leaf_module(m, module_qualified_name)))

    def proxy(self, node: fx.Node) -> fx.Proxy:
        return _Proxy(node, self)

    def create_proxy(self, kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *rest: Any, **more: Any) -> Any:
        if kind in ("call_method", "call_function") and target in _QUESTIONS:
            asked = args[0] if args else kwargs.pop("input")
            fake = self.shaped(asked.node)
            return getattr(fake, target)(*args[1:], **kwargs) if kind == "call_method" else target(fake)
        return super().create_proxy(kind, target, args, kwargs, *rest, **more)

    def iter(self, obj: fx.Proxy) -> Any:
        """The parts of a value that code goes through."""
        whole: Any = obj
        return iter([whole[i] for i in range(len(whole))])

    def shaped(self, node: fx.Node) -> Any:
        """What a node gives, without numbers: a fake tensor, or some."""
        if node not in self.shapes:
            args, kwargs = map_arg((node.args, node.kwargs), self.shaped)  # type: ignore[misc]
            self.is_asking = True
            try:
                with self.fake:
                    self.shapes[node] = self._shaped(node, args, kwargs)
            finally:
                self.is_asking = False
        return self.shapes[node]

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        return attr_val if self.is_asking else super().getattr(attr, attr_val, parameter_proxy_cache)

    def _shaped(self, node: fx.Node, args: Any, kwargs: Any) -> Any:
        target: Any = node.target
        if node.op == "placeholder":
            return self.input
        if node.op == "get_attr":
            return operator.attrgetter(target)(self.root)
        if node.op == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        if node.op == "call_module":
            module = self.root.get_submodule(target)
            # An activation keeps the shape, and the code of a user's may need numbers. Hooks are nodes of their own.
            return args[0] if type(module) in self.rules else type(module).forward(module, *args, **kwargs)
        return target(*args, **kwargs)

    def traced(self, root: nn.Module) -> tuple[fx.Graph, dict[str, Any]]:
        """The graph, and the constants of the code, which a tracer leaves on the module."""
        before = set(vars(root))
        try:
            graph = self.trace(root)
            take_pieces(graph)
            take_extremes(graph)
            return graph, {name: value for name, value in vars(root).items() if name not in before}
        except NoRule:
            raise
        except Exception as error:
            # Values without numbers, which stand for tensors here, make code and hooks fail in many ways.
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
    if node.target is getattr:
        return f"the attribute {node.args[1]}"
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
