/* Adds all pieces. */
GSF_FN void gsf_num_walk_@kind@(gsf_num_sum *sum, gsf_num gamma) {
    const gsf_table *table = sum->tables[0];
    gsf_num_list own[@functions@], lists[@functions@];
    gsf_num_panel panel, inner = gsf_num_endless_from_gamma(1);
    gsf_num_end left, right;
    int piece, f, j;
    memset(&right, 0, sizeof right);
    memset(own, 0, sizeof own);
    left = right;
    gsf_num_expand(sum, @functions@, gamma, own);
    for (piece = 0; piece <= table->knots; piece++) {
        const int has_left = piece > 0, has_right = piece < table->knots;
        const int beyond = has_left && left.is_right;
        int before, here;
        if (has_right) {
            right = gsf_num_end_at(gamma, table->at[piece], sum->deviation);
        }
        before = has_right && !right.is_right;
        here = !beyond && !before;
        if (here) {
            /* From gamma to the left end comes last. */
            if (has_left) {
                inner = gsf_num_panel_from_gamma(left, 1);
            }
            panel = has_right ? gsf_num_panel_from_gamma(right, 0) : gsf_num_endless_from_gamma(0);
        } else if (before) {
            panel = has_left ? gsf_num_panel_beyond(right, gsf_num_of_word(table->widths[piece - 1]), 1)
                             : gsf_num_endless_beyond(right, 1);
        } else {
            panel = has_right ? gsf_num_panel_beyond(left, gsf_num_of_word(table->widths[piece - 1]), 0)
                              : gsf_num_endless_beyond(left, 0);
        }
        if (gsf_num_lt(gsf_num_of(0.0), gsf_num_pair_round(panel.density))) {
            for (f = 0; f < @functions@; f++) {
                gsf_num_pair *c = lists[f].c;
                if (here) {
                    lists[f] = own[f];
                } else {
                    const gsf_word *around = before ? gsf_side(sum->tables[f], piece, 0)
                                                    : gsf_side(sum->tables[f], piece - 1, 1);
                    c[0] = gsf_num_above(gsf_num_of_word(around[0]), sum->levels[f]);
                    for (j = 1; j < table->count; j++) {
                        c[j] = gsf_num_of_word(around[j]);
                    }
                }
            }
            gsf_num_add_@kind@(sum, panel, lists);
        }
        if (has_right && sum->slopes) {
            const double jump = gsf_jump(table, piece, 0), bend = gsf_jump(table, piece, 1);
            if (jump != 0.0 || bend != 0.0) {
                sum->flux = gsf_num_flux_with(
                    sum->flux, right.edge, gsf_num_of(jump), gsf_num_of(bend), sum->deviation);
            }
        }
        left = right;
    }
    gsf_num_add_@kind@(sum, inner, own);
}
