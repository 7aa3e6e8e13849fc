
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

/* The vector-Jacobian products of n pre-activations. */
GSF_FN void @name@_vjp_into@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        const @real@ *d_mean, const @real@ *d_variance, @real@ *d_gamma, @real@ *d_xi2@parameters@) {
    for (size_t i = 0; i < n; i++) {
        @name@_vjp@suffix@(gamma[i], xi2[i], d_mean[i], d_variance[i], &d_gamma[i], &d_xi2[i]@arguments@);
    }
}
