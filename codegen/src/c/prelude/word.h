/* Double words: what is computed from parameters, to twice the precision of a double. */

GSF_FN gsf_word gsf_word_of(double high, double low) {
    gsf_word word;
    word.high = high;
    word.low = low;
    return word;
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
