"""Activations of networks as piecewise polynomials: for each class of module of torch.nn the text of its function and its parameters."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

from .._function import derive


class Activation(NamedTuple):
    """An activation of a network: the text of a function, and values of its parameters."""

    text: str
    parameters: Mapping[str, float] = {}


def clamped(low: float | None, high: float | None) -> Activation:
    """A clamp, of which either end may be missing."""
    if low is None:
        return Activation("x") if high is None else Activation("below(x; a) = min(x, a)", {"a": float(high)})
    if high is None:
        return Activation("above(x; a) = max(x, a)", {"a": float(low)})
    return Activation("clip(x; lower < upper) = clamp(x, lower, upper)", {"lower": float(low), "upper": float(high)})


def is_nondecreasing(activation: Activation) -> bool:
    """Whether the activation is straight between its knots and falls nowhere: then it gives the same before a maximum and after it."""
    function, parameters = derive(activation.text), activation.parameters
    if function.degree > 1:
        return False
    knots = sorted(set(function.knots(parameters=parameters))) or [0.0]
    last = -math.inf
    for start, end in pairwise([knots[0] - 1, *knots, knots[-1] + 1]):
        low, high = (float(function(start + share * (end - start), parameters=parameters)) for share in (0.25, 0.75))
        # A value at a knot is the end of a line, and rounded.
        if high < low or low - (high - low) / 2 < last - 1e-9 * (abs(low) + abs(high)):
            return False
        last = high + (high - low) / 2
    return True


def power(exponent: object) -> Activation | None:
    """A power of x; None where it is no polynomial."""
    whole = isinstance(exponent, (int, float)) and float(exponent).is_integer() and 1 <= exponent <= 20
    return Activation(f"x^{int(exponent)}") if whole else None  # type: ignore[call-overload]


#: Activations of modules, by their class.
MODULES: dict[type[nn.Module], Callable[[Any], Activation]] = {
    nn.ReLU: lambda m: Activation("relu"),
    nn.ReLU6: lambda m: Activation("relu6"),
    nn.Hardswish: lambda m: Activation("hard_swish"),
    nn.Hardsigmoid: lambda m: Activation("hard_sigmoid"),
    nn.Hardtanh: lambda m: clamped(m.min_val, m.max_val),
    nn.LeakyReLU: lambda m: Activation("prelu", {"slope": m.negative_slope}),
    nn.RReLU: lambda m: Activation("prelu", {"slope": (m.lower + m.upper) / 2}),
    nn.Threshold: lambda m: Activation("threshold", {"theta": m.threshold, "value": m.value}),
    nn.Softshrink: lambda m: Activation("soft(x; a >= 0) = x - clamp(x, -a, a)", {"a": m.lambd}),
    nn.Hardshrink: lambda m: Activation("hard(x; a >= 0) = piecewise { x < -a: x; x <= a: 0; else: x }", {"a": m.lambd}),
}


def _max_pool(kind: Any) -> Callable[..., nn.Module]:
    """The pool of a function, which takes its last two settings in another order than the module."""

    def pool(
        kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False
    ) -> nn.Module:
        module: nn.Module = kind(kernel_size, stride or kernel_size, padding, dilation, return_indices, ceil_mode)
        return module

    return pool


#: Functions that drop whole channels.
CHANNELS_DROPPED: dict[Any, Callable[..., nn.Module]] = {F.dropout1d: nn.Dropout1d, F.dropout2d: nn.Dropout2d, F.dropout3d: nn.Dropout3d}
#: Functions that take the shape and the type of a value alone.
CONSTANTS: set[Any] = {torch.zeros_like, torch.ones_like, torch.full_like}
#: Functions that pool.
MAX_POOLS: set[Any] = {
    F.max_pool1d, F.max_pool2d, F.max_pool3d, torch.max_pool1d, torch.max_pool2d, torch.max_pool3d,
    F.adaptive_max_pool1d, F.adaptive_max_pool2d, F.adaptive_max_pool3d,
}  # fmt: skip
#: Functions that compute what a module does, whose settings they take behind the tensor.
AS_MODULES: dict[Any, Callable[..., nn.Module]] = {
    F.relu: nn.ReLU,
    torch.relu: nn.ReLU,
    F.relu6: nn.ReLU6,
    F.hardswish: nn.Hardswish,
    F.hardsigmoid: nn.Hardsigmoid,
    F.hardtanh: nn.Hardtanh,
    F.leaky_relu: nn.LeakyReLU,
    F.rrelu: lambda lower=1 / 8, upper=1 / 3, training=False, inplace=False: nn.RReLU(lower, upper),
    F.threshold: nn.Threshold,
    F.gelu: nn.GELU,
    F.silu: nn.SiLU,
    F.mish: nn.Mish,
    F.elu: nn.ELU,
    F.selu: nn.SELU,
    F.celu: nn.CELU,
    F.softplus: nn.Softplus,
    F.logsigmoid: nn.LogSigmoid,
    torch.tanh: nn.Tanh,
    F.tanh: nn.Tanh,
    torch.sigmoid: nn.Sigmoid,
    F.sigmoid: nn.Sigmoid,
    F.softsign: nn.Softsign,
    F.tanhshrink: nn.Tanhshrink,
    F.softshrink: nn.Softshrink,
    F.hardshrink: nn.Hardshrink,
    F.avg_pool1d: nn.AvgPool1d,
    F.avg_pool2d: nn.AvgPool2d,
    F.avg_pool3d: nn.AvgPool3d,
    F.adaptive_avg_pool1d: nn.AdaptiveAvgPool1d,
    F.adaptive_avg_pool2d: nn.AdaptiveAvgPool2d,
    F.adaptive_avg_pool3d: nn.AdaptiveAvgPool3d,
    F.max_pool1d: _max_pool(nn.MaxPool1d),
    F.max_pool2d: _max_pool(nn.MaxPool2d),
    F.max_pool3d: _max_pool(nn.MaxPool3d),
    torch.max_pool1d: _max_pool(nn.MaxPool1d),
    torch.max_pool2d: _max_pool(nn.MaxPool2d),
    torch.max_pool3d: _max_pool(nn.MaxPool3d),
    F.adaptive_max_pool1d: nn.AdaptiveMaxPool1d,
    F.adaptive_max_pool2d: nn.AdaptiveMaxPool2d,
    F.adaptive_max_pool3d: nn.AdaptiveMaxPool3d,
}

#: Activations of functions that no module computes; None for arguments without a rule.
FUNCTIONS: dict[Any, Callable[..., Activation | None]] = {
    operator.abs: lambda: Activation("|x|"),
    operator.pow: power,
    torch.pow: power,
    torch.sign: lambda: Activation("sign(x)"),
    torch.abs: lambda: Activation("|x|"),
    torch.square: lambda: Activation("x^2"),
    torch.clamp: lambda min=None, max=None: clamped(min, max),
    torch.clip: lambda min=None, max=None: clamped(min, max),
    torch.clamp_min: lambda min: clamped(min, None),
    torch.clamp_max: lambda max: clamped(None, max),
}

#: Rules, as Python's text, for a function of the library near an activation that is no piecewise polynomial.
NEAR: dict[type[nn.Module], str] = {
    nn.GELU: '"gelu_cubic"',
    nn.SiLU: '"hard_swish"',
    nn.Mish: '"hard_swish"',
    nn.Softplus: 'lambda module: f"softplus_cubic({module.beta}*x)/{module.beta}"',
    nn.LogSigmoid: '"-softplus_cubic(-x)"',
    nn.Tanh: '"tanh_cubic"',
    nn.Tanhshrink: '"x - tanh_cubic(x)"',
    nn.Sigmoid: '"sigmoid_cubic"',
}
