/* The derivatives of mean, second moment and variance in a parameter, from that of the function at a fixed place and
   those of the knots. */
GSF_FN void gsf_num_tangent(const gsf_table *table, const gsf_table *rate, const double *motion, gsf_num gamma,
                            gsf_num xi2, gsf_num *out) {
    const int unit = -GSF_DENSITY_EXPONENT, exponent = table->exponent;
    gsf_num_sum sum;
    gsf_num mean, mean_rate, product, flux[2];
    int knot;
    memset(&sum, 0, sizeof sum);
    sum.tables[0] = table;
    sum.tables[1] = rate;
    sum.deviation = gsf_num_deviation_of(xi2);
    gsf_num_walk_common(&sum, gamma);
    flux[0] = flux[1] = gsf_num_of(0.0);
    for (knot = 0; knot < table->knots; knot++) {
        const double jump = gsf_jump(table, knot, 0);
        if (jump * motion[knot] != 0.0) {
            const gsf_num_end end = gsf_num_end_at(gamma, table->at[knot], sum.deviation);
            const gsf_num_pair left = gsf_num_of_word(gsf_side(table, knot, 0)[0]);
            const gsf_num_pair right = gsf_num_of_word(gsf_side(table, knot, 1)[0]);
            gsf_num_moved(flux, gsf_num_of(-jump * motion[knot]), end.edge, left, right, sum.levels[0],
                          sum.common.means[0], sum.deviation, flux);
        }
    }
    mean = gsf_num_times_power(gsf_num_total(sum.levels[0], sum.common.means[0]), exponent);
    mean_rate = gsf_num_times_power(gsf_num_total(sum.levels[1], sum.common.means[1]), rate->exponent);
    flux[0] = gsf_num_times_power(flux[0], exponent + unit);
    flux[1] = gsf_num_times_power(flux[1], 2 * exponent + unit);
    product = gsf_num_add(sum.common.product, sum.common.product);
    product = gsf_num_times_power(product, exponent + rate->exponent + unit);
    gsf_num_tangent_results(mean, mean_rate, product, flux, out);
}
