/* Whether gamma lies on a piece. */
GSF_FN int gsf_num_is_on(const gsf_num_edge *edges, int knots, int piece) {
    return (piece == 0 || !gsf_num_is_right(edges[piece - 1]))
        && (piece == knots || gsf_num_is_right(edges[piece]));
}

/* Whether the density at some knot is not negligible. */
GSF_FN int gsf_num_is_seen(const gsf_num_edge *edges, int knots) {
    int i, seen = 0;
    for (i = 0; i < knots; i++) {
        seen |= gsf_num_lt(gsf_num_of(GSF_NEGLIGIBLE), edges[i].h);
    }
    return seen;
}
