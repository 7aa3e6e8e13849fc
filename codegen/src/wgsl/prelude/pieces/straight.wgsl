// Integrals over a straight panel, with delta the distance from its near end in units of xi: of 1, and the mean of delta;
// those of (delta - mean)^2, of He_k(z), (delta - mean) He_k(z) and (delta - mean)^2 He_k(z), z in the direction of it.
struct gsf_parts {
    mass: gsf_pair, middle: gsf_pair, square: f32,
    hermite: vec2<f32>, first: vec2<f32>, second: vec2<f32>,
}

// The share of a panel on which g is straight.
fn gsf_straight_share(panel: gsf_panel, constant: gsf_pair, slope: gsf_pair, deviation: gsf_deviation) -> gsf_share {
    // As far as anything is left of the density.
    var length = gsf_pair(2.0 * GSF_S_MAX, 0.0);
    if (panel.width.high * deviation.inverse < length.high) {
        length = gsf_pair_mul(panel.width, gsf_inverse_pair(deviation));
    }
    var parts: gsf_parts;
    let l = gsf_pair_round(length);
    // Where the tails at both ends would cancel.
    if (l * (0.5 * l + panel.near.s) < gsf_linear().exponent) {
        parts = gsf_by_series(panel, l);
    } else {
        parts = gsf_by_tails(panel, length);
    }
    var rise = gsf_pair_mul(slope, gsf_xi_pair(deviation));
    rise = gsf_pair(panel.sign * rise.high, panel.sign * rise.low);
    let r = gsf_pair_round(rise);
    var share: gsf_share;
    share.mass = parts.mass;
    share.mean = gsf_pair_add(constant, gsf_pair_mul(rise, parts.middle));
    share.squares = gsf_pair_exact(gsf_rounded(r * gsf_rounded(r * max(parts.square, 0.0))));
    let signs = vec2<f32>(panel.sign, 1.0);
    share.hermite = signs * parts.hermite;
    share.first = signs * (r * parts.first);
    share.second = signs * (r * (r * parts.second));
    let inside = gsf_pair_round(gsf_pair_mul(slope, parts.mass));
    share.inside = vec2<f32>(inside, 0.0);
    share.size = vec2<f32>(abs(inside), 0.0);
    return share;
}

// From the tails at both ends.
fn gsf_by_tails(panel: gsf_panel, length: gsf_pair) -> gsf_parts {
    var j = gsf_precise_tails_3(panel.near);
    var k = gsf_precise_tails_3(panel.far);
    // Beyond the far end the polynomials of the near one.
    let along = gsf_pair_mul(length, k[0]);
    let shifted = gsf_pair_add(k[1], along);
    let half_along = gsf_pair_add(k[1], gsf_pair(0.5 * along.high, 0.5 * along.low));
    let half_square = gsf_pair_sub(j[2], gsf_pair_add(k[2], gsf_pair_mul(length, half_along)));
    let mass = gsf_pair_sub(j[0], k[0]);
    let linear = gsf_pair_sub(j[1], shifted);
    var parts: gsf_parts;
    parts.mass = mass;
    parts.middle = gsf_mean_of(linear, mass);
    let square = gsf_pair(2.0 * half_square.high, 2.0 * half_square.low);
    parts.square = gsf_pair_round(gsf_pair_sub(square, gsf_pair_mul(linear, parts.middle)));
    let h = gsf_density_pair(panel.near);
    let g = gsf_density_pair(panel.far);
    let m = parts.middle;
    let rest = gsf_pair_sub(length, m);
    let near = gsf_pair_mul(gsf_distance_pair(panel.near), h);
    let far = gsf_pair_mul(gsf_pair_exact(panel.far.s), g);
    let between = gsf_pair_sub(h, g);
    let moved = gsf_pair_add(gsf_pair_mul(m, near), gsf_pair_mul(rest, far));
    parts.hermite = vec2<f32>(gsf_pair_round(between), gsf_pair_round(gsf_pair_sub(near, far)));
    parts.first = vec2<f32>(parts.square, gsf_pair_round(gsf_pair_sub(between, moved)));
    let ends = gsf_pair_sub(
        gsf_pair_mul(gsf_pair_mul(m, m), h),
        gsf_pair_mul(gsf_pair_mul(rest, rest), g),
    );
    let inner = gsf_pair_mul(m, gsf_pair_sub(gsf_pair_mul(m, near), gsf_pair(2.0 * h.high, 2.0 * h.low)));
    let outer = gsf_pair_mul(rest, gsf_pair_add(gsf_pair_mul(rest, far), gsf_pair(2.0 * g.high, 2.0 * g.low)));
    let twice = gsf_pair(2.0 * mass.high, 2.0 * mass.low);
    let curve = gsf_pair_sub(gsf_pair_add(twice, inner), outer);
    parts.second = vec2<f32>(gsf_pair_round(ends), gsf_pair_round(curve));
    return parts;
}

// a/b for b > 0, as good as 0 where b is as good as nothing.
fn gsf_mean_of(a: gsf_pair, b: gsf_pair) -> gsf_pair {
    let divisor = gsf_pair_round(b);
    if (!(GSF_LEAST_MASS < divisor)) {
        return gsf_pair(0.0, 0.0);
    }
    let inverse = gsf_divide(1.0, divisor);
    let quotient = gsf_rounded(gsf_pair_round(a) * inverse);
    let rest = gsf_pair_round(gsf_pair_sub(a, gsf_pair_mul(gsf_pair_exact(quotient), b)));
    return gsf_fast_two_sum(quotient, gsf_rounded(rest * inverse));
}

// From integrals of powers around the middle, central ones where they count.
fn gsf_by_series(panel: gsf_panel, length: f32) -> gsf_parts {
    let a = 0.5 * length;
    let place = panel.near.s + a;
    let y = place * a;
    var j = gsf_powers_of(y, a * a);
    let scale = panel.near.h * ((a + a) * gsf_decay(y));
    let tau = gsf_divide(j[1], j[0]);
    let square = j[2] - tau * j[1];
    let reach = scale * a;
    let squared = (reach * a) * square;
    let cube = tau * ((tau + tau) * j[1] - 3.0 * j[2]) + j[3];
    let inner = tau * (6.0 * j[2] - 3.0 * tau * j[1]) - 4.0 * j[3];
    let cubed = (reach * (a * a)) * cube;
    let fourth = (reach * ((a * a) * a)) * (tau * inner + j[4]);
    let at = tau * a + place;
    let mass = scale * j[0];
    var parts: gsf_parts;
    parts.mass = gsf_pair_exact(mass);
    parts.middle = gsf_pair_exact(a * (1.0 + tau));
    parts.square = squared;
    parts.hermite = vec2<f32>(
        place * mass + reach * j[1],
        (place * place - 1.0) * mass + reach * (a * j[2] + (place + place) * j[1]),
    );
    parts.first = vec2<f32>(squared, (at + at) * squared + cubed);
    parts.second = vec2<f32>(
        at * squared + cubed,
        (at * at - 1.0) * squared + ((at + at) * cubed + fourth),
    );
    return parts;
}
