def _table(p, values, like):
    return np.asarray(values)


def _matmul(a, b):
    return a @ b
