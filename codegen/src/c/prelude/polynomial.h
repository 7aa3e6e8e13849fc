/* sum c[j] x^j in double words. */
GSF_FN gsf_num_pair gsf_num_polynomial_of(const gsf_word *c, int count, gsf_num_pair x) {
    gsf_num_pair value;
    gsf_num plain;
    int j;
    if (count == 0) {
        return gsf_num_pair_exact(gsf_num_of(0.0));
    }
    value = gsf_num_of_word(c[count - 1]);
    for (j = count - 2; j >= 0; j--) {
        value = gsf_num_polynomial_step(value, x, gsf_num_of_word(c[j]));
    }
    if (gsf_num_lt(gsf_num_abs(value.high), gsf_num_of(GSF_INFINITY))) {
        return value;
    }
    /* A splitting has overflowed. */
    plain = gsf_num_of(c[count - 1].high);
    for (j = count - 2; j >= 0; j--) {
        plain = gsf_num_add(gsf_num_mul(plain, x.high), gsf_num_of(c[j].high));
    }
    return gsf_num_pair_exact(plain);
}

GSF_FN gsf_num_pair gsf_num_polynomial(const gsf_word *c, int count, gsf_num x) {
    return gsf_num_polynomial_of(c, count, gsf_num_pair_exact(x));
}

/* The same in powers of x - t, of which two words are used. */
GSF_FN gsf_num_pair gsf_num_polynomial_around(const gsf_word *c, int count, gsf_triple t, gsf_num x) {
    const gsf_num_pair knot = gsf_num_pair_of(gsf_num_of(t.high), gsf_num_of(t.middle));
    return gsf_num_polynomial_of(c, count, gsf_num_distance(x, knot));
}
