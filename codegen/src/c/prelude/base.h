/* What every activation shares. */

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "gaussform: -ffast-math and -ffinite-math-only break the error-free sums of these kernels"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "gaussform: -funsafe-math-optimizations, -fassociative-math and -freciprocal-math break these kernels"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2
#error "gaussform: the kernels need arithmetic in double precision; try -msse2 -mfpmath=sse"
#endif

/* E[g], E[g^2] and Var g. */
typedef struct {
    double mean, second, variance;
} gaussform_moments;

/* The moments and their derivatives in gamma and xi2. */
typedef struct {
    double mean, second, variance;
    double dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2;
} gaussform_moments_grad;

/* The derivatives of the moments in one parameter. */
typedef struct {
    double dmean, dsecond, dvariance;
} gaussform_parameter_grad;

/* The moments in single precision. */
typedef struct {
    float mean, second, variance;
} gaussform_moments_f32;

typedef struct {
    float mean, second, variance;
    float dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2;
} gaussform_moments_grad_f32;

typedef struct {
    float dmean, dsecond, dvariance;
} gaussform_parameter_grad_f32;

/* A number to twice the precision: high + low. */
typedef struct {
    double high, low;
} gsf_word;

/* The same to three times the precision: high + middle + low. */
typedef struct {
    double high, middle, low;
} gsf_triple;

GSF_FN int gsf_is_finite(double x) {
    return fabs(x) <= GSF_MAX;
}

GSF_FN uint64_t gsf_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

GSF_FN double gsf_from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^n, for n from -1022 to 1023. */
GSF_FN double gsf_power_of_two(int n) {
    return gsf_from_bits((uint64_t)(1023 + n) << 52);
}

/* A kernel is printed over gsf_f64. In C it is printed once more over gsf_wide, for inputs whose powers leave the
   range, and so is what it calls. */

typedef double gsf_f64;

#ifdef __CUDA_ARCH__
/* Device code fuses a product and a sum where it is said, and nowhere else. */
#define GSF_F64_FUSED 1
GSF_FN gsf_f64 gsf_f64_add(gsf_f64 a, gsf_f64 b) { return __dadd_rn(a, b); }
GSF_FN gsf_f64 gsf_f64_sub(gsf_f64 a, gsf_f64 b) { return __dsub_rn(a, b); }
GSF_FN gsf_f64 gsf_f64_mul(gsf_f64 a, gsf_f64 b) { return __dmul_rn(a, b); }
GSF_FN gsf_f64 gsf_f64_mul_add(gsf_f64 a, gsf_f64 b, gsf_f64 c) { return fma(a, b, c); }
#else
#define GSF_F64_FUSED 0
GSF_FN gsf_f64 gsf_f64_add(gsf_f64 a, gsf_f64 b) { return a + b; }
GSF_FN gsf_f64 gsf_f64_sub(gsf_f64 a, gsf_f64 b) { return a - b; }
GSF_FN gsf_f64 gsf_f64_mul(gsf_f64 a, gsf_f64 b) { return a * b; }
GSF_FN gsf_f64 gsf_f64_mul_add(gsf_f64 a, gsf_f64 b, gsf_f64 c) { return a * b + c; }
#endif
GSF_FN gsf_f64 gsf_f64_div(gsf_f64 a, gsf_f64 b) { return a / b; }
GSF_FN gsf_f64 gsf_f64_neg(gsf_f64 a) { return -a; }
GSF_FN gsf_f64 gsf_f64_abs(gsf_f64 a) { return fabs(a); }
GSF_FN gsf_f64 gsf_f64_sqrt(gsf_f64 a) { return sqrt(a); }
GSF_FN gsf_f64 gsf_f64_of(double a) { return a; }
GSF_FN int gsf_f64_lt(gsf_f64 a, gsf_f64 b) { return a < b; }
GSF_FN int gsf_f64_le(gsf_f64 a, gsf_f64 b) { return a <= b; }
GSF_FN int gsf_f64_equals(gsf_f64 a, gsf_f64 b) { return a == b; }
GSF_FN gsf_f64 gsf_f64_select(int mask, gsf_f64 yes, gsf_f64 no) { return mask ? yes : no; }

/* 2^n, or 0 where it is not a normal number. */
GSF_FN double gsf_f64_power(int n) { return n < -1022 ? 0.0 : gsf_power_of_two(n); }

/* a 2^n for shifted = n + GSF_SHIFTER, where the result is a normal number; 0 for a power that is none. */
GSF_FN gsf_f64 gsf_f64_raise(gsf_f64 a, gsf_f64 shifted) {
    return gsf_f64_mul(a, gsf_f64_power((int)gsf_f64_sub(shifted, GSF_SHIFTER)));
}

/* The same with gradual underflow. */
GSF_FN gsf_f64 gsf_f64_scale(gsf_f64 a, gsf_f64 shifted) {
    const int n = (int)gsf_f64_sub(shifted, GSF_SHIFTER), half = (n - (n & 1)) / 2;
    return gsf_f64_mul(gsf_f64_mul(a, gsf_f64_power(half)), gsf_f64_power(n - half));
}
