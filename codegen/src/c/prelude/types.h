/* A number to twice the precision. */
typedef struct {
    gsf_num high, low;
} gsf_num_pair;

/* xi, 1/xi, and what the root of xi2 lost: the true root is xi + lost. */
typedef struct {
    gsf_num xi, inverse, lost;
} gsf_num_deviation;

/* A knot t seen from gamma: z = (t - gamma)/xi, s = |z| up to a cut-off, d = t - gamma within it, and the
   density h = phi(s) there, in units of GSF_DENSITY_UNIT, and what rounding took from h and s. */
typedef struct {
    gsf_num z, s, d, h, h_low, s_low;
} gsf_num_edge;

/* The integrals of tau^k over a narrow piece, tau from -1 to 1, divided by a scale, with the density in its unit; its
   middle and half its width, in units of xi. */
typedef struct {
    gsf_num integrals[5], scale, middle, half;
} gsf_num_powers;

GSF_FN gsf_num gsf_num_mul_sub(gsf_num a, gsf_num b, gsf_num c) {
    return gsf_num_mul_add(a, b, gsf_num_neg(c));
}

/* c - a b */
GSF_FN gsf_num gsf_num_neg_mul_add(gsf_num a, gsf_num b, gsf_num c) {
    return gsf_num_mul_add(gsf_num_neg(a), b, c);
}

/* The larger and the smaller one; b if a is NaN. */
GSF_FN gsf_num gsf_num_max(gsf_num a, gsf_num b) {
    return gsf_num_select(gsf_num_lt(b, a), a, b);
}

GSF_FN gsf_num gsf_num_min(gsf_num a, gsf_num b) {
    return gsf_num_select(gsf_num_lt(a, b), a, b);
}

GSF_FN gsf_num_pair gsf_num_pair_of(gsf_num high, gsf_num low) {
    gsf_num_pair pair;
    pair.high = high;
    pair.low = low;
    return pair;
}

GSF_FN gsf_num_pair gsf_num_of_word(gsf_word word) {
    /* An infinite difference has no low word. */
    const double low = gsf_is_finite(word.low) ? word.low : 0.0;
    return gsf_num_pair_of(gsf_num_of(word.high), gsf_num_of(low));
}

GSF_FN gsf_num_pair gsf_num_pair_exact(gsf_num a) { return gsf_num_pair_of(a, gsf_num_of(0.0)); }
