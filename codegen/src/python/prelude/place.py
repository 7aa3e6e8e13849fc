def _is_below(x, knot):
    """Where x < knot; the low word decides where x is the nearest number."""
    return (x < knot[0]) | ((x == knot[0]) & (knot[1] > 0.0))


def _is_on(x, knot):
    """Where x = knot."""
    return (x == knot[0]) & (knot[1] == 0.0)
