def _tails(p, s, h, count):
    """h * R[n] for n < count, with R[n] = E[max(0, v - s)**n] / (n! phi(s)) for v ~ N(0, 1).

    Y[n-1] = (n + 1) Y[n+1] + s Y[n] has positive terms only. It starts from a rational fit, and
    R[n] = Y[n] / Y[-1].
    """
    upper, current = _horner(p.fit_p, s), _horner(p.fit_q, s)
    y = []
    for n in range(p.fit_start - 1, -1, -1):
        y.append(current)
        upper, current = current, s * current + (n + 1) * upper
    scale = h / current
    return [value * scale for value in y[: -count - 1 : -1]]
