"""Means and covariances of trained networks, and bounds, beside sampling within its standard error."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gaussform as gf
from networks import Of
from torch import nn

NOISE = 0.04


def sampled(net: nn.Module, mean: torch.Tensor, sd: float, count: int = 40_000) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and covariance of the outputs over noise of the inputs."""
    with torch.no_grad():
        inputs = mean + sd * torch.randn(count, *mean.shape)
        outputs = net(inputs.flatten(0, 1)).reshape(count, len(mean), -1).double()
    centred = outputs - outputs.mean(0)
    return outputs.mean(0), torch.einsum("sbi,sbj->bij", centred, centred) / (count - 1)


class Residual(nn.Module):
    """Two branches that meet again: what happens to them is correlated."""

    def __init__(self, activation: nn.Module) -> None:
        super().__init__()
        self.first, self.second, self.last = nn.Linear(5, 12), nn.Linear(12, 12), nn.Linear(24, 2)
        self.activation = activation

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.activation(self.first(x))
        z = y + 0.5 * self.activation(self.second(y))
        return self.last(torch.cat([z, y - 1.0], dim=1))


@pytest.mark.parametrize("activation", [nn.ReLU(), nn.Hardtanh(), nn.Hardswish(), nn.LeakyReLU(0.1), nn.Softshrink(0.3)])
def test_one_hidden_layer_is_exact(activation: nn.Module) -> None:
    """The pre-activations of the first layer are Normal, and the last layer is linear: nothing is approximate."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 20), activation, nn.Linear(20, 2))
    x = torch.randn(4, 3)
    mean, cov = gf.torch.propagate(net, x, NOISE)
    wanted, spread = sampled(net, x, math.sqrt(NOISE))
    error = torch.sqrt(torch.diagonal(spread, dim1=1, dim2=2) / 40_000)
    assert ((mean.double() - wanted).abs() < 5 * error).all()
    torch.testing.assert_close(cov, spread, rtol=0.05, atol=0.05 * spread.abs().max().item(), check_dtype=False)


def test_deep_networks_with_branches() -> None:
    torch.manual_seed(0)
    net = Residual(nn.Hardtanh())
    x = torch.randn(6, 5)
    mean, cov = gf.torch.propagate(net, x, NOISE)
    wanted, spread = sampled(net, x, math.sqrt(NOISE))
    ratio = torch.sqrt(torch.diagonal(cov, dim1=1, dim2=2) / torch.diagonal(spread, dim1=1, dim2=2))
    assert (ratio - 1).abs().max() < 0.03
    sd = torch.diagonal(spread, dim1=1, dim2=2).sqrt()
    assert ((mean.double() - wanted).abs() / sd).max() < 0.05
    diagonal = gf.torch.propagate(net, x, NOISE, covariance="diagonal")
    assert diagonal.covariance.shape == mean.shape


def test_linear_networks_are_exact_whatever_their_shape() -> None:
    """Everything but activations has the covariance A C Aᵀ of its Jacobian A."""
    torch.manual_seed(0)

    class Shapes(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.norm, self.b = nn.Conv1d(2, 4, 3, padding=1), nn.BatchNorm1d(4), nn.Linear(5, 3)
            self.norm.running_mean.normal_()
            self.norm.running_var.uniform_(0.5, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.norm(self.a(x))
            y = nn.functional.avg_pool1d(y, 2).transpose(1, 2).reshape(x.size(0), -1)
            y = y.view(y.shape[0], 4, 5)
            return (self.b(y) / 2 - self.b(y).mean(dim=1, keepdim=True).expand(-1, 4, -1)).flatten(1)

    net = Shapes().eval()
    x = torch.randn(3, 2, 10)
    try:
        mean, cov = gf.torch.propagate(net, x, 0.3, covariance="full")
    except gf.torch.NoRule:
        pytest.fail("a linear layer has no rule")
    torch.testing.assert_close(mean, net(x))
    for i in range(3):
        jacobian = torch.autograd.functional.jacobian(lambda t: net(t[None])[0], x[i]).reshape(mean.shape[1], -1).double()
        torch.testing.assert_close(cov[i], 0.3 * jacobian @ jacobian.T, rtol=1e-4, atol=1e-6, check_dtype=False)


def test_convolutions_have_variances() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU6(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(36, 2)).eval()
    x = torch.randn(2, 1, 8, 8)
    mean, variance = gf.torch.propagate(net, x, 0.1)
    assert mean.shape == variance.shape == (2, 2)
    full = gf.torch.propagate(net, x, 0.1, covariance="full")
    wanted, spread = sampled(net, x, math.sqrt(0.1), 20_000)
    torch.testing.assert_close(full.covariance, spread, rtol=0.05, atol=0.05 * spread.abs().max().item(), check_dtype=False)


def test_noise_of_weights_and_dropout() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 30), nn.ReLU(), nn.Dropout(0.3), nn.Linear(30, 1))
    x = torch.randn(5, 4)
    _, cov = gf.torch.propagate(net, x, dropout=True)
    net.train()
    with torch.no_grad():
        draws = torch.stack([net(x) for _ in range(20_000)])
    torch.testing.assert_close(cov[:, 0, 0], draws.var(0)[:, 0].double(), rtol=0.06, atol=1e-6, check_dtype=False)
    net.eval()
    assert gf.torch.propagate(net, x).covariance.abs().max() == 0
    _, cov = gf.torch.propagate(net, x, weight_variance=0.01)
    saved = [p.clone() for p in net.parameters()]
    draws = []
    with torch.no_grad():
        for _ in range(6000):
            for parameter, value in zip(net.parameters(), saved):
                parameter.copy_(value * (1 + 0.1 * torch.randn_like(value)))
            draws.append(net(x))
        for parameter, value in zip(net.parameters(), saved):
            parameter.copy_(value)
    torch.testing.assert_close(cov[:, 0, 0], torch.stack(draws).var(0)[:, 0].double(), rtol=0.12, atol=1e-6, check_dtype=False)
    named = {name: 0.01 * value.detach() ** 2 for name, value in net.named_parameters()}
    torch.testing.assert_close(gf.torch.propagate(net, x, weight_variance=named).covariance, cov, check_dtype=False)


@pytest.mark.parametrize("layer", [nn.Dropout1d(0.3), nn.Dropout2d(0.3), nn.Dropout3d(0.3)], ids=repr)
def test_dropout_of_channels(layer: nn.Module) -> None:
    """Exact, with the covariances within a channel."""
    torch.manual_seed(0)
    axes = int(type(layer).__name__[-2])
    shape, count = (2, 2, 3, *[1] * (axes - 1)), 100_000
    x, variance = torch.randn(shape), torch.rand(shape)
    mean, cov = gf.torch.propagate(layer, x, variance, dropout=True)
    layer.train()
    inputs = x + variance.sqrt() * torch.randn(count, *shape)
    drawn = layer(inputs.flatten(0, 1)).reshape(count, 2, 6).double()
    centred = drawn - drawn.mean(0)
    products = centred[:, :, :, None] * centred[:, :, None]
    for got, samples in ((mean.flatten(1), drawn), (cov, products)):
        assert bool(((got - samples.mean(0)).abs() <= 5 * samples.std(0) / math.sqrt(count)).all())
    _, each = gf.torch.propagate(layer, x, variance, covariance="diagonal", dropout=True)
    torch.testing.assert_close(each.flatten(1), torch.diagonal(cov, dim1=1, dim2=2))
    function = getattr(nn.functional, type(layer).__name__.lower())
    torch.testing.assert_close(gf.torch.propagate(Of(lambda t: function(t, 0.3)), x, variance, dropout=True).covariance, cov)
    assert torch.equal(gf.torch.propagate(layer, x, 0.0).mean, x)
    with pytest.raises(gf.torch.NoRule, match="without a batch"):
        gf.torch.propagate(layer, x[0], 0.0, dropout=True)


#: Normalisations of (batch, 6) by the statistics of the input.
OWN: dict[str, nn.Module] = {
    "LayerNorm": nn.LayerNorm(6),
    "LayerNorm of two axes": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.LayerNorm((2, 3), elementwise_affine=False)),
    "LayerNorm of the last axis": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.LayerNorm(3)),
    "RMSNorm": nn.RMSNorm(6),
    "RMSNorm of the last axis": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.RMSNorm(3, eps=0.1)),
    "GroupNorm": nn.GroupNorm(2, 6),
    "GroupNorm of channels": nn.Sequential(nn.Unflatten(1, (2, 3, 1)), nn.GroupNorm(1, 2)),
    "InstanceNorm": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.InstanceNorm1d(2)),
    "InstanceNorm of images": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.InstanceNorm2d(1, eps=0.1, affine=True)),
}


@pytest.mark.parametrize("name", OWN)
def test_normalisations_are_linearised_and_say_so(name: str) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), OWN[name]).double()
    for parameter in net[1].parameters():
        nn.init.normal_(parameter)
    x = torch.randn(2, 4, dtype=torch.float64)
    with pytest.warns(gf.torch.LinearizedWarning, match=f"{name.split()[0]} is linearised"):
        mean, cov = gf.torch.propagate(net, x, 1e-4)
    torch.testing.assert_close(mean, net(x))
    for i in range(2):
        jacobian = torch.autograd.functional.jacobian(lambda t: net(t[None])[0], x[i]).reshape(6, 4)
        torch.testing.assert_close(cov[i], 1e-4 * jacobian @ jacobian.T, rtol=1e-9, atol=1e-12)
    units, variance = torch.randn(2, 6, dtype=torch.float64), torch.rand(2, 6, dtype=torch.float64)
    with pytest.warns(gf.torch.LinearizedWarning):
        full = gf.torch.propagate(OWN[name], units, variance)
        each = gf.torch.propagate(OWN[name], units, variance, covariance="diagonal")
    torch.testing.assert_close(each.covariance.flatten(1), torch.diagonal(full.covariance, dim1=1, dim2=2))


def test_instance_norm_with_running_statistics_is_exact() -> None:
    torch.manual_seed(0)
    layer = nn.InstanceNorm1d(2, affine=True, track_running_stats=True).double()
    layer(torch.randn(8, 2, 3, dtype=torch.float64))
    nn.init.normal_(layer.weight)
    x = torch.randn(3, 2, 3, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error", gf.torch.LinearizedWarning)
        mean, cov = gf.torch.propagate(layer.train(), x, 0.5)
    layer.eval()
    torch.testing.assert_close(mean, layer(x))
    jacobian = torch.autograd.functional.jacobian(lambda t: layer(t[None])[0], x[0]).reshape(6, 6)
    torch.testing.assert_close(cov[0], 0.5 * jacobian @ jacobian.T)
    with pytest.raises(gf.torch.NoRule, match="InstanceNorm1d of inputs without a batch"):
        gf.torch.propagate(layer, x[0], 0.5)


def test_functions_that_normalise_are_the_modules() -> None:
    torch.manual_seed(0)
    f, x = nn.functional, torch.randn(2, 4, 3, dtype=torch.float64)
    w, m, v = torch.rand(3, 4, dtype=torch.float64)
    functions: dict[Any, Callable[[torch.Tensor], torch.Tensor]] = {
        nn.GroupNorm(2, 4): lambda t: f.group_norm(t, 2, w, m),
        nn.InstanceNorm1d(4, affine=True): lambda t: f.instance_norm(t, weight=w, bias=m),
        nn.BatchNorm1d(4): lambda t: f.batch_norm(t, m, v, w, m),
        nn.InstanceNorm1d(4, affine=True, track_running_stats=True): lambda t: f.instance_norm(t, m, v, w, m, use_input_stats=False),
        nn.RMSNorm(3): lambda t: f.rms_norm(t, (3,)),
    }
    for layer, function in functions.items():
        layer.double().eval()
        if getattr(layer, "running_mean", None) is not None:
            layer.running_mean, layer.running_var = m, v
        if not isinstance(layer, nn.RMSNorm):
            layer.weight.data, layer.bias.data = w, m
        for covariance in ("full", "diagonal"):
            found = [propagated(net, x, 0.2, {}, covariance) for net in (layer, Of(function))]
            torch.testing.assert_close(*found)


def test_what_has_no_rule_is_named() -> None:
    for layer, name in ((nn.GELU(), "GELU"), (nn.Softmax(1), "Softmax")):
        with pytest.raises(gf.torch.NoRule, match=f"1: no rule for {name}"):
            gf.torch.propagate(nn.Sequential(nn.Linear(4, 4), layer), torch.zeros(1, 4), 1.0)

    class Squared(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.relu(x) ** 0.5

    class Tracer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Squared()

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.inner(x)

    with pytest.raises(gf.torch.NoRule, match="pow"):
        gf.torch.propagate(Tracer(), torch.zeros(1, 4), 1.0)

    names: list[tuple[Callable[[torch.Tensor], torch.Tensor], str]] = [
        (lambda x: nn.functional.log_softmax(x, 1), "no rule for log_softmax;"),
        (lambda x: x.flatten(1).T, "no rule for the attribute T that changes the batch;"),
        (lambda x: torch.stack(list(x)), "no rule for getitem that changes the batch;"),
        (lambda x: x.data, "no rule for the attribute data;"),
        (lambda x: x @ x.mT, "no rule for matmul of two values that vary;"),
        (lambda x: x / x, "no rule for a quotient by a value that varies;"),
    ]
    for function, words in names:
        with pytest.raises(gf.torch.NoRule, match=words):
            gf.torch.propagate(Of(function), torch.zeros(2, 4, 4), 1.0)


def test_what_is_named_in_the_place_of_a_function_is_near_it() -> None:
    layers = [nn.GELU(), nn.SiLU(), nn.Mish(), nn.Softplus(), nn.Softplus(beta=3), nn.LogSigmoid(), nn.Tanh(), nn.Tanhshrink(), nn.Sigmoid()]
    x = torch.linspace(-3, 3, 13)[None]
    for layer in layers:
        with pytest.raises(gf.torch.NoRule) as raised:
            gf.torch.propagate(layer, x, 0.01)
        rules = eval(str(raised.value).split("rules=")[1].split(" takes ")[0], {"nn": nn})
        mean, _ = gf.torch.propagate(layer, x, 0.0, rules=rules)
        assert (mean - layer(x)).abs().max() < 0.3


class Modes(nn.Module):
    """Code that asks for the mode, a module in evaluation among others in training, and a constant."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.norm = nn.Linear(2, 3), nn.Linear(3, 2), nn.BatchNorm1d(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.a(x)) + torch.tensor([1.0, 2.0, 3.0])
        y = nn.functional.dropout(y, 0.5, self.training)
        return 100 * self.b(y) if self.training else self.b(input=y)


def test_training_mode_and_weights_are_left_alone() -> None:
    net = Modes().train()
    net.b.eval()
    wanted = Modes().eval()
    wanted.load_state_dict(net.state_dict())
    before = [p.clone() for p in net.parameters()]
    mean, _ = gf.torch.propagate(net, torch.ones(2, 2), 1.0)
    torch.testing.assert_close(mean, wanted(torch.ones(2, 2)))
    assert net.training and net.a.training and net.norm.training and not net.b.training
    assert all(torch.equal(a, b) for a, b in zip(before, net.parameters()))
    assert set(vars(net)) == set(vars(Modes()))


def test_a_single_layer_is_a_network() -> None:
    layer = nn.Linear(3, 2)
    mean, cov = gf.torch.propagate(layer, torch.ones(4, 3), 0.5, weight_variance={"bias": torch.tensor(0.25)})
    torch.testing.assert_close(mean, layer(torch.ones(4, 3)))
    wanted = 0.5 * layer.weight @ layer.weight.T + 0.25 * torch.eye(2)
    torch.testing.assert_close(cov, wanted.detach().expand(4, 2, 2))


@pytest.mark.parametrize("slopes", [[0.25], [-0.5, 0.0, 3.0]], ids=["one", "channels"])
def test_prelu_is_exact_with_a_slope_for_each_channel(slopes: list[float]) -> None:
    torch.manual_seed(0)
    layer = nn.PReLU(len(slopes)).double()
    layer.weight.data = torch.tensor(slopes, dtype=torch.float64)
    net = nn.Sequential(nn.Linear(4, 6), nn.Unflatten(1, (3, 2)), layer).double()
    x = torch.randn(2, 4, dtype=torch.float64)
    slope = layer.weight.detach()
    for function in (net, nn.Sequential(net[0], net[1], Of(lambda t: nn.functional.prelu(t, slope)))):
        none = gf.torch.propagate(function, x, 0.0)
        assert torch.equal(none.mean, net(x)) and bool((none.covariance == 0).all())
        mean, cov = gf.torch.propagate(function, x, 0.3)
        with torch.no_grad():
            drawn = net((x + math.sqrt(0.3) * torch.randn(50_000, 2, 4, dtype=torch.float64)).flatten(0, 1)).reshape(50_000, 2, 6)
        centred = drawn - drawn.mean(0)
        products = centred[:, :, :, None] * centred[:, :, None]
        for got, samples in ((mean.flatten(1), drawn), (cov, products)):
            assert bool(((got - samples.mean(0)).abs() <= 5 * samples.std(0) / math.sqrt(50_000)).all())
    units = torch.randn(2, 3, 2, dtype=torch.float64)
    full = gf.torch.propagate(layer, units, 0.3)
    each = gf.torch.propagate(layer, units, 0.3, covariance="diagonal")
    torch.testing.assert_close(each.mean, full.mean)
    torch.testing.assert_close(each.covariance.flatten(1), torch.diagonal(full.covariance, dim1=1, dim2=2))


def test_noise_of_slopes() -> None:
    torch.manual_seed(0)
    layer = nn.PReLU(3)
    nn.init.normal_(layer.weight)
    x, variance, noise = torch.randn(2, 3), torch.rand(2, 3), torch.rand(3)
    saved = layer.weight.detach().clone()
    inputs = x + variance.sqrt() * torch.randn(50_000, 2, 3)
    slopes = saved + noise.sqrt() * torch.randn(50_000, 1, 3)
    drawn = torch.where(inputs > 0, inputs, slopes * inputs)
    moved = (drawn - drawn.mean(0)) ** 2
    _, cov = gf.torch.propagate(layer, x, variance, weight_variance={"weight": noise})
    _, each = gf.torch.propagate(layer, x, variance, covariance="diagonal", weight_variance={"weight": noise})
    for got in (torch.diagonal(cov, dim1=1, dim2=2), each):
        assert bool(((got - moved.mean(0)).abs() <= 5 * moved.std(0) / math.sqrt(50_000)).all())
    with pytest.raises(gf.torch.NoRule, match="shared between places"):
        gf.torch.propagate(nn.PReLU(), x, variance, weight_variance=0.1)


def layers() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Unflatten(1, (1, 6)), nn.AvgPool1d(2), nn.Flatten(), nn.Linear(3, 2)).eval()


def test_hooks_are_code_of_the_network() -> None:
    x, seen = torch.randn(2, 4), []
    for place in (None, 0, 1, 3, 4):
        net = layers()
        module = net if place is None else net[place]
        module.register_forward_hook(lambda module, inputs, output: 5 * output)
        module.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] + 1,), kwargs), with_kwargs=True)
        module.register_forward_hook(lambda module, inputs, output: seen.append(output.detach().cpu().numpy()))
        torch.testing.assert_close(gf.torch.propagate(net, x, 0.0).mean, net(x))
    for single in (nn.Linear(4, 3), nn.AvgPool1d(2)):
        single.register_forward_hook(lambda module, inputs, output: 5 * output)
        torch.testing.assert_close(gf.torch.propagate(single, x, 0.0).mean, single(x))
    net = layers()
    net[1].register_forward_hook(lambda module, inputs, output: output.fill_diagonal_(len(output)))
    with pytest.raises(gf.torch.NoRule, match="1: no rule for fill_diagonal_"):
        gf.torch.propagate(net, x, 0.0)
    net = layers()
    net[0].register_forward_hook(lambda module, inputs, output: output * module.bias)
    torch.testing.assert_close(gf.torch.propagate(net, x, 0.0).mean, net(x))
    with pytest.raises(gf.torch.NoRule, match="noise of 0.bias"):
        gf.torch.propagate(net, x, 0.0, weight_variance=0.1)
    hook = nn.modules.module.register_module_forward_hook(lambda module, inputs, output: 2 * output)
    try:
        torch.testing.assert_close(gf.torch.propagate(net, x, 0.0).mean, net(x))
    finally:
        hook.remove()


@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
def test_hooks_that_compute_weights_run_before() -> None:
    net, x = layers(), torch.randn(2, 4)
    nn.utils.weight_norm(net[0])
    nn.utils.prune.l1_unstructured(net[5], "weight", 0.5)
    net.append(nn.utils.spectral_norm(nn.Linear(2, 2)))
    net.eval()
    with torch.no_grad():
        for parameter in (net[0].weight_g, net[5].weight_orig, net[6].weight_orig[:1]):
            parameter.mul_(3)
        got = gf.torch.propagate(net, x, 0.0).mean
        torch.testing.assert_close(got, net(x))
    with pytest.raises(gf.torch.NoRule, match="noise of 0.weight_g"):
        gf.torch.propagate(net, x, 0.0, weight_variance=0.1)
    other = layers()
    weight = nn.Parameter(other[0].weight.detach())
    del other[0].weight
    other[0].weight = weight.detach()
    other[0].given = weight
    other[0].register_forward_pre_hook(lambda module, inputs: setattr(module, "weight", 2 * module.given))
    with pytest.raises(gf.torch.NoRule, match="0: no rule for a hook that computes `weight`"):
        gf.torch.propagate(other, x, 0.0)
    assert torch.equal(other[0].weight, weight) and "forward" not in vars(other[0])


def test_compiled_networks_are_those_that_were_compiled() -> None:
    x, net = torch.randn(2, 4), layers()
    wanted = gf.torch.propagate(net, x, 0.3)
    compiled = torch.compile(net, backend="eager")
    for other in (compiled, nn.Sequential(compiled)):
        torch.testing.assert_close(gf.torch.propagate(other, x, 0.3), wanted)
    compiled.register_forward_hook(lambda module, inputs, output: 2 * output)
    torch.testing.assert_close(gf.torch.propagate(compiled, x, 0.3).mean, 2 * wanted.mean)
    net[0].compile(backend="eager")
    net.compile(backend="eager")
    torch.testing.assert_close(gf.torch.propagate(nn.Sequential(net), x, 0.3), wanted)
    with pytest.raises(gf.torch.NoRule, match="0: torch.fx cannot trace a ScriptModule"):
        gf.torch.propagate(nn.Sequential(torch.jit.trace(layers(), x)), x, 0.0)


def test_dropout_of_everything_leaves_nothing() -> None:
    x = torch.randn(2, 3, 4)
    for layer in (nn.Dropout(1.0), nn.Dropout1d(1.0)):
        for covariance in ("full", "diagonal"):
            for part in gf.torch.propagate(layer, x, 0.3, dropout=True, covariance=covariance):
                assert bool((part == 0).all())


def test_modules_of_a_user_have_rules() -> None:
    class Cubed(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x**3

    mean, cov = gf.torch.propagate(nn.Sequential(Cubed()), torch.zeros(1, 2), 1.0, rules={Cubed: lambda _: "x^3"})
    torch.testing.assert_close(mean, torch.zeros(1, 2))
    torch.testing.assert_close(cov, 15 * torch.eye(2)[None])


POOLS = [
    nn.AvgPool2d(3, padding=1, count_include_pad=False),
    nn.AvgPool2d((3, 2), stride=2, padding=(1, 0), ceil_mode=True),
    nn.AvgPool2d(2, divisor_override=3),
    nn.AvgPool2d(3, stride=2, padding=1, ceil_mode=True, divisor_override=5),
    nn.AdaptiveAvgPool2d((3, None)),
    nn.AdaptiveAvgPool2d(2),
]


@pytest.mark.parametrize("pool", POOLS, ids=repr)
@pytest.mark.parametrize("is_function", [False, True])
def test_average_pools_have_the_squares_of_their_coefficients(pool: nn.Module, is_function: bool) -> None:
    class Function(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            f = nn.functional
            if isinstance(pool, nn.AdaptiveAvgPool2d):
                return f.adaptive_avg_pool2d(x, pool.output_size)
            settings = (pool.kernel_size, pool.stride, pool.padding, pool.ceil_mode, pool.count_include_pad)
            return f.avg_pool2d(x, *settings, divisor_override=pool.divisor_override)

    net = Function() if is_function else pool
    torch.manual_seed(0)
    x, v = torch.randn(2, 3, 7, 5), torch.rand(2, 3, 7, 5)
    mean, variance = gf.torch.propagate(net, x, v, covariance="diagonal")
    jacobian = torch.autograd.functional.jacobian(lambda t: pool(t[None])[0], x[0]).reshape(mean[0].numel(), -1)
    torch.testing.assert_close(mean, pool(x))
    torch.testing.assert_close(variance.flatten(1), v.flatten(1) @ (jacobian**2).T)


class Scaled(nn.Module):
    """A parameter that the code multiplies by."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def test_weights_with_noise_are_used_once() -> None:
    layer = nn.Linear(3, 3)
    x = torch.ones(1, 3)
    with pytest.raises(gf.torch.NoRule, match=r"0\.weight has noise and is used more than once"):
        gf.torch.propagate(nn.Sequential(layer, nn.ReLU(), layer), x, weight_variance=0.01)
    gf.torch.propagate(nn.Sequential(layer, nn.ReLU(), layer), x, 1.0)
    tied = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    tied[1].weight = tied[0].weight
    with pytest.raises(gf.torch.NoRule, match="used more than once"):
        gf.torch.propagate(tied, x, weight_variance={"0.weight": torch.tensor(0.1)})
    with pytest.raises(ValueError, match="'0.wieght'.*is '0.weight' meant"):
        gf.torch.propagate(tied, x, weight_variance={"0.wieght": torch.tensor(0.1)})
    with pytest.raises(ValueError, match=r"shape \(2,\); \(3, 3\) is wanted"):
        gf.torch.propagate(tied, x, weight_variance={"0.weight": torch.ones(2)})
    with pytest.raises(ValueError, match="negative"):
        gf.torch.propagate(tied, x, weight_variance={"0.weight": torch.tensor(-1.0)})
    with pytest.raises(gf.torch.NoRule, match="no rule for noise of 0.scale"):
        gf.torch.propagate(nn.Sequential(Scaled()), x, 1.0, weight_variance=0.1)


@pytest.mark.parametrize("norm", [nn.BatchNorm1d(4), nn.LayerNorm(4), nn.RMSNorm(4), nn.GroupNorm(2, 4)], ids=["batch", "layer", "rms", "group"])
def test_noise_of_normalisations(norm: nn.Module) -> None:
    torch.manual_seed(0)
    for parameter in norm.parameters():
        nn.init.normal_(parameter)
    if isinstance(norm, nn.BatchNorm1d):
        norm.running_mean.normal_()
        norm.running_var.uniform_(0.5, 2)
    norm.eval()
    x, given = torch.randn(3, 4), {name: torch.rand(4) for name, _ in norm.named_parameters()}
    _, cov = propagated(norm, x, 1e-6, given)
    saved = {name: parameter.detach().clone() for name, parameter in norm.named_parameters()}
    draws = []
    with torch.no_grad():
        for _ in range(20_000):
            for name, parameter in norm.named_parameters():
                parameter.copy_(saved[name] + given[name].sqrt() * torch.randn(4))
            draws.append(norm(x))
    spread = torch.stack(draws).double()
    centred = spread - spread.mean(0)
    wanted = torch.einsum("sbi,sbj->bij", centred, centred) / len(draws)
    torch.testing.assert_close(cov.double(), wanted, rtol=0.06, atol=0.03 * wanted.abs().max().item())


def propagated(
    net: nn.Module, x: torch.Tensor, noise: float, given: dict[str, torch.Tensor], covariance: str = "auto"
) -> tuple[torch.Tensor, torch.Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gf.torch.LinearizedWarning)
        mean, cov = gf.torch.propagate(net, x, noise, weight_variance=given, covariance=covariance)
    return mean, cov


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.transpose(0, 1),
        lambda x: x.mean(0, keepdim=True).expand(4, 4),
        lambda x: x.reshape(2, 2, 4).transpose(0, 1).reshape(4, 4),
        lambda x: x[[1, 0, 2, 3]],
    ],
)
def test_layers_that_mix_the_batch_are_refused(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    for covariance in ("full", "diagonal"):
        with pytest.raises(gf.torch.NoRule, match="changes the batch"):
            gf.torch.propagate(Of(function), torch.zeros(4, 4), 1.0, covariance=covariance)


def test_code_that_replaces_that_of_a_class_is_taken() -> None:
    """As libraries do that put their own `forward` on a layer."""
    x = torch.randn(3, 4)
    layer = nn.Linear(4, 4)
    layer.forward = lambda x: 3 * nn.Linear.forward(layer, x)
    for net in (nn.Sequential(layer), layer):
        torch.testing.assert_close(gf.torch.propagate(net, x, 0.1).mean, net(x))
    with pytest.raises(gf.torch.NoRule, match="no rule for noise of 0.weight"):
        gf.torch.propagate(nn.Sequential(layer), x, 0.1, weight_variance=0.1)


def test_what_is_given_as_people_have_it() -> None:
    net, x = nn.Sequential(nn.Linear(4, 3), nn.ReLU()), torch.randn(3, 4)
    wanted = gf.torch.propagate(net, x, 0.1)
    for one, other in zip(gf.torch.propagate(nn.DataParallel(net), x, 0.1), wanted):
        torch.testing.assert_close(one, other)
    near = gf.torch.propagate(nn.GELU(), x, 0.1, rules={nn.GELU: "gelu_cubic"})
    torch.testing.assert_close(near.mean, gf.torch.propagate(nn.GELU(), x, 0.1, rules={nn.GELU: lambda module: ("gelu_cubic", {})}).mean)
    for covariance, shape in (("full", (0, 3, 3)), ("diagonal", (0, 3))):
        assert gf.torch.propagate(net, x[:0], 0.1, covariance=covariance).covariance.shape == shape
    for wrong in (torch.relu, [net]):
        with pytest.raises(TypeError, match="a torch.nn.Module is wanted"):
            gf.torch.propagate(wrong, x, 0.1)
    for variance in (math.inf, -1.0, math.nan):
        with pytest.raises(ValueError, match="negative, infinite or not a number"):
            gf.torch.propagate(net, x, variance)
    with pytest.raises(gf.torch.NoRule, match=r"no rule for torch\.ao\.nn\.quantized\.dynamic.*Linear;"):
        gf.torch.propagate(nn.Sequential(torch.ao.nn.quantized.dynamic.Linear(4, 3)), x, 0.1)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_rows_of_one_number_without_an_axis(covariance: str) -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 3)
    relu = nn.functional.relu
    functions: list[Callable[[torch.Tensor], torch.Tensor]] = [
        lambda x: relu(x[:, 0]) - relu(x[:, 1]),
        lambda x: x[:, 0] * x[:, 1],
        lambda x: torch.maximum(x[:, 0], x[:, 1]),
        lambda x: nn.functional.hardtanh(x.sum(-1)).unsqueeze(-1),
        lambda x: nn.functional.prelu(x[:, 0], torch.tensor([0.2])),
    ]
    for function in functions:
        mean, _ = gf.torch.propagate(Of(function), x, 0.0, covariance=covariance)
        torch.testing.assert_close(mean, function(x))
        none = gf.torch.propagate(Of(function), x[:0], 0.1, covariance=covariance)
        assert none.mean.shape == mean[:0].shape


class Branches(nn.Module):
    """Activations of several linear functions of the input, whose sum is a network with one hidden layer."""

    def __init__(self, *activations: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 4) for _ in activations])
        self.activations = nn.ModuleList(activations)
        self.last = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(sum(activation(layer(x)) * (i + 1) for i, (layer, activation) in enumerate(zip(self.layers, self.activations))))


def test_activations_of_branches_are_exact_together() -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 3, dtype=torch.float64)
    for activation in (nn.ReLU(), nn.PReLU(init=0.3), nn.Hardswish()):
        net = Branches(activation, activation, activation).double()
        wide = nn.Sequential(nn.Linear(3, 12), activation, nn.Linear(12, 2)).double()
        with torch.no_grad():
            wide[0].weight.copy_(torch.cat([layer.weight for layer in net.layers]))
            wide[0].bias.copy_(torch.cat([layer.bias for layer in net.layers]))
            wide[2].weight.copy_(torch.cat([net.last.weight * (i + 1) for i in range(3)], 1))
            wide[2].bias.copy_(net.last.bias)
        for one, other in zip(gf.torch.propagate(net, x, 0.25), gf.torch.propagate(wide, x, 0.25)):
            torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)

    relu = nn.functional.relu
    by_hand = gf.torch.propagate(Of(lambda x: relu(x) - 0.3 * relu(-x)), x, 0.25)
    for one, other in zip(by_hand, gf.torch.propagate(nn.LeakyReLU(0.3), x, 0.25)):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-12)
    polynomial = gf.torch.propagate(Of(lambda x: x**3 + 2 * x**2 - x), x, 0.25)
    known = gf.torch.propagate(nn.Identity(), x, 0.25, rules={nn.Identity: lambda module: "x^3 + 2*x^2 - x"})
    torch.testing.assert_close(polynomial.mean, known.mean)
    torch.testing.assert_close(torch.diagonal(polynomial.covariance, dim1=1, dim2=2), torch.diagonal(known.covariance, dim1=1, dim2=2))

    net, x = Branches(nn.ReLU(), nn.Hardtanh(), nn.Softshrink(0.2), nn.PReLU()), x.float()
    mean, cov = gf.torch.propagate(net, x, 0.25)
    wanted, spread = sampled(net, x, 0.5, 200_000)
    error = torch.sqrt(torch.diagonal(spread, dim1=1, dim2=2) / 200_000)
    assert ((mean.double() - wanted).abs() < 5 * error).all()
    torch.testing.assert_close(cov, spread, rtol=0.02, atol=0.01 * spread.abs().max().item(), check_dtype=False)


class Asking(nn.Module):
    """Code that decides by shapes and types, and goes through parts."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm, self.last = nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Linear(6, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.dim() == 3:
            x = x.unsqueeze(1)
        assert x.shape[1] == 1 and x.ndim == 4 and not x.is_cuda
        y = torch.relu(self.norm(self.convolution(x)))
        batch, *sizes = y.shape
        if y.numel() != batch * math.prod(sizes):
            raise ValueError
        y = y.view(len(y), 2, -1)
        y = sum(part / math.sqrt(y.size(-1)) for part in torch.split(y, 2, dim=-1)).to(self.last.weight.dtype)
        parts = [part for part in y.mT.unbind(-1)]
        rows = torch.cat([*parts, y.new_zeros(batch, 2), torch.ones(batch, 6 - 2 - 2 * len(parts), dtype=y.dtype, device=y.device)], 1)
        return self.last(rows)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_code_may_decide_by_shapes(covariance: str) -> None:
    torch.manual_seed(0)
    net = Asking().eval()
    x = torch.randn(3, 4, 4)
    mean, spread = gf.torch.propagate(net, x, 0.0, covariance=covariance)
    torch.testing.assert_close(mean, net(x))
    assert (spread == 0).all()
    small = torch.double
    net, x = net.to(small), x.to(small)
    _, cov = gf.torch.propagate(net, x, 1e-12, covariance="full")
    jacobian = torch.func.vmap(torch.func.jacrev(lambda row: net(row[None])[0]))(x).flatten(2)
    torch.testing.assert_close(cov, 1e-12 * jacobian @ jacobian.mT)

    def by_numbers(x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x

    with pytest.raises(gf.torch.NoRule, match="control flow"):
        gf.torch.propagate(Of(by_numbers), torch.zeros(2, 3), 1.0)


class Gated(nn.Module):
    """Channels that are scaled by what all of them say, as in MobileNetV3."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.squeeze, self.excite = nn.Conv2d(2, 4, 3), nn.Linear(4, 2), nn.Linear(2, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.convolution(x)
        scale = nn.functional.hardsigmoid(self.excite(torch.relu(self.squeeze(x.mean((2, 3))))))
        return (x * scale[:, :, None, None]).flatten(1)


class Products(nn.Module):
    def __init__(self, product: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.first, self.second, self.product = nn.Linear(3, 4), nn.Linear(3, 4), product

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.product(self.first(x), self.second(x))


def test_products_of_two_values() -> None:
    """Those of Normal values are exact; a product in place and by a function are the same."""
    torch.manual_seed(0)
    x, sd = torch.randn(2, 3), 0.5
    products: list[Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = [
        lambda a, b: a * b,
        lambda a, b: torch.mul(a, other=b),
        lambda a, b: a.mul_(b),
        lambda a, b: a * a - b,
        lambda a, b: a[:, None, :2] * b[:, 1:, None],
    ]
    for product in products:
        of = Products(product)
        mean, cov = gf.torch.propagate(of, x, sd**2)
        wanted, spread = sampled(of, x, sd, 100_000)
        error = torch.sqrt(torch.diagonal(spread, dim1=1, dim2=2) / 100_000)
        assert ((mean.flatten(1).double() - wanted).abs() < 5 * error).all()
        torch.testing.assert_close(cov, spread, rtol=0.05, atol=0.05 * spread.abs().max().item(), check_dtype=False)
    mean, variance = gf.torch.propagate(Of(lambda x: x * x), x, sd**2, covariance="diagonal")
    torch.testing.assert_close(mean, x**2 + sd**2)
    torch.testing.assert_close(variance, 4 * x**2 * sd**2 + 2 * sd**4)
    independent = Of(lambda x: x[:, :1] * x[:, 1:])
    for both in zip(gf.torch.propagate(independent, x, sd**2), gf.torch.propagate(independent, x, sd**2, covariance="diagonal")):
        found = [torch.diagonal(part, dim1=1, dim2=2) if part.dim() == 3 else part for part in both]
        torch.testing.assert_close(*found)

    gated = Gated()
    images = torch.randn(1, 2, 5, 5)
    mean, cov = gf.torch.propagate(gated, images, 0.04, covariance="full")
    wanted, spread = sampled(gated, images, 0.2)
    sd_of = torch.sqrt(torch.diagonal(spread, dim1=1, dim2=2))
    assert ((mean.double() - wanted).abs() < 0.03 * sd_of).all()
    assert (torch.sqrt(torch.diagonal(cov, dim1=1, dim2=2)) / sd_of - 1).abs().max() < 0.05


class Residue(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = 2 * x
        return self.layer(y) + y


def test_values_that_change_in_place_are_not_used_again() -> None:
    relu = nn.ReLU(inplace=True)
    with pytest.raises(gf.torch.NoRule, match="in place"):
        gf.torch.propagate(Residue(relu), torch.zeros(2, 3), 1.0)

    def twice(x: torch.Tensor) -> torch.Tensor:
        y = 2 * x
        return nn.functional.relu(y, inplace=True) + y

    with pytest.raises(gf.torch.NoRule, match="in place"):
        gf.torch.propagate(Of(twice), torch.zeros(2, 3), 1.0)


def by_view(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    z = y.view(-1, 3)
    z += 1
    return y


def by_index(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    nn.functional.relu(y[:, :2], inplace=True)
    return y


def by_method(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    y.reshape(-1, 3).add_(1)
    return y


def by_place(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    nn.functional.relu(nn.functional.dropout(y, 0.5, False), True)
    return y


def by_name(x: torch.Tensor) -> torch.Tensor:
    y = z = 2 * x
    z *= 3
    return y


def by_assignment(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    y[:, 0] = 0
    return y


@pytest.mark.parametrize("function", [by_view, by_index, by_method, by_place, by_name, by_assignment])
def test_changes_by_another_name_are_noticed(function: Callable[[torch.Tensor], torch.Tensor]) -> None:
    words = "0: no rule for an assignment" if function is by_assignment else "0: .* works in place on a value that is used again"
    with pytest.raises(gf.torch.NoRule, match=words):
        gf.torch.propagate(nn.Sequential(Of(function)), torch.zeros(2, 3), 1.0)


def test_work_in_place_that_nothing_else_sees_is_right() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = (2 * x).clone()
        y += 1
        y *= 3
        y = y.view(-1, 3).sub_(x)
        count = x.size(0)
        count *= 1
        return y.relu_().reshape(count, -1)

    x = torch.randn(2, 3)
    mean, cov = gf.torch.propagate(Of(function), x, 0.0)
    torch.testing.assert_close(mean, function(x))
    spread = gf.torch.propagate(Of(function), 10 + x.abs(), 0.5).covariance
    torch.testing.assert_close(spread, 12.5 * torch.eye(3).expand(2, 3, 3), check_dtype=False)


@pytest.mark.parametrize("covariance", ["full", "diagonal"])
def test_inputs_are_batches_of_floating_numbers(covariance: str) -> None:
    with pytest.raises(ValueError, match=r"\(4,\); \(batch, …\)"):
        gf.torch.propagate(nn.Linear(4, 4), torch.zeros(4), 1.0, covariance=covariance)
    with pytest.raises(gf.torch.NoRule, match="without a batch"):
        gf.torch.propagate(nn.Conv2d(3, 3, 1), torch.zeros(3, 5, 5), 1.0, covariance=covariance)
    with pytest.raises(TypeError, match="int64"):
        gf.torch.propagate(nn.ReLU(), torch.zeros(2, 4, dtype=torch.int64), 0.5, covariance=covariance)
    wanted = gf.library.relu.moments(0.0, 0.5)
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        x = torch.zeros(2, 1, dtype=dtype, requires_grad=True)
        mean, spread = gf.torch.propagate(nn.ReLU(), x, 0.5, covariance=covariance)
        assert mean.dtype == spread.dtype == dtype
        torch.testing.assert_close(mean, torch.full((2, 1), float(wanted.mean), dtype=dtype))
        torch.testing.assert_close(spread.flatten(), torch.full((2,), float(wanted.variance), dtype=dtype))


def test_powers_are_activations() -> None:
    _, cov = gf.torch.propagate(Of(lambda x: torch.pow(x, 3) - x**2), torch.zeros(1, 2), 1.0)
    torch.testing.assert_close(cov, 17 * torch.eye(2)[None], check_dtype=False)


def test_covariances_are_symmetric_and_have_no_negative_eigenvalue() -> None:
    x, layer = torch.randn(2, 3), nn.Linear(3, 2)
    root = torch.randn(2, 3, 1)
    assert (torch.diagonal(gf.torch.propagate(layer, x, root @ root.mT).covariance, dim1=1, dim2=2) >= 0).all()
    assert gf.torch.propagate(nn.Linear(1, 1), x[:, :1] * 0, torch.tensor([[[1e-20]], [[0.0]]])).covariance[0] > 0
    for entries, words in (
        ([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "not symmetric"),
        ([[1.0, 0.9, 0.9], [0.9, 1.0, -0.9], [0.9, -0.9, 1.0]], "row 1 .* negative eigenvalue"),
        ([[1.0, math.nan, 0.0], [math.nan, 1.0, 0.0], [0.0, 0.0, 1.0]], "not a number"),
    ):
        with pytest.raises(ValueError, match=words):
            gf.torch.propagate(layer, x, torch.stack([torch.eye(3), torch.tensor(entries)]))


def test_inputs_of_another_kind_are_errors_that_say_what_is_wanted() -> None:
    x, layer = torch.randn(2, 3), nn.Linear(3, 2)
    for args, values, kind, words in (
        ((x.numpy(), 0.1), {}, TypeError, "torch.as_tensor"),
        ((x, "a"), {}, TypeError, "the variance is of the type str"),
        ((x, torch.ones(2)), {}, ValueError, r"shape \(2,\); .* \(2, 3, 3\) is wanted"),
        ((x, torch.ones(2, 3, 3)), {"covariance": "diagonal"}, ValueError, 'covariance="full"'),
        ((x, 0.0), {"weight_variance": "a"}, TypeError, "weight_variance is of the type str"),
        ((x, 0.0), {"weight_variance": {"bias": "a"}}, TypeError, "'bias'. is of the type str"),
    ):
        with pytest.raises(kind, match=words):
            gf.torch.propagate(layer, *args, **values)


def test_half_types_and_expanded_tensors_keep_the_batch() -> None:
    functions: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (lambda x: x.flatten(1), lambda x: x.mean(1), lambda x: x[:, :1].expand(-1, 8, 8))
    for dtype in (torch.bfloat16, torch.float16):
        x = torch.randn(2, 8, 8).to(dtype)
        for function in functions:
            for covariance in ("full", "diagonal"):
                assert torch.equal(gf.torch.propagate(Of(function), x, 0.1, covariance=covariance).mean, function(x))
    expanded = torch.zeros(1, 4, dtype=torch.float64).expand(3, 4)
    torch.testing.assert_close(gf.torch.propagate(Of(lambda x: x + 1), expanded, 0.1).mean, expanded + 1)


def test_variances_are_not_negative() -> None:
    for covariance in ("full", "diagonal"):
        with pytest.raises(ValueError, match="negative"):
            gf.torch.propagate(nn.Linear(2, 1), torch.zeros(3, 2), -1.0, covariance=covariance)


def test_bayesian_layers_have_the_moments_of_sampled_weights() -> None:
    torch.manual_seed(0)
    layer = gf.torch.nn.Linear(3, 2, initial_sd=0.8)
    mean, variance = torch.randn(4, 3), torch.rand(4, 3)
    got = layer((mean, variance))
    count = 200_000
    with torch.no_grad():
        w = layer.weight_mean + layer.weight_log_sd.exp() * torch.randn(count, 2, 3)
        b = layer.bias_mean + layer.bias_log_sd.exp() * torch.randn(count, 2)
        x = mean + variance.sqrt() * torch.randn(count, 4, 3)
        out = torch.einsum("soi,sbi->sbo", w, x) + b[:, None]
    assert ((got[0] - out.mean(0)).abs() < 5 * out.std(0) / math.sqrt(count)).all()
    torch.testing.assert_close(got[1], out.var(0), rtol=0.03, atol=0.0)
    normal = torch.distributions.Normal
    prior = normal(0.0, layer.prior_sd)
    kl = torch.distributions.kl_divergence(normal(layer.weight_mean, layer.weight_log_sd.exp()), prior).sum()
    kl = kl + torch.distributions.kl_divergence(normal(layer.bias_mean, layer.bias_log_sd.exp()), normal(0.0, 1.0)).sum()
    torch.testing.assert_close(layer.kl(), kl)


def test_a_bayesian_network_learns() -> None:
    torch.manual_seed(0)
    x = torch.linspace(-2, 2, 64)[:, None]
    y = x.abs() + 0.05 * torch.randn_like(x)
    net = nn.Sequential(gf.torch.nn.Linear(1, 20), gf.torch.nn.Activation("relu"), gf.torch.nn.Linear(20, 1))
    noise = nn.Parameter(torch.tensor(-2.0))
    optimizer = torch.optim.Adam([*net.parameters(), noise], 0.02)
    for step in range(600):
        optimizer.zero_grad()
        mean, variance = net(x)
        weight = min(1.0, step / 300)
        loss = -gf.torch.elbo.normal(mean, variance, y, noise.exp()).sum() + weight * gf.torch.nn.kl(net)
        loss.backward()
        optimizer.step()
    mean, variance = net(x)
    assert ((mean - x.abs()) ** 2).mean().sqrt() < 0.2 and (variance > 0).all()
    for name in ("prior_sd", "bias_prior_sd", "initial_sd"):
        with pytest.raises(ValueError, match=f"{name} is 0.0; a positive number"):
            gf.torch.nn.Linear(1, 1, **{name: 0.0})
    images = nn.Sequential(gf.torch.nn.Conv2d(1, 2, 3), gf.torch.nn.Activation("relu"), gf.torch.nn.Flatten(), gf.torch.nn.Linear(32, 3))
    mean, variance = images(torch.randn(2, 1, 6, 6))
    assert mean.shape == variance.shape == (2, 3) and (variance > 0).all()


@pytest.mark.parametrize(("classes", "sd"), [(2, 14.0), (3, 1.0), (10, 3.0), (10, 0.1), (3, 50.0)])
def test_the_bound_of_classes_is_that_of_samples(classes: int, sd: float) -> None:
    torch.manual_seed(0)
    count = 200_000
    m = 2 * torch.randn(4, classes, dtype=torch.float64)
    s = sd * (0.5 + torch.rand(4, classes, dtype=torch.float64))
    labels = torch.randint(classes, (4,))
    got = gf.torch.elbo.categorical(m, s**2, labels)
    z = torch.log_softmax(m + s * torch.randn(count, 4, classes, dtype=torch.float64), -1)
    drawn = z.gather(-1, labels.expand(count, 4)[..., None])[..., 0]
    assert ((got - drawn.mean(0)).abs() < 5 * drawn.std(0) / math.sqrt(count)).all()
    m.requires_grad_()
    (slopes,) = torch.autograd.grad(gf.torch.elbo.logsumexp(m, s**2).sum(), m)
    torch.testing.assert_close(slopes.sum(-1), torch.ones(4, dtype=torch.float64), rtol=0, atol=1e-9)


def test_bounds_in_closed_form() -> None:
    torch.manual_seed(0)
    m, v = torch.randn(5, dtype=torch.float64), torch.rand(5, dtype=torch.float64) * 2 + 0.1
    f = m + v.sqrt() * torch.randn(1_000_000, 5, dtype=torch.float64)
    y, counts, bits = torch.randn(5, dtype=torch.float64), torch.arange(5.0, dtype=torch.float64), torch.tensor([0.0, 1, 1, 0, 1])
    for got, drawn in (
        (gf.torch.elbo.normal(m, v, y, 0.3), torch.distributions.Normal(f, math.sqrt(0.3)).log_prob(y)),
        (gf.torch.elbo.poisson(m, v, counts), torch.distributions.Poisson(f.exp()).log_prob(counts)),
        (gf.torch.elbo.bernoulli(m, v, bits), torch.distributions.Bernoulli(logits=f).log_prob(bits.double())),
    ):
        assert ((got - drawn.mean(0)).abs() < 5 * drawn.std(0) / 1000).all()
    parts = [t.requires_grad_() for t in (m, v)]
    assert torch.autograd.gradcheck(lambda m, v: gf.torch.elbo.bernoulli(m, v, bits), parts)


def test_bounds_broadcast_means_and_variances() -> None:
    mean = torch.tensor([[0.5, -1.0, 0.0], [2.0, 0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    variance = torch.tensor([1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([0, 2])
    for one, all_ in [(variance, variance.expand(2, 3)), (torch.ones((), dtype=torch.float64), torch.ones(2, 3, dtype=torch.float64))]:
        found = gf.torch.elbo.categorical(mean, one, labels)
        torch.testing.assert_close(found, gf.torch.elbo.categorical(mean, all_, labels))
    (slope,) = torch.autograd.grad(gf.torch.elbo.categorical(mean, variance, labels).sum(), variance)
    assert slope.shape == (3,)
    bits = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], dtype=torch.float64)
    found = gf.torch.elbo.bernoulli(mean, variance, bits)
    torch.testing.assert_close(found, gf.torch.elbo.bernoulli(mean, variance.expand(2, 3), bits))


def softplus_mean(m: float, v: float) -> float:
    """E[log(1 + e^f)] for f ~ N(m, v): that of max(0, f) in closed form, and the rest near 0 by panels of SciPy's rule."""
    integrate, special = pytest.importorskip("scipy.integrate"), pytest.importorskip("scipy.special")
    s = math.sqrt(v)
    ends = sorted({x for x in (-60.0, 0.0, 60.0, *(m + k * s for k in range(-12, 13)), *map(float, range(-40, 41))) if abs(x) <= 60})

    def rest(f: float) -> float:
        return math.log1p(math.exp(-abs(f))) * math.exp(-((f - m) ** 2) / (2 * v))

    area = sum(integrate.fixed_quad(np.vectorize(rest), a, b, n=20)[0] for a, b in zip(ends, ends[1:]))
    tail = s * math.exp(-m * m / (2 * v)) + area / s
    return float(m * special.ndtr(m / s) + tail / math.sqrt(2 * math.pi))


@pytest.mark.parametrize("sd", [0.1, 0.99, 1.0, 3.0, 30.0, 316.0, 1e3, 1e4, 1e8])
def test_bounds_are_right_whatever_the_variance(sd: float) -> None:
    for m in (-5.0, 0.0, 0.3, 200.0):
        up, down = -softplus_mean(-m, sd**2), -softplus_mean(m, sd**2)
        for y, wanted in ((1.0, up), (0.0, down), (0.3, 0.3 * up + 0.7 * down)):
            got = gf.torch.elbo.bernoulli(*(torch.tensor(t, dtype=torch.float64) for t in (m, sd**2, y)))
            assert abs(got.item() - wanted) < 5e-9 * (1 + abs(m) + sd)


def test_bounds_of_classes_whose_variances_differ_much() -> None:
    """Beside samples, with their derivatives: E[softmax] in means, ½ E[p (1 − p)] in variances."""
    torch.manual_seed(0)
    m, s = torch.randn(6, dtype=torch.float64), torch.tensor([1e-3, 0.0, 2.0, 1e2, 3e3, 1.0], dtype=torch.float64)
    mean, variance = m.clone().requires_grad_(), (s**2).requires_grad_()
    value = gf.torch.elbo.logsumexp(mean, variance)
    slopes = torch.autograd.grad(value, (mean, variance))
    f = m + s * torch.randn(400_000, 6, dtype=torch.float64)
    p = torch.softmax(f, -1)
    for got, drawn in ((value, torch.logsumexp(f, -1)), (slopes[0], p), (slopes[1], p * (1 - p) / 2)):
        assert ((got - drawn.mean(0)).abs() <= 5 * drawn.std(0) / math.sqrt(len(f)) + 1e-9).all()
    assert abs(slopes[0].sum().item() - 1) < 1e-9


def test_bounds_under_transformations() -> None:
    torch.manual_seed(0)
    bound = gf.torch.elbo.categorical
    m, v = torch.randn(4, 3, dtype=torch.float64), 30 * torch.rand(4, 3, dtype=torch.float64)
    labels = torch.tensor([0, 1, 2, 1])
    leaves = [t.clone().requires_grad_() for t in (m, v)]
    wanted = torch.autograd.grad(bound(*leaves, labels).sum(), leaves)
    got = torch.vmap(torch.func.grad(bound, argnums=(0, 1)))(m, v, labels)
    torch.testing.assert_close(got, wanted)
    shared = torch.vmap(bound, in_dims=(0, None, None))(m, v[0], labels[0])
    torch.testing.assert_close(shared, bound(m, v[0], labels[:1]))
    rows = torch.func.jacfwd(lambda t: bound(t, v[0], labels[0]))(m[0])
    torch.testing.assert_close(rows, torch.func.jacrev(lambda t: bound(t, v[0], labels[0]))(m[0]))
    assert torch.autograd.gradcheck(lambda m, v: bound(m, v, labels), leaves, check_forward_ad=True)
    with pytest.raises(NotImplementedError, match="second derivatives"):
        torch.func.hessian(lambda t: bound(t, v[0], labels[0]))(m[0])
    with pytest.raises(NotImplementedError, match="second derivatives"):
        (slope,) = torch.autograd.grad(bound(*leaves, labels).sum(), leaves[0], create_graph=True)
        slope.sum().backward()


def test_bounds_of_what_is_not_finite() -> None:
    logits = torch.tensor([[1.0, math.nan], [0.0, 1.0], [0.0, -math.inf], [math.inf, 0.0]])
    got = gf.torch.elbo.logsumexp(logits, torch.zeros(()))
    torch.testing.assert_close(got, torch.tensor([math.nan, math.log1p(math.e), 0.0, math.nan]), equal_nan=True)
    assert gf.torch.elbo.logsumexp(torch.zeros(0, 3), torch.ones(())).shape == (0,)


CONSTANT = torch.randn(6, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def halves(x: torch.Tensor) -> torch.Tensor:
    a, b = x.chunk(2, dim=1)
    return torch.cat([b, 2 * a - b], 1)


def unequal(x: torch.Tensor) -> torch.Tensor:
    a, b = torch.split(x, [2, 4], dim=1)
    return a.sum(1, keepdim=True) + b


def unbound(x: torch.Tensor) -> torch.Tensor:
    a, b, c = x.reshape(-1, 3, 2).unbind(1)
    return torch.stack([a - c, b], -1)


#: Functions that are linear in their argument, of shape (batch, 6), beside a constant.
LINEAR: dict[str, Any] = {
    "chunk": halves,
    "chunk in a loop": lambda x: torch.cat([part * i for i, part in enumerate(x.chunk(3, 1))], 1),
    "split": unequal,
    "unbind": unbound,
    "part": lambda x: torch.tensor_split(x, 4, dim=1)[-1],
    "stack": lambda x: torch.stack([x, x.flip(1)], 1),
    "einsum": lambda x: torch.einsum("bi,ij->bj", x, CONSTANT),
    "matmul": lambda x: x @ CONSTANT + 1,
    "constant first": lambda x: (CONSTANT @ x.unsqueeze(-1)).squeeze(-1),
    "linear": lambda x: torch.nn.functional.linear(x, CONSTANT, CONSTANT[0]),
    "conv": lambda x: torch.nn.functional.conv1d(x.unsqueeze(1), CONSTANT[:2, None, :3], CONSTANT[0, :2], stride=2),
    "pad": lambda x: torch.nn.functional.pad(x, (1, 2), value=3.0),
    "pad by reflection": lambda x: torch.nn.functional.pad(x.unsqueeze(1), (1, 2), mode="reflect"),
    "nearest": lambda x: torch.nn.functional.interpolate(x.unsqueeze(1), scale_factor=2),
    "between": lambda x: torch.nn.functional.interpolate(x.unsqueeze(1), scale_factor=2, mode="linear"),
    "no units": lambda x: x[..., 0],
    "mean": lambda x: x.mean(-1),
    "dot": lambda x: (x * CONSTANT[0]).sum(1),
    "less its mean": lambda x: x - x[:, :1],
    "broadcast sum": lambda x: x.unsqueeze(1) + CONSTANT,
    "broadcast product": lambda x: x.unsqueeze(1) * CONSTANT / 3,
    "alpha": lambda x: torch.add(x, x.flip(1), alpha=2),
    "reversed": lambda x: torch.rsub(x, CONSTANT[1], alpha=3),
    "zeros beside": lambda x: torch.cat([x, torch.zeros_like(x), x.new_ones(x.shape[0], 1)], 1),
    "minus": lambda x: torch.sub(1, x, alpha=3),
    "twice": lambda x: x + x,
    "where": lambda x: torch.where(CONSTANT[0] > 0, x, 2.0),
    "masked": lambda x: x.masked_fill(CONSTANT[0] > 0, 2.0),
    "running sum": lambda x: x.cumsum(1),
    "differences": lambda x: x.diff(dim=1),
    "some": lambda x: x.index_select(1, torch.tensor([0, 3, 3])),
    "repeated": lambda x: x.repeat_interleave(2, 1),
    "transposed": lambda x: x.reshape(x.shape[0], 2, 3).mT,
    "type": lambda x: x.to(torch.float64).type_as(x).double(),
    "by rows": lambda x: x * CONSTANT[:3],
}


#: Modules that are linear, on (batch, 6).
MODULES: dict[str, nn.Module] = {
    "unflatten": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.Flatten()),
    "zeros": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.ZeroPad2d(1)),
    "upsampled": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Upsample(scale_factor=2)),
    "bilinear": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Upsample(scale_factor=2, mode="bilinear")),
    "shuffled": nn.Sequential(nn.Unflatten(1, (6, 1, 1)), nn.Conv2d(6, 4, 1), nn.PixelShuffle(2)),
    "wrapped": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.Conv1d(2, 4, 3, padding=1, padding_mode="circular")),
    "reflected": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Conv2d(1, 2, 2, padding=1, padding_mode="reflect")),
    "replicated": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.Conv1d(2, 4, 3, padding=2, padding_mode="replicate", groups=2)),
    "wrapped twice": nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Conv2d(1, 2, 3, padding=(2, 1), stride=(1, 2), padding_mode="circular")),
    "parametrized": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 4, 2))),
    "transposed": nn.Sequential(nn.Unflatten(1, (2, 3)), nn.ConvTranspose1d(2, 4, 3, stride=2, groups=2, output_padding=1)),
}


@pytest.mark.parametrize("name", [*LINEAR, *(f"module {name}" for name in MODULES)])
def test_linear_functions_have_the_covariance_of_their_jacobian(name: str) -> None:
    torch.manual_seed(0)
    net = (MODULES[name[7:]] if name.startswith("module ") else Of(LINEAR[name])).double()
    x, variance = torch.randn(3, 6, dtype=torch.float64), torch.rand(3, 6, dtype=torch.float64)
    mean, cov = gf.torch.propagate(net, x, variance, covariance="full")
    with torch.no_grad():
        torch.testing.assert_close(mean, net(x))
    jacobian = torch.autograd.functional.jacobian(net, x).reshape(3, -1, 3, 6)
    for i in range(3):
        own = jacobian[i, :, i]
        torch.testing.assert_close(cov[i], own * variance[i] @ own.T)
    # The parts of a sum count as independent.
    if name in ("chunk", "chunk in a loop", "split", "unbind", "alpha", "less its mean", "dot"):
        return
    each = gf.torch.propagate(net, x, variance, covariance="diagonal")
    torch.testing.assert_close(each.mean, mean)
    torch.testing.assert_close(each.covariance.reshape(3, -1), torch.diagonal(cov, dim1=1, dim2=2))


def test_functions_that_are_not_linear_or_mix_rows_are_refused() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 6, dtype=torch.float64)
    for function, words in (
        (lambda x: x / x.flip(1), "a quotient by a value that varies"),
        (lambda x: torch.einsum("bi,bi->b", x, x), "two values that vary"),
        (lambda x: 1 / (x + 9), "a quotient by a value that varies"),
        (lambda x: x + x.flip(0), "changes the batch"),
        (lambda x: x[:1] + x, "changes the batch"),
        (lambda x: torch.stack([x, x]), "changes the batch"),
        (lambda x: x.chunk(2, 0)[0], "changes the batch"),
        (lambda x: x.T, "changes the batch"),
        (lambda x: torch.cat([x[:, i] for i in range(x.shape[1])]), "changes the batch"),
        (torch.tanh, r"no rule for Tanh; rules={nn.Tanh: \"tanh_cubic\"}"),
        (nn.functional.gelu, "no rule for GELU; rules"),
    ):
        with pytest.raises(gf.torch.NoRule, match=words):
            gf.torch.propagate(Of(function), x, 0.1)
    near = gf.torch.propagate(Of(nn.functional.gelu), x, 0.1, rules={nn.GELU: lambda module: "gelu_cubic"})
    np.testing.assert_allclose(near.mean, gf.library.gelu_cubic.moments(x.numpy(), 0.1).mean, rtol=1e-9)


def test_parts_and_residual_sums_are_correlated() -> None:
    torch.manual_seed(0)

    class Gated(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.wide, self.down, self.scale = nn.Linear(6, 40), nn.Linear(20, 6), nn.Parameter(torch.rand(6))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            a, b = self.wide(x).chunk(2, -1)
            return x + self.scale * self.down(torch.relu(a) - torch.relu(b).mean(-1, keepdim=True))

    net, x = Gated().eval(), torch.randn(2, 6)
    mean, cov = gf.torch.propagate(net, x, NOISE)
    wanted, spread = sampled(net, x, math.sqrt(NOISE))
    sd = torch.diagonal(spread, dim1=1, dim2=2).sqrt()
    assert ((mean.double() - wanted).abs() / sd).max() < 0.05
    assert ((cov.double() - spread).abs() / (sd[:, :, None] * sd[:, None])).max() < 0.05
