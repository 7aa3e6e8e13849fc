def _loop(count, body, state):
    """body(i, state) again and again, as a loop of the compiled program."""
    if count < 2:
        for i in range(count):
            state = body(i, state)
        return state
    return jax.lax.fori_loop(0, count, body, state)


def _choose(condition, yes, no):
    """One of two records; the condition is one truth value."""
    return tuple(jnp.where(condition, a, b) for a, b in zip(yes, no))


def _any(mask):
    """Whether there is something to do: what is traced does not say."""
    return True
