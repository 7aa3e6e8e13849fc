"""Bayesian layers for networks of one's own: weights with means and variances, exact moments, and divergences in closed form.

A layer takes a tensor, or a pair (mean, variance), and gives a pair; so layers stand in `torch.nn.Sequential`. Units count as independent (mean field).

    >>> net = Sequential(nn.Linear(8, 50), nn.Activation("relu"), nn.Linear(50, 1))
    >>> mean, variance = net(x)
    >>> loss = -elbo.normal(mean, variance, y, noise).sum() + nn.kl(net)
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, Union

import torch
from torch import Tensor
from torch.nn import functional as F

from .._function import NONE, Function
from ._maximum import ClarkWarning, largest
from ._moments import Moments
from ._windows import largest_count, levels, tables

#: A tensor without doubt, or means and variances.
Signal = Union[Tensor, tuple[Tensor, Tensor]]


def _pair(x: Signal) -> tuple[Tensor, Tensor | None]:
    if isinstance(x, (tuple, list)):
        mean, variance = x
        return mean, variance
    return x, None


class _Weighted(torch.nn.Module):
    """Weights and biases with independent Normal posteriors and priors.

    The prior of a weight is Normal with mean 0 and standard deviation `prior_sd`; that of a bias has `bias_prior_sd`. Posterior means begin as PyTorch
    begins weights, standard deviations at `initial_sd` of the mean absolute weight.
    """

    weight_mean: Tensor
    weight_log_sd: Tensor
    bias_mean: Tensor | None
    bias_log_sd: Tensor | None

    def __init__(
        self, shape: tuple[int, ...], bias: bool, prior_sd: float | None, bias_prior_sd: float, initial_sd: float
    ) -> None:
        super().__init__()
        for name, value in (("prior_sd", prior_sd), ("bias_prior_sd", bias_prior_sd), ("initial_sd", initial_sd)):
            if value is not None and not 0 < value < math.inf:
                raise ValueError(f"{name} is {value}; a positive number is wanted")
        if not all(size >= 1 for size in shape):
            raise ValueError(f"the weights have the shape {shape}; at least one input and one output are wanted")
        fan_in = math.prod(shape[1:])
        bound = 1 / math.sqrt(fan_in)
        self.prior_sd = math.sqrt(1 / fan_in) if prior_sd is None else prior_sd
        self.bias_prior_sd = bias_prior_sd
        start = math.log(initial_sd * bound)
        self.weight_mean = torch.nn.Parameter(torch.empty(shape).uniform_(-bound, bound))
        self.weight_log_sd = torch.nn.Parameter(torch.full(shape, start))
        if bias:
            self.bias_mean = torch.nn.Parameter(torch.zeros(shape[0]))
            self.bias_log_sd = torch.nn.Parameter(torch.full(shape[:1], start))
        else:
            self.register_parameter("bias_mean", None)
            self.register_parameter("bias_log_sd", None)

    def kl(self) -> Tensor:
        """KL(posterior ‖ prior) of weights and biases in nats."""
        total = _kl(self.weight_mean, self.weight_log_sd, self.prior_sd)
        if self.bias_mean is not None and self.bias_log_sd is not None:
            total = total + _kl(self.bias_mean, self.bias_log_sd, self.bias_prior_sd)
        return total

    def _apply_to(self, x: Signal, apply: Any) -> tuple[Tensor, Tensor]:
        """Var(w·x) = w̄² Var x + Var w (x̄² + Var x), summed over the inputs."""
        mean, variance = _pair(x)
        spread = torch.exp(2 * self.weight_log_sd)
        bias = None if self.bias_log_sd is None else torch.exp(2 * self.bias_log_sd)
        second = mean**2 if variance is None else mean**2 + variance
        result = apply(second, spread, bias)
        if variance is not None:
            result = result + apply(variance, self.weight_mean**2, None)
        return apply(mean, self.weight_mean, self.bias_mean), result


class Linear(_Weighted):
    """A linear layer; inputs (…, in_features), outputs a pair of (…, out_features)."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        prior_sd: float | None = None,
        bias_prior_sd: float = 1.0,
        initial_sd: float = 0.1,
    ) -> None:
        super().__init__((out_features, in_features), bias, prior_sd, bias_prior_sd, initial_sd)

    def extra_repr(self) -> str:
        out_features, in_features = self.weight_mean.shape
        return f"in_features={in_features}, out_features={out_features}, bias={self.bias_mean is not None}"

    def forward(self, x: Signal) -> tuple[Tensor, Tensor]:
        return self._apply_to(x, F.linear)


class Conv2d(_Weighted):
    """A convolution of images (batch, channels, height, width), padded with zeros."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, int],
        stride: int | tuple[int, int] = 1,
        padding: int | tuple[int, int] = 0,
        bias: bool = True,
        *,
        prior_sd: float | None = None,
        bias_prior_sd: float = 1.0,
        initial_sd: float = 0.1,
    ) -> None:
        kernel = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
        super().__init__((out_channels, in_channels, *kernel), bias, prior_sd, bias_prior_sd, initial_sd)
        self.stride, self.padding = stride, padding

    def extra_repr(self) -> str:
        out_channels, in_channels, *kernel = self.weight_mean.shape
        return f"{in_channels}, {out_channels}, kernel_size={tuple(kernel)}, stride={self.stride}, padding={self.padding}, bias={self.bias_mean is not None}"

    def forward(self, x: Signal) -> tuple[Tensor, Tensor]:
        return self._apply_to(x, lambda t, w, b: F.conv2d(t, w, b, self.stride, self.padding))


class Activation(Moments):
    """An activation between layers: `Moments` on pairs. A tensor without doubt has variance 0."""

    def __init__(
        self, f: Function | str, /, *, learned: bool = True, parameters: Mapping[str, float] = NONE, **values: float
    ) -> None:
        super().__init__(f, learned=learned, parameters=parameters, **values)

    def forward(self, x: Signal) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        mean, variance = _pair(x)
        return super().forward(mean, torch.zeros_like(mean) if variance is None else variance)


class MaxPool2d(torch.nn.MaxPool2d):
    """`torch.nn.MaxPool2d` on pairs: the maximum of two units is exact, that of more takes maxima of pairs for Normal (Clark 1961), and warns."""

    def forward(self, x: Signal) -> Any:
        mean, variance = _pair(x)
        if variance is None:
            return super().forward(mean)
        if self.return_indices:
            raise NotImplementedError("places of the largest elements are those of numbers, and a mean and a variance have none")
        if mean.dim() != 4:
            raise ValueError(f"the means have the shape {tuple(mean.shape)}; (batch, channels, height, width) is wanted")
        units = mean.shape[1:]
        windows = tables(self, tuple(units[1:]))
        if math.prod(largest_count(table) for table in windows) > 2 and not torch.compiler.is_compiling():
            text = "MaxPool2d of more than two units takes maxima of pairs for Normal (Clark's approximation)"
            warnings.warn(text, ClarkWarning, stacklevel=2)
        trees, sizes = levels(units, dict(enumerate(windows, start=1)), mean.device)
        moments = largest(mean.flatten(1), variance.expand(mean.shape).flatten(1), trees)
        return tuple(part.reshape(len(mean), *sizes) for part in moments)


class Flatten(torch.nn.Flatten):
    """`torch.nn.Flatten` on pairs."""

    def forward(self, x: Signal) -> Any:
        mean, variance = _pair(x)
        return super().forward(mean) if variance is None else (super().forward(mean), super().forward(variance))


def kl(module: torch.nn.Module) -> Tensor:
    """The divergence of all Bayesian layers of a network from their priors, in nats."""
    terms = [layer.kl() for layer in module.modules() if isinstance(layer, _Weighted)]
    if not terms:
        raise ValueError("the network has no Bayesian layer")
    return torch.stack(terms).sum()


def _kl(mean: Tensor, log_sd: Tensor, prior_sd: float) -> Tensor:
    """Σ ln(s₀/s) + (s² + m²)/2s₀² − 1/2."""
    ratio = torch.exp(2 * log_sd) + mean**2
    return (math.log(prior_sd) - log_sd + ratio / (2 * prior_sd**2) - 0.5).sum()
