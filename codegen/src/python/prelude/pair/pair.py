def _unit(p, gamma, xi2, knots, slopes):
    """A unit: its knots along the first axis, and the numbers of its expected slope."""
    columns = [_column(numbers, gamma) for numbers in knots]
    z, phi, kink, lost, right, *parts = p.knot(gamma, xi2, *columns)
    # The slope of the piece that gamma lies on.
    slope = xp.zeros_like(gamma) + slopes[0]
    for is_right, after in zip(right, slopes[1:]):
        slope = xp.where(is_right > 0.0, slope, after)
    return (z, phi, lost), (kink, columns[4]), (slope, *(part.sum(0) for part in parts))


def _rule(levels):
    """Nodes x from 0 to 1 with 1 - x and their weights; panels halve towards 1 so often."""
    if levels == 0:
        return _FEW
    rows = [(0.5 * x, 0.5 + 0.5 * rest, 0.5 * weight) for x, rest, weight in _HALF]
    for level in range(1, levels + 1):
        is_last = level == levels
        width = 0.5 ** (level if is_last else level + 1)
        after = 0.0 if is_last else width
        for x, rest, weight in _PANEL:
            rest = after + width * rest
            rows.append((1.0 - rest, rest, width * weight))
    return tuple(rows)


def _rules(levels):
    """The rules by the least and the largest 1 - |t|, t the end of the path."""
    least = [_LEAST * 0.5**level if level else _LEAST_OF_FEW for level in levels]
    least[-1] = 0.0
    return [(a, b, _rule(level)) for a, b, level in zip(least, [math.inf, *least], levels)]


def _pair_kernel(p, gamma, xi2, gamma_h, xi2_h, cov):
    """The covariance and its derivatives, for arrays of one shape."""
    bound = xp.sqrt(xi2) * xp.sqrt(xi2_h) * (1.0 + p.slack)
    valid = (xi2 >= 0.0) & (xi2_h >= 0.0) & (abs(cov) <= bound)
    valid = valid & (xi2 <= 1.0 / p.least) & (xi2_h <= 1.0 / p.least)
    valid = valid & xp.isfinite(gamma) & xp.isfinite(gamma_h)
    #: if one jumps
    at_rest, at_rest_h = xi2 <= 0.0, xi2_h <= 0.0
    #: end of jumps
    xi2, xi2_h = [xp.where(v > p.least, v, p.least) for v in (xi2, xi2_h)]
    knots, weights, slope = _unit(p, gamma, xi2, p.knots, _SLOPES)
    knots_h, weights_h, slope_h = _unit(p, gamma_h, xi2_h, p.knots_h, _SLOPES_H)
    path = p.path(xi2, xi2_h, cov)
    # The knots of g stand along the first axis, those of h along the second.
    knots, weights = [[part[:, None] for part in parts] for parts in (knots, weights)]
    knots_h, weights_h = [[part[None] for part in parts] for parts in (knots_h, weights_h)]
    a, b, square, product, density = p.meet(path[0], *knots, *knots_h)
    sums = _integral(p, path, square, product)
    left, right = (a, knots[2], *weights), (b, knots_h[2], *weights_h)
    terms = p.terms(*path, *left, *right, square, product, density, *sums)
    terms = [term.sum((0, 1)) for term in terms]
    results = p.covariance(xi2, xi2_h, path[0], *slope, *slope_h, *terms)
    value, d_gamma, d_gamma_h, d_xi2, d_xi2_h, d_cov = results
    nan = xp.zeros_like(gamma) + math.nan
    #: if one jumps
    # Infinite where a variance is 0 and the mean on a jump.
    on_jump = (at_rest & (slope[2] != 0.0)) | (at_rest_h & (slope_h[2] != 0.0))
    d_cov = xp.where(on_jump & (d_cov != 0.0), d_cov * math.inf, d_cov)
    #: end of jumps
    #: if both jump
    # Infinite where the correlation is 1 or -1 and jumps meet: a large number stands there.
    xi, xi_h = xp.sqrt(xi2), xp.sqrt(xi2_h)
    size = [a * deviation + b for (a, b), deviation in zip(_SIZES, (xi, xi_h))]
    meets = (path[1] <= p.least_rest) & (abs(d_cov) * xi * xi_h > 1e3 * size[0] * size[1])
    d_xi2, d_xi2_h, d_cov = [xp.where(meets, d * math.inf, d) for d in (d_xi2, d_xi2_h, d_cov)]
    #: end of jumps
    ordered = (value, d_gamma, d_xi2, d_gamma_h, d_xi2_h, d_cov)
    return tuple(xp.where(valid, result, nan) for result in ordered)
