def _loop(count, body, state):
    """body(i, state) again and again."""
    for i in range(count):
        state = body(i, state)
    return state


def _choose(condition, yes, no):
    """One of two records; the condition is one truth value."""
    return yes if condition else no
