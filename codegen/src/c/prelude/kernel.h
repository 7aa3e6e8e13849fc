/* A number to twice the precision. */
typedef struct {
    gsf_num high, low;
} gsf_num_pair;

/* xi, 1/xi, and what the root of xi2 lost: the true root is xi + lost. */
typedef struct {
    gsf_num xi, inverse, lost;
} gsf_num_deviation;

/* A knot t seen from gamma: z = (t - gamma)/xi, s = |z| up to a cut-off, d = t - gamma within it, and the
   density h = phi(s) there, in units of GSF_DENSITY_UNIT, and what rounding took from h and s. */
typedef struct {
    gsf_num z, s, d, h, h_low, s_low;
} gsf_num_edge;

/* The nodes on a narrow piece: the density times the weight at each, less the density h at the
   edge that is nearer to gamma; x and z count from there. No pairs where there is no mass. */
typedef struct {
    gsf_num h, zeta, omega;
    int from_left, pairs;
    gsf_num mass[2 * GSF_PAIRS];
} gsf_num_nodes;

/* The integrals of tau^k over a narrow piece, tau from -1 to 1, less a scale, with the density in its unit; its
   middle and half its width, in units of xi. */
typedef struct {
    gsf_num integrals[5], scale, middle, half;
} gsf_num_powers;

GSF_FN gsf_num gsf_num_mul_sub(gsf_num a, gsf_num b, gsf_num c) {
    return gsf_num_mul_add(a, b, gsf_num_neg(c));
}

/* c - a b */
GSF_FN gsf_num gsf_num_neg_mul_add(gsf_num a, gsf_num b, gsf_num c) {
    return gsf_num_mul_add(gsf_num_neg(a), b, c);
}

GSF_FN gsf_num_pair gsf_num_pair_of(gsf_num high, gsf_num low) {
    gsf_num_pair pair;
    pair.high = high;
    pair.low = low;
    return pair;
}

GSF_FN gsf_num_pair gsf_num_of_word(gsf_word word) {
    /* An infinite difference has no low word. */
    const double low = gsf_is_finite(word.low) ? word.low : 0.0;
    return gsf_num_pair_of(gsf_num_of(word.high), gsf_num_of(low));
}

/* The first two words of a knot. */
GSF_FN gsf_num_pair gsf_num_of_knot(gsf_triple knot) {
    return gsf_num_pair_of(gsf_num_of(knot.high), gsf_num_of(knot.middle));
}

/* a + b and its rounding error. */
GSF_FN gsf_num_pair gsf_num_two_sum(gsf_num a, gsf_num b) {
    const gsf_num sum = gsf_num_add(a, b);
    const gsf_num b_part = gsf_num_sub(sum, a);
    const gsf_num a_part = gsf_num_sub(sum, b_part);
    const gsf_num error = gsf_num_add(gsf_num_sub(a, a_part), gsf_num_sub(b, b_part));
    return gsf_num_pair_of(sum, error);
}

/* The same for |a| >= |b| or a = 0. */
GSF_FN gsf_num_pair gsf_num_fast_two_sum(gsf_num a, gsf_num b) {
    const gsf_num sum = gsf_num_add(a, b);
    return gsf_num_pair_of(sum, gsf_num_sub(b, gsf_num_sub(sum, a)));
}

/* a = high + low, each with half of the bits. */
GSF_FN gsf_num_pair gsf_num_split(gsf_num a) {
    const gsf_num c = gsf_num_mul(gsf_num_of(GSF_SPLITTER), a);
    const gsf_num high = gsf_num_sub(c, gsf_num_sub(c, a));
    return gsf_num_pair_of(high, gsf_num_sub(a, high));
}

/* a b and its rounding error. */
GSF_FN gsf_num_pair gsf_num_two_product(gsf_num a, gsf_num b) {
    const gsf_num product = gsf_num_mul(a, b);
    gsf_num_pair left, right;
    gsf_num error;
    if (GSF_NUM_FUSED) {
        return gsf_num_pair_of(product, gsf_num_mul_sub(a, b, product));
    }
    left = gsf_num_split(a);
    right = gsf_num_split(b);
    error = gsf_num_sub(gsf_num_mul(left.high, right.high), product);
    error = gsf_num_add(error, gsf_num_mul(left.high, right.low));
    error = gsf_num_add(error, gsf_num_mul(left.low, right.high));
    error = gsf_num_add(error, gsf_num_mul(left.low, right.low));
    return gsf_num_pair_of(product, error);
}

/* a^2 and its rounding error. */
GSF_FN gsf_num_pair gsf_num_two_square(gsf_num a) {
    const gsf_num product = gsf_num_mul(a, a);
    gsf_num_pair half;
    gsf_num cross, error;
    if (GSF_NUM_FUSED) {
        return gsf_num_pair_of(product, gsf_num_mul_sub(a, a, product));
    }
    half = gsf_num_split(a);
    cross = gsf_num_mul(half.high, half.low);
    error = gsf_num_sub(gsf_num_mul(half.high, half.high), product);
    error = gsf_num_add(error, gsf_num_add(cross, cross));
    error = gsf_num_add(error, gsf_num_mul(half.low, half.low));
    return gsf_num_pair_of(product, error);
}

/* Numbers to twice the precision, for sums that cancel: what rounding takes from the high word is in
   the low one. */
GSF_FN gsf_num_pair gsf_num_pair_exact(gsf_num a) { return gsf_num_pair_of(a, gsf_num_of(0.0)); }

GSF_FN gsf_num_pair gsf_num_pair_words(double high, double low) {
    return gsf_num_pair_of(gsf_num_of(high), gsf_num_of(low));
}

GSF_FN gsf_num gsf_num_pair_round(gsf_num_pair a) { return gsf_num_add(a.high, a.low); }

GSF_FN gsf_num_pair gsf_num_pair_neg(gsf_num_pair a) {
    return gsf_num_pair_of(gsf_num_neg(a.high), gsf_num_neg(a.low));
}

GSF_FN gsf_num_pair gsf_num_pair_add(gsf_num_pair a, gsf_num_pair b) {
    const gsf_num_pair sum = gsf_num_two_sum(a.high, b.high);
    return gsf_num_pair_of(sum.high, gsf_num_add(sum.low, gsf_num_add(a.low, b.low)));
}

GSF_FN gsf_num_pair gsf_num_pair_sub(gsf_num_pair a, gsf_num_pair b) {
    return gsf_num_pair_add(a, gsf_num_pair_neg(b));
}

GSF_FN gsf_num_pair gsf_num_pair_mul(gsf_num_pair a, gsf_num_pair b) {
    const gsf_num_pair product = gsf_num_two_product(a.high, b.high);
    const gsf_num low = gsf_num_mul_add(a.low, b.high, product.low);
    return gsf_num_pair_of(product.high, gsf_num_mul_add(a.high, b.low, low));
}

GSF_FN gsf_num_pair gsf_num_pair_select(int mask, gsf_num_pair yes, gsf_num_pair no) {
    return mask ? yes : no;
}

/* sum c[j] x^j by Horner's rule. */
GSF_FN gsf_num gsf_num_horner(const double *c, int count, gsf_num x) {
    gsf_num sum = gsf_num_of(c[count - 1]);
    int j;
    for (j = count - 2; j >= 0; j--) {
        sum = gsf_num_mul_add(sum, x, gsf_num_of(c[j]));
    }
    return sum;
}

/* sum c[j] x^j in double words. */
GSF_FN gsf_num_pair gsf_num_polynomial_of(const gsf_word *c, int count, gsf_num_pair x) {
    gsf_num_pair value;
    gsf_num plain;
    int j;
    if (count == 0) {
        return gsf_num_pair_exact(gsf_num_of(0.0));
    }
    value = gsf_num_of_word(c[count - 1]);
    for (j = count - 2; j >= 0; j--) {
        const gsf_num_pair term = gsf_num_of_word(c[j]);
        const gsf_num_pair product = gsf_num_two_product(value.high, x.high);
        const gsf_num_pair sum = gsf_num_two_sum(product.high, term.high);
        const gsf_num cross = gsf_num_mul_add(value.low, x.high, gsf_num_mul(value.high, x.low));
        const gsf_num lower = gsf_num_add(product.low, cross);
        const gsf_num error = gsf_num_add(lower, gsf_num_add(sum.low, term.low));
        value = gsf_num_fast_two_sum(sum.high, error);
    }
    if (gsf_num_lt(gsf_num_abs(value.high), gsf_num_of(GSF_INFINITY))) {
        return value;
    }
    /* A splitting has overflowed. */
    plain = gsf_num_of(c[count - 1].high);
    for (j = count - 2; j >= 0; j--) {
        plain = gsf_num_add(gsf_num_mul(plain, x.high), gsf_num_of(c[j].high));
    }
    return gsf_num_pair_exact(plain);
}

GSF_FN gsf_num_pair gsf_num_polynomial(const gsf_word *c, int count, gsf_num x) {
    return gsf_num_polynomial_of(c, count, gsf_num_pair_exact(x));
}

/* The same in powers of x - t. */
GSF_FN gsf_num_pair gsf_num_polynomial_around(const gsf_word *c, int count, gsf_triple knot, gsf_num x) {
    const gsf_num_pair t = gsf_num_of_knot(knot);
    const gsf_num_pair sum = gsf_num_two_sum(x, gsf_num_neg(t.high));
    gsf_num_pair d = gsf_num_fast_two_sum(sum.high, gsf_num_sub(sum.low, t.low));
    /* The error of an infinite difference is NaN. */
    if (!gsf_num_lt(gsf_num_abs(sum.high), gsf_num_of(GSF_INFINITY))) {
        d = gsf_num_pair_of(sum.high, gsf_num_of(0.0));
    }
    return gsf_num_polynomial_of(c, count, d);
}

/* phi(sqrt(y + low)) less a power of two, whose exponent it writes: n ln 4 is taken out, and the rest is
   a polynomial. A double word, with a low word of 0 unless it is to be precise. */
GSF_FN gsf_num_pair gsf_num_reduced_density(int precise, gsf_num y, gsf_num low, int *exponent) {
    static const double even[] = GSF_DENSITY_EVEN, odd[] = GSF_DENSITY_ODD;
    const int evens = (int)(sizeof even / sizeof *even), odds = (int)(sizeof odd / sizeof *odd);
    const gsf_num farthest = gsf_num_of(GSF_S_MAX * GSF_S_MAX), shifter = gsf_num_of(GSF_SHIFTER);
    const gsf_num peak = gsf_num_of(GSF_DENSITY_PEAK), peak_low = gsf_num_of(GSF_DENSITY_PEAK_LOW);
    const gsf_num slope = gsf_num_of(GSF_DENSITY_SLOPE);
    gsf_num n, leading, lower, square, series, start;
    gsf_num_pair r;
    y = gsf_num_select(gsf_num_lt(y, farthest), y, farthest);
    n = gsf_num_sub(gsf_num_mul_add(y, gsf_num_of(-GSF_LOG4_E), shifter), shifter);
    *exponent = gsf_num_to_int(n);
    leading = gsf_num_mul_add(n, gsf_num_of(GSF_LN_4), y);
    lower = gsf_num_mul_add(n, gsf_num_of(GSF_LN_4_LOW), low);
    r = gsf_num_fast_two_sum(leading, lower);
    square = gsf_num_mul(r.high, r.high);
    series = gsf_num_horner(odd, odds, square);
    series = gsf_num_mul_add(r.high, series, gsf_num_horner(even, evens, square));
    if (precise) {
        /* The slope is half of the peak, in the second word too. */
        const gsf_num slope_low = gsf_num_of(0.0 - 0.5 * GSF_DENSITY_PEAK_LOW);
        const gsf_num_pair line = gsf_num_two_product(r.high, slope);
        const gsf_num_pair sum = gsf_num_fast_two_sum(peak, line.high);
        start = gsf_num_mul_add(r.low, slope, gsf_num_mul_add(r.high, slope_low, peak_low));
        start = gsf_num_add(start, gsf_num_add(line.low, sum.low));
        return gsf_num_fast_two_sum(sum.high, gsf_num_mul_add(square, series, start));
    }
    start = gsf_num_mul_add(r.high, slope, peak_low);
    return gsf_num_pair_exact(gsf_num_add(peak, gsf_num_mul_add(square, series, start)));
}

/* phi(sqrt(y + low)) in units of GSF_DENSITY_UNIT. */
GSF_FN gsf_num_pair gsf_num_density_in_units(int precise, gsf_num y, gsf_num low) {
    int exponent;
    const gsf_num_pair value = gsf_num_reduced_density(precise, y, low, &exponent);
    exponent += GSF_DENSITY_EXPONENT;
    return gsf_num_pair_of(gsf_num_scale(value.high, exponent), gsf_num_scale(value.low, exponent));
}

GSF_FN gsf_num gsf_num_density(gsf_num y) {
    int exponent;
    const gsf_num_pair density = gsf_num_reduced_density(0, y, gsf_num_of(0.0), &exponent);
    return gsf_num_scale(density.high, exponent);
}

GSF_FN gsf_num_deviation gsf_num_deviation_of(gsf_num xi2) {
    const gsf_num zero = gsf_num_of(0.0), one = gsf_num_of(1.0);
    gsf_num_deviation deviation;
    gsf_num scale = one, scaled, residual, inverse_scaled, lost;
    gsf_num_pair square;
    deviation.xi = gsf_num_sqrt(xi2);
    deviation.inverse = gsf_num_div(one, deviation.xi);
    /* So that no half of the product overflows or underflows. */
    if (gsf_num_lt(gsf_num_of(GSF_LARGE_VARIANCE), xi2)) {
        scale = gsf_num_of(GSF_UNSCALE);
    }
    if (gsf_num_lt(xi2, gsf_num_of(GSF_SMALL_VARIANCE))) {
        scale = gsf_num_of(GSF_RESCALE);
    }
    square = gsf_num_two_square(gsf_num_mul(deviation.xi, scale));
    scaled = gsf_num_mul(gsf_num_mul(xi2, scale), scale);
    residual = gsf_num_sub(gsf_num_sub(scaled, square.high), square.low);
    inverse_scaled = gsf_num_div(deviation.inverse, scale);
    lost = gsf_num_mul(gsf_num_of(0.5), gsf_num_mul(residual, inverse_scaled));
    lost = gsf_num_mul(lost, inverse_scaled);
    /* NaN for a variance that is infinite or 0. */
    deviation.lost = gsf_num_mul(lost, deviation.xi);
    deviation.lost = gsf_num_select(gsf_num_le(gsf_num_abs(lost), one), deviation.lost, zero);
    if (gsf_num_equals(xi2, zero)) {
        deviation.inverse = gsf_num_of(GSF_INVERSE_AT_REST);
    }
    return deviation;
}

/* A length in units of xi, rounded once. */
GSF_FN gsf_num gsf_num_units(gsf_word length, gsf_num_deviation deviation) {
    const gsf_num_pair whole = gsf_num_of_word(length);
    const gsf_num quotient = gsf_num_mul(whole.high, deviation.inverse);
    const gsf_num_pair product = gsf_num_two_product(quotient, deviation.xi);
    gsf_num residual = gsf_num_sub(gsf_num_sub(whole.high, product.high), product.low);
    residual = gsf_num_add(residual, whole.low);
    residual = gsf_num_mul(gsf_num_neg_mul_add(quotient, deviation.lost, residual), deviation.inverse);
    return gsf_num_add(quotient, residual);
}

/* xi and 1/xi to twice the precision. */
GSF_FN gsf_num_pair gsf_num_xi_pair(gsf_num_deviation deviation) {
    return gsf_num_pair_of(deviation.xi, deviation.lost);
}

GSF_FN gsf_num_pair gsf_num_inverse_pair(gsf_num_deviation deviation) {
    const gsf_num_pair product = gsf_num_two_product(deviation.xi, deviation.inverse);
    gsf_num rest = gsf_num_sub(gsf_num_sub(gsf_num_of(1.0), product.high), product.low);
    rest = gsf_num_neg_mul_add(deviation.lost, deviation.inverse, rest);
    rest = gsf_num_mul(deviation.inverse, rest);
    return gsf_num_fast_two_sum(deviation.inverse, rest);
}

/* A knot seen from gamma, with the low words if it is to be precise. */
GSF_FN gsf_num_edge gsf_num_edge_at(int precise, gsf_num gamma, gsf_triple knot,
                                    gsf_num_deviation deviation) {
    const gsf_num zero = gsf_num_of(0.0), one = gsf_num_of(1.0);
    const gsf_num farthest = gsf_num_of(GSF_S_MAX), infinite = gsf_num_of(GSF_INFINITY);
    const gsf_num_pair t = gsf_num_of_knot(knot);
    const gsf_num_pair sum = gsf_num_two_sum(t.high, gsf_num_neg(gamma));
    gsf_num_pair d = sum, square, density;
    gsf_num_pair z;
    gsf_num quotient, residual, correction, rest;
    gsf_num_edge edge;
    int near;
    if (!gsf_num_equals(t.low, zero)) {
        d = gsf_num_fast_two_sum(sum.high, t.low);
        d.low = gsf_num_add(d.low, gsf_num_add(sum.low, gsf_num_of(knot.low)));
    }
    quotient = gsf_num_mul(d.high, deviation.inverse);
    if (GSF_NUM_FUSED) {
        residual = gsf_num_neg_mul_add(quotient, deviation.xi, d.high);
    } else {
        const gsf_num_pair product = gsf_num_two_product(quotient, deviation.xi);
        residual = gsf_num_sub(gsf_num_sub(d.high, product.high), product.low);
    }
    residual = gsf_num_add(residual, d.low);
    correction = gsf_num_neg_mul_add(quotient, deviation.lost, residual);
    correction = gsf_num_mul(correction, deviation.inverse);
    /* NaN if xi is infinite. */
    correction = gsf_num_select(gsf_num_le(gsf_num_abs(correction), one), correction, zero);
    z = gsf_num_fast_two_sum(quotient, correction);
    near = gsf_num_le(gsf_num_abs(z.high), farthest);
    /* Where z is larger, what follows may be NaN and is not used. */
    square = gsf_num_two_square(quotient);
    rest = gsf_num_mul_add(gsf_num_add(quotient, quotient), correction, square.low);
    density = gsf_num_density_in_units(precise, square.high, rest);
    edge.h = edge.h_low = edge.s_low = zero;
    if (gsf_num_equals(deviation.xi, zero)) {
        edge.z = gsf_num_select(gsf_num_lt(zero, d.high), infinite, gsf_num_neg(infinite));
        edge.s = farthest;
    } else if (near) {
        edge.z = z.high;
        edge.s = gsf_num_abs(z.high);
        if (precise) {
            edge.s_low = gsf_num_select(gsf_num_lt(z.high, zero), gsf_num_neg(z.low), z.low);
        }
        edge.h = density.high;
        edge.h_low = density.low;
    } else {
        /* The error of an infinite difference is NaN. */
        const int finite = gsf_num_lt(gsf_num_abs(sum.high), infinite);
        edge.z = gsf_num_select(finite, quotient, sum.high);
        edge.s = farthest;
    }
    edge.d = gsf_num_mul(deviation.xi,
                         gsf_num_select(gsf_num_lt(edge.z, zero), gsf_num_neg(edge.s), edge.s));
    return edge;
}

/* s with the sign of z. */
GSF_FN gsf_num gsf_num_score(gsf_num_edge edge) {
    return gsf_num_select(gsf_num_lt(edge.z, gsf_num_of(0.0)), gsf_num_neg(edge.s), edge.s);
}

/* s, s with the sign of z, and h to twice the precision. */
GSF_FN gsf_num_pair gsf_num_distance_pair(gsf_num_edge edge) {
    return gsf_num_pair_of(edge.s, edge.s_low);
}

GSF_FN gsf_num_pair gsf_num_score_pair(gsf_num_edge edge) {
    const gsf_num_pair distance = gsf_num_distance_pair(edge);
    return gsf_num_lt(edge.z, gsf_num_of(0.0)) ? gsf_num_pair_neg(distance) : distance;
}

GSF_FN gsf_num_pair gsf_num_density_pair(gsf_num_edge edge) {
    return gsf_num_pair_of(edge.h, edge.h_low);
}

/* Whether the knot lies to the right of gamma. */
GSF_FN int gsf_num_is_right(gsf_num_edge edge) {
    return gsf_num_lt(gsf_num_of(0.0), edge.z);
}

/* Whether the first knot is at most as far away as the second. */
GSF_FN int gsf_num_is_nearer(gsf_num_edge first, gsf_num_edge second) {
    return gsf_num_le(gsf_num_abs(first.z), gsf_num_abs(second.z));
}

/* Whether gamma lies on a piece. */
GSF_FN int gsf_num_is_on(const gsf_num_edge *edges, int knots, int piece) {
    return (piece == 0 || !gsf_num_is_right(edges[piece - 1]))
        && (piece == knots || gsf_num_is_right(edges[piece]));
}

/* Whether the density at some knot is not negligible. */
GSF_FN int gsf_num_is_seen(const gsf_num_edge *edges, int knots) {
    int i, seen = 0;
    for (i = 0; i < knots; i++) {
        seen |= gsf_num_lt(gsf_num_of(GSF_NEGLIGIBLE), edges[i].h);
    }
    return seen;
}

/* h R_n(s) for n < count, with R_n(s) = E[max(0, z - s)^n]/(n! phi(s)): the recurrence
   Y[n-1] = (n+1) Y[n+1] + s Y[n] backwards from a fit, where all terms are positive. */
GSF_FN void gsf_num_from_fit(const double *p, int ps, const double *q, int qs, int start,
                             gsf_num_edge edge, int count, gsf_num *tails) {
    gsf_num upper = gsf_num_horner(p, ps, edge.s), current = gsf_num_horner(q, qs, edge.s);
    gsf_num scale;
    int n;
    for (n = start - 1; n >= 0; n--) {
        const gsf_num lower = gsf_num_mul(gsf_num_of((double)(n + 1)), upper);
        if (n < count) {
            tails[n] = current;
        }
        upper = current;
        current = gsf_num_mul_add(edge.s, current, lower);
    }
    scale = gsf_num_div(edge.h, current);
    for (n = 0; n < count; n++) {
        tails[n] = gsf_num_mul(tails[n], scale);
    }
}

/* A polynomial with positive coefficients, its last steps in double words. */
GSF_FN gsf_num_pair gsf_num_precise_start(const double *c, int count, gsf_num s) {
    const gsf_num first = gsf_num_horner(c + GSF_DOUBLE_STEPS, count - GSF_DOUBLE_STEPS, s);
    gsf_num_pair value = gsf_num_pair_exact(first);
    int j;
    for (j = GSF_DOUBLE_STEPS - 1; j >= 0; j--) {
        const gsf_num_pair product = gsf_num_two_product(value.high, s);
        const gsf_num_pair sum = gsf_num_two_sum(product.high, gsf_num_of(c[j]));
        const gsf_num error = gsf_num_add(sum.low, product.low);
        value = gsf_num_pair_of(sum.high, gsf_num_mul_add(value.low, s, error));
    }
    return value;
}

/* Multiples of R_n(s) for n < count, and of R_count, by the same recurrence in double words; it
   returns that of R_(-1) = 1. */
GSF_FN gsf_num_pair gsf_num_multiples_from_fit(const double *p, int ps, const double *q, int qs,
                                               int start, gsf_num s, int count, gsf_num_pair *y,
                                               gsf_num *beyond) {
    gsf_num_pair upper = gsf_num_precise_start(p, ps, s), current = gsf_num_precise_start(q, qs, s);
    int n;
    for (n = start - 1; n >= 0; n--) {
        const gsf_num factor = gsf_num_of((double)(n + 1));
        const gsf_num_pair first = gsf_num_two_product(s, current.high);
        const gsf_num_pair second = gsf_num_two_product(factor, upper.high);
        const gsf_num_pair sum = gsf_num_two_sum(first.high, second.high);
        gsf_num low = gsf_num_add(sum.low, gsf_num_add(first.low, second.low));
        low = gsf_num_mul_add(s, current.low, gsf_num_mul_add(factor, upper.low, low));
        if (n == count - 1) {
            *beyond = upper.high;
        }
        if (n < count) {
            y[n] = current;
        }
        upper = current;
        current = gsf_num_pair_of(sum.high, low);
    }
    return current;
}

/* The same for orders beyond 8: from the Liouville-Green series. */
GSF_FN gsf_num_pair gsf_num_high_multiples(gsf_num s, int count, gsf_num_pair *y, gsf_num *beyond) {
    static const double series[][GSF_SERIES_TERMS] = GSF_SERIES;
    const int m = count < GSF_SERIES_START ? GSF_SERIES_START : count;
    const gsf_num half = gsf_num_of(0.5);
    const gsf_num_pair square = gsf_num_two_square(s);
    const gsf_num_pair radicand = gsf_num_two_sum(square.high, gsf_num_of(4.0 * (double)m));
    const gsf_num root = gsf_num_sqrt(radicand.high);
    const gsf_num_pair back = gsf_num_two_square(root);
    const gsf_num p = gsf_num_div(s, root), step = gsf_num_div(gsf_num_of(1.0), radicand.high);
    const gsf_num_pair sum = gsf_num_two_sum(s, root);
    gsf_num_pair upper = gsf_num_pair_of(gsf_num_of(GSF_HIGH_SCALE), gsf_num_of(0.0)), current;
    gsf_num rest, root_low, later = gsf_num_of(0.0);
    int n, k;
    rest = gsf_num_sub(gsf_num_sub(radicand.high, back.high), back.low);
    rest = gsf_num_add(rest, gsf_num_add(radicand.low, square.low));
    root_low = gsf_num_div(gsf_num_mul(half, rest), root);
    for (k = GSF_SERIES_TERMS - 1; k > 0; k--) {
        const gsf_num value = gsf_num_horner(series[k], GSF_SERIES_TERMS, p);
        later = gsf_num_mul(gsf_num_add(later, value), step);
    }
    rest = gsf_num_mul(half, gsf_num_add(sum.low, root_low));
    rest = gsf_num_add(rest, gsf_num_mul(root, later));
    current = gsf_num_fast_two_sum(gsf_num_mul(half, sum.high), rest);
    current.high = gsf_num_mul(current.high, upper.high);
    current.low = gsf_num_mul(current.low, upper.high);
    for (n = m - 1; n >= 0; n--) {
        const gsf_num factor = gsf_num_of((double)(n + 1));
        const gsf_num_pair a = gsf_num_two_product(factor, upper.high);
        const gsf_num_pair b = gsf_num_two_product(s, current.high);
        const gsf_num_pair next = gsf_num_two_sum(a.high, b.high);
        const gsf_num carried = gsf_num_mul_add(factor, upper.low, gsf_num_mul(s, current.low));
        const gsf_num low = gsf_num_add(gsf_num_add(a.low, b.low), next.low);
        if (n == count - 1) {
            *beyond = upper.high;
        }
        if (n < count) {
            y[n] = current;
        }
        upper = current;
        current = gsf_num_pair_of(next.high, gsf_num_add(carried, low));
    }
    return current;
}

/* The tails at a knot. */
GSF_FN void gsf_num_tails(gsf_num_edge edge, int count, gsf_num *tails) {
    gsf_num_pair y[GSF_MAX_TAILS], divisor;
    gsf_num beyond, scale;
    int n;
#define GSF_FIT(i)                                                                              \
    if (count <= GSF_FIT_##i##_COUNT) {                                                         \
        static const double p[] = GSF_FIT_##i##_P, q[] = GSF_FIT_##i##_Q;                       \
        gsf_num_from_fit(p, (int)(sizeof p / sizeof *p), q, (int)(sizeof q / sizeof *q),        \
                         GSF_FIT_##i##_START, edge, count, tails);                              \
        return;                                                                                 \
    }
    GSF_FITS
#undef GSF_FIT
    divisor = gsf_num_high_multiples(edge.s, count, y, &beyond);
    scale = gsf_num_div(edge.h, gsf_num_add(divisor.high, divisor.low));
    for (n = 0; n < count; n++) {
        tails[n] = gsf_num_mul(gsf_num_add(y[n].high, y[n].low), scale);
    }
}

/* The same to twice the precision. */
GSF_FN gsf_num_pair gsf_num_multiples(gsf_num s, int count, gsf_num_pair *y, gsf_num *beyond) {
#define GSF_FIT(i)                                                                              \
    if (count <= GSF_FIT_##i##_COUNT) {                                                         \
        static const double p[] = GSF_FIT_##i##_P, q[] = GSF_FIT_##i##_Q;                       \
        return gsf_num_multiples_from_fit(p, (int)(sizeof p / sizeof *p), q,                    \
                                          (int)(sizeof q / sizeof *q), GSF_FIT_##i##_START, s,  \
                                          count, y, beyond);                                    \
    }
    GSF_FITS
#undef GSF_FIT
    return gsf_num_high_multiples(s, count, y, beyond);
}

GSF_FN void gsf_num_precise_tails(gsf_num_edge edge, int count, gsf_num_pair *tails) {
    gsf_num beyond = gsf_num_of(0.0);
    const gsf_num_pair divisor = gsf_num_multiples(edge.s, count, tails, &beyond);
    const gsf_num inverse = gsf_num_div(gsf_num_of(1.0), divisor.high);
    const gsf_num scale = gsf_num_mul(edge.h, inverse);
    const gsf_num_pair back = gsf_num_two_product(scale, divisor.high);
    gsf_num scale_low =
        gsf_num_neg_mul_add(scale, divisor.low, gsf_num_sub(edge.h_low, back.low));
    int n;
    scale_low = gsf_num_mul(gsf_num_add(gsf_num_sub(edge.h, back.high), scale_low), inverse);
    for (n = 0; n < count; n++) {
        /* By how much the low word of s changes R_n: its derivative is -(n+1) R_(n+1). */
        const gsf_num next = n + 1 < count ? tails[n + 1].high : beyond;
        const gsf_num slope = gsf_num_mul(gsf_num_of((double)(n + 1)), next);
        const gsf_num_pair product = gsf_num_two_product(tails[n].high, scale);
        gsf_num low = gsf_num_neg_mul_add(edge.s_low, slope, tails[n].low);
        low = gsf_num_mul_add(low, scale, product.low);
        low = gsf_num_mul_add(tails[n].high, scale_low, low);
        tails[n] = gsf_num_fast_two_sum(product.high, low);
    }
}

/* Whether the piece between two knots is narrow: too small in units of xi for tails. */
GSF_FN int gsf_num_is_narrow(gsf_num_edge left, gsf_num_edge right, gsf_rule rule) {
    /* Two edges at the same infinity give NaN here, which no comparison below accepts. */
    const gsf_num omega = gsf_num_sub(right.z, left.z), depth = gsf_num_of(rule.depth);
    const gsf_num sum = gsf_num_abs(gsf_num_add(left.z, right.z));
    if (!gsf_num_is_right(left) && gsf_num_is_right(right)) {
        const int at_edge = gsf_num_lt(gsf_num_neg(left.z), depth) || gsf_num_lt(right.z, depth);
        return gsf_num_lt(omega, gsf_num_of(rule.width))
            || (at_edge && gsf_num_lt(omega, gsf_num_of(rule.width_at_edge)));
    }
    return gsf_num_lt(gsf_num_mul(omega, sum), gsf_num_of(2.0 * rule.exponent));
}

/* exp(-y), for y from 0 to 1. */
GSF_FN gsf_num gsf_num_decay(gsf_num y) {
    static const double even[] = GSF_DECAY_EVEN, odd[] = GSF_DECAY_ODD;
    const int evens = (int)(sizeof even / sizeof *even), odds = (int)(sizeof odd / sizeof *odd);
    const gsf_num x = gsf_num_sub(y, gsf_num_of(0.5)), square = gsf_num_mul(x, x);
    const gsf_num series = gsf_num_mul_add(x, gsf_num_horner(odd, odds, square),
                                           gsf_num_horner(even, evens, square));
    const gsf_num start = gsf_num_mul_add(x, gsf_num_of(GSF_DECAY_SLOPE),
                                          gsf_num_of(GSF_DECAY_MIDDLE_LOW));
    return gsf_num_add(gsf_num_of(GSF_DECAY_MIDDLE), gsf_num_mul_add(square, series, start));
}

/* The integrals of powers on the straight piece between two knots, by series in the slope and the
   curvature of the exponent. */
GSF_FN gsf_num_powers gsf_num_powers_on(int narrow, gsf_num_edge left, gsf_num_edge right, gsf_word width,
                                        gsf_num_deviation deviation) {
    static const double factorials[] = GSF_POWERS_FACTORIALS;
    static const int last[] = GSF_POWERS_LAST;
    const gsf_num zero = gsf_num_of(0.0);
    const gsf_num sum = gsf_num_add(left.z, right.z);
    /* By the middle of the piece: far away both ends have the same place. */
    const int from_left = gsf_num_le(zero, sum);
    const gsf_num h = gsf_num_select(narrow, gsf_num_select(from_left, left.h, right.h), zero);
    gsf_num_powers powers;
    gsf_num moments[GSF_POWERS_START + 1], f[5], y, square, y_square, thrice;
    int j, m;
    powers.half = powers.middle = powers.scale = zero;
    for (j = 0; j < 5; j++) {
        powers.integrals[j] = zero;
    }
    if (!gsf_num_lt(zero, h)) {
        return powers;
    }
    powers.half = gsf_num_mul(gsf_num_of(0.5 * width.high), deviation.inverse);
    powers.middle = gsf_num_mul(gsf_num_of(0.5), sum);
    y = gsf_num_mul(powers.middle, powers.half);
    square = gsf_num_mul(powers.half, powers.half);
    y_square = gsf_num_mul(y, y);
    moments[GSF_POWERS_START] = gsf_num_of(factorials[GSF_POWERS_START]);
    for (m = GSF_POWERS_START - 1; m >= 0; m--) {
        moments[m] = gsf_num_mul_add(square, moments[m + 1], gsf_num_of(factorials[m]));
    }
    for (j = 0; j < 5; j++) {
        f[j] = moments[last[j] + j];
        for (m = last[j]; m > 0; m--) {
            const gsf_num ratio = gsf_num_mul(y_square, gsf_num_of(0.5 / m));
            f[j] = gsf_num_mul_add(ratio, f[j], moments[m - 1 + j]);
        }
    }
    thrice = gsf_num_mul(gsf_num_of(3.0), f[2]);
    powers.integrals[0] = f[0];
    powers.integrals[1] = gsf_num_neg(gsf_num_mul(y, f[1]));
    powers.integrals[2] = gsf_num_mul_add(y_square, f[2], f[1]);
    powers.integrals[3] = gsf_num_neg(gsf_num_mul(y, gsf_num_mul_add(y_square, f[3], thrice)));
    f[4] = gsf_num_mul_add(y_square, f[4], gsf_num_mul(gsf_num_of(6.0), f[3]));
    powers.integrals[4] = gsf_num_mul_add(y_square, f[4], thrice);
    powers.scale = gsf_num_mul(gsf_num_add(powers.half, powers.half), gsf_num_decay(gsf_num_abs(y)));
    powers.scale = gsf_num_mul(h, powers.scale);
    return powers;
}

GSF_FN gsf_num gsf_num_powers_scale(const gsf_num_powers *powers, gsf_num value) {
    return gsf_num_mul_add(powers->scale, value, gsf_num_of(0.0));
}

/* The integrals over a straight piece of 1 and tau, or of 1; 0 where it is not narrow. */
GSF_FN void gsf_num_powers_integrals(const gsf_num_powers *powers, int count, gsf_num *sums) {
    int j;
    for (j = 0; j < count; j++) {
        sums[j] = gsf_num_powers_scale(powers, powers->integrals[j]);
    }
}

/* The integral of tau^k and a product of two straight lines, each given by its middle (high) and half its rise
   (low). */
GSF_FN gsf_num gsf_num_powers_product(const gsf_num_powers *powers, gsf_num_pair a, gsf_num_pair b,
                                      int k) {
    const gsf_num *integrals = powers->integrals;
    const gsf_num even = gsf_num_mul_add(b.high, integrals[k], gsf_num_mul(b.low, integrals[k + 1]));
    const gsf_num odd = gsf_num_mul_add(b.high, integrals[k + 1], gsf_num_mul(b.low, integrals[k + 2]));
    return gsf_num_mul_add(a.high, even, gsf_num_mul(a.low, odd));
}

/* The integrals over a straight piece of A B, and of A (B - less) He_k(z) for 0 < k < orders, with A and
   B given by their coefficients of tau^j; 0 where the piece is not narrow. */
GSF_FN void gsf_num_powers_products(const gsf_num_powers *powers, const gsf_num *a, const gsf_num *b,
                                    int count, gsf_num less, int orders, gsf_num *sums) {
    const gsf_num zero = gsf_num_of(0.0);
    const gsf_num_pair first = gsf_num_pair_of(a[0], count > 1 ? a[1] : zero);
    gsf_num_pair second = gsf_num_pair_of(b[0], count > 1 ? b[1] : zero);
    const gsf_num z = powers->middle, half = powers->half;
    gsf_num p0, p1, p2, square, rest;
    sums[0] = gsf_num_powers_scale(powers, gsf_num_powers_product(powers, first, second, 0));
    if (orders == 1) {
        return;
    }
    second.high = gsf_num_sub(second.high, less);
    p0 = gsf_num_powers_product(powers, first, second, 0);
    p1 = gsf_num_powers_product(powers, first, second, 1);
    p2 = gsf_num_powers_product(powers, first, second, 2);
    sums[1] = gsf_num_powers_scale(powers, gsf_num_mul_add(z, p0, gsf_num_mul(half, p1)));
    square = gsf_num_mul_sub(z, z, gsf_num_of(1.0));
    rest = gsf_num_mul_add(half, p2, gsf_num_mul(gsf_num_add(z, z), p1));
    rest = gsf_num_mul(half, rest);
    sums[2] = gsf_num_powers_scale(powers, gsf_num_mul_add(square, p0, rest));
}

/* The Gauss-Legendre nodes on the piece between two knots. */
GSF_FN gsf_num_nodes gsf_num_nodes_on(int narrow, gsf_num_edge left, gsf_num_edge right, gsf_word width,
                                      gsf_num_deviation deviation) {
    gsf_num_nodes nodes;
    gsf_num scale;
    int i;
    /* By the middle of the piece: far away both ends have the same place. */
    nodes.from_left = gsf_num_le(gsf_num_of(0.0), gsf_num_add(left.z, right.z));
    nodes.h = gsf_num_select(nodes.from_left, left.h, right.h);
    nodes.zeta = gsf_num_select(nodes.from_left, left.z, gsf_num_neg(right.z));
    nodes.omega = gsf_num_units(width, deviation);
    nodes.pairs = narrow && gsf_num_lt(gsf_num_of(0.0), nodes.h) ? GSF_PAIRS : 0;
    /* The density is relative to that at the edge. */
    scale = gsf_num_mul(nodes.omega, gsf_num_of(GSF_ROOT_TAU));
    for (i = 0; i < 2 * nodes.pairs; i++) {
        const gsf_node node = gsf_node_at(i / 2);
        const gsf_num weight = gsf_num_mul(scale, gsf_num_of(node.weight));
        const gsf_num x = gsf_num_of(i % 2 == 0 ? node.near : node.far);
        const gsf_num delta = gsf_num_mul(nodes.omega, x);
        const gsf_num slope = gsf_num_add(gsf_num_add(nodes.zeta, nodes.zeta), delta);
        nodes.mass[i] = gsf_num_mul(weight, gsf_num_density(gsf_num_mul(delta, slope)));
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
        sums[j] = gsf_num_mul_add(nodes->h, sums[j], zero);
    }
    for (j = 0; j < count / 2 && !nodes->from_left; j++) {
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
    gsf_num h = nodes->h;
    int i, j, k;
    for (k = 0; k < orders; k++) {
        sums[k] = zero;
    }
    for (i = 0; i < 2 * nodes->pairs; i++) {
        const gsf_node node = gsf_node_at(i / 2);
        const gsf_num x = gsf_num_of(i % 2 == 0 ? node.near : node.far);
        const gsf_num z = gsf_num_mul_add(nodes->omega, x, nodes->zeta);
        gsf_num first = zero, second = zero, weighted, previous, hermite;
        double basis[GSF_MAX_BASIS];
        gsf_basis(node, count, basis);
        for (j = 0; j < count; j++) {
            const int place = nodes->from_left ? j : count - 1 - j;
            const gsf_num value = gsf_num_of(basis[i % 2 == 0 ? j : count - 1 - j]);
            first = gsf_num_mul_add(a[place], value, first);
            second = gsf_num_mul_add(b[place], value, second);
        }
        weighted = gsf_num_mul(nodes->mass[i], first);
        sums[0] = gsf_num_mul_add(weighted, second, sums[0]);
        previous = gsf_num_mul(weighted, gsf_num_sub(second, less));
        hermite = gsf_num_mul(z, previous);
        for (k = 1; k < orders; k++) {
            const gsf_num lowered = gsf_num_mul(gsf_num_of((double)k), previous);
            sums[k] = gsf_num_add(sums[k], hermite);
            previous = hermite;
            hermite = gsf_num_mul_sub(z, hermite, lowered);
        }
    }
    /* z was counted in the direction of the piece. */
    for (k = 0; k < orders && nodes->pairs > 0; k++) {
        sums[k] = gsf_num_mul_add(h, sums[k], zero);
        h = gsf_num_select(nodes->from_left, h, gsf_num_neg(h));
    }
}
