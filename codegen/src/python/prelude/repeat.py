def _repeat(step, state, first, last):
    """The state after step(n, state) for n = first, first - 1, ..., last + 1."""
    for n in range(first, last, -1):
        state = step(n, state)
    return state
