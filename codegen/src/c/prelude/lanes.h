/* Several numbers side by side, for loops over arrays: vectors of GCC and Clang, GSF_LANES doubles each. Every operation
   rounds as that of double does, so that results have the bits of single numbers. Other compilers have one lane, and loops
   over single numbers. */

/* How many elements a loop over arrays takes at a time. */
#define GSF_BLOCK 128

/* A loop is compiled once, whoever calls it. */
#if defined(__GNUC__)
#define GSF_BLOCK_FN static __attribute__((noinline, unused))
#else
#define GSF_BLOCK_FN GSF_FN
#endif

/* Takes the next pre-activations of n that are left, as many as a block has, and gives their number. */
GSF_FN size_t gsf_take_block(size_t n, const double *gamma, const double *xi2, double *g, double *s) {
    const size_t m = n < GSF_BLOCK ? n : GSF_BLOCK;
    memcpy(g, gamma, m * sizeof *g);
    memcpy(s, xi2, m * sizeof *s);
    return m;
}

GSF_FN size_t gsf_take_block_f32(size_t n, const float *gamma, const float *xi2, double *g, double *s) {
    const size_t m = n < GSF_BLOCK ? n : GSF_BLOCK;
    for (size_t j = 0; j < m; j++) {
        g[j] = (double)gamma[j];
        s[j] = (double)xi2[j];
    }
    return m;
}

#if !defined(__GNUC__)
#define GSF_LANES 1
#elif defined(__AVX512F__)
#define GSF_LANES 8
#elif defined(__AVX__)
#define GSF_LANES 4
#else
#define GSF_LANES 2
#endif

#if GSF_LANES > 1
#define GSF_LANES_FN static inline __attribute__((always_inline))

typedef double gsf_lanes __attribute__((vector_size(8 * GSF_LANES)));
/* All bits of a lane, or none. */
typedef int64_t gsf_lanes_mask __attribute__((vector_size(8 * GSF_LANES)));

/* A number in all lanes. C has no other expression for it, and minus 0 keeps the sign of a zero. */
GSF_LANES_FN gsf_lanes gsf_lanes_of(double a) {
    const gsf_lanes zero = {0.0};
    return a - zero;
}

GSF_LANES_FN gsf_lanes gsf_lanes_load(const double *from) {
    gsf_lanes lanes;
    memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

GSF_LANES_FN void gsf_lanes_store(double *to, gsf_lanes lanes) { memcpy(to, &lanes, sizeof lanes); }

GSF_LANES_FN gsf_lanes_mask gsf_lanes_bits(gsf_lanes a) { return (gsf_lanes_mask)a; }
GSF_LANES_FN gsf_lanes_mask gsf_lanes_truth(int64_t truth) {
    const gsf_lanes_mask zero = {0};
    return zero - truth;
}
GSF_LANES_FN gsf_lanes_mask gsf_lanes_and(gsf_lanes_mask a, gsf_lanes_mask b) { return a & b; }
GSF_LANES_FN gsf_lanes_mask gsf_lanes_or(gsf_lanes_mask a, gsf_lanes_mask b) { return a | b; }
GSF_LANES_FN gsf_lanes_mask gsf_lanes_not(gsf_lanes_mask a) { return ~a; }
GSF_LANES_FN gsf_lanes gsf_lanes_select(gsf_lanes_mask mask, gsf_lanes yes, gsf_lanes no) {
    return (gsf_lanes)((mask & gsf_lanes_bits(yes)) | (~mask & gsf_lanes_bits(no)));
}

GSF_LANES_FN gsf_lanes gsf_lanes_add(gsf_lanes a, gsf_lanes b) { return a + b; }
GSF_LANES_FN gsf_lanes gsf_lanes_sub(gsf_lanes a, gsf_lanes b) { return a - b; }
GSF_LANES_FN gsf_lanes gsf_lanes_mul(gsf_lanes a, gsf_lanes b) { return a * b; }
GSF_LANES_FN gsf_lanes gsf_lanes_div(gsf_lanes a, gsf_lanes b) { return a / b; }
GSF_LANES_FN gsf_lanes gsf_lanes_neg(gsf_lanes a) { return -a; }
GSF_LANES_FN gsf_lanes gsf_lanes_mul_add(gsf_lanes a, gsf_lanes b, gsf_lanes c) { return a * b + c; }
GSF_LANES_FN gsf_lanes gsf_lanes_abs(gsf_lanes a) {
    return (gsf_lanes)(gsf_lanes_bits(a) & INT64_MAX);
}

GSF_LANES_FN gsf_lanes gsf_lanes_sqrt(gsf_lanes a) {
    for (int i = 0; i < GSF_LANES; i++) {
        a[i] = sqrt(a[i]);
    }
    return a;
}

GSF_LANES_FN gsf_lanes_mask gsf_lanes_lt(gsf_lanes a, gsf_lanes b) { return (gsf_lanes_mask)(a < b); }
GSF_LANES_FN gsf_lanes_mask gsf_lanes_le(gsf_lanes a, gsf_lanes b) { return (gsf_lanes_mask)(a <= b); }
GSF_LANES_FN gsf_lanes_mask gsf_lanes_equals(gsf_lanes a, gsf_lanes b) { return (gsf_lanes_mask)(a == b); }

/* 2^n, or 0 where it is not a normal number. */
GSF_LANES_FN gsf_lanes gsf_lanes_power(gsf_lanes_mask n) {
    return (gsf_lanes)(((n + 1023) << 52) & (gsf_lanes_mask)(n >= -1022));
}

/* n of shifted = n + GSF_SHIFTER. */
GSF_LANES_FN gsf_lanes_mask gsf_lanes_exponent(gsf_lanes shifted) {
    return gsf_lanes_bits(shifted) - gsf_lanes_bits(gsf_lanes_of(GSF_SHIFTER));
}

/* a 2^n for shifted = n + GSF_SHIFTER, where the result is a normal number; 0 for a power that is none. */
GSF_LANES_FN gsf_lanes gsf_lanes_raise(gsf_lanes a, gsf_lanes shifted) {
    return a * gsf_lanes_power(gsf_lanes_exponent(shifted));
}

/* The same with gradual underflow. */
GSF_LANES_FN gsf_lanes gsf_lanes_scale(gsf_lanes a, gsf_lanes shifted) {
    const gsf_lanes_mask n = gsf_lanes_exponent(shifted), half = n >> 1;
    return a * gsf_lanes_power(half) * gsf_lanes_power(n - half);
}

GSF_LANES_FN gsf_lanes_mask gsf_lanes_is_finite(gsf_lanes a) {
    return gsf_lanes_le(gsf_lanes_abs(a), gsf_lanes_of(GSF_MAX));
}

/* Whether |gamma| <= 2^size and 2^least <= xi2 <= 2^most. */
GSF_LANES_FN gsf_lanes_mask gsf_lanes_is_safe(gsf_lanes gamma, gsf_lanes xi2, int size, int least, int most) {
    return gsf_lanes_le(gsf_lanes_abs(gamma), gsf_lanes_of(gsf_power_of_two(size)))
        & gsf_lanes_le(gsf_lanes_of(gsf_power_of_two(least)), xi2)
        & gsf_lanes_le(xi2, gsf_lanes_of(gsf_power_of_two(most)));
}

/* Whether it holds in all lanes. */
GSF_LANES_FN int gsf_lanes_all(gsf_lanes_mask mask) {
    int64_t all = -1;
    for (int i = 0; i < GSF_LANES; i++) {
        all &= mask[i];
    }
    return all != 0;
}
#endif
