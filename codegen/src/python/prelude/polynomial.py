def _polynomial(p, coefficients, x, x_low=0.0):
    """The sum of c[j] * x**j for double words c[j], in double words, rounded once."""
    high = xp.zeros_like(x) + coefficients[-1][0]
    low = xp.zeros_like(x) + coefficients[-1][1]
    plain = high
    for c, c_low in coefficients[-2::-1]:
        product, product_low = _two_product(p, high, x)
        total, total_low = _two_sum(product, c)
        error = (product_low + (low * x + high * x_low)) + (total_low + c_low)
        high, low = _fast_two_sum(total, error)
        plain = plain * x + c
    # Where a splitting overflows, what Horner's rule gives.
    return xp.where(abs(high) <= p.largest, high, plain)
