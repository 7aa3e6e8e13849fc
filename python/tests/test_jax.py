"""JAX on a processor: values, every kind of derivative, transformations, several devices; and the emitted module elsewhere."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import gaussform as gf

jax.config.update("jax_enable_x64", True)
jnp = jax.numpy
NAMES = ["relu", "hard_tanh", "hard_swish", "max(0, x)^2 - x/3"]


@pytest.fixture(autouse=True)
def on_the_processor() -> Iterator[None]:
    """Where there is a card, JAX would compute on it."""
    with jax.default_device(jax.devices("cpu")[0]):
        yield


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_of_arrays(name: str, dtype: type, rng: np.random.Generator) -> None:
    gamma, xi2 = rng.normal(size=(50, 7)).astype(dtype), rng.uniform(0.1, 2, size=7).astype(dtype)
    wanted = gf.derive(name).moments(gamma, xi2)
    for run in (gf.jax.moments, jax.jit(gf.jax.moments, static_argnums=2)):
        mean, variance = run(gamma, xi2, name)
        assert mean.dtype == dtype
        np.testing.assert_array_equal(mean, wanted.mean)
        np.testing.assert_array_equal(variance, wanted.variance)


def test_types_and_shapes() -> None:
    half, _ = gf.jax.moments(jnp.ones(3, jnp.bfloat16), jnp.ones(3, jnp.bfloat16), "relu")
    assert half.dtype == jnp.bfloat16
    assert gf.jax.moments(1, 2, "relu")[0].dtype == jnp.float64
    assert gf.jax.moments(jnp.ones((0, 3)), 1.0, "relu")[0].shape == (0, 3)
    mean, _ = gf.jax.moments(0.0, 1.0, "leaky(x; eps in (0, 1)) = max(eps*x, x)", eps=0.1)
    assert abs(mean - 0.9 / np.sqrt(2 * np.pi)) < 1e-15
    for wrong, error in (({}, gf.ParameterError), ({"slope": 0.5, "a": 1.0}, gf.ParameterError)):
        with pytest.raises(error):
            gf.jax.moments(0.0, 1.0, "prelu", **wrong)
    with pytest.raises(gf.ParameterError):
        gf.jax.moments(0.0, 1.0, "leaky(x; eps in (0, 1)) = max(eps*x, x)", eps=2.0)
    with pytest.raises(TypeError, match="complex"):
        gf.jax.moments(1j, 1.0, "relu")


@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name: str, rng: np.random.Generator) -> None:
    gamma, xi2 = rng.normal(size=5), rng.uniform(0.3, 2, size=5)
    both = lambda g, x: gf.jax.moments(g, x, name)  # noqa: E731
    grad = gf.derive(name).moments_grad(gamma, xi2)
    by_gamma = jax.jvp(both, (gamma, xi2), (np.ones(5), np.zeros(5)))[1]
    np.testing.assert_array_equal(by_gamma[0], grad.dmean_dgamma)
    np.testing.assert_array_equal(by_gamma[1], grad.dvariance_dgamma)
    total = lambda g, x: (2 * both(g, x)[0] + 3 * both(g, x)[1]).sum()  # noqa: E731
    d_gamma, d_xi2 = jax.jit(jax.grad(total, (0, 1)))(gamma, xi2)
    np.testing.assert_allclose(d_gamma, 2 * grad.dmean_dgamma + 3 * grad.dvariance_dgamma, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(d_xi2, 2 * grad.dmean_dxi2 + 3 * grad.dvariance_dxi2, rtol=1e-14, atol=1e-15)
    # A gradient of a gradient beside differences.
    step = 1e-6
    inner = lambda g, x: jax.grad(total, 1)(g, x).sum()  # noqa: E731
    twice = jax.grad(inner, (0, 1))(gamma, xi2)
    for i, moved in enumerate(((step, 0.0), (0.0, step))):
        ahead = jax.grad(total, 1)(gamma + moved[0], xi2 + moved[1])
        behind = jax.grad(total, 1)(gamma - moved[0], xi2 - moved[1])
        np.testing.assert_allclose(twice[i], (ahead - behind) / (2 * step), atol=2e-8)
    hessian = jax.hessian(lambda g: both(g, xi2)[0].sum())(jnp.asarray(gamma))
    np.testing.assert_allclose(hessian, np.diag(2 * grad.dmean_dxi2), atol=1e-13)


def test_what_does_not_move_has_no_part_in_derivatives() -> None:
    """At a variance of 0 the derivative of a ReLU's mean in it is infinite, and those in the mean of the input are not."""
    mean = lambda g: gf.jax.moments(g, 0.0, "relu")[0]  # noqa: E731
    for point, slope in ((0.0, 0.5), (1.0, 1.0), (-1.0, 0.0)):
        assert jax.jvp(mean, (point,), (1.0,))[1] == jax.jit(jax.grad(mean))(point) == jax.jacfwd(mean)(point) == slope
    np.testing.assert_array_equal(jax.vmap(lambda g: jax.jvp(mean, (g,), (1.0,))[1])(jnp.array([-1.0, 0.0, 1.0])), [0.0, 0.5, 1.0])
    assert jax.jvp(lambda x: gf.jax.moments(0.0, x, "relu")[0], (0.0,), (1.0,))[1] == np.inf
    # The second derivative in gamma is that of a corner, and infinite too.
    second = jax.jacfwd(jax.grad(lambda x: gf.jax.moments(1.0, x, "relu")[1]))(0.0)
    assert second == gf.library.relu.hessian(1.0, 0.0).d2variance_dxi22


def test_vmap(rng: np.random.Generator) -> None:
    gamma, xi2 = rng.normal(size=(6, 4)), rng.uniform(0.3, 2, size=4)
    mapped = jax.vmap(lambda g, x: gf.jax.moments(g, x, "hard_swish"), in_axes=(0, None))
    wanted = gf.library.hard_swish.moments(gamma, xi2)
    np.testing.assert_array_equal(mapped(gamma, xi2)[0], wanted.mean)
    each = jax.vmap(jax.vmap(jax.grad(lambda g, x: gf.jax.moments(g, x, "hard_swish")[1]), (0, 0)), (0, None))
    grad = gf.library.hard_swish.moments_grad(gamma, xi2)
    np.testing.assert_allclose(each(gamma, xi2), grad.dvariance_dgamma, rtol=1e-14, atol=1e-15)


def test_subnormal_numbers_stay() -> None:
    gamma = np.linspace(-38.6, -37.0, 4000)
    wanted = gf.library.relu.moments(gamma, 1.0)
    got = jax.jit(lambda g: gf.jax.moments(g, 1.0, "relu"))(gamma)
    assert ((wanted.mean > 0) & (wanted.mean < np.finfo(np.float64).tiny)).any()
    np.testing.assert_array_equal(np.asarray(got[0]), wanted.mean)


@pytest.mark.parametrize("name", ["relu", "hard_swish"])
def test_the_emitted_module_has_the_same_quantities(name: str, rng: np.random.Generator) -> None:
    from gaussform.jax import _by_xla

    gamma, xi2 = jnp.asarray(rng.normal(size=20)), jnp.asarray(rng.uniform(0.3, 2, size=20))
    f = gf.derive(name)
    for quantity, wanted in (
        ("moments", f.moments(gamma.__array__(), xi2.__array__())),
        ("moments_grad", f.moments_grad(gamma.__array__(), xi2.__array__())),
        ("hessian", f.hessian(gamma.__array__(), xi2.__array__())),
    ):
        got = _by_xla(quantity, (name, ()))(gamma, xi2)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


SHARDED = """
import os
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=3"
import jax, numpy as np, gaussform as gf
from jax.sharding import NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
mesh = jax.make_mesh((3,), ("d",))
gamma = np.random.default_rng(0).normal(size=3000)
xi2 = gamma**2 + 0.1
wanted = gf.library.hard_swish.moments(gamma, xi2)
put = lambda a: jax.device_put(a, NamedSharding(mesh, P("d")))
run = jax.jit(jax.shard_map(lambda g, x: gf.jax.moments(g, x, "hard_swish"), mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))
got = run(put(gamma), put(xi2))
assert got[0].sharding.spec == P("d"), got[0].sharding
assert "all-gather" not in run.lower(put(gamma), put(xi2)).compile().as_text()
np.testing.assert_array_equal(got[0], wanted.mean)
np.testing.assert_array_equal(got[1], wanted.variance)
np.testing.assert_array_equal(jax.jit(lambda g, x: gf.jax.moments(g, x, "hard_swish"))(put(gamma), put(xi2))[0], wanted.mean)
# With the check of what varies along the mesh, and with one variance for all of it.
devices = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
parts = jax.shard_map(lambda g, x: gf.jax.moments(g, x, "hard_swish"), mesh=devices, in_specs=(P("d"), P()), out_specs=P("d"))
wanted = gf.library.hard_swish.moments_grad(gamma, 0.7)
np.testing.assert_array_equal(parts(gamma, 0.7)[1], wanted.variance)
total = lambda g, x: sum(part.sum() for part in parts(g, x))
of_gamma, of_xi2 = jax.grad(total, (0, 1))(gamma, 0.7)
np.testing.assert_allclose(of_gamma, wanted.dmean_dgamma + wanted.dvariance_dgamma, rtol=1e-12)
np.testing.assert_allclose(of_xi2, (wanted.dmean_dxi2 + wanted.dvariance_dxi2).sum(), rtol=1e-12)
second = gf.library.hard_swish.hessian(gamma, 0.7)
bent = jax.hessian(total, 1)(gamma, 0.7)
np.testing.assert_allclose(bent, (second.d2mean_dxi22 + second.d2variance_dxi22).sum(), rtol=1e-10)
"""


def test_arrays_on_several_devices() -> None:
    subprocess.run([sys.executable, "-c", SHARDED], check=True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
def test_a_card_has_the_emitted_module(name: str, dtype: type, rng: np.random.Generator) -> None:
    try:
        card = jax.devices("gpu")[0]
    except RuntimeError:
        pytest.skip("there is no card")
    gamma, xi2 = rng.normal(size=(50, 7)).astype(dtype), rng.uniform(0.1, 2, size=(50, 7)).astype(dtype)
    points = jax.device_put((gamma, xi2), card)
    near = 50 * np.finfo(dtype).eps
    total = lambda g, x: sum(part.sum() for part in gf.jax.moments(g, x, name))  # noqa: E731
    for got, wanted in zip(jax.jit(gf.jax.moments, static_argnums=2)(*points, name), gf.derive(name).moments(gamma, xi2)):
        assert got.dtype == dtype and got.devices() == {card}
        np.testing.assert_allclose(got, wanted, rtol=near, atol=near)
    truth = gf.derive(name).moments_grad(gamma, xi2)
    d_gamma, d_xi2 = jax.jit(jax.grad(total, (0, 1)))(*points)
    np.testing.assert_allclose(d_gamma, truth.dmean_dgamma + truth.dvariance_dgamma, rtol=near, atol=near)
    np.testing.assert_allclose(d_xi2, truth.dmean_dxi2 + truth.dvariance_dxi2, rtol=near, atol=near)


def test_parameters_whose_names_are_taken() -> None:
    text = "g(x; f, shift) = f*max(0, x) + shift"
    mean, _ = gf.jax.moments(0.5, 1.5, text, f=2.0, shift=3.0)
    np.testing.assert_allclose(mean, 2 * gf.library.relu.moments(0.5, 1.5).mean + 3, rtol=1e-12)
    np.testing.assert_array_equal(gf.jax.moments(0.5, 1.5, text, parameters={"f": 2.0, "shift": 3.0})[0], mean)


def test_a_third_derivative_is_refused_by_name() -> None:
    slope = jax.grad(jax.grad(lambda gamma: gf.jax.moments(gamma, 1.0, "relu")[0]))
    with pytest.raises(NotImplementedError, match="third derivatives"):
        jax.grad(slope)(0.3)
