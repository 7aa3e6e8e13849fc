"""Covariances of all pairs of a layer of ReLUs in Python, beside `cargo bench -p gaussform-bench --bench pairs`.

Exact: E[g h] by the cdf of two Normal numbers, which SciPy vectorises as Owen's T function, less E[g] E[h].
Approximate: Wu et al., "Deterministic Variational Inference for Robust Bayesian Neural Networks" (2019), for ReLU, with NumPy, and
with torch.compile and jax.jit where these libraries are installed. Prints the CPU time of one thread in ns per pair, and the largest error relative
to |covariance|, with values of Owen's T for exact.

    OMP_NUM_THREADS=1 python benches/pairs_against_peers.py
"""

import math
import time

import numpy as np
from scipy.special import ndtr, owens_t

UNITS = 256
RUNS = 15


def density(x):
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def exact(a, b, rho):
    """Cov(max(0, u), max(0, w)) for variances 1 and means a and b."""
    rest = np.sqrt(1 - rho * rho)
    # Owen 1956, Eq. 3.1, for a and b not 0.
    opposite = np.where(a * b < 0, 0.5, 0.0)
    both = (ndtr(a) + ndtr(b)) / 2 - opposite
    both -= owens_t(a, (b / a - rho) / rest) + owens_t(b, (a / b - rho) / rest)
    first, second = density(a) * ndtr((b - rho * a) / rest), density(b) * ndtr((a - rho * b) / rest)
    corner = rest * np.exp(-(a * a - 2 * rho * a * b + b * b) / (2 * rest * rest)) / (2 * math.pi)
    mixed = (a * b + rho) * both + b * first + a * second + corner
    return mixed - (a * ndtr(a) + density(a)) * (b * ndtr(b) + density(b))


def approximate(a, b, rho, of, cdf):
    """The covariance by Wu et al.: exact at means 0, and right to second order around them."""
    one_and_rest = 1 + of.sqrt(1 - rho * rho)
    angle = of.arcsin(rho)
    size = angle - rho / one_and_rest
    width = size * one_and_rest / rho
    across = (angle - rho) / (size * rho)
    bump = size / (2 * math.pi) * of.exp(-(a * a + b * b) / (2 * width) + across * a * b)
    return rho * (cdf(a) * cdf(b) + bump)


def time_of(work):
    times = []
    for _ in range(RUNS):
        start = time.process_time_ns()
        work()
        times.append(time.process_time_ns() - start)
    return min(times) / (UNITS * (UNITS - 1) / 2)


def main():
    gamma = np.sin(np.arange(UNITS) * 0.7)
    # SciPy's formula divides by the means.
    gamma[gamma == 0] = 1e-3
    first, second = np.tril_indices(UNITS, -1)
    a, b = gamma[first], gamma[second]
    for rho in [0.001, 0.05, 0.2, 0.5, 0.95]:
        rhos = np.full_like(a, rho)
        truth = exact(a, b, rhos)
        report = [f"SciPy, exact {time_of(lambda: exact(a, b, rhos)):6.0f}"]

        def error(values, truth=truth):
            return np.max(np.abs(np.asarray(values) - truth) / np.abs(truth))

        numpy = lambda: approximate(a, b, rhos, np, ndtr)
        report.append(f"Wu et al. in NumPy {time_of(numpy):4.0f} (error {error(numpy()):.0e})")
        report += frameworks(a, b, rhos, error)
        print(f"max(0, x) ρ = {rho:5}: " + ", ".join(report))


def frameworks(a, b, rhos, error):
    """The approximation compiled by PyTorch and JAX, in double precision."""
    report = []
    try:
        import torch

        torch.set_num_threads(1)
        compiled = torch.compile(lambda a, b, rho: approximate(a, b, rho, torch, torch.special.ndtr))
        inputs = [torch.from_numpy(x) for x in (a, b, rhos)]
        values = compiled(*inputs)
        time_torch = time_of(lambda: compiled(*inputs))
        report.append(f"torch.compile {time_torch:4.0f} (error {error(values.numpy()):.0e})")
    except ImportError:
        report.append("PyTorch not installed")
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        numpy, cdf = jax.numpy, jax.scipy.stats.norm.cdf
        compiled = jax.jit(lambda a, b, rho: approximate(a, b, rho, numpy, cdf))
        inputs = [jax.numpy.asarray(x) for x in (a, b, rhos)]
        values = compiled(*inputs)
        time_jax = time_of(lambda: compiled(*inputs).block_until_ready())
        report.append(f"jax.jit {time_jax:4.0f} (error {error(values):.0e})")
    except ImportError:
        report.append("JAX not installed")
    return report


if __name__ == "__main__":
    main()
