"""Expected log likelihoods of Normal outputs: the data terms of variational bounds, without samples.

All are the means of log p(y | f) for f ~ N(mean, variance), and differentiable. Means and variances (at least 0) are tensors of one floating type that
broadcast with the targets, and the terms have the shape that they broadcast to. With `gaussform.torch.nn.kl`, a loss is
`-elbo.normal(mean, variance, y, noise).sum() + nn.kl(net)`.

Classes rest on the Gumbel trick. Let G_k be independent standard Gumbel numbers. The largest of f_k + G_k has the mean E[log Σ exp f_k] + γ, with
Euler's constant γ. So with F_k(t) = E[exp(−e^{−(t − f_k)})], the distribution function of f_k + G_k, and a range (lo, hi) that holds all of them,

    E[log Σ exp f] = hi − ∫ Π F_k dt − γ     ∂/∂m_k = ∫ F_k′ Π_{j≠k} F_j dt     ∂/∂v_k = −½ ∫ F_k″ Π_{j≠k} F_j dt

at nodes side by side (the trapezoidal rule, which converges geometrically for such integrands), or where standard deviations differ much, at
Gauss–Legendre nodes between ends that every class adds on its own scale.
"""

from __future__ import annotations

import math
import warnings
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

_LOG_TAU = math.log(2 * math.pi)
_EULER = 0.5772156649015329
#: Numbers that one step of a quadrature holds.
_ROOM = 1 << 22
#: Standard deviations that a Normal number is taken to lie within.
_FAR = 8.5
#: Where a Gumbel number lies, and steps of its rule; the error is about e^{−π²/h}.
_LOWEST, _HIGHEST, _STEP = -4.0, 34.0, 0.4
#: Steps of the trapezoidal rule on the scale of the narrowest law.
_EVEN = 0.3
#: Ends of panels around the mean of a law, on its scale, and those of the Gumbel number's longer tail; nodes of a panel.
_ENDS, _TAIL, _POINTS = (-9.0, -7.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0, 7.0, 9.0), (12.0, 16.0, 20.0, 26.0, 36.0), 16


def normal(mean: Tensor, variance: Tensor, y: Tensor | float, noise_variance: Tensor | float) -> Tensor:
    """E[log N(y; f, noise_variance)], element by element, for numbers y and a noise above 0: −½ log 2πs² − ((y − mean)² + variance)/2s²."""
    y = torch.as_tensor(y, device=mean.device)
    _check_stretched(mean.shape, y.shape)
    noise = torch.as_tensor(noise_variance, dtype=mean.dtype, device=mean.device)
    return -0.5 * (_LOG_TAU + torch.log(noise)) - ((y - mean) ** 2 + variance) / (2 * noise)


def poisson(mean: Tensor, variance: Tensor, y: Tensor) -> Tensor:
    """E[log Poisson(y; exp f)], element by element, for counts y from 0 on: y·mean − exp(mean + variance/2) − log y!."""
    _check_stretched(mean.shape, y.shape)
    return y * mean - torch.exp(mean + variance / 2) - torch.lgamma(y + 1)


def bernoulli(mean: Tensor, variance: Tensor, y: Tensor) -> Tensor:
    """y·E[log σ(f)] + (1 − y)·E[log σ(−f)], element by element, for y from 0 to 1; right to some 1e-9 of 1 + |f|, whatever the variance."""
    mean, variance = torch.broadcast_tensors(mean, variance)
    _check_stretched(mean.shape, y.shape)
    y = y.to(mean.dtype)
    is_likely = y >= 0.5
    against = torch.where(is_likely, -mean, mean)
    variance = variance.expand_as(against)
    zero = torch.zeros_like(against)
    logits = torch.stack([zero, against], -1), torch.stack([zero, variance], -1)
    # log σ(−f) = log σ(f) − f.
    return torch.where(is_likely, y - 1, y) * mean - logsumexp(*logits)


def categorical(mean: Tensor, variance: Tensor, labels: Tensor) -> Tensor:
    """E[log softmax(f)_y] for independent Normal logits (…, classes) and labels (…) from 0 to classes − 1, of a whole type: exact, where papers bound or sample.

    The bounds of Jankowiak (Eq. 38) and of Roth and Pernkopf are off by nats once logits have standard deviations above 1; this is right to
    some 1e-9 of 1 + |f|, whatever the variances.
    """
    mean, variance = torch.broadcast_tensors(mean, variance)
    _check_stretched(mean.shape[:-1], labels.shape)
    shape = torch.broadcast_shapes(mean.shape[:-1], labels.shape)
    own = mean.expand(*shape, mean.shape[-1]).gather(-1, labels.expand(shape).unsqueeze(-1)).squeeze(-1)
    return own - logsumexp(mean, variance)


def _check_stretched(outputs: torch.Size, targets: torch.Size) -> None:
    """Warns where outputs and targets are both stretched, as (n, 1) and (n,) are to (n, n): then each output meets every target."""
    shape = torch.broadcast_shapes(outputs, targets)
    if shape != outputs and shape != targets:
        text = f"the outputs have the shape {tuple(outputs)} and the targets {tuple(targets)}, so that the terms are {tuple(shape)}; give both one shape"
        warnings.warn(text, UserWarning, stacklevel=3)


def logsumexp(mean: Tensor, variance: Tensor) -> Tensor:
    """E[log Σ exp f_k] for independent Normal f (…, classes), right to some 1e-9 of 1 + |f|; differentiable once, in both modes and under `vmap`.

    A mean of −∞ leaves its class out, and a negative variance gives NaN.
    """
    if not mean.is_floating_point() or mean.dtype != variance.dtype:
        kind = torch.promote_types(torch.result_type(mean, variance), torch.get_default_dtype())
        mean, variance = mean.to(kind), variance.to(kind)
    mean, variance = torch.broadcast_tensors(mean, variance)
    value, _, _ = _LogSumExp.apply(mean, variance)
    return value  # type: ignore[no-any-return]


class _LogSumExp(torch.autograd.Function):
    """The value, and its derivatives in means and variances, which are kept."""

    @staticmethod
    def forward(mean: Tensor, variance: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        shape, classes = mean.shape, mean.shape[-1]
        m = mean.detach().double().reshape(-1, classes)
        s = variance.detach().double().reshape(-1, classes).sqrt()
        value = m.new_full((len(m),), math.nan)
        d_mean, d_variance = torch.full_like(m, math.nan), torch.full_like(m, math.nan)
        for rows, is_even in _chunks(m, s):
            value[rows], d_mean[rows], d_variance[rows] = _integrals(m[rows], s[rows], is_even)
        kind = mean.dtype
        return value.reshape(shape[:-1]).to(kind), d_mean.reshape(shape).to(kind), d_variance.reshape(shape).to(kind)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor], output: tuple[Tensor, Tensor, Tensor]) -> None:
        _, d_mean, d_variance = output
        ctx.mark_non_differentiable(d_mean, d_variance)
        ctx.save_for_backward(*inputs, d_mean, d_variance)
        ctx.save_for_forward(*inputs, d_mean, d_variance)

    @staticmethod
    def backward(ctx: Any, cotangent: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
        d_mean, d_variance = _Once.apply(*ctx.saved_tensors)
        cotangent = cotangent.unsqueeze(-1)
        return cotangent * d_mean, cotangent * d_variance

    @staticmethod
    def jvp(ctx: Any, t: Tensor | None, s: Tensor | None) -> tuple[Tensor, None, None]:
        slopes = _Once.apply(*ctx.saved_tensors)
        terms = [(slope * tangent).sum(-1) for slope, tangent in zip(slopes, (t, s)) if tangent is not None]
        return torch.stack(terms).sum(0), None, None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Tensor) -> tuple[Any, tuple[int, int, int]]:
        return _LogSumExp.apply(*_batched(in_dims, inputs)), (0, 0, 0)


class _Once(torch.autograd.Function):
    """The derivatives as functions of means and variances, which have no derivative themselves."""

    @staticmethod
    def forward(mean: Tensor, variance: Tensor, d_mean: Tensor, d_variance: Tensor) -> tuple[Tensor, Tensor]:
        return d_mean.clone(), d_variance.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *_: Any) -> Any:
        raise NotImplementedError("second derivatives of the bounds of classes")

    @staticmethod
    def jvp(ctx: Any, *_: Any) -> Any:
        raise NotImplementedError("second derivatives of the bounds of classes")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *inputs: Tensor) -> tuple[Any, tuple[int, int]]:
        return _Once.apply(*_batched(in_dims, inputs)), (0, 0)


def _batched(in_dims: tuple[int | None, ...], inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Tensors of one shape with their batched axis in front."""
    moved = [x.unsqueeze(0) if d is None else x.movedim(d, 0) for x, d in zip(inputs, in_dims)]
    return tuple(torch.broadcast_tensors(*moved))


def _chunks(m: Tensor, s: Tensor) -> list[tuple[Tensor, bool]]:
    """Rows that are integrated together, by the trapezoidal rule or by panels, whichever has fewer nodes; rows that have no value are left out."""
    is_valued = ~(m.isnan() | s.isnan() | s.isinf() | (m == math.inf)).any(-1) & (m > -math.inf).any(-1)
    low, high = _range(m, s)
    even = (high - low) / (_EVEN * s.clamp_min(1.0).amin(-1))
    classes = m.shape[-1]
    panels = _POINTS * (len(_ENDS) + len(_TAIL)) * classes
    parts: list[tuple[Tensor, bool]] = []
    for is_even, chosen in ((True, is_valued & (even <= panels)), (False, is_valued & (even > panels))):
        order = chosen.nonzero().squeeze(-1)
        order = order[torch.argsort(even[order])]
        counts = even[order].tolist()
        start = 0
        while start < len(order):
            # The last row of a chunk has most nodes.
            size = min(256, len(order) - start)
            while size > 1 and size * (counts[start + size - 1] if is_even else panels) * classes * len(_gumbel()[0]) > _ROOM:
                size //= 2
            parts.append((order[start : start + size], is_even))
            start += size
    return parts


def _range(m: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    """For each row where the largest may lie."""
    return (m - _FAR * s).amax(-1) + _LOWEST, (m + _FAR * s).amax(-1) + _HIGHEST


def _nodes(m: Tensor, s: Tensor, is_even: bool) -> tuple[Tensor, Tensor]:
    """Nodes and weights of each row: (rows, nodes)."""
    low, high = (end[:, None] for end in _range(m, s))
    if is_even:
        steps = (high - low).squeeze(1) / (_EVEN * s.clamp_min(1.0).amin(-1))
        count = max(int(steps.max().ceil().item()), 64)
        share = torch.linspace(0, 1, count + 1, dtype=m.dtype, device=m.device)
        weights = torch.full_like(share, 1 / count)
        weights[0] = weights[-1] = 0.5 / count
        return low + (high - low) * share, (high - low) * weights
    scale = s.clamp_min(1.0)[:, :, None]
    ends, tail = m.new_tensor(_ENDS), m.new_tensor(_TAIL)
    around = m[:, :, None] + torch.cat([scale * ends, torch.maximum(tail, scale * ends[-1])], -1)
    edges = torch.cat([low, around.flatten(1), high], 1).clamp(low, high).sort(-1).values
    points, shares = (x.to(m) for x in _legendre())
    width = edges.diff(dim=-1)[:, :, None]
    return (edges[:, :-1, None] + width * points).flatten(1), (width * shares).flatten(1)


def _integrals(m: Tensor, s: Tensor, is_even: bool) -> tuple[Tensor, Tensor, Tensor]:
    """E[log Σ exp f] of each row with its derivatives in means and variances."""
    nodes, weights = _nodes(m, s, is_even)
    inside, d_mean, d_variance = m.new_zeros(len(m)), torch.zeros_like(m), torch.zeros_like(m)
    size = max(1, _ROOM // (m.numel() * len(_gumbel()[0])))
    for t, h in zip(nodes.split(size, 1), weights.split(size, 1)):
        cdf, density, slope = _laws(t, m, s)
        logs = cdf.clamp_min(1e-300).log()
        total = logs.sum(1, keepdim=True)
        others = torch.exp(total - logs) * h[:, None]
        inside += (torch.exp(total.squeeze(1)) * h).sum(-1)
        d_mean += (density * others).sum(-1)
        d_variance -= 0.5 * (slope * others).sum(-1)
    return _range(m, s)[1] - inside - _EULER, d_mean, d_variance


def _laws(t: Tensor, m: Tensor, s: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """F, F′ and F″ of f + G at nodes (rows, nodes): (rows, classes, nodes)."""
    y = t[:, None, :] - m[:, :, None]
    results = [torch.empty_like(y) for _ in range(3)]
    wide = s >= 1
    if wide.any():
        g, weights = (x.to(m) for x in _gumbel())
        unit = s[wide][:, None, None]
        z = (y[wide][:, :, None] - g) / unit
        density = torch.exp(-0.5 * z**2) / (math.sqrt(2 * math.pi) * unit)
        parts = torch.special.ndtr(z), density, -z / unit * density
        for result, part in zip(results, parts):
            result[wide] = part @ weights
    if not wide.all():
        z, weights = (x.to(m) for x in _hermite())
        x = y[~wide][:, :, None] - s[~wide][:, None, None] * z
        e = torch.exp(-x.clamp_min(-700.0))
        cdf = torch.exp(-e)
        # Where the exponential is infinite, everything is 0.
        tail = torch.where(cdf > 0, e * cdf, 0.0)
        parts = cdf, tail, torch.where(cdf > 0, tail * (e - 1), 0.0)
        for result, part in zip(results, parts):
            result[~wide] = part @ weights
    return results[0], results[1], results[2]


@lru_cache(maxsize=1)
def _gumbel() -> tuple[Tensor, Tensor]:
    g = np.arange(_LOWEST, _HIGHEST, _STEP)
    weights = np.exp(-g - np.exp(-g))
    return torch.from_numpy(g), torch.from_numpy(weights / weights.sum())


@lru_cache(maxsize=1)
def _hermite() -> tuple[Tensor, Tensor]:
    z, weights = np.polynomial.hermite_e.hermegauss(40)
    return torch.from_numpy(z), torch.from_numpy(weights / weights.sum())


@lru_cache(maxsize=1)
def _legendre() -> tuple[Tensor, Tensor]:
    """Nodes and weights between 0 and 1."""
    x, weights = np.polynomial.legendre.leggauss(_POINTS)
    return torch.from_numpy((x + 1) / 2), torch.from_numpy(weights / 2)
