def _repeat(step, state, first, last):
    """The state after step(n, state) for n = first, first - 1, ..., last + 1."""
    return jax.lax.fori_loop(0, first - last, lambda i, state: step(first - i, state), state)
