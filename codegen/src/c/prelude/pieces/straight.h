/* Adds a panel on which g is straight. */
GSF_FN void gsf_num_add_straight(gsf_num_sum *sum, gsf_num_panel panel, gsf_num_list *list) {
    const gsf_num_pair length = gsf_num_straight_length(panel, sum->deviation);
    const int is_narrow = gsf_num_is_narrow_panel(panel, length);
    const gsf_num_pair constant = list->c[0], slope = list->c[1];
    gsf_num_parts parts;
    if (sum->slopes) {
        parts = is_narrow ? gsf_num_by_series_slopes(panel, length) : gsf_num_by_tails_slopes(panel, length);
        sum->share = gsf_num_join_slopes(
            sum->share, gsf_num_straight_share_slopes(panel, constant, slope, sum->deviation, parts));
    } else {
        parts = is_narrow ? gsf_num_by_series(panel, length) : gsf_num_by_tails(panel, length);
        sum->share = gsf_num_join(
            sum->share, gsf_num_straight_share(panel, constant, slope, sum->deviation, parts));
    }
}

/* The tails at a knot, unless they are there. */
GSF_FN void gsf_num_take_tails(gsf_num_end *end) {
    if (!end->has_tails) {
        gsf_num_precise_tails_3(end->edge, end->tails);
    }
    end->has_tails = 1;
}
