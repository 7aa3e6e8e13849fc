/* The integrals on a straight piece, all 0 where it is not narrow. */
GSF_FN gsf_num_powers gsf_num_strip_powers(int narrow, gsf_num_edge left, gsf_num_edge right, gsf_num_pair width,
                                           gsf_num_deviation deviation) {
    gsf_num_powers none;
    if (narrow) {
        return gsf_num_powers_on(narrow, left, right, width, deviation);
    }
    memset(&none, 0, sizeof none);
    return none;
}

/* The integrals over a straight piece of 1 and tau, or of 1. */
GSF_FN void gsf_num_powers_integrals(const gsf_num_powers *powers, int count, gsf_num *sums) {
    gsf_num both[2];
    int j;
    gsf_num_powers_basis(*powers, both);
    for (j = 0; j < count; j++) {
        sums[j] = both[j];
    }
}

/* The integrals over a straight piece of A B, and of A (B - less) He_k(z) for 0 < k < orders, with A and
   B given by their coefficients of tau^j. */
GSF_FN void gsf_num_powers_products(const gsf_num_powers *powers, const gsf_num *a, const gsf_num *b,
                                    int count, gsf_num less, int orders, gsf_num *sums) {
    gsf_num first[2], second[2];
    first[0] = a[0];
    second[0] = b[0];
    first[1] = second[1] = gsf_num_of(0.0);
    if (count > 1) {
        first[1] = a[1];
        second[1] = b[1];
    }
    if (orders == 1) {
        gsf_num_powers_products_1(*powers, first, second, less, sums);
    } else {
        gsf_num_powers_products_3(*powers, first, second, less, sums);
    }
}
