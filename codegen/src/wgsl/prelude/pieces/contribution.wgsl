// A knot seen from gamma, and t - gamma.
struct gsf_end { edge: gsf_edge, at: gsf_pair }

// A stretch of one piece on one side of gamma, from its end that is nearer to gamma outward: around which side of a knot it
// is given (0 is the left one, -1 says that gamma is on the piece), its direction (-1 or 1), its near end, and its length.
struct gsf_panel { side: i32, sign: f32, near: gsf_edge, width: gsf_pair }

// The value of a function at gamma: that at the place around which its piece is given, and the rest.
struct gsf_level { place: gsf_triple, offset: gsf_pair }

// The piece of gamma, the row of a table that has it, and how far gamma is from the place of the row.
struct gsf_nearest { piece: i32, row: i32, away: gsf_pair }

// A place around which a piece is given besides the knots at its ends.
struct gsf_center { piece: i32, at: gsf_triple }

// The contribution of a part of the line, against the density in its unit, with m the mean of g there: the integral of 1, m
// itself, the integral of (g - m)^2; and for k = 1, 2 those of He_k(z), (g - m) He_k(z), (g - m)^2 He_k(z), of the
// derivative k of g inside, and of its magnitude.
struct gsf_contribution {
    mass: gsf_pair, mean: gsf_pair, squares: gsf_pair,
    hermite: vec2<f32>, first: vec2<f32>, second: vec2<f32>, inside: vec2<f32>, size: vec2<f32>,
}

// The contribution of jumps of g and of its slope to the derivatives of the mean, and the magnitudes.
struct gsf_flux { sums: vec2<f32>, sizes: vec2<f32> }

// gamma as the near end of a panel.
fn gsf_edge_at_gamma() -> gsf_edge {
    return gsf_edge(0.0, 0.0, 0.0, GSF_AT_GAMMA, GSF_AT_GAMMA_LOW, 0.0);
}

// No end, to the left (-1) or to the right (1).
fn gsf_nowhere(sign: f32) -> gsf_end {
    let edge = gsf_edge(sign * GSF_MAX, GSF_S_MAX, 0.0, 0.0, 0.0, 0.0);
    return gsf_end(edge, gsf_pair(sign * GSF_MAX, 0.0));
}

// A length beyond all others.
fn gsf_endless() -> gsf_pair {
    return gsf_pair(GSF_MAX, 0.0);
}

// From gamma to an end of its piece.
fn gsf_panel_from_gamma(sign: f32, end: gsf_end) -> gsf_panel {
    return gsf_panel(-1, sign, gsf_edge_at_gamma(), gsf_pair(sign * end.at.high, sign * end.at.low));
}

// The piece between two ends, or the part of it to the right of gamma.
fn gsf_panel_on(left: gsf_end, right: gsf_end, width: gsf_pair) -> gsf_panel {
    if (0.0 < left.at.high) {
        return gsf_panel(1, 1.0, left.edge, width);
    }
    if (!(0.0 < right.at.high)) {
        return gsf_panel(0, -1.0, right.edge, width);
    }
    return gsf_panel_from_gamma(1.0, right);
}

// t - gamma to twice the precision.
fn gsf_displacement(gamma: f32, knot: gsf_triple) -> gsf_pair {
    let sum = gsf_two_sum(knot.high, -gamma);
    let d = gsf_fast_two_sum(sum.high, knot.middle);
    return gsf_fast_two_sum(d.high, gsf_rounded(d.low + (sum.low + knot.low)));
}

fn gsf_pair_normal(a: gsf_pair) -> gsf_pair {
    return gsf_fast_two_sum(a.high, gsf_rounded(a.low));
}

// A constant of a table less the level. Both may be huge beside what the function does.
fn gsf_above(constant: gsf_triple, level: gsf_level) -> gsf_pair {
    let high = gsf_two_sum(constant.high, -level.place.high);
    let middle = gsf_two_sum(constant.middle, -level.place.middle);
    let sum = gsf_two_sum(high.high, middle.high);
    let rest = (high.low + middle.low) + (constant.low - level.place.low);
    let value = gsf_fast_two_sum(sum.high, gsf_rounded(sum.low + rest));
    return gsf_pair_normal(gsf_pair_sub(value, level.offset));
}

// Two parts together: their squares, and those of their means around the common one. Nothing cancels.
fn gsf_join(a: gsf_contribution, b: gsf_contribution) -> gsf_contribution {
    var contribution: gsf_contribution;
    contribution.mass = gsf_pair_add(a.mass, b.mass);
    let mine = gsf_pair_round(a.mass);
    let others = gsf_pair_round(b.mass);
    // Less than the least is as good as nothing.
    let inverse = gsf_divide(1.0, max(gsf_pair_round(contribution.mass), GSF_LEAST_MASS));
    let my_part = mine * inverse;
    let others_part = others * inverse;
    let apart = gsf_pair_round(gsf_pair_sub(b.mean, a.mean));
    // How far the common mean is from either; the one of the larger mass is the nearer.
    let up = apart * others_part;
    let down = -(apart * my_part);
    var between: f32;
    if (others <= mine) {
        contribution.mean = gsf_pair_add(a.mean, gsf_pair_exact(up));
        between = others * my_part;
    } else {
        contribution.mean = gsf_pair_add(b.mean, gsf_pair_exact(down));
        between = mine * others_part;
    }
    between = gsf_rounded(apart * gsf_rounded(apart * between));
    let squares = gsf_pair_normal(gsf_pair_add(a.squares, b.squares));
    contribution.squares = gsf_pair_normal(gsf_pair_add(squares, gsf_pair_exact(between)));
    contribution.hermite = a.hermite + b.hermite;
    contribution.first = (a.first + b.first) - (up * a.hermite + down * b.hermite);
    contribution.second = gsf_second_around(a, -up) + gsf_second_around(b, -down);
    contribution.inside = a.inside + b.inside;
    contribution.size = a.size + b.size;
    return contribution;
}

// The integrals of (g - m + more)^2 He_k(z).
fn gsf_second_around(contribution: gsf_contribution, more: f32) -> vec2<f32> {
    return more * (more * contribution.hermite + 2.0 * contribution.first) + contribution.second;
}

// With a knot at which g and its slope jump; divided by the root of the unit of densities.
fn gsf_flux_with(flux: gsf_flux, edge: gsf_edge, jumps: vec2<f32>, deviation: gsf_deviation) -> gsf_flux {
    let density = (edge.h * GSF_HALF_UNIT) * deviation.inverse;
    let jump = jumps.x * density;
    let bend = jumps.y * density;
    let moved = jump * (gsf_score(edge) * deviation.inverse);
    return gsf_flux(
        flux.sums + vec2<f32>(jump, bend + moved),
        flux.sizes + vec2<f32>(abs(jump), abs(bend) + abs(moved)),
    );
}

// The power of two that g is taken less where it varies so much, so that no square overflows.
fn gsf_less(size: f32) -> f32 {
    let exponent = i32(bitcast<u32>(size) >> 23u) - 127;
    return bitcast<f32>(u32(127 - clamp(exponent - GSF_MODERATE, 0, 100)) << 23u);
}

// One over a power of two, exactly.
fn gsf_more(less: f32) -> f32 {
    return bitcast<f32>((254u << 23u) - bitcast<u32>(less));
}

// Mean, variance and derivatives from the whole line, of g divided by a power of two. The derivatives of the mean are E[(g - m) He_k]/xi^k, with an error
// that is small beside the deviation of g, or E of derivatives of g, with one that is small beside their magnitudes:
// whichever is less.
fn gsf_results(whole: gsf_contribution, level: gsf_level, flux: gsf_flux, deviation: gsf_deviation, less: f32, cancels: f32) -> array<f32, 6> {
    let more = gsf_more(less);
    let place = gsf_pair_add(gsf_pair(level.place.high, level.place.middle), level.offset);
    let rest = gsf_pair(more * whole.mean.high, more * whole.mean.low);
    let mean = gsf_pair_round(gsf_pair_add(place, rest));
    let variance = ((gsf_pair_round(whole.squares) * GSF_DENSITY_UNIT) * more) * more;
    let inverse = gsf_inverse_pair(deviation);
    let weights = vec2<f32>(
        gsf_pair_round(inverse),
        0.5 * gsf_pair_round(gsf_pair_mul(inverse, inverse)),
    );
    let lengths = vec2<f32>(deviation.xi, deviation.xi * deviation.xi);
    let halves = vec2<f32>(1.0, 0.5);
    // The unit in two steps, between which nothing overflows.
    let by_hermite = (((whole.first * GSF_HALF_UNIT) * weights) * GSF_HALF_UNIT) * more;
    let inside = halves * ((whole.inside * GSF_DENSITY_UNIT) * more + flux.sums * GSF_HALF_UNIT);
    let sizes = (whole.size * GSF_DENSITY_UNIT) * more + flux.sizes * GSF_HALF_UNIT;
    let second = ((((whole.second * GSF_HALF_UNIT) * weights) * GSF_HALF_UNIT) * more) * more;
    let slopes = select(by_hermite, inside, cancels * sizes * lengths < vec2<f32>(sqrt(variance)));
    return array<f32, 6>(mean, variance, slopes.x, slopes.y, second.x, second.y);
}

// a 2^exponent
fn gsf_raised(a: f32, exponent: i32) -> f32 {
    var value = a;
    var left = exponent;
    while (left != 0) {
        let step = clamp(left, -100, 100);
        value = value * bitcast<f32>(u32(127 + step) << 23u);
        left = left - step;
    }
    return value;
}
