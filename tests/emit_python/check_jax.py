"""The modules on JAX, in both precisions."""

import common
import jax
import jax.numpy as jnp
import numpy as np
import pairs
import tables
from jax.test_util import check_grads
from modules import PARAMETRIC


def check(modules, report):
    for precision, dtype, tolerance in [("f64", jnp.float64, 16), ("f32", jnp.float32, 64)]:
        with jax.enable_x64(precision == "f64"):

            def evaluate(module, gamma, xi2):
                arrays = jnp.asarray(gamma, dtype), jnp.asarray(xi2, dtype)
                result = jax.jit(module.moments_grad)(*arrays)
                assert all(column.dtype == dtype for column in result)
                return result

            common.worst(modules, "jax", precision, evaluate, tolerance, report)
            common.far(modules, "jax", precision, evaluate)
            bound = tables.tolerance(precision, 64)
            tables.check(modules, "jax", precision, evaluate, bound, report, count=4)
            def evaluate_pairs(module, columns):
                arrays = [jnp.asarray(column, dtype) for column in columns]
                result = jax.jit(module.pair_moments_grad)(*arrays)
                assert all(column.dtype == dtype for column in result)
                return result

            pairs.check(modules, "jax", precision, evaluate_pairs, report)
    with jax.enable_x64(True):
        correlated(modules.pair("max(0, x)", "clamp(x, -1, 1)", "jax"))
        for expression in ["max(0, x)", "clamp(x, -1, 1)", "max(0, x)^6", "|x^2 - 2|"]:
            transformations(modules.get(expression, "jax"))
        limits(modules.get("max(0, x)", "jax"))
        for expression in ["max(0, x)", "step(x)", "x - clamp(x, 0, 1)"]:
            padding(modules.get(expression, "jax"))
        for expression, (inside, outside) in PARAMETRIC.items():
            parameters(modules, expression, inside, outside)
    precisions(modules.get("max(0, x)", "jax"))


def correlated(module):
    gamma, cov = jnp.array([0.5, -1.0]), jnp.array([[0.3], [-1.37], [1.41]])
    arguments = gamma, jnp.array(1.0), jnp.array(-0.2), jnp.array(2.0), cov
    grad = module.pair_moments_grad(*arguments)
    assert grad.covariance.shape == (3, 2)
    some = (*arguments[:4], cov[:2])
    modes = ["fwd", "rev"]
    check_grads(module.pair_moments, some, 1, modes=modes, rtol=1e-5, atol=1e-6)
    total = jax.jit(jax.grad(lambda *x: module.pair_moments(*x).sum(), tuple(range(5))))
    for slope, derivative in zip(total(*jnp.broadcast_arrays(*arguments)), grad[1:]):
        np.testing.assert_allclose(slope, derivative, rtol=1e-12)
    one = jax.grad(lambda c, g: module.pair_moments(g, *arguments[1:4], c))
    slopes = jax.vmap(jax.vmap(one, (None, 0)), (0, None))(cov[:, 0], gamma)
    np.testing.assert_allclose(slopes, grad.dcovariance_dcov, rtol=1e-12)
    rows = jax.vmap(module.pair_moments, (None, None, None, None, 0))(*arguments)
    np.testing.assert_allclose(rows, grad.covariance, rtol=1e-12)
    try:
        jax.grad(jax.grad(lambda c: module.pair_moments(0.5, 1.0, -0.2, 2.0, c)))(0.3)
    except NotImplementedError as error:
        assert "second derivatives" in str(error)
    else:
        raise AssertionError("a second derivative came out")


def transformations(module):
    gamma = jnp.linspace(-2.3, 2.4, 6).reshape(3, 2)
    xi2 = jnp.array([0.3, 2.0])
    mean, variance = module.moments(gamma, xi2)
    assert mean.shape == variance.shape == (3, 2)
    grad = module.moments_grad(gamma, xi2)
    check_grads(module.moments, (gamma, xi2), 1, modes=["fwd", "rev"], rtol=1e-6, atol=1e-7)
    check_grads(module.second_moment, (gamma, xi2), 1, modes=["fwd", "rev"], rtol=1e-6, atol=1e-7)
    check_grads(module.value, (gamma,), 1, modes=["fwd", "rev"], rtol=1e-6, atol=1e-7)
    slope = jax.jit(jax.grad(lambda g: module.moments(g, xi2)[1].sum()))(gamma)
    np.testing.assert_allclose(slope, grad.dvariance_dgamma, rtol=1e-13)
    rows = jax.vmap(module.moments, in_axes=(0, None))(gamma, xi2)
    np.testing.assert_allclose(rows[0], mean, rtol=1e-13)
    one = jax.grad(lambda g, v: module.moments(g, v)[0])
    slopes = jax.vmap(jax.vmap(one), (0, None))(gamma, xi2)
    np.testing.assert_allclose(slopes, grad.dmean_dgamma, rtol=1e-13)
    try:
        jax.grad(jax.grad(lambda g: module.moments(g, 1.0)[0]))(0.5)
    except NotImplementedError as error:
        assert "second derivatives" in str(error)
    else:
        raise AssertionError("a second derivative came out")


def limits(module):
    grad = module.moments_grad(0.0, 0.0)
    assert grad[:4] == (0.0, 0.0, 0.0, 0.5) and grad.dmean_dxi2 == jnp.inf
    # The infinite derivative is not touched where xi2 does not move.
    assert jax.grad(lambda g: module.moments(g, 0.0)[0])(0.0) == 0.5
    assert jax.grad(lambda g: module.moments(g, 0.0)[1])(3.0) == 0.0
    for gamma, xi2 in [(jnp.nan, 1.0), (1.0, -1.0), (jnp.inf, 1.0), (1.0, jnp.inf)]:
        assert all(jnp.isnan(value) for value in module.moments_grad(gamma, xi2))


def padding(module):
    """A row of zeros in a batch, where xi2 = 0 on a knot, leaves the gradients of all weights finite."""
    x = jnp.array([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0]])

    def loss(weights, log_deviations):
        mean, variance = module.moments(x @ weights, x**2 @ jnp.exp(2 * log_deviations))
        return mean.sum() + variance.sum()

    arguments = jnp.ones((4, 3)), jnp.full((4, 3), -2.0)
    padded = jax.grad(loss, (0, 1))(*arguments)
    x = x[:1]
    for a, b in zip(padded, jax.grad(loss, (0, 1))(*arguments)):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def parameters(modules, expression, inside, outside):
    module, reference = modules.get(expression, "jax"), modules.get(expression, "numpy")
    gamma, xi2 = jnp.linspace(-2.0, 2.1, 6).reshape(2, 3), jnp.array([[0.3], [2.0]])
    names = list(inside)

    def moments(gamma, xi2, values):
        return module.moments(gamma, xi2, **dict(zip(names, values)))

    values = [jnp.asarray(inside[name]) for name in names]
    channels = values[:-1] + [values[-1] * jnp.array([1.0, 1.25, 1.5])]
    for some in [values, channels]:
        check_grads(moments, (gamma, xi2, some), 1, modes=["fwd", "rev"], rtol=1e-5, atol=1e-6)
    ours = jax.jit(module.parameter_grad)(gamma, xi2, **inside)
    theirs = reference.parameter_grad(np.asarray(gamma), np.asarray(xi2), **inside)
    for name in names:
        for a, b in zip(ours[name], theirs[name]):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    try:
        module.moments(0.0, 1.0, **outside)
    except ValueError as error:
        assert "does not hold" in str(error)
    else:
        raise AssertionError("outside of the domain")


def precisions(module):
    half = module.moments(jnp.ones(3, jnp.bfloat16), 1.0)[0]
    assert half.dtype == jnp.bfloat16
    assert module.moments(1, 1)[0].dtype == jnp.float32
    assert module.moments(jnp.zeros((0, 3)), 1.0)[0].shape == (0, 3)
