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
            nearest = gsf_nearest(piece, 2 * i + select(0, 1, i < piece), gsf_pair_neg(d));
        }
    }
    for (var i = 0; i < @centers@; i++) {
        let center = gsf_@name@_center(i);
        let d = gsf_displacement(gamma, center.at);
        if (center.piece == piece && abs(d.high) < distance) {
            distance = abs(d.high);
            nearest = gsf_nearest(piece, 2 * @knots@ + i, gsf_pair_neg(d));
        }
    }
    return nearest;
}

// The right end of a piece.
fn gsf_@name@_end(piece: i32, gamma: f32, deviation: gsf_deviation) -> gsf_end {
    if (piece < @knots@) {
        let knot = gsf_@name@_knot(piece);
        return gsf_end(gsf_edge_at(true, gamma, knot, deviation), gsf_displacement(gamma, knot));
    }
    return gsf_nowhere(1.0);
}

// The width of a piece.
fn gsf_@name@_width_of(piece: i32) -> gsf_pair {
    if (0 < piece && piece < @knots@) {
        return gsf_@name@_width(piece - 1);
    }
    return gsf_endless();
}

// The power of two that g is taken less: the pieces without an end may vary much, that of gamma among them.
fn gsf_@name@_less(piece: i32, own: gsf_row_@degree@, own_c: ptr<function, array<gsf_pair, @degree@>>, xi: f32) -> f32 {
    var size: f32 = 0.0;
    if (piece == 0 || piece == @knots@) {
        size = gsf_size_@degree@(own, own_c, xi);
    }
    for (var i = 0; i < 2 && 0 < @knots@; i++) {
        let row = gsf_@name@_row(i * (2 * @knots@ - 1));
        var c = row.c;
        size = max(size, gsf_size_@degree@(row, &c, xi));
    }
    return gsf_less(size);
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
    let less = gsf_@name@_less(nearest.piece, own, &own_c, deviation.xi);
    gsf_less_@degree@(&own_c, less);
    var whole: gsf_share;
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
            whole = gsf_join(whole, @share@);
        }
    }
    return gsf_results(whole, level, flux, deviation, less, @cancels@);
}
