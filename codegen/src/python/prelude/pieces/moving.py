def _moving(p, like, knots, widths, rows, places):
    """The numbers of the function for values of its parameters, as arrays.

    Behind the last knot there is one more, which no piece ends at.
    """
    zero = xp.zeros_like(like)

    def arrays(table):
        columns = zip(*table)
        return tuple(xp.stack([zero + word for word in column]) for column in columns)

    return SimpleNamespace(
        count=len(knots),
        knots=arrays([*knots, (0.0, 0.0, 0.0)]),
        widths=arrays([*widths, (0.0, 0.0)]),
        rows=_moving_rows(like, rows),
        places=arrays(places),
        pieces=_table(p, [float(piece) for piece in _PIECES], like),
    )


def _moving_rows(like, rows):
    """Polynomials by their coefficients, in two words, as arrays that broadcast."""
    zero = xp.zeros_like(like)

    def array(k):
        return xp.stack([xp.stack([zero + c[k] for c in row]) for row in rows])

    return array(0), array(1)
