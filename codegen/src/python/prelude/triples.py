def _triple_add(p, a, b):
    """a + b of triple words."""
    return p.triple_add(a, b)


def _triple_negate(p, a):
    """-a of triple words."""
    return p.triple_negate(a)


def _triple_multiply(p, a, b):
    """a * b of triple words."""
    return p.triple_multiply(a, b)


def _triple_divide(p, a, b):
    """a / b of triple words."""
    return p.triple_divide(a, b)
