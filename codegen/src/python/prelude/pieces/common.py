def _common(p, panel, lists, deviation):
    """The contribution of a panel to a covariance."""
    lists = [_turned(p, panel, c) for c in lists]
    stretch = _stretch(p, panel, deviation)

    def by_rule(rule, panel, stretch, *lists):
        _, masses, places = _nodes(p, rule, panel, stretch)
        first, second = [_rise(p, c, places) for c in lists]
        mass = xp.sum(masses, 0)
        middle, inverse = p.middle_of(mass, xp.sum(masses * first, 0))
        other = xp.sum(masses * second, 0) * inverse
        nothing = (xp.zeros_like(masses),) * 3
        terms = p.around_both(*nothing, masses, first, second, middle, other)
        around = [xp.sum(part, 0) for part in terms]
        constants = [_at(c, 0) for c in lists]
        middles = (middle, other, inverse)
        return p.common_of(panel, stretch[2:4], *constants, mass, middles, around)

    return _by_rules(p, 6, by_rule, panel, stretch, *lists)


def _tangent(p, t, rate, motion, gamma, xi2):
    """The derivatives of mean, second moment and variance in a parameter.

    `rate` is the derivative of the function at a fixed place, `motion` that of each knot.
    """
    zero = xp.zeros_like(gamma)
    deviation = p.deviation_of(xi2)

    def add(common, panel, lists, seen):
        more = _full(zero, _common(p, panel, lists, deviation))
        # One over the mass must not overflow.
        seen = seen & (more[0] > p.least)
        return _where(seen, _full(zero, p.join_common(common, more)), common)

    functions = (t.rows, rate)
    levels, _, common = _walk(
        p, t, functions, gamma, deviation, add, lambda state, i, end: state, (zero,) * 6
    )
    means = common[1:3], common[3:5]
    flux = (zero, zero)
    for i in range(t.count):
        speed = -_jump(t, i, 0) * motion[i]
        edge = p.end_at(gamma, _at(t.knots, i), deviation)[:6]
        left, right = [_at([part[row] for part in t.rows], 0) for row in (2 * i, 2 * i + 1)]
        moved = p.moved(flux, speed, edge, left, right, levels[0], means[0], deviation)
        flux = _where(speed != 0.0, moved, flux)
    unit = -p.density_exponent
    flux = tuple(_times_power(p, part, unit) for part in flux)
    product = _times_power(p, common[5] + common[5], unit)
    both = [p.total(level, mean) for level, mean in zip(levels, means)]
    results = p.tangent_results(*both, product, flux)
    # Without a variance nothing but the functions at gamma counts.
    value, slope = [p.total(level, (zero, zero)) for level in levels]
    return _where(xi2 == 0.0, (slope, 2.0 * value * slope, zero), results)
