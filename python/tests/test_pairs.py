"""Covariances of two pre-activations and of layers, and kernels of wide networks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gaussform as gf


def test_the_arc_cosine_kernel() -> None:
    """Cho and Saul 2009: E[relu(u) relu(w)] = (sin θ + (π − θ) cos θ)/2π for unit variances, cos θ = ρ."""
    rho = np.linspace(-0.99, 0.99, 21)
    theta = np.arccos(rho)
    wanted = (np.sin(theta) + (math.pi - theta) * rho) / (2 * math.pi)
    got = gf.covariance_grad("relu", "relu", 0.0, 1.0, 0.0, 1.0, rho)
    np.testing.assert_allclose(got.mixed, wanted, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(got.dcovariance_dcov, (math.pi - theta) / (2 * math.pi), rtol=1e-13)
    single = gf.covariance("relu", "relu", np.float32(0), np.float32(1), np.float32(0), np.float32(1), rho.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, got.covariance, rtol=3e-6, atol=1e-7)


def test_what_is_no_law_is_nan() -> None:
    assert np.isnan(gf.covariance("relu", "relu", 0.0, 1.0, 0.0, 1.0, 1.5))


def test_two_functions_with_parameters() -> None:
    tent = gf.library.tent
    got = gf.covariance(tent, "hard_tanh", 0.2, 1.0, -0.1, 0.5, 0.3, parameters={"delta": 0.7})
    back = gf.covariance("hard_tanh", tent, -0.1, 0.5, 0.2, 1.0, 0.3, parameters_h={"delta": 0.7})
    assert got == pytest.approx(back, rel=1e-12)


@pytest.mark.parametrize("name", ["relu", "hard_swish", "hard_tanh"])
def test_layers_are_their_pairs(name: str, rng: np.random.Generator) -> None:
    n = 6
    root = rng.normal(size=(3, n, n))
    cov, gamma = root @ root.transpose(0, 2, 1), rng.normal(size=(3, n))
    got = gf.layer_covariance(name, gamma, cov)
    assert got.shape == (3, n, n)
    variances = np.diagonal(cov, axis1=1, axis2=2)
    pairs = gf.covariance(
        name, name, gamma[:, :, None], variances[:, :, None], gamma[:, None], variances[:, None], cov
    )
    off = ~np.eye(n, dtype=bool)
    np.testing.assert_allclose(got[:, off], pairs[:, off], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(
        np.diagonal(got, axis1=1, axis2=2), gf.derive(name).moments(gamma, variances).variance, rtol=1e-12
    )
    assert gf.layer_covariance(name, gamma.astype(np.float32), cov.astype(np.float32)).dtype == np.float32
    with pytest.raises(ValueError, match="wanted for gamma"):
        gf.layer_covariance(name, gamma, cov[:, :2])


def test_a_wide_network_has_the_kernel_of_relu_layers() -> None:
    x = np.array([[1.0, 0.5, -0.3], [0.2, 1.0, 0.4], [1.0, 0.5, -0.3]])
    kernel = gf.nngp("relu", x, depth=3)
    assert kernel.nngp.shape == (3, 3)
    # The recursion of Cho and Saul with He's weights.
    k = 2 * x @ x.T / 3
    for _ in range(3):
        d = np.sqrt(np.outer(np.diag(k), np.diag(k)))
        theta = np.arccos(np.clip(k / d, -1, 1))
        k = d * (np.sin(theta) + (math.pi - theta) * np.cos(theta)) / math.pi
    np.testing.assert_allclose(kernel.nngp, k, rtol=1e-7)
    np.testing.assert_allclose(kernel.nngp, gf.nngp("relu", x, x, depth=3, weight_variance=2.0).nngp, rtol=1e-14)
    assert (kernel.ntk >= kernel.nngp - 1e-12).all()
    with pytest.raises(ValueError, match="columns"):
        gf.nngp("relu", x, x[:, :2])


def test_masks_are_refused() -> None:
    masked = np.ma.masked_array(np.zeros((2, 3)), mask=np.eye(2, 3))
    with pytest.raises(TypeError, match="x is a masked array"):
        gf.nngp("max(0, x)", masked)
    with pytest.raises(TypeError, match="gamma is a masked array"):
        gf.layer_covariance("max(0, x)", masked, np.eye(3))


@pytest.mark.parametrize("kind", [complex, "M8[s]", object, str, "longdouble"])
def test_layers_and_kernels_refuse_what_is_no_real_array(kind: Any) -> None:
    numbers, cov = np.array([0.0, 1.0]).astype("i8").astype(kind), np.eye(2)
    with pytest.raises(TypeError, match="gamma has the type"):
        gf.layer_covariance("relu", numbers, cov)
    with pytest.raises(TypeError, match="x has the type"):
        gf.nngp("relu", numbers[:, None])
    if kind is complex:
        with pytest.raises(TypeError, match="cov has the type"):
            gf.layer_covariance("relu", np.zeros(2), cov * 1j)


def test_layers_without_units_and_shapes_that_do_not_fit() -> None:
    assert gf.layer_covariance("relu", np.zeros(0), np.zeros((0, 0))).shape == (0, 0)
    assert gf.layer_covariance("relu", np.zeros((0, 2)), np.eye(2)).shape == (0, 2, 2)
    with pytest.raises(ValueError, match=r"gamma \(2, 3\), cov \(5, 3, 3\)"):
        gf.layer_covariance("relu", np.zeros((2, 3)), np.zeros((5, 3, 3)))
    with pytest.raises(ValueError, match="gamma is a single number"):
        gf.layer_covariance("relu", 0.0, 1.0)


def test_settings_of_infinite_networks_are_named() -> None:
    x = np.eye(3)
    for settings, words in (
        ({"weight_variance": np.inf}, "weight_variance is inf"),
        ({"weight_variance": "2"}, "weight_variance is '2'"),
        ({"weight_variance": [1, 2]}, "weight_variance is"),
        ({"bias_variance": np.nan}, "bias_variance is nan"),
        ({"depth": -1}, "depth is -1"),
        ({"depth": 10**25}, "depth is 1000"),
    ):
        with pytest.raises(ValueError, match=words):
            gf.nngp("relu", x, **settings)
    with pytest.raises(TypeError, match="depth is 1.5"):
        gf.nngp("relu", x, depth=1.5)
    with pytest.raises(ValueError, match="0 everywhere"):
        gf.nngp("0*x", x)
