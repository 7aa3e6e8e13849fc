def _strip(p, piece, narrow, z, h, width, inverse):
    """The integrals of tau**k, k < 5, over a bounded straight piece, tau from -1 to 1 over it.

    They are less a scale and phi at the edge that is nearer to gamma. Then the middle of the piece
    and half its width, in units of xi, the scale, and phi at that edge, in units of p.unit, which
    is 0 where the piece is not narrow. The density is exp(-y * tau - square * tau**2 / 2) but for
    the scale, expanded in powers of y; the integrals of even powers against the rest follow from
    each other by integration by parts.
    """
    narrow, left, right = narrow[piece], z[piece], z[piece + 1]
    from_left = left + right >= 0.0
    edge = xp.where(narrow, xp.where(from_left, h[piece], h[piece + 1]), 0.0)
    half = xp.where(edge > 0.0, 0.5 * width * inverse, 0.0)
    middle = xp.where(edge > 0.0, 0.5 * (left + right), 0.0)
    y, square = middle * half, half * half
    moments = [p.inverse_factorials[-1]]
    for first in reversed(p.inverse_factorials[:-1]):
        moments.insert(0, first + square * moments[0])

    def series(j):
        total = moments[p.powers_last[j] + j]
        for m in range(p.powers_last[j], 0, -1):
            total = moments[m - 1 + j] + y * y * (0.5 / m) * total
        return total

    f = [series(j) for j in range(5)]
    odd = 3.0 * f[2] + y * y * f[3]
    last = 3.0 * f[2] + y * y * (6.0 * f[3] + y * y * f[4])
    powers = [f[0], -y * f[1], f[1] + y * y * f[2], -y * odd, last]
    return powers, middle, half, 2.0 * half * xp.exp(-abs(y)), edge


def _integrals(strip):
    """The integrals of 1 and tau, or of 1, over the piece."""
    powers, _, _, scale, edge = strip
    return [edge * (scale * value) for value in powers[:_BASIS]]


def _line(coefficients):
    """The middle and half the rise of a straight line."""
    middle, rise = coefficients if len(coefficients) > 1 else (coefficients[0], 0.0)
    return middle, rise


def _products(strip, a, b, less, count):
    """The integrals of A * B, and of A * (B - less) * He_k((u - gamma) / xi) for 0 < k < count.

    A and B are straight lines on the piece, by their coefficients; count is 1 or 3.
    """
    powers, z, half, scale, edge = strip
    (a, a_slope), (b, b_slope) = _line(a), _line(b)

    def product(b, k):
        even = b * powers[k] + b_slope * powers[k + 1]
        odd = b * powers[k + 1] + b_slope * powers[k + 2]
        return a * even + a_slope * odd

    sums = [product(b, 0)]
    if count > 1:
        p0, p1, p2 = [product(b - less, k) for k in range(3)]
        sums.append(z * p0 + half * p1)
        sums.append((z * z - 1.0) * p0 + half * (half * p2 + 2.0 * z * p1))
    return [edge * (scale * value) for value in sums]
