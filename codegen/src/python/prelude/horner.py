def _horner(coefficients, x):
    """The sum of c[j] * x**j."""
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total
