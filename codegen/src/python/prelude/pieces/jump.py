def _jump(t, i, order):
    """The jump at a knot of the function or of its slope."""
    high, low = [rows[2 * i + 1][order] - rows[2 * i][order] for rows in t.rows]
    return high + low
