"""Mixed moments of two piecewise polynomials, relative to themselves in every tail: `python mixed.py > mixed.csv`.

For (u, w) jointly Normal, E[g h s] for 1 and the five scores s of means, variances and the covariance, which are polynomials in
u and w. Given u, the moments of w over a piece follow by integration by parts from differences of the Normal tail. This
cancels, hence the digits. The integral over u is taken by Gauss-Legendre rules on panels around every place where the integrand may turn.
Where |rho| = 1 the scores have no meaning and the derivatives are left out.
"""

import sys
from fractions import Fraction
from math import comb

import mpmath as mp

sys.set_int_max_str_digits(0)
INF = mp.inf

# Each function: its name, and its pieces as (left end, right end, coefficients in powers of x).
FUNCTIONS = {
    "relu": [(-INF, 0, [0]), (0, INF, [0, 1])],
    "step": [(-INF, 0, [0]), (0, INF, [1])],
    "hard_sigmoid": [(-INF, 0, [0]), (0, 1, [0, 1]), (1, INF, [1])],
    "hat": [(-INF, -1, [0]), (-1, 0, [1, 1]), (0, 1, [1, -1]), (1, INF, [0])],
    "relu2": [(-INF, 0, [0]), (0, INF, [0, 0, 1])],
    "absx2m2": None,
    "cubic": [(-INF, 1, [Fraction(1, 8)]), (1, INF, [Fraction(-7, 8), 3, -3, 1])],
    "stairs": [(-INF, 0, [0]), (0, 2, [1]), (2, INF, [3])],
    "power8": [(-INF, 0, [0]), (0, 1, [0] * 8 + [1]), (1, INF, [1])],
}

PAIRS = [
    ("step", "step"),
    ("relu", "relu"),
    ("relu", "step"),
    ("hard_sigmoid", "hard_sigmoid"),
    ("hat", "relu"),
    ("relu2", "absx2m2"),
    ("cubic", "stairs"),
    ("power8", "hat"),
]

# Means in units of the deviations, deviations, and rho.
POINTS = [
    (0.25, 1.0, -0.5, 1.0, 0.5),
    (-3.0, 1.0, -4.0, 1.0, -0.9),
    (-8.0, 1.0, -8.0, 1.0, -0.3),
    (-30.0, 1.0, -25.0, 2.0, 0.75),
    (-38.0, 0.5, -5.0, 1024.0, 0.25),
    (-300.0, 1.0, -400.0, 0.125, -0.95),
    (-7.0, 2.0**-18, 3.0, 2.0**15, -0.6),
    (6.0, 1.0, -9.0, 1.0, -0.99),
    (-9.0, 1.0, -8.9990234375, 1.0, 0.99999),
    (-9.0, 4.0, 9.25, 0.25, -1.0 + 2.0**-30),
    (2.0, 1.0, -2.5, 1.0, 1.0 - 2.0**-40),
    (-1e5, 1.0, -9e4, 8.0, 0.001),
    (-1.5e7, 3.0, 2.0, 0.5, -0.875),
]

NODES = 32


def number(x):
    if isinstance(x, Fraction):
        return mp.mpf(x.numerator) / x.denominator
    return mp.mpf(x)


def pieces_of(name):
    if name == "absx2m2":
        root = mp.sqrt(2)
        return [(-INF, -root, [-2, 0, 1]), (-root, root, [2, 0, -1]), (root, INF, [-2, 0, 1])]
    return [(number(a), number(b), [number(c) for c in p]) for a, b, p in FUNCTIONS[name]]


def density(z):
    return mp.mpf(0) if mp.isinf(z) else mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)


def tail(z):
    """P(Z > z), relative to itself."""
    if mp.isinf(z):
        return mp.mpf(0 if z > 0 else 1)
    if z > 50000:
        # The asymptotic series.
        term, total = mp.mpf(1), mp.mpf(1)
        for k in range(1, 40):
            term *= -(2 * k - 1) / (z * z)
            total += term
        return density(z) / z * total
    return mp.erfc(z / mp.sqrt(2)) / 2


def powers(left, right, count):
    """The integrals of z^n against the density over an interval."""
    if left > 0:
        zero = tail(left) - tail(right)
    else:
        zero = tail(-right) - tail(-left)
    ends = [density(left), density(right)]
    moments = [zero]
    for n in range(1, count):
        at = [mp.mpf(0) if mp.isinf(z) else z ** (n - 1) * d for z, d in zip((left, right), ends)]
        before = (n - 1) * moments[n - 2] if n > 1 else mp.mpf(0)
        moments.append(before + at[0] - at[1])
    return moments


def shifted(p, by):
    """A polynomial in x as one in x - by."""
    return [sum(p[i] * comb(i, k) * by ** (i - k) for i in range(k, len(p))) for k in range(len(p))]


def given(h, mean, deviation, away):
    """E[h(w) b^k] for k = 0, 1, 2, b being w less the mean from which the conditional one is `away`."""
    sums = [mp.mpf(0)] * 3
    for left, right, p in h:
        if all(c == 0 for c in p):
            continue
        around = shifted(p, mean)
        z = powers((left - mean) / deviation, (right - mean) / deviation, len(p) + 2)
        raw = [m * deviation**n for n, m in enumerate(z)]
        for k in range(3):
            for i, c in enumerate(around):
                for j in range(k + 1):
                    sums[k] += c * comb(k, j) * away ** (k - j) * raw[i + j]
    return sums


def rule(count):
    """Gauss-Legendre on [0, 1]."""
    nodes = []
    for i in range(count):
        x = mp.cos(mp.pi * (i + mp.mpf(3) / 4) / (count + mp.mpf(1) / 2))
        for _ in range(9):
            p = mp.legendre(count, x)
            slope = count * (x * p - mp.legendre(count - 1, x)) / (x * x - 1)
            x -= p / slope
        p1 = mp.legendre(count - 1, x)
        slope = count * (-p1) / (x * x - 1)
        nodes.append(((x + 1) / 2, 1 / ((1 - x * x) * slope * slope)))
    return nodes


def moments(g, h, law, nodes):
    m1, m2, v1, v2, c = [mp.mpf(x) for x in law]
    s1, s2, D = mp.sqrt(v1), mp.sqrt(v2), v1 * v2 - c * c
    rest = mp.sqrt(D / v1)
    r = mp.sqrt(D) / (s1 * s2)
    rho = c / (s1 * s2)

    def integrand(u, p):
        a = u - m1
        value = sum(q * u**i for i, q in enumerate(p))
        b = given(h, m2 + c / v1 * a, rest, c / v1 * a)
        weight = value * density(a / s1) / s1
        s = [
            b[0],
            (v2 * a * b[0] - c * b[1]) / D,
            ((v2 * v2 * a * a * b[0] - 2 * v2 * c * a * b[1] + c * c * b[2]) / D**2 - v2 / D * b[0]) / 2,
            (v1 * b[1] - c * a * b[0]) / D,
            ((v1 * v1 * b[2] - 2 * v1 * c * a * b[1] + c * c * a * a * b[0]) / D**2 - v1 / D * b[0]) / 2,
            ((v1 * v2 + c * c) * a * b[1] - v2 * c * a * a * b[0] - v1 * c * b[2]) / D**2 + c / D * b[0],
        ]
        return [weight * x for x in s]

    knots_g = [b for _, b, _ in g[:-1]]
    knots_h = [b for _, b, _ in h[:-1]]
    centres = [m1] + knots_g + [m1 + c / v2 * (t - m2) for t in knots_h]
    centres += [m1 + v1 / c * (t - m2) for t in knots_h]
    scales = [s1, s1 * r]
    # How fast the density falls from a corner.
    for s in knots_g:
        for t in knots_h:
            slope = abs((v2 * (s - m1) - c * (t - m2)) / D)
            scales.append(1 / (slope + 1 / (s1 * r)))
            scales.append(1 / (abs(s - m1) / v1 + 1 / s1))
    steps = [mp.mpf(x) for x in (0.5, 1, 2, 3.5, 5.5, 8, 12, 17, 25, 40, 70, 130)]
    ends = set(centres)
    scales.sort()
    apart = [scale for before, scale in zip([mp.mpf(0)] + scales, scales) if scale > 1.2 * before]
    for scale in apart:
        for centre in centres:
            for x in steps:
                ends.update([centre - x * scale, centre + x * scale])
    ends = sorted(ends)
    # Fewer where they stand close together.
    kept = ends[:1]
    for x in ends[1:]:
        if x in centres or x - kept[-1] > min(scales) / 3:
            kept.append(x)
    ends = kept
    panels = []
    for left, right, p in g:
        if all(q == 0 for q in p):
            continue
        inner = [x for x in ends if left < x < right]
        first = left if not mp.isinf(left) else inner[0]
        last = right if not mp.isinf(right) else inner[-1]
        inner = [first] + [x for x in inner if first < x < last] + [last]
        panels += [(a, b, p) for a, b in zip(inner, inner[1:])]
    # The larger of the values at the ends and in the middle: nothing turns between.
    known = {}

    def size(u, p):
        if (u, id(p)) not in known:
            known[u, id(p)] = abs(integrand(u, p)[0])
        return known[u, id(p)]

    sizes = [max(size(u, p) for u in (a, (a + b) / 2, b)) * (b - a) for a, b, p in panels]
    most = max(sizes)
    sums = [mp.mpf(0)] * 6
    for (a, b, p), size in zip(panels, sizes):
        # What is left out falls from such a panel on.
        if size < most * mp.mpf(10) ** -45:
            continue
        for node, weight in nodes:
            for i, x in enumerate(integrand(a + (b - a) * node, p)):
                sums[i] += x * weight * (b - a)
    return sums


def text(x):
    return mp.nstr(x, 20, min_fixed=1, max_fixed=0)


def main():
    mp.mp.dps = 60
    nodes = rule(NODES)
    of = "gamma xi2 gamma_h xi2_h cov".split()
    names = ["mixed"] + [f"dmixed_d{name}" for name in of]
    names += ["log_mixed"] + [f"dlog_mixed_d{name}" for name in of]
    print(",".join(["g", "h"] + of + names))
    chosen = sys.argv[1:]
    for g, h in PAIRS:
        if chosen and f"{g},{h}" not in chosen:
            continue
        for a, s, b, t, rho in POINTS:
            mp.mp.dps = 130
            law = (a * s, b * t, s * s, t * t, rho * s * t)
            values = moments(pieces_of(g), pieces_of(h), law, nodes)
            logs = [mp.log(values[0])] + [x / values[0] for x in values[1:]]
            numbers = [law[0], law[2], law[1], law[3], law[4]]
            fields = [g, h] + [repr(x) for x in numbers] + [text(x) for x in values + logs]
            print(",".join(fields), flush=True)


if __name__ == "__main__":
    main()
