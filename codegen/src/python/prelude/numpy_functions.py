def _raise(x, n):
    """x * 2**n"""
    return np.ldexp(x, n.astype(np.int32))


def _larger(a, b):
    return np.maximum(a, b)


def _smaller(a, b):
    return np.minimum(a, b)


def _table(p, rows, like):
    """Rows of numbers along the first axis; the others broadcast with those of an array."""
    table = np.asarray(rows)
    return table.reshape(*table.shape, *[1] * like.ndim)


def _any(mask):
    """Whether there is something to do."""
    return mask.any()


def _by_rules(p, count, by_rule, panel, stretch, *lists):
    """Results by rules, each for the elements that take it."""
    left = p.pair_round(panel[3:5]) > p.least
    results = np.zeros((count, *left.shape))
    for rule in p.numbers.rules:
        here = left & (stretch[4] <= rule[2])
        left &= ~here
        if here.any():
            records = (panel, stretch, *lists)
            inputs = [tuple(part[..., here] for part in record) for record in records]
            for row, result in zip(results, by_rule(rule, *inputs)):
                row[here] = result
    return tuple(results)
