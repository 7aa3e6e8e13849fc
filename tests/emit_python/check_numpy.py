"""The modules on NumPy."""

import warnings

import common
import numpy as np
import pairs
import tables
from modules import PARAMETRIC


def check(modules, report):
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for precision, dtype, tolerance in [("f64", np.float64, 16), ("f32", np.float32, 1)]:

            def evaluate(module, gamma, xi2):
                result = module.moments_grad(np.array(gamma, dtype), np.array(xi2, dtype))
                assert all(column.dtype == dtype for column in result)
                return result

            common.worst(modules, "numpy", precision, evaluate, tolerance, report)
            common.far(modules, "numpy", precision, evaluate)
            tables.check(modules, "numpy", precision, evaluate, tables.tolerance(precision, tolerance), report)
            def evaluate_pairs(module, columns):
                result = module.pair_moments_grad(*(np.array(column, dtype) for column in columns))
                assert all(column.dtype == dtype for column in result)
                return result

            pairs.check(modules, "numpy", precision, evaluate_pairs, report)
        correlated(modules)
        shapes(modules.get("clamp(x, -1, 1)", "numpy"))
        limits(modules.get("max(0, x)", "numpy"))
        high(modules.get("max(0, x)^6", "numpy"))
        for expression, (inside, outside) in PARAMETRIC.items():
            parameters(modules.get(expression, "numpy"), inside, outside)
        powers_of_two(modules)


def correlated(modules):
    """Shapes, limits and laws of two pre-activations."""
    module = modules.pair("max(0, x)", "clamp(x, -1, 1)", "numpy")
    cov = np.array([-0.5, 0.0, 1e-9, 0.3, 1.0])
    gamma = np.linspace(-3, 3, 4).reshape(4, 1)
    together = module.pair_moments(gamma, 1.0, 0.2, 1.5, cov)
    assert together.shape == (4, 5) and np.all(together[:, 1] == 0.0)
    for i in range(4):
        for j in range(5):
            one = module.pair_moments(gamma[i, 0], 1.0, 0.2, 1.5, cov[j])
            assert np.isclose(one, together[i, j], rtol=1e-14, atol=0)
    assert module.pair_moments(np.zeros((0, 3)), 1.0, 0.0, 1.0, 0.5).shape == (0, 3)
    many = module.pair_moments(np.resize(gamma, 5000), 1.0, 0.2, 1.5, 0.7)
    assert np.array_equal(many[:2000], many[2000:4000])
    for law in [(np.nan, 1, 0, 1, 0), (0, -1, 0, 1, 0), (0, 1, 0, 1, 1.1), (0, 0, 0, 1, 0.1)]:
        assert np.isnan(module.pair_moments_grad(*law)).all(), law
    rest = module.pair_moments_grad(0.5, 0.0, 0.2, 1.0, 0.0)
    slope = modules.get("clamp(x, -1, 1)", "numpy", "h").moments_grad(0.2, 1.0).dmean_dgamma
    assert rest[:5] == (0.0,) * 5 and np.isclose(rest.dcovariance_dcov, slope, rtol=1e-14)
    # The variance, where both are one pre-activation.
    module = modules.pair("|x - 1|", "|x - 1|", "numpy")
    variance = modules.get("|x - 1|", "numpy").moments(0.7, 2.0)[1]
    assert np.isclose(module.pair_moments(0.7, 2.0, 0.7, 2.0, 2.0), variance, rtol=1e-14)
    steps = modules.pair("step(x)", "step(x)", "numpy")
    meeting = steps.pair_moments_grad(0.3, 1.0, 0.3, 1.0, 1.0)
    assert meeting.dcovariance_dcov == np.inf and meeting.dcovariance_dxi2 == -np.inf
    assert steps.pair_moments_grad(0.0, 0.0, 0.3, 1.0, 0.0).dcovariance_dcov == np.inf


def shapes(module):
    gamma = np.linspace(-3, 3, 5).reshape(5, 1)
    xi2 = np.array([0.0, 0.25, 1.0, 9.0])
    mean, variance = module.moments(gamma, xi2)
    assert mean.shape == variance.shape == (5, 4)
    second = module.second_moment(gamma, xi2)
    for i in range(5):
        for j in range(4):
            one = module.moments_grad(gamma[i, 0], xi2[j])
            assert np.isclose(one.mean, mean[i, j], rtol=1e-14)
            assert np.isclose(one.variance, variance[i, j], rtol=1e-14)
            assert np.isclose(one.second, second[i, j], rtol=1e-14)
    assert module.moments(np.zeros((0, 3)), 1.0)[0].shape == (0, 3)
    assert module.moments(np.zeros(3, np.float32), 1.0)[0].dtype == np.float32
    assert module.moments(np.zeros(3, int), 1)[0].dtype == np.float64
    d_mean, d_variance = np.ones((5, 4)), np.full((5, 4), 2.0)
    d_gamma, d_xi2 = module.vjp(gamma, xi2, d_mean, d_variance)
    assert d_gamma.shape == gamma.shape and d_xi2.shape == xi2.shape
    grad = module.moments_grad(gamma, xi2)
    expected = (grad.dmean_dgamma + 2 * grad.dvariance_dgamma).sum(1, keepdims=True)
    assert np.allclose(d_gamma, expected, rtol=1e-14)
    # More elements than a block, and the same wherever an element stands.
    many = np.resize(gamma, 10001)
    mean = module.moments(many, 1.0)[0]
    assert np.array_equal(mean[:5000], mean[5000:10000])
    values = module.value(np.array([-np.inf, -2.0, -1.0, 0.5, np.nan]))
    assert np.array_equal(values, [-1.0, -1.0, -1.0, 0.5, np.nan], equal_nan=True)


def limits(module):
    """Zero variance on the knot, and where there is no distribution."""
    grad = module.moments_grad(0.0, 0.0)
    assert grad[:4] == (0.0, 0.0, 0.0, 0.5) and grad.dmean_dxi2 == np.inf
    assert grad.dvariance_dgamma == 0.0
    assert np.isclose(grad.dvariance_dxi2, 0.5 - 0.5 / np.pi, rtol=1e-15)
    for gamma, xi2 in [(np.nan, 1.0), (1.0, np.nan), (1.0, -1.0), (np.inf, 1.0), (1.0, np.inf)]:
        assert np.isnan(module.moments_grad(gamma, xi2)).all()


def high(module):
    """Orders of tails beyond the fits: E[max(0, v)**6] = 5!!/2 for v ~ N(0, 1), and 11!!/2."""
    grad = module.moments_grad(np.zeros(3), 1.0)
    assert np.allclose(grad.mean, 7.5, rtol=1e-15) and np.allclose(grad.second, 5197.5, rtol=2e-15)
    # E[max(0, v - 20)**6] = 6! J_6(20), as a parabolic cylinder function by mpmath.
    far = module.moments(-20.0, 1.0)[0]
    assert np.isclose(far, 2.8997377006688122e-94, rtol=1e-14, atol=0)


def powers_of_two(modules):
    """Of a function times a power of two everything is what it is of the function, times that power or its square."""
    for body in ["c", "c*x", "c*x^3", "c*x^4"]:
        texts = [
            f"g(x; a, b, a < b) = piecewise {{ x < a: 0; x < b: {body.replace('c', c)}; else: 0 }}"
            for c in ["1", "2^80", "1/2^80"]
        ]
        plain, *others = [modules.get(text, "numpy") for text in texts]
        values = {"a": -0.5, "b": 0.75}
        for power, module in zip([2.0**80, 2.0**-80], others):
            for gamma, xi2 in [(-1.3, 0.8), (0.4, 0.09), (2.5, 30.0)]:
                wanted, got = [m.moments_grad(gamma, xi2, **values) for m in (plain, module)]
                for name in got._fields:
                    times = power if name.startswith(("mean", "dmean")) else power**2
                    assert np.isclose(getattr(got, name), times * getattr(wanted, name), rtol=1e-13, atol=0), (body, name)
                wanted, got = [m.parameter_grad(gamma, xi2, **values) for m in (plain, module)]
                for name in values:
                    for field, times in [("dmean", power), ("dsecond", power**2), ("dvariance", power**2)]:
                        pair = [getattr(rows[name], field) for rows in (got, wanted)]
                        assert np.isclose(pair[0], times * pair[1], rtol=1e-12, atol=0), (body, name, field)
            assert module.value(0.25, **values) == power * plain.value(0.25, **values)


def parameters(module, inside, outside):
    gammas, xi2s = [-1.3, -0.2, 0.4, 2.5], [0.09, 0.8, 30.0]
    for gamma in gammas:
        for xi2 in xi2s:
            grad = module.moments_grad(gamma, xi2, **inside)

            def along(name):
                return lambda v: np.array(module.moments(gamma, xi2, **{**inside, name: v}))

            slopes = common.difference(lambda v: np.array(module.moments(v, xi2, **inside)), gamma)
            assert np.allclose(slopes, [grad.dmean_dgamma, grad.dvariance_dgamma], atol=1e-7)
            slopes = common.difference(lambda v: np.array(module.moments(gamma, v, **inside)), xi2)
            assert np.allclose(slopes, [grad.dmean_dxi2, grad.dvariance_dxi2], atol=1e-7)
            rows = module.parameter_grad(gamma, xi2, **inside)
            assert list(rows) == list(module.PARAMETERS) == list(inside)
            for name, row in rows.items():
                slopes = common.difference(along(name), inside[name])
                assert np.allclose(slopes, [row.dmean, row.dvariance], atol=1e-7), name
                dsecond = row.dvariance + 2 * grad.mean * row.dmean
                assert np.isclose(row.dsecond, dsecond, rtol=1e-12, atol=1e-14)
    # One value of a parameter for each channel.
    gamma = np.linspace(-2, 2, 6).reshape(2, 3)
    name, last = list(inside.items())[-1]
    channels = last * np.array([1.0, 1.25, 1.5])
    if name == "eps":
        channels = channels / 2
    together = module.moments(gamma, 0.5, **{**inside, name: channels})
    for j, channel in enumerate(channels):
        one = module.moments(gamma[:, j], 0.5, **{**inside, name: channel})
        assert np.allclose(np.array(together)[:, :, j], one, rtol=1e-14, atol=0)
    pulled = module.vjp(gamma, 0.5, np.ones((2, 3)), np.ones((2, 3)), **{**inside, name: channels})
    assert pulled[1].shape == () and pulled[1 + len(inside)].shape == (3,)
    try:
        module.moments(0.0, 1.0, **outside)
    except ValueError as error:
        assert "does not hold" in str(error)
    else:
        raise AssertionError("outside of the domain")
