"""The modules on PyTorch, in both precisions; under torch.compile where it is asked for."""

import os

import common
import numpy as np
import pairs
import tables
import torch
from modules import PARAMETRIC
from torch.autograd import forward_ad, gradcheck

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def check(modules, report):
    compiled = os.environ.get("GAUSSFORM_TORCH_COMPILE") == "1"
    for device in DEVICES:
        for precision, dtype, tolerance in [("f64", torch.float64, 16), ("f32", torch.float32, 64)]:

            def evaluate(module, gamma, xi2):
                tensors = [torch.tensor(v, dtype=dtype, device=device) for v in (gamma, xi2)]
                function = module.moments_grad
                if compiled:
                    torch.compiler.reset()
                    function = torch.compile(function, fullgraph=True)
                result = function(*tensors)
                assert all(column.dtype == dtype for column in result)
                return [column.cpu() for column in result]

            # A compilation takes minutes.
            names = {"names": ["relu"]} if compiled else {}
            common.worst(modules, "pytorch", precision, evaluate, tolerance, report, **names)
            if not compiled:
                common.far(modules, "pytorch", precision, evaluate)
                tables.check(modules, "pytorch", precision, evaluate, tables.tolerance(precision, tolerance), report)
            def evaluate_pairs(module, columns):
                tensors = [torch.tensor(column, dtype=dtype, device=device) for column in columns]
                result = module.pair_moments_grad(*tensors)
                assert all(column.dtype == dtype for column in result)
                return [column.cpu() for column in result]

            pairs.check(modules, "pytorch", precision, evaluate_pairs, report)
    correlated(modules.pair("max(0, x)", "clamp(x, -1, 1)", "pytorch"), compiled)
    for expression in ["max(0, x)", "clamp(x, -1, 1)", "max(0, x)^6", "|x^2 - 2|"]:
        transformations(modules.get(expression, "pytorch"))
    limits(modules.get("max(0, x)", "pytorch"))
    for expression in ["max(0, x)", "step(x)", "x - clamp(x, 0, 1)"]:
        padding(modules.get(expression, "pytorch"))
    if compiled:
        training(modules.get("max(0, x)", "pytorch"))
    for expression, (inside, outside) in PARAMETRIC.items():
        parameters(modules, expression, inside, outside)


def double(*values):
    return torch.tensor(values, dtype=torch.float64)


def correlated(module, compiled):
    gamma, cov = double(0.5, -1.0), double(0.3, -1.37, 1.41).reshape(3, 1)
    arguments = gamma, double(1.0)[0], double(-0.2)[0], double(2.0)[0], cov
    grad = module.pair_moments_grad(*arguments)
    assert grad.covariance.shape == (3, 2)
    some = [x.clone().requires_grad_() for x in (*arguments[:4], cov[:2])]
    options = {"check_forward_ad": True, "check_batched_grad": True}
    assert gradcheck(module.pair_moments, some, **options)
    functions = [module.pair_moments]
    if compiled:
        torch.compiler.reset()
        functions.append(torch.compile(module.pair_moments, fullgraph=True))
    for function in functions:
        whole = [x.clone().requires_grad_() for x in torch.broadcast_tensors(*arguments)]
        function(*whole).sum().backward()
        for x, derivative in zip(whole, grad[1:]):
            torch.testing.assert_close(x.grad, derivative)
    one = torch.func.grad(lambda c, g: module.pair_moments(g, *arguments[1:4], c))
    slopes = torch.func.vmap(torch.func.vmap(one, (None, 0)), (0, None))(cov[:, 0], gamma)
    torch.testing.assert_close(slopes, grad.dcovariance_dcov)
    rows = torch.func.vmap(module.pair_moments, (None, None, None, None, 0))(*arguments)
    torch.testing.assert_close(rows, grad.covariance)


def transformations(module):
    gamma = torch.linspace(-2.3, 2.4, 6, dtype=torch.float64).reshape(3, 2).requires_grad_()
    xi2 = double(0.3, 2.0).requires_grad_()
    mean, variance = module.moments(gamma, xi2)
    assert mean.shape == variance.shape == (3, 2)
    grad = module.moments_grad(gamma.detach(), xi2.detach())
    options = {"check_forward_ad": True, "check_batched_grad": True}
    assert gradcheck(module.moments, (gamma, xi2), **options)
    assert gradcheck(module.second_moment, (gamma, xi2), **options)
    assert gradcheck(module.value, (gamma,), **options)
    (slope,) = torch.autograd.grad(variance.sum(), gamma)
    torch.testing.assert_close(slope, grad.dvariance_dgamma)
    rows = torch.func.vmap(module.moments, (0, None))(gamma, xi2)
    torch.testing.assert_close(rows[0], mean)
    one = torch.func.grad(lambda g, v: module.moments(g, v)[0])
    slopes = torch.func.vmap(torch.func.vmap(one), (0, None))(gamma.detach(), xi2.detach())
    torch.testing.assert_close(slopes, grad.dmean_dgamma)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(gamma.detach(), torch.ones_like(gamma))
        tangent = forward_ad.unpack_dual(module.moments(dual, xi2.detach())[0]).tangent
    torch.testing.assert_close(tangent, grad.dmean_dgamma)
    (first,) = torch.autograd.grad(module.moments(gamma, xi2)[0].sum(), gamma, create_graph=True)
    try:
        first.sum().backward()
    except NotImplementedError as error:
        assert "second derivatives" in str(error)
    else:
        raise AssertionError("a second derivative came out")


def limits(module):
    grad = module.moments_grad(double(0.0), double(0.0))
    assert [float(v) for v in grad[:4]] == [0.0, 0.0, 0.0, 0.5] and torch.isinf(grad.dmean_dxi2)
    gamma, xi2 = torch.tensor(0.0, requires_grad=True), torch.tensor(0.0)
    module.moments(gamma, xi2)[0].backward()
    assert gamma.grad == 0.5
    inf, nan = float("inf"), float("nan")
    for gamma, xi2 in [(nan, 1.0), (1.0, -1.0), (inf, 1.0), (1.0, inf)]:
        assert all(v.isnan() for v in module.moments_grad(double(gamma), double(xi2)))
    assert module.moments(torch.ones(3, dtype=torch.bfloat16), 1.0)[0].dtype == torch.bfloat16
    assert module.moments(torch.zeros(0, 3), 1.0)[0].shape == (0, 3)


def padding(module):
    """A row of zeros in a batch, where xi2 = 0 on a knot, leaves the gradients of all weights finite."""
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 0.0]], dtype=torch.float64)
    gradients = []
    for rows in (x, x[:1]):
        weights = torch.ones(4, 3, dtype=torch.float64, requires_grad=True)
        log_deviations = torch.full((4, 3), -2.0, dtype=torch.float64, requires_grad=True)
        mean, variance = module.moments(rows @ weights, rows**2 @ torch.exp(2 * log_deviations))
        (mean.sum() + variance.sum()).backward()
        gradients.append((weights.grad, log_deviations.grad))
    for padded, alone in zip(*gradients):
        torch.testing.assert_close(padded, alone)


def training(module):
    """Both passes under torch.compile are those without it."""
    results = []
    for compiles in [False, True]:
        gamma = torch.linspace(-2, 2, 100, requires_grad=True)

        def loss(gamma):
            mean, variance = module.moments(gamma, 0.5)
            return (mean * mean + variance).sum()

        (torch.compile(loss, fullgraph=True) if compiles else loss)(gamma).backward()
        results.append(gamma.grad)
    torch.testing.assert_close(*results)


def parameters(modules, expression, inside, outside):
    module, reference = modules.get(expression, "pytorch"), modules.get(expression, "numpy")
    gamma = torch.linspace(-2.0, 2.1, 6, dtype=torch.float64).reshape(2, 3).requires_grad_()
    xi2 = double(0.3, 2.0).reshape(2, 1).requires_grad_()
    names = list(inside)
    values = [double(inside[name])[0].requires_grad_() for name in names]
    last = (values[-1].detach() * double(1.0, 1.25, 1.5)).requires_grad_()

    def moments(gamma, xi2, *values):
        return module.moments(gamma, xi2, **dict(zip(names, values)))

    for some in [values, values[:-1] + [last]]:
        assert gradcheck(moments, (gamma, xi2, *some), check_forward_ad=True, rtol=1e-3, atol=1e-6)
    x = gamma.detach() + 0.01  # on no knot
    x.requires_grad_()
    assert gradcheck(lambda x, *v: module.value(x, **dict(zip(names, v))), (x, *values))
    ours = module.parameter_grad(gamma.detach(), xi2.detach(), **inside)
    theirs = reference.parameter_grad(gamma.detach().numpy(), xi2.detach().numpy(), **inside)
    for name in names:
        for a, b in zip(ours[name], theirs[name]):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    try:
        module.moments(gamma, xi2, **outside)
    except ValueError as error:
        assert "does not hold" in str(error)
    else:
        raise AssertionError("outside of the domain")
