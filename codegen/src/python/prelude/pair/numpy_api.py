def _pairs(rounding, p, gamma, xi2, gamma_h, xi2_h, cov):
    """For arrays that broadcast, and a cov that may exceed its bound by rounding."""
    bound = np.sqrt(xi2) * np.sqrt(xi2_h)
    is_near = abs(cov) <= bound * (1.0 + 8.0 * rounding)
    cov = np.where(is_near, np.clip(cov, -bound, bound), cov)
    return _pair_kernel(p, *np.broadcast_arrays(gamma, xi2, gamma_h, xi2_h, cov))


def pair_moments(gamma: ArrayLike, xi2: ArrayLike, gamma_h: ArrayLike, xi2_h: ArrayLike, cov: ArrayLike) -> np.ndarray:
    """The covariance of g(u) and h(w)."""
    return pair_moments_grad(gamma, xi2, gamma_h, xi2_h, cov).covariance


def pair_moments_grad(gamma: ArrayLike, xi2: ArrayLike, gamma_h: ArrayLike, xi2_h: ArrayLike, cov: ArrayLike) -> PairMomentsGrad:
    """The covariance of g(u) and h(w) with its derivatives in the five arguments."""
    arguments = gamma, xi2, gamma_h, xi2_h, cov
    kinds = [a if isinstance(a, (int, float)) else np.asarray(a) for a in arguments]
    dtype = np.result_type(*kinds)
    is_rounded = dtype in (np.float16, np.float32)
    rounding = np.finfo(dtype if is_rounded else np.float64).eps
    kernel = functools.partial(_pairs, float(rounding))
    return PairMomentsGrad(*_map(kernel, 6, *arguments))
