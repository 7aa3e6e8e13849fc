/* Triple words: knots that are computed from parameters, to three times the precision of a double. */

GSF_FN gsf_triple gsf_triple_of(double high, double middle, double low) {
    gsf_triple triple;
    triple.high = high;
    triple.middle = middle;
    triple.low = low;
    return triple;
}

/* Words compare as their digits do. */
GSF_FN int gsf_triple_lt(gsf_triple a, gsf_triple b) {
    return a.high < b.high
        || (a.high == b.high && (a.middle < b.middle || (a.middle == b.middle && a.low < b.low)));
}

GSF_FN int gsf_triple_equals(gsf_triple a, gsf_triple b) {
    return a.high == b.high && a.middle == b.middle && a.low == b.low;
}

/* Where x lies among knots in ascending order: 2 i on piece i, 2 i + 1 on knot i. */
GSF_FN int gsf_place(double x, const gsf_triple *knots, int count) {
    const gsf_triple place = gsf_triple_of(x, 0.0, 0.0);
    int i;
    for (i = 0; i < count; i++) {
        if (gsf_triple_lt(place, knots[i])) {
            return 2 * i;
        }
        if (gsf_triple_equals(place, knots[i])) {
            return 2 * i + 1;
        }
    }
    return 2 * count;
}
