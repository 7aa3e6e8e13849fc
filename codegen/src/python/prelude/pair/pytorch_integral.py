# So many numbers at a time, of some nodes or of one.
_SIZE = 65536


def _column(numbers, like):
    """Numbers along the first axis."""
    column = torch.tensor(numbers, dtype=like.dtype, device=like.device)
    return column.reshape(-1, *[1] * like.ndim)


def _at_nodes(p, rows, path, square, product, count):
    """The sums over the nodes of a rule, so many nodes at a time."""
    sums = torch.zeros(_SUMS, *square.shape, dtype=square.dtype, device=square.device)
    for start in range(0, len(rows), count):
        nodes = [_column(numbers, square) for numbers in zip(*rows[start : start + count])]
        sums = sums + torch.stack(p.node(*path, *nodes, square, product)).sum(1)
    return sums


def _integral(p, path, square, product):
    """The sums over the nodes, of which each element has as many as its correlation needs."""
    shape = square.shape
    path = [part.reshape(-1) for part in path]
    square, product = [part.reshape(*shape[:2], path[3].numel()) for part in (square, product)]
    sums = torch.zeros(_SUMS, *square.shape, dtype=square.dtype, device=square.device)
    for least, most, rows in p.rules:
        here = (least <= path[3]) & (path[3] < most)
        if torch.compiler.is_compiling():
            # A compiler makes one loop of all nodes.
            total = _at_nodes(p, rows, path, square, product, len(rows))
            sums = torch.where(here, total, sums)
            continue
        at = here.nonzero()[:, 0]
        if at.numel() > 0:
            parts = [part[..., at] for part in (*path, square, product)]
            count = max(1, _SIZE // max(1, parts[4].numel()))
            sums[..., at] = _at_nodes(p, rows, parts[:4], *parts[4:], count)
    return sums.reshape(_SUMS, *shape)
