def _word_add(p, a, b):
    """a + b of double words (high, low), to twice the precision."""
    total, total_low = _two_sum(a[0], b[0])
    lower, lowest = _two_sum(a[1], b[1])
    high, low = _fast_two_sum(total, total_low + lower)
    return _fast_two_sum(high, lowest + low)


def _word_negate(p, a):
    """-a of a double word."""
    return -a[0], -a[1]


def _word_multiply(p, a, b):
    """a * b of double words."""
    product, low = _two_product(p, a[0], b[0])
    return _fast_two_sum(product, low + (_rounded(a[0] * b[1]) + _rounded(a[1] * b[0])))


def _word_divide(p, a, b):
    """a / b of double words."""
    quotient = _rounded(a[0] / b[0])
    back = _word_multiply(p, b, (quotient, xp.zeros_like(quotient)))
    return _fast_two_sum(quotient, ((a[0] - back[0]) + (a[1] - back[1])) / b[0])
