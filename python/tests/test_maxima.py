"""Maxima of Normal numbers: pools, reductions and pairs beside sampling within its standard error, and without noise beside PyTorch itself."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import gaussform as gf
from networks import Of
from torch import nn
from torch.nn import functional as F

DRAWS = 100_000
MODES = ("full", "diagonal")


def propagated(net: nn.Module, x: torch.Tensor, variance: Any, covariance: str) -> tuple[torch.Tensor, torch.Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.torch.ClarkWarning)
        mean, spread = gf.torch.propagate(net, x, variance, covariance=covariance)
    return mean, spread


POOLS: list[tuple[nn.Module, tuple[int, ...]]] = [
    (nn.MaxPool2d(2), (2, 2, 5, 4)),
    (nn.MaxPool2d(3, 2, 1), (2, 2, 5, 6)),
    (nn.MaxPool2d(3, 1, 1), (2, 1, 4, 4)),
    (nn.MaxPool2d((3, 2), (2, 1), (1, 0), (2, 1), ceil_mode=True), (2, 2, 6, 5)),
    (nn.MaxPool2d(1, 2), (2, 2, 5, 4)),
    (nn.MaxPool2d(2), (2, 6, 4)),
    (nn.MaxPool1d(3, 2, 1, ceil_mode=True), (2, 10)),
    (nn.MaxPool1d(5, 1, 2, dilation=2), (2, 3, 9)),
    (nn.MaxPool3d(2), (2, 1, 2, 4, 3)),
    (nn.AdaptiveMaxPool1d(4), (2, 3, 7)),
    (nn.AdaptiveMaxPool2d((3, None)), (2, 1, 7, 5)),
    (nn.AdaptiveMaxPool3d(2), (1, 2, 3, 4, 5)),
]


@pytest.mark.parametrize("covariance", MODES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("pool", "shape"), POOLS, ids=repr)
def test_without_noise_a_pool_is_that_of_numbers(pool: nn.Module, shape: tuple[int, ...], dtype: torch.dtype, covariance: str) -> None:
    torch.manual_seed(0)
    # Whole numbers have ties.
    for x in (torch.randn(shape, dtype=dtype), torch.randint(-1, 2, shape).to(dtype)):
        mean, spread = propagated(pool, x, 0.0, covariance)
        assert mean.dtype == dtype and torch.equal(mean, pool(x)) and bool((spread == 0).all())
        for noise in (1e-30, 1.0):
            mean, spread = propagated(pool, x, noise, covariance)
            assert bool(torch.isfinite(mean).all()) and bool(torch.isfinite(spread).all()) and bool((mean >= pool(x)).all())
            assert bool((mean - pool(x) <= 5 * math.sqrt(noise)).all())


def of_two(x: torch.Tensor) -> torch.Tensor:
    return torch.maximum(x[:, :2], x[:, 2:])


#: Functions of (batch, 4), in which each maximum is that of two units: the pre-activations are Normal, and nothing is approximate.
EXACT: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "pool": lambda x: F.max_pool1d(x, 2),
    "overlapping pool": lambda x: F.max_pool1d(x.unsqueeze(1), 2, stride=1).flatten(1),
    "padded pool": lambda x: F.max_pool1d(x, kernel_size=2, stride=2, padding=1),
    "adaptive pool": lambda x: F.adaptive_max_pool1d(x, 2),
    "axis": lambda x: x.reshape(-1, 2, 2).amax(1),
    "smallest of an axis": lambda x: torch.amin(x.reshape(-1, 2, 2), dim=-1),
    "elements of an axis": lambda x: x.reshape(-1, 2, 2).max(dim=1, keepdim=True).values.flatten(1),
    "parts of an axis": lambda x: torch.min(x.reshape(-1, 2, 2), 2)[0],
    "maximum": of_two,
    "minimum": lambda x: torch.min(x[:, 2:], x[:, :2]),
    "broadcast": lambda x: torch.max(x[:, :1], x[:, 1:]),
    "constant": lambda x: torch.maximum(x, torch.tensor([0.0, 1.0, -1.0, 0.2], dtype=x.dtype)),
    "residual": lambda x: torch.cat([x - 0.5 * torch.maximum(x, x.flip(1)), x[:, :1]], 1),
}


def correlated() -> torch.Tensor:
    """Covariances of two rows of four units; in the second row two units are one, and one does not vary."""
    root = torch.randn(2, 4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    root[1, 1], root[1, 3] = root[1, 0], 0.0
    return root @ root.mT


@pytest.mark.parametrize("name", EXACT)
def test_maxima_of_two_are_exact(name: str) -> None:
    """Covariances too, among the maxima and with what the network has besides."""
    torch.manual_seed(1)
    function, cov = EXACT[name], correlated()
    x = torch.randn(2, 4, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error", gf.torch.ClarkWarning)
        mean, spread = gf.torch.propagate(Of(function), x, cov, covariance="full")
    for i in range(2):
        values, vectors = torch.linalg.eigh(cov[i])
        inputs = x[i] + torch.randn(DRAWS, 4, dtype=torch.float64) @ (vectors * values.clamp(min=0).sqrt()).T
        drawn = function(inputs).flatten(1)
        centred = drawn - drawn.mean(0)
        products = centred[:, :, None] * centred[:, None]
        for got, samples in ((mean[i].flatten(), drawn), (spread[i], products)):
            assert bool(((got - samples.mean(0)).abs() <= 5 * samples.std(0) / math.sqrt(DRAWS) + 1e-7).all())


@pytest.mark.parametrize("side", [2, 3])
def test_windows_are_near(side: int) -> None:
    """More than two units: each maximum of a pair counts as Normal, so that the standard deviation of nine alike is a tenth too small."""
    torch.manual_seed(0)
    pool = nn.Sequential(nn.MaxPool2d(side))
    x = torch.randn(3, 1, side, 2 * side, dtype=torch.float64)
    n = 2 * side * side
    for correlation, deviation in ((0.0, 0.1), (0.8, 0.02)):
        cov = (1 - correlation) * torch.eye(n, dtype=torch.float64) + correlation
        with pytest.warns(gf.torch.ClarkWarning, match="0: MaxPool2d of more than two units .*Clark"):
            mean, spread = gf.torch.propagate(pool, x, cov.expand(3, n, n), covariance="full")
        drawn = pool((x.flatten(1) + torch.randn(DRAWS // 5, 1, n, dtype=torch.float64) @ torch.linalg.cholesky(cov).T).reshape(-1, 1, side, 2 * side))
        drawn = drawn.reshape(-1, 3, 2)
        sd = drawn.std(0)
        assert ((mean.flatten(1) - drawn.mean(0)).abs() / sd).max() < 0.05
        assert (torch.diagonal(spread, dim1=1, dim2=2).sqrt() / sd - 1).abs().max() < deviation
        moved = drawn - drawn.mean(0)
        error = (spread[:, 0, 1] - (moved[..., 0] * moved[..., 1]).mean(0)) / (sd[:, 0] * sd[:, 1])
        assert error.abs().max() < deviation
    each = propagated(pool, x, 1.0, "diagonal")
    full = propagated(pool, x, 1.0, "full")
    torch.testing.assert_close(each[0], full[0])
    torch.testing.assert_close(each[1].flatten(1), torch.diagonal(full[1], dim1=1, dim2=2))


class Convolutional(nn.Module):
    """A pool after an activation, which gives the same as the activation after the pool."""

    def __init__(self, is_function: bool) -> None:
        super().__init__()
        self.conv, self.relu, self.pool, self.last = nn.Conv2d(1, 3, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Linear(27, 2)
        self.is_function = is_function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(x)
        y = F.max_pool2d(torch.clamp(input=y, min=0), 2) if self.is_function else self.pool(self.relu(y))
        return self.last(y.flatten(1))


def test_a_network_with_pools() -> None:
    torch.manual_seed(0)
    net, other = Convolutional(False).eval(), Convolutional(True).eval()
    other.load_state_dict(net.state_dict())
    x = torch.randn(2, 1, 8, 8)
    mean, spread = propagated(net, x, 0.25, "full")
    torch.testing.assert_close(propagated(other, x, 0.25, "full"), (mean, spread))
    with torch.no_grad():
        drawn = net((x + 0.5 * torch.randn(20_000, *x.shape)).flatten(0, 1)).reshape(-1, 2, 2).double()
    sd = drawn.std(0)
    assert ((mean - drawn.mean(0)).abs() / sd).max() < 0.05
    # Maxima of rectified units, taken for Normal, have standard deviations that are a fifth too small here.
    assert (torch.diagonal(spread, dim1=1, dim2=2).sqrt() / sd - 1).abs().max() < 0.05
    assert propagated(net, x, 0.25, "auto")[1].shape == (2, 2)


def test_only_activations_that_fall_nowhere_come_after_a_pool() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 4, dtype=torch.float64)
    functions: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
        lambda x: F.leaky_relu(x, -0.5),
        lambda x: torch.relu(torch.abs(x)),
        lambda x: F.hardswish(x),
        lambda x: F.threshold(x, 0.0, 1.0),
        lambda x: torch.relu(F.hardtanh(F.hardshrink(x))),
    )
    for function in functions:
        for pool in (lambda x: F.max_pool1d(x, 2), lambda x: x.reshape(-1, 2, 2).amin(1)):
            mean, _ = propagated(Of(lambda x, f=function, p=pool: p(f(x))), x, 0.0, "full")  # type: ignore[misc]
            torch.testing.assert_close(mean, pool(function(x)))

    def used_again(x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(x)
        return F.max_pool1d(y, 2) + y[:, :2]

    def changed(x: torch.Tensor) -> torch.Tensor:
        y = 2 * x
        return F.max_pool1d(torch.relu_(y), 2) + y[:, :2]

    assert torch.equal(propagated(Of(used_again), x, 0.0, "full")[0], used_again(x))
    with pytest.raises(gf.torch.NoRule, match="in place on a value that is used again"):
        gf.torch.propagate(Of(changed), x, 0.1)


def test_what_has_no_maximum_is_refused() -> None:
    x = torch.randn(2, 4)
    for function, words in (
        (lambda x: F.max_pool1d(x, 2, return_indices=True)[0], "no rule for max_pool1d_with_indices"),
        (lambda x: x.max(1)[1], "places of extreme elements"),
        (lambda x: x.max(), "changes the batch"),
        (lambda x: x.amax(0), "changes the batch"),
        (lambda x: torch.maximum(x, x[:1]), "changes the batch"),
        (lambda x: x.argmax(1), "no rule for argmax"),
        (lambda x: F.max_pool1d(x[:, :1], 2, padding=1, dilation=2), "nothing but padding"),
    ):
        with pytest.raises(gf.torch.NoRule, match=words):
            gf.torch.propagate(Of(function), x, 0.1)
    with pytest.raises(gf.torch.NoRule, match="0: no rule for MaxPool1d with return_indices"):
        gf.torch.propagate(nn.MaxPool1d(2, return_indices=True), x, 0.1)
    with pytest.raises(gf.torch.NoRule, match="MaxPool2d of inputs with 2 axes"):
        gf.torch.propagate(nn.MaxPool2d(2), x, 0.1)


def test_the_bayesian_pool_is_differentiable() -> None:
    torch.manual_seed(0)
    pool = gf.torch.nn.MaxPool2d(2, 1, 1)
    mean, variance = torch.randn(1, 2, 3, 3, dtype=torch.float64), torch.rand(1, 2, 3, 3, dtype=torch.float64) + 0.1
    assert torch.autograd.gradcheck(lambda m, v: pool((m, v)), (mean.requires_grad_(), variance.requires_grad_()))
    for dtype in (torch.float32, torch.float64):
        for given in (torch.randn(1, 2, 3, 3), torch.zeros(1, 2, 3, 3)):
            for noise in (0.0, 1e-40, 1e-30, 1.0):
                leaves = [given.to(dtype).requires_grad_(), torch.full((1, 2, 3, 3), noise, dtype=dtype, requires_grad=True)]
                outputs = pool(tuple(leaves))
                for output in outputs:
                    for slope in torch.autograd.grad(output.sum(), leaves, retain_graph=True):
                        assert bool(torch.isfinite(slope).all())
                if noise == 0:
                    plain = F.max_pool2d(leaves[0], 2, 1, 1)
                    assert torch.equal(outputs[0], plain) and bool((outputs[1] == 0).all())
    numbers = torch.randn(1, 2, 3, 3, requires_grad=True)
    (slope,) = torch.autograd.grad(pool((numbers, torch.zeros_like(numbers)))[0].sum(), numbers)
    torch.testing.assert_close(slope, torch.autograd.grad(F.max_pool2d(numbers, 2, 1, 1).sum(), numbers)[0])
    with pytest.warns(gf.torch.ClarkWarning, match="more than two units"):
        got = pool((mean.detach(), variance.detach()))
    wanted = propagated(nn.MaxPool2d(2, 1, 1), mean, variance, "diagonal")
    torch.testing.assert_close(tuple(got), tuple(wanted))
    assert torch.equal(pool(mean), F.max_pool2d(mean, 2, 1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error", gf.torch.ClarkWarning)
        gf.torch.nn.MaxPool2d((1, 2))((mean.detach(), variance.detach()))
    with pytest.raises(ValueError, match=r"\(batch, channels, height, width\) is wanted"):
        pool((mean[0], variance[0]))
