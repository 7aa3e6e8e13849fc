def _at(words, i):
    """One of several numbers in words."""
    return tuple(part[i] for part in words)


def _full(zero, record):
    """Numbers as arrays of one shape."""
    return tuple(zero + part for part in record)


def _times_power(p, x, exponent):
    """x * 2**exponent"""
    while exponent:
        step = max(-p.most_exponent, min(p.most_exponent, exponent))
        x = x * 2.0**step
        exponent -= step
    return x


def _nearest(count, places, pieces, knots, functions, piece, size, like):
    """The place around which each piece is given that is nearest, and its polynomials around it.

    `size` is how far a place is. A polynomial is its coefficients along the first axis, in words.
    """
    zero = xp.zeros_like(like)

    def offer(nearest, is_here, place, row):
        distance, words, own = nearest
        far = size(place)
        mask = is_here & ~(far >= distance)
        own = tuple(_where(mask, _at(rows, row), old) for rows, old in zip(functions, own))
        return xp.where(mask, far, distance), _where(mask, place, words), own

    def knot(i, nearest):
        nearest = offer(nearest, piece == i, _at(knots, i), 2 * i)
        return offer(nearest, piece == i + 1, _at(knots, i), 2 * i + 1)

    def center(i, nearest):
        return offer(nearest, piece == pieces[i], _at(places, i), 2 * count + 2 + i)

    own = tuple(_full(zero, [xp.zeros_like(part[0]) for part in rows]) for rows in functions)
    # Not even infinity is nearer than the first place.
    nearest = (zero + math.nan, (zero, zero, zero), own)
    nearest = _loop(count, knot, nearest)
    return _loop(len(pieces), center, nearest)[1:]


def _expand(p, t, functions, gamma):
    """The values of functions at gamma in two parts, and their pieces around gamma less these."""
    zero = xp.zeros_like(gamma)

    def displacement(place):
        return p.pair_round(p.displacement(gamma, place))

    def count(i, piece):
        return piece + xp.where(displacement(_at(t.knots, i)) > 0.0, zero, 1.0)

    piece = _loop(t.count, count, zero)
    place, own = _nearest(
        t.count,
        t.places,
        t.pieces,
        t.knots,
        functions,
        piece,
        lambda place: abs(displacement(place)),
        gamma,
    )
    start = p.pair_neg(p.displacement(gamma, place))
    levels, polynomials = [], []
    for words in own:
        value = _at(words, 0)
        c = tuple(xp.concatenate([zero[None], part[1:]]) for part in words)
        nothing = xp.zeros_like(c[0][1:])

        # Horner's rule for all coefficients around gamma at once.
        def step(i, sums):
            j = _COUNT - 2 - i
            moved = tuple(xp.concatenate([a[j][None], b[:-1]]) for a, b in zip(c, sums))
            return tuple(p.shift_step(moved, sums, start))

        sums = tuple(xp.concatenate([part[-1][None], nothing]) for part in c)
        sums = _loop(_COUNT - 1, step, sums)
        levels.append((*value, *_at(sums, 0)))
        polynomials.append(tuple(xp.concatenate([zero[None], part[1:]]) for part in sums))
    return levels, polynomials


def _end(p, t, gamma, i, deviation):
    """A knot seen from gamma."""
    end = p.end_at(gamma, _at(t.knots, i), deviation)
    return (*_full(xp.zeros_like(gamma), end[:8]), end[8])


def _walk(p, t, functions, gamma, deviation, add, pass_knot, state):
    """Adds all pieces of some functions to a state, and gives them at gamma and around gamma.

    A piece lies to the right of gamma, to its left, or around it; then it is two panels, of which
    the one to the left of gamma is added last. `add` takes a panel, with the polynomials less these
    values on it, and where there is anything of it; `pass_knot` takes a knot.
    """
    zero = xp.zeros_like(gamma)
    never, always = zero > 0.0, zero <= 0.0
    levels, own = _expand(p, t, functions, gamma)
    left = _end(p, t, gamma, 0, deviation)
    nowhere = _full(zero, p.endless_beyond(left, never)[5:])

    def panel(has_end, panel):
        far = _choose(has_end, _full(zero, panel[5:]), nowhere)
        return (panel[0], *_full(zero, panel[1:5]), *far)

    def piece(i, carried):
        left, inner, state = carried
        has_left, has_right = i > 0, i < t.count
        right = _end(p, t, gamma, i, deviation)
        beyond, before = has_left & left[8], has_right & ~right[8]
        here = ~(beyond | before)
        width = _at(t.widths, i - 1)
        after = panel(has_right, p.panel_beyond(left, width, never))
        ahead = panel(has_left, p.panel_beyond(right, width, always))
        outer = panel(has_right, p.panel_from_gamma(right, never))
        outer = _where(here, outer, _where(before, ahead, after))
        inner = _where(here, panel(has_left, p.panel_from_gamma(left, always)), inner)
        seen = p.pair_round(outer[3:5]) > p.least
        if _any(seen):
            lists = []
            for rows, level, around in zip(functions, levels, own):
                c = _where(before, _at(rows, 2 * i), _at(rows, 2 * i - 1))
                first = p.above(_at(c, 0), level)
                c = [xp.concatenate([a[None], b[1:]]) for a, b in zip(first, c)]
                lists.append(_where(here, around, c))
            state = add(state, outer, lists, seen)
        state = pass_knot(state, i, right)
        return right, inner, state

    inner = panel(False, p.panel_from_gamma(left, always))
    _, inner, state = _loop(t.count + 1, piece, (left, inner, state))
    return levels, own, add(state, inner, own, always)
