def _triple(high, middle, low):
    """The sum of words as one, the first being larger than the others together."""
    middle, low = _two_sum(middle, low)
    high, middle = _fast_two_sum(high, middle)
    return high, *_fast_two_sum(middle, low)


def _triple_add(p, a, b):
    """a + b of triple words (high, middle, low), to three times the precision."""
    high, rest = _two_sum(a[0], b[0])
    middle, lower = _two_sum(a[1], b[1])
    low, lowest = _two_sum(a[2], b[2])
    middle, rest = _two_sum(middle, rest)
    low, lower = _two_sum(low, lower)
    low, rest = _two_sum(low, rest)
    words = [high, middle, low, (lower + lowest) + rest]
    # A sweep is exact, and so many order what has cancelled.
    for _ in range(3):
        for i in range(3, 0, -1):
            words[i - 1], words[i] = _two_sum(words[i - 1], words[i])
    return tuple(words[:3])


def _triple_negate(p, a):
    """-a of a triple word."""
    return -a[0], -a[1], -a[2]


def _triple_multiply(p, a, b):
    """a * b of triple words."""
    product, low = _two_product(p, a[0], b[0])
    left, left_low = _two_product(p, a[0], b[1])
    right, right_low = _two_product(p, a[1], b[0])
    middle, lower = _two_sum(left, right)
    middle, rest = _two_sum(middle, low)
    cross = _rounded(a[1] * b[1]) + (_rounded(a[0] * b[2]) + _rounded(a[2] * b[0]))
    return _triple(product, middle, ((left_low + right_low) + (lower + rest)) + cross)


def _triple_divide(p, a, b):
    """a / b of triple words."""
    first = _rounded(a[0] / b[0])
    product, low = _two_product(p, first, b[0])
    further, further_low = _two_product(p, first, b[1])
    middle, lower = _two_sum(a[1], -further)
    # The first difference is exact, as the remainder of a quotient is.
    rest, lowest = _two_sum((a[0] - product) - low, middle)
    cross = (a[2] - further_low) - _rounded(first * b[2])
    rest, lower = _two_sum(rest, (lower + lowest) + cross)
    second = _rounded(rest / b[0])
    product, low = _two_product(p, second, b[0])
    rest = ((rest - product) - low) + (lower - _rounded(second * b[1]))
    return _triple(first, second, rest / b[0])
