/* The pieces of gamma around gamma, of so many functions, less their levels. */
GSF_FN void gsf_num_expand(gsf_num_sum *sum, int functions, gsf_num gamma, gsf_num_list *own) {
    const gsf_table *table = sum->tables[0];
    const gsf_num zero = gsf_num_of(0.0);
    const gsf_word *nearest[2] = {0, 0};
    gsf_num distance = gsf_num_of(GSF_INFINITY);
    gsf_num_pair from = gsf_num_pair_exact(zero);
    int piece, i, j, k, f;
    for (piece = 0; piece < table->knots; piece++) {
        if (gsf_num_lt(zero, gsf_num_pair_round(gsf_num_displacement(gamma, table->at[piece])))) {
            break;
        }
    }
    for (i = -2; i < table->centers; i++) {
        gsf_num_pair other;
        gsf_num size;
        const int knot = piece + 1 + i;
        if (i < 0) {
            if (knot < 0 || knot >= table->knots) {
                continue;
            }
            other = gsf_num_displacement(gamma, table->at[knot]);
        } else {
            if (table->center[i].piece != piece) {
                continue;
            }
            other = gsf_num_displacement(gamma, table->center[i].at);
        }
        size = gsf_num_abs(gsf_num_pair_round(other));
        if (gsf_num_lt(size, distance)) {
            distance = size;
            from = gsf_num_pair_neg(other);
            for (f = 0; f < functions; f++) {
                nearest[f] = i < 0 ? gsf_side(sum->tables[f], knot, i + 2 == 0)
                                   : sum->tables[f]->around + i * table->count;
            }
        }
    }
    for (f = 0; f < functions; f++) {
        gsf_num_pair *c = own[f].c;
        for (j = 0; j < table->count; j++) {
            /* None is near where gamma is as good as infinite. */
            c[j] = nearest[f] ? gsf_num_of_word(nearest[f][j]) : gsf_num_pair_exact(zero);
        }
        sum->levels[f].place = c[0];
        c[0] = gsf_num_pair_exact(zero);
        /* Horner's scheme again and again: what is left after step k is the coefficient k. */
        for (k = 0; k < table->count - 1; k++) {
            for (j = table->count - 2; j >= k; j--) {
                c[j] = gsf_num_shift_step(c[j], c[j + 1], from);
            }
        }
        sum->levels[f].offset = c[0];
        c[0] = gsf_num_pair_exact(zero);
    }
}
