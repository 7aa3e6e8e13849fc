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
/* E[g] and Var g of n pre-activations. */
GSF_FN void @name@_moments_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance@parameters@) {
    for (size_t i = 0; i < n; i++) {
        const gaussform_moments@suffix@ m = @name@_moments@suffix@(gamma[i], xi2[i]@arguments@);
        mean[i] = m.mean;
        variance[i] = m.variance;
    }
}

/* E[g], Var g and their derivatives of n pre-activations. */
GSF_FN void @name@_moments_grad_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance, @real@ *dmean_dgamma, @real@ *dmean_dxi2,
        @real@ *dvariance_dgamma, @real@ *dvariance_dxi2@parameters@) {
    for (size_t i = 0; i < n; i++) {
        const gaussform_moments_grad@suffix@ m = @name@_moments_grad@suffix@(gamma[i], xi2[i]@arguments@);
        mean[i] = m.mean;
        variance[i] = m.variance;
        dmean_dgamma[i] = m.dmean_dgamma;
        dmean_dxi2[i] = m.dmean_dxi2;
        dvariance_dgamma[i] = m.dvariance_dgamma;
        dvariance_dxi2[i] = m.dvariance_dxi2;
    }
}

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

/* The same for n pre-activations. */
GSF_FN void @name@_vjp_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        const @real@ *d_mean, const @real@ *d_variance, @real@ *d_gamma, @real@ *d_xi2@parameters@) {
    for (size_t i = 0; i < n; i++) {
        @name@_vjp@suffix@(gamma[i], xi2[i], d_mean[i], d_variance[i], &d_gamma[i], &d_xi2[i]@arguments@);
    }
}
