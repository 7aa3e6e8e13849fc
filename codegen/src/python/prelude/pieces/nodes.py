def _rise(p, c, w):
    """A polynomial less its constant, in the distance from its place in two words."""
    zero = xp.zeros_like(w[0])
    if _COUNT <= _CANCELS_FROM:
        x, plain = p.pair_round(w), p.pair_round(c)
        value = _loop(_COUNT - 2, lambda i, v: v * x + plain[_COUNT - 2 - i], zero + plain[-1])
        return value * x

    def step(i, value):
        return p.pair_add(p.pair_mul(value, w), _at(c, _COUNT - 2 - i))

    value = _loop(_COUNT - 2, step, _full(zero, _at(c, -1)))
    return p.pair_round(p.pair_mul(value, w))


def _turned(p, panel, c):
    """A polynomial in the direction of a panel."""
    sign = xp.where(panel[0], -1.0, xp.ones_like(panel[3]))
    odd = _table(p, [float(j % 2) for j in range(_COUNT)], sign)
    turn = xp.where(odd > 0.0, sign, 1.0)
    return tuple(part * turn for part in c)


def _stretch(p, panel, deviation):
    """How far a panel is integrated."""
    most = xp.zeros_like(panel[3]) + _TWICE_ALL
    return _full(xp.zeros_like(most), p.stretch_of(most, panel, deviation))


def _nodes(p, rule, panel, stretch):
    """The nodes of a rule along the first axis with weights, their mass, and how far they are."""
    (node, low), weights, _ = rule
    row = tuple(_table(p, part, panel[3]) for part in (node, low, weights))
    mass = p.mass_at(row, panel[1:3], stretch[2:4])
    return row, mass, p.place_at(row, stretch[:2])
