"""Tensors on a card: values beside the kernels of the processor, derivatives, compilation, the cache, and networks."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gaussform as gf
from torch import nn

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no card")

F64 = torch.float64
#: Straight and curved functions of the library, and declared ones: knots that no number is, a jump, many knots, a high degree.
FUNCTIONS = [
    "relu",
    "hard_tanh",
    "hard_swish",
    "piecewise { x < -1/2: x; x <= 1/2: 0; else: x }",
    "heaviside",
    "max(0, x) - max(0, x - 1/3)^2/7",
    "clamp(x, -1, 1)^3 + |x - 1/7|",
    " + ".join(f"max(0, x - {knot}/3)" for knot in range(-8, 9)),
    "max(0, x)^5",
]
#: In units in the last place: what is promised of curved functions.
MOST = 128.0


def numbers(count: int, dtype: torch.dtype, spread: float = 3.0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    gamma = spread * torch.randn(count, generator=generator, dtype=F64)
    xi2 = torch.exp(3 * torch.randn(count, generator=generator, dtype=F64))
    return gamma.to(dtype), xi2.to(dtype)


@pytest.mark.parametrize("dtype", [torch.float32, F64], ids=["f32", "f64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_derivatives_are_those_of_the_processor(name: str, dtype: torch.dtype) -> None:
    """The truth is the kernel of the processor in double precision, for the same inputs."""
    gamma, xi2 = numbers(20_000, dtype)
    truth = gf.derive(name).moments_grad(gamma.double().numpy(), xi2.double().numpy())
    points = [point.cuda().requires_grad_() for point in (gamma, xi2)]
    mean, variance = gf.torch.moments(*points, name)
    assert mean.is_cuda and mean.dtype == dtype
    first = torch.autograd.grad(mean.sum(), points, retain_graph=True)
    second = torch.autograd.grad(variance.sum(), points)
    xi = xi2.double().sqrt().numpy()
    sd = np.sqrt(truth.variance)
    size = np.sqrt(truth.mean**2 + truth.variance)
    scales = (size, truth.variance, sd / xi, sd / xi**2, truth.variance / xi, truth.variance / xi**2)
    info = torch.finfo(dtype)
    for found, exact, scale in zip((mean, variance, *first, *second), truth, scales):
        error = np.abs(found.detach().double().cpu().numpy() - exact)
        unit = info.eps * np.maximum(scale, np.abs(exact)) + 4 * info.tiny / info.eps
        assert (error / unit).max() <= MOST


@pytest.mark.parametrize("name", ["relu", "hard_swish", "max(0, x)^2 - x/3"])
def test_derivatives_of_every_kind(name: str) -> None:
    torch.manual_seed(0)
    gamma = torch.randn(4, 3, dtype=F64, device="cuda", requires_grad=True)
    xi2 = (torch.rand(4, 3, dtype=F64, device="cuda") + 0.3).requires_grad_()

    def f(g: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return gf.torch.moments(g, x, name)

    assert torch.autograd.gradcheck(f, (gamma, xi2), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(f, (gamma, xi2))
    g, x = gamma.detach(), xi2.detach()
    mapped = torch.vmap(torch.func.grad(lambda g, x: f(g, x)[1].sum(), argnums=(0, 1)))(g, x)
    wanted = gf.derive(name).moments_grad(g.cpu().numpy(), x.cpu().numpy())
    np.testing.assert_allclose(mapped[0].cpu().numpy(), wanted.dvariance_dgamma, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(mapped[1].cpu().numpy(), wanted.dvariance_dxi2, rtol=1e-12, atol=1e-14)


def test_the_operators_pass_pytorchs_own_checks() -> None:
    gamma, xi2 = (point.cuda().requires_grad_() for point in numbers(12, F64))
    none = torch.empty(0, dtype=F64)
    torch.library.opcheck(torch.ops.gaussform.moments.default, (gamma, xi2, none, "relu"))
    torch.library.opcheck(torch.ops.gaussform.moments_grad.default, (gamma.detach(), xi2.detach(), none, "hard_swish"))


def test_parameters_are_learned() -> None:
    gamma, xi2 = (point.cuda() for point in numbers(1000, torch.float32))
    layer = gf.torch.Moments("prelu", slope=0.1).cuda()
    on_processor = gf.torch.Moments("prelu", slope=0.1)
    for module, points in ((layer, (gamma, xi2)), (on_processor, (gamma.cpu(), xi2.cpu()))):
        mean, variance = module(*points)
        (mean.sum() + variance.sum()).backward()
    ((found,), (wanted,)) = ([p.grad.cpu() for p in module.parameters()] for module in (layer, on_processor))
    torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)


def test_layouts_sizes_and_streams() -> None:
    gamma, xi2 = (point.cuda() for point in numbers(3 * 5 * 7, torch.float32))
    cube, turned = gamma.reshape(3, 5, 7), gamma.reshape(3, 5, 7).transpose(0, 2)
    broadcast = xi2[:5, None]
    mean, variance = gf.torch.moments(cube, broadcast, "hard_tanh")
    wanted = gf.library.hard_tanh.moments(cube.cpu().numpy(), broadcast.cpu().numpy())
    np.testing.assert_allclose(mean.cpu().numpy(), wanted.mean, rtol=1e-5, atol=1e-6)
    strided, _ = gf.torch.moments(turned[::2, 1:], torch.ones((), device="cuda"), "hard_tanh")
    whole, _ = gf.torch.moments(turned, torch.ones((), device="cuda"), "hard_tanh")
    torch.testing.assert_close(strided, whole[::2, 1:], rtol=0, atol=0)
    empty, _ = gf.torch.moments(gamma[:0], xi2[:0], "relu")
    assert empty.shape == (0,)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        beside, _ = gf.torch.moments(gamma, xi2, "relu")
    stream.synchronize()
    torch.testing.assert_close(beside, gf.torch.moments(gamma, xi2, "relu")[0], rtol=0, atol=0)
    half, _ = gf.torch.moments(gamma.bfloat16(), xi2.bfloat16(), "relu")
    assert half.dtype == torch.bfloat16


def test_what_asks_for_the_dispatcher_gets_it() -> None:
    """Modes see the operator; negated views, tensors of inference and subclasses give what plain tensors give."""
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calls(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            self.names.append(str(func))
            return func(*args, **(kwargs or {}))

    class Named(torch.Tensor):
        pass

    gamma, xi2 = (point.cuda() for point in numbers(100, torch.float32))
    wanted = gf.torch.moments(gamma, xi2, "hard_tanh")
    with Calls() as calls:
        gf.torch.moments(gamma, xi2, "hard_tanh")
    assert "gaussform.moments.default" in calls.names
    with torch.inference_mode():
        inferred = gf.torch.moments(gamma + 0, xi2, "hard_tanh")
    negated = gf.torch.moments(torch._neg_view(-gamma), xi2, "hard_tanh")
    named = gf.torch.moments(gamma.as_subclass(Named), xi2, "hard_tanh")
    for found in (inferred, negated, named):
        for here, there in zip(found, wanted):
            assert torch.equal(torch.Tensor(here), there)


def test_tensors_on_two_devices_are_an_error() -> None:
    gamma, xi2 = numbers(10, torch.float32)
    for points in ((gamma.cuda(), xi2), (gamma, xi2.cuda())):
        with pytest.raises(RuntimeError, match="devices"):
            gf.torch.moments(*points, "relu")


def test_a_number_of_the_processor_goes_to_the_card() -> None:
    gamma, xi2 = (point.cuda() for point in numbers(10, torch.float32))
    one = torch.tensor(0.5)
    for found, wanted in (((gamma, one), (gamma, one.cuda())), ((one, xi2), (one.cuda(), xi2))):
        for here, there in zip(gf.torch.moments(*found, "relu"), gf.torch.moments(*wanted, "relu")):
            assert here.is_cuda
            assert torch.equal(here, there)


def test_what_is_no_distribution_is_nan() -> None:
    gamma = torch.tensor([float("nan"), 0.0, 0.0, float("inf"), 0.0], device="cuda")
    xi2 = torch.tensor([1.0, float("nan"), -1.0, 1.0, float("inf")], device="cuda")
    for result in gf.torch.moments(gamma, xi2, "hard_tanh"):
        assert result.isnan().all()


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.weight = nn.Parameter(torch.randn(8, 8) / 3)

    def forward(self, m: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return gf.torch.moments(m @ self.weight, v @ self.weight**2 + 0.01, "hard_swish")


def test_compilation_and_export() -> None:
    net, m, v = Layer().cuda(), torch.randn(5, 8, device="cuda"), torch.rand(5, 8, device="cuda")
    torch.testing.assert_close(torch.compile(net, fullgraph=True)(m, v), net(m, v))
    graph = torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    with torch.no_grad(), torch.cuda.stream(stream):
        net(m, v)
    stream.synchronize()
    with torch.no_grad(), torch.cuda.graph(graph):
        captured = net(m, v)
    m.normal_()
    graph.replay()
    torch.testing.assert_close(captured, net(m, v))
    file = io.BytesIO()
    torch.export.save(torch.export.export(net, (m, v)), file)
    file.seek(0)
    torch.testing.assert_close(torch.export.load(file).module()(m, v), net(m, v))


def test_kernels_are_kept_on_disk(tmp_path: Path) -> None:
    code = (
        "import torch, gaussform as gf\n"
        "x = torch.ones(3, device='cuda')\n"
        "print(gf.torch.moments(x, x, 'max(0, x - 1/11)')[0].tolist())\n"
    )
    environment = {**os.environ, "GAUSSFORM_CACHE": str(tmp_path)}

    def run() -> str:
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = run()
    (kept,) = tmp_path.iterdir()
    changed = kept.stat().st_mtime_ns
    assert run() == first
    assert [(path, path.stat().st_mtime_ns) for path in tmp_path.iterdir()] == [(kept, changed)]


def test_without_the_bindings_of_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """The emitted module computes, compiled where there is Triton."""
    from gaussform.torch import _cuda

    gamma, xi2 = (point.cuda() for point in numbers(1000, torch.float32))
    wanted = gf.torch.moments(gamma, xi2, "leaky_relu", eps=0.1)
    monkeypatch.setattr(_cuda, "_has_bindings", lambda: False)
    for here, there in zip(gf.torch.moments(gamma, xi2, "leaky_relu", eps=0.1), wanted):
        torch.testing.assert_close(here, there, rtol=1e-5, atol=1e-6)


def test_networks() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 30), nn.Hardtanh(), nn.Linear(30, 30), nn.ReLU(), nn.Linear(30, 2))
    x = torch.randn(6, 5)
    for covariance in ("full", "diagonal"):
        wanted = gf.torch.propagate(net, x, 0.04, covariance=covariance)
        found = gf.torch.propagate(net.cuda(), x.cuda(), 0.04, covariance=covariance)
        net.cpu()
        for here, there in zip(found, wanted):
            assert here.is_cuda
            torch.testing.assert_close(here.cpu(), there, rtol=1e-4, atol=1e-5)


def test_a_bayesian_network_learns() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 2, device="cuda")
    labels = (x[:, 0] * x[:, 1] > 0).long()
    net = nn.Sequential(gf.torch.nn.Linear(2, 20), gf.torch.nn.Activation("relu"), gf.torch.nn.Linear(20, 3)).cuda()
    optimizer = torch.optim.Adam(net.parameters(), 0.02)
    bounds = []
    for _ in range(150):
        optimizer.zero_grad()
        bound = gf.torch.elbo.categorical(*net(x), labels).sum() - gf.torch.nn.kl(net)
        (-bound).backward()
        optimizer.step()
        bounds.append(bound.item())
    assert bounds[-1] > 0.7 * bounds[0]
