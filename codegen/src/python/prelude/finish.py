def _finish(gamma, xi2, results):
    """NaN where N(gamma, xi2) is no distribution."""
    valid = xp.isfinite(gamma) & xp.isfinite(xi2) & (xi2 >= 0.0)
    nan = xp.zeros_like(gamma) + math.nan
    return tuple(xp.where(valid, result, nan) for result in results)
