def _strip(p, piece, narrow, z, h, width, inverse):
    """The integrals of tau**k, k < 5, over a bounded straight piece, tau from -1 to 1 over it.

    They are less half the width in units of xi and phi at the edge that is nearer to gamma. Then
    the middle of the piece and half its width, and sqrt(phi) at that edge, which is 0 where the
    piece is not narrow. Integration by parts gives each integral from the two above it: backwards
    that divides the error of the start.
    """
    narrow, left, right = narrow[piece], z[piece], z[piece + 1]
    from_left = left + right >= 0.0
    edge = xp.where(narrow, xp.where(from_left, h[piece], h[piece + 1]), 0.0)
    half = xp.where(edge > 0.0, 0.5 * width * inverse, 0.0)
    middle = xp.where(edge > 0.0, 0.5 * (left + right), 0.0)
    # From the nearer edge on, so that the density falls.
    y, square = abs(middle) * half, half * half
    fall = xp.expm1(-2.0 * y)
    ends = fall, fall + 2.0
    start = p.powers_start
    above = ends[(start + 1) % 2]
    upper = ends[start % 2] * (1.0 / (start + 2))
    current = (above + y * upper + square * above * (1.0 / (start + 3))) * (1.0 / (start + 1))
    integrals = {}
    for k in range(start, 0, -1):
        upper, current = current, (ends[k % 2] + square * upper + y * current) * (1.0 / k)
        if k <= 5:
            integrals[k - 1] = current
    powers = [xp.where(from_left, integrals[k], (-1) ** k * integrals[k]) for k in range(5)]
    return powers, middle, half, edge


def _integrals(strip):
    """The integrals of 1 - x and x, or of 1, with x from 0 to 1 over the piece."""
    powers, _, half, edge = strip
    even, odd = powers[:2]
    sums = [even] if _BASIS == 1 else [0.5 * (even - odd), 0.5 * (even + odd)]
    return [edge * (edge * (half * value)) for value in sums]


def _line(ends):
    """The middle and half the rise of a straight line by its ends."""
    if len(ends) == 1:
        return ends[0], 0.0
    return 0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0])


def _products(strip, a, b, less, count):
    """The integrals of A * B, and of A * (B - less) * He_k((u - gamma) / xi) for 0 < k < count.

    A and B are straight lines on the piece, by their ends; count is 1 or 3.
    """
    powers, z, half, edge = strip
    (a, a_slope), (b, b_slope) = _line(a), _line(b)

    def product(b, k):
        linear = a * b_slope + b * a_slope
        return a * b * powers[k] + (linear * powers[k + 1] + a_slope * b_slope * powers[k + 2])

    sums = [product(b, 0)]
    if count > 1:
        p0, p1, p2 = [product(b - less, k) for k in range(3)]
        sums.append(z * p0 + half * p1)
        sums.append((z * z - 1.0) * p0 + half * (half * p2 + 2.0 * z * p1))
    return [edge * (edge * (half * value)) for value in sums]
