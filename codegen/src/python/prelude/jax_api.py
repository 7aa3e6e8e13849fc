_gradients = _no_derivatives(_compiled(_gradients_kernel))
#: if parameters
_parameters = _no_derivatives(_compiled(_parameters_kernel))
#: end
_value = _compiled(_value_kernel)
_moments = jax.custom_jvp(_compiled(_moments_kernel))


@functools.partial(_moments.defjvp, symbolic_zeros=True)
def _moments_jvp(primals, tangents):
    mean, variance, *slopes = _gradients(*primals)
    pairs = [(slopes[0], slopes[2]), (slopes[1], slopes[3])]
    moving = [not isinstance(tangent, SymbolicZero) for tangent in tangents]
    #: if parameters
    if any(moving[2:]):
        rows = _parameters(*primals)
        pairs += [(rows[3 * i], rows[3 * i + 2]) for i in range(len(PARAMETERS))]
    #: end
    d_mean, d_variance = jnp.zeros_like(mean), jnp.zeros_like(variance)
    for tangent, moves, (a, b) in zip(tangents, moving, pairs):
        if moves:
            d_mean, d_variance = d_mean + _slope(a) * tangent, d_variance + _slope(b) * tangent
    return (mean, variance), (d_mean, d_variance)
