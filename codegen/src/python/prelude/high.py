def _high_start(p, m, s):
    """E[max(0, v - s)**(m-1)] / E[max(0, v - s)**m] * m as a double word: Liouville-Green."""
    square, square_low = _two_product(p, s, s)
    radicand, radicand_low = _two_sum(square, 4.0 * m)
    root = xp.sqrt(radicand)
    back, back_low = _two_product(p, root, root)
    rest = ((radicand - back) - back_low) + (radicand_low + square_low)
    root_low = 0.5 * rest / root
    ratio, step = s / root, 1.0 / radicand
    later = xp.zeros_like(s)
    for q in _SERIES[:0:-1]:
        later = (later + _horner(q, ratio)) * step
    total, total_low = _two_sum(s, root)
    return _fast_two_sum(0.5 * total, 0.5 * (total_low + root_low) + root * later)


def _tails(p, s, h, count):
    """h * R[n] for n < count, with R[n] = E[max(0, v - s)**n] / (n! phi(s)) for v ~ N(0, 1).

    Y[n-1] = (n + 1) Y[n+1] + s Y[n] has positive terms only. It starts from an asymptotic series at
    a high order; rounding errors are carried along, and R[n] = Y[n] / Y[-1].
    """
    m = max(_LOWEST_START, count)
    zero = xp.zeros_like(s)

    def step(n, state):
        upper, upper_low, current, current_low = state
        factor = zero + (n + 1.0)
        a, a_low = _two_product(p, factor, upper)
        b, b_low = _two_product(p, s, current)
        total, total_low = _two_sum(a, b)
        carried = factor * upper_low + s * current_low
        return current, current_low, total, carried + ((a_low + b_low) + total_low)

    first, first_low = _high_start(p, m, s)
    state = (zero + p.high_scale, zero, first * p.high_scale, first_low * p.high_scale)
    state = _repeat(step, state, m - 1, count - 1)
    y = []
    for n in range(count - 1, -1, -1):
        y.append(state[2] + state[3])
        state = step(n, state)
    scale = h / (state[2] + state[3])
    return [value * scale for value in y[::-1]]
