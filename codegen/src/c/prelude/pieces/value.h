/* g(x) between knots. */
GSF_FN double gsf_between_knots(const gsf_table *table, double x) {
    const gsf_triple place = gsf_triple_of(x, 0.0, 0.0);
    const int piece = gsf_place(x, table->at, table->knots) / 2;
    const gsf_word *c = 0;
    gsf_triple distance = place, value;
    int i;
    for (i = -2; i < table->centers; i++) {
        const gsf_word *around;
        gsf_triple other;
        if (i < 0) {
            /* The knots at the ends of the piece, the left one first. */
            const int knot = piece + 1 + i;
            if (knot < 0 || knot >= table->knots) {
                continue;
            }
            other = table->at[knot];
            around = gsf_side(table, knot, i + 2 == 0);
        } else {
            if (table->center[i].piece != piece) {
                continue;
            }
            other = table->center[i].at;
            around = table->around + i * table->count;
        }
        other = gsf_triple_add(place, gsf_triple_negate(other));
        if (c == 0 || fabs(other.high) < fabs(distance.high)) {
            c = around;
            distance = other;
        }
    }
    /* So that a distance may be infinite. */
    for (i = table->count - 1; i > 0 && c[i].high == 0.0; i--) {
    }
    value = gsf_triple_of(c[i].high, c[i].low, 0.0);
    for (i--; i >= 0; i--) {
        value = gsf_triple_add(gsf_triple_multiply(value, distance), gsf_triple_of(c[i].high, c[i].low, 0.0));
    }
    return gsf_scaled(value.high, table->exponent);
}
