"""Expected log likelihoods of Normal outputs: the data terms of variational bounds, without samples.

All are the means of log p(y | f) for f ~ N(mean, variance), and differentiable. With `gaussform.torch.nn.kl`, a loss is
`-elbo.normal(mean, variance, y, noise).sum() + nn.kl(net)`.

Classes rest on the Gumbel trick. Let G_k be independent standard Gumbel numbers. The largest of f_k + G_k has the mean E[log Σ exp f_k] + γ, with
Euler's constant γ. So with F_k(t) = E[exp(−e^{−(t − f_k)})], the distribution function of f_k + G_k, and a range (lo, hi) that holds all of them,

    E[log Σ exp f] = hi − ∫ Π F_k dt − γ     ∂/∂m_k = ∫ F_k′ Π_{j≠k} F_j dt     ∂/∂v_k = −½ ∫ F_k″ Π_{j≠k} F_j dt

by the trapezoidal rule, which converges geometrically for such integrands.
"""

from __future__ import annotations

import math
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


def normal(mean: Tensor, variance: Tensor, y: Tensor, noise_variance: Tensor | float) -> Tensor:
    """E[log N(y; f, noise_variance)], element by element: −½ log 2πs² − ((y − mean)² + variance)/2s²."""
    noise = torch.as_tensor(noise_variance, dtype=mean.dtype, device=mean.device)
    return -0.5 * (_LOG_TAU + torch.log(noise)) - ((y - mean) ** 2 + variance) / (2 * noise)


def poisson(mean: Tensor, variance: Tensor, y: Tensor) -> Tensor:
    """E[log Poisson(y; exp f)], element by element: y·mean − exp(mean + variance/2) − log y!."""
    return y * mean - torch.exp(mean + variance / 2) - torch.lgamma(y + 1)


def bernoulli(mean: Tensor, variance: Tensor, y: Tensor) -> Tensor:
    """E[log σ(f)] where y is 1 and E[log σ(−f)] where it is 0, element by element; right to some 1e-9 for variances up to 1e5."""
    mean, variance = torch.broadcast_tensors(mean, variance)
    against = torch.where(y.bool(), -mean, mean)
    zero = torch.zeros_like(mean)
    logits = torch.stack([zero, against], -1), torch.stack([zero, variance], -1)
    return -logsumexp(*logits)


def categorical(mean: Tensor, variance: Tensor, labels: Tensor) -> Tensor:
    """E[log softmax(f)_y] for independent Normal logits (…, classes) and labels (…): exact, where papers bound or sample.

    The bounds of Jankowiak (Eq. 38) and of Roth and Pernkopf are off by nats once logits have standard deviations above 1; this is right to
    some 1e-9 for variances up to 1e5.
    """
    own = mean.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
    return own - logsumexp(mean, variance)


def logsumexp(mean: Tensor, variance: Tensor) -> Tensor:
    """E[log Σ exp f_k] for independent Normal f (…, classes); differentiable once."""
    mean, variance = torch.broadcast_tensors(mean, variance)
    return _LogSumExp.apply(mean, variance)  # type: ignore[no-any-return]


class _LogSumExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, mean: Tensor, variance: Tensor) -> Tensor:
        shape, classes = mean.shape, mean.shape[-1]
        m = mean.detach().double().reshape(-1, classes)
        s = variance.detach().double().reshape(-1, classes).clamp_min(0).sqrt()
        value, d_mean, d_variance = m.new_empty(len(m)), torch.empty_like(m), torch.empty_like(m)
        for rows in _chunks(m, s):
            value[rows], d_mean[rows], d_variance[rows] = _integrals(m[rows], s[rows])
        ctx.save_for_backward(d_mean.reshape(shape).to(mean.dtype), d_variance.reshape(shape).to(mean.dtype))
        return value.reshape(shape[:-1]).to(mean.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, cotangent: Tensor) -> tuple[Tensor, Tensor]:
        d_mean, d_variance = ctx.saved_tensors
        cotangent = cotangent.unsqueeze(-1)
        return cotangent * d_mean, cotangent * d_variance


def _range(m: Tensor, s: Tensor) -> tuple[Tensor, Tensor, int]:
    """For each row where the largest may lie, and how many nodes all of them need."""
    low = (m - _FAR * s).amax(-1) + _LOWEST
    high = (m + _FAR * s).amax(-1) + _HIGHEST
    # A factor is smooth on the scale of its law.
    step = 0.2 * s.clamp_min(1.0).amin(-1)
    count = int(((high - low) / step).max().ceil().item()) + 1
    return low, high, min(max(count, 64), 4096)


def _chunks(m: Tensor, s: Tensor) -> list[Tensor]:
    """Rows of similar scales together, as many as there is room for."""
    order = torch.argsort(s.amax(-1) / s.clamp_min(1.0).amin(-1))
    parts, start = [], 0
    while start < len(order):
        count = _range(m[order[start:]][:256], s[order[start:]][:256])[2]
        size = max(1, min(256, _ROOM // (count * m.shape[1] * len(_gumbel()[0]))))
        parts.append(order[start : start + size])
        start += size
    return parts


def _integrals(m: Tensor, s: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """E[log Σ exp f] of each row with its derivatives in means and variances."""
    low, high, count = _range(m, s)
    share = torch.linspace(0, 1, count, dtype=m.dtype, device=m.device)
    t = low[:, None] + (high - low)[:, None] * share
    h = (high - low) / (count - 1)
    cdf, density, slope = _laws(t, m, s)
    logs = cdf.clamp_min(1e-300).log()
    total = logs.sum(1, keepdim=True)
    others = torch.exp(total - logs)
    product = torch.exp(total.squeeze(1))
    inside = product.sum(-1) - 0.5 * (product[:, 0] + product[:, -1])
    value = high - h * inside - _EULER
    d_mean = (density * others).sum(-1) * h[:, None]
    d_variance = -0.5 * (slope * others).sum(-1) * h[:, None]
    return value, d_mean, d_variance


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
