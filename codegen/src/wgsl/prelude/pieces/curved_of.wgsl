// A polynomial of degree @degree@ around a place: in powers of the distance, times the unit.
struct gsf_row_@degree@ { unit: f32, constant: gsf_triple, c: array<gsf_pair, @degree@> }

// The polynomial less its constant, at a distance.
fn gsf_rise_@degree@(c: ptr<function, array<gsf_pair, @degree@>>, w: gsf_pair) -> f32 {
    @rise@
}

// Its first two derivatives in the distance.
fn gsf_derivatives_@degree@(c: ptr<function, array<gsf_pair, @degree@>>, w: f32) -> vec2<f32> {
    var first: f32 = 0.0;
    var second: f32 = 0.0;
    var value: f32 = 0.0;
    @derivatives@
    first = first * w + gsf_pair_round((*c)[0]);
    return vec2<f32>(first, second);
}

// The polynomial around another place, less its value there, which is what is left over.
fn gsf_shift_@degree@(c: ptr<function, array<gsf_pair, @degree@>>, away: gsf_pair) -> gsf_pair {
    var value: gsf_pair;
    for (var k = 0; k < @degree@; k++) {
        for (var j = @degree@ - 1; j >= max(k, 1); j--) {
            let step = gsf_pair_add((*c)[j - 1], gsf_pair_mul((*c)[j], away));
            (*c)[j - 1] = gsf_pair_normal(step);
        }
        if (k == 0) {
            value = gsf_pair_normal(gsf_pair_mul((*c)[0], away));
        }
    }
    return value;
}

// How much the polynomial varies over a distance of xi.
fn gsf_size_@degree@(row: gsf_row_@degree@, c: ptr<function, array<gsf_pair, @degree@>>, xi: f32) -> f32 {
    var size: f32 = 0.0;
    var power: f32 = 1.0;
    for (var j = 0; j < @degree@; j++) {
        power = power * (row.unit * xi);
        if ((*c)[j].high != 0.0) {
            size = max(size, abs((*c)[j].high) * power);
        }
    }
    return size;
}

// The polynomial divided by a power of two, but for its constant.
fn gsf_less_@degree@(c: ptr<function, array<gsf_pair, @degree@>>, less: f32) {
    for (var j = 0; j < @degree@; j++) {
        (*c)[j] = gsf_pair((*c)[j].high * less, (*c)[j].low * less);
    }
}

// The contribution of a panel by quadrature. All weights are positive.
fn gsf_curved_contribution_@degree@(panel: gsf_panel, c: ptr<function, array<gsf_pair, @degree@>>, unit: f32, constant: gsf_pair, deviation: gsf_deviation, with_slopes: bool) -> gsf_contribution {
    let stretch = gsf_stretch_of(panel, deviation, @twice_all@);
    let rule = gsf_rule_@degree@(stretch.fall);
    let near = gsf_distance_pair(panel.near);
    let turn = panel.sign * unit;
    let scaled = gsf_pair(turn * stretch.width.high, turn * stretch.width.low);
    var mass: f32 = 0.0;
    var sum: f32 = 0.0;
    for (var i = rule.first; i < rule.end; i++) {
        let row = gsf_rows_@degree@[i];
        let node = gsf_pair(row.x, row.y);
        let m = row.z * gsf_density_beyond(near, gsf_pair_mul(node, stretch.length));
        mass = mass + m;
        sum = sum + m * gsf_rise_@degree@(c, gsf_pair_mul(node, scaled));
    }
    let inverse = gsf_divide(1.0, max(mass, GSF_LEAST_MASS));
    let middle = gsf_rounded(sum * inverse);
    var rest: f32 = 0.0;
    var squares: f32 = 0.0;
    var contribution: gsf_contribution;
    for (var i = rule.first; i < rule.end; i++) {
        let row = gsf_rows_@degree@[i];
        let node = gsf_pair(row.x, row.y);
        let m = row.z * gsf_density_beyond(near, gsf_pair_mul(node, stretch.length));
        let w = gsf_pair_mul(node, scaled);
        let t = gsf_rounded(gsf_rise_@degree@(c, w) - middle);
        let weighted = m * t;
        rest = rest + weighted;
        squares = squares + gsf_rounded(weighted * t);
        if (with_slopes) {
            let z = gsf_pair_round(stretch.length) * row.x + panel.near.s;
            let hermite = vec2<f32>(panel.sign * z, z * z - 1.0);
            let slopes = gsf_derivatives_@degree@(c, w.high);
            let inside = m * vec2<f32>(slopes.x * unit, (slopes.y * unit) * unit);
            contribution.hermite = contribution.hermite + m * hermite;
            contribution.first = contribution.first + weighted * hermite;
            contribution.second = contribution.second + (weighted * hermite) * t;
            contribution.inside = contribution.inside + inside;
            contribution.size = contribution.size + abs(inside);
        }
    }
    // What the rounded mean leaves.
    let correction = rest * inverse;
    squares = max(squares - correction * rest, 0.0);
    contribution.mean = gsf_pair_add(constant, gsf_fast_two_sum(middle, gsf_rounded(correction)));
    // Masses are divided by a density and multiplied by the unit: the factor that makes them small comes where it takes nothing.
    let density = gsf_pair_mul(gsf_density_pair(panel.near), gsf_pair(GSF_ROOT_TAU, GSF_ROOT_TAU_LOW));
    var scale = gsf_pair_round(gsf_pair_mul(stretch.length, density));
    var first = GSF_DENSITY_UNIT;
    if (1.0 < scale) {
        scale = scale * GSF_DENSITY_UNIT;
        first = 1.0;
    }
    contribution.mass = gsf_pair_exact((first * mass) * scale);
    contribution.squares = gsf_pair_exact((first * squares) * scale);
    contribution.hermite = (first * contribution.hermite) * scale;
    contribution.first = (first * contribution.first) * scale;
    contribution.second = (first * contribution.second) * scale;
    contribution.inside = (first * contribution.inside) * scale;
    contribution.size = (first * contribution.size) * scale;
    return contribution;
}
