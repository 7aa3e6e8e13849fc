/* A number to twice the precision. */
typedef struct {
    gsf_num high, low;
} gsf_num_pair;

/* xi, 1/xi, and what the root of xi2 lost: the true root is xi (1 + lost). */
typedef struct {
    gsf_num xi, inverse, lost;
} gsf_num_deviation;

/* A knot t seen from gamma: z = (t - gamma)/xi, s = |z| up to a cut-off, and the root of the
   density there, h = exp(-s^2/4)/(2 pi)^(1/4). */
typedef struct {
    gsf_num z, s, h;
} gsf_num_edge;

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

/* sum c[j] x^j by Horner's rule. */
GSF_FN gsf_num gsf_num_horner(const double *c, int count, gsf_num x) {
    gsf_num sum = gsf_num_of(c[count - 1]);
    int j;
    for (j = count - 2; j >= 0; j--) {
        sum = gsf_num_mul_add(sum, x, gsf_num_of(c[j]));
    }
    return sum;
}

/* sum c[j] x^j in double words, rounded once. */
GSF_FN gsf_num gsf_num_polynomial_of(const gsf_word *c, int count, gsf_num_pair x) {
    gsf_num_pair value;
    gsf_num plain;
    int j;
    if (count == 0) {
        return gsf_num_of(0.0);
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
        return value.high;
    }
    /* A splitting has overflowed. */
    plain = gsf_num_of(c[count - 1].high);
    for (j = count - 2; j >= 0; j--) {
        plain = gsf_num_add(gsf_num_mul(plain, x.high), gsf_num_of(c[j].high));
    }
    return plain;
}

GSF_FN gsf_num gsf_num_polynomial(const gsf_word *c, int count, gsf_num x) {
    return gsf_num_polynomial_of(c, count, gsf_num_pair_of(x, gsf_num_of(0.0)));
}

/* The same in powers of x - t. */
GSF_FN gsf_num gsf_num_polynomial_around(const gsf_word *c, int count, gsf_word knot, gsf_num x) {
    const gsf_num_pair t = gsf_num_of_word(knot);
    const gsf_num_pair sum = gsf_num_two_sum(x, gsf_num_neg(t.high));
    gsf_num_pair d = gsf_num_fast_two_sum(sum.high, gsf_num_sub(sum.low, t.low));
    /* The error of an infinite difference is NaN. */
    if (!gsf_num_lt(gsf_num_abs(sum.high), gsf_num_of(GSF_INFINITY))) {
        d = gsf_num_pair_of(sum.high, gsf_num_of(0.0));
    }
    return gsf_num_polynomial_of(c, count, d);
}

/* exp(x + low - offset): n ln 2 is taken out, and the rest is a polynomial. */
GSF_FN gsf_num gsf_num_exp_of(gsf_num x, gsf_num low, double offset, double offset_low) {
    static const double even[] = GSF_EXP_EVEN, odd[] = GSF_EXP_ODD;
    const int evens = (int)(sizeof even / sizeof *even), odds = (int)(sizeof odd / sizeof *odd);
    const gsf_num least = gsf_num_of(GSF_EXP_MIN), shifter = gsf_num_of(GSF_SHIFTER);
    gsf_num shifted, n, leading, lower, square, series, tail;
    gsf_num_pair r, sum;
    x = gsf_num_select(gsf_num_lt(least, x), x, least);
    shifted = gsf_num_sub(x, gsf_num_of(offset));
    shifted = gsf_num_mul_add(shifted, gsf_num_of(GSF_LOG2_E), shifter);
    n = gsf_num_sub(shifted, shifter);
    leading = gsf_num_sub(x, gsf_num_mul_add(n, gsf_num_of(GSF_LN_2), gsf_num_of(offset)));
    lower = gsf_num_mul_add(n, gsf_num_of(GSF_LN_2_LOW), gsf_num_of(offset_low));
    r = gsf_num_fast_two_sum(leading, gsf_num_sub(low, lower));
    square = gsf_num_mul(r.high, r.high);
    series = gsf_num_horner(odd, odds, square);
    series = gsf_num_mul_add(r.high, series, gsf_num_horner(even, evens, square));
    sum = gsf_num_fast_two_sum(gsf_num_of(1.0), r.high);
    tail = gsf_num_mul_add(square, series, gsf_num_add(sum.low, r.low));
    return gsf_num_scale(gsf_num_add(sum.high, tail), shifted);
}

GSF_FN gsf_num gsf_num_exp(gsf_num x) {
    return gsf_num_exp_of(x, gsf_num_of(0.0), 0.0, 0.0);
}

/* exp(x + low)/(2 pi)^(1/4). */
GSF_FN gsf_num gsf_num_root_density(gsf_num x, gsf_num low) {
    return gsf_num_exp_of(x, low, GSF_QUARTER_LN_TAU, GSF_QUARTER_LN_TAU_LOW);
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
    deviation.lost = gsf_num_select(gsf_num_le(gsf_num_abs(lost), one), lost, zero);
    if (gsf_num_equals(xi2, zero)) {
        deviation.inverse = gsf_num_of(GSF_MAX);
    }
    return deviation;
}

GSF_FN gsf_num_edge gsf_num_edge_at(gsf_num gamma, gsf_word knot, gsf_num_deviation deviation) {
    const gsf_num zero = gsf_num_of(0.0), one = gsf_num_of(1.0);
    const gsf_num farthest = gsf_num_of(GSF_S_MAX), infinite = gsf_num_of(GSF_INFINITY);
    const gsf_num_pair t = gsf_num_of_word(knot);
    const gsf_num_pair sum = gsf_num_two_sum(t.high, gsf_num_neg(gamma));
    const int has_low = !gsf_num_equals(t.low, zero);
    gsf_num_pair d = sum, z, square;
    gsf_num quotient, residual, correction, rest, h;
    gsf_num_edge edge;
    int near;
    if (has_low) {
        d = gsf_num_fast_two_sum(sum.high, gsf_num_add(sum.low, t.low));
    }
    quotient = gsf_num_mul(d.high, deviation.inverse);
    near = gsf_num_le(gsf_num_abs(quotient), farthest);
    /* Where the quotient is larger, what follows may be NaN and is not used. */
    if (GSF_NUM_FUSED) {
        residual = gsf_num_neg_mul_add(quotient, deviation.xi, d.high);
    } else {
        const gsf_num_pair product = gsf_num_two_product(quotient, deviation.xi);
        residual = gsf_num_sub(gsf_num_sub(d.high, product.high), product.low);
    }
    residual = gsf_num_add(residual, d.low);
    correction = gsf_num_mul(residual, deviation.inverse);
    correction = gsf_num_neg_mul_add(quotient, deviation.lost, correction);
    /* NaN if xi is infinite. */
    correction = gsf_num_select(gsf_num_le(gsf_num_abs(correction), one), correction, zero);
    z = gsf_num_fast_two_sum(quotient, correction);
    square = gsf_num_two_square(z.high);
    rest = gsf_num_mul_add(gsf_num_add(z.high, z.high), z.low, square.low);
    h = gsf_num_root_density(gsf_num_mul(gsf_num_of(-0.25), square.high),
                             gsf_num_mul(gsf_num_of(-0.25), rest));
    if (gsf_num_equals(deviation.xi, zero)) {
        edge.z = gsf_num_select(gsf_num_lt(zero, d.high), infinite, gsf_num_neg(infinite));
        edge.s = farthest;
        edge.h = zero;
    } else if (near) {
        edge.z = z.high;
        edge.s = gsf_num_abs(z.high);
        edge.h = h;
    } else {
        /* The error of an infinite difference is NaN. */
        const int finite = gsf_num_lt(gsf_num_abs(sum.high), infinite);
        edge.z = gsf_num_select(finite, quotient, sum.high);
        edge.s = farthest;
        edge.h = zero;
    }
    return edge;
}

/* s with the sign of z. */
GSF_FN gsf_num gsf_num_score(gsf_num_edge edge) {
    return gsf_num_select(gsf_num_lt(edge.z, gsf_num_of(0.0)), gsf_num_neg(edge.s), edge.s);
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
        seen |= gsf_num_lt(gsf_num_of(GSF_NEGLIGIBLE_ROOT), edges[i].h);
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

/* The same for orders beyond 8: from the Liouville-Green series, in double words. */
GSF_FN void gsf_num_high_tails(gsf_num_edge edge, int count, gsf_num *tails) {
    static const double series[][GSF_SERIES_TERMS] = GSF_SERIES;
    const int m = count < GSF_SERIES_START ? GSF_SERIES_START : count;
    const gsf_num s = edge.s, half = gsf_num_of(0.5);
    const gsf_num_pair square = gsf_num_two_square(s);
    const gsf_num_pair radicand = gsf_num_two_sum(square.high, gsf_num_of(4.0 * (double)m));
    const gsf_num root = gsf_num_sqrt(radicand.high);
    const gsf_num_pair back = gsf_num_two_square(root);
    const gsf_num p = gsf_num_div(s, root), step = gsf_num_div(gsf_num_of(1.0), radicand.high);
    const gsf_num_pair sum = gsf_num_two_sum(s, root);
    gsf_num_pair upper = gsf_num_pair_of(gsf_num_of(GSF_HIGH_SCALE), gsf_num_of(0.0)), current;
    gsf_num rest, root_low, later = gsf_num_of(0.0), scale;
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
        if (n < count) {
            tails[n] = gsf_num_add(current.high, current.low);
        }
        upper = current;
        current = gsf_num_pair_of(next.high, gsf_num_add(carried, low));
    }
    scale = gsf_num_div(edge.h, gsf_num_add(current.high, current.low));
    for (n = 0; n < count; n++) {
        tails[n] = gsf_num_mul(tails[n], scale);
    }
}

GSF_FN void gsf_num_tails(gsf_num_edge edge, int count, gsf_num *tails) {
#define GSF_FIT(i)                                                                              \
    if (count <= GSF_FIT_##i##_COUNT) {                                                         \
        static const double p[] = GSF_FIT_##i##_P, q[] = GSF_FIT_##i##_Q;                       \
        gsf_num_from_fit(p, (int)(sizeof p / sizeof *p), q, (int)(sizeof q / sizeof *q),        \
                         GSF_FIT_##i##_START, edge, count, tails);                              \
        return;                                                                                 \
    }
    GSF_FITS
#undef GSF_FIT
    gsf_num_high_tails(edge, count, tails);
}

/* Whether the piece between two knots is narrow: too small in units of xi for tails. */
GSF_FN int gsf_num_is_narrow(gsf_num_edge left, gsf_num_edge right, double width, double exponent) {
    const gsf_num omega = gsf_num_sub(right.z, left.z);
    const gsf_num sum = gsf_num_abs(gsf_num_add(left.z, right.z));
    if (!gsf_num_is_right(left) && gsf_num_is_right(right)) {
        return gsf_num_lt(omega, gsf_num_of(width));
    }
    return gsf_num_lt(gsf_num_mul(omega, sum), gsf_num_of(2.0 * exponent));
}

/* The integrals over a narrow piece of He_k(z) x^j (1 - x)^(count-1-j) for k < orders, with x
   from 0 to 1 over the piece, by Gauss-Legendre quadrature; 0 where the piece is not narrow. */
GSF_FN void gsf_num_integrate(int narrow, gsf_num_edge left, gsf_num_edge right, double width,
                              gsf_num_deviation deviation, const gsf_node *nodes, int pairs,
                              int count, int orders, gsf_num *sums) {
    const gsf_num zero = gsf_num_of(0.0);
    /* By the middle of the piece: far away both ends have the same place. */
    const int from_left = gsf_num_le(zero, gsf_num_add(left.z, right.z));
    const gsf_num h = gsf_num_select(from_left, left.h, right.h);
    const gsf_num zeta = gsf_num_select(from_left, left.z, gsf_num_neg(right.z));
    const gsf_num omega = gsf_num_mul(gsf_num_of(width), deviation.inverse);
    gsf_num sign = h;
    int i, j, k;
    for (i = 0; i < orders * count; i++) {
        sums[i] = zero;
    }
    if (!narrow || !gsf_num_lt(zero, h)) {
        return;
    }
    /* Counted from the nearer edge, as are z and x until the end. */
    for (i = 0; i < 2 * pairs; i++) {
        const gsf_node node = nodes[i / 2];
        const double x = i % 2 == 0 ? node.near : node.far;
        const double rest = i % 2 == 0 ? node.far : node.near;
        const gsf_num delta = gsf_num_mul(omega, gsf_num_of(x));
        const gsf_num slope = gsf_num_mul_add(gsf_num_of(0.5), delta, zeta);
        const gsf_num density = gsf_num_exp(gsf_num_neg(gsf_num_mul(delta, slope)));
        const gsf_num z = gsf_num_add(zeta, delta);
        gsf_num previous = zero, hermite = gsf_num_mul(omega, density);
        double above[GSF_MAX_BASIS], below[GSF_MAX_BASIS];
        above[0] = node.weight;
        below[0] = 1.0;
        for (j = 1; j < count; j++) {
            above[j] = above[j - 1] * x;
            below[j] = below[j - 1] * rest;
        }
        for (k = 0; k < orders; k++) {
            const gsf_num lowered = gsf_num_mul(gsf_num_of((double)k), previous);
            for (j = 0; j < count; j++) {
                const gsf_num basis = gsf_num_of(above[j] * below[count - 1 - j]);
                gsf_num *sum = &sums[k * count + j];
                *sum = gsf_num_mul_add(hermite, basis, *sum);
            }
            previous = hermite;
            hermite = gsf_num_mul_sub(z, hermite, lowered);
        }
    }
    for (k = 0; k < orders; k++) {
        gsf_num *row = &sums[k * count];
        for (j = 0; j < count; j++) {
            row[j] = gsf_num_mul_add(h, gsf_num_mul(sign, row[j]), zero);
        }
        for (j = 0; j < count / 2 && !from_left; j++) {
            const gsf_num first = row[j];
            row[j] = row[count - 1 - j];
            row[count - 1 - j] = first;
        }
        sign = gsf_num_select(from_left, sign, gsf_num_neg(sign));
    }
}
