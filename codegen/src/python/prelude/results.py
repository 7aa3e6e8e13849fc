class MomentsGrad(NamedTuple):
    """Mean, second moment and variance of g(u), and derivatives in gamma and xi2."""

    mean: ARRAY
    second: ARRAY
    variance: ARRAY
    dmean_dgamma: ARRAY
    dmean_dxi2: ARRAY
    dvariance_dgamma: ARRAY
    dvariance_dxi2: ARRAY


#: if parameters
class ParameterGrad(NamedTuple):
    """Derivatives of mean, second moment and variance of g(u) in one parameter."""

    dmean: ARRAY
    dsecond: ARRAY
    dvariance: ARRAY


#: end
