/* The nodes on a narrow piece: the density times the weight at each, less that at the edge that is nearer to gamma,
   from which x and z count. No pairs where there is no mass. */
typedef struct {
    gsf_num_span span;
    int pairs;
    gsf_num mass[2 * GSF_PAIRS];
} gsf_num_nodes;

GSF_FN gsf_num_nodes gsf_num_strip_nodes(int narrow, gsf_num_edge left, gsf_num_edge right, gsf_num_pair width,
                                         gsf_num_deviation deviation) {
    gsf_num_nodes nodes;
    int i;
    nodes.span = gsf_num_span_on(narrow, left, right, width, deviation);
    nodes.pairs = gsf_num_lt(gsf_num_of(0.0), nodes.span.h) ? GSF_PAIRS : 0;
    for (i = 0; i < 2 * nodes.pairs; i++) {
        const gsf_node node = gsf_node_at(i / 2);
        const gsf_num x = gsf_num_of(i % 2 == 0 ? node.near : node.far), weight = gsf_num_of(node.weight);
        nodes.mass[i] = gsf_num_node_mass(nodes.span.zeta, nodes.span.omega, weight, x);
    }
    return nodes;
}

/* The integrals over a piece of x^j (1 - x)^(count-1-j), with x from 0 to 1 over the piece; 0 where
   it is not narrow. */
GSF_FN void gsf_num_nodes_integrals(const gsf_num_nodes *nodes, int count, gsf_num *sums) {
    const gsf_num zero = gsf_num_of(0.0);
    int i, j;
    for (j = 0; j < count; j++) {
        sums[j] = zero;
    }
    /* Counted from the nearer edge until the end. */
    for (i = 0; i < nodes->pairs; i++) {
        double basis[GSF_MAX_BASIS];
        gsf_basis(gsf_node_at(i), count, basis);
        for (j = 0; j < count; j++) {
            const gsf_num value = gsf_num_of(basis[j]), mirrored = gsf_num_of(basis[count - 1 - j]);
            sums[j] = gsf_num_mul_add(nodes->mass[2 * i], value, sums[j]);
            sums[j] = gsf_num_mul_add(nodes->mass[2 * i + 1], mirrored, sums[j]);
        }
    }
    for (j = 0; j < count && nodes->pairs > 0; j++) {
        sums[j] = gsf_num_mul_add(nodes->span.h, sums[j], zero);
    }
    for (j = 0; j < count / 2 && !nodes->span.from_left; j++) {
        const gsf_num first = sums[j];
        sums[j] = sums[count - 1 - j];
        sums[count - 1 - j] = first;
    }
}

/* The integrals over a piece of A B, and of A (B - less) He_k(z) for 0 < k < orders, with A and B given
   by their coefficients of x^j (1 - x)^(count-1-j); 0 where the piece is not narrow. */
GSF_FN void gsf_num_nodes_products(const gsf_num_nodes *nodes, const gsf_num *a, const gsf_num *b,
                                   int count, gsf_num less, int orders, gsf_num *sums) {
    const gsf_num zero = gsf_num_of(0.0);
    gsf_num h = nodes->span.h;
    int i, j, k;
    for (k = 0; k < orders; k++) {
        sums[k] = zero;
    }
    for (i = 0; i < 2 * nodes->pairs; i++) {
        const gsf_node node = gsf_node_at(i / 2);
        const gsf_num x = gsf_num_of(i % 2 == 0 ? node.near : node.far);
        gsf_num first = zero, second = zero;
        double basis[GSF_MAX_BASIS];
        gsf_basis(node, count, basis);
        for (j = 0; j < count; j++) {
            const int place = nodes->span.from_left ? j : count - 1 - j;
            const gsf_num value = gsf_num_of(basis[i % 2 == 0 ? j : count - 1 - j]);
            first = gsf_num_mul_add(a[place], value, first);
            second = gsf_num_mul_add(b[place], value, second);
        }
        if (orders == 1) {
            gsf_num_node_products_1(nodes->span.zeta, nodes->span.omega, x, nodes->mass[i], first, second, less,
                                    sums, sums);
        } else {
            gsf_num_node_products_3(nodes->span.zeta, nodes->span.omega, x, nodes->mass[i], first, second, less,
                                    sums, sums);
        }
    }
    /* z was counted in the direction of the piece. */
    for (k = 0; k < orders && nodes->pairs > 0; k++) {
        sums[k] = gsf_num_mul_add(h, sums[k], zero);
        h = gsf_num_select(nodes->span.from_left, h, gsf_num_neg(h));
    }
}
