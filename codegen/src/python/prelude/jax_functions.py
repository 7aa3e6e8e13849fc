def _rounded(x):
    """x; keeps the compiler from fusing or reordering what must be rounded by itself."""
    return jnp.minimum(x, jnp.finfo(x.dtype).max)


def _input(x):
    """x; keeps the compiler from fusing it with what it is computed from."""
    return jnp.where(x > jnp.finfo(x.dtype).max, jnp.inf, x)


def _raise(x, n):
    """x * 2**n, 0 where that is no normal number."""
    is_double = x.dtype == jnp.float64
    bits, bias, shift = (jnp.int64, 1023, 52) if is_double else (jnp.int32, 127, 23)
    exponent = jnp.clip(n, -bias, bias).astype(bits) + bias
    return x * jax.lax.bitcast_convert_type(exponent << shift, x.dtype)


def _larger(a, b):
    return jnp.maximum(a, b)


def _smaller(a, b):
    return jnp.minimum(a, b)


def _table(p, rows, like):
    """Rows of numbers along the first axis; the others broadcast with those of an array."""
    table = jnp.asarray(rows, p.dtype)
    return table.reshape(*table.shape, *[1] * like.ndim)


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
