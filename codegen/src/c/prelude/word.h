/* Double words: what is computed from parameters, to twice the precision of a double. */

GSF_FN gsf_word gsf_word_of(double high, double low) {
    gsf_word word;
    word.high = high;
    word.low = low;
    return word;
}

GSF_FN gsf_word gsf_word_normal(double high, double low) {
    const gsf_f64_pair sum = gsf_f64_fast_two_sum(high, low);
    return gsf_is_finite(sum.low) ? gsf_word_of(sum.high, sum.low) : gsf_word_of(high, 0.0);
}

GSF_FN gsf_word gsf_word_negate(gsf_word a) {
    return gsf_word_of(-a.high, -a.low);
}

GSF_FN gsf_word gsf_word_add(gsf_word a, gsf_word b) {
    const gsf_f64_pair sum = gsf_f64_two_sum(a.high, b.high);
    const gsf_f64_pair lower = gsf_f64_two_sum(a.low, b.low);
    const gsf_word word = gsf_word_normal(sum.high, gsf_f64_add(sum.low, lower.high));
    return gsf_word_normal(word.high, gsf_f64_add(lower.low, word.low));
}

GSF_FN gsf_word gsf_word_multiply(gsf_word a, gsf_word b) {
    const gsf_f64_pair product = gsf_f64_two_product(a.high, b.high);
    const double cross = gsf_f64_mul_add(a.high, b.low, gsf_f64_mul(a.low, b.high));
    return gsf_word_normal(product.high, gsf_f64_add(product.low, cross));
}

GSF_FN gsf_word gsf_word_divide(gsf_word a, gsf_word b) {
    const double quotient = a.high / b.high;
    const gsf_word back = gsf_word_multiply(b, gsf_word_of(quotient, 0.0));
    const double rest =
        gsf_f64_add(gsf_f64_sub(a.high, back.high), gsf_f64_sub(a.low, back.low));
    return gsf_word_normal(quotient, rest / b.high);
}

/* Words compare as their digits do. */
GSF_FN int gsf_word_lt(gsf_word a, gsf_word b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

GSF_FN int gsf_word_equals(gsf_word a, gsf_word b) {
    return a.high == b.high && a.low == b.low;
}

GSF_FN int gsf_word_le(gsf_word a, gsf_word b) {
    return gsf_word_lt(a, b) || gsf_word_equals(a, b);
}
