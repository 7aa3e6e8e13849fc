/* g(x). */
GSF_FN @real@ @name@_value@suffix@(@real@ x@parameters@) {
    const double p[] = @values@;
    return (@real@)gsf_@name@_value((double)x, p);
}

/* E[g(u)], E[g(u)^2] and Var g(u). */
GSF_FN gaussform_moments@suffix@ @name@_moments@suffix@(@real@ gamma, @real@ xi2@parameters@) {
    const double p[] = @values@;
    gaussform_moments@suffix@ m;
    @work@ v[2];
    gsf_@name@_moments@inner@((@work@)gamma, (@work@)xi2, p, v);
    m.mean = (@real@)v[0];
    m.second = (@real@)(v[1] + v[0] * v[0]);
    m.variance = (@real@)v[1];
    return m;
}

/* The moments and their derivatives in gamma and xi2. */
GSF_FN gaussform_moments_grad@suffix@ @name@_moments_grad@suffix@(@real@ gamma, @real@ xi2@parameters@) {
    const double p[] = @values@;
    gaussform_moments_grad@suffix@ m;
    @work@ v[6];
    gsf_@name@_gradients@inner@((@work@)gamma, (@work@)xi2, p, v);
    m.mean = (@real@)v[0];
    m.second = (@real@)(v[1] + v[0] * v[0]);
    m.variance = (@real@)v[1];
    m.dmean_dgamma = (@real@)v[2];
    m.dmean_dxi2 = (@real@)v[3];
    m.dvariance_dgamma = (@real@)v[4];
    m.dvariance_dxi2 = (@real@)v[5];
    return m;
}
@parameter_grad@
/* The vector-Jacobian product of (gamma, xi2) -> (E[g], Var g) for one pre-activation: the
   cotangents of the inputs from those of the outputs. */
GSF_FN void @name@_vjp@suffix@(@real@ gamma, @real@ xi2, @real@ d_mean, @real@ d_variance,
        @real@ *d_gamma, @real@ *d_xi2@parameters@) {
    const double p[] = @values@;
    @work@ v[6];
    gsf_@name@_gradients@inner@((@work@)gamma, (@work@)xi2, p, v);
    *d_gamma = (@real@)((@work@)d_mean * v[2] + (@work@)d_variance * v[4]);
    *d_xi2 = (@real@)((@work@)d_mean * v[3] + (@work@)d_variance * v[5]);
}
