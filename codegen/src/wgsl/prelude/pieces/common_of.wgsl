// The contribution of a panel to the covariance of two polynomials, by quadrature.
fn gsf_common_contribution_@degree@(panel: gsf_panel, a: ptr<function, array<gsf_pair, @degree@>>, b: ptr<function, array<gsf_pair, @degree@>>, constants: array<gsf_pair, 2>, deviation: gsf_deviation) -> gsf_common {
    let stretch = gsf_stretch_of(panel, deviation, @twice_all@);
    let rule = gsf_rule_@degree@(stretch.fall);
    let near = gsf_distance_pair(panel.near);
    let scaled = gsf_pair(panel.sign * stretch.width.high, panel.sign * stretch.width.low);
    var mass: f32 = 0.0;
    var sums: vec2<f32>;
    for (var i = rule.first; i < rule.end; i++) {
        let row = gsf_rows_@degree@[i];
        let node = gsf_pair(row.x, row.y);
        let m = row.z * gsf_density_beyond(near, gsf_pair_mul(node, stretch.length));
        let w = gsf_pair_mul(node, scaled);
        mass = mass + m;
        sums = sums + m * vec2<f32>(gsf_rise_@degree@(a, w), gsf_rise_@degree@(b, w));
    }
    let inverse = gsf_divide(1.0, max(mass, GSF_LEAST_MASS));
    let middles = vec2<f32>(gsf_rounded(sums.x * inverse), gsf_rounded(sums.y * inverse));
    var rests: vec2<f32>;
    var product: f32 = 0.0;
    for (var i = rule.first; i < rule.end; i++) {
        let row = gsf_rows_@degree@[i];
        let node = gsf_pair(row.x, row.y);
        let m = row.z * gsf_density_beyond(near, gsf_pair_mul(node, stretch.length));
        let w = gsf_pair_mul(node, scaled);
        let first = gsf_rounded(gsf_rise_@degree@(a, w) - middles.x);
        let second = gsf_rounded(gsf_rise_@degree@(b, w) - middles.y);
        rests = rests + m * vec2<f32>(first, second);
        product = product + gsf_rounded((m * first) * second);
    }
    // What the rounded means leave.
    let corrections = rests * inverse;
    product = product - corrections.x * rests.y;
    let density = gsf_pair_mul(gsf_density_pair(panel.near), gsf_pair(GSF_ROOT_TAU, GSF_ROOT_TAU_LOW));
    var scale = gsf_pair_round(gsf_pair_mul(stretch.length, density));
    var first = GSF_DENSITY_UNIT;
    if (1.0 < scale) {
        scale = scale * GSF_DENSITY_UNIT;
        first = 1.0;
    }
    var means = constants;
    means[0] = gsf_pair_add(means[0], gsf_fast_two_sum(middles.x, gsf_rounded(corrections.x)));
    means[1] = gsf_pair_add(means[1], gsf_fast_two_sum(middles.y, gsf_rounded(corrections.y)));
    return gsf_common((first * mass) * scale, means, (first * product) * scale);
}
