def _sum(p, t, gamma, xi2, slopes):
    """Mean and variance, or with their derivatives."""
    zero = xp.zeros_like(gamma)
    deviation = p.deviation_of(xi2)

    def add(state, panel, lists, seen):
        contribution, flux = state
        join = p.join_slopes if slopes else p.join
        more = _full(zero, _contribution(p, panel, lists[0], deviation, slopes))
        # One over the mass must not overflow.
        seen = seen & (p.pair_round(more[:2]) > p.least)
        return _where(seen, _full(zero, join(contribution, more)), contribution), flux

    def pass_knot(state, i, end):
        if not slopes:
            return state
        contribution, flux = state
        jump, bend = [_jump(t, i, order) for order in (0, 1)]
        added = p.flux_with(flux, end[:6], zero + jump, zero + bend, deviation)
        return contribution, _where((jump != 0.0) | (bend != 0.0), added, flux)

    state = ((zero,) * 16, (zero,) * 4)
    functions = (t.rows,)
    levels, own, (contribution, flux) = _walk(
        p, t, functions, gamma, deviation, add, pass_knot, state
    )
    finish = p.sum_results_slopes if slopes else p.sum_results
    results = finish(contribution, levels[0], flux, deviation, zero + _CANCELS)
    unit = -p.density_exponent
    units = [0, unit, unit, unit, unit, unit]
    results = tuple(_times_power(p, *pair) for pair in zip(results, units))
    # Without a variance nothing but the function around gamma counts.
    first = p.pair_round(_at(own[0], 1))
    second = p.pair_round(_at(own[0], 2)) if _COUNT > 2 else zero
    at_zero_variance = (p.total(levels[0], (zero, zero)), zero, first, second, zero, first * first)
    results = _where(xi2 == 0.0, at_zero_variance, results)
    powers = [_EXPONENT * power for power in (1, 2, 1, 1, 2, 2)]
    return tuple(_times_power(p, *pair) for pair in zip(results, powers))[: 6 if slopes else 2]
