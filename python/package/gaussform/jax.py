"""Moments on arrays of JAX: `gaussform.jax.moments(gamma, xi2, f)`, under `jit`, `vmap`, `grad`, `hessian` and `shard_map`.

On a processor the compiled kernels are called, through XLA's foreign functions. Elsewhere XLA compiles the emitted module of the function,
and second derivatives are computed by the host.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.custom_derivatives import SymbolicZero

from . import _native
from ._function import NONE, Function, as_function

_TARGET = "gaussform"

jax.ffi.register_ffi_target(_TARGET, _native.xla_handler(), platform="cpu")

#: What names a function: its text, and the values of its parameters by their names.
_Named = tuple[str, tuple[tuple[str, float], ...]]


def moments(gamma: Any, xi2: Any, f: Function | str, /, *, parameters: Mapping[str, float] = NONE, **values: float) -> tuple[Array, Array]:
    """E[f(u)] and Var f(u) for u ~ N(gamma, xi2), of the shape that `gamma` and `xi2` broadcast to.

    Differentiable twice, in both modes. Arrays are float32 or float64; half precision is computed in float32 and rounded. Parameters
    are numbers, not arrays that JAX traces.
    """
    function = as_function(f)
    numbers = function._values(values, parameters)
    gamma, xi2 = jnp.asarray(gamma), jnp.asarray(xi2)
    kind = jnp.result_type(gamma, xi2)
    if jnp.issubdtype(kind, jnp.integer) or kind == jnp.bool_:
        kind = jnp.result_type(float)
    if not jnp.issubdtype(kind, jnp.floating):
        raise TypeError(f"gamma and xi2 have the types {gamma.dtype} and {xi2.dtype}; real numbers are wanted")
    computed = jnp.promote_types(kind, jnp.float32)
    gamma, xi2 = _alike(*jnp.broadcast_arrays(gamma.astype(computed), xi2.astype(computed)))
    # Values that do not fit the declaration are refused here, where the error is Python's.
    function.is_compiled(parameters=dict(zip(function.parameters, numbers)))
    mean, variance = _moments((function._text, tuple(zip(function.parameters, numbers))), gamma, xi2)
    return mean.astype(kind), variance.astype(kind)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _moments(f: _Named, gamma: Array, xi2: Array) -> tuple[Array, ...]:
    return _computed("moments", 2, f, gamma, xi2)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _gradients(f: _Named, gamma: Array, xi2: Array) -> tuple[Array, ...]:
    return _computed("moments_grad", 6, f, gamma, xi2)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _hessian(f: _Named, gamma: Array, xi2: Array) -> tuple[Array, ...]:
    return _computed("hessian", 6, f, gamma, xi2)


@_hessian.defjvp
def _(f: _Named, primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Any, Any]:
    raise NotImplementedError("third derivatives of the moments")


# Where a derivative is infinite, such as that of the mean of a ReLU in a variance of 0, its product with a tangent of 0 would be NaN. What does
# not move says so, and has no product.


def _moments_jvp(f: _Named, primals: tuple[Array, Array], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
    mean, variance, m_g, m_x, v_g, v_x = _gradients(f, *primals)
    return (mean, variance), (_along(tangents, m_g, m_x), _along(tangents, v_g, v_x))


def _gradients_jvp(f: _Named, primals: tuple[Array, Array], tangents: tuple[Any, Any]) -> tuple[Any, Any]:
    results = _gradients(f, *primals)
    _, _, m_g, m_x, v_g, v_x = results
    m_gg, m_gx, m_xx, v_gg, v_gx, v_xx = _hessian(f, *primals)
    pairs = ((m_g, m_x), (v_g, v_x), (m_gg, m_gx), (m_gx, m_xx), (v_gg, v_gx), (v_gx, v_xx))
    return results, tuple(_along(tangents, by_gamma, by_xi2) for by_gamma, by_xi2 in pairs)


def _along(tangents: tuple[Any, Any], *derivatives: Array) -> Array:
    """The sum of the products of derivatives with the tangents of what moves."""
    products = [d * t for d, t in zip(derivatives, tangents) if not isinstance(t, SymbolicZero)]
    return sum(products[1:], products[0]) if products else jnp.zeros_like(derivatives[0])


_moments.defjvp(_moments_jvp, symbolic_zeros=True)
_gradients.defjvp(_gradients_jvp, symbolic_zeros=True)


def _varying(array: Array) -> frozenset[Any]:
    """The axes of a mesh that an array varies along within `shard_map`, under either name that versions of JAX have for them."""
    typeof: Any = getattr(jax, "typeof", lambda array: None)
    kind = typeof(array)
    axes: Any = getattr(kind, "manual_axis_type", getattr(kind, "vma", frozenset()))
    varying: frozenset[Any] = getattr(axes, "varying", axes)
    return varying


def _alike(*arrays: Array) -> tuple[Array, ...]:
    """The arrays, each of which varies along the axes of a mesh that any does."""
    every = frozenset[Any]().union(*map(_varying, arrays))
    missing = [tuple(every - _varying(array)) for array in arrays]
    if not any(missing):
        return arrays
    lax: Any = jax.lax
    cast = functools.partial(lax.pcast, to="varying") if hasattr(lax, "pcast") else lax.pvary
    return tuple(cast(array, axes) if axes else array for array, axes in zip(arrays, missing))


def _computed(quantity: str, count: int, f: _Named, gamma: Array, xi2: Array) -> tuple[Array, ...]:
    """A quantity on the device that the arrays are on."""
    text, values = f
    attribute = f"{quantity};{','.join(repr(value) for _, value in values)};{text}"
    like: Any = jax.ShapeDtypeStruct(gamma.shape, gamma.dtype)  # type: ignore[no-untyped-call]

    def on_processor(gamma: Array, xi2: Array) -> tuple[Array, ...]:
        call = jax.ffi.ffi_call(_TARGET, (like,) * count, vmap_method="broadcast_all")
        # A call does not say that its results vary as its arguments do.
        return _alike(gamma, *call(gamma, xi2, g=attribute))[1:]

    if {device.platform for device in jax.devices()} == {"cpu"}:
        return on_processor(gamma, xi2)
    by_xla = _by_xla(quantity, f)
    return tuple(jax.lax.platform_dependent(gamma, xi2, cpu=on_processor, default=by_xla))


def _by_xla(quantity: str, f: _Named) -> Callable[[Array, Array], tuple[Array, ...]]:
    """A quantity by the emitted module and its rules for derivatives."""
    text, values = f
    emitted = functools.partial(_module(text)["moments"], **dict(values))

    def both(gamma: Array, xi2: Array) -> tuple[Array, Array]:
        mean, variance = emitted(gamma, xi2)
        return mean, variance

    def gradients(gamma: Array, xi2: Array) -> tuple[Array, ...]:
        one, zero = jnp.ones_like(gamma), jnp.zeros_like(gamma)
        (mean, variance), (m_g, v_g) = jax.jvp(both, (gamma, xi2), (one, zero))
        _, (m_x, v_x) = jax.jvp(both, (gamma, xi2), (zero, one))
        return mean, variance, m_g, m_x, v_g, v_x

    def hessian(gamma: Array, xi2: Array) -> tuple[Array, ...]:
        # The module has first derivatives only; second ones are computed by the host.
        def on_host(gamma: Any, xi2: Any) -> tuple[Any, ...]:
            parameters: dict[str, Any] = dict(values)
            return as_function(text).hessian(np.asarray(gamma), np.asarray(xi2), parameters=parameters)

        like: Any = jax.ShapeDtypeStruct(gamma.shape, gamma.dtype)  # type: ignore[no-untyped-call]
        return _alike(gamma, *jax.pure_callback(on_host, (like,) * 6, gamma, xi2, vmap_method="broadcast_all"))[1:]

    return {"moments": both, "moments_grad": gradients, "hessian": hessian}[quantity]


@functools.lru_cache(maxsize=256)
def _module(text: str) -> dict[str, Any]:
    """The emitted module of a function."""
    names: dict[str, Any] = {}
    exec(compile(as_function(text).emit("jax"), f"<gaussform {text}>", "exec"), names)
    return names
