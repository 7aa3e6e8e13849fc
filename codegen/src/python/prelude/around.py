def _polynomial_around(p, coefficients, knot, x):
    """The sum of c[j] * (x - knot)**j likewise."""
    return _polynomial(p, coefficients, *p.distance(x, knot))
