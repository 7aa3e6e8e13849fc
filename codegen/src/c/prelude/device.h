
/* @name@_moments_into@suffix@ with a thread for each pre-activation. */
GSF_KERNEL void @name@_moments_kernel@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance@parameters@) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        @name@_moments_into@suffix@(1, gamma + i, xi2 + i, mean + i, variance + i@arguments@);
    }
}

/* @name@_moments_grad_into@suffix@ with a thread for each pre-activation. */
GSF_KERNEL void @name@_moments_grad_kernel@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance, @real@ *dmean_dgamma, @real@ *dmean_dxi2,
        @real@ *dvariance_dgamma, @real@ *dvariance_dxi2@parameters@) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        @name@_moments_grad_into@suffix@(1, gamma + i, xi2 + i, mean + i, variance + i, dmean_dgamma + i, dmean_dxi2 + i,
            dvariance_dgamma + i, dvariance_dxi2 + i@arguments@);
    }
}

/* @name@_vjp_into@suffix@ with a thread for each pre-activation. */
GSF_KERNEL void @name@_vjp_kernel@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        const @real@ *d_mean, const @real@ *d_variance, @real@ *d_gamma, @real@ *d_xi2@parameters@) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        @name@_vjp_into@suffix@(1, gamma + i, xi2 + i, d_mean + i, d_variance + i, d_gamma + i, d_xi2 + i@arguments@);
    }
}

#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
/* Starts the first kernel on a stream; all arrays are in the memory of the device. */
[[maybe_unused]] static inline cudaError_t @name@_moments_launch@suffix@(size_t n, const @real@ *gamma, const @real@ *xi2,
        @real@ *mean, @real@ *variance@parameters@, cudaStream_t stream) {
    const unsigned threads = 128;
    if (n == 0) {
        return cudaSuccess;
    }
    @name@_moments_kernel@suffix@<<<(unsigned)((n + threads - 1) / threads), threads, 0, stream>>>(
        n, gamma, xi2, mean, variance@arguments@);
    return cudaGetLastError();
}
#endif
