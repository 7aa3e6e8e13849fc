"""Two correlated pre-activations, layers of them, and networks of infinite width."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native as core
from ._arrays import Array, Result, contiguous, elementwise, real
from ._function import NONE, Function, as_function, joined


class PairMoments(NamedTuple):
    """E[g(u) h(w)], Cov(g(u), h(w)) and the derivatives of the covariance."""

    mixed: Result
    covariance: Result
    dcovariance_dgamma: Result
    dcovariance_dxi2: Result
    dcovariance_dgamma_h: Result
    dcovariance_dxi2_h: Result
    dcovariance_dcov: Result


class MixedMoment(NamedTuple):
    """E[g(u) h(w)], its logarithm, and the derivatives of both."""

    mixed: Result
    dmixed_dgamma: Result
    dmixed_dxi2: Result
    dmixed_dgamma_h: Result
    dmixed_dxi2_h: Result
    dmixed_dcov: Result
    log_mixed: Result
    dlog_mixed_dgamma: Result
    dlog_mixed_dxi2: Result
    dlog_mixed_dgamma_h: Result
    dlog_mixed_dxi2_h: Result
    dlog_mixed_dcov: Result


#: More layers than any network has.
_DEEPEST = 1_000_000


class Infinite(NamedTuple):
    """Kernels of a network of infinite width, each of shape (rows of x, rows of y)."""

    nngp: NDArray[np.float64]
    ntk: NDArray[np.float64]


def covariance_grad(
    f: Function | str,
    h: Function | str,
    gamma: ArrayLike,
    xi2: ArrayLike,
    gamma_h: ArrayLike,
    xi2_h: ArrayLike,
    cov: ArrayLike,
    /,
    *,
    parameters: Mapping[str, float] = NONE,
    parameters_h: Mapping[str, float] = NONE,
) -> PairMoments:
    """E[f(u) h(w)], Cov(f(u), h(w)) and the derivatives of the covariance.

    (u, w) is Normal with means gamma and gamma_h, variances xi2 and xi2_h and covariance cov; these broadcast. All is computed in
    float64; float32 is rounded once. What is no law, with a covariance larger than the variances allow, gives NaN.
    """
    law = (gamma, xi2, gamma_h, xi2_h, cov)
    return PairMoments(*_of_pair(core.Function.pairs, PairMoments._fields, f, h, law, parameters, parameters_h))


def covariance(
    f: Function | str,
    h: Function | str,
    gamma: ArrayLike,
    xi2: ArrayLike,
    gamma_h: ArrayLike,
    xi2_h: ArrayLike,
    cov: ArrayLike,
    /,
    *,
    parameters: Mapping[str, float] = NONE,
    parameters_h: Mapping[str, float] = NONE,
) -> Result:
    """Cov(f(u), h(w)) for (u, w) Normal with means gamma and gamma_h, variances xi2 and xi2_h and covariance cov, which broadcast.

    >>> round(float(covariance("max(0, x)", "max(0, x)", 0.0, 1.0, 0.0, 1.0, 0.5)), 12)
    0.14534394743
    """
    law = (gamma, xi2, gamma_h, xi2_h, cov)
    return covariance_grad(f, h, *law, parameters=parameters, parameters_h=parameters_h).covariance


def mixed_moment(
    f: Function | str,
    h: Function | str,
    gamma: ArrayLike,
    xi2: ArrayLike,
    gamma_h: ArrayLike,
    xi2_h: ArrayLike,
    cov: ArrayLike,
    /,
    *,
    parameters: Mapping[str, float] = NONE,
    parameters_h: Mapping[str, float] = NONE,
) -> MixedMoment:
    """E[f(u) h(w)] relative to itself however small it is, its logarithm, and the derivatives of both in all five numbers.

    For joint exceedances and orthant probabilities, and for logarithms where E[f h] is below all floats. `covariance_grad` is many times
    faster, and has E[f h] relative to |Cov| + |E[f] E[h]|. The logarithm is NaN unless both functions are nowhere negative.

    >>> round(float(mixed_moment("step(x)", "step(x)", -1000.0, 1.0, -2000.0, 1.0, -0.5).log_mixed), 1)
    -4666684.4
    """
    law = (gamma, xi2, gamma_h, xi2_h, cov)
    return MixedMoment(*_of_pair(core.Function.mixed, MixedMoment._fields, f, h, law, parameters, parameters_h))


def _of_pair(
    kernel: Callable[..., None],
    fields: tuple[str, ...],
    f: Function | str,
    h: Function | str,
    law: tuple[ArrayLike, ...],
    parameters: Mapping[str, float],
    parameters_h: Mapping[str, float],
) -> list[Result]:
    """The results of a kernel for two functions, of the shape that the five numbers of the law broadcast to."""
    f, h = as_function(f), as_function(h)
    values, others = f._values(joined(NONE, parameters)), h._values(joined(NONE, parameters_h, "parameters_h"))

    def compute(inputs: list[Array], outputs: list[Array]) -> None:
        kernel(f._native, values, h._native, others, inputs, outputs)

    return elementwise(("gamma", "xi2", "gamma_h", "xi2_h", "cov"), law, fields, None, compute)


def layer_covariance(f: Function | str, gamma: ArrayLike, cov: ArrayLike, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> Array:
    """The covariance matrix of f(u₁), …, f(u_n) for u Normal with means gamma (…, n) and covariances cov (…, n, n).

    The diagonal of `cov` and what is below it are read. Leading axes are a batch, and broadcast. The result has the shape (…, n, n) and is
    symmetric; float32 is computed in float64 and rounded once.
    """
    f = as_function(f)
    numbers = f._values(values, parameters)
    mean, matrix = real("gamma", gamma), real("cov", cov)
    if mean.ndim < 1:
        raise ValueError("gamma is a single number; the means (…, n) of the units of a layer are wanted")
    n = mean.shape[-1]
    if matrix.shape[-2:] != (n, n):
        raise ValueError(f"cov has the shape {matrix.shape}; (…, {n}, {n}) is wanted for gamma of the shape {mean.shape}")
    dtype = np.float32 if mean.dtype == matrix.dtype == np.float32 else np.float64
    try:
        batch = np.broadcast_shapes(mean.shape[:-1], matrix.shape[:-2])
    except ValueError:
        raise ValueError(f"the leading axes do not broadcast: gamma {mean.shape}, cov {matrix.shape}") from None
    count = math.prod(batch)
    mean = contiguous(np.broadcast_to(mean, (*batch, n))).reshape(count, n)
    matrix = contiguous(np.broadcast_to(matrix, (*batch, n, n))).reshape(count, n, n)
    out = np.empty_like(matrix)
    if out.size:
        f._native.layer(numbers, mean, matrix, out)
    return out.reshape(*batch, n, n).astype(dtype, copy=False)


def nngp(
    f: Function | str,
    x: ArrayLike,
    y: ArrayLike | None = None,
    /,
    *,
    depth: int = 1,
    weight_variance: float | None = None,
    bias_variance: float = 0.0,
    parameters: Mapping[str, float] = NONE,
    **values: float,
) -> Infinite:
    """The kernels NNGP and NTK of a network of infinite width with `depth` layers of activations f.

    `x` is (rows, columns), and so is `y`, which is `x` where it is left out. A layer has weights of variance `weight_variance` over
    the number of units below, and a bias of variance `bias_variance`. By default the variance of weights is 1/E[f(u)²] for u ~ N(0, 1): pre-activations
    of variance 1 keep it through all layers (2 for a ReLU, as He et al. have it).

    The recursions are those of Lee et al., "Deep Neural Networks as Gaussian Processes", Eq. 5, and of Jacot et al., "Neural
    Tangent Kernel", Theorem 1.
    """
    f = as_function(f)
    numbers = f._values(values, parameters)
    rows = contiguous(real("x", x))
    columns = rows if y is None else contiguous(real("y", y))
    if rows.ndim != 2 or columns.ndim != 2 or rows.shape[1] != columns.shape[1] or rows.shape[1] == 0:
        raise ValueError(f"x {rows.shape} and y {columns.shape} are matrices with the same number of columns")
    try:
        depth = operator.index(depth)
    except TypeError:
        raise TypeError(f"depth is {depth!r}; a whole number is wanted") from None
    if not 0 <= depth <= _DEEPEST:
        raise ValueError(f"depth is {depth}; a number from 0 to {_DEEPEST} is wanted")
    if weight_variance is None:
        mean, variance = f.moments(0.0, 1.0, parameters=dict(zip(f.parameters, numbers)))
        second = float(variance + mean * mean)
        if not second > 0:
            raise ValueError(f"`{f.name}` is 0 everywhere, so that no variance of weights keeps that of pre-activations; give weight_variance")
        weight_variance = 1.0 / second
    weight_variance = _variance("weight_variance", weight_variance)
    bias_variance = _variance("bias_variance", bias_variance)
    shape = (rows.shape[0], columns.shape[0])
    result = Infinite(np.empty(shape), np.empty(shape))
    if 0 not in shape:
        f._native.infinite(numbers, depth, [weight_variance, bias_variance], rows, columns, result.nngp, result.ntk)
    return result


def _variance(name: str, value: Any) -> float:
    try:
        number = math.nan if isinstance(value, (str, bytes)) else float(value)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise ValueError(f"{name} is {value!r}; a number that is not negative is wanted")
    return number
