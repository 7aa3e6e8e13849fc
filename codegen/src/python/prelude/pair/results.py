class PairMomentsGrad(NamedTuple):
    """The covariance of g(u) and h(w), and its derivatives."""

    covariance: ARRAY
    dcovariance_dgamma: ARRAY
    dcovariance_dxi2: ARRAY
    dcovariance_dgamma_h: ARRAY
    dcovariance_dxi2_h: ARRAY
    dcovariance_dcov: ARRAY
