/* A number with a wide exponent: significand 2^exponent with 1 <= |significand| < 2, or a
   significand that is 0, infinite or NaN. Every operation rounds as that of double does, and none
   overflows. */
typedef struct {
    double significand;
    int64_t exponent;
} gsf_wide;


GSF_FN gsf_wide gsf_wide_new(double significand, int64_t exponent) {
    gsf_wide number;
    uint64_t bits = gsf_bits(significand);
    int own = (int)((bits >> 52) & 0x7FF);
    if (significand == 0.0 || own == 0x7FF) {
        number.significand = significand;
        number.exponent = 0;
        return number;
    }
    if (own == 0) {
        bits = gsf_bits(significand * gsf_power_of_two(64));
        own = (int)((bits >> 52) & 0x7FF) - 64;
    }
    number.significand =
        gsf_from_bits((bits & ~((uint64_t)0x7FF << 52)) | ((uint64_t)1023 << 52));
    number.exponent = exponent + own - 1023;
    return number;
}

GSF_FN gsf_wide gsf_wide_of(double a) { return gsf_wide_new(a, 0); }

/* The nearest double. */
GSF_FN double gsf_wide_to_f64(gsf_wide a) {
    if (a.exponent > 1100) {
        return a.significand * GSF_INFINITY;
    }
    if (a.exponent < -1200) {
        return a.significand * 0.0;
    }
    /* In two steps, of which only the second rounds. */
    const int exponent = (int)a.exponent, half = exponent / 2;
    return a.significand * gsf_power_of_two(half) * gsf_power_of_two(exponent - half);
}

GSF_FN gsf_wide gsf_wide_neg(gsf_wide a) {
    a.significand = -a.significand;
    return a;
}

GSF_FN gsf_wide gsf_wide_abs(gsf_wide a) {
    a.significand = fabs(a.significand);
    return a;
}

GSF_FN gsf_wide gsf_wide_add(gsf_wide a, gsf_wide b) {
    if (a.significand == 0.0 && b.significand == 0.0) {
        return gsf_wide_new(a.significand + b.significand, 0);
    }
    if (b.significand == 0.0) {
        return a;
    }
    if (a.significand == 0.0) {
        return b;
    }
    if (a.exponent < b.exponent) {
        const gsf_wide other = a;
        a = b;
        b = other;
    }
    int64_t distance = a.exponent - b.exponent;
    if (distance > 200) {
        if (gsf_is_finite(b.significand)) {
            return a;
        }
        distance = 200;
    }
    return gsf_wide_new(a.significand + b.significand * gsf_power_of_two((int)-distance), a.exponent);
}

GSF_FN gsf_wide gsf_wide_sub(gsf_wide a, gsf_wide b) { return gsf_wide_add(a, gsf_wide_neg(b)); }

GSF_FN gsf_wide gsf_wide_mul(gsf_wide a, gsf_wide b) {
    return gsf_wide_new(a.significand * b.significand, a.exponent + b.exponent);
}

GSF_FN gsf_wide gsf_wide_div(gsf_wide a, gsf_wide b) {
    return gsf_wide_new(a.significand / b.significand, a.exponent - b.exponent);
}

GSF_FN gsf_wide gsf_wide_mul_add(gsf_wide a, gsf_wide b, gsf_wide c) {
    return gsf_wide_add(gsf_wide_mul(a, b), c);
}

GSF_FN gsf_wide gsf_wide_sqrt(gsf_wide a) {
    const int odd = a.exponent % 2 != 0;
    return gsf_wide_new(sqrt(a.significand * gsf_power_of_two(odd)), (a.exponent - odd) / 2);
}

GSF_FN int gsf_wide_lt(gsf_wide a, gsf_wide b) { return gsf_wide_sub(a, b).significand < 0.0; }
GSF_FN int gsf_wide_le(gsf_wide a, gsf_wide b) { return gsf_wide_sub(a, b).significand <= 0.0; }
GSF_FN int gsf_wide_equals(gsf_wide a, gsf_wide b) { return gsf_wide_sub(a, b).significand == 0.0; }
GSF_FN gsf_wide gsf_wide_select(int mask, gsf_wide yes, gsf_wide no) { return mask ? yes : no; }

/* a 2^n for shifted = n + GSF_SHIFTER. */
GSF_FN gsf_wide gsf_wide_scale(gsf_wide a, gsf_wide shifted) {
    const double n = gsf_wide_to_f64(shifted) - GSF_SHIFTER;
    return gsf_is_finite(n) ? gsf_wide_new(a.significand, a.exponent + (int64_t)n) : a;
}

GSF_FN gsf_wide gsf_wide_raise(gsf_wide a, gsf_wide shifted) { return gsf_wide_scale(a, shifted); }

/* xi2 with a wide exponent; 0 as a number so small that no result differs. */
GSF_FN gsf_wide gsf_wide_variance(double xi2) {
    return xi2 == 0.0 ? gsf_wide_new(1.0, GSF_ZERO_VARIANCE_EXPONENT) : gsf_wide_of(xi2);
}
