"""Conditional moments of piecewise polynomials, in as many digits as it takes: `python conditional.py > conditional.csv`.

For u ~ N(gamma, xi2) given that u lies in a set A of intervals, each integral of z^n over an interval follows from the one
of z^(n-2) by integration by parts, from differences of the Normal tail. This cancels, hence the digits. Functions and sets
are typed here as numbers, and beside them in the language of the library.
"""

import itertools
import sys
from fractions import Fraction
from math import comb

import mpmath as mp

# Probabilities have exponents of hundreds of digits.
sys.set_int_max_str_digits(0)
INF = mp.inf

# Each function: its text, and its pieces as (left end, right end, coefficients in powers of x).
FUNCTIONS = {
    "x": [(-INF, INF, [0, 1])],
    "max(0, x)": [(-INF, 0, [0]), (0, INF, [0, 1])],
    "x^2": [(-INF, INF, [0, 0, 1])],
    "clamp(x, -1, 1)": [(-INF, -1, [-1]), (-1, 1, [0, 1]), (1, INF, [1])],
    "x * clamp(x/6 + 1/2, 0, 1)": [
        (-INF, -3, [0]),
        (-3, 3, [0, Fraction(1, 2), Fraction(1, 6)]),
        (3, INF, [0, 1]),
    ],
    "1e9 + x/7": [(-INF, INF, [10**9, Fraction(1, 7)])],
    "step(x - 1)": [(-INF, 1, [0]), (1, INF, [1])],
    "clamp(x, -1, 1)^3 - x/3": [
        (-INF, -1, [-1, -Fraction(1, 3)]),
        (-1, 1, [0, -Fraction(1, 3), 0, 1]),
        (1, INF, [1, -Fraction(1, 3)]),
    ],
    "clamp(x, -1, 1)^8": [(-INF, -1, [1]), (-1, 1, [0] * 8 + [1]), (1, INF, [1])],
    "clamp(x, -1, 1)^24": [(-INF, -1, [1]), (-1, 1, [0] * 24 + [1]), (1, INF, [1])],
    "piecewise { x < 1e100: x^2; else: 0 }": [(-INF, 10**100, [0, 0, 1]), (10**100, INF, [0])],
    "1e30 * max(0, x)": [(-INF, 0, [0]), (0, INF, [0, 10**30])],
}

# Each set: its text, and its intervals.
SETS = {
    "x > 0": [(0, INF)],
    "x < -2 or x > 1": [(-INF, -2), (1, INF)],
    "0 < x < 1": [(0, 1)],
    "1 < x < 1 + 1e-12": [(1, 1 + Fraction(1, 10**12))],
    "(x > 0 and x < 1e-20) or 1/2 < x < 3": [(0, Fraction(1, 10**20)), (Fraction(1, 2), 3)],
    "x^2 < 4": [(-2, 2)],
    "x > 1e6": [(10**6, INF)],
    "x > -40": [(-40, INF)],
}

POINTS = [
    (0.0, 1.0),
    (0.7, 0.3),
    (-5.0, 1.0),
    (-40.0, 1.0),
    (-1500.0, 1.0),
    (3.0, 1e-6),
    (2.5, 400.0),
    (1.0, 1e-20),
    (-1e10, 1e2),
    (-30.0, 1e-300),
]


def number(x):
    if isinstance(x, Fraction):
        return mp.mpf(x.numerator) / x.denominator
    return mp.mpf(x)


def density(z):
    return mp.mpf(0) if mp.isinf(z) else mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)


def is_far(z):
    """Whether the asymptotic series of the tail has all digits."""
    return z * z / 2 > 3 * mp.mp.dps


def far_tail(z):
    """The tail by its asymptotic series."""
    total = term = mp.mpf(1)
    for k in range(1, 10_000):
        term *= -(2 * k - 1) / (z * z)
        total += term
        if abs(term) < mp.eps:
            return total * density(z) / z
    raise ArithmeticError(f"{z} is not far")


def mass(a, b):
    """The probability of an interval, from tails on the side where it lies."""
    tail = lambda z: mp.mpf(0) if z == INF else far_tail(z) if is_far(z) else mp.erfc(z / mp.sqrt(2)) / 2
    if a >= 0:
        return tail(a) - tail(b)
    if b <= 0:
        return tail(-b) - tail(-a)
    return 1 - tail(-a) - tail(b)


def integrals(a, b, count):
    """Integrals of z^n over an interval, for n < count."""
    at = lambda z, n: mp.mpf(0) if mp.isinf(z) else z**n * density(z)
    found = [mass(a, b), density(a) - density(b)]
    for n in range(2, count):
        found.append((n - 1) * found[n - 2] + at(a, n - 1) - at(b, n - 1))
    return found[:count]


def complement(intervals):
    """The intervals between some."""
    ends = [-INF, *(number(end) for interval in intervals for end in interval), INF]
    return [(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b]


def product(p, q):
    out = [mp.mpf(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return out


def in_z(coefficients, gamma, xi):
    """A polynomial of x in powers of z, x = gamma + xi z."""
    out = [mp.mpf(0)] * len(coefficients)
    for n, c in enumerate(coefficients):
        for k in range(n + 1):
            out[k] += number(c) * comb(n, k) * gamma ** (n - k) * xi**k
    return out


def digits(pieces, intervals, gamma, xi2):
    """How many digits the integrals need: they cancel far from gamma, and over narrow intervals."""
    mp.mp.dps = 60
    gamma, xi = mp.mpf(gamma), mp.sqrt(mp.mpf(xi2))
    degree = max(len(coefficients) for _, _, coefficients in pieces)
    most = mp.mpf(2)
    for left, right, _ in pieces:
        for start, end in intervals:
            a, b = max(number(left), number(start)), min(number(right), number(end))
            if a < b:
                near = max(0, (a - gamma) / xi, (gamma - b) / xi)
                most = max(most, near, xi / (b - a))
    return 60 + int(2 * (2 * degree + 4) * mp.log10(most))


def conditional(pieces, intervals, gamma, xi2):
    mp.mp.dps = digits(pieces, intervals, gamma, xi2)
    gamma, xi2 = mp.mpf(gamma), mp.mpf(xi2)
    xi = mp.sqrt(xi2)
    parts = []
    for left, right, coefficients in pieces:
        for start, end in intervals:
            a, b = max(number(left), number(start)), min(number(right), number(end))
            if a < b:
                polynomial = in_z(coefficients, gamma, xi)
                count = 2 * len(polynomial) + 6
                parts.append((polynomial, integrals((a - gamma) / xi, (b - gamma) / xi, count)))

    def expectation(power, factor):
        total = mp.mpf(0)
        for polynomial, moments in parts:
            p = factor
            for _ in range(power):
                p = product(p, polynomial)
            total += sum(c * m for c, m in zip(p, moments, strict=False))
        return total

    one = [mp.mpf(1)]
    a = [mp.mpf(0), 1 / xi]
    b = [-1 / (2 * xi2), mp.mpf(0), 1 / (2 * xi2)]
    p = expectation(0, one)
    e = lambda power, factor: expectation(power, factor) / p
    mean = e(1, one)
    # Around the mean, so that nothing is left to chance.
    for polynomial, _ in parts:
        polynomial[0] -= mean
    variance = e(2, one)
    scores = [[s[0] - e(0, s), *s[1:]] for s in (a, b)]
    slopes = [e(power, s) for power in (1, 2) for s in scores]
    spread = [mp.sqrt(e(0, product(s, s))) for s in scores]
    deviation = mp.sqrt(variance)
    size = [mp.sqrt(e(0, product(s, s))) for s in (a, b)]
    outside = sum(mass((a - gamma) / xi, (b - gamma) / xi) for a, b in complement(intervals))
    log_p = mp.log1p(-outside) if outside < 0.5 else mp.log(p)
    values = [p, mean, variance, log_p, e(0, a), e(0, b), *slopes]
    scales = [
        p,
        max(abs(mean), deviation),
        variance,
        abs(log_p),
        size[0],
        size[1],
        deviation * spread[0],
        deviation * spread[1],
        max(abs(slopes[2]), variance * spread[0]),
        max(abs(slopes[3]), variance * spread[1]),
    ]
    return values, scales


NAMES = [
    "probability",
    "mean",
    "variance",
    "log_probability",
    "dlog_probability_dgamma",
    "dlog_probability_dxi2",
    "dmean_dgamma",
    "dmean_dxi2",
    "dvariance_dgamma",
    "dvariance_dxi2",
]


def quoted(text):
    return f'"{text}"' if "," in text else text


def main():
    names = [f"{name}{end}" for name in NAMES for end in ("", "_scale")]
    print(",".join(["function", "condition", "gamma", "xi2", *names]))
    # Every third of all, so that the table stays small.
    cases = itertools.product(FUNCTIONS.items(), SETS.items(), POINTS)
    for i, ((text, pieces), (condition, intervals), (gamma, xi2)) in enumerate(cases):
        if i % 3 != 0:
            continue
        values, scales = conditional(pieces, intervals, gamma, xi2)
        pairs = zip(values, scales, strict=True)
        numbers = [digits for x, y in pairs for digits in (mp.nstr(x, 18), mp.nstr(y, 3))]
        head = [quoted(text), quoted(condition), repr(gamma), repr(xi2)]
        print(",".join([*head, *numbers]))


if __name__ == "__main__":
    main()
