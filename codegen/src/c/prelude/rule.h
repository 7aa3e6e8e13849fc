/* A node of a Gauss-Legendre rule on [0, 1], the one that mirrors it, and the weight of each. */
typedef struct {
    double near, far, weight;
} gsf_node;

/* A pair of nodes of the Gauss-Legendre rule on [0, 1]. */
GSF_FN gsf_node gsf_node_at(int pair) {
    static const gsf_node nodes[GSF_PAIRS] = GSF_NODES;
    return nodes[pair];
}

/* x^j (1 - x)^(count-1-j) at the first node of a pair; at the other they are the same in the other
   order. */
GSF_FN void gsf_basis(gsf_node node, int count, double *basis) {
    double power = 1.0;
    int j;
    basis[0] = 1.0;
    for (j = 1; j < count; j++) {
        basis[j] = basis[j - 1] * node.near;
    }
    for (j = count - 2; j >= 0; j--) {
        power *= node.far;
        basis[j] *= power;
    }
}
