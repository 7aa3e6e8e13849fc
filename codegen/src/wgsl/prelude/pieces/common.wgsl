// The contribution of a part of the line to a covariance, against the density in its unit: the integral of 1, the means of
// both functions, and the integral of their product around these.
struct gsf_common { mass: f32, means: array<gsf_pair, 2>, product: f32 }

// Two parts together.
fn gsf_join_common(a: gsf_common, b: gsf_common) -> gsf_common {
    let total = a.mass + b.mass;
    let inverse = gsf_divide(1.0, max(total, GSF_LEAST_MASS));
    let my_part = a.mass * inverse;
    let others_part = b.mass * inverse;
    let is_larger = b.mass <= a.mass;
    let between = select(a.mass * others_part, b.mass * my_part, is_larger);
    var both = a.means;
    var others = b.means;
    var apart: vec2<f32>;
    for (var f = 0; f < 2; f++) {
        apart[f] = gsf_pair_round(gsf_pair_sub(others[f], both[f]));
        if (is_larger) {
            both[f] = gsf_pair_add(both[f], gsf_pair_exact(apart[f] * others_part));
        } else {
            both[f] = gsf_pair_add(others[f], gsf_pair_exact(-(apart[f] * my_part)));
        }
    }
    let product = gsf_rounded(apart.x * gsf_rounded(apart.y * between));
    return gsf_common(total, both, (a.product + b.product) + product);
}

// With a knot that moves, at which g has the values left and right, less its mean, and minus the jump times the motion of
// the knot is rate: what that adds to the mean and to the variance, divided by the root of the unit of densities.
fn gsf_moved(flux: vec2<f32>, rate: f32, edge: gsf_edge, left: gsf_pair, right: gsf_pair, deviation: gsf_deviation) -> vec2<f32> {
    let moved = rate * ((edge.h * GSF_HALF_UNIT) * deviation.inverse);
    return flux + moved * vec2<f32>(1.0, gsf_pair_round(gsf_pair_add(left, right)));
}

// The mean of a function from its level and what is left of it.
fn gsf_total(level: gsf_level, mean: gsf_pair) -> f32 {
    let place = gsf_pair_add(gsf_pair(level.place.high, level.place.middle), level.offset);
    return gsf_pair_round(gsf_pair_add(place, mean));
}

// The derivatives of mean, second moment and variance in a parameter, with the product of g less 1/more.
fn gsf_tangent_results(mean: f32, rate: f32, product: f32, more: f32, flux: vec2<f32>) -> array<f32, 3> {
    let dmean = rate + flux.x * GSF_HALF_UNIT;
    let dvariance = 2.0 * ((product * GSF_DENSITY_UNIT) * more) + flux.y * GSF_HALF_UNIT;
    return array<f32, 3>(dmean, 2.0 * mean * dmean + dvariance, dvariance);
}
