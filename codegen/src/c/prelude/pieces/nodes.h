/* The rule for a panel on which the density falls so far: one of the first ones. */
GSF_FN gsf_rule gsf_num_rule_for(const gsf_table *table, int rules, gsf_num fall) {
    int i = 0;
    while (i < rules - 1 && !gsf_num_le(fall, gsf_num_of(table->rule[i].most_fall))) {
        i++;
    }
    return table->rule[i];
}

/* A polynomial in the direction of a panel. */
GSF_FN void gsf_num_turn(gsf_num_panel panel, gsf_num_list *list, int count) {
    int j;
    for (j = 1; j < count && panel.leftward; j += 2) {
        list->c[j] = gsf_num_pair_neg(list->c[j]);
    }
}

/* A polynomial less its constant. */
GSF_FN gsf_num gsf_num_rise(const gsf_num_list *list, int count, gsf_num_pair w) {
    gsf_num_pair sum = list->c[count - 1];
    int j;
    if (count <= GSF_CANCELS_FROM) {
        const gsf_num plain_w = gsf_num_pair_round(w);
        gsf_num plain = gsf_num_pair_round(sum);
        for (j = count - 2; j >= 1; j--) {
            plain = gsf_num_mul_add(plain, plain_w, gsf_num_pair_round(list->c[j]));
        }
        return gsf_num_mul(plain, plain_w);
    }
    for (j = count - 2; j >= 1; j--) {
        sum = gsf_num_pair_add(gsf_num_pair_mul(sum, w), list->c[j]);
    }
    return gsf_num_pair_round(gsf_num_pair_mul(sum, w));
}

/* Its first two derivatives. */
GSF_FN void gsf_num_derivatives(const gsf_num_list *list, int count, gsf_num w, gsf_num *out) {
    int j;
    out[0] = out[1] = gsf_num_of(0.0);
    for (j = count - 1; j >= 1; j--) {
        const gsf_num c = gsf_num_pair_round(list->c[j]);
        if (j >= 2) {
            out[1] = gsf_num_mul_add(out[1], w, gsf_num_mul(gsf_num_of((double)j * (double)(j - 1)), c));
        }
        out[0] = gsf_num_mul_add(out[0], w, gsf_num_mul(gsf_num_of((double)j), c));
    }
}
