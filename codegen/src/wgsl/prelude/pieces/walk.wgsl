// The row of the table that is around the nearest place.
fn gsf_@name@_nearest(gamma: f32) -> gsf_nearest {
    var piece = 0;
    while (piece < @knots@ && !(0.0 < gsf_displacement(gamma, gsf_@name@_knot(piece)).high)) {
        piece++;
    }
    var nearest: gsf_nearest;
    var distance = GSF_MAX;
    for (var i = max(piece - 1, 0); i < min(piece + 1, @knots@); i++) {
        let d = gsf_displacement(gamma, gsf_@name@_knot(i));
        if (abs(d.high) < distance) {
            distance = abs(d.high);
            nearest = gsf_nearest(2 * i + select(0, 1, i < piece), gsf_pair_neg(d));
        }
    }
    for (var i = 0; i < @centers@; i++) {
        let center = gsf_@name@_center(i);
        let d = gsf_displacement(gamma, center.at);
        if (center.piece == piece && abs(d.high) < distance) {
            distance = abs(d.high);
            nearest = gsf_nearest(2 * @knots@ + i, gsf_pair_neg(d));
        }
    }
    return nearest;
}

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
        let bend = @bend@;
        return array<f32, 6>(gsf_pair_round(mean), 0.0, slope, bend, 0.0, slope * slope);
    }
    let deviation = gsf_deviation_of(xi2);
    var whole: gsf_share;
    var flux: gsf_flux;
    var inner = gsf_panel(-1.0, gsf_edge_at_gamma(), gsf_edge_nowhere(), gsf_endless());
    var left = gsf_edge_nowhere();
    var left_at = gsf_pair(0.0, 0.0);
    for (var piece = 0; piece <= @knots@; piece++) {
        var right = gsf_edge_nowhere();
        var right_at = gsf_endless();
        if (piece < @knots@) {
            let knot = gsf_@name@_knot(piece);
            right = gsf_edge_at(true, gamma, knot, deviation);
            right_at = gsf_displacement(gamma, knot);
        }
        var width = gsf_endless();
        if (0 < piece && piece < @knots@) {
            width = gsf_@name@_width(piece - 1);
        }
        var panel: gsf_panel;
        var row = -1;
        if (0 < piece && 0.0 < left_at.high) {
            panel = gsf_panel(1.0, left, right, width);
            row = 2 * piece - 1;
        } else if (piece < @knots@ && !(0.0 < right_at.high)) {
            panel = gsf_panel(-1.0, right, left, width);
            row = 2 * piece;
        } else {
            // From gamma to the left end comes last.
            if (0 < piece) {
                inner = gsf_panel(-1.0, gsf_edge_at_gamma(), left, gsf_pair_abs(left_at));
            }
            panel = gsf_panel(1.0, gsf_edge_at_gamma(), right, right_at);
        }
        if (GSF_LEAST_MASS < panel.near.h) {
            var c = own_c;
            var unit = own.unit;
            var constant = gsf_pair(0.0, 0.0);
            if (0 <= row) {
                let other = gsf_@name@_row(row);
                c = other.c;
                unit = other.unit;
                constant = gsf_above(other.constant, level);
            }
            whole = gsf_join(whole, @share@);
        }
        if (with_slopes && piece < @knots@) {
            flux = gsf_flux_with(flux, right, gsf_@name@_jump(piece), deviation);
        }
        left = right;
        left_at = right_at;
    }
    {
        var c = own_c;
        let unit = own.unit;
        let panel = inner;
        let constant = gsf_pair(0.0, 0.0);
        whole = gsf_join(whole, @share@);
    }
    return gsf_results(whole, level, flux, deviation, @cancels@);
}
