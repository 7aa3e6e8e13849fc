def _rounded(x):
    """x; keeps the compiler from fusing or reordering what must be rounded by itself."""
    return jnp.minimum(x, jnp.finfo(x.dtype).max)


def _input(x):
    """x; keeps the compiler from fusing it with what it is computed from."""
    return jnp.where(x > jnp.finfo(x.dtype).max, jnp.inf, x)
