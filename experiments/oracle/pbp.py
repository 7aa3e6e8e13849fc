"""Probabilistic backpropagation (Hernandez-Lobato and Adams 2015) on one UCI set, written apart from the library.

    python experiments/oracle/pbp.py DIR/uci/naval

It needs NumPy and numba. It prints the mean test log-likelihood over the first splits, with its standard error, for two ways
to standardise an input that is the same number in every row: by a standard deviation of 1, as the library has it,
and by the standard deviation that NumPy computes, which rounding keeps from being 0.
"""

import math
import pathlib
import sys

import numpy as np
from numba import njit

HIDDEN = 50
PASSES = 40
SPLITS = 8
SEEDS = (2, 3, 4)


@njit
def relu(m, v):
    """Mean, variance, and their derivatives in m and v."""
    sd = math.sqrt(v)
    t = m / sd
    tail = 0.5 * math.erfc(-t / math.sqrt(2))
    density = math.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
    if t < -6:
        u = 1 / (t * t)
        mean = sd * density * u * (1 - 3 * u + 15 * u**2 - 105 * u**3 + 945 * u**4)
        second = v * density * 2 * u / -t * (1 - 6 * u + 45 * u**2 - 420 * u**3)
    else:
        mean = m * tail + sd * density
        second = (m * m + v) * tail + m * sd * density
    by_m, by_v = tail, density / (2 * sd)
    slopes = by_m, by_v, 2 * mean * (1 - by_m), tail - 2 * mean * by_v
    return mean, second - mean * mean, slopes


@njit
def log_normal(x, v):
    return -0.5 * (math.log(2 * math.pi * v) + x * x / v)


@njit
def matched(a, b, x, v):
    """The Gamma distribution after a number x of variance v + 1/precision."""
    z0, z1, z2 = log_normal(x, v + b / (a - 1)), log_normal(x, v + b / a), log_normal(x, v + b / (a + 1))
    shape = 1 / (math.exp(z2 - 2 * z1 + z0) * (a + 1) / a - 1)
    rate = 1 / (math.exp(z2 - z1) * (a + 1) / b - math.exp(z1 - z0) * a / b)
    return shape, rate


@njit
def step(m, v, slope, curve):
    """A weight moved by the derivatives of log Z, unless no variance is left."""
    less = v - v * v * (slope * slope - 2 * curve)
    return (m + v * slope, less) if less > 1e-100 else (m, v)


@njit
def refine(means, variances, sites, prior):
    for j in range(means.shape[0]):
        for i in range(means.shape[1]):
            site = sites[j, i]
            a, b = prior[0] - site[2], prior[1] - site[3]
            precision = 1 / variances[j, i] - site[0]
            if not (precision > 1e-6 and b > 0 and a > 1):
                continue
            v = 1 / precision
            m = v * (means[j, i] / variances[j, i] - site[1])
            shape, rate = matched(a, b, m, v)
            if not (1 < shape < 1e300 and 0 < rate < 1e300):
                continue
            total = v + b / (a - 1)
            mean, variance = step(m, v, -m / total, 0.5 * (m * m / total - 1) / total)
            if variance == v:
                continue
            site[0], site[1] = 1 / variance - precision, mean / variance - m * precision
            site[2], site[3] = shape - a, rate - b
            means[j, i], variances[j, i] = mean, variance
            prior[0], prior[1] = shape, rate


@njit
def forward(x, m1, v1, m2, v2, h, hv, slopes):
    units, n1 = m1.shape
    for j in range(units):
        a = b = 0.0
        for i in range(n1):
            a += m1[j, i] * x[i]
            b += v1[j, i] * x[i] * x[i]
        h[j], hv[j], slopes[j] = relu(a / math.sqrt(n1), b / n1)
    n2 = units + 1
    m = v = 0.0
    for i in range(n2):
        m += m2[i] * h[i]
        v += (m2[i] ** 2 + v2[i]) * hv[i] + v2[i] * h[i] ** 2
    return m / math.sqrt(n2), v / n2


@njit
def learn(x, y, order, m1, v1, m2, v2, noise):
    units, n1 = m1.shape
    n2 = units + 1
    h, hv = np.ones(n2), np.zeros(n2)
    slopes = [(0.0, 0.0, 0.0, 0.0)] * units
    for r in order:
        m, v = forward(x[r], m1, v1, m2, v2, h, hv, slopes)
        error, total = y[r] - m, v + noise[1] / (noise[0] - 1)
        shape, rate = matched(noise[0], noise[1], error, v)
        dm, dv = error / total / math.sqrt(n2), 0.5 * (error**2 / total - 1) / total / n2
        for i in range(n2):
            mean, variance = m2[i], v2[i]
            by_mean = dm * mean + 2 * dv * variance * h[i]
            by_variance = dv * (mean**2 + variance)
            m2[i], v2[i] = step(mean, variance, dm * h[i] + 2 * dv * mean * hv[i], dv * (h[i] ** 2 + hv[i]))
            if i == units:
                break
            a, b, c, d = slopes[i]
            to_mean = (by_mean * a + by_variance * c) / math.sqrt(n1)
            to_variance = (by_mean * b + by_variance * d) / n1
            for k in range(n1):
                z = x[r, k]
                m1[i, k], v1[i, k] = step(m1[i, k], v1[i, k], to_mean * z, to_variance * z * z)
        if shape > 1 and rate > 0:
            noise[0], noise[1] = shape, rate


def test(data, folder, k, seed, rounded):
    """The mean test log-likelihood of a split."""
    rows = {part: np.loadtxt(folder / f"index_{part}_{k}.txt").astype(int) for part in ("train", "test")}
    x, y = data
    mean, sd = x[rows["train"]].mean(0), x[rows["train"]].std(0)
    constant = sd == 0 if rounded else np.ptp(x[rows["train"]], axis=0) == 0
    centre = np.where(constant & ~rounded, x[rows["train"]][0], mean)
    sd[constant] = 1
    inputs = {part: np.column_stack([(x[at] - centre) / sd, np.ones(len(at))]) for part, at in rows.items()}
    target, unit = y[rows["train"]].mean(), y[rows["train"]].std()
    random = np.random.RandomState(seed)
    n1 = inputs["train"].shape[1]
    m1 = random.randn(HIDDEN, n1) / math.sqrt(n1)
    m2 = random.randn(HIDDEN + 1) / math.sqrt(HIDDEN + 1)
    prior, noise = np.array([6.0, 6.0]), np.array([6.0, 6.0])
    start = prior[1] / (prior[0] - 1)
    v1, v2 = np.full(m1.shape, start), np.full(m2.shape, start)
    sites = [np.zeros((*m1.shape, 4)), np.zeros((1, *m2.shape, 4))]
    for site in sites:
        site[..., 0] = 1 / start
    scaled = (y[rows["train"]] - target) / unit
    for _ in range(PASSES):
        learn(inputs["train"], scaled, random.permutation(len(scaled)), m1, v1, m2, v2, noise)
        refine(m1, v1, sites[0], prior)
        refine(m2[None], v2[None], sites[1], prior)
    h, hv = np.ones(HIDDEN + 1), np.zeros(HIDDEN + 1)
    slopes = [(0.0, 0.0, 0.0, 0.0)] * HIDDEN
    sum_of_logs = 0.0
    for row, wanted in zip(inputs["test"], y[rows["test"]]):
        m, v = forward(row, m1, v1, m2, v2, h, hv, slopes)
        v = (v + noise[1] / (noise[0] - 1)) * unit**2
        sum_of_logs += log_normal(wanted - (m * unit + target), v)
    return sum_of_logs / len(rows["test"])


def main():
    folder = pathlib.Path(sys.argv[1])
    table = np.loadtxt(folder / "data.txt")
    columns = np.loadtxt(folder / "index_features.txt").astype(int)
    data = table[:, columns], table[:, int(np.loadtxt(folder / "index_target.txt"))]
    for name, rounded in (("sd 1", False), ("rounded sd", True)):
        found = np.array([np.mean([test(data, folder, k, s, rounded) for s in SEEDS]) for k in range(SPLITS)])
        print(f"{name}: {found.mean():.3f} ± {found.std(ddof=1) / math.sqrt(SPLITS):.3f}", flush=True)


if __name__ == "__main__":
    main()
