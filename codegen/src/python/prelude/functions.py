def _finish(gamma, xi2, results):
    """NaN where N(gamma, xi2) is no distribution."""
    valid = xp.isfinite(gamma) & xp.isfinite(xi2) & (xi2 >= 0.0)
    nan = xp.zeros_like(gamma) + math.nan
    return tuple(xp.where(valid, result, nan) for result in results)


def _where(mask, new, old):
    return tuple(xp.where(mask, a, b) for a, b in zip(new, old))


def _pick(p, double, single):
    """The words of a constant for a precision."""
    return double if p is _F64 else single


def _lift(like, word):
    """A constant as arrays."""
    return tuple(xp.zeros_like(like) + part for part in word)


def _is_below(x, knot):
    """Where x < knot; the low word decides where x is the nearest number."""
    return (x < knot[0]) | ((x == knot[0]) & (knot[1] > 0.0))


def _is_on(x, knot):
    """Where x = knot."""
    return (x == knot[0]) & (knot[1] == 0.0)
