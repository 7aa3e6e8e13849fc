def _prepared(*arguments):
    """The arguments as arrays of one shape and precision, parameters without axes as they are."""
    dtype = jnp.result_type(*arguments)
    if not jnp.issubdtype(dtype, jnp.floating):
        dtype = jnp.result_type(float)
    work = dtype if dtype in (jnp.float32, jnp.float64) else jnp.float32
    arrays = [jnp.asarray(a).astype(work) for a in arguments]
    shape = jnp.broadcast_shapes(*(a.shape for a in arrays))
    first = [jnp.broadcast_to(a, shape) for a in arrays[:2]]
    return dtype, [*first, *arrays[2:]]


def _compiled(kernel):
    """A kernel in the precision of its arguments."""

    @jax.jit
    def call(*arguments):
        p = _F64 if arguments[0].dtype == jnp.float64 else _F32
        return kernel(p, *map(_input, arguments))

    return call


def _no_derivatives(function):
    """The derivatives of the moments are given; theirs are not."""
    function = jax.custom_jvp(function)

    @function.defjvp
    def rule(primals, tangents):
        raise NotImplementedError("second derivatives of the moments are not available")

    return function


def _slope(derivative):
    """A derivative as differentiation takes it: 0 where it is infinite.

    That is at xi2 = 0 on a knot. The moments are even in xi, so 0 is their derivative there too,
    and what xi2 is computed from gets 0 from the chain rule, not inf * 0.
    """
    return jnp.where(jnp.isinf(derivative), 0.0, derivative)
