def _polynomial_around(p, coefficients, knot, x):
    """The sum of c[j] * (x - knot)**j likewise."""
    difference, error = _two_sum(x, -knot[0])
    high, low = _fast_two_sum(difference, error - knot[1])
    return _polynomial(p, coefficients, high, low)
