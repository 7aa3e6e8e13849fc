def _contribution(p, panel, c, deviation, slopes):
    """The contribution of a panel on which the function may be curved."""
    c = _turned(p, panel, c)
    stretch = _stretch(p, panel, deviation)

    def by_rule(rule, panel, stretch, c):
        row, masses, places = _nodes(p, rule, panel, stretch)
        values = _rise(p, c, places)
        mass = xp.sum(masses, 0)
        middle, inverse = p.middle_of(mass, xp.sum(masses * values, 0))
        z = p.z_at(row, panel[1:3], stretch[2:4])
        zero = xp.zeros_like(values)
        nothing = (zero,) * 12
        if slopes:
            first, second = _derivatives(p, c, row[0] * p.pair_round(stretch[:2]))
            terms = p.around_with_slopes(nothing, masses, values - middle, z, first, second)
            around = [xp.sum(part, 0) for part in terms]
        else:
            terms = p.around_with(nothing, masses, values - middle, z, zero, zero)
            around = [xp.sum(part, 0) for part in terms[:2]] + [xp.zeros_like(mass)] * 10
        constant = _at(c, 0)
        return p.curved_contribution(panel, stretch[2:4], constant, mass, middle, inverse, around)

    return _by_rules(p, 16, by_rule, panel, stretch, c)


def _derivatives(p, c, w):
    """The first two derivatives of a polynomial."""
    zero, plain = xp.zeros_like(w), p.pair_round(c)

    def step(i, slopes):
        first, second = slopes
        j = _COUNT - 1 - i
        return first * w + j * plain[j], second * w + j * (j - 1) * plain[j]

    first, second = _loop(_COUNT - 2, step, (zero, zero))
    return first * w + plain[1], second
