/* Adds a panel to what two functions have in common. */
GSF_FN void gsf_num_add_common(gsf_num_sum *sum, gsf_num_panel panel, gsf_num_list *lists) {
    const gsf_table *table = sum->tables[0];
    const int count = table->count;
    const gsf_num_stretch stretch = gsf_num_stretch_of(gsf_num_of(table->twice_all), panel, sum->deviation);
    const gsf_rule rule = gsf_num_rule_for(table, GSF_RULES, stretch.fall);
    gsf_num mass = gsf_num_of(0.0), totals[2], middles[3], around[3];
    gsf_num_pair middle;
    gsf_num_values first, second;
    int i;
    totals[0] = totals[1] = around[0] = around[1] = around[2] = mass;
    gsf_num_turn(panel, &lists[0], count);
    gsf_num_turn(panel, &lists[1], count);
    for (i = 0; i < rule.count; i++) {
        const gsf_row row = rule.rows[i];
        const gsf_num_pair place = gsf_num_place_at(row, stretch.width);
        const gsf_num m = gsf_num_mass_at(row, panel.distance, stretch.length);
        first.masses[i] = m;
        first.values[i] = gsf_num_rise(&lists[0], count, place);
        second.values[i] = gsf_num_rise(&lists[1], count, place);
        mass = gsf_num_add(mass, m);
        totals[0] = gsf_num_mul_add(m, first.values[i], totals[0]);
        totals[1] = gsf_num_mul_add(m, second.values[i], totals[1]);
    }
    middle = gsf_num_middle_of(mass, totals[0]);
    middles[0] = middle.high;
    middles[1] = gsf_num_mul(totals[1], middle.low);
    middles[2] = middle.low;
    for (i = 0; i < rule.count; i++) {
        gsf_num_around_both(around[0], around[1], around[2], first.masses[i], first.values[i], second.values[i],
                            middles[0], middles[1], around);
    }
    sum->common = gsf_num_join_common(
        sum->common,
        gsf_num_common_of(panel, stretch.length, lists[0].c[0], lists[1].c[0], mass, middles, around));
}
