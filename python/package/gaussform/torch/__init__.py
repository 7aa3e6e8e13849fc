"""Gaussian moments on tensors of PyTorch: operators, layers, and trained networks with error bars.

    >>> import gaussform as gf
    >>> mean, variance = gf.torch.moments(gamma, xi2, "relu")           # autograd, vmap, compile, export
    >>> mean, cov = gf.torch.propagate(net, x, input_variance)          # any network that torch.fx traces
"""

from __future__ import annotations

from . import elbo, nn
from ._maximum import ClarkWarning
from ._moments import Moments, moments
from ._noise import NoRule
from ._propagate import LinearizedWarning, propagate

__all__ = ["ClarkWarning", "LinearizedWarning", "Moments", "NoRule", "elbo", "moments", "nn", "propagate"]
