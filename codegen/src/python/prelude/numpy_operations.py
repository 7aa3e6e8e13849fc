def _raise(x, n):
    """x * 2**n"""
    return np.ldexp(x, n.astype(np.int32))


def _larger(a, b):
    return np.maximum(a, b)


def _smaller(a, b):
    return np.minimum(a, b)
