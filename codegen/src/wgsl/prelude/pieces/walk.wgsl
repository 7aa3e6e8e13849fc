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
        return gsf_end(gsf_edge_at(gamma, knot, deviation), gsf_displacement(gamma, knot));
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
