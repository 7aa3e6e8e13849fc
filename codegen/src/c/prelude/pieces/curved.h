/* Adds a panel on which g may be curved. */
GSF_FN void gsf_num_add_curved(gsf_num_sum *sum, gsf_num_panel panel, gsf_num_list *list) {
    const gsf_table *table = sum->tables[0];
    const int count = table->count;
    const gsf_num_stretch stretch = gsf_num_stretch_of(gsf_num_of(table->twice_all), panel, sum->deviation);
    const gsf_rule rule = gsf_num_rule_for(table, table->rules, stretch.fall);
    gsf_num mass = gsf_num_of(0.0), total = mass, derivatives[2];
    gsf_num_pair middle;
    gsf_num_around around;
    gsf_num_contribution contribution;
    gsf_num_values nodes;
    int i;
    derivatives[0] = derivatives[1] = mass;
    gsf_num_turn(panel, list, count);
    for (i = 0; i < rule.count; i++) {
        const gsf_row row = rule.rows[i];
        nodes.masses[i] = gsf_num_mass_at(row, panel.distance, stretch.length);
        nodes.values[i] = gsf_num_rise(list, count, gsf_num_place_at(row, stretch.width));
        mass = gsf_num_add(mass, nodes.masses[i]);
        total = gsf_num_mul_add(nodes.masses[i], nodes.values[i], total);
    }
    middle = gsf_num_middle_of(mass, total);
    memset(&around, 0, sizeof around);
    for (i = 0; i < rule.count; i++) {
        const gsf_row row = rule.rows[i];
        const gsf_num m = nodes.masses[i], t = gsf_num_sub(nodes.values[i], middle.high);
        const gsf_num z = gsf_num_z_at(row, panel.distance, stretch.length);
        if (sum->slopes) {
            const gsf_num w = gsf_num_mul(gsf_num_pair_round(stretch.width), gsf_num_of(row.node));
            gsf_num_derivatives(list, count, w, derivatives);
            around = gsf_num_around_with_slopes(around, m, t, z, derivatives[0], derivatives[1]);
        } else {
            around = gsf_num_around_with(around, m, t, z, derivatives[0], derivatives[1]);
        }
    }
    contribution = gsf_num_curved_contribution(panel, stretch.length, list->c[0], mass, middle.high, middle.low,
                                               around);
    sum->contribution = sum->slopes ? gsf_num_join_slopes(sum->contribution, contribution)
                                    : gsf_num_join(sum->contribution, contribution);
}
