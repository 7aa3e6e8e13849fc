def _two_sum(a, b):
    """a + b and its rounding error."""
    total = _rounded(a + b)
    b_part = _rounded(total - a)
    a_part = _rounded(total - b_part)
    return total, (a - a_part) + (b - b_part)


def _fast_two_sum(a, b):
    """a + b and its rounding error, for abs(a) >= abs(b) or a = 0."""
    total = _rounded(a + b)
    return total, b - _rounded(total - a)


def _split(p, a):
    """a = high + low, each with half of the bits."""
    scaled = _rounded(p.splitter * a)
    high = _rounded(scaled - _rounded(scaled - a))
    return high, a - high


def _two_product(p, a, b):
    """a * b and its rounding error."""
    product = _rounded(a * b)
    a_high, a_low = _split(p, a)
    b_high, b_low = (a_high, a_low) if b is a else _split(p, b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
