/* Triple words: knots that are computed from parameters, to three times the precision of a double. */

GSF_FN gsf_triple gsf_triple_of(double high, double middle, double low) {
    gsf_triple triple;
    triple.high = high;
    triple.middle = middle;
    triple.low = low;
    return triple;
}

/* The sum of words as one, the first being larger than the others together. */
GSF_FN gsf_triple gsf_triple_normal(double high, double middle, double low) {
    gsf_f64_pair upper, lower = gsf_f64_two_sum(middle, low);
    upper = gsf_f64_fast_two_sum(high, lower.high);
    lower = gsf_f64_fast_two_sum(upper.low, lower.low);
    return gsf_triple_of(upper.high, lower.high, lower.low);
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
    const gsf_f64_pair high = gsf_f64_two_sum(a.high, b.high);
    const gsf_f64_pair next = gsf_f64_two_sum(a.middle, b.middle);
    const gsf_f64_pair last = gsf_f64_two_sum(a.low, b.low);
    const gsf_f64_pair middle = gsf_f64_two_sum(next.high, high.low);
    const gsf_f64_pair lower = gsf_f64_two_sum(last.high, next.low);
    const gsf_f64_pair low = gsf_f64_two_sum(lower.high, middle.low);
    double words[4];
    int sweep, i;
    words[0] = high.high, words[1] = middle.high, words[2] = low.high;
    words[3] = gsf_f64_add(gsf_f64_add(lower.low, last.low), low.low);
    /* A sweep is exact, and so many order what has cancelled. */
    for (sweep = 1; sweep < 4; sweep++) {
        for (i = 3; i > 0; i--) {
            const gsf_f64_pair sum = gsf_f64_two_sum(words[i - 1], words[i]);
            words[i - 1] = sum.high;
            words[i] = sum.low;
        }
    }
    return gsf_triple_finite(gsf_triple_of(words[0], words[1], words[2]), a.high + b.high);
}

GSF_FN gsf_triple gsf_triple_multiply(gsf_triple a, gsf_triple b) {
    const gsf_f64_pair product = gsf_f64_two_product(a.high, b.high);
    const gsf_f64_pair left = gsf_f64_two_product(a.high, b.middle);
    const gsf_f64_pair right = gsf_f64_two_product(a.middle, b.high);
    const gsf_f64_pair sides = gsf_f64_two_sum(left.high, right.high);
    const gsf_f64_pair middle = gsf_f64_two_sum(sides.high, product.low);
    const double outer = gsf_f64_mul_add(a.high, b.low, gsf_f64_mul(a.low, b.high));
    const double cross = gsf_f64_mul_add(a.middle, b.middle, outer);
    const double lower = gsf_f64_add(gsf_f64_add(left.low, right.low),
                                     gsf_f64_add(sides.low, middle.low));
    const double low = gsf_f64_add(lower, cross);
    return gsf_triple_finite(gsf_triple_normal(product.high, middle.high, low), product.high);
}

GSF_FN gsf_triple gsf_triple_divide(gsf_triple a, gsf_triple b) {
    const double first = a.high / b.high;
    const gsf_f64_pair product = gsf_f64_two_product(first, b.high);
    const gsf_f64_pair next = gsf_f64_two_product(first, b.middle);
    const gsf_f64_pair middle = gsf_f64_two_sum(a.middle, -next.high);
    /* Exact, as the remainder of a quotient is. */
    const double remainder = gsf_f64_sub(gsf_f64_sub(a.high, product.high), product.low);
    const gsf_f64_pair sum = gsf_f64_two_sum(remainder, middle.high);
    const double cross = gsf_f64_sub(gsf_f64_sub(a.low, next.low), gsf_f64_mul(first, b.low));
    const double lower = gsf_f64_add(gsf_f64_add(middle.low, sum.low), cross);
    const gsf_f64_pair rest = gsf_f64_two_sum(sum.high, lower);
    const double second = rest.high / b.high;
    const gsf_f64_pair back = gsf_f64_two_product(second, b.high);
    const double left = gsf_f64_sub(gsf_f64_sub(rest.high, back.high), back.low);
    const double right = gsf_f64_sub(rest.low, gsf_f64_mul(second, b.middle));
    const double third = gsf_f64_add(left, right) / b.high;
    return gsf_triple_finite(gsf_triple_normal(first, second, third), first);
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
