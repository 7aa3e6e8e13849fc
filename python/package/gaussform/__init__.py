"""Exact Gaussian expectations of piecewise-polynomial activations.

For a Normal pre-activation u ~ N(gamma, xi2) and a piecewise polynomial g, the moments of g(u): derived exactly, proved,
and computed on arrays by compiled kernels that stay accurate in the tails.

    >>> import gaussform as gf
    >>> f = gf.derive("leaky(x; eps in (0, 1)) = max(eps*x, x)")
    >>> mean, variance = f.moments([-1.0, 0.0, 1.0], 2.0, eps=0.1)
    >>> print(gf.library.relu.formula(1))
    E[g(u)] = 1/2 γ + 1/2 γ erf(γ/(√2 ξ)) + 1/2 √(2/π) ξ exp(−γ²/(2 ξ²))

`gaussform.torch`, `gaussform.jax`, `gaussform.sklearn`, `gaussform.polars` and `gaussform.arrow` need the packages that they are named
after, and are imported when they are used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import library
from ._function import (
    Certificate,
    Conditional,
    ConditionalMoments,
    Function,
    LogMoments,
    LogMomentsGrad,
    Moments,
    MomentsGrad,
    MomentsHessian,
    ParameterGrad,
    derive,
    read,
)
from ._native import (
    DeclarationError,
    DerivationError,
    ParameterError,
    get_num_threads,
)
from ._pairs import (
    Infinite,
    MixedMoment,
    PairMoments,
    covariance,
    covariance_grad,
    layer_covariance,
    mixed_moment,
    nngp,
)
from ._threads import set_num_threads

if TYPE_CHECKING:
    from . import arrow as arrow
    from . import jax as jax
    from . import polars as polars
    from . import sklearn as sklearn
    from . import torch as torch

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "Conditional",
    "ConditionalMoments",
    "DeclarationError",
    "DerivationError",
    "Function",
    "Infinite",
    "LogMoments",
    "LogMomentsGrad",
    "MixedMoment",
    "Moments",
    "MomentsGrad",
    "MomentsHessian",
    "PairMoments",
    "ParameterError",
    "ParameterGrad",
    "covariance",
    "covariance_grad",
    "derive",
    "get_num_threads",
    "layer_covariance",
    "library",
    "mixed_moment",
    "nngp",
    "read",
    "set_num_threads",
]

#: Modules that need more than NumPy.
_EXTRAS = ("arrow", "jax", "polars", "sklearn", "torch")


def __getattr__(name: str) -> Any:
    if name in _EXTRAS:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_EXTRAS])
