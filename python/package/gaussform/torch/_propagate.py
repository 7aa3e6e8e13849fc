"""Mean and covariance of a trained network's outputs, from noise of its inputs, of its weights, and of dropout.

The network is traced by torch.fx. Every value of the graph is taken for Normal, with a mean and a covariance for each row of the batch;
each layer gives the exact mean and covariance of its outputs from those of its inputs. Values that a residual sum or a concatenation brings together
are correlated: for a linear layer A the cross-covariance with another value w is A Cov(u, w), for an activation g it is E[g′(u)] Cov(u, w)
(Stein's lemma), and that of two activations of different branches is the exact Cov(g(u), h(w)). What is approximate is the assumption that sums of many units are Normal, and what `LinearizedWarning` and `ClarkWarning` name.

With `covariance="diagonal"` each unit has a variance alone, and units count as independent. That is cheap, and what
convolutions need, but variances are too small where units move together.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Union

import numpy as np
import torch
from torch import Tensor, fx, nn
from torch._dynamo import OptimizedModule
from torch.fx.node import map_aggregate, map_arg
from torch.nn import functional as F
from torch.nn.utils.parametrize import type_before_parametrizations

from .._function import derive
from .._pairs import covariance as covariance_of
from .._pairs import layer_covariance
from ._activations import AS_MODULES, CHANNELS_DROPPED, CONSTANTS, FUNCTIONS, MAX_POOLS, MODULES, NEAR, Activation, is_nondecreasing
from ._covariance import Linear, batched, bounded, checked, keeps_rows, rows, sandwich, squared_averages
from ._extremes import ALONG, EITHER, OF_TWO
from ._linear import ADDED, CONTRACTED, METHODS, OTHERS, PLACED, PLACING, QUOTIENTS, RESAMPLING, SCALED, SUMS
from ._maximum import ClarkWarning, bent, larger_units, largest, rectified
from ._memory import COPIES, VIEWS, Memory
from ._moments import moments
from ._noise import NoRule, WeightNoise
from ._normalization import Normalized
from ._trace import TRANSPOSED, Tracer, has_hooks, is_patched, named, plain, refreshed, where
from ._windows import MAXIMA, largest_count, levels, repeated, tables, whole

Covariance = Literal["auto", "full", "diagonal"]
#: A text, or a text with values of its parameters.
Text = Union[str, tuple[str, Mapping[str, float]]]
#: What modules of a class compute of each unit, or what a module does.
Rule = Union[Text, Callable[[Any], Text]]


class LinearizedWarning(UserWarning):
    """A layer was replaced by its linearisation around the mean."""


class Propagated(NamedTuple):
    """Mean (batch, …) and covariance (batch, n, n) of the outputs; in diagonal mode the variance, of the shape of the mean."""

    mean: Tensor
    covariance: Tensor


_CONVOLUTIONS: dict[type[nn.Module], Any] = {nn.Conv1d: F.conv1d, nn.Conv2d: F.conv2d, nn.Conv3d: F.conv3d}
_TRANSPOSED: dict[type[nn.Module], Any] = {
    nn.ConvTranspose1d: F.conv_transpose1d,
    nn.ConvTranspose2d: F.conv_transpose2d,
    nn.ConvTranspose3d: F.conv_transpose3d,
}
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
#: The axes of their inputs, with the batch.
_INSTANCES: dict[type[nn.Module], int] = {nn.InstanceNorm1d: 3, nn.InstanceNorm2d: 4, nn.InstanceNorm3d: 5}
#: Dropout of whole channels, and the axes of its inputs with the batch.
_CHANNELS: dict[type[nn.Module], int] = {nn.Dropout1d: 3, nn.Dropout2d: 4, nn.Dropout3d: 5}
_AVERAGES: dict[type[nn.Module], int] = {
    nn.AvgPool1d: 1,
    nn.AvgPool2d: 2,
    nn.AvgPool3d: 3,
    nn.AdaptiveAvgPool1d: 1,
    nn.AdaptiveAvgPool2d: 2,
    nn.AdaptiveAvgPool3d: 3,
}


class _Value:
    """A value of the graph: its mean, and in full mode its covariance (batch, n, n), else its variance."""

    def __init__(self, mean: Tensor, spread: Tensor) -> None:
        self.mean = mean
        self.spread = spread

    @property
    def units(self) -> torch.Size:
        return self.mean.shape[1:]


def propagate(
    net: nn.Module,
    mean: Tensor,
    variance: Tensor | float = 0.0,
    *,
    covariance: Covariance = "auto",
    weight_variance: float | Mapping[str, Tensor] = 0.0,
    dropout: bool = False,
    rules: Mapping[type[nn.Module], Rule] | None = None,
) -> Propagated:
    """Mean and covariance of a network's outputs.

    `mean` (batch, …) are the inputs. `variance` is the noise of each (a number, or what broadcasts to the shape of `mean`), or in full mode
    covariances (batch, n, n). `weight_variance` is the variance of each weight relative to its square, or a mapping from names of
    parameters to tensors of variances; weights are independent, and one that several layers share is refused. With `dropout`,
    dropout layers add the variance that they have in training; the network is traced in evaluation mode all the same. `rules` gives the
    activations of further modules by their class, as texts or with values of parameters:
    `{Square: "x^2", Slope: lambda module: ("f(x; a) = a*|x|", {"a": module.a.item()})}`.

    The maximum of two units is exact; a window of more takes the maxima of pairs for Normal, and warns (`ClarkWarning`).

    "auto" takes full covariances unless the network has convolutions. A layer without a rule raises `NoRule` with its name. Forward hooks count as code of the
    network, and a compiled network is taken as the one that was compiled, one of `DataParallel` as the one inside.
    """
    if not isinstance(net, nn.Module):
        raise TypeError(f"the network is of the type {type(net).__qualname__}; a torch.nn.Module is wanted")
    for name, module in net.named_modules():
        if isinstance(module, torch.jit.ScriptModule):
            raise NoRule(f"{name + ': ' if name else ''}torch.fx cannot trace a ScriptModule; the module that it was made of can be traced")
    noise = WeightNoise(net, weight_variance)
    if isinstance(net, OptimizedModule) and not has_hooks(net):
        net = net._orig_mod
    if isinstance(net, (nn.DataParallel, nn.parallel.DistributedDataParallel)) and not has_hooks(net):
        net = net.module
    with torch.no_grad(), _evaluating(net), refreshed(net) as weights:
        mean = _checked(mean)
        tracer = Tracer(rules or {}, mean)
        for name, module in weights:
            if not tracer.is_whole(module, name):
                noise.check(name or "the network", module.parameters(recurse=False))
        # A single layer is a network too, and the tracer passes over the hooks of the root and a `forward` of its own.
        root = nn.Sequential(net) if tracer.is_whole(net, "") or has_hooks(net) or is_patched(net) else net
        graph, constants = tracer.traced(root)
        return _Run(root, graph, constants, covariance, noise, dropout, rules or {}).run(mean, variance)


@contextmanager
def _evaluating(net: nn.Module) -> Iterator[None]:
    """Every module in evaluation mode, and then in its own again."""
    modes = {module: module.training for module in net.modules()}
    try:
        for module in modes:
            module.training = False
        yield
    finally:
        for module, mode in modes.items():
            module.training = mode


def _checked(mean: Tensor) -> Tensor:
    """The inputs (batch, …), or an exception that says what they lack."""
    if not isinstance(mean, Tensor):
        raise TypeError(f"the inputs are of the type {type(mean).__qualname__}; a tensor is wanted, which torch.as_tensor makes of arrays")
    if not mean.is_floating_point():
        raise TypeError(f"the inputs have the type {mean.dtype}; floating numbers are wanted")
    if mean.dim() < 2:
        raise ValueError(f"the inputs have the shape {tuple(mean.shape)}; (batch, …) is wanted, and inputs.unsqueeze(0) is a batch of one")
    return mean.detach()


class _Run:
    def __init__(
        self,
        net: nn.Module,
        graph: fx.Graph,
        constants: Mapping[str, Any],
        covariance: Covariance,
        noise: WeightNoise,
        dropout: bool,
        rules: Mapping[type[nn.Module], Rule],
    ) -> None:
        if covariance not in ("auto", "full", "diagonal"):
            raise ValueError(f'covariance is {covariance!r}; "auto", "full" or "diagonal" is wanted')
        self.net = net
        self.graph = graph
        self.constants = constants
        has_convolutions = any(isinstance(module, tuple(_CONVOLUTIONS)) for module in net.modules())
        self.is_full = covariance == "full" or (covariance == "auto" and not has_convolutions)
        self.noise = noise
        self.dropout = dropout
        self.rules = {**MODULES, **rules}
        self.env: dict[fx.Node, Any] = {}
        #: Cross-covariances of values that are still used: (batch, n, m) for a pair of nodes.
        self.cross: dict[tuple[fx.Node, fx.Node], Tensor] = {}
        self.node: fx.Node | None = None
        self.memory = Memory(net, graph)
        self.maximum_first()
        self.order, self.beside = self.branches()

    def run(self, mean: Tensor, variance: Tensor | float) -> Propagated:
        inputs = [node for node in self.graph.nodes if node.op == "placeholder"]
        if len(inputs) != 1:
            raise NoRule(f"the network has {len(inputs)} inputs; one is wanted")
        last_use = {used: place for place, node in enumerate(self.order) for used in node.all_input_nodes}
        for place, node in enumerate(self.order):
            for other in self.beside.get(node, ()):
                (before,) = other.all_input_nodes
                last_use[before] = max(last_use[before], place)
        over: list[list[fx.Node]] = [[] for _ in self.order]
        for used, place in last_use.items():
            over[place].append(used)
        unused = self.unused()
        for node, done in zip(self.order, over):
            self.node = node
            if node in unused:
                pass
            elif node.op == "placeholder":
                self.env[node] = self.start(mean, variance)
            elif node.op == "output":
                result = self.env[node.args[0]] if isinstance(node.args[0], fx.Node) else None
                if not isinstance(result, _Value):
                    raise NoRule("the network gives something other than one tensor")
                spread = result.spread.to(result.mean.dtype)
                if self.is_full:
                    # Covariances of rank less than n have variances that rounding may make negative.
                    variances = torch.diagonal(spread, dim1=1, dim2=2)
                    spread = spread + torch.diag_embed(variances.clamp(min=0) - variances)
                return Propagated(result.mean, spread)
            else:
                value = self.memory.changed(node)
                if value is not None and isinstance(self.env.get(value), _Value) and self.memory.is_lost(node):
                    raise NoRule(
                        f"{where(node)}{named(node)} works in place on a value that is used again, perhaps by a view of it; one that gives a "
                        "new value has a rule"
                    )
                self.env[node] = self.step(node)
            for used in done:
                self.forget(used)
        raise NoRule("the network gives nothing")

    def branches(self) -> tuple[list[fx.Node], dict[fx.Node, list[fx.Node]]]:
        """An order of the nodes, and for an activation the earlier ones that are still used after it and not by it, with full covariances.

        Activations behind equally many others come before what is computed of any of them: then two of them meet while both are there, and not a sum that
        one has gone into. What both are computed of counts as Normal together.
        """
        nodes, level = list(self.graph.nodes), dict.fromkeys(self.graph.nodes, 0)
        if not self.is_full:
            return nodes, {}
        activations = {node for node in nodes if self.activation_of(node) is not None}
        ancestors: dict[fx.Node, set[fx.Node]] = {}
        for node in nodes:
            before = node.all_input_nodes
            level[node] = max((level[used] + (used in activations) for used in before), default=0)
            ancestors[node] = set(before).union(*(ancestors[used] for used in before)) & activations
        *inner, last = nodes
        order = [*sorted(inner, key=lambda node: level[node]), last]
        last_use = {used: place for place, node in enumerate(order) for used in node.all_input_nodes}
        beside: dict[fx.Node, list[fx.Node]] = {}
        for place, node in enumerate(order):
            if node in activations:
                beside[node] = [other for other in beside if last_use.get(other, 0) >= place and other not in ancestors[node]]
        return order, beside

    def unused(self) -> set[fx.Node]:
        """Values that the outputs do not depend on, such as those that a hook looks at, or of which the shape alone was asked: they need no rule."""
        found: set[fx.Node] = set()
        for node in reversed(self.graph.nodes):
            changes = self.memory.changed(node) is not None or "out" in node.kwargs
            if node.op not in ("placeholder", "output") and not changes and all(user in found for user in node.users):
                found.add(node)
        return found

    def forget(self, node: fx.Node) -> None:
        self.env.pop(node, None)
        for pair in [pair for pair in self.cross if node in pair]:
            del self.cross[pair]

    def start(self, mean: Tensor, variance: Tensor | float) -> _Value:
        batch, n = mean.shape[0], math.prod(mean.shape[1:])
        try:
            given = variance.detach() if isinstance(variance, Tensor) else torch.as_tensor(variance, dtype=torch.float64)
            given = given.to(mean.device)
        except (TypeError, ValueError, RuntimeError):
            given = None
        if given is None or given.is_complex():
            raise TypeError(f"the variance is of the type {type(variance).__qualname__}; a real number or a tensor is wanted")
        eps = max(torch.finfo(kind).eps for kind in (mean.dtype, given.dtype) if kind.is_floating_point)
        is_matrix = self.is_full and given.shape == (batch, n, n) != mean.shape
        variances = torch.diagonal(given, dim1=1, dim2=2) if is_matrix else given
        if not bool(((variances >= 0) & (variances < math.inf)).all()):
            raise ValueError("a variance of the inputs is negative, infinite or not a number")
        if not self.is_full:
            return _Value(mean, self.broadcast(given.to(mean.dtype), mean))
        if is_matrix:
            return _Value(mean, checked(given.double(), eps))
        return _Value(mean, torch.diag_embed(self.broadcast(given.double(), mean).reshape(batch, n)))

    def broadcast(self, variance: Tensor, mean: Tensor) -> Tensor:
        """A variance for each unit."""
        try:
            return variance.expand(mean.shape)
        except RuntimeError:
            n = math.prod(mean.shape[1:])
            matrices = (
                f"covariances of the shape {(len(mean), n, n)}"
                if self.is_full
                else 'with covariance="full" a covariance matrix for each row'
            )
            raise ValueError(
                f"the variance has the shape {tuple(variance.shape)}; a number, what broadcasts to {tuple(mean.shape)}, or {matrices} is wanted"
            ) from None

    # One node of the graph.

    def step(self, node: fx.Node) -> Any:
        args: Any = map_arg(node.args, lambda n: self.env[n])
        kwargs: Any = map_arg(node.kwargs, lambda n: self.env[n])
        values = [value for value in _flat(args, kwargs) if isinstance(value, _Value)]
        if node.op == "get_attr":
            found = self.attribute(str(node.target))
            self.noise.check(str(node.target), [found], has_rule=False)
            return found
        if not values:
            target: Any = getattr(args[0], str(node.target)) if node.op == "call_method" else node.target
            if node.op == "call_module":
                target = self.net.get_submodule(str(node.target)).forward
            return target(*(args[1:] if node.op == "call_method" else args), **kwargs)
        if node.op == "call_module":
            layer = self.net.get_submodule(str(node.target))
            if len(args) + len(kwargs) != 1:
                raise self.no_rule(f"{type(layer).__name__} of {len(args) + len(kwargs)} arguments")
            result = self.module(layer, values[0])
            self.noise.check(str(node.target), layer.parameters())
            return result
        if not args and "input" in kwargs:
            kwargs = dict(kwargs)
            args = (kwargs.pop("input"),)
        return self.function(node, args, kwargs)

    def attribute(self, path: str) -> Any:
        if path in self.constants:
            return self.constants[path]
        found: Any = self.net
        for name in path.split("."):
            found = getattr(found, name)
        return found

    def known(self, layer: Any) -> Activation | None:
        """The activation that a module is."""
        if type(layer) not in self.rules:
            return None
        rule = self.rules[type(layer)]
        found = rule(layer) if callable(rule) else rule
        return Activation(found) if isinstance(found, str) else Activation(*found)

    def activation_of(self, node: fx.Node) -> Activation | None:
        """The activation that a node computes of its only value."""
        if len(node.all_input_nodes) != 1:
            return None
        if node.op == "call_module":
            layer = self.net.get_submodule(str(node.target))
            if type(layer) is nn.PReLU and type(layer) not in self.rules and layer.weight.numel() == 1:
                return Activation("prelu", {"slope": layer.weight.item()})
            return self.known(layer)
        target, rest = plain(node.target), node.args[1:]
        kwargs = {name: value for name, value in node.kwargs.items() if node.args or name != "input"}
        if node.op == "call_method":
            target = getattr(torch, str(target), None)
        if target in AS_MODULES:
            return self.known(AS_MODULES[target](*rest, **kwargs))
        return FUNCTIONS[target](*rest, **kwargs) if target in FUNCTIONS else None

    def maximum_first(self) -> None:
        """Takes maxima before an activation that falls nowhere, where they follow it: the network is the same, and what they are taken of is nearer to Normal."""
        for node in list(self.graph.nodes):
            is_pool = node.op == "call_module" and type(self.net.get_submodule(str(node.target))) in MAXIMA
            if not (is_pool or (node.op == "call_function" and (node.target in MAX_POOLS or node.target in ALONG))):
                continue
            before = node.all_input_nodes[0] if len(node.all_input_nodes) == 1 else node
            while before.op in ("call_module", "call_function", "call_method") and len(before.users) == 1 and before is not node:
                activation = self.activation_of(before)
                if activation is None or not is_nondecreasing(activation):
                    break
                (value,) = before.all_input_nodes
                node.replace_all_uses_with(before)
                node.replace_input_with(before, value)
                before.replace_input_with(value, node)
                node.append(before)
                before = value

    def module(self, layer: Any, x: _Value) -> _Value:
        # Parametrized weights (`weight_norm`) make a class of their own.
        kind = type_before_parametrizations(layer)
        known = self.known(layer)
        if known is not None:
            return self.activation(x, known)
        if kind is nn.PReLU:
            return self.prelu(x, layer.weight)
        if isinstance(layer, nn.Linear):
            return self.weighted(layer, x, F.linear, is_shared=len(x.units) > 1)
        if kind in _CONVOLUTIONS:
            if x.mean.dim() != layer.weight.dim():
                raise self.no_rule("a convolution of inputs without a batch")

            def convolved(t: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
                padding = layer.padding
                if layer.padding_mode != "zeros":
                    t, padding = F.pad(t, layer._reversed_padding_repeated_twice, layer.padding_mode), 0
                result: Tensor = _CONVOLUTIONS[kind](t, w, b, layer.stride, padding, layer.dilation, layer.groups)
                return result

            return self.weighted(layer, x, convolved, True, self.merged if layer.padding_mode != "zeros" else None)
        if isinstance(layer, _NORMS):
            layer._check_input_dim(x.mean)
            return self.batch_norm(x, layer.running_mean, layer.running_var, layer.weight, layer.bias, False, 0.1, layer.eps)
        if kind in _INSTANCES:
            if x.mean.dim() != _INSTANCES[kind]:
                raise self.no_rule(f"{kind.__name__} of inputs without a batch")
            is_own = not layer.track_running_stats
            return self.instance_norm(x, layer.running_mean, layer.running_var, layer.weight, layer.bias, is_own, eps=layer.eps)
        if isinstance(layer, nn.GroupNorm):
            return self.group_norm(x, layer.num_groups, layer.weight, layer.bias, layer.eps)
        if isinstance(layer, nn.LayerNorm):
            return self.layer_norm(x, layer.normalized_shape, layer.weight, layer.bias, layer.eps)
        if isinstance(layer, nn.RMSNorm):
            return self.rms_norm(x, layer.normalized_shape, layer.weight, layer.eps)
        if kind in _AVERAGES:
            return self.averaged(x, layer)
        if kind in MAXIMA:
            return self.max_pool(x, layer)
        if isinstance(layer, nn.Flatten):
            return self.moved(x, layer.forward)
        if kind in PLACING or kind in RESAMPLING:
            return self.mixed(layer.forward, (x,), {}, _placed if kind in PLACING or layer.mode.startswith("nearest") else _by_columns)
        if kind in _TRANSPOSED and layer.padding_mode == "zeros" and x.mean.dim() == layer.weight.dim():
            other = (layer.stride, layer.padding, layer.output_padding, layer.groups, layer.dilation)
            return self.weighted(layer, x, lambda t, w, b=None: _TRANSPOSED[kind](t, w, b, *other), is_shared=True)
        if kind is nn.Dropout:
            return self.dropped(x, layer.p)
        if kind in _CHANNELS:
            return self.dropped_channels(x, layer.p, _CHANNELS[kind])
        if kind is nn.Identity or (isinstance(layer, nn.modules.dropout._DropoutNd) and not self.dropout):
            return self.moved(x, lambda t: t)
        own = kind.__module__.startswith("torch.nn.modules.")
        raise self.no_rule(kind.__name__ if own else f"{kind.__module__}.{kind.__qualname__}")

    def function(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target: Any = plain(node.target)
        first: Any = args[0] if args else None
        if node.op == "call_method":
            if target in ("new_zeros", "new_ones", "new_full", "new_tensor"):
                return getattr(first.mean, target)(*args[1:], **kwargs)
            if target in VIEWS or target in COPIES:
                return self.moved(first, lambda t: getattr(t, target)(*args[1:], **kwargs))
            if target in METHODS:
                method = target
                return self.mixed(lambda t, *rest, **more: getattr(t, method)(*rest, **more), args, kwargs, _placed)
            target = getattr(torch, target, target)
        if target in AS_MODULES and isinstance(first, _Value):
            return self.module(AS_MODULES[target](*args[1:], **kwargs), first)
        if target in FUNCTIONS and isinstance(first, _Value):
            found = FUNCTIONS[target](*args[1:], **kwargs)
            if found is not None:
                return self.activation(first, found)
        if target in EITHER and len(args) + len(kwargs) > 1 and not isinstance(args[1] if len(args) > 1 else kwargs.get("other"), (_Value, Tensor)):
            raise self.no_rule("places of extreme elements")
        if target in OF_TWO or (target in EITHER and len(args) + len(kwargs) > 1):
            return self.extreme_of_two({**ALONG, **OF_TWO, **EITHER}[target], *args, **kwargs)
        if target in ALONG or target in EITHER:
            return self.extreme(first, ALONG.get(target, EITHER.get(target, 1)), *args[1:], **kwargs)
        if target is getattr and args[1] in TRANSPOSED:
            return self.mixed(getattr, args, kwargs, _placed)
        factors = args[1:] if target in ADDED else (args, kwargs)
        varying = [value for value in _flat(factors) if isinstance(value, _Value)]
        if target in QUOTIENTS and not (len(varying) == 1 and isinstance(first, _Value)):
            raise self.no_rule("a quotient by a value that varies")
        if target in SCALED and len(varying) == 2:
            return self.product(*varying)
        if (target in CONTRACTED or target in ADDED) and len(varying) > 1:
            raise self.no_rule(f"{named(node)} of two values that vary")
        for known, squares in ((PLACED, _placed), (SUMS, _scaled), (SCALED, _scaled), (CONTRACTED, _contracted), (ADDED | OTHERS, _by_columns)):
            if target in known:
                is_nearest = target is F.interpolate and str(kwargs.get("mode", "nearest")).startswith("nearest")
                return self.mixed(target, args, kwargs, _placed if is_nearest else squares)
        if target in (operator.neg, torch.neg):
            return self.linear(first, -first.mean, lambda t: -t, lambda v: v)
        if target is F.prelu and isinstance(first, _Value):
            return self.prelu(first, *args[1:], **kwargs)
        normalize: Any = {
            F.layer_norm: self.layer_norm,
            F.rms_norm: self.rms_norm,
            F.group_norm: self.group_norm,
            F.instance_norm: self.instance_norm,
            F.batch_norm: self.batch_norm,
        }.get(target)
        if normalize is not None and isinstance(first, _Value):
            return normalize(first, *args[1:], **kwargs)
        if target in CONSTANTS:
            return target(first.mean, *args[1:], **kwargs)
        if target in CHANNELS_DROPPED:
            return self.module(CHANNELS_DROPPED[target](kwargs.get("p", args[1] if len(args) > 1 else 0.5)), first)
        if target is F.dropout:
            return self.dropped(first, kwargs.get("p", args[1] if len(args) > 1 else 0.5))
        if target in VIEWS or target in COPIES:
            return self.moved(first, lambda t: target(t, *args[1:], **kwargs))
        # Functions of PyTorch hand on all of their arguments by name.
        asked = "".join(f" with {name}=" for name in kwargs) if target in FUNCTIONS else ""
        raise self.no_rule(f"{named(node)}{asked}")

    @property
    def called(self) -> str:
        """The name of what the node calls."""
        return "a function" if self.node is None else named(self.node)

    def no_rule(self, what: str) -> NoRule:
        near = next((f"; rules={{nn.{kind.__name__}: {text}}} takes a function near it" for kind, text in NEAR.items() if kind.__name__ == what), "")
        known = ", ".join(sorted(kind.__name__ for kind in self.rules))
        return NoRule(
            f"{where(self.node)}no rule for {what}{near}; there are rules for Linear, convolutions, normalisations, pools, Flatten, Dropout, "
            f"sums, products, concatenations and parts, maxima, pads, PReLU, {known}, and those of `rules`"
        )

    # Rules.

    def result(self, mean: Tensor, spread: Tensor, parts: list[tuple[fx.Node, Linear]]) -> _Value:
        """A value with its cross-covariances; `parts` are the linear maps that it moves by with each of its inputs."""
        if self.is_full and self.node is not None:
            for other, value in list(self.env.items()):
                if isinstance(value, _Value):
                    self.cross[self.node, other] = sum(
                        (rows(part, self.between(node, other), self.env[node].units) for node, part in parts[1:]),
                        rows(parts[0][1], self.between(parts[0][0], other), self.env[parts[0][0]].units),
                    )
        return _Value(mean, spread)

    def between(self, a: fx.Node, b: fx.Node) -> Tensor:
        """Cov(a, b), (batch, n, m)."""
        if a is b:
            spread: Tensor = self.env[a].spread
            return spread
        return self.cross[a, b] if (a, b) in self.cross else self.cross[b, a].transpose(1, 2)

    def origin(self, value: _Value) -> fx.Node:
        """The node that a value belongs to."""
        return next(node for node, known in self.env.items() if known is value)

    def linear(self, x: _Value, mean: Tensor, apply: Linear, diagonal: Callable[[Tensor], Tensor]) -> _Value:
        """A linear layer; `apply` and `diagonal` take (…, *units), the second with squared coefficients."""
        if not self.is_full:
            return _Value(mean, diagonal(x.spread))
        part = batched(apply)
        return self.result(mean, sandwich(part, x.spread, x.units), [(self.origin(x), part)])

    def moved(self, x: _Value, move: Callable[[Tensor], Tensor]) -> _Value:
        """Elements that move, or are summed: the layer takes (batch, *units) and keeps the batch."""
        mean = move(x.mean)
        if not keeps_rows(move, x.mean):
            raise self.no_rule(f"{self.called} that changes the batch")
        if not self.is_full:
            n, m = math.prod(x.units), math.prod(mean.shape[1:])
            if n != m:
                return self.sparse(x, mean, move)
            return _Value(mean, move(x.spread))
        # A reshape names the size of the batch, so each row of a covariance is moved as a batch of its own.
        each = torch.vmap(move, in_dims=1, out_dims=0)
        part: Linear = lambda vectors: each(vectors).movedim(0, 1)  # noqa: E731
        return self.result(mean, sandwich(part, x.spread, x.units), [(self.origin(x), part)])

    def sparse(self, x: _Value, mean: Tensor, move: Callable[[Tensor], Tensor]) -> _Value:
        """Sums or averages of independent units: the squares of the coefficients, which are the derivatives in each unit."""
        ones = x.mean.new_ones(1, *x.units)
        weights = torch.autograd.functional.jacobian(lambda t: move(t)[0], ones, vectorize=True)
        squares = weights.reshape(math.prod(mean.shape[1:]), -1) ** 2
        spread = as_rows(x.spread) @ squares.T
        return _Value(mean, spread.reshape(mean.shape))

    def averaged(self, x: _Value, layer: nn.Module) -> _Value:
        """An average pool; in diagonal mode by the squares of its coefficients, which are products over the axes."""
        # Hooks of the layer are nodes of the graph.
        mean = layer.forward(x.mean)
        if self.is_full:
            return self.linear(x, mean, layer.forward, lambda v: v)
        count, spread = _AVERAGES[type(layer)], x.spread
        for axis, matrix in enumerate(squared_averages(layer, tuple(x.mean.shape[-count:])), start=-count):
            spread = (spread.movedim(axis, -1) @ matrix.to(spread)).movedim(-1, axis)
        return _Value(mean, spread)

    def max_pool(self, x: _Value, layer: Any) -> _Value:
        count, name = MAXIMA[type(layer)], type(layer).__name__
        if layer.return_indices:
            raise self.no_rule(f"{name} with return_indices")
        if x.mean.dim() not in (count + 1, count + 2):
            raise self.no_rule(f"{name} of inputs with {x.mean.dim()} axes")
        axes = range(x.mean.dim() - count, x.mean.dim())
        return self.extremes(x, dict(zip(axes, tables(layer, tuple(x.mean.shape[-count:])))), name)

    def extreme(self, x: _Value, sign: int, dim: Any = (), keepdim: bool = False) -> _Value:
        """The largest (`sign` 1) or the smallest (−1) element along axes."""
        dims = (dim,) if isinstance(dim, int) else tuple(dim)
        axes = sorted({axis % x.mean.dim() for axis in dims})
        if not axes or axes[0] == 0:
            raise self.no_rule(f"{self.called} that changes the batch")
        shape = [1 if axis in axes else size for axis, size in enumerate(x.mean.shape) if keepdim or axis not in axes]
        name = "a maximum" if sign > 0 else "a minimum"
        return self.extremes(x, {axis: whole(x.mean.shape[axis]) for axis in axes}, name, sign, shape)

    def extreme_of_two(self, sign: int, input: Any, other: Any) -> _Value:
        """The larger (`sign` 1) or the smaller (−1) of two values, or of a value and a constant, element by element."""
        shape = torch.broadcast_shapes(*(part.mean.shape if isinstance(part, _Value) else part.shape for part in (input, other)))
        both = self.side_by_side(input, other, shape)
        n = both.mean.shape[1] // 2
        first, second = torch.arange(n, device=both.mean.device), torch.arange(n, 2 * n, device=both.mean.device)
        result = self.larger(both, [(first, second)], sign)
        result.mean = result.mean.reshape(shape)
        result.spread = result.spread if self.is_full else result.spread.reshape(shape)
        return result

    def product(self, a: _Value, b: _Value) -> _Value:
        """The product of two values, element by element: E[u w] = E[u] E[w] + Cov(u, w), and its covariances for Normal u and w (Isserlis)."""
        if a is b and not self.is_full:
            return self.activation(a, Activation("x^2"))
        shape = torch.broadcast_shapes(a.mean.shape, b.mean.shape)
        both = self.side_by_side(a, b, shape)
        n = both.mean.shape[1] // 2
        u, w = both.mean[:, :n].double(), both.mean[:, n:].double()
        if not self.is_full:
            v, t = both.spread[:, :n].double(), both.spread[:, n:].double()
            spread = u**2 * t + w**2 * v + v * t
            return _Value((u * w).reshape(shape).to(both.mean), spread.reshape(shape).to(both.mean))

        def part(vectors: Tensor) -> Tensor:
            return w[:, None] * vectors[..., :n] + u[:, None] * vectors[..., n:]

        first, second, mixed = both.spread[:, :n, :n], both.spread[:, n:, n:], both.spread[:, :n, n:]
        spread = sandwich(part, both.spread, both.units) + first * second + mixed * mixed.mT
        result = self.result((u * w + torch.diagonal(mixed, dim1=1, dim2=2)).to(both.mean), spread, [(self.origin(both), part)])
        return _Value(result.mean.reshape(shape), result.spread)

    def side_by_side(self, a: Any, b: Any, shape: Sequence[int]) -> _Value:
        """The units of two values, or of a value and a constant, that broadcast to a shape: those of the first, then those of the second."""

        def placed(a: Tensor, b: Tensor) -> Tensor:
            return torch.cat([as_rows(a.expand(shape)), as_rows(b.expand(shape))], 1)

        both = self.mixed(placed, (a, b), {}, _placed)
        if self.node is not None:
            self.env[self.node] = both
        return both

    def extremes(self, x: _Value, windows: Mapping[int, Tensor], name: str, sign: int = 1, shape: Sequence[int] | None = None) -> _Value:
        """The extreme element of each window, given as a table of places for each axis, over balanced trees along one axis after the other."""
        if math.prod(largest_count(table) for table in windows.values()) > 2:
            text = f"{where(self.node)}{name} of more than two units takes maxima of pairs for Normal (Clark's approximation)"
            warnings.warn(text, ClarkWarning, stacklevel=2)
        if not all(bool((table >= 0).any(1).all()) for table in windows.values()):
            raise self.no_rule(f"{name} with a window that holds nothing but padding")
        trees, sizes = levels(x.units, {axis - 1: table for axis, table in windows.items()}, x.mean.device)
        result = self.larger(x, trees, sign)
        shape = (len(x.mean), *sizes) if shape is None else shape
        return _Value(result.mean.reshape(shape), result.spread if self.is_full else result.spread.reshape(shape))

    def larger(self, x: _Value, trees: Sequence[tuple[Tensor, Tensor]], sign: int) -> _Value:
        """The larger (`sign` 1) or the smaller (−1) of pairs of units, level by level, without the shape of the units."""
        if not self.is_full:
            wide = torch.promote_types(x.mean.dtype, torch.float32)
            mean, variance = largest(sign * as_rows(x.mean).to(wide), as_rows(x.spread).to(wide), trees)
            return _Value((sign * mean).to(x.mean), variance.to(x.mean))
        mean, spread, steps = sign * as_rows(x.mean).double(), x.spread, []
        for first, second in trees:
            mean, spread, step = larger_units(mean, spread, first, second)
            steps.append(step)

        def part(vectors: Tensor) -> Tensor:
            vectors = vectors.flatten(2)
            for step in steps:
                vectors = step(vectors)
            return vectors

        return self.result((sign * mean).to(x.mean), spread, [(self.origin(x), part)])

    def weighted(
        self, layer: Any, x: _Value, apply: Callable[..., Tensor], is_shared: bool, merge: Callable[[Any, Tensor, Tensor], Tensor] | None = None
    ) -> _Value:
        """A layer with weights, of which Cov A C Aᵀ is that of its mean weights; `apply` takes the weights and the bias behind the tensor.

        `merge` mends the variances that the squares of weights give.
        """
        weight = layer.weight
        mean = apply(x.mean, weight, layer.bias)
        if self.is_full:
            wide = weight.double()
            result = self.linear(x, mean, lambda t: apply(t, wide), lambda v: v)
        else:
            spread = apply(x.spread, weight**2)
            result = _Value(mean, spread if merge is None else merge(layer, x.spread, spread))
        trailing = 0 if isinstance(layer, nn.Linear) else mean.dim() - 2
        return self.noisy(result, layer.weight, layer.bias, lambda noise: apply(x.mean**2 + self.variance(x), noise), trailing, is_shared)

    def merged(self, layer: Any, variance: Tensor, spread: Tensor) -> Tensor:
        """Variances after a convolution whose padding copies units: the weights of a unit that a window reads more than once are added before they are squared."""
        numbers, reads = repeated(layer, variance.shape[2:])
        if not len(numbers):
            return spread
        groups, weight, units = layer.groups, layer.weight.double().flatten(2), variance.double().flatten(2)
        flat = spread.flatten(2).clone()
        size = max(1, _ROOM // max(1, reads.shape[1] * max(weight[..., 0].numel(), units[..., 0].numel())))
        for number, read in zip(numbers.to(flat.device).split(size), reads.to(flat.device).split(size)):
            same = read[:, :, None] == read[:, None]
            is_first = ~same.tril(-1).any(2)
            total = torch.einsum("ocl,qkl->ocqk", weight, (same & is_first[:, :, None]).double()) ** 2
            read_units = units[:, :, read].unflatten(1, (groups, -1))
            flat[:, :, number] = torch.einsum("gocqk,bgcqk->bgoq", total.unflatten(0, (groups, -1)), read_units).flatten(1, 2).to(flat)
        return flat.reshape(spread.shape)

    def noisy(
        self, result: _Value, weight: Tensor | None, bias: Tensor | None, apply: Callable[[Tensor], Tensor], trailing: int, is_shared: bool
    ) -> _Value:
        """Noise of a layer's weights added to the variance of each output: Σᵢ σᵢ² E[xᵢ²], which `apply` gives, and that of the bias.

        `trailing` axes follow the one of the bias. Weights that several outputs share make them correlated.
        """
        variance, shift = self.noise.take(weight), self.noise.take(bias)
        if variance is None and shift is None:
            return result
        if self.is_full and is_shared:
            raise self.no_rule("noise of weights that are shared between places, with full covariances")
        added = torch.zeros_like(result.mean)
        if variance is not None:
            added = added + apply(variance.to(added))
        if shift is not None:
            added = added + shift.to(added).reshape(*shift.shape, *[1] * trailing)
        # The cross-covariances of the result stay: the noise is independent of every other value.
        result.spread = result.spread + (torch.diag_embed(as_rows(added).double()) if self.is_full else added)
        return result

    def variance(self, x: _Value) -> Tensor:
        """Variances of the units, of the shape and the type of the mean."""
        variance = torch.diagonal(x.spread, dim1=1, dim2=2).reshape(x.mean.shape) if self.is_full else x.spread
        return variance.to(x.mean.dtype)

    def batch_norm(
        self,
        x: _Value,
        running_mean: Tensor | None,
        running_var: Tensor | None,
        weight: Tensor | None = None,
        bias: Tensor | None = None,
        training: bool = False,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> _Value:
        if training or running_mean is None or running_var is None:
            raise self.no_rule("batch normalisation without running statistics")
        trailing = [1] * (x.mean.dim() - 2)
        root = torch.sqrt(running_var + eps).reshape(-1, *trailing)
        centre = running_mean.reshape(-1, *trailing)
        scale = 1 / root if weight is None else weight.reshape(-1, *trailing) / root
        mean = F.batch_norm(x.mean, running_mean, running_var, weight, bias, False, momentum, eps)

        def normalized(noise: Tensor) -> Tensor:
            second: Tensor = ((x.mean - centre) ** 2 + self.variance(x)) / root**2
            return noise.reshape(-1, *trailing) * second

        result = self.linear(x, mean, lambda t: t * scale, lambda v: v * scale**2)
        return self.noisy(result, weight, bias, normalized, len(trailing), is_shared=len(x.units) > 1)

    def dropped(self, x: _Value, p: float) -> _Value:
        if not self.dropout or p == 0:
            return self.moved(x, lambda t: t)
        if p == 1:
            # Nothing is left.
            return self.linear(x, torch.zeros_like(x.mean), lambda t: 0 * t, lambda v: 0 * v)
        share = p / (1 - p)
        if not self.is_full:
            return _Value(x.mean, x.spread + share * (x.spread + x.mean**2))
        variance = torch.diagonal(x.spread, dim1=1, dim2=2)
        added = share * (variance + x.mean.reshape(variance.shape).double() ** 2)
        return self.result(x.mean, x.spread + torch.diag_embed(added), [(self.origin(x), lambda t: t)])

    def dropped_channels(self, x: _Value, p: float, axes: int) -> _Value:
        """What is dropped together stays correlated: E[m²] = 1/(1 − p) for both of two units of a channel."""
        if not self.dropout or p in (0, 1) or not self.is_full:
            return self.dropped(x, p)
        if x.mean.dim() != axes:
            raise self.no_rule("dropout of channels of inputs without a batch")
        mean = as_rows(x.mean).double()
        channel = torch.arange(mean.shape[1], device=mean.device) // max(1, math.prod(x.units[1:]))
        added = p / (1 - p) * (x.spread + mean[:, :, None] * mean[:, None]) * (channel[:, None] == channel)
        return self.result(x.mean, x.spread + added, [(self.origin(x), lambda t: t)])

    def activation(self, x: _Value, activation: Activation) -> _Value:
        function, parameters = derive(activation.text), dict(activation.parameters)
        if not self.is_full:
            # NumPy has no bfloat16.
            wide = torch.promote_types(x.mean.dtype, torch.float32)
            gamma, xi2 = (part.to(wide).cpu().contiguous().numpy() for part in (x.mean, x.spread))
            return _Value(*(torch.from_numpy(np.asarray(part)).to(x.mean) for part in function.moments(gamma, xi2, parameters=parameters)))
        gamma = as_rows(x.mean).double().cpu().numpy()
        cov = x.spread.cpu().numpy()
        variance = np.maximum(np.diagonal(cov, axis1=1, axis2=2), 0.0)
        grad = function.moments_grad(gamma, np.ascontiguousarray(variance), parameters=parameters)
        full = torch.from_numpy(layer_covariance(function, gamma, bounded(cov), parameters=parameters)).to(x.mean.device)
        mean = torch.from_numpy(grad.mean).to(x.mean).reshape(x.mean.shape)
        slope = torch.from_numpy(grad.dmean_dgamma).to(x.mean.device).reshape(x.mean.shape).unsqueeze(1)
        result = self.result(mean, full, [(self.origin(x), lambda t: t * slope)])
        self.meet(activation, x)
        return result

    def meet(self, activation: Activation, x: _Value) -> None:
        """Takes the cross-covariances of an activation of `x` with those of other branches for exact ones."""
        for other in self.beside.get(self.node, ()) if self.node is not None else ():
            (before,) = other.all_input_nodes
            known = self.activation_of(other)
            if known is not None and self.node is not None and isinstance(self.env.get(other), _Value):
                self.cross[self.node, other] = self.of_branches(activation, self.origin(x), known, before)

    def of_branches(self, g: Activation, u: fx.Node, h: Activation, w: fx.Node) -> Tensor:
        """Cov(g(u), h(w)), (batch, n, m), of values that are Normal together."""
        (first, second), mixed = (self.env[u], self.env[w]), self.between(u, w)
        n = mixed.shape[1]
        gamma = torch.cat([as_rows(first.mean), as_rows(second.mean)], 1).double().cpu().numpy()
        rows = torch.cat([first.spread, mixed], 2), torch.cat([mixed.mT, second.spread], 2)
        cov = bounded(torch.cat(rows, 1).cpu().numpy())
        if g == h:
            found = layer_covariance(derive(g.text), gamma, cov, parameters=g.parameters)[:, :n, n:]
        else:
            xi2 = np.diagonal(cov, axis1=1, axis2=2)
            law = gamma[:, :n, None], xi2[:, :n, None], gamma[:, None, n:], xi2[:, None, n:], cov[:, :n, n:]
            found = covariance_of(g.text, h.text, *law, parameters=g.parameters, parameters_h=h.parameters)
        return torch.from_numpy(np.ascontiguousarray(found)).to(mixed.device)

    def prelu(self, x: _Value, weight: Tensor) -> _Value:
        """A slope below 0 for each channel, or for all."""
        wide = torch.promote_types(x.mean.dtype, torch.float32)

        def along(slopes: Tensor) -> Tensor:
            return slopes.reshape(()) if slopes.numel() == 1 else slopes.reshape(-1, *[1] * (x.mean.dim() - 2))

        slope = along(weight)
        if not self.is_full:
            mean, spread = (part.to(x.mean) for part in rectified(x.mean.to(wide), x.spread.to(wide), slope.to(wide)))
            result = _Value(mean, spread)
        else:
            def lined(t: Tensor) -> Tensor:
                return t.reshape(*t.shape[:2], math.prod(x.units))

            # a u + (1 − a) relu(u).
            slope = slope.double()
            gamma, scale = as_rows(x.mean).double(), (1 - slope).expand(x.units).flatten()
            up, cov, part = bent(x.spread, x.units, lambda t: lined(t * slope), lined, gamma, scale)
            up = up.reshape(x.mean.shape)
            result = self.result((up - slope * (up - x.mean)).to(x.mean), cov, [(self.origin(x), part)])
            if weight.numel() == 1:
                self.meet(Activation("prelu", {"slope": weight.item()}), x)

        def below(noise: Tensor) -> Tensor:
            mean, variance = moments(-x.mean.to(wide), self.variance(x).to(wide), "relu")
            return along(noise) * (variance + mean**2).to(noise)

        return self.noisy(result, weight, None, below, 0, is_shared=math.prod(x.units) > weight.numel())

    def normalized(
        self, x: _Value, name: str, mean: Tensor, size: int, weight: Tensor | None, bias: Tensor | None, eps: float, trailing: int, is_centred: bool = True
    ) -> _Value:
        """Groups of `size` units that follow each other; `trailing` axes follow those of the weights."""
        warnings.warn(f"{where(self.node)}{name} is linearised around the mean of its input", LinearizedWarning, stacklevel=2)
        wide = torch.float64 if self.is_full else torch.promote_types(x.mean.dtype, torch.float32)
        groups = Normalized(x.mean.to(wide), size, eps, is_centred)

        def along(t: Tensor) -> Tensor:
            return t.to(wide).reshape(*t.shape, *[1] * trailing)

        scale = torch.ones((), dtype=wide, device=x.mean.device) if weight is None else along(weight)
        if self.is_full:
            part: Linear = lambda vectors: groups.moved(vectors) * scale  # noqa: E731
            result = self.result(mean, sandwich(part, x.spread, x.units), [(self.origin(x), part)])
        else:
            result = _Value(mean, (groups.variances(x.spread.to(wide)) * scale**2).to(mean))

        def second(noise: Tensor) -> Tensor:
            plain = torch.diagonal(sandwich(groups.moved, x.spread, x.units), dim1=1, dim2=2) if self.is_full else groups.variances(x.spread.to(wide))
            return along(noise) * (groups.value.reshape(x.mean.shape) ** 2 + plain.reshape(x.mean.shape))

        count = next((t.numel() for t in (weight, bias) if t is not None), 1)
        return self.noisy(result, weight, bias, second, trailing, is_shared=math.prod(x.units) > count)

    def layer_norm(
        self, x: _Value, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
    ) -> _Value:
        mean = F.layer_norm(x.mean, tuple(normalized_shape), weight, bias, eps)
        return self.normalized(x, "LayerNorm", mean, math.prod(normalized_shape), weight, bias, eps, 0)

    def rms_norm(self, x: _Value, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> _Value:
        mean = F.rms_norm(x.mean, tuple(normalized_shape), weight, eps)
        least = torch.finfo(x.mean.dtype).eps if eps is None else eps
        return self.normalized(x, "RMSNorm", mean, math.prod(normalized_shape), weight, None, least, 0, is_centred=False)

    def group_norm(self, x: _Value, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> _Value:
        mean = F.group_norm(x.mean, num_groups, weight, bias, eps)
        return self.normalized(x, "GroupNorm", mean, math.prod(x.units) // num_groups, weight, bias, eps, len(x.units) - 1)

    def instance_norm(
        self,
        x: _Value,
        running_mean: Tensor | None = None,
        running_var: Tensor | None = None,
        weight: Tensor | None = None,
        bias: Tensor | None = None,
        use_input_stats: bool = True,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> _Value:
        if not use_input_stats:
            return self.batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
        mean = F.instance_norm(x.mean, None, None, weight, bias, True, momentum, eps)
        return self.normalized(x, "InstanceNorm", mean, math.prod(x.units[1:]), weight, bias, eps, len(x.units) - 1)

    def mixed(self, compute: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any], squares: Squares) -> _Value:
        """A function that is linear in all values among its arguments together, beside a constant."""
        found = [value for value in _flat(args, kwargs) if isinstance(value, _Value)]
        values = list({id(value): value for value in found}.values())
        part = _Linear(compute, args, kwargs, values)
        mean = part.applied([value.mean for value in values], lambda leaf: leaf)
        for i, value in enumerate(values):
            if mean.shape[:1] != value.mean.shape[:1] or not keeps_rows(part.moved(i), part.wide[i]):
                raise self.no_rule(f"{self.called} that changes the batch")
        if not self.is_full:
            # A value that a sum has twice has the square of both its coefficients together.
            several = _by_columns if squares is _scaled and len(found) > len(values) else squares
            spread = torch.stack([several(part, i, value.spread, mean) for i, value in enumerate(values)]).sum(0)
            return _Value(mean, spread.to(mean.dtype))
        parts = [(self.origin(value), part.of_rows(i)) for i, value in enumerate(values)]
        blocks = []
        for i, (a, p) in enumerate(parts):
            for j, (b, q) in enumerate(parts):
                half = rows(p, self.between(a, b), values[i].units)
                blocks.append(rows(q, half.transpose(1, 2), values[j].units).transpose(1, 2))
        return self.result(mean, torch.stack(blocks).sum(0), parts)


class _Linear:
    """A function of some values, which is linear in all of them together beside a constant."""

    def __init__(self, compute: Callable[..., Tensor], args: tuple[Any, ...], kwargs: dict[str, Any], values: list[_Value]) -> None:
        self.compute, self.args, self.kwargs, self.values = compute, args, kwargs, values
        # Forward mode takes no tensor whose elements share memory.
        self.wide = [value.mean.double().contiguous() for value in values]

    def applied(self, tensors: Sequence[Tensor], constant: Callable[[Any], Any]) -> Tensor:
        """The function of tensors in the place of the values, and of its constants as `constant` makes them."""
        table = {id(value): tensor for value, tensor in zip(self.values, tensors)}

        def put(leaf: Any) -> Any:
            return table[id(leaf)] if isinstance(leaf, _Value) else constant(leaf)

        result: Tensor = self.compute(*map_aggregate(self.args, put), **map_aggregate(self.kwargs, put))  # type: ignore[misc,arg-type,union-attr]
        return result

    def moved(self, i: int, constant: Callable[[Any], Any] | None = None) -> Linear:
        """The linear part in one value, on (batch, *units): its derivative, which the constant has no part in."""

        def of_one(t: Tensor) -> Tensor:
            return self.applied([t if j == i else w for j, w in enumerate(self.wide)], constant or _doubled).double()

        def moved(t: Tensor) -> Tensor:
            result: Tensor = torch.func.jvp(of_one, (self.wide[i],), (t.double().contiguous(),))[1]
            return result

        return moved

    def of_rows(self, i: int) -> Linear:
        """The linear part on (batch, rows, *units)."""
        each = torch.vmap(self.moved(i), in_dims=1, out_dims=0)

        def part(vectors: Tensor) -> Tensor:
            result: Tensor = each(vectors).movedim(0, 1)
            return result

        return part


def _doubled(leaf: Any) -> Any:
    return leaf.double() if isinstance(leaf, Tensor) and leaf.is_floating_point() else leaf


def _squared(leaf: Any) -> Any:
    return leaf.double() ** 2 if isinstance(leaf, Tensor) and leaf.is_floating_point() else leaf


#: What variances of one value become, where units are independent: Σ of the squares of the coefficients times the variances.
Squares = Callable[[_Linear, int, Tensor, Tensor], Tensor]


def _placed(part: _Linear, i: int, variance: Tensor, mean: Tensor) -> Tensor:
    """Coefficients are 1."""
    return part.moved(i)(variance)


def _scaled(part: _Linear, i: int, variance: Tensor, mean: Tensor) -> Tensor:
    """Each output has one unit; ones give its coefficient."""
    move = part.moved(i)
    return move(variance) * move(torch.ones_like(variance))


def _contracted(part: _Linear, i: int, variance: Tensor, mean: Tensor) -> Tensor:
    """Coefficients are elements of the constants."""
    return part.moved(i, _squared)(variance)


def _by_columns(part: _Linear, i: int, variance: Tensor, mean: Tensor) -> Tensor:
    """Any coefficients: the function of each unit alone, some units at a time."""
    move, batch = part.of_rows(i), len(variance)
    units, flat = variance.shape[1:], as_rows(variance).double()
    n = flat.shape[1]
    size = max(1, _ROOM // max(1, batch * max(n, mean.numel() // max(1, batch))))
    total = mean.new_zeros(mean.shape, dtype=torch.float64)
    for start in range(0, n, size):
        columns = F.one_hot(torch.arange(start, min(start + size, n), device=mean.device), n).double()
        coefficients = move(columns.expand(batch, *columns.shape).reshape(batch, len(columns), *units))
        total = total + torch.einsum("bk...,bk->b...", coefficients**2, flat[:, start : start + size])
    return total


#: Numbers that one step over columns holds.
_ROOM = 1 << 24


def as_rows(t: Tensor) -> Tensor:
    """A value as (batch, n), also where a row is a single number or the batch is empty."""
    return t.reshape(len(t), math.prod(t.shape[1:]))


def _flat(*values: Any) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
            found.extend(_flat(*value))
        elif isinstance(value, dict):
            found.extend(_flat(*value.values()))
        else:
            found.append(value)
    return found
