def _column(numbers, like):
    """Numbers along the first axis."""
    return np.asarray(numbers, np.float64).reshape(-1, *[1] * like.ndim)


def _integral(p, path, square, product):
    """The sums over the nodes, of which each element has as many as its correlation needs."""
    sums = np.zeros((_SUMS, *np.broadcast_shapes(square.shape, path[3].shape)))
    for least, most, rows in p.rules:
        (at,) = np.nonzero((least <= path[3]) & (path[3] < most))
        if at.size == 0:
            continue
        parts = [part[..., at] for part in (*path, square, product)]
        total = 0.0
        for x, rest, weight in rows:
            total = total + np.stack(p.node(*parts[:4], x, rest, weight, *parts[4:]))
        sums[..., at] = total
    return sums
