"""Finds the coefficients of `approximations.gf`.

    pip install numpy
    python generated/approximations.py

With b(t) = (1 - |x|/t)^n up to t and 0 from there on, each function is a rectifier or a step plus weights
times b(s) and b(t). Values and slopes at 0 leave one weight or none; the rest is searched on a grid of
short rationals, and the best is printed with its largest error. The cubic sigmoid has no knot at 0: it
is 1/2 + a x - d x^3 up to s, and beyond it what fits with value and slope at s and t.
"""

import math

import numpy as np

X = np.linspace(0, 20, 1601)
SIGMOID = 1 / (1 + np.exp(-X))
# What is missing from the rectifier, for x > 0; the same for x < 0.
SOFTPLUS = np.log1p(np.exp(-X))
GELU = -X * np.vectorize(math.erfc)(X / math.sqrt(2)) / 2


def bump(t, n):
    return np.maximum(0, 1 - X / t) ** n


def places(first, last, step):
    """Pairs s < t."""
    grid = np.arange(first, last + step / 2, step)
    return [(s, t) for s in grid for t in grid if s < t]


def best(name, candidates):
    error, parameters = min(candidates, key=lambda candidate: candidate[0])
    text = ", ".join(f"{key} = {value:.6g}" for key, value in parameters.items())
    print(f"{name:18} {error:.6f}  {text}")


def sigmoid_quadratic():
    """The weights add up to 1/2, so that the value at 0 is 1/2."""
    for s, t in places(0.5, 9, 0.5):
        for v in np.arange(1, 16) / 16:
            w = 0.5 - v
            error = np.abs(1 - SIGMOID - w * bump(s, 2) - v * bump(t, 2)).max()
            yield error, {"s": s, "t": t, "w": w, "v": v}


def sigmoid_cubic():
    for s, t in places(1, 8, 1):
        for a in np.arange(0.2, 0.26, 0.01):
            for d in np.arange(0.005, 0.02, 0.0005):
                missing, slope, width = 0.5 - a * s + d * s**3, a - 3 * d * s**2, t - s
                cube = (slope * width - 2 * missing) / width**3
                square = (missing - cube * width**3) / width**2
                rest = np.maximum(0, t - X)
                outside = 1 - square * rest**2 - cube * rest**3
                error = np.abs(np.where(X < s, 0.5 + a * X - d * X**3, outside) - SIGMOID).max()
                yield error, {"s": s, "t": t, "a": a, "d": d, "square": square, "cube": cube}


def softplus(n, step):
    """The slope at 0 is 1/2: n (w/s + v/t) = 1/2."""
    for s, t in places(1, 7, 1):
        for v in np.arange(step, 1, step):
            w = s * (0.5 / n - v / t)
            error = np.abs(SOFTPLUS - w * bump(s, n) - v * bump(t, n)).max()
            yield error, {"s": s, "t": t, "w": w, "v": v}


def gelu(n, pairs):
    """Opposite weights, so that the value at 0 is 0; the slope there is 1/2."""
    for s, t in pairs:
        w = 0.5 / n / (1 / s - 1 / t)
        yield np.abs(GELU - w * (bump(s, n) - bump(t, n))).max(), {"s": s, "t": t, "w": w}


if __name__ == "__main__":
    best("sigmoid_quadratic", sigmoid_quadratic())
    best("sigmoid_cubic", sigmoid_cubic())
    best("softplus_quadratic", softplus(2, 0.01))
    best("softplus_cubic", softplus(3, 0.01))
    best("gelu_quadratic", gelu(2, places(0.5, 4, 0.125)))
    best("gelu_cubic", gelu(3, places(0.5, 4, 0.05)))
