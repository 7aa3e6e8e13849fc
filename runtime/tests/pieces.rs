//! Which pieces are narrow, and which one is the base.

use gaussform_runtime::kernel::{Deviation, Edge, base_piece, is_narrow};

fn edges<const M: usize>(gamma: f64, xi: f64, knots: [f64; M]) -> [Edge<f64>; M] {
    let deviation = Deviation::new(xi * xi);
    knots.map(|t| Edge::new(gamma, [t, 0.0], &deviation))
}

fn base<const M: usize>(gamma: f64, xi: f64, knots: [f64; M]) -> usize {
    let edges = edges(gamma, xi, knots);
    let mut narrow = vec![false; M + 1];
    for i in 1..M {
        narrow[i] = is_narrow(&edges[i - 1], &edges[i]);
    }
    base_piece(&edges, &narrow)
}

#[test]
fn narrow_pieces() {
    // γ, ξ, the piece, and whether it is narrow: 4ξ around γ, e⁻⁸ away from it.
    let table = [
        (0.0, 1.0, [-1.9, 1.9], true),
        (0.0, 1.0, [-2.0, 2.0], false),
        (0.0, 1.0, [0.0, 3.9], true),
        (0.0, 1.0, [-4.1, 0.0], false),
        (0.0, 1.0, [1.0, 4.0], true),
        (0.0, 1.0, [-4.0, -1.0], true),
        (0.0, 1.0, [1.0, 4.2], false),
        (0.0, 1.0, [30.0, 30.2], true),
        (0.0, 1.0, [30.0, 30.3], false),
        (0.0, 1e6, [-1.0, 1.0], true),
        (0.0, 1e-6, [-1.0, 1.0], false),
        (f64::MAX, 1e-150, [-1.0, 1.0], false),
        (-f64::MAX, 1e-150, [-1.0, 1.0], false),
        (0.0, 1e-150, [-1e200, 1e200], false),
    ];
    for (gamma, xi, knots, expected) in table {
        let [left, right] = edges(gamma, xi, knots);
        assert_eq!(is_narrow(&left, &right), expected, "{gamma} {xi} {knots:?}");
    }
}

#[test]
fn base_pieces() {
    assert_eq!(base(1.0, 1.0, []), 0);
    assert_eq!(base(-1.0, 1.0, [0.0]), 0);
    // On a knot: the piece on its right.
    assert_eq!(base(0.0, 1.0, [0.0]), 1);
    assert_eq!(base(1.0, 1.0, [0.0]), 1);
    // Wide pieces: the one that holds γ.
    for (gamma, expected) in [(-11.0, 0), (-10.0, 1), (0.0, 1), (10.0, 2), (11.0, 2)] {
        assert_eq!(base(gamma, 1.0, [-10.0, 10.0]), expected, "{gamma}");
    }
    // A narrow piece around γ: the nearer of its neighbours, the right one if both are as near.
    for (gamma, expected) in [(-0.5, 0), (0.0, 2), (0.5, 2), (1.5, 2), (-1.5, 0)] {
        assert_eq!(base(gamma, 1.0, [-1.0, 1.0]), expected, "{gamma}");
    }
    // Two narrow pieces beside each other.
    for (gamma, expected) in [(-0.9, 0), (-0.1, 0), (0.0, 3), (0.1, 3)] {
        assert_eq!(base(gamma, 1.0, [-1.0, 0.0, 1.0]), expected, "{gamma}");
    }
    // A wide piece between narrow ones.
    for (gamma, expected) in [(-10.4, 0), (-9.6, 2), (0.0, 2), (10.1, 2), (10.9, 4)] {
        assert_eq!(base(gamma, 1.0, [-10.5, -9.5, 10.0, 11.0]), expected, "{gamma}");
    }
}
