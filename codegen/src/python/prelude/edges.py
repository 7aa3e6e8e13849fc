def _deviation(p, xi2):
    """xi, 1 / xi, and what the root's rounding lost: the true root is xi * (1 + lost)."""
    xi = xp.sqrt(xi2)
    inverse = 1.0 / xi
    one = xp.zeros_like(xi2) + 1.0
    # Very small and very large variances are scaled before their root is taken apart.
    scale = xp.where(xi2 > p.large_variance, one / p.rescale, one)
    scale = xp.where(xi2 < p.small_variance, one * p.rescale, scale)
    square, error = _two_product(p, xi * scale, xi * scale)
    residual = (xi2 * scale * scale - square) - error
    lost = 0.5 * (residual * (inverse / scale)) * (inverse / scale)
    lost = xp.where(abs(lost) <= 1.0, lost, 0.0)
    return xi, xp.where(xi2 == 0.0, p.inverse_at_rest, inverse), lost


def _edges(p, gamma, knots, xi, inverse, lost):
    """The knots seen from gamma, each along the first axis.

    z = (knot - gamma) / xi with its sign, s = abs(z) up to a cut-off, and h = phi(s) in units of
    p.unit, which is 0 beyond it. A relative error d of s is one of s**2 * d in h, so the distance,
    its quotient and its square are carried as double words.
    """
    words = [_two_sum(knot[0], -gamma) for knot in knots]
    rests = xp.stack([error + knot[2] for (_, error), knot in zip(words, knots)])
    # Where gamma is the number next to a knot, the words below are the whole difference.
    words = [_fast_two_sum(d, knot[1]) for (d, _), knot in zip(words, knots)]
    d = xp.stack([high for high, _ in words])
    d_low = xp.stack([low for _, low in words]) + rests
    quotient = _rounded(d * inverse)
    near = abs(quotient) <= p.farthest
    product, product_low = _two_product(p, quotient, xi)
    residual = ((d - product) - product_low) + d_low
    correction = _rounded(residual * inverse) - _rounded(quotient * lost)
    correction = xp.where(abs(correction) <= 1.0, correction, 0.0)
    z, z_low = _fast_two_sum(quotient, correction)
    square, square_low = _two_product(p, z, z)
    rest = 0.25 * (2.0 * (z * z_low) + square_low)
    root = xp.exp(-0.25 * square) * (p.root_density - p.root_density * rest)
    # For xi = 0 every knot is infinitely far away.
    resting = xi == 0.0
    side = xp.where(d > 0.0, xp.zeros_like(d) + math.inf, -math.inf)
    z = xp.where(resting, side, xp.where(near, z, quotient))
    s = xp.where(near & ~resting, abs(z), p.farthest)
    return z, s, xp.where(near & ~resting, root * root, 0.0)
