"""Writes truth.csv: 40-digit moments of functions that tests/golden does not have, in the format of its tables.

    python benches/gpu/truth.py    (needs mpmath)

For a piece p on (a, b), E[p(u)^m (u - gamma)^j; a < u < b] is a sum of the truncated moments

    I_n = integral of z^n phi(z) from A to B = (n - 1) I_(n-2) + A^(n-1) phi(A) - B^(n-1) phi(B),

with A, B = (a - gamma)/xi, (b - gamma)/xi, taken with 400 digits, of which cancellation costs some hundred. The
derivatives are E[g^m (u - gamma)]/xi2 and E[g^m ((u - gamma)^2 - xi2)]/(2 xi2^2). The scales are quadrature.
"""

import csv
import pathlib
import random
import struct

from mpmath import erfc, exp, inf, mp, mpf, nstr, pi, quad, sqrt

mp.dps = 400
F = mpf
#: Knots, and the polynomials between them with the constant term first.
FUNCTIONS = {
    "hard_swish": ([-3, 3], [[0], [0, F(1) / 2, F(1) / 6], [0, 1]]),
    "hard_shrink": ([-F(1) / 2, F(1) / 2], [[0, 1], [0], [0, 1]]),
    "tanh_cubic": (
        [-3, -1, 1, 3],
        [
            [-1],
            [-F(19) / 100, F(81) / 100, F(27) / 100, F(3) / 100],
            [0, F(24) / 25, 0, -F(1) / 5],
            [F(19) / 100, F(81) / 100, -F(27) / 100, F(3) / 100],
            [1],
        ],
    ),
}


def hinges():
    """The sum of rectifiers of activations.gf."""
    places, weights = range(-7, 9), [1, -2, 3, -4, 5, -6, 7, -8, 9, -8, 7, -6, 5, -4, 3, -2]
    pieces, line = [[0]], [0, 0]
    for place, weight in zip(places, weights):
        line = [line[0] - weight * place, line[1] + weight]
        pieces.append(list(line))
    return list(places), pieces


FUNCTIONS["hinges"] = hinges()


def product(p, q):
    out = [F(0)] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return out


def at(p, x):
    value = F(0)
    for c in reversed(p):
        value = value * x + c
    return value


def slope(p):
    return [i * c for i, c in enumerate(p)][1:] or [F(0)]


def around(p, gamma, xi):
    """The coefficients of p(gamma + xi z) in z."""
    out = [F(0)]
    for c in reversed(p):
        out = product(out, [gamma, xi])[: len(p)]
        out[0] += c
    return out


def phi(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def truncated(a, b, count):
    """I_0 ... of the interval."""
    upper = lambda z: F(0) if z == inf else F(1) if z == -inf else erfc(z / sqrt(F(2))) / 2
    edge = lambda z, n: F(0) if abs(z) == inf else z**n * phi(z)
    values = [upper(a) - upper(b)]
    for n in range(1, count):
        before = (n - 1) * values[n - 2] if n > 1 else F(0)
        values.append(before + edge(a, n - 1) - edge(b, n - 1))
    return values


def moments(knots, pieces, gamma, xi2):
    """The seven quantities of the tables."""
    xi = sqrt(xi2)
    ends = [-inf] + [F(t) for t in knots] + [inf]
    sums = [[F(0)] * 3 for _ in range(3)]
    for p, a, b in zip(pieces, ends, ends[1:]):
        q = around([F(c) for c in p], gamma, xi)
        values = truncated((a - gamma) / xi, (b - gamma) / xi, 2 * len(q) + 3)
        power = [F(1)]
        for m in range(3):
            for j in range(3):
                sums[m][j] += sum(c * values[i + j] for i, c in enumerate(power))
            power = product(power, q)
    (_, mean, second), (_, mean_g, second_g) = ([s[j] for s in sums] for j in (0, 1))
    mean_v, second_v = ((sums[m][2] - sums[m][0]) / (2 * xi2) for m in (1, 2))
    mean_g, second_g = mean_g / xi, second_g / xi
    return [
        mean,
        second,
        second - mean * mean,
        mean_g,
        mean_v,
        second_g - 2 * mean * mean_g,
        second_v - 2 * mean * mean_v,
    ]


def scales(knots, pieces, gamma, xi2):
    """E|g|, E|g'| and E|g''|/2, jumps counted, to 6 digits."""
    with mp.workdps(15):
        xi = sqrt(xi2)
        out = []
        levels = [[[F(c) for c in p] for p in pieces]]
        for _ in range(2):
            levels.append([slope(p) for p in levels[-1]])
        ends = [-inf] + [F(t) for t in knots] + [inf]
        for functions in levels:
            total = F(0)
            for p, a, b in zip(functions, ends, ends[1:]):
                low, high = max(a, gamma - 12 * xi), min(b, gamma + 12 * xi)
                if low < high:
                    places = [low + (high - low) * i / 8 for i in range(9)]
                    weight = lambda u: abs(at(p, u)) * phi((u - gamma) / xi) / xi
                    total += quad(weight, places, maxdegree=5)
            out.append(total)
        for t, left, right in zip(knots, range(len(pieces)), range(1, len(pieces))):
            z = (t - gamma) / xi
            jump = abs(at(levels[0][right], t) - at(levels[0][left], t))
            kink = abs(at(levels[1][right], t) - at(levels[1][left], t))
            out[1] += jump * phi(z) / xi
            out[2] += (kink + jump * abs(z) / xi) * phi(z) / xi
        return [out[0], out[1], out[2] / 2]


def single(x):
    """The nearest number in single precision."""
    return struct.unpack("f", struct.pack("f", x))[0]


def points(knots, rng):
    """On and around knots, with small and large variances."""
    for i in range(60):
        xi2 = single(10 ** rng.uniform(-6, 3) if i % 2 else rng.uniform(0.05, 4))
        knot = float(rng.choice(knots))
        reach = rng.choice([0.0, 0.5, 2.0, 4.0, 8.0])
        yield single(knot + reach * rng.uniform(-1, 1) * xi2**0.5), xi2


def main():
    path = pathlib.Path(__file__).with_name("truth.csv")
    golden = path.parents[2] / "tests" / "golden" / "moments_f32.csv"
    header = golden.read_text().splitlines()[0]
    rng = random.Random(7)
    with path.open("w", newline="") as file:
        print(header, file=file)
        table = csv.writer(file, lineterminator="\n")
        for name, (knots, pieces) in FUNCTIONS.items():
            for gamma, xi2 in points(knots, rng):
                truth = moments(knots, pieces, F(gamma), F(xi2))
                scale = scales(knots, pieces, F(gamma), F(xi2))
                numbers = [nstr(v, 40) for v in truth] + [nstr(v, 6) for v in scale]
                table.writerow([name, repr(gamma), repr(xi2), *numbers])


main()
