/* a 2^exponent */
GSF_FN gsf_num gsf_num_times_power(gsf_num a, int exponent) {
    while (exponent != 0) {
        const int most = GSF_MOST_EXPONENT;
        const int step = exponent > most ? most : exponent < -most ? -most : exponent;
        a = gsf_num_mul(a, gsf_num_of(gsf_power_of_two(step)));
        exponent -= step;
    }
    return a;
}
