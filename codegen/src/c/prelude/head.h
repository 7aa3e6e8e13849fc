#ifndef __CUDACC_RTC__
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#else
typedef unsigned uint32_t;
typedef unsigned long long uint64_t;
/* A constant, so that tables of constants may have it. */
#define INFINITY (1.0f / 0.0f)
#define NAN __int_as_float(0x7fffffff)
#endif

/* Each operation is to round once: products and sums are not to be fused. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__CUDA_ARCH__)
#pragma GCC push_options
/* Its vectorizers fuse all the same: two products, one with a sum and one with a difference, as of GCC 12. */
#pragma GCC optimize("fp-contract=off", "no-tree-loop-vectorize", "no-tree-slp-vectorize", "no-math-errno")
/* Vectors are passed between functions of this header alone, which are inlined. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

#ifdef __cplusplus
extern "C" {
#endif
