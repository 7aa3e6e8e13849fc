"""Mean and covariance of a trained network's outputs, from noise of its inputs, of its weights, and of dropout.

The network is traced by torch.fx. Every value of the graph is taken for Normal, with a mean and a covariance for each row of the batch;
each layer gives the exact mean and covariance of its outputs from those of its inputs. Values that a residual sum or a concatenation brings together
are correlated: for a linear layer A the cross-covariance with another value w is A Cov(u, w), for an activation g it is E[g′(u)] Cov(u, w)
(Stein's lemma). What is approximate is the assumption that sums of many units are Normal, and what `LinearizedWarning` names.

With `covariance="diagonal"` each unit has a variance alone, and units count as independent. That is cheap, and what
convolutions need, but variances are too small where units move together.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, fx, nn
from torch.fx.node import map_arg
from torch.nn import functional as F

from .._function import derive
from .._pairs import layer_covariance

#: A linear map along the first axes of units: from (batch, rows, *units) to (batch, rows, *units of the output).
Linear = Callable[[Tensor], Tensor]
Covariance = Literal["auto", "full", "diagonal"]


class NoRule(NotImplementedError):
    """A layer of the network has no rule for means and covariances."""


class LinearizedWarning(UserWarning):
    """A layer was replaced by its linearisation around the mean."""


class Activation(NamedTuple):
    """An activation of a network: the text of a function, and values of its parameters."""

    text: str
    parameters: Mapping[str, float] = {}


class Propagated(NamedTuple):
    """Mean (batch, …) and covariance (batch, n, n) of the outputs; in diagonal mode the variance, of the shape of the mean."""

    mean: Tensor
    covariance: Tensor


def _relu(*_: Any) -> Activation:
    return Activation("relu")


#: What modules of torch.nn compute, as functions of the class.
_ACTIVATIONS: dict[type[nn.Module], Callable[[Any], Activation]] = {
    nn.ReLU: _relu,
    nn.ReLU6: lambda m: Activation("relu6"),
    nn.Hardswish: lambda m: Activation("hard_swish"),
    nn.Hardsigmoid: lambda m: Activation("hard_sigmoid"),
    nn.Hardtanh: lambda m: Activation("clip(x; lower < upper) = clamp(x, lower, upper)", {"lower": m.min_val, "upper": m.max_val}),
    nn.LeakyReLU: lambda m: Activation("prelu", {"slope": m.negative_slope}),
    nn.RReLU: lambda m: Activation("prelu", {"slope": (m.lower + m.upper) / 2}),
    nn.Threshold: lambda m: Activation("threshold", {"theta": m.threshold, "value": m.value}),
    nn.Softshrink: lambda m: Activation("soft(x; a >= 0) = x - clamp(x, -a, a)", {"a": m.lambd}),
    nn.Hardshrink: lambda m: Activation("hard(x; a >= 0) = piecewise { x < -a: x; x <= a: 0; else: x }", {"a": m.lambd}),
}


def _clamped(low: Any = None, high: Any = None, *_: Any, **__: Any) -> Activation:
    ends = {name: float(end) for name, end in (("lower", low), ("upper", high)) if end is not None}
    if len(ends) == 2:
        return Activation("clip(x; lower < upper) = clamp(x, lower, upper)", ends)
    if "lower" in ends:
        return Activation("above(x; a) = max(x, a)", {"a": ends["lower"]})
    return Activation("below(x; a) = min(x, a)", {"a": ends["upper"]})


#: The same for functions; they take the arguments behind the tensor.
_FUNCTIONS: dict[Any, Callable[..., Activation]] = {
    F.relu: _relu,
    torch.relu: _relu,
    F.relu6: lambda *_, **__: Activation("relu6"),
    F.hardswish: lambda *_, **__: Activation("hard_swish"),
    F.hardsigmoid: lambda *_, **__: Activation("hard_sigmoid"),
    F.hardtanh: lambda low=-1.0, high=1.0, *_, min_val=None, max_val=None, **__: _clamped(
        low if min_val is None else min_val, high if max_val is None else max_val
    ),
    F.leaky_relu: lambda slope=0.01, *_, negative_slope=None, **__: Activation(
        "prelu", {"slope": slope if negative_slope is None else negative_slope}
    ),
    torch.abs: lambda: Activation("|x|"),
    torch.square: lambda: Activation("x^2"),
    torch.clamp: lambda low=None, high=None, *, min=None, max=None: _clamped(
        low if min is None else min, high if max is None else max
    ),
}
_METHODS: dict[str, Any] = {"relu": torch.relu, "abs": torch.abs, "clamp": torch.clamp, "square": torch.square}

#: Linear maps that only move elements, or average them.
_MOVES = {
    torch.flatten, torch.reshape, torch.permute, torch.transpose, torch.squeeze, torch.unsqueeze, operator.getitem, F.adaptive_avg_pool1d,
    F.adaptive_avg_pool2d, F.avg_pool1d, F.avg_pool2d, torch.mean, torch.sum,
}  # fmt: skip
_MOVING = {"flatten", "reshape", "view", "permute", "transpose", "squeeze", "unsqueeze", "mean", "sum", "contiguous", "expand"}
_AVERAGES = (nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d, nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d)
_CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
_DROPOUTS = (nn.Dropout, nn.AlphaDropout)
_IDENTITIES = (nn.Identity,)


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
    rules: Mapping[type[nn.Module], Callable[[Any], Activation]] | None = None,
) -> Propagated:
    """Mean and covariance of a network's outputs.

    `mean` (batch, …) are the inputs. `variance` is the noise of each (a number, or what broadcasts to the shape of `mean`), or in full mode
    covariances (batch, n, n). `weight_variance` is the variance of each weight relative to its square, or a mapping from names of
    parameters to tensors of variances. With `dropout`, dropout layers add the variance that they have in training. `rules` names further activations
    by their modules: `{MyActivation: lambda module: Activation("max(0, x)^2")}`.

    "auto" takes full covariances unless the network has convolutions. A layer without a rule raises `NoRule` with its name.
    """
    graph = fx.symbolic_trace(net)
    was_training = net.training
    with torch.no_grad():
        try:
            net.eval()
            return _Run(net, graph.graph, covariance, weight_variance, dropout, rules or {}).run(mean, variance)
        finally:
            net.train(was_training)


class _Run:
    def __init__(
        self,
        net: nn.Module,
        graph: fx.Graph,
        covariance: Covariance,
        weight_variance: float | Mapping[str, Tensor],
        dropout: bool,
        rules: Mapping[type[nn.Module], Callable[[Any], Activation]],
    ) -> None:
        if covariance not in ("auto", "full", "diagonal"):
            raise ValueError(f'covariance is {covariance!r}; "auto", "full" or "diagonal" is wanted')
        self.net = net
        self.graph = graph
        has_convolutions = any(isinstance(module, _CONVOLUTIONS) for module in net.modules())
        self.is_full = covariance == "full" or (covariance == "auto" and not has_convolutions)
        self.weight_variance = weight_variance
        self.dropout = dropout
        self.rules = {**_ACTIVATIONS, **rules}
        self.env: dict[fx.Node, Any] = {}
        #: Cross-covariances of values that are still used: (batch, n, m) for a pair of nodes.
        self.cross: dict[tuple[fx.Node, fx.Node], Tensor] = {}
        self.node: fx.Node | None = None

    def run(self, mean: Tensor, variance: Tensor | float) -> Propagated:
        inputs = [node for node in self.graph.nodes if node.op == "placeholder"]
        if len(inputs) != 1:
            raise NoRule(f"the network has {len(inputs)} inputs; one is wanted")
        last_use = {used: node for node in self.graph.nodes for used in node.all_input_nodes}
        for node in self.graph.nodes:
            self.node = node
            if node.op == "placeholder":
                self.env[node] = self.start(mean, variance)
            elif node.op == "output":
                result = self.env[node.args[0]] if isinstance(node.args[0], fx.Node) else None
                if not isinstance(result, _Value):
                    raise NoRule("the network gives something other than one tensor")
                return Propagated(result.mean, result.spread.to(result.mean.dtype))
            else:
                self.env[node] = self.step(node)
            for used in node.all_input_nodes:
                if last_use[used] is node:
                    self.forget(used)
        raise NoRule("the network gives nothing")

    def forget(self, node: fx.Node) -> None:
        self.env.pop(node, None)
        for pair in [pair for pair in self.cross if node in pair]:
            del self.cross[pair]

    def start(self, mean: Tensor, variance: Tensor | float) -> _Value:
        given = torch.as_tensor(variance, dtype=mean.dtype, device=mean.device)
        batch, n = mean.shape[0], math.prod(mean.shape[1:])
        if not self.is_full:
            return _Value(mean, given.expand(mean.shape))
        if given.shape == (batch, n, n) and mean.shape != given.shape:
            return _Value(mean, given.double())
        return _Value(mean, torch.diag_embed(given.expand(mean.shape).reshape(batch, n).double()))

    # One node of the graph.

    def step(self, node: fx.Node) -> Any:
        args: Any = map_arg(node.args, lambda n: self.env[n])
        kwargs: Any = map_arg(node.kwargs, lambda n: self.env[n])
        values = [value for value in _flat(args, kwargs) if isinstance(value, _Value)]
        if node.op == "get_attr":
            return _attribute(self.net, str(node.target))
        if not values:
            target: Any = getattr(args[0], str(node.target)) if node.op == "call_method" else node.target
            return target(*(args[1:] if node.op == "call_method" else args), **kwargs)
        if node.op == "call_module":
            return self.module(self.net.get_submodule(str(node.target)), args[0])
        return self.function(node, args, kwargs)

    def module(self, layer: Any, x: _Value) -> _Value:
        kind = type(layer)
        if kind in self.rules:
            return self.activation(x, self.rules[kind](layer))
        if kind is nn.PReLU:
            return self.prelu(x, layer)
        if isinstance(layer, nn.Linear):
            return self.weighted(layer, x, F.linear)
        if isinstance(layer, _CONVOLUTIONS):
            convolve: Any = {nn.Conv1d: F.conv1d, nn.Conv2d: F.conv2d, nn.Conv3d: F.conv3d}[kind]
            if layer.padding_mode != "zeros":
                raise self.no_rule("a convolution whose padding is not zeros")
            settings = (layer.stride, layer.padding, layer.dilation, layer.groups)
            return self.weighted(layer, x, lambda t, w, b=None: convolve(t, w, b, *settings))
        if isinstance(layer, _NORMS):
            if layer.running_var is None:
                raise self.no_rule("batch normalisation without running statistics")
            root = torch.sqrt(layer.running_var + layer.eps)
            scale = (1 / root if layer.weight is None else layer.weight / root).reshape(-1, *[1] * (x.mean.dim() - 2))
            return self.linear(x, layer(x.mean), lambda t: t * scale, lambda v: v * scale**2)
        if isinstance(layer, nn.LayerNorm):
            return self.linearized(x, layer)
        if isinstance(layer, _AVERAGES):
            return self.averaged(x, layer)
        if isinstance(layer, nn.Flatten):
            return self.moved(x, layer)
        if isinstance(layer, _DROPOUTS) and kind is nn.Dropout:
            return self.dropped(x, layer.p)
        if isinstance(layer, _IDENTITIES) or (isinstance(layer, nn.modules.dropout._DropoutNd) and not self.dropout):
            return self.moved(x, lambda t: t)
        raise self.no_rule(kind.__name__)

    def function(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        target: Any = node.target
        if node.op == "call_method":
            if target in ("size", "dim"):
                return getattr(args[0].mean, target)(*args[1:])
            if target in _MOVING:
                return self.moved(args[0], lambda t: getattr(t, target)(*args[1:], **kwargs))
            target = _METHODS.get(target, {"add": torch.add, "mul": torch.mul, "sub": torch.sub}.get(target, target))
        if target is getattr and args[1] == "shape":
            return args[0].mean.shape
        first: Any = args[0] if args else None
        if target in _FUNCTIONS and isinstance(first, _Value):
            kwargs = {key: value for key, value in kwargs.items() if key != "inplace"}
            return self.activation(first, _FUNCTIONS[target](*args[1:], **kwargs))
        if target in (operator.add, operator.iadd, torch.add, operator.sub, torch.sub) and not kwargs:
            sign = -1.0 if target in (operator.sub, torch.sub) else 1.0
            return self.sum(args[0], args[1], sign)
        if target in (operator.mul, torch.mul, operator.truediv, torch.div) and not kwargs:
            return self.scaled(args, target in (operator.truediv, torch.div))
        if target in (operator.neg, torch.neg):
            return self.linear(args[0], -args[0].mean, lambda t: -t, lambda v: v)
        if target in (torch.cat, torch.concat):
            return self.concatenated(args[0], kwargs.get("dim", args[1] if len(args) > 1 else 0))
        if target is F.layer_norm:
            return self.linearized(first, lambda t: F.layer_norm(t, *args[1:], **kwargs))
        if target is F.dropout:
            p = kwargs.get("p", args[1] if len(args) > 1 else 0.5)
            return self.dropped(first, p)
        if target in _MOVES:
            return self.moved(first, lambda t: target(t, *args[1:], **kwargs))
        raise self.no_rule(getattr(target, "__name__", str(target)))

    def no_rule(self, what: str) -> NoRule:
        where = "" if self.node is None else f"{self.node.target}: "
        known = ", ".join(sorted(kind.__name__ for kind in self.rules))
        return NoRule(
            f"{where}no rule for {what}; there are rules for Linear, convolutions, BatchNorm, LayerNorm, average pools, Flatten, Dropout, sums, "
            f"concatenations, PReLU, {known}, and those of `rules`"
        )

    # Rules.

    def result(self, mean: Tensor, spread: Tensor, parts: list[tuple[fx.Node, Linear]]) -> _Value:
        """A value with its cross-covariances; `parts` are the linear maps that it moves by with each of its inputs."""
        if self.is_full and self.node is not None:
            for other, value in list(self.env.items()):
                if isinstance(value, _Value):
                    self.cross[self.node, other] = sum(
                        (_rows(part, self.between(node, other), self.env[node].units) for node, part in parts[1:]),
                        _rows(parts[0][1], self.between(parts[0][0], other), self.env[parts[0][0]].units),
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
        part = _batched(apply, len(x.units))
        return self.result(mean, _sandwich(part, x.spread, x.units), [(self.origin(x), part)])

    def moved(self, x: _Value, move: Callable[[Tensor], Tensor]) -> _Value:
        """Elements that move, or are summed: the layer takes (batch, *units) and keeps the batch."""
        mean = move(x.mean)
        if mean.shape[:1] != x.mean.shape[:1]:
            raise self.no_rule("a layer that changes the batch")
        if not self.is_full:
            n, m = math.prod(x.units), math.prod(mean.shape[1:])
            if n != m:
                return self.sparse(x, mean, move)
            return _Value(mean, move(x.spread))
        # A reshape names the size of the batch, so each row of a covariance is moved as a batch of its own.
        part = torch.vmap(move, in_dims=1, out_dims=1)
        return self.result(mean, _sandwich(part, x.spread, x.units), [(self.origin(x), part)])

    def sparse(self, x: _Value, mean: Tensor, move: Callable[[Tensor], Tensor]) -> _Value:
        """Sums or averages of independent units: the squares of the coefficients, which are the derivatives in each unit."""
        ones = torch.ones_like(x.mean[:1])
        weights = torch.autograd.functional.jacobian(lambda t: move(t)[0], ones, vectorize=True)
        squares = weights.reshape(math.prod(mean.shape[1:]), -1) ** 2
        spread = x.spread.reshape(len(x.mean), -1) @ squares.T
        return _Value(mean, spread.reshape(mean.shape))

    def averaged(self, x: _Value, layer: nn.Module) -> _Value:
        mean = layer(x.mean)
        if self.is_full:
            return self.linear(x, mean, layer, lambda v: v)
        kernel = getattr(layer, "kernel_size", None)
        if kernel is None:
            # Windows that tile their input.
            sizes = [n / m for n, m in zip(x.mean.shape[2:], mean.shape[2:])]
            if any(size != int(size) for size in sizes):
                raise self.no_rule("an adaptive pool whose windows overlap")
            count = math.prod(sizes)
        else:
            axes = x.mean.dim() - 2
            count = math.prod(kernel) if isinstance(kernel, tuple) else kernel**axes
        return _Value(mean, layer(x.spread) / count)

    def weighted(self, layer: Any, x: _Value, apply: Callable[..., Tensor]) -> _Value:
        """A layer with weights, whose own noise adds to the variance of each output."""
        weight = layer.weight
        mean = apply(x.mean, weight, layer.bias)
        if self.is_full:
            wide = weight.double()
            result = self.linear(x, mean, lambda t: apply(t, wide), lambda v: v)
        else:
            result = _Value(mean, apply(x.spread, weight**2))
        noise = self.noise(layer, "weight")
        if noise is None:
            return result
        if self.is_full and (not isinstance(layer, nn.Linear) or len(x.units) > 1):
            raise self.no_rule("noise of weights that are shared between places, with full covariances")
        variance = torch.diagonal(x.spread, dim1=1, dim2=2).reshape(x.mean.shape) if self.is_full else x.spread
        second = (x.mean**2 + variance).to(mean.dtype)
        added = apply(second, noise.to(mean.dtype))
        bias = None if layer.bias is None else self.noise(layer, "bias")
        if bias is not None:
            added = added + bias.reshape(-1, *[1] * (mean.dim() - 2 if not isinstance(layer, nn.Linear) else 0))
        spread = result.spread + (torch.diag_embed(added.double()) if self.is_full else added)
        return _Value(mean, spread)

    def noise(self, layer: nn.Module, name: str) -> Tensor | None:
        """Variances of the weights of a layer, if they have any."""
        given = self.weight_variance
        if not isinstance(given, Mapping):
            weight = getattr(layer, name)
            return given * weight**2 if given else None
        prefix = next(path for path, module in self.net.named_modules() if module is layer)
        return given.get(f"{prefix}.{name}" if prefix else name)

    def dropped(self, x: _Value, p: float) -> _Value:
        if not self.dropout or p == 0:
            return self.moved(x, lambda t: t)
        share = p / (1 - p)
        if not self.is_full:
            return _Value(x.mean, x.spread + share * (x.spread + x.mean**2))
        variance = torch.diagonal(x.spread, dim1=1, dim2=2)
        added = share * (variance + x.mean.reshape(variance.shape).double() ** 2)
        return self.result(x.mean, x.spread + torch.diag_embed(added), [(self.origin(x), lambda t: t)])

    def activation(self, x: _Value, activation: Activation) -> _Value:
        function, parameters = derive(activation.text), dict(activation.parameters)
        batch = len(x.mean)
        if not self.is_full:
            moments = function.moments(x.mean.cpu().numpy(), np.ascontiguousarray(x.spread.cpu().numpy()), out=None, **parameters)
            return _Value(*(torch.from_numpy(np.asarray(part)).to(x.mean.device) for part in moments))
        gamma = x.mean.reshape(batch, -1).double().cpu().numpy()
        cov = x.spread.cpu().numpy()
        variance = np.maximum(np.diagonal(cov, axis1=1, axis2=2), 0.0)
        grad = function.moments_grad(gamma, np.ascontiguousarray(variance), out=None, **parameters)
        full = torch.from_numpy(layer_covariance(function, gamma, _bounded(cov), **parameters)).to(x.mean.device)
        mean = torch.from_numpy(grad.mean).to(x.mean).reshape(x.mean.shape)
        slope = torch.from_numpy(grad.dmean_dgamma).to(x.mean.device).reshape(x.mean.shape).unsqueeze(1)
        return self.result(mean, full, [(self.origin(x), lambda t: t * slope)])

    def prelu(self, x: _Value, layer: nn.PReLU) -> _Value:
        slopes = layer.weight.tolist()
        if len(slopes) != 1:
            raise self.no_rule("PReLU with a slope for each channel")
        return self.activation(x, Activation("prelu", {"slope": slopes[0]}))

    def linearized(self, x: _Value, layer: Callable[[Tensor], Tensor]) -> _Value:
        name = self.node.target if self.node is not None else layer
        warnings.warn(f"{name} is linearised around the mean of its input", LinearizedWarning, stacklevel=2)
        if not self.is_full:
            raise self.no_rule("LayerNorm with a diagonal covariance")
        wide = x.mean.double()

        def part(rows: Tensor) -> Tensor:
            along = torch.vmap(lambda t: torch.func.jvp(_doubled(layer), (wide,), (t,))[1], in_dims=1, out_dims=1)
            result: Tensor = along(rows)
            return result

        return self.result(layer(x.mean), _sandwich(part, x.spread, x.units), [(self.origin(x), part)])

    def sum(self, a: Any, b: Any, sign: float) -> _Value:
        if not isinstance(b, _Value):
            return self.moved_by(a, a.mean + sign * b)
        if not isinstance(a, _Value):
            return self.linear(b, a + sign * b.mean, lambda t: sign * t, lambda v: v)
        mean = a.mean + sign * b.mean
        if a.mean.shape != b.mean.shape:
            raise self.no_rule("a sum of values of different shapes")
        if not self.is_full:
            return _Value(mean, a.spread + b.spread)
        first, second = self.origin(a), self.origin(b)
        mixed = self.between(first, second) * sign
        spread = a.spread + b.spread + mixed + mixed.transpose(1, 2)
        return self.result(mean, spread, [(first, lambda t: t), (second, lambda t: sign * t)])

    def moved_by(self, x: _Value, mean: Tensor) -> _Value:
        if mean.shape != x.mean.shape:
            raise self.no_rule("a sum that changes the shape")
        if not self.is_full:
            return _Value(mean, x.spread)
        return self.result(mean, x.spread, [(self.origin(x), lambda t: t)])

    def scaled(self, args: tuple[Any, ...], is_quotient: bool) -> _Value:
        values = [arg for arg in args if isinstance(arg, _Value)]
        if len(values) != 1 or (is_quotient and not isinstance(args[0], _Value)):
            raise self.no_rule("a product or a quotient of two values that vary")
        x = values[0]
        other: Any = args[1] if args[0] is x else args[0]
        factor = 1 / other if is_quotient else other
        mean = x.mean * factor
        if mean.shape != x.mean.shape:
            raise self.no_rule("a product that changes the shape")
        if isinstance(factor, Tensor) and factor.dim() == x.mean.dim() and factor.shape[0] != 1:
            if not self.is_full:
                return _Value(mean, x.spread * factor**2)
            rows = factor.unsqueeze(1)
            return self.result(mean, _sandwich(lambda t: t * rows, x.spread, x.units), [(self.origin(x), lambda t: t * rows)])
        return self.linear(x, mean, lambda t: t * factor, lambda v: v * factor**2)

    def concatenated(self, values: Any, dim: int) -> _Value:
        if not all(isinstance(value, _Value) for value in values):
            raise self.no_rule("a concatenation with what does not vary")
        mean = torch.cat([value.mean for value in values], dim)
        if dim % mean.dim() == 0:
            raise self.no_rule("a concatenation along the batch")
        if not self.is_full:
            return _Value(mean, torch.cat([value.spread for value in values], dim))
        nodes = [self.origin(value) for value in values]

        def placed(i: int) -> Linear:
            def part(t: Tensor) -> Tensor:
                axis = dim % mean.dim() + 1
                zeros = [t.new_zeros((*t.shape[:2], *value.units)) for value in values]
                return torch.cat([t if j == i else zero for j, zero in enumerate(zeros)], axis)

            return part

        parts = [(node, placed(i)) for i, node in enumerate(nodes)]
        spread = None
        for i, (a, p) in enumerate(parts):
            for j, (b, q) in enumerate(parts):
                half = _rows(p, self.between(a, b), values[i].units)
                block = _rows(q, half.transpose(1, 2), values[j].units).transpose(1, 2)
                spread = block if spread is None else spread + block
        assert spread is not None
        return self.result(mean, spread, parts)


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


def _attribute(module: nn.Module, path: str) -> Any:
    found: Any = module
    for name in path.split("."):
        found = getattr(found, name)
    return found


def _batched(apply: Linear, axes: int) -> Linear:
    """A layer that takes one batch axis, for the two of a covariance's rows."""

    def part(rows: Tensor) -> Tensor:
        batch, count = rows.shape[:2]
        result = apply(rows.reshape(batch * count, *rows.shape[2:]))
        return result.reshape(batch, count, *result.shape[1:])

    return part


def _rows(part: Linear, matrix: Tensor, units: torch.Size) -> Tensor:
    """The map applied to the first index of (batch, n, m)."""
    batch, _, m = matrix.shape
    rows = matrix.transpose(1, 2).reshape(batch, m, *units)
    result: Tensor = part(rows).reshape(batch, m, -1).transpose(1, 2)
    return result


def _sandwich(part: Linear, cov: Tensor, units: torch.Size) -> Tensor:
    """A C Aᵀ."""
    half = _rows(part, cov, units)
    return _rows(part, half.transpose(1, 2), units)


def _bounded(cov: Any) -> Any:
    """Covariances that exceed what the variances allow by rounding, at the bound."""
    variance = np.maximum(np.diagonal(cov, axis1=1, axis2=2), 0.0)
    root = np.sqrt(variance)
    most = root[:, :, None] * root[:, None, :]
    bounded = np.clip(cov, -most, most)
    index = np.arange(cov.shape[1])
    bounded[:, index, index] = variance
    return bounded


def _doubled(layer: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A layer in double precision."""
    if not isinstance(layer, nn.Module):
        return layer
    state = {name: value.double() for name, value in layer.state_dict().items()}
    return lambda t: torch.func.functional_call(layer, state, (t,))
