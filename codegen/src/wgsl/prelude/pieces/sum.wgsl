
// The sum over all pieces: mean and variance; with slopes their derivatives in gamma and xi2.
fn gsf_@name@_sum(gamma: f32, xi2: f32, with_slopes: bool) -> array<f32, 6> {
    let nearest = gsf_@name@_nearest(gamma);
    let own = gsf_@name@_row(nearest.row);
    var own_c = own.c;
    let away = gsf_pair(own.unit * nearest.away.high, own.unit * nearest.away.low);
    let level = gsf_level(own.constant, gsf_shift_@degree@(&own_c, away));
    if (xi2 == 0.0) {
        let mean = gsf_pair_add(gsf_pair(level.place.high, level.place.middle), level.offset);
        let slope = own.unit * gsf_pair_round(own_c[0]);
        let bend = (own.unit * own.unit) * gsf_pair_round(own_c[1]);
        return array<f32, 6>(gsf_pair_round(mean), 0.0, slope, bend, 0.0, slope * slope);
    }
    let deviation = gsf_deviation_of(xi2);
    let less = gsf_@name@_less(nearest.piece, own, &own_c, deviation.xi);
    gsf_less_@degree@(&own_c, less);
    var whole: gsf_contribution;
    var flux: gsf_flux;
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
            if (with_slopes && piece < @knots@) {
                flux = gsf_flux_with(flux, right.edge, gsf_@name@_jump(piece), deviation);
            }
            left = right;
        }
        if (GSF_LEAST_MASS < panel.near.h) {
            var c = own_c;
            var unit = own.unit;
            var constant = gsf_pair(0.0, 0.0);
            if (0 <= panel.side) {
                let other = gsf_@name@_row(2 * (piece - panel.side) + panel.side);
                c = other.c;
                unit = other.unit;
                constant = gsf_above(other.constant, level);
                constant = gsf_pair(constant.high * less, constant.low * less);
                gsf_less_@degree@(&c, less);
            }
            whole = gsf_join(whole, gsf_curved_contribution_@degree@(panel, &c, unit, constant, deviation, with_slopes));
        }
    }
    return gsf_results(whole, level, flux, deviation, less, @cancels@);
}
