"""Second derivatives of mean and variance, in as many digits as it takes: `python hessian.py > hessian.csv`.

A derivative in gamma of an expectation of f(u) is one with the next Hermite polynomial in z over xi, and a derivative in xi2 is
half of two in gamma. Those of the variance E[g^2] - E[g]^2 follow by the rules of differentiation, and cancel.
"""

import mpmath as mp
from conditional import FUNCTIONS, INF, in_z, integrals, number, product, quoted
from conditional import digits as digits_of

POINTS = [
    (0.0, 1.0),
    (0.7, 0.3),
    (-5.0, 1.0),
    (1.0, 1e-4),
    (3.0, 1e-6),
    (2.5, 400.0),
    (-30.0, 1.0),
    (0.01, 1e6),
    (-1e3, 25.0),
]

HERMITE = [[1], [0, 1], [-1, 0, 1], [0, -3, 0, 1], [3, 0, -6, 0, 1]]

NAMES = [
    f"d2{moment}_{by}"
    for moment in ("mean", "variance")
    for by in ("dgamma2", "dgamma_dxi2", "dxi22")
]


def hessian(pieces, gamma, xi2):
    line = [(-INF, INF)]
    mp.mp.dps = 40 + 2 * digits_of(pieces, line, gamma, xi2)
    most = max(abs(number(c)) for _, _, coefficients in pieces for c in coefficients)
    mp.mp.dps += int(4 * mp.log10(2 + most + abs(gamma)))
    gamma, xi2 = mp.mpf(gamma), mp.mpf(xi2)
    xi = mp.sqrt(xi2)
    parts = []
    for left, right, coefficients in pieces:
        a, b = ((number(end) - gamma) / xi for end in (left, right))
        polynomial = in_z(coefficients, gamma, xi)
        parts.append((polynomial, integrals(a, b, 2 * len(polynomial) + 6)))

    def expectation(power, n):
        total = mp.mpf(0)
        for polynomial, moments in parts:
            p = HERMITE[n]
            for _ in range(power):
                p = product(p, polynomial)
            total += sum(c * m for c, m in zip(p, moments, strict=False))
        return total / xi**n

    m = [expectation(1, n) for n in range(5)]
    s = [expectation(2, n) for n in range(5)]
    by_xi2, second = m[2] / 2, s[2] / 2
    variance = s[0] - m[0] ** 2
    values = [
        m[2],
        m[3] / 2,
        m[4] / 4,
        s[2] - 2 * m[0] * m[2] - 2 * m[1] ** 2,
        s[3] / 2 - m[0] * m[3] - 2 * m[1] * by_xi2,
        s[4] / 4 - m[0] * m[4] / 2 - 2 * by_xi2**2,
    ]
    deviation = mp.sqrt(variance)
    size = [1 / xi2, 1 / xi**3, 1 / xi2**2]
    scales = [max(abs(v), deviation * w) for v, w in zip(values[:3], size, strict=True)]
    scales += [max(abs(v), variance * w) for v, w in zip(values[3:], size, strict=True)]
    return values, scales


def main():
    names = [f"{name}{end}" for name in NAMES for end in ("", "_scale")]
    print(",".join(["function", "gamma", "xi2", *names]))
    for text, pieces in FUNCTIONS.items():
        for gamma, xi2 in POINTS:
            values, scales = hessian(pieces, gamma, xi2)
            pairs = zip(values, scales, strict=True)
            numbers = [digits for x, y in pairs for digits in (mp.nstr(x, 18), mp.nstr(y, 3))]
            print(",".join([quoted(text), repr(gamma), repr(xi2), *numbers]))


main()
