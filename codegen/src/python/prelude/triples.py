def _triple(words):
    """The sum of any words in three: a sweep is exact and moves what cancels to the end."""
    for _ in words[1:]:
        for i in range(len(words) - 1, 0, -1):
            words[i - 1], words[i] = _two_sum(words[i - 1], words[i])
    return tuple(words[:3])


def _triple_add(p, a, b):
    """a + b of triple words (high, middle, low), to three times the precision."""
    return _triple([a[0], b[0], a[1], b[1], a[2], b[2]])


def _triple_negate(p, a):
    """-a of a triple word."""
    return -a[0], -a[1], -a[2]


def _triple_multiply(p, a, b):
    """a * b of triple words."""
    product, low = _two_product(p, a[0], b[0])
    left, left_low = _two_product(p, a[0], b[1])
    right, right_low = _two_product(p, a[1], b[0])
    outer = _rounded(a[0] * b[2]) + _rounded(a[2] * b[0])
    rest = (left_low + right_low) + (_rounded(a[1] * b[1]) + outer)
    return _triple([product, low, left, right, rest])


def _triple_divide(p, a, b):
    """a / b of triple words."""
    first = _rounded(a[0] / b[0])
    product, low = _two_product(p, first, b[0])
    following, following_low = _two_product(p, first, b[1])
    # Exact, as the remainder of a quotient is.
    rest = (a[0] - product) - low
    lower = (a[2] - following_low) - _rounded(first * b[2])
    rest = _triple([rest, a[1], -following, lower])
    second = _rounded(rest[0] / b[0])
    product, low = _two_product(p, second, b[0])
    rest = ((rest[0] - product) - low) + (rest[1] - _rounded(second * b[1]))
    return _triple([first, second, rest / b[0]])
