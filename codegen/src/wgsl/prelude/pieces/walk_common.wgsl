
// The derivatives of mean, second moment and variance in a parameter, from the rate of g at a fixed place and the motion of
// knots.
fn gsf_@name@_tangent(gamma: f32, xi2: f32) -> array<f32, 3> {
    let nearest = gsf_@name@_nearest(gamma);
    let own = gsf_@name@_row(nearest.row);
    let rate = gsf_@name@_rates[nearest.row];
    var own_c = own.c;
    var rate_c = rate.c;
    let level = gsf_level(own.constant, gsf_shift_@degree@(&own_c, nearest.away));
    let rate_level = gsf_level(rate.constant, gsf_shift_@degree@(&rate_c, nearest.away));
    if (xi2 == 0.0) {
        let none = gsf_pair(0.0, 0.0);
        return gsf_tangent_results(gsf_total(level, none), gsf_total(rate_level, none), 0.0, 1.0, vec2<f32>());
    }
    let deviation = gsf_deviation_of(xi2);
    let less = gsf_@name@_less(nearest.piece, own, &own_c, deviation.xi);
    gsf_less_@degree@(&own_c, less);
    var whole: gsf_common;
    var left = gsf_nowhere(-1.0);
    var inner = gsf_panel_from_gamma(-1.0, left);
    for (var piece = 0; piece <= @knots@ + 1; piece++) {
        // From gamma to the left end comes last.
        var panel = inner;
        if (piece <= @knots@) {
            let right = gsf_@name@_end(piece, gamma, deviation);
            panel = gsf_panel_on(left, right, gsf_@name@_width_of(piece));
            if (panel.side < 0) {
                inner = gsf_panel_from_gamma(-1.0, left);
            }
            left = right;
        }
        if (GSF_LEAST_MASS < panel.near.h) {
            var a = own_c;
            var b = rate_c;
            var constants = array<gsf_pair, 2>(gsf_pair(0.0, 0.0), gsf_pair(0.0, 0.0));
            if (0 <= panel.side) {
                let row = 2 * (piece - panel.side) + panel.side;
                let other = gsf_@name@_row(row);
                let other_rate = gsf_@name@_rates[row];
                a = other.c;
                b = other_rate.c;
                constants[0] = gsf_above(other.constant, level);
                constants[0] = gsf_pair(constants[0].high * less, constants[0].low * less);
                gsf_less_@degree@(&a, less);
                constants[1] = gsf_above(other_rate.constant, rate_level);
            }
            whole = gsf_join_common(whole, gsf_common_contribution_@degree@(panel, &a, &b, constants, deviation));
        }
    }
    let more = gsf_more(less);
    let middle = gsf_pair(more * whole.means[0].high, more * whole.means[0].low);
    var flux: vec2<f32>;
    for (var knot = 0; knot < @knots@; knot++) {
        let moved = -gsf_@name@_jump(knot).x * gsf_@name@_motion[knot];
        if (moved != 0.0) {
            let end = gsf_@name@_end(knot, gamma, deviation);
            let before = gsf_@name@_row(2 * knot).constant;
            let behind = gsf_@name@_row(2 * knot + 1).constant;
            let sides = array<gsf_pair, 2>(
                gsf_pair_sub(gsf_above(before, level), middle),
                gsf_pair_sub(gsf_above(behind, level), middle),
            );
            flux = gsf_moved(flux, moved, end.edge, sides[0], sides[1], deviation);
        }
    }
    let mean = gsf_total(level, middle);
    let mean_rate = gsf_total(rate_level, whole.means[1]);
    return gsf_tangent_results(mean, mean_rate, whole.product, more, flux);
}
