"""Linear maps of covariances: A C and A C Aᵀ for a map A of units that is given as a function, and the squared coefficients of average pools."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

#: A linear map along the first axes of units: from (batch, rows, *units) to (batch, rows, *units of the output).
Linear = Callable[[Tensor], Tensor]


def batched(apply: Linear) -> Linear:
    """A layer that takes one batch axis, for the two of a covariance's rows."""

    def part(rows: Tensor) -> Tensor:
        batch, count = rows.shape[:2]
        result = apply(rows.reshape(batch * count, *rows.shape[2:]))
        return result.reshape(batch, count, *result.shape[1:])

    return part


def rows(part: Linear, matrix: Tensor, units: torch.Size) -> Tensor:
    """The map applied to the first index of (batch, n, m)."""
    batch, _, m = matrix.shape
    vectors = matrix.transpose(1, 2).reshape(batch, m, *units)
    result = part(vectors)
    return result.reshape(batch, m, math.prod(result.shape[2:])).transpose(1, 2)


def sandwich(part: Linear, cov: Tensor, units: torch.Size) -> Tensor:
    """A C Aᵀ, of (batch, n, n)."""
    half = rows(part, cov, units)
    return rows(part, half.transpose(1, 2), units)


def bounded(cov: Any) -> Any:
    """Covariances that exceed the bound √(vᵢ vⱼ) by rounding, at the bound."""
    variance = np.maximum(np.diagonal(cov, axis1=1, axis2=2), 0.0)
    root = np.sqrt(variance)
    most = root[:, :, None] * root[:, None, :]
    clipped = np.clip(cov, -most, most)
    index = np.arange(cov.shape[1])
    clipped[:, index, index] = variance
    return clipped


def checked(cov: Tensor, eps: float) -> Tensor:
    """Covariances (batch, n, n), symmetric to the last digit; `eps` is the rounding of their type. What is none beyond rounding is refused."""
    if not bool(torch.isfinite(cov).all()):
        raise ValueError("a covariance of the inputs is infinite or not a number")
    scale = torch.diagonal(cov, dim1=1, dim2=2).amax(1)[:, None, None] if cov.shape[1] else cov.new_zeros(len(cov), 1, 1)
    rounding = max(1e-6, cov.shape[1] * eps) * scale
    if not bool(((cov - cov.mT).abs() <= 10 * rounding).all()):
        raise ValueError("the covariances of the inputs are not symmetric")
    cov = (cov + cov.mT) / 2
    shift = rounding + torch.where(scale > 0, 0.0, 1.0)
    _, failed = torch.linalg.cholesky_ex(cov + shift * torch.eye(cov.shape[1], dtype=cov.dtype, device=cov.device))
    if bool((failed != 0).any()):
        row = int(failed.nonzero()[0])
        raise ValueError(f"the covariance of row {row} of the inputs is none: it has a negative eigenvalue, so that some sum of units would have a negative variance")
    return cov


def keeps_rows(move: Callable[[Tensor], Tensor], mean: Tensor) -> bool:
    """Whether a linear map of (batch, *units) maps each row of the batch to the row of the same index.

    It does if multiples of the rows, which differ from row to row, give the same multiples of the rows of the output. The map is tried in float64, whatever the
    type of the values; one that rounds to a type of its own has that type's tolerance.
    """
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(mean.shape, generator=generator, dtype=torch.float64)
    factors = 1.0 + torch.rand(len(mean), generator=generator, dtype=torch.float64)
    rows = rows.to(mean.device)
    result = move(rows)
    if result.shape[:1] != mean.shape[:1]:
        return False
    factors = factors.to(mean.device)
    multiples = move(factors.reshape(-1, *[1] * (rows.dim() - 1)) * rows).double()
    expected = result.double() * factors.reshape(-1, *[1] * (result.dim() - 1))
    largest = float(expected.abs().max()) if result.numel() else 0.0
    tolerance = max(1e-3, 8 * torch.finfo(result.dtype).eps)
    return bool(torch.allclose(multiples, expected, rtol=tolerance, atol=tolerance * largest))


def squared_averages(layer: Any, sizes: tuple[int, ...]) -> Iterator[Tensor]:
    """Squared coefficients of an average pool, a matrix (input, output) for each axis; those of the pool are the products.

    An average over a window is that along one axis after the other, whatever the padding, the strides and the ends that `ceil_mode` adds.
    """

    def setting(name: str, axis: int) -> Any:
        value = getattr(layer, name)
        return value[axis] if isinstance(value, (tuple, list)) else value

    for axis, count in enumerate(sizes):
        units = torch.eye(count, dtype=torch.float64).unsqueeze(0)
        if isinstance(layer, (nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d)):
            wanted = setting("output_size", axis)
            matrix = F.adaptive_avg_pool1d(units, count if wanted is None else wanted)[0]
        else:
            size, stride, padding = (setting(name, axis) for name in ("kernel_size", "stride", "padding"))
            matrix = F.avg_pool1d(units, size, stride, padding, layer.ceil_mode, layer.count_include_pad)[0]
            divisor = getattr(layer, "divisor_override", None)
            if divisor is not None:
                matrix = (matrix > 0).double() / (divisor if axis == 0 else 1)
        yield matrix**2
