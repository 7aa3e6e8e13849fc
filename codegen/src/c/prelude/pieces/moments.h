/* Mean and variance, or with their derivatives: 2 or 6 results. */
GSF_FN void gsf_num_sum_curved(const gsf_table *table, gsf_num gamma, gsf_num xi2, int count, gsf_num *out) {
    const int unit = -GSF_DENSITY_EXPONENT, exponent = table->exponent;
    const gsf_num cancels = gsf_num_of(table->cancels);
    gsf_num results[6];
    gsf_num_sum sum;
    int i;
    memset(&sum, 0, sizeof sum);
    sum.tables[0] = table;
    sum.deviation = gsf_num_deviation_of(xi2);
    sum.slopes = count > 2;
    gsf_num_walk_curved(&sum, gamma);
    if (sum.slopes) {
        gsf_num_sum_results_slopes(sum.contribution, sum.levels[0], sum.flux, sum.deviation, cancels, results);
    } else {
        gsf_num_sum_results(sum.contribution, sum.levels[0], sum.flux, sum.deviation, cancels, results);
    }
    for (i = 0; i < count; i++) {
        const int raised = i == 0 ? exponent : i == 2 || i == 3 ? exponent + unit : 2 * exponent + unit;
        out[i] = gsf_num_times_power(results[i], raised);
    }
}
