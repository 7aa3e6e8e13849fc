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
