def _word_add(p, a, b):
    """a + b of double words."""
    return p.word_add(a, b)


def _word_negate(p, a):
    """-a of double words."""
    return p.word_negate(a)


def _word_multiply(p, a, b):
    """a * b of double words."""
    return p.word_multiply(a, b)


def _word_divide(p, a, b):
    """a / b of double words."""
    return p.word_divide(a, b)
