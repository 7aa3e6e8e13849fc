def _polynomial_around(p, coefficients, knot, x):
    """The sum of c[j] * (x - knot)**j for double words c[j], in double words, rounded once."""
    return _polynomial(p, coefficients, *p.distance(x, knot))
