"""The operators: what PyTorch's dispatcher calls, and what it may assume of them.

Each takes tensors of one shape and of one floating type, the values of the parameters as one float64 tensor, and the text that
names the function. An exported program has the text in it, and runs wherever this package is imported.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from .._function import Function, derive

Pair = tuple[Tensor, Tensor]


@functools.lru_cache(maxsize=1024)
def function(text: str) -> Function:
    """The function of an operator's argument."""
    return derive(text)


def _empty(like: Tensor, count: int) -> list[Tensor]:
    """Contiguous tensors whatever the strides of the input are."""
    return [torch.empty(like.shape, dtype=like.dtype, device=like.device) for _ in range(count)]


def _readable(tensor: Tensor) -> NDArray[Any]:
    """The tensor's memory as an array; a copy's where that begins between elements, as at an odd offset of a buffer."""
    aligned = tensor.data_ptr() % tensor.element_size() == 0
    array: NDArray[Any] = (tensor if aligned else tensor.clone()).detach().numpy()
    return array


def _compute(quantity: str, text: str, parameters: Tensor, inputs: Sequence[Tensor], count: int) -> list[Tensor]:
    outputs = _empty(inputs[0], count)
    arrays = [_readable(tensor) for tensor in inputs]
    values = parameters.tolist() if parameters.numel() else []
    native = function(text)._native
    native.compute(quantity, values, arrays, [tensor.numpy() for tensor in outputs])
    return outputs


@torch.library.custom_op("gaussform::moments", mutates_args=(), device_types="cpu")
def moments(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> tuple[Tensor, Tensor]:
    """Mean and variance."""
    mean, variance = _compute("moments", g, parameters, (gamma, xi2), 2)
    return mean, variance


@torch.library.custom_op("gaussform::moments_grad", mutates_args=(), device_types="cpu")
def moments_grad(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> list[Tensor]:
    """Mean, variance, and their derivatives in gamma and xi2."""
    return _compute("moments_grad", g, parameters, (gamma, xi2), 6)


@torch.library.custom_op("gaussform::moments_vjp", mutates_args=(), device_types="cpu")
def moments_vjp(
    gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str
) -> tuple[Tensor, Tensor]:
    """Cotangents of gamma and xi2."""
    d_gamma, d_xi2 = _compute("vjp", g, parameters, (gamma, xi2, d_mean, d_variance), 2)
    return d_gamma, d_xi2


@torch.library.custom_op("gaussform::parameters_vjp", mutates_args=(), device_types="cpu")
def parameters_vjp(
    gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str
) -> Tensor:
    """Cotangents of the parameters."""
    count = parameters.numel()
    gradients = _compute("parameter_grad", g, parameters, (gamma, xi2), 3 * count)
    sums = [(d_mean * gradients[3 * i] + d_variance * gradients[3 * i + 2]).sum() for i in range(count)]
    return torch.stack(sums).to(parameters.dtype) if sums else torch.zeros_like(parameters)


@torch.library.custom_op("gaussform::moments_hessian", mutates_args=(), device_types="cpu")
def moments_hessian(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> list[Tensor]:
    """Second derivatives, of the mean and then of the variance: in gamma twice, in gamma and xi2, in xi2 twice."""
    outputs = _empty(gamma, 6)
    values = parameters.tolist() if parameters.numel() else []
    arrays = [_readable(gamma), _readable(xi2)]
    function(g)._native.hessian(values, arrays, [tensor.numpy() for tensor in outputs])
    return outputs


@moments.register_fake
def _(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> tuple[Tensor, Tensor]:
    mean, variance = _empty(gamma, 2)
    return mean, variance


@moments_grad.register_fake
def _(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> list[Tensor]:
    return _empty(gamma, 6)


@moments_vjp.register_fake
def _(
    gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str
) -> tuple[Tensor, Tensor]:
    d_gamma, d_xi2 = _empty(gamma, 2)
    return d_gamma, d_xi2


@parameters_vjp.register_fake
def _(gamma: Tensor, xi2: Tensor, d_mean: Tensor, d_variance: Tensor, parameters: Tensor, g: str) -> Tensor:
    return torch.empty_like(parameters)


@moments_hessian.register_fake
def _(gamma: Tensor, xi2: Tensor, parameters: Tensor, g: str) -> list[Tensor]:
    return _empty(gamma, 6)
