"""Arrays as NumPy's universal functions take them: shapes, types, strides, memory; what would be lost is refused."""

from __future__ import annotations

import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gaussform as gf

RELU = gf.library.relu


def test_numbers_give_numbers() -> None:
    mean, variance = RELU.moments(0.0, 1.0)
    assert isinstance(mean, np.float64) and mean.shape == ()
    # The closed forms for γ = 0: ξ/√2π and ξ² (1/2 − 1/2π).
    assert abs(mean - 1 / math.sqrt(2 * math.pi)) < 3e-16
    assert abs(variance - (0.5 - 0.5 / math.pi)) < 3e-16
    assert RELU(-1.5) == 0.0 and RELU(1.5) == 1.5


def test_moments_are_those_of_samples(rng: np.random.Generator) -> None:
    f = gf.derive("saw(x; a > 0) = piecewise { x < -a: 0; x < a: x^2 - a; else: 2*x }")
    samples = f(0.3 + math.sqrt(0.7) * rng.normal(size=1_000_000), a=0.8)
    mean, variance = f.moments(0.3, 0.7, a=0.8)
    error = samples.std() / 1000
    assert abs(samples.mean() - mean) < 5 * error
    assert abs(samples.var() - variance) < 0.02 * variance


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_strided_or_broadcast_gives_the_same_bits(dtype: type, rng: np.random.Generator) -> None:
    gamma = rng.normal(size=(70, 300)).astype(dtype)
    xi2 = (rng.normal(size=300) ** 2 + 0.1).astype(dtype)
    full = np.ascontiguousarray(np.broadcast_to(xi2, gamma.shape))
    for f in (gf.library.hard_swish, gf.derive("x*max(0, x)/3")):
        wanted = f.moments_grad(gamma, full)
        got = f.moments_grad(gamma, xi2)
        backwards = f.moments_grad(gamma[::-1, ::-1], xi2[::-1])
        columns = f.moments_grad(np.asfortranarray(gamma), full)
        apart = f.moments_grad(np.repeat(gamma, 3, axis=1)[:, ::3], np.broadcast_to(xi2, gamma.shape))
        middle = f.moments_grad(gamma[:, None, :], xi2[None, None, :])
        for results in zip(wanted, got, backwards, columns, apart, middle):
            first, *others = results
            assert first.dtype == dtype and first.shape == gamma.shape
            assert_array_equal(others[0], first)
            assert_array_equal(others[1][::-1, ::-1], first)
            assert_array_equal(others[2], first)
            assert_array_equal(others[3], first)
            assert_array_equal(others[4][:, 0], first)
    assert RELU.moments(np.asfortranarray(gamma), np.asfortranarray(full)).mean.flags.f_contiguous


def test_fields_of_packed_records(rng: np.random.Generator) -> None:
    records = np.zeros(5, np.dtype([("kind", "u1"), ("gamma", "f8"), ("variance", "f4")]))
    records["gamma"], records["variance"] = rng.normal(size=5), 1.0
    plain = gf.library.relu.moments(records["gamma"].copy(), 1.0)
    for result, expected in zip(gf.library.relu.moments(records["gamma"], 1.0), plain):
        assert_array_equal(result, expected)
    before = records.copy()
    with pytest.raises(ValueError, match="a field of packed records"):
        gf.library.relu.moments(np.ones(5), 1.0, out=(records["gamma"], None))
    assert_array_equal(records, before)


def between(values: np.ndarray) -> np.ndarray:
    """The same numbers one byte after a place where their type may lie, as at an odd offset of a file."""
    memory = bytearray(values.nbytes + values.itemsize + 1)
    shift = 1 + -np.frombuffer(memory, np.uint8).ctypes.data % values.itemsize
    array = np.ndarray(values.shape, values.dtype, memory, shift)
    array[...] = values
    assert values.size == 0 or not array.flags.aligned
    return array


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_arrays_that_are_not_aligned(dtype: type, rng: np.random.Generator, tmp_path: Path) -> None:
    gamma, xi2 = rng.normal(size=(3, 4)).astype(dtype), rng.uniform(0.5, 2, size=(3, 4)).astype(dtype)
    f = gf.library.hard_tanh
    wanted = f.moments_grad(gamma, xi2)
    for g, x in ((between(gamma), xi2), (gamma, between(xi2)), (between(gamma), between(xi2))):
        assert_array_equal(f.moments_grad(g, x), wanted)
    assert_array_equal(f.moments(between(gamma)[:, ::-1], 1.0), f.moments(gamma[:, ::-1], 1.0))
    assert_array_equal(f(between(gamma)), f(gamma))
    assert_array_equal(f.hessian(between(gamma), xi2), f.hessian(gamma, xi2))
    assert_array_equal(f.given("x > 0").moments(between(gamma), xi2), f.given("x > 0").moments(gamma, xi2))
    assert_array_equal(f.vjp(gamma, xi2, between(gamma), xi2), f.vjp(gamma, xi2, gamma, xi2))
    law = (gamma, xi2, gamma, xi2, xi2 / 2)
    assert_array_equal(gf.covariance_grad(f, "relu", *map(between, law)), gf.covariance_grad(f, "relu", *law))
    square = np.eye(4, dtype=dtype) + dtype(0.25)
    assert_array_equal(gf.layer_covariance(f, between(gamma), between(square)), gf.layer_covariance(f, gamma, square))
    assert_array_equal(gf.nngp(f, between(gamma), between(xi2)), gf.nngp(f, gamma, xi2))
    file = tmp_path / "numbers"
    file.write_bytes(b"odd" + gamma.tobytes())
    assert_array_equal(f.moments_grad(np.memmap(file, dtype, "r", offset=3, shape=gamma.shape), xi2), wanted)
    with pytest.raises(ValueError, match="out for variance is not aligned"):
        f.moments(gamma, xi2, out=(None, between(gamma)))


def test_tensors_that_are_not_aligned() -> None:
    torch = pytest.importorskip("torch")
    memory = bytearray(5 * 8 + 1)
    gamma = torch.frombuffer(memory, dtype=torch.float64, offset=1)
    gamma.copy_(torch.linspace(-2, 2, 5, dtype=torch.float64))
    assert gamma.data_ptr() % 8
    for got, wanted in zip(gf.torch.moments(gamma, 1.0, "relu"), RELU.moments(np.linspace(-2, 2, 5), 1.0)):
        assert_array_equal(got.numpy(), wanted)
    moving = [gamma.detach().requires_grad_(), gamma.clone().requires_grad_()]
    second = [torch.autograd.functional.hessian(lambda g: gf.torch.moments(g, 1.0, "relu")[0].sum(), g) for g in moving]
    assert torch.equal(*second)


def test_large_arrays_on_threads_have_the_bits_of_small_ones(rng: np.random.Generator) -> None:
    gamma, xi2 = rng.normal(size=300_001), rng.normal(size=300_001) ** 2
    whole = gf.library.hard_tanh.moments(gamma, xi2)
    parts = [gf.library.hard_tanh.moments(gamma[i : i + 997], xi2[i : i + 997]) for i in range(0, 300_001, 997)]
    assert_array_equal(whole.mean, np.concatenate([part.mean for part in parts]))
    assert_array_equal(whole.variance, np.concatenate([part.variance for part in parts]))


def test_types() -> None:
    ones = np.ones(3, np.float32)
    assert RELU.moments(ones, 2.0).mean.dtype == np.float32
    assert RELU.moments(ones, np.float64(2.0)).mean.dtype == np.float64
    assert RELU.moments(ones, np.ones(3)).mean.dtype == np.float64
    assert RELU.moments([1, 2, 3], 2).mean.dtype == np.float64
    assert RELU.moments(np.ones(3, np.int64), ones).mean.dtype == np.float64
    assert RELU.moments(ones.astype(np.float16), ones).mean.dtype == np.float32
    assert RELU.moments(np.float32(1.0), 2.0).mean.dtype == np.float32
    assert RELU.moments(ones.astype(">f4"), ones).mean.dtype == np.float32
    for wrong in (np.ones(3, complex), np.array(["a"]), np.array([None]), np.ones(3, np.longdouble)):
        with pytest.raises(TypeError, match="gamma"):
            RELU.moments(wrong, 1.0)


def test_empty_arrays() -> None:
    assert RELU.moments(np.empty((0, 3)), 1.0).mean.shape == (0, 3)


def test_out() -> None:
    gamma = np.linspace(-2, 2, 5)
    mean, variance = np.empty(5), np.empty((5, 2))[:, 1]
    result = RELU.moments(gamma, 1.0, out=(mean, variance))
    assert result.mean is mean and result.variance is variance
    wanted = RELU.moments(gamma, 1.0)
    assert_array_equal(mean, wanted.mean)
    assert_array_equal(variance, wanted.variance)
    partly = RELU.moments(gamma, 1.0, out=(None, variance))
    assert_array_equal(partly.mean, wanted.mean)
    # In the memory of an input.
    where = gamma.copy()
    RELU.moments(where, 1.0, out=(where, variance))
    assert_array_equal(where, wanted.mean)
    overlapping = np.concatenate([gamma, [0.0]])
    RELU.moments(overlapping[:-1], 1.0, out=(overlapping[1:], variance))
    assert_array_equal(overlapping[1:], wanted.mean)
    number = np.empty(())
    assert RELU.moments(0.0, 1.0, out=(number, None)).mean is number
    value = np.empty(5)
    assert RELU(gamma, out=value) is value
    refusals = [
        ((mean, mean), "shares memory"),
        ((mean, np.empty(4)), "shape"),
        ((mean, np.empty(5, np.float32)), "type"),
        ((mean,), "each of mean, variance"),
        (mean, "each of mean, variance"),
        ((mean, [0.0] * 5), "list"),
    ]
    for out, words in refusals:
        with pytest.raises((TypeError, ValueError), match=words):
            RELU.moments(gamma, 1.0, out=out)
    mean.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        RELU.moments(gamma, 1.0, out=(mean, None))


def test_what_would_be_lost_is_refused() -> None:
    class Metres(np.ndarray):
        pass

    class Quantity:
        def __array__(self, *args: object, **kwargs: object) -> np.ndarray:
            return np.ones(3)

        def __array_ufunc__(self, *args: object, **kwargs: object) -> None:
            raise AssertionError

    for wrong in (np.ma.masked_array([1.0, 2.0], [True, False]), np.ones(3).view(Metres), Quantity()):
        with pytest.raises(TypeError, match="would be lost"):
            RELU.moments(wrong, 1.0)
        with pytest.raises(TypeError, match="xi2"):
            RELU.moments(1.0, wrong)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="to_numpy"):
        RELU.moments(pandas.Series([1.0]), 1.0)


def test_shapes_that_do_not_broadcast_are_named() -> None:
    with pytest.raises(ValueError, match=r"gamma \(3,\), xi2 \(4,\)"):
        RELU.moments(np.ones(3), np.ones(4))


def test_limits_and_nan() -> None:
    mean, variance = gf.library.heaviside.moments([0.0, 1.0, 0.0, np.nan, 1.0], [0.0, 0.0, -1.0, 1.0, np.inf])
    assert mean[0] == 0.5 and (mean[1], variance[1]) == (1.0, 0.0)
    assert np.isnan(mean[2]) and np.isnan(variance[3]) and np.isnan(mean[4])


def test_logarithms_go_on_where_moments_underflow() -> None:
    assert RELU.moments(-50.0, 1.0).mean == 0.0
    log_mean, log_variance = RELU.log_moments(-50.0, 1.0)
    # The Mills ratio: E ≈ φ(50)/50², Var ≈ 2 φ(50)/50³.
    density = -1250.0 - 0.5 * math.log(2 * math.pi)
    assert abs(log_mean - (density - 2 * math.log(50))) < 2e-3
    assert abs(log_variance - (density + math.log(2) - 3 * math.log(50))) < 5e-3
    grad = RELU.log_moments_grad(np.array([-50.0]), np.array([1.0]))
    assert grad.log_mean == log_mean and abs(grad.dlog_mean_dgamma[0] - 50) < 0.1
    # It is the values of the parameters that make a function nowhere negative.
    shifted = gf.derive("g(x; c) = max(0, x) + c")
    above, below = (shifted.log_moments(2.0, 1.0, c=c) for c in (1.0, -1.0))
    assert abs(above.log_mean - math.log(RELU.moments(2.0, 1.0).mean + 1)) < 1e-15
    assert math.isnan(below.log_mean) and below.log_variance == above.log_variance


def test_derivatives_are_those_of_differences(rng: np.random.Generator) -> None:
    f = gf.derive("ramp(x; a, b, a < b) = clamp(x, a, b)^2")
    gamma, xi2 = rng.normal(size=9), rng.uniform(0.3, 2, size=9)
    step, values = 1e-6, {"a": -0.7, "b": 1.1}
    grad = f.moments_grad(gamma, xi2, **values)

    def differences(moved: gf.Moments, back: gf.Moments) -> tuple[np.ndarray, np.ndarray]:
        return (moved.mean - back.mean) / (2 * step), (moved.variance - back.variance) / (2 * step)

    in_gamma = differences(f.moments(gamma + step, xi2, **values), f.moments(gamma - step, xi2, **values))
    in_xi2 = differences(f.moments(gamma, xi2 + step, **values), f.moments(gamma, xi2 - step, **values))
    np.testing.assert_allclose((grad.dmean_dgamma, grad.dvariance_dgamma), in_gamma, atol=1e-8)
    np.testing.assert_allclose((grad.dmean_dxi2, grad.dvariance_dxi2), in_xi2, atol=1e-8)
    gradients = f.parameter_grad(gamma, xi2, **values)
    assert list(gradients) == ["a", "b"]
    for name, gradient in gradients.items():
        moved = f.moments(gamma, xi2, **{**values, name: values[name] + step})
        back = f.moments(gamma, xi2, **{**values, name: values[name] - step})
        np.testing.assert_allclose((gradient.dmean, gradient.dvariance), differences(moved, back), atol=1e-8)


def test_second_derivatives_are_those_of_differences(rng: np.random.Generator) -> None:
    f = gf.derive("ramp(x; a, b, a < b) = clamp(x, a, b)^2")
    gamma, xi2 = rng.normal(size=(3, 3)), rng.uniform(0.3, 2, size=3)
    step, values = 1e-6, {"a": -0.7, "b": 1.1}
    hessian = f.hessian(gamma, xi2, **values)
    assert hessian.d2mean_dgamma2.shape == (3, 3)

    def differences(moved: gf.MomentsGrad, back: gf.MomentsGrad) -> np.ndarray:
        return (np.array(moved) - np.array(back))[2:] / (2 * step)

    by_gamma = differences(f.moments_grad(gamma + step, xi2, **values), f.moments_grad(gamma - step, xi2, **values))
    by_xi2 = differences(f.moments_grad(gamma, xi2 + step, **values), f.moments_grad(gamma, xi2 - step, **values))
    wanted = (by_gamma[0], by_gamma[1], by_xi2[1], by_gamma[2], by_gamma[3], by_xi2[3])
    np.testing.assert_allclose(hessian, wanted, atol=1e-8)
    single = gf.library.relu.hessian(np.ones(3, np.float32), 2.0)
    assert single.d2mean_dxi22.dtype == np.float32


def test_moments_given_a_condition() -> None:
    f = gf.derive("leaky(x; eps in (0, 1)) = max(eps*x, x)")
    known = f.given("-1 < x and x < 2")
    gamma, xi2 = np.array([[-0.5], [1.5]]), np.array([0.8, 2.0, 1e-6])
    got = known.moments(gamma, xi2, eps=0.25)
    # The midpoint rule on many cells of the interval.
    u = -1 + (np.arange(300_000) + 0.5) / 100_000
    for i, j in np.ndindex(2, 2):
        density = np.exp(-((u - gamma[i, 0]) ** 2) / (2 * xi2[j])) / math.sqrt(2 * math.pi * xi2[j]) / 100_000
        value, probability = np.where(u < 0, 0.25 * u, u), density.sum()
        mean = (value * density).sum() / probability
        assert abs(got.probability[i, j] - probability) < 1e-9
        assert abs(got.mean[i, j] - mean) < 1e-9
        assert abs(got.variance[i, j] - ((value - mean) ** 2 * density).sum() / probability) < 1e-9
    # A law on one point, and one far from the condition: exponential beyond 0, with the rate -gamma.
    assert abs(got.mean[0, 2] + 0.125) < 1e-5
    far = gf.derive("x").given("x > 0").moments(-1500.0, 1.0)
    assert far.probability == 0.0 and abs(far.mean * 1500 - 1) < 1e-6 and abs(far.log_probability + 1_125_008.2) < 0.1
    step = 1e-6
    moved, back = (known.moments(gamma + h, 0.8, eps=0.25).mean for h in (step, -step))
    np.testing.assert_allclose(known.moments(gamma, 0.8, eps=0.25).dmean_dgamma, (moved - back) / (2 * step), atol=1e-8)
    assert pickle.loads(pickle.dumps(known)).condition == known.condition
    with pytest.raises(TypeError, match="None is no text"):
        f.given(None)
    with pytest.raises(gf.DeclarationError) as raised:
        f.given("x > y")
    assert (raised.value.declaration, raised.value.column) == ("x > y", 5)
    with pytest.raises(gf.DerivationError, match="empty"):
        f.given(" ")
    with pytest.raises(gf.DerivationError, match="join conditions"):
        f.given("x > 0: 2; x < -1")


def test_vjp_has_the_shapes_of_the_inputs(rng: np.random.Generator) -> None:
    gamma, xi2 = rng.normal(size=(4, 3)), rng.uniform(0.5, 1, size=3)
    d_mean, d_variance = rng.normal(size=(4, 3)), rng.normal(size=(4, 1))
    grad = RELU.moments_grad(gamma, xi2)
    d_gamma, d_xi2 = RELU.vjp(gamma, xi2, d_mean, d_variance)
    np.testing.assert_allclose(d_gamma, d_mean * grad.dmean_dgamma + d_variance * grad.dvariance_dgamma, atol=1e-15)
    wanted = (d_mean * grad.dmean_dxi2 + d_variance * grad.dvariance_dxi2).sum(0)
    np.testing.assert_allclose(d_xi2, wanted, atol=1e-14)
    assert d_xi2.shape == (3,) and abs(RELU.vjp(0.0, 1.0, 1.0, 0.0)[0] - 0.5) < 3e-16


def test_functions_are_pickled_copied_and_compared() -> None:
    f = gf.derive("leaky(x; eps in (0, 1)) = max(eps*x, x)")
    assert pickle.loads(pickle.dumps(f)) == f == copy.deepcopy(f)
    assert f != gf.library.relu and hash(f) == hash(gf.derive(f.declaration))
    assert eval(repr(f), {"gaussform": gf}) == f


def test_compiled_kernels_are_taken_for_what_equals_the_library() -> None:
    assert gf.derive("swish(x) = x*clamp(x/6 + 1/2, 0, 1)").is_compiled()
    assert gf.derive("mine(x; eps in (0, 1)) = piecewise { x > 0: x; else: eps*x }").is_compiled(eps=0.5)
    assert not gf.derive("max(0, 3*x)").is_compiled()
    assert all(name in dir(gf.library) for name in ("relu", "hard_swish", "clip"))


def test_parameters_are_checked() -> None:
    f = gf.derive("ramp(x; a > 0, b, a < b) = clamp(x, a, b)")
    for values, words in (
        ({"a": 1.0}, "needs a value of `b`"),
        ({"a": 1.0, "b": 2.0, "c": 3.0}, "no parameter `c`"),
        ({"a": 3.0, "b": 2.0}, "a < b"),
        ({"a": -1.0, "b": 2.0}, "a > 0"),
        ({"a": math.nan, "b": 2.0}, "finite"),
        ({"a": "x", "b": 2.0}, "one real number"),
    ):
        with pytest.raises(gf.ParameterError, match=words):
            f.moments(0.0, 1.0, **values)


def test_parameters_whose_names_are_taken_are_given_as_a_mapping() -> None:
    f = gf.derive("g(x; out > 0, slope, shift) = max(0, out*x) + slope*x + shift")
    wanted = gf.derive("max(0, 2*x) + 3*x + 5").moments(0.5, 1.5)
    values = {"out": 2.0, "slope": 3.0, "shift": 5.0}
    assert_allclose(f.moments(0.5, 1.5, parameters=values), wanted, rtol=1e-14)
    assert_allclose(f.moments(0.5, 1.5, parameters={"out": 2.0}, slope=3.0, shift=5.0), wanted, rtol=1e-14)
    assert_allclose(f.moments_grad(0.5, 1.5, parameters=values)[:2], wanted, rtol=1e-14)
    assert f(1.0, parameters=values) == 10.0
    assert f.knots(parameters=values) == (0.0,)
    own = gf.derive("g(x; parameters) = parameters*x")
    assert own(2.0, parameters={"parameters": 3.0}) == 6.0
    for call in (f.moments, f.hessian, f.log_moments):
        with pytest.raises(gf.ParameterError, match='parameters={"out": …}'):
            call(0.5, 1.5, out=2.0, slope=3.0, shift=5.0)
    with pytest.raises(gf.ParameterError, match='parameters={"out": …}'):
        f(0.5, out=2.0, slope=3.0, shift=5.0)
    with pytest.raises(TypeError, match="each of mean, variance"):
        RELU.moments(0.5, 1.5, out=2.0)
    with pytest.raises(gf.ParameterError, match="`slope` is given twice"):
        f.moments(0.5, 1.5, parameters=values, slope=3.0)
    with pytest.raises(TypeError, match="mapping"):
        f.moments(0.5, 1.5, parameters=2.0)
    assert gf.layer_covariance(f, np.zeros(1), np.ones((1, 1)), parameters=values).shape == (1, 1)
    depth = gf.derive("g(x; depth > 0) = depth*max(0, x)")
    # Weights of a 16th of the variance, which the first layer alone does not make up for.
    steep = gf.nngp(depth, np.eye(2), depth=3, parameters={"depth": 4.0}).nngp
    assert_allclose(16 * steep, gf.nngp("relu", np.eye(2), depth=3).nngp)


def test_what_is_no_number_is_named() -> None:
    relu, leaky = gf.library.relu, gf.library.leaky_relu
    for value in (1j, np.complex128(0.1 + 1j), np.array(0.1 + 1j), "0.1", b"0.1", np.array("0.1"), [0.1], None):
        with pytest.raises(gf.ParameterError, match="`eps` is one real number"):
            leaky.moments(0.0, 1.0, eps=value)
    with pytest.raises(ValueError, match="xi2 is no array of numbers"):
        relu.moments(0.0, [[1.0], [1.0, 2.0]])
    for text in (None, 3, ["max(0, x)"], b"relu", np.maximum):
        with pytest.raises(TypeError, match="is no text"):
            gf.derive(text)
        with pytest.raises(TypeError, match="is no text"):
            gf.covariance(text, "relu", 0.0, 1.0, 0.0, 1.0, 0.5)
    with pytest.raises(TypeError, match="parameters_h is a mapping"):
        gf.covariance("relu", "leaky_relu", 0.0, 1.0, 0.0, 1.0, 0.5, parameters_h=[0.1])


def test_numbers_of_any_size_and_a_tuple_of_one_output() -> None:
    np.testing.assert_array_equal(gf.library.relu.moments(10**30, 1).mean, 1e30)
    for wrong in ((10**400, 1.0), (0.0, 10**400)):
        with pytest.raises(OverflowError, match="(gamma|xi2) is larger than any float64"):
            gf.library.relu.moments(*wrong)
    with pytest.raises(gf.ParameterError, match="`eps` is larger than any float64"):
        gf.library.leaky_relu.moments(0.0, 1.0, eps=10**400)
    with pytest.raises(ValueError, match="weight_variance is 1000"):
        gf.nngp("relu", np.eye(2), weight_variance=10**400)
    out = np.empty(3)
    assert gf.library.relu(np.arange(3.0), out=(out,)) is out and out.tolist() == [0.0, 1.0, 2.0]
    assert repr(gf.derive(np.str_("relu"))) == "gaussform.derive('relu')"
