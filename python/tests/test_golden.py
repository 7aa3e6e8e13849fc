"""Accuracy: the 40-digit truth of tests/golden, in both precisions, through Python's arrays."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import gaussform as gf

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
DECLARED = {
    "relu": "max(0, x)",
    "leaky_relu": "max(x/100, x)",
    "hard_tanh": "clamp(x, -1, 1)",
    "relu2": "max(0, x)^2",
    "abs": "|x|",
    "xabsx": "x*|x|",
    "hat": "max(0, 1 - |x|)",
    "heaviside": "piecewise { x <= 0: 0; else: 1 }",
    "soft_shrink": "x - clamp(x, -1/2, 1/2)",
    "absx2m2": "|x^2 - 2|",
}
#: What tests/golden.rs promises, in units in the last place of the scale.
MOST = 32.0
NAMES = ["mean", "variance", "dmean_dgamma", "dmean_dxi2", "dvariance_dgamma", "dvariance_dxi2"]


def table(precision: str) -> dict[str, list[dict[str, str]]]:
    rows = defaultdict(list)
    with open(GOLDEN / f"moments_{precision}.csv", newline="") as file:
        for row in csv.DictReader(file):
            rows[row["activation"]].append(row)
    return rows


def scale(name: str, row: dict[str, str]) -> float:
    """What an error is stated against: the value itself, and where it crosses zero the integral of absolute values."""
    variance, xi2 = float(row["variance"]), float(row["xi2"])
    if name.startswith("dvariance"):
        unit = math.sqrt(xi2) if name == "dvariance_dgamma" else xi2
        return variance / unit if xi2 > 0 else 0.0
    scales = {"mean": "scale_mean", "dmean_dgamma": "scale_dgamma", "dmean_dxi2": "scale_dxi2"}
    return float(row[scales[name]]) if name in scales else 0.0


def error(got: float, truth: float, scale: float, info: np.finfo) -> float:
    tiny, huge = float(info.tiny), float(info.max)
    if abs(truth) > huge:
        return 0.0 if got == math.copysign(math.inf, truth) else math.inf
    if abs(truth) <= tiny and abs(got) <= tiny:
        return 0.0
    distance = abs(got - truth) / (float(info.eps) * max(scale, abs(truth), tiny))
    return math.inf if math.isnan(distance) else distance


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", DECLARED)
def test_moments_and_gradients_are_within_the_promise(name: str, dtype: type) -> None:
    rows = table("f64" if dtype is np.float64 else "f32")[name]
    assert len(rows) > 40
    gamma = np.array([float(row["gamma"]) for row in rows], dtype)
    xi2 = np.array([float(row["xi2"]) for row in rows], dtype)
    info = np.finfo(dtype)
    for function in (gf.derive(DECLARED[name]), gf.derive(f"other(x) = 1*({DECLARED[name]})")):
        results = function.moments_grad(gamma, xi2)
        assert all(result.dtype == dtype for result in results)
        for field, result in zip(NAMES, results):
            for got, row in zip(result, rows):
                assert error(float(got), float(row[field]), scale(field, row), info) <= MOST, (field, row)
        for ours, both in zip(function.moments(gamma, xi2), results):
            for got, other, row in zip(ours, both, rows):
                assert error(float(got), float(other), abs(float(row["scale_mean"])), info) <= MOST


@pytest.mark.parametrize("name", ["relu", "hard_tanh"])
def test_covariances_are_those_of_the_table(name: str) -> None:
    with open(GOLDEN / "bivariate.csv", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = [row for row in csv.DictReader(lines) if row["g"] == row["h"] == name]
    assert rows
    columns = [np.array([float(row[key]) for row in rows]) for key in ("m1", "v1", "m2", "v2", "c")]
    got = gf.covariance_grad(DECLARED[name], DECLARED[name], *columns)
    for field, key in (("covariance", "cov"), ("mixed", "Egh")):
        truth = np.array([float(row[key]) for row in rows])
        near = np.array([float(row["scale_cov"]) for row in rows])
        if key == "Egh":
            # It is a sum of the covariance and of the product of the means.
            near = near + np.array([abs(float(row["Egh"]) - float(row["cov"])) for row in rows])
        most = 16 * 2.0**-52 * np.maximum(near, np.abs(truth)) + float(np.finfo(float).tiny)
        assert (np.abs(getattr(got, field) - truth) <= most).all(), field
