def _table(p, rows, like):
    """Rows of numbers along the first axis; the others broadcast with those of an array."""
    table = jnp.asarray(rows, p.dtype)
    return table.reshape(*table.shape, *[1] * like.ndim)
