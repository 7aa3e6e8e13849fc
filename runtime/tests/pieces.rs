//! On which piece a γ lies, and which pieces are narrow.

use gaussform_runtime::kernel::{Deviation, Edge, between, is_narrow, place};

fn edges<const M: usize>(gamma: f64, xi: f64, knots: [f64; M]) -> [Edge<f64>; M] {
    let deviation = Deviation::new(xi * xi, [0, 0]);
    knots.map(|t| Edge::at(gamma, [t, 0.0, 0.0], &deviation))
}

fn check(table: &[(f64, f64, [f64; 2], bool)]) {
    for &(gamma, xi, knots, expected) in table {
        let [left, right] = edges(gamma, xi, knots);
        assert_eq!(is_narrow(&left, &right), expected, "{gamma} {xi} {knots:?}");
        // The mirror image is as narrow.
        let [left, right] = edges(-gamma, xi, [-knots[1], -knots[0]]);
        assert_eq!(is_narrow(&left, &right), expected, "−({gamma} {xi} {knots:?})");
    }
}

/// γ, ξ, a piece, and whether it is narrow.
const EXTREMES: [(f64, f64, [f64; 2], bool); 6] = [
    (0.0, 1e6, [-1.0, 1.0], true),
    (3.0, 1e6, [-1.0, 1.0], true),
    (0.0, 1e-6, [-1.0, 1.0], false),
    (f64::MAX, 1e-150, [-1.0, 1.0], false),
    (f64::MAX, 0.0, [-1.0, 1.0], false),
    (0.0, 1e-150, [-1e200, 1e200], false),
];

#[test]
fn narrow_pieces() {
    check(&EXTREMES);
    // 2 ξ around γ, e⁻² away from it.
    check(&[
        (0.0, 1.0, [-0.9, 0.9], true),
        (0.0, 1.0, [-1.0, 1.0], false),
        (0.0, 1.0, [0.0, 1.9], true),
        (0.0, 1.0, [-2.1, 0.0], false),
        (0.0, 1.0, [1.0, 2.2], true),
        (0.0, 1.0, [1.0, 2.3], false),
        (0.0, 1.0, [30.0, 30.06], true),
        (0.0, 1.0, [30.0, 30.07], false),
    ]);
}

/// The pieces, from left to right, on which γ lies.
fn on<const M: usize>(gamma: f64, xi: f64, knots: [f64; M]) -> Vec<usize> {
    let edges = edges(gamma, xi, knots);
    let on =
        |piece: &usize| between(piece.checked_sub(1).map(|left| &edges[left]), edges.get(*piece));
    (0..=M).filter(on).collect()
}

#[test]
fn a_pre_activation_lies_on_one_piece() {
    assert_eq!(on(1.0, 1.0, []), [0]);
    assert_eq!(on(-1.0, 1.0, [0.0]), [0]);
    // On a knot: the piece on its right.
    assert_eq!(on(0.0, 1.0, [0.0]), [1]);
    assert_eq!(on(1.0, 1.0, [0.0]), [1]);
    for xi in [1e-150, 1.0, 1e150] {
        for (gamma, piece) in [
            (-f64::MAX, 0),
            (-11.0, 0),
            (-10.0, 1),
            (0.0, 1),
            (10.0_f64.next_down(), 1),
            (10.0, 2),
            (f64::MAX, 2),
        ] {
            assert_eq!(on(gamma, xi, [-10.0, 10.0]), [piece], "{gamma} {xi}");
        }
    }
    // Knots that have met have nothing between them.
    for (gamma, piece) in [(-0.5, 0), (0.5, 2), (0.0, 2)] {
        assert_eq!(on(gamma, 1.0, [0.0, 0.0]), [piece], "{gamma}");
    }
    // Without a variance as with one.
    for (gamma, piece) in [(-1.5, 0), (0.5, 1), (1.5, 2)] {
        assert_eq!(on(gamma, 0.0, [-1.0, 1.0]), [piece], "{gamma}");
    }
}

#[test]
fn places_among_knots() {
    let third = [1.0 / 3.0, 1.850_371_707_708_594e-17, 0.0];
    let knots = [third, [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]];
    // The double next to 1/3 lies below it.
    assert_eq!([0.3, third[0], 0.4, 0.5, 0.6].map(|x| place(x, &knots)), [0, 0, 2, 3, 6]);
    assert_eq!(place(third[0], &[[third[0], 0.0, 0.0]]), 1);
    assert_eq!(place(third[0], &[[third[0], -1e-17, 0.0]]), 2);
    assert_eq!(place(0.5, &[[0.5, 0.0, 1e-40]]), 0);
    assert_eq!([-f64::INFINITY, f64::INFINITY].map(|x| place(x, &knots)), [0, 6]);
    assert_eq!(place(0.0, &[]), 0);
}
