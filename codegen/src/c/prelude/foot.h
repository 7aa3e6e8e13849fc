#ifdef __cplusplus
}
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__) && !defined(__CUDA_ARCH__)
#pragma GCC diagnostic pop
#pragma GCC pop_options
#endif
