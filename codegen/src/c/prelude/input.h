/* Whether u ~ N(gamma, xi2) is a distribution. */
GSF_FN int gsf_is_valid(double gamma, double xi2) {
    return gsf_is_finite(gamma) && gsf_is_finite(xi2) && xi2 >= 0.0;
}

/* Whether nothing has overflowed, as it may on the way with coefficients that are very large. */
GSF_FN int gsf_are_finite(const double *values, int count) {
    int i, finite = 1;
    for (i = 0; i < count; i++) {
        finite &= gsf_is_finite(values[i]);
    }
    return finite;
}

/* Whether |gamma| <= 2^size and 2^least <= xi2 <= 2^most, or xi2 is 0: the limits within which nothing leaves
   the range of double. */
GSF_FN int gsf_is_safe(double gamma, double xi2, int size, int least, int most) {
    return fabs(gamma) <= gsf_power_of_two(size)
        && (xi2 == 0.0 || (gsf_power_of_two(least) <= xi2 && xi2 <= gsf_power_of_two(most)));
}
