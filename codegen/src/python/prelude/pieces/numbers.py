def _numbers(words):
    """The numbers of the function in words of a precision, column by column.

    Behind the last knot there is one more, which no piece ends at.
    """

    def columns(table):
        return [list(column) for column in zip(*(words(row) for row in table))]

    empty = [(0.0, 0.0)] * _COUNT
    rows = [[words(c) for c in row] for row in [*_SIDES, empty, empty, *_AROUND]]
    rules = [(columns(nodes), weights, most) for nodes, weights, most in _RULES]
    return SimpleNamespace(
        knots=columns([*_KNOTS, (0.0, 0.0, 0.0)]),
        widths=columns([*_WIDTHS, (0.0, 0.0)]),
        rows=[[[c[k] for c in row] for row in rows] for k in (0, 1)],
        places=columns(_PLACES),
        rules=rules,
    )


def _given(p, like):
    """The numbers of the table as arrays that broadcast with another array."""
    numbers = p.numbers

    def arrays(columns):
        return tuple(_table(p, column, like) for column in columns)

    return SimpleNamespace(
        count=len(_KNOTS),
        knots=arrays(numbers.knots),
        widths=arrays(numbers.widths),
        rows=arrays(numbers.rows),
        places=arrays(numbers.places),
        pieces=_table(p, [float(piece) for piece in _PIECES], like),
    )
