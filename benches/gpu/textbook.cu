// What the emitted kernels are measured beside: copies of as many arrays, and the textbook forms in erfc and exp, in
// which the variance is E[g^2] - E[g]^2. They lose all digits in the tails, and are as fast as one can write them.

template <int OUT>
static __device__ void copy(size_t n, const float *gamma, const float *xi2, float *const *out) {
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float a = gamma[i], b = xi2[i];
#pragma unroll
        for (int k = 0; k < OUT; k++) {
            out[k][i] = a + b * (float)k;
        }
    }
}

extern "C" {

__global__ void copy_2(size_t n, const float *gamma, const float *xi2, float *a, float *b) {
    float *const out[] = {a, b};
    copy<2>(n, gamma, xi2, out);
}

__global__ void copy_6(size_t n, const float *gamma, const float *xi2, float *a, float *b, float *c, float *d,
        float *e, float *f) {
    float *const out[] = {a, b, c, d, e, f};
    copy<6>(n, gamma, xi2, out);
}

static __device__ float upper(float z) { return 0.5f * erfcf(z * 0.70710678f); }
static __device__ float density(float z) { return 0.39894228f * expf(-0.5f * z * z); }

#define TEXTBOOK(name) \
    __global__ void textbook_##name(size_t n, const float *gamma, const float *xi2, float *mean, float *variance) { \
        const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; \
        if (i < n) { \
            const float g = gamma[i], v = xi2[i], x = sqrtf(v), r = 1.0f / x; \
            float m, s; \
            name(g, v, x, r, &m, &s); \
            mean[i] = m; \
            variance[i] = s - m * m; \
        } \
    }

static __device__ void relu(float g, float v, float x, float r, float *m, float *s) {
    const float z = g * r, p = upper(-z), f = density(z);
    *m = g * p + x * f;
    *s = (g * g + v) * p + g * x * f;
}
TEXTBOOK(relu)

static __device__ void hard_tanh(float g, float v, float x, float r, float *m, float *s) {
    const float a = (-1.0f - g) * r, b = (1.0f - g) * r;
    const float qa = upper(a), qb = upper(b), fa = density(a), fb = density(b);
    const float left = 1.0f - qa, p = qa - qb;
    *m = -left + qb + g * p + x * (fa - fb);
    *s = left + qb + (g * g + v) * p + x * ((g - 1.0f) * fa - (g + 1.0f) * fb);
}
TEXTBOOK(hard_tanh)

static __device__ void soft_shrink(float g, float v, float x, float r, float *m, float *s) {
    const float a = (-0.5f - g) * r, b = (0.5f - g) * r;
    const float left = upper(-a), qb = upper(b), fa = density(a), fb = density(b), d = g - 0.5f, e = g + 0.5f;
    *m = e * left - x * fa + d * qb + x * fb;
    *s = (e * e + v) * left - x * e * fa + (d * d + v) * qb + x * d * fb;
}
TEXTBOOK(soft_shrink)

static __device__ void hard_shrink(float g, float v, float x, float r, float *m, float *s) {
    const float a = (-0.5f - g) * r, b = (0.5f - g) * r;
    const float p = upper(-a) + upper(b), fa = density(a), fb = density(b);
    *m = g * p + x * (fb - fa);
    *s = (g * g + v) * p + x * ((g + 0.5f) * fb - (g - 0.5f) * fa);
}
TEXTBOOK(hard_shrink)

static __device__ void hat(float g, float v, float x, float r, float *m, float *s) {
    const float a = (-1.0f - g) * r, b = -g * r, c = (1.0f - g) * r;
    const float qa = upper(a), qb = upper(b), qc = upper(c), fa = density(a), fb = density(b), fc = density(c);
    const float d = g + 1.0f, e = 1.0f - g;
    *m = d * (qa - qb) + x * (fa - fb) + e * (qb - qc) - x * (fb - fc);
    *s = (d * d + v) * (qa - qb) + x * (d * fa - (d + 1.0f) * fb)
        + (e * e + v) * (qb - qc) - x * ((e + 1.0f) * fb - e * fc);
}
TEXTBOOK(hat)

// Over a bounded piece g = q0 + q1 z + q2 z^2, from the moments of z there.
static __device__ void hard_swish(float g, float v, float x, float r, float *m, float *s) {
    const float a = (-3.0f - g) * r, b = (3.0f - g) * r;
    const float qa = upper(a), qb = upper(b), fa = density(a), fb = density(b);
    const float i0 = qa - qb, i1 = fa - fb, i2 = i0 + a * fa - b * fb, i3 = 2.0f * i1 + a * a * fa - b * b * fb;
    const float i4 = 3.0f * i2 + a * a * a * fa - b * b * b * fb;
    const float q0 = g * (g + 3.0f) / 6.0f, q1 = x * (2.0f * g + 3.0f) / 6.0f, q2 = v / 6.0f;
    *m = q0 * i0 + q1 * i1 + q2 * i2 + g * qb + x * fb;
    *s = q0 * q0 * i0 + 2.0f * q0 * q1 * i1 + (q1 * q1 + 2.0f * q0 * q2) * i2 + 2.0f * q1 * q2 * i3 + q2 * q2 * i4
        + (g * g + v) * qb + x * (g + 3.0f) * fb;
}
TEXTBOOK(hard_swish)
}
