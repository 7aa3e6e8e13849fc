_gradients = _no_derivatives(_compiled(_pair_kernel))


@jax.custom_jvp
def _covariance(*arrays):
    return _gradients(*arrays)[0]


@functools.partial(_covariance.defjvp, symbolic_zeros=True)
def _covariance_jvp(primals, tangents):
    covariance, *slopes = _gradients(*primals)
    moved = jnp.zeros_like(covariance)
    for tangent, slope in zip(tangents, slopes):
        if not isinstance(tangent, SymbolicZero):
            moved = moved + _slope(slope) * tangent
    return covariance, moved


def pair_moments(gamma: ArrayLike, xi2: ArrayLike, gamma_h: ArrayLike, xi2_h: ArrayLike, cov: ArrayLike) -> jax.Array:
    """The covariance of g(u) and h(w); differentiable once, in both modes."""
    dtype, arrays = _prepared(gamma, xi2, gamma_h, xi2_h, cov)
    return _covariance(*jnp.broadcast_arrays(*arrays)).astype(dtype)


def pair_moments_grad(gamma: ArrayLike, xi2: ArrayLike, gamma_h: ArrayLike, xi2_h: ArrayLike, cov: ArrayLike) -> PairMomentsGrad:
    """The covariance of g(u) and h(w) with its derivatives in the five arguments."""
    dtype, arrays = _prepared(gamma, xi2, gamma_h, xi2_h, cov)
    results = _gradients(*jnp.broadcast_arrays(*arrays))
    return PairMomentsGrad(*(result.astype(dtype) for result in results))
