"""Moments of the maximum of two Normal numbers, and of units that a hinge bends.

    max(a, b) = a + relu(d),   d = b − a,   where a has the larger mean
    mean            E a + E relu(d)
    variance        Var a + 2 Φ Cov(a, d) + Var relu(d),   Φ = P(d > 0) ≤ ½
    Cov(max, w)     Cov(a, w) + Φ Cov(d, w),   for Normal w (Stein's lemma)

All are exact for two jointly Normal numbers (Clark 1961). If a and b are independent, Cov(a, d) = −Var a, and no terms of the variance cancel, since Φ ≤ ½.
Where d does not vary the maximum is a itself, to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from .._function import derive
from .._pairs import layer_covariance
from ._covariance import Linear, bounded, rows, sandwich
from ._moments import moments



class ClarkWarning(UserWarning):
    """Maxima of three and more units were taken by pairs, as if each maximum were Normal (Clark 1961). That of two is exact."""


#: From so many standard deviations on, a tail is 0 in double precision.
_FAR = 40.0


def larger(a: Tensor, var_a: Tensor, b: Tensor, var_b: Tensor, is_one: Tensor | bool = False) -> tuple[Tensor, Tensor]:
    """Mean and variance of max(a, b) for independent a and b, element by element; where `is_one` holds, a and b are one number.

    Differentiable in all four. Where neither varies, the derivatives are those of the maximum of two numbers.
    """
    is_first = a >= b
    mean, other = torch.where(is_first, a, b), torch.where(is_first, b, a)
    variance = torch.where(is_first, var_a, var_b)
    total = (var_a + var_b).masked_fill(torch.as_tensor(is_one, device=a.device), 0.0)
    gap = other - mean
    # Both branches of a choice are differentiated, so the one that is not chosen gets numbers whose derivatives are finite.
    is_decided = total.detach() <= (gap.detach() / _FAR) ** 2
    total, gap = total.masked_fill(is_decided, 1.0), gap.masked_fill(is_decided, 0.0)
    bend, added = (part.masked_fill(is_decided, 0.0) for part in moments(gap, total, "relu"))
    share = torch.special.ndtr(gap / torch.sqrt(total)).masked_fill(is_decided, 0.0)
    return mean + bend, variance * (1 - 2 * share) + added


def largest(mean: Tensor, variance: Tensor, levels: Iterable[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Moments of the roots of trees over independent units (batch, n), as if each maximum on the way were Normal; a level has the two units of each pair."""
    for first, second in levels:
        mean, variance = larger(mean[:, first], variance[:, first], mean[:, second], variance[:, second], first == second)
    return mean, variance


def rectified(mean: Tensor, variance: Tensor, slope: Tensor) -> tuple[Tensor, Tensor]:
    """Moments of relu(u) − slope · relu(−u), of which one term is 0 for every u: their covariance is −E relu(u) E relu(−u)."""
    (up, var_up), (down, var_down) = moments(mean, variance, "relu"), moments(-mean, variance, "relu")
    return up - slope * down, var_up + slope * (slope * var_down + 2 * up * down)


def bent(cov: Tensor, units: torch.Size, base: Linear, hinge: Linear, gamma: Tensor, scale: Tensor | float = 1.0) -> tuple[Tensor, Tensor, Linear]:
    """Units A u + s relu(D u) of Normal u (batch, n) with covariances: E relu(D u), the covariance, and the linear map that cross-covariances move by.

    `base` and `hinge` are A and D, on (batch, rows, *units), and `gamma` (batch, m) is E D u.
    """
    relu = derive("relu")
    knots = bounded(sandwich(hinge, cov, units).cpu().numpy())
    means = gamma.double().cpu().numpy()
    grad = relu.moments_grad(means, np.ascontiguousarray(np.diagonal(knots, axis1=1, axis2=2)))
    bend, slope, own = (torch.from_numpy(part).to(cov.device) for part in (grad.mean, grad.dmean_dgamma, layer_covariance(relu, means, knots)))
    factor = torch.as_tensor(scale, dtype=cov.dtype, device=cov.device).expand(gamma.shape)
    slope = slope * factor
    straight = sandwich(base, cov, units)
    mixed = rows(hinge, rows(base, cov, units).transpose(1, 2), units).transpose(1, 2) * slope[:, None]
    result = straight + mixed + mixed.transpose(1, 2) + factor[:, :, None] * own * factor[:, None]

    def part(vectors: Tensor) -> Tensor:
        moved: Tensor = base(vectors) + hinge(vectors) * slope[:, None]
        return moved

    return bend, result, part


def larger_units(mean: Tensor, cov: Tensor, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, Linear]:
    """Means (batch, m) and covariances of the maxima of pairs of units, which `first` and `second` number, and their linear map on (batch, rows, n)."""
    is_first = mean[:, first] >= mean[:, second]
    high, low = torch.where(is_first, first, second), torch.where(is_first, second, first)

    def taken(vectors: Tensor, index: Tensor) -> Tensor:
        return vectors.gather(2, index[:, None].expand(-1, vectors.shape[1], -1))

    largest = mean.gather(1, high)
    bend, result, part = bent(
        cov, mean.shape[1:], lambda t: taken(t, high), lambda t: taken(t, low) - taken(t, high), mean.gather(1, low) - largest
    )
    return largest + bend, result, part
