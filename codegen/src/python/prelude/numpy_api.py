#: if parameters
def _check(condition, holds, *values):
    """A parameter outside of its declared domain is an error."""
    arrays = [np.asarray(value, np.float64) for value in values]
    if not (all(np.isfinite(a).all() for a in arrays) and np.all(holds(*arrays))):
        raise ValueError(f"{condition} does not hold for {list(values)}")


CHECKS


#: end
def value(x: ArrayLike, SIGNATURE) -> np.ndarray:
    """g(x)."""
    CHECK
    return _map(_value_kernel, 1, x, ARGUMENTS)[0]


def moments(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of g(u) for u ~ N(gamma, xi2)."""
    CHECK
    return _map(_moments_kernel, 2, gamma, xi2, ARGUMENTS)


def second_moment(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> np.ndarray:
    """E[g(u)**2] for u ~ N(gamma, xi2)."""
    CHECK
    return _map(_second_kernel, 1, gamma, xi2, ARGUMENTS)[0]


def moments_grad(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> MomentsGrad:
    """Mean, second moment and variance with their derivatives in gamma and xi2."""
    CHECK
    return MomentsGrad(*_map(_moments_grad_kernel, 7, gamma, xi2, ARGUMENTS))


#: if parameters
def parameter_grad(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> dict[str, ParameterGrad]:
    """The derivatives of the moments in each parameter, by its name."""
    CHECK
    rows = _map(_parameters_kernel, 3 * len(PARAMETERS), gamma, xi2, ARGUMENTS)
    return {name: ParameterGrad(*rows[3 * i : 3 * i + 3]) for i, name in enumerate(PARAMETERS)}


#: end
def vjp(gamma: ArrayLike, xi2: ArrayLike, d_mean: ArrayLike, d_variance: ArrayLike, SIGNATURE) -> tuple[np.ndarray, ...]:
    """The cotangents of gamma, xi2 and each parameter from those of mean and variance.

    Each has the shape of its input.
    """
    grad = moments_grad(gamma, xi2, NAMED)
    slopes = [
        (grad.dmean_dgamma, grad.dvariance_dgamma),
        (grad.dmean_dxi2, grad.dvariance_dxi2),
    ]
    #: if parameters
    slopes += [(p.dmean, p.dvariance) for p in parameter_grad(gamma, xi2, NAMED).values()]
    #: end
    inputs = [gamma, xi2, ARGUMENTS]
    with np.errstate(all="ignore"):
        pulled = [d_mean * a + d_variance * b for a, b in slopes]
        return tuple(_sum_to(d, np.shape(a)) for d, a in zip(pulled, inputs))


def _sum_to(array, shape):
    """Sums over the axes that were broadcast."""
    added = np.ndim(array) - len(shape)
    axes = [i for i in range(np.ndim(array)) if i < added or shape[i - added] == 1]
    return np.sum(array, tuple(axes), keepdims=True).reshape(shape)[()]


def _second_kernel(p, gamma, xi2, *parameters):
    mean, variance = _moments_kernel(p, gamma, xi2, *parameters)
    return (variance + mean * mean,)


def _moments_grad_kernel(p, gamma, xi2, *parameters):
    mean, variance, *slopes = _gradients_kernel(p, gamma, xi2, *parameters)
    return mean, variance + mean * mean, variance, *slopes
