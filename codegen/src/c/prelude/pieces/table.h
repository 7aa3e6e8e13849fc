/* A node of a rule in two words, and its weight. */
typedef struct {
    double node, low, weight;
} gsf_row;

/* A Gauss-Legendre rule on [0, 1], for panels on which the density falls by e to this power at most. */
typedef struct {
    const gsf_row *rows;
    int count;
    double most_fall;
} gsf_rule;

/* A place around which a piece is given. */
typedef struct {
    int piece;
    gsf_triple at;
} gsf_center;

/* A piecewise polynomial g, 2^exponent times that of the coefficients: count of them for each polynomial, in powers
   of the distance from a place, the constant first. */
typedef struct {
    int count, exponent, knots, centers;
    const gsf_triple *at;
    /* Of the bounded pieces. */
    const gsf_word *widths;
    /* For each knot the piece to its left and the piece to its right, around the knot. */
    const gsf_word *sides;
    const gsf_center *center;
    /* For each center its piece. */
    const gsf_word *around;
    /* How many rules the moments take, and all. */
    int rules;
    gsf_rule rule[GSF_RULES];
    /* Twice the fall of the density beyond which nothing is left, and by how much plain sums may cancel. */
    double twice_all, cancels;
} gsf_table;

/* The polynomial on one side of a knot: 0 is the left one. */
GSF_FN const gsf_word *gsf_side(const gsf_table *table, int knot, int side) {
    return table->sides + (2 * knot + side) * table->count;
}

/* The jump at a knot of g or of a derivative of its, divided by 2^exponent. */
GSF_FN double gsf_jump(const gsf_table *table, int knot, int order) {
    const gsf_word left = gsf_side(table, knot, 0)[order], right = gsf_side(table, knot, 1)[order];
    return (right.high - left.high) + (right.low - left.low);
}

/* a 2^exponent, rounded once if at all. */
GSF_FN double gsf_scaled(double a, int exponent) {
    while (exponent != 0) {
        const int step = exponent > 900 ? 900 : exponent < -900 ? -900 : exponent;
        a *= gsf_power_of_two(step);
        exponent -= step;
    }
    return a;
}

/* Takes a power of two out of coefficients that are far from 1, and gives its exponent: `count` of them a polynomial. Of
   constants their jumps at the knots count alone. */
GSF_FN int gsf_take_power(gsf_word *c, int all, int count, int knots) {
    double largest = 0.0;
    int i, exponent;
    for (i = 0; i < all; i++) {
        const int is_constant = i % count == 0, is_right = i / count % 2 == 1;
        const double size = !is_constant ? fabs(c[i].high)
            : is_right && i / count < 2 * knots ? fabs(c[i].high - c[i - count].high) : 0.0;
        largest = size > largest ? size : largest;
    }
    exponent = (int)((gsf_bits(largest) >> 52) & 0x7FF) - 1023;
    if (largest == 0.0 || !gsf_is_finite(largest) || (exponent > -64 && exponent < 64)) {
        return 0;
    }
    for (i = 0; i < all; i++) {
        c[i].high = gsf_scaled(c[i].high, -exponent);
        c[i].low = gsf_scaled(c[i].low, -exponent);
    }
    return exponent;
}
