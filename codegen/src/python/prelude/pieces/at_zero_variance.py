def _at_zero_variance(p, t, gamma, xi2, results):
    """With the limits on knots for xi2 = 0."""
    limits = _table(p, _LIMITS, gamma)

    def knot(i, results):
        at = (xi2 == 0.0) & _is_on(gamma, _at(t.knots, i))
        return _where(at, [limits[i][k] for k in range(len(results))], results)

    return _loop(t.count, knot, results)
