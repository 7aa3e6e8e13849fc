
/* Arrays in blocks, in double precision. */
GSF_FN void gsf_@name@_moments_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance, const double *p) {
    for (size_t i = 0; i < n; i += GSF_BLOCK) {
        double g[GSF_BLOCK], s[GSF_BLOCK], v[2 * GSF_BLOCK];
        const size_t m = gsf_take_block@suffix@(n - i, gamma + i, xi2 + i, g, s);
        gsf_@name@_moments_block(m, g, s, p, v);
        for (size_t j = 0; j < m; j++) {
            mean[i + j] = (@real@)v[j];
            variance[i + j] = (@real@)v[GSF_BLOCK + j];
        }
    }
}

GSF_FN void gsf_@name@_moments_grad_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *const *results, const double *p) {
    for (size_t i = 0; i < n; i += GSF_BLOCK) {
        double g[GSF_BLOCK], s[GSF_BLOCK], v[6 * GSF_BLOCK];
        const size_t m = gsf_take_block@suffix@(n - i, gamma + i, xi2 + i, g, s);
        gsf_@name@_gradients_block(m, g, s, p, v);
        for (size_t k = 0; k < 6; k++) {
            for (size_t j = 0; j < m; j++) {
                results[k][i + j] = (@real@)v[k * GSF_BLOCK + j];
            }
        }
    }
}

GSF_FN void gsf_@name@_vjp_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        const @real@ *d_mean, const @real@ *d_variance, @real@ *d_gamma, @real@ *d_xi2, const double *p) {
    for (size_t i = 0; i < n; i += GSF_BLOCK) {
        double g[GSF_BLOCK], s[GSF_BLOCK], v[6 * GSF_BLOCK];
        const size_t m = gsf_take_block@suffix@(n - i, gamma + i, xi2 + i, g, s);
        gsf_@name@_gradients_block(m, g, s, p, v);
        for (size_t j = 0; j < m; j++) {
            const double mean = (double)d_mean[i + j], variance = (double)d_variance[i + j];
            d_gamma[i + j] = (@real@)(mean * v[2 * GSF_BLOCK + j] + variance * v[4 * GSF_BLOCK + j]);
            d_xi2[i + j] = (@real@)(mean * v[3 * GSF_BLOCK + j] + variance * v[5 * GSF_BLOCK + j]);
        }
    }
}

/* E[g] and Var g of n pre-activations. */
GSF_FN void @name@_moments_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance@parameters@) {
    const double p[] = @values@;
    gsf_@name@_moments_into@suffix@(n, gamma, xi2, mean, variance, p);
}

/* E[g], Var g and their derivatives of n pre-activations. */
GSF_FN void @name@_moments_grad_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance, @real@ *dmean_dgamma, @real@ *dmean_dxi2,
        @real@ *dvariance_dgamma, @real@ *dvariance_dxi2@parameters@) {
    const double p[] = @values@;
    @real@ *const out[] = {mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2};
    gsf_@name@_moments_grad_into@suffix@(n, gamma, xi2, out, p);
}

/* The vector-Jacobian products of n pre-activations. */
GSF_FN void @name@_vjp_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        const @real@ *d_mean, const @real@ *d_variance, @real@ *d_gamma, @real@ *d_xi2@parameters@) {
    const double p[] = @values@;
    gsf_@name@_vjp_into@suffix@(n, gamma, xi2, d_mean, d_variance, d_gamma, d_xi2, p);
}
