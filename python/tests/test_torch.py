"""The operators of PyTorch: derivatives of every kind, torch.func, compilation, export, learned parameters."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gaussform as gf

F64 = torch.float64
NAMES = ["relu", "hard_tanh", "hard_swish", "heaviside", "max(0, x)^2 - x/3"]


@pytest.fixture
def points() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    gamma = torch.randn(4, 3, dtype=F64, requires_grad=True)
    return gamma, (torch.rand(4, 3, dtype=F64) + 0.3).requires_grad_()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_values_are_those_of_arrays(dtype: torch.dtype) -> None:
    gamma = torch.randn(50, 7).to(dtype)
    xi2 = torch.rand(7).to(dtype) + 0.1
    mean, variance = gf.torch.moments(gamma, xi2, "hard_swish")
    wanted = gf.library.hard_swish.moments(gamma.numpy(), xi2.numpy())
    assert mean.dtype == dtype
    np.testing.assert_array_equal(mean.numpy(), wanted.mean)
    np.testing.assert_array_equal(variance.numpy(), wanted.variance)
    turned, _ = gf.torch.moments(gamma.t(), xi2[:, None], gf.library.hard_swish)
    np.testing.assert_array_equal(turned.t().numpy(), wanted.mean)


def test_half_precision_is_computed_in_single() -> None:
    gamma = torch.randn(9).bfloat16()
    mean, _ = gf.torch.moments(gamma, torch.ones(9).bfloat16(), "relu")
    assert mean.dtype == torch.bfloat16
    with pytest.raises(TypeError, match="int64"):
        gf.torch.moments(torch.ones(3, dtype=torch.int64), torch.ones(3, dtype=torch.int64), "relu")


@pytest.mark.parametrize("name", NAMES)
def test_gradients(name: str, points: tuple[torch.Tensor, torch.Tensor]) -> None:
    assert torch.autograd.gradcheck(lambda g, x: gf.torch.moments(g, x, name), points, check_forward_ad=True)
    assert torch.autograd.gradcheck(lambda g, x: gf.torch.moments(g, x[0], name), points)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_gradients(name: str, points: tuple[torch.Tensor, torch.Tensor]) -> None:
    assert torch.autograd.gradgradcheck(lambda g, x: gf.torch.moments(g, x, name), points)
    gamma, xi2 = (point.detach()[0] for point in points)
    hessian = torch.func.hessian(lambda g: gf.torch.moments(g, xi2, name)[0].sum())(gamma)
    # The heat equation.
    wanted = 2 * torch.from_numpy(gf.derive(name).moments_grad(gamma.numpy(), xi2.numpy()).dmean_dxi2)
    torch.testing.assert_close(hessian, torch.diag(wanted))


def test_third_derivatives_are_refused_by_name() -> None:
    def value(g: torch.Tensor) -> torch.Tensor:
        return gf.torch.moments(g, torch.ones_like(g), "relu")[0]

    gamma = torch.tensor(0.3, dtype=F64, requires_grad=True)
    slope, grad = value(gamma), torch.func.grad
    for _ in range(2):
        (slope,) = torch.autograd.grad(slope, gamma, create_graph=True)
    for third in (
        slope.backward,
        lambda: grad(grad(grad(value)))(gamma.detach()),
        lambda: torch.func.jacfwd(grad(grad(value)))(gamma.detach()),
    ):
        with pytest.raises(NotImplementedError, match="third derivatives"):
            third()


def test_derivatives_in_parameters(points: tuple[torch.Tensor, torch.Tensor]) -> None:
    f = gf.derive("ramp(x; a, b, a < b) = clamp(x, a, b)^2")
    a, b = (torch.tensor(v, dtype=F64, requires_grad=True) for v in (-0.7, 1.2))
    assert torch.autograd.gradcheck(lambda g, x, a, b: gf.torch.moments(g, x, f, a=a, b=b), (*points, a, b))
    with pytest.raises(NotImplementedError, match="second derivatives"):
        mean, _ = gf.torch.moments(*points, f, a=a, b=b)
        (first,) = torch.autograd.grad(mean.sum(), a, create_graph=True)
        first.backward()
    with pytest.raises(gf.ParameterError, match="needs a value"):
        gf.torch.moments(*points, f, a=a)


def test_torch_func(points: tuple[torch.Tensor, torch.Tensor]) -> None:
    gamma, xi2 = (point.detach() for point in points)

    def f(g: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return gf.torch.moments(g, x, "relu")

    mean, _ = torch.vmap(f, in_dims=(0, None))(gamma, xi2[0])
    torch.testing.assert_close(mean, f(gamma, xi2[0])[0])
    across, _ = torch.vmap(f, in_dims=(1, 1), out_dims=1)(gamma, xi2)
    torch.testing.assert_close(across, f(gamma, xi2)[0])
    grads = torch.vmap(torch.func.grad(lambda g, x: f(g, x)[1].sum(), argnums=(0, 1)))(gamma, xi2)
    wanted = gf.library.relu.moments_grad(gamma.numpy(), xi2.numpy())
    np.testing.assert_allclose(grads[0].numpy(), wanted.dvariance_dgamma, rtol=1e-13)
    np.testing.assert_allclose(grads[1].numpy(), wanted.dvariance_dxi2, rtol=1e-13)
    _, along = torch.func.jvp(f, (gamma, xi2), (torch.ones_like(gamma), torch.zeros_like(xi2)))
    np.testing.assert_allclose(along[0].numpy(), wanted.dmean_dgamma, rtol=1e-13)
    rows = torch.func.jacrev(lambda g: f(g, xi2[0])[0])(gamma[0])
    columns = torch.func.jacfwd(lambda g: f(g, xi2[0])[0])(gamma[0])
    torch.testing.assert_close(rows, columns)


def test_the_operators_pass_pytorchs_own_checks(points: tuple[torch.Tensor, torch.Tensor]) -> None:
    operators = torch.ops.gaussform
    none = torch.empty(0, dtype=F64)
    cotangents = [torch.randn(4, 3, dtype=F64, requires_grad=True) for _ in range(2)]
    torch.library.opcheck(operators.moments.default, (*points, none, "relu"))
    torch.library.opcheck(operators.moments_vjp.default, (*points, *cotangents, none, "relu"))
    turned = [point.detach().float().t() for point in points]
    torch.library.opcheck(operators.moments.default, (*turned, none, "hard_swish"))
    torch.library.opcheck(operators.moments_grad.default, (*turned, none, "hard_swish"))
    one = torch.tensor([0.3], dtype=F64, requires_grad=True)
    torch.library.opcheck(operators.moments.default, (*points, one, "leaky_relu"))


class Layer(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.weight = torch.nn.Parameter(torch.randn(8, 8) / 3)

    def forward(self, m: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return gf.torch.moments(m @ self.weight, v @ self.weight**2 + 0.01, "hard_tanh")


def test_compilation_of_the_whole_graph() -> None:
    net, m, v = Layer(), torch.randn(5, 8), torch.rand(5, 8)
    compiled = torch.compile(net, fullgraph=True, backend="aot_eager")
    mean, variance = compiled(m, v)
    torch.testing.assert_close((mean, variance), net(m, v))
    (mean.sum() + variance.sum()).backward()
    got = net.weight.grad.clone()
    net.weight.grad = None
    sum(part.sum() for part in net(m, v)).backward()
    torch.testing.assert_close(got, net.weight.grad)
    learned = gf.torch.Moments("prelu", slope=0.1)
    torch.testing.assert_close(torch.compile(learned, fullgraph=True, backend="aot_eager")(m, v), learned(m, v))


def test_compilation_with_numbers_and_mixed_types() -> None:
    gamma, xi2 = torch.randn(3), torch.rand(3)
    for function in (
        lambda g: gf.torch.moments(g, 1.0, "relu"),
        lambda g: gf.torch.moments(1, g.abs(), "relu"),
        lambda g: gf.torch.moments(g, xi2.double(), "relu"),
        lambda g: gf.torch.moments(g, xi2[0].double(), "relu"),
        lambda g: gf.torch.moments(g.bfloat16(), xi2, "relu"),
    ):
        torch._dynamo.reset()
        compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(gamma), function(gamma), rtol=0, atol=0)
    values = [2.0, 3, True, *(torch.ones(shape, dtype=kind) for shape in ((), (2,)) for kind in (torch.float16, torch.float64, torch.int32))]
    for a in values:
        for b in values:
            wanted = torch.result_type(a, b)
            if wanted.is_floating_point:
                assert gf.torch._moments._common(a, b) == wanted


def test_export() -> None:
    net, m, v = Layer(), torch.randn(5, 8), torch.rand(5, 8)
    program = torch.export.export(net, (m, v))
    targets = [str(node.target) for node in program.graph.nodes]
    assert "gaussform.moments.default" in targets
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    torch.testing.assert_close(torch.export.load(file).module()(m, v), net(m, v))


def test_learned_parameters_stay_in_their_domains() -> None:
    torch.manual_seed(0)
    gamma, xi2 = torch.randn(400), torch.rand(400) + 0.1
    wanted, _ = gf.torch.moments(gamma, xi2, "leaky_relu", eps=0.3)
    layer = gf.torch.Moments("leaky_relu", eps=0.9)
    assert abs(layer.values()["eps"].item() - 0.9) < 1e-12
    optimizer = torch.optim.Adam(layer.parameters(), 0.2)
    for _ in range(200):
        optimizer.zero_grad()
        ((layer(gamma, xi2)[0] - wanted) ** 2).mean().backward()
        optimizer.step()
        assert 0 < layer.values()["eps"].item() < 1
    assert abs(layer.values()["eps"].item() - 0.3) < 1e-3
    state = layer.state_dict()
    assert list(state) == ["free_eps"]
    assert not list(gf.torch.Moments("leaky_relu", learned=False, eps=0.5).parameters())
    for domain, value in (("a > 1", 3.0), ("a <= 2", -1.0), ("a", -7.0), ("a in [1, 4]", 1.0)):
        bounded = gf.torch.Moments(f"f(x; {domain}) = a*max(0, x)", a=value)
        assert abs(bounded.values()["a"].item() - value) < 1e-9
    with pytest.raises(gf.ParameterError):
        gf.torch.Moments("leaky_relu", eps=2.0)


@pytest.mark.parametrize(
    "text",
    [
        "f(x; a in (0, 1)) = max(a*x, x)",
        "f(x; a > 1) = a*max(0, x)",
        "f(x; a < 0) = a*max(0, x)",
        "f(x; a in [1, 1]) = a*x",
        "f(x; a, b, a < b) = clamp(x, a, b)",
        "f(x; a > 0, b > 0, a*b < 1) = a*max(0, x) + b",
    ],
)
def test_learned_parameters_far_out_stay_in_their_domains(text: str) -> None:
    gamma, xi2 = torch.randn(3), torch.rand(3) + 0.1
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        layer = gf.torch.Moments(text).to(dtype)
        for free in (0.3, 17.0, 100.0, -40.0, -800.0, 800.0):
            for i, parameter in enumerate(layer.parameters()):
                parameter.data.fill_(free * (-1) ** i)
            for part in layer(gamma.to(dtype), xi2.to(dtype)):
                assert part.dtype == dtype
    near = gf.torch.Moments("f(x; a in (0, 1)) = max(a*x, x)", a=0.999).bfloat16()
    assert 0.99 < near.values()["a"].item() < 1
    tiny = gf.torch.Moments("f(x; a > 0) = a*max(0, x)", a=1e-20)
    assert tiny.values()["a"].item() == pytest.approx(1e-20)


@pytest.mark.parametrize("declaration", ["clip(x; lower < upper)", "clip(x; lower <= upper)", "clip(x; lower in (-9, 9), upper, lower + 1 < upper)"])
def test_learned_parameters_keep_their_relations(declaration: str) -> None:
    gamma, xi2 = torch.linspace(-3, 3, 50), torch.full((50,), 0.5)
    layer = gf.torch.Moments(f"{declaration} = clamp(x, lower, upper)", lower=-2.0, upper=2.0)
    assert [value.item() for value in layer.values().values()] == pytest.approx([-2.0, 2.0], abs=1e-9)
    optimizer = torch.optim.Adam(layer.parameters(), 0.3)
    # Least variance: the ends meet, or come as near as they may.
    for _ in range(100):
        optimizer.zero_grad()
        layer(gamma, xi2)[1].sum().backward()
        optimizer.step()
    ends = layer.values()
    assert ends["lower"] < ends["upper"] < ends["lower"] + 1.3
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(gamma, xi2), layer(gamma, xi2))
    # Gradients of values that are drawn back are those of differences.
    with torch.no_grad():
        layer.free_upper.copy_(layer.free_lower - 0.5)
    values = layer.values()
    got = torch.autograd.grad(values["upper"] - 2 * values["lower"], [layer.free_lower, layer.free_upper])
    for free, slope in zip([layer.free_lower, layer.free_upper], got):
        steps = []
        for h in (1e-5, -1e-5):
            with torch.no_grad():
                free.add_(h)
                moved = layer.values()
                steps.append((moved["upper"] - 2 * moved["lower"]).item())
                free.sub_(h)
        assert slope.item() == pytest.approx((steps[0] - steps[1]) / 2e-5, rel=1e-4, abs=1e-6)


PRODUCTS = ["f(x; a, b, a*b < 1)", "f(x; a, b, a^2 + b^2 < 4)", "f(x; a > 0, b > 0, a*b > 1)", "f(x; a > 0, b > 0, a^2*b < 1, a + b < 9)"]


@pytest.mark.parametrize("declaration", PRODUCTS)
def test_values_beyond_relations_of_products_go_to_their_limit(declaration: str) -> None:
    """To the last place on the way from the witness, of which bisection is the oracle; gradients are those of differences."""
    layer = gf.torch.Moments(f"{declaration} = a*max(0, x) + b*x")
    start = np.array(layer.function._native.witness)
    for at in (1.7, -3.0):
        with torch.no_grad():
            layer.free_a.fill_(at)
            layer.free_b.fill_(2 * at / 3)
        a, b = (gf.torch._moments._bounded(free, *ends).item() for free, ends in zip(layer.parameters(), layer._domains.values()))

        def holds(share: float) -> bool:
            x, y = start + share * (np.array([a, b]) - start)
            conditions = {0: x * y < 1, 1: x * x + y * y < 4, 2: x * y > 1, 3: x * x * y < 1 and x + y < 9}
            return bool(conditions[PRODUCTS.index(declaration)])

        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        wanted = start + (1.0 if holds(1.0) else low) * (np.array([a, b]) - start)
        values = layer.values()
        np.testing.assert_allclose([value.item() for value in values.values()], wanted, rtol=1e-5)
        got = torch.autograd.grad(values["a"] + 2 * values["b"], list(layer.parameters()))
        for free, slope in zip(layer.parameters(), got):
            ends = []
            for h in (1e-5, -1e-5):
                with torch.no_grad():
                    free.add_(h)
                    moved = layer.values()
                    ends.append((moved["a"] + 2 * moved["b"]).item())
                    free.sub_(h)
            assert slope.item() == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-4, abs=1e-6)
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(torch.zeros(3), torch.ones(3)), layer(torch.zeros(3), torch.ones(3)))


def test_parameters_whose_names_are_taken() -> None:
    gamma, xi2 = torch.tensor([0.5]), torch.tensor([1.5])
    text = "g(x; f, shift, learned) = f*max(0, x) + shift + learned"
    mean, _ = gf.torch.moments(gamma, xi2, text, f=2.0, shift=3.0, learned=4.0)
    torch.testing.assert_close(mean, 2 * gf.torch.moments(gamma, xi2, "relu")[0] + 7)
    layer = gf.torch.Moments(text, parameters={"learned": 4.0}, f=2.0, shift=3.0)
    torch.testing.assert_close(layer(gamma, xi2)[0], mean)
    values = {"f": 2.0, "shift": 3.0, "learned": 4.0}
    torch.testing.assert_close(gf.torch.moments(gamma.half(), xi2.half(), text, parameters=values)[0], mean.half())
    with pytest.raises(gf.ParameterError, match="given twice"):
        gf.torch.moments(gamma, xi2, text, parameters=values, f=1.0)
    with pytest.raises(TypeError, match='parameters={"learned": …}'):
        gf.torch.Moments(text, learned=4.0, f=2.0, shift=3.0)


def test_numbers_beside_tensors_and_types_as_in_pytorch() -> None:
    gamma, xi2 = torch.randn(3), torch.rand(3)
    for a, b, wanted in (
        (gamma, 0.5, (gamma, torch.full((3,), 0.5))),
        (1, xi2, (torch.ones(3), xi2)),
        (gamma.double(), 1, (gamma.double(), torch.ones(3, dtype=torch.float64))),
        # A tensor without axes gives way, as in gamma + xi2.
        (gamma, torch.tensor(0.5, dtype=torch.float64), (gamma, torch.full((3,), 0.5))),
        (torch.arange(3), xi2, (torch.arange(3.0), xi2)),
    ):
        got = gf.torch.moments(a, b, "relu")
        for one, other in zip(got, gf.torch.moments(*wanted, "relu"), strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=0)
    assert gf.torch.moments(0.0, 1.0, "relu")[0].dtype == torch.get_default_dtype()
    for wrong in (gamma.numpy(), None, "1"):
        with pytest.raises(TypeError, match="gamma is of the type"):
            gf.torch.moments(wrong, xi2, "relu")
    with pytest.raises(TypeError, match="floating"):
        gf.torch.moments(torch.arange(3), 1, "relu")
    for value in (torch.rand(3), torch.tensor(0.1 + 1j), "0.1", None):
        with pytest.raises(gf.ParameterError, match="`eps` is one real number"):
            gf.torch.moments(gamma, xi2, "leaky_relu", eps=value)


def test_logsumexp_of_whole_numbers_and_negative_variances() -> None:
    whole = torch.tensor([[1, 2, 0]])
    got = gf.torch.elbo.logsumexp(whole, torch.ones_like(whole))
    torch.testing.assert_close(got, gf.torch.elbo.logsumexp(whole.float(), torch.ones(1, 3)))
    assert gf.torch.elbo.logsumexp(torch.zeros(1, 3), torch.tensor([1.0, -0.1, 1.0])).isnan().all()


def test_targets_that_stretch_outputs_are_warned_of() -> None:
    mean, variance = torch.zeros(4, 1), torch.ones(4, 1)
    y = torch.ones(4)
    bounds = gf.torch.elbo
    for bound in (lambda y: bounds.normal(mean, variance, y, 0.1), lambda y: bounds.poisson(mean, variance, y), lambda y: bounds.bernoulli(mean, variance, y)):
        with pytest.warns(UserWarning, match=r"the outputs have the shape \(4, 1\) and the targets \(4,\), so that the terms are \(4, 4\)"):
            bound(y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert bounds.normal(mean, variance, 1.0, 0.1).shape == (4, 1)
            assert bound(y[:, None]).shape == (4, 1) and bound(y[0]).shape == (4, 1) and bound(y.expand(2, 4, 4)).shape == (2, 4, 4)
    with pytest.warns(UserWarning, match="give both one shape"):
        bounds.categorical(torch.zeros(4, 3), torch.ones(4, 3), torch.zeros(4, 1, dtype=torch.long))


def test_gradients_of_single_rows() -> None:
    """Those of learned parameters too, by vmap over the gradient."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(gf.torch.nn.Linear(3, 4), gf.torch.nn.Activation("prelu", slope=0.2), gf.torch.nn.Linear(4, 1))
    parameters = dict(net.named_parameters())
    x = torch.randn(5, 3)

    def loss(parameters: dict[str, torch.Tensor], row: torch.Tensor) -> torch.Tensor:
        mean, variance = torch.func.functional_call(net, parameters, (row[None],))
        return (mean + variance).sum()

    each = torch.func.vmap(torch.func.grad(loss), (None, 0))(parameters, x)
    for name, got in each.items():
        wanted = torch.stack([torch.func.grad(loss)(parameters, row)[name] for row in x])
        torch.testing.assert_close(got, wanted)
    assert each["1.free_slope"].shape == (5,)


def test_layers_say_their_shape_and_refuse_none() -> None:
    assert repr(gf.torch.nn.Linear(3, 5)) == "Linear(in_features=3, out_features=5, bias=True)"
    assert repr(gf.torch.nn.Conv2d(1, 2, 3, padding=1)) == "Conv2d(1, 2, kernel_size=(3, 3), stride=1, padding=1, bias=True)"
    for size in (0, -1):
        with pytest.raises(ValueError, match="at least one input"):
            gf.torch.nn.Linear(size, 3)
    x = torch.randn(2, 3)
    layer = gf.torch.nn.Linear(3, 5)
    torch.testing.assert_close(layer([x, x**2]), layer((x, x**2)))
    assert gf.torch.nn.Conv2d(1, 2, [2, 3])(torch.randn(1, 1, 4, 4))[0].shape == (1, 2, 3, 2)
