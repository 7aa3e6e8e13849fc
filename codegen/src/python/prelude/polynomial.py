def _polynomial(p, coefficients, x, x_low=0.0):
    """The sum of c[j] * x**j for double words c[j], in double words, rounded once."""
    value = tuple(xp.zeros_like(x) + word for word in coefficients[-1])
    plain = value[0]
    for word in coefficients[-2::-1]:
        value = p.polynomial_step(value, (x, x_low), word)
        plain = plain * x + word[0]
    # Where a splitting overflows, what Horner's rule gives.
    return xp.where(abs(value[0]) <= p.largest, value[0], plain)
