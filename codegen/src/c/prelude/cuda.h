#define GSF_FN [[maybe_unused]] static __host__ __device__ inline
#if defined(GSF_KERNEL)
/* The program says how they are linked. */
#elif defined(__CUDACC_RTC__)
/* So that a program finds the kernels by their names. */
#define GSF_KERNEL extern "C" __global__
#else
#define GSF_KERNEL [[maybe_unused]] static __global__
#endif
