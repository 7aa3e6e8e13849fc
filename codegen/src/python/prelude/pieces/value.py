def _value_by_table(p, t, x):
    """The function itself."""
    zero = xp.zeros_like(x)

    def count(i, piece):
        return piece + xp.where(_is_below(x, _at(t.knots, i)), zero, 1.0)

    piece = _loop(t.count, count, zero)

    def size(place):
        return abs(x - place[0])

    place, (c,) = _nearest(t.count, t.places, t.pieces, t.knots, (t.rows,), piece, size, x)
    distance = p.triple_add((x, zero, zero), p.triple_negate(place))

    # The terms start where a coefficient is not 0, so that a distance may be infinite.
    def step(i, sums):
        value, plain = sums
        high, low = _at(c, _COUNT - 2 - i)
        added = p.triple_add(p.triple_multiply(value, distance), (high, low, zero))
        value = _where(value[0] == 0.0, (high, low, zero), added)
        return value, xp.where(plain == 0.0, high, plain * (x - place[0]) + high)

    start = (c[0][-1], c[1][-1], zero)
    value, plain = _loop(_COUNT - 1, step, (start, start[0]))
    # Where a splitting overflows, what Horner's rule gives.
    value = _times_power(p, xp.where(abs(value[0]) <= p.largest, value[0], plain), _EXPONENT)
    values = _table(p, _VALUES, x)
    return _loop(t.count, lambda i, v: xp.where(_is_on(x, _at(t.knots, i)), values[i], v), value)
