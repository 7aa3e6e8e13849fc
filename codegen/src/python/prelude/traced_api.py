#: if parameters
def _check(condition, holds, *values):
    """A number outside of the declared domain is an error; arrays are not looked into."""
    if all(isinstance(value, (int, float)) for value in values):
        if not (all(map(math.isfinite, values)) and holds(*values)):
            raise ValueError(f"{condition} does not hold for {list(values)}")


CHECKS


#: end
def value(x: ArrayLike, SIGNATURE) -> ARRAY:
    """g(x), which is differentiated as it stands."""
    CHECK
    dtype, arrays = _prepared(x, ARGUMENTS)
    return _value(*arrays)[0].astype(dtype)


def moments(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> tuple[ARRAY, ARRAY]:
    """Mean and variance of g(u) for u ~ N(gamma, xi2); differentiable once, in both modes.

    A derivative that is infinite, as at xi2 = 0 on a knot, is 0 there: `moments_grad` has it.
    """
    CHECK
    dtype, arrays = _prepared(gamma, xi2, ARGUMENTS)
    mean, variance = _moments(*arrays)
    return mean.astype(dtype), variance.astype(dtype)


def second_moment(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> ARRAY:
    """E[g(u)**2] for u ~ N(gamma, xi2); differentiable once, in both modes."""
    CHECK
    dtype, arrays = _prepared(gamma, xi2, ARGUMENTS)
    mean, variance = _moments(*arrays)
    return (variance + mean * mean).astype(dtype)


def moments_grad(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> MomentsGrad:
    """Mean, second moment and variance with their derivatives in gamma and xi2."""
    CHECK
    dtype, arrays = _prepared(gamma, xi2, ARGUMENTS)
    mean, variance, *slopes = _gradients(*arrays)
    results = (mean, variance + mean * mean, variance, *slopes)
    return MomentsGrad(*(result.astype(dtype) for result in results))


#: if parameters
def parameter_grad(gamma: ArrayLike, xi2: ArrayLike, SIGNATURE) -> dict[str, ParameterGrad]:
    """The derivatives of the moments in each parameter, by its name."""
    CHECK
    dtype, arrays = _prepared(gamma, xi2, ARGUMENTS)
    rows = [row.astype(dtype) for row in _parameters(*arrays)]
    return {name: ParameterGrad(*rows[3 * i : 3 * i + 3]) for i, name in enumerate(PARAMETERS)}


#: end
