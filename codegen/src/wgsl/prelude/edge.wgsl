// xi, 1/xi, and what the root of xi2 lost: the true root is xi + lost.
struct gsf_deviation { xi: f32, inverse: f32, lost: f32 }

// A knot t seen from gamma: z = (t - gamma)/xi, s = |z| up to a cut-off, d = t - gamma within it, and the density
// h = phi(s) there, in units of GSF_DENSITY_UNIT, and what rounding took from h and s.
struct gsf_edge { z: f32, s: f32, d: f32, h: f32, h_low: f32, s_low: f32 }

// A density less 2^exponent.
struct gsf_reduced { value: gsf_pair, exponent: i32 }

// a 2^n, with 0 for a power that is not a normal number.
fn gsf_scale(a: f32, n: i32) -> f32 {
    if (n < -126) {
        return 0.0;
    }
    return a * bitcast<f32>(u32(127 + n) << 23u);
}

// phi(sqrt(y + low)) divided by a power of two: n ln 4 is taken out, and the rest is a polynomial. A double word, with a
// low word of 0 unless it is to be precise.
fn gsf_reduced_density(is_precise: bool, squared: f32, low: f32) -> gsf_reduced {
    let y = min(squared, GSF_S_MAX * GSF_S_MAX);
    let n = round(-GSF_LOG4_E * y);
    let leading = gsf_rounded(n * GSF_LN_4 + y);
    let r = gsf_fast_two_sum(leading, gsf_rounded(n * GSF_LN_4_LOW + low));
    let square = r.high * r.high;
    let series = r.high * gsf_density_odd(square) + gsf_density_even(square);
    if (is_precise) {
        let line = gsf_two_product(r.high, GSF_DENSITY_SLOPE);
        let sum = gsf_fast_two_sum(GSF_DENSITY_PEAK, line.high);
        // The slope is half of the peak, in the second word too.
        let slope_low = -0.5 * GSF_DENSITY_PEAK_LOW;
        let start = r.low * GSF_DENSITY_SLOPE + (r.high * slope_low + GSF_DENSITY_PEAK_LOW);
        let rest = square * series + (start + (line.low + sum.low));
        return gsf_reduced(gsf_fast_two_sum(sum.high, gsf_rounded(rest)), i32(n));
    }
    let start = r.high * GSF_DENSITY_SLOPE + GSF_DENSITY_PEAK_LOW;
    return gsf_reduced(gsf_pair(GSF_DENSITY_PEAK + (square * series + start), 0.0), i32(n));
}

fn gsf_deviation_of(xi2: f32) -> gsf_deviation {
    if (xi2 == 0.0) {
        return gsf_deviation(0.0, GSF_INVERSE_AT_ZERO_VARIANCE, 0.0);
    }
    // So that no half of the product overflows or underflows.
    var scale: f32 = 1.0;
    if (GSF_LARGE_VARIANCE < xi2) {
        scale = GSF_UNSCALE;
    }
    if (xi2 < GSF_SMALL_VARIANCE) {
        scale = GSF_RESCALE;
    }
    let scaled = gsf_rounded(gsf_rounded(xi2 * scale) * scale);
    var root = gsf_rounded(sqrt(scaled));
    var square = gsf_two_product(root, root);
    // A root may be several units wrong: one step of Newton's.
    let half = 0.5 / root;
    root = gsf_rounded(root + half * gsf_rounded(gsf_rounded(scaled - square.high) - square.low));
    square = gsf_two_product(root, root);
    let lost = half * gsf_rounded(gsf_rounded(scaled - square.high) - square.low);
    return gsf_deviation(root / scale, gsf_divide(1.0, root) * scale, lost / scale);
}

// 1/xi to twice the precision.
fn gsf_inverse_pair(deviation: gsf_deviation) -> gsf_pair {
    let product = gsf_two_product(deviation.xi, deviation.inverse);
    let rest = gsf_rounded(gsf_rounded(1.0 - product.high) - product.low);
    return gsf_fast_two_sum(
        deviation.inverse,
        gsf_rounded(deviation.inverse * (rest - deviation.lost * deviation.inverse)),
    );
}

// A length in units of xi, as a quotient and its correction.
fn gsf_units(length: gsf_pair, deviation: gsf_deviation) -> gsf_pair {
    let quotient = gsf_rounded(length.high * deviation.inverse);
    let product = gsf_two_product(quotient, deviation.xi);
    let residual = gsf_rounded(gsf_rounded(length.high - product.high) - product.low) + length.low;
    return gsf_pair(quotient, gsf_rounded((residual - quotient * deviation.lost) * deviation.inverse));
}

// A knot seen from gamma.
fn gsf_edge_at(gamma: f32, knot: gsf_triple, deviation: gsf_deviation) -> gsf_edge {
    let sum = gsf_two_sum(knot.high, -gamma);
    var d = gsf_fast_two_sum(sum.high, knot.middle);
    d.low = d.low + (sum.low + knot.low);
    if (deviation.xi == 0.0) {
        // Every knot is infinitely far away.
        let side = select(-1.0, 1.0, 0.0 < d.high);
        return gsf_edge(side * GSF_MAX, GSF_S_MAX, 0.0, 0.0, 0.0, 0.0);
    }
    let units = gsf_units(d, deviation);
    if (!(abs(units.high) <= GSF_S_MAX)) {
        let side = select(-1.0, 1.0, 0.0 < units.high);
        return gsf_edge(units.high, GSF_S_MAX, deviation.xi * (side * GSF_S_MAX), 0.0, 0.0, 0.0);
    }
    let z = gsf_fast_two_sum(units.high, units.low);
    let square = gsf_two_product(units.high, units.high);
    let rest = gsf_rounded((units.high + units.high) * units.low + square.low);
    let density = gsf_reduced_density(true, square.high, rest);
    let exponent = density.exponent + GSF_DENSITY_EXPONENT;
    let h = gsf_scale(density.value.high, exponent);
    let h_low = gsf_scale(density.value.low, exponent);
    let s_low = select(z.low, -z.low, z.high < 0.0);
    return gsf_edge(z.high, abs(z.high), deviation.xi * z.high, h, h_low, s_low);
}

// s with the sign of z.
fn gsf_score(edge: gsf_edge) -> f32 {
    return select(edge.s, -edge.s, edge.z < 0.0);
}

// s and h to twice the precision.
fn gsf_distance_pair(edge: gsf_edge) -> gsf_pair {
    return gsf_pair(edge.s, edge.s_low);
}

fn gsf_density_pair(edge: gsf_edge) -> gsf_pair {
    return gsf_pair(edge.h, edge.h_low);
}
