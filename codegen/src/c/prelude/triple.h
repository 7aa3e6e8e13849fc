/* Triple words: knots that are computed from parameters, to three times the precision of a double. */

GSF_FN gsf_triple gsf_triple_of(double high, double middle, double low) {
    gsf_triple triple;
    triple.high = high;
    triple.middle = middle;
    triple.low = low;
    return triple;
}

/* The sum of any words: a sweep is exact and moves what cancels to the end. */
GSF_FN gsf_triple gsf_triple_normal(double *words, int count) {
    int sweep, i;
    for (sweep = 1; sweep < count; sweep++) {
        for (i = count - 1; i > 0; i--) {
            const gsf_f64_pair sum = gsf_f64_two_sum(words[i - 1], words[i]);
            words[i - 1] = sum.high;
            words[i] = sum.low;
        }
    }
    return gsf_triple_of(words[0], words[1], words[2]);
}

/* The words if they are numbers, and a plain number if not. */
GSF_FN gsf_triple gsf_triple_finite(gsf_triple a, double plain) {
    const int finite = gsf_is_finite(a.high) && gsf_is_finite(a.middle) && gsf_is_finite(a.low);
    return finite ? a : gsf_triple_of(plain, 0.0, 0.0);
}

GSF_FN gsf_triple gsf_triple_negate(gsf_triple a) {
    return gsf_triple_of(-a.high, -a.middle, -a.low);
}

GSF_FN gsf_triple gsf_triple_add(gsf_triple a, gsf_triple b) {
    double words[6];
    words[0] = a.high, words[1] = b.high;
    words[2] = a.middle, words[3] = b.middle;
    words[4] = a.low, words[5] = b.low;
    return gsf_triple_finite(gsf_triple_normal(words, 6), a.high + b.high);
}

GSF_FN gsf_triple gsf_triple_multiply(gsf_triple a, gsf_triple b) {
    const gsf_f64_pair product = gsf_f64_two_product(a.high, b.high);
    const gsf_f64_pair left = gsf_f64_two_product(a.high, b.middle);
    const gsf_f64_pair right = gsf_f64_two_product(a.middle, b.high);
    const double outer = gsf_f64_mul_add(a.high, b.low, gsf_f64_mul(a.low, b.high));
    const double cross = gsf_f64_mul_add(a.middle, b.middle, outer);
    double words[5];
    words[0] = product.high, words[1] = product.low;
    words[2] = left.high, words[3] = right.high;
    words[4] = gsf_f64_add(gsf_f64_add(left.low, right.low), cross);
    return gsf_triple_finite(gsf_triple_normal(words, 5), product.high);
}

GSF_FN gsf_triple gsf_triple_divide(gsf_triple a, gsf_triple b) {
    const double first = a.high / b.high;
    gsf_f64_pair product = gsf_f64_two_product(first, b.high);
    const gsf_f64_pair next = gsf_f64_two_product(first, b.middle);
    double words[4], second, third;
    gsf_triple rest;
    /* Exact, as the remainder of a quotient is. */
    words[0] = gsf_f64_sub(gsf_f64_sub(a.high, product.high), product.low);
    words[1] = a.middle, words[2] = -next.high;
    words[3] = gsf_f64_sub(gsf_f64_sub(a.low, next.low), gsf_f64_mul(first, b.low));
    rest = gsf_triple_normal(words, 4);
    second = rest.high / b.high;
    product = gsf_f64_two_product(second, b.high);
    third = gsf_f64_sub(gsf_f64_sub(rest.high, product.high), product.low);
    third = gsf_f64_add(third, gsf_f64_sub(rest.middle, gsf_f64_mul(second, b.middle)));
    words[0] = first, words[1] = second, words[2] = third / b.high;
    return gsf_triple_finite(gsf_triple_normal(words, 3), first);
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
