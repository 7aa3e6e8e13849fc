/* Single precision, for cards. Products are fused with sums where it is written, and where one sum alone reads a
   product; a product that is read twice is rounded by itself. */

typedef float gsf_f32;

GSF_FN uint32_t gsf_bits_f32(float x) {
#ifdef __CUDA_ARCH__
    return __float_as_uint(x);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

GSF_FN float gsf_from_bits_f32(uint32_t bits) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

GSF_FN float gsf_f32_mul(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

/* 1/a and 1/sqrt(a) within two units in the last place. */
GSF_FN float gsf_f32_inverse(float a) {
#ifdef __CUDA_ARCH__
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(a));
    return inverse;
#else
    return 1.0f / a;
#endif
}

GSF_FN float gsf_f32_inverse_root(float a) {
#ifdef __CUDA_ARCH__
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(a));
    return inverse;
#else
    return 1.0f / sqrtf(a);
#endif
}

/* a 2^n for shifted = n + 1.5 2^23; 0 if 2^n is no normal number. */
GSF_FN float gsf_f32_raise(float a, float shifted) {
    return a * gsf_from_bits_f32((gsf_bits_f32(fmaxf(shifted, 12582912.0f - 127.0f)) << 23) + 0x3f800000u);
}

/* The same in double precision, for shifted = n + 1.5 2^52. */
GSF_FN double gsf_card_raise(double a, double shifted) {
    shifted = fmax(shifted, 6755399441055744.0 - 1023.0);
#ifdef __CUDA_ARCH__
    return a * __hiloint2double((__double2loint(shifted) << 20) + 0x3ff00000, 0);
#else
    return a * gsf_from_bits((gsf_bits(shifted) << 52) + ((uint64_t)1023 << 52));
#endif
}

/* Three words of a number in single precision. */
GSF_FN void gsf_split_f32(const double *words, float *out) {
    out[0] = (float)words[0];
    double rest = (words[0] - (double)out[0]) + words[1];
    /* An infinite difference has no low word. */
    rest = gsf_is_finite(rest) ? rest : 0.0;
    out[1] = (float)rest;
    out[2] = (float)((rest - (double)out[1]) + words[2]);
}

/* Whether u ~ N(gamma, xi2) is a distribution. */
GSF_FN int gsf_is_valid_f32(float gamma, float xi2) {
    return fabsf(gamma) <= 3.4028235e38f && 0.0f <= xi2 && xi2 <= 3.4028235e38f;
}
