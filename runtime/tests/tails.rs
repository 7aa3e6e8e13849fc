//! The scaled tails against arbitrary precision, in units of the machine epsilon.

mod oracle;

use gaussform_runtime::kernel::{Deviation, Edge, tails};
use oracle::{Points, Real};

/// The largest s there is.
const CUT_OFF: f64 = 106.0;

/// 0, tiny, dense to 12, and up to the cut-off.
fn points(count: usize) -> Vec<f64> {
    let mut random = Points::new(1);
    let mut s = vec![0.0, 1e-300, 1e-20, 1e-9, 0.002_191, 1.0, CUT_OFF];
    for i in 0..count {
        s.push(random.between(0.0, [0.1, 1.0, 4.0, 12.0, CUT_OFF][i % 5]));
    }
    s
}

/// An edge at s where the density is taken for its unit, so that the tails are R_n.
fn unscaled(s: f64) -> Edge<f64> {
    Edge { z: s, s, d: s, h: 1.0, h_low: 0.0, s_low: 0.0 }
}

/// The largest relative error of all orders.
fn worst<const N: usize>(tails: fn(&Edge<f64>) -> [f64; N], count: usize) -> f64 {
    let mut worst = 0.0_f64;
    for s in points(count) {
        let truth = oracle::tails(s, N);
        for (n, (value, truth)) in tails(&unscaled(s)).iter().zip(&truth).enumerate() {
            assert!(value.is_finite(), "R_{n}({s})");
            worst = worst.max(truth.relative_error(&Real::new(*value)) / f64::EPSILON);
        }
    }
    worst
}

#[test]
fn orders_that_have_a_fit() {
    let worst = [
        worst::<3>(tails, 30),
        worst::<5>(tails, 30),
        worst::<7>(tails, 30),
        worst::<9>(tails, 30),
    ];
    // Bounds near the largest errors that thousands of points gave.
    for (worst, bound) in worst.iter().zip([4.0, 5.5, 7.5, 7.0]) {
        assert!(*worst < bound, "{worst} {bound}");
    }
}

#[test]
fn high_orders() {
    let worst = [
        worst::<10>(tails, 15),
        worst::<17>(tails, 15),
        worst::<41>(tails, 10),
        worst::<64>(tails, 3),
    ];
    for worst in worst {
        assert!(worst < 2.7, "{worst}");
    }
}

#[test]
fn one_order_is_the_mills_ratio() {
    let [mills] = tails::<_, 1>(&unscaled(0.0));
    assert!((mills - (core::f64::consts::PI / 2.0).sqrt()).abs() < 1e-15);
    assert_eq!(tails::<_, 0>(&unscaled(1.0)), [0.0; 0]);
}

#[test]
fn the_root_of_the_density_is_a_factor() {
    for s in [0.0, 0.7, 5.0, 37.0] {
        let edge = Edge::at(-s, [0.0; 3], &Deviation::new(1.0, [0, 0]));
        let truth = oracle::tails(s, 3);
        for (value, truth) in tails::<_, 3>(&edge).iter().zip(truth) {
            let error = (truth * Real::new(edge.h)).relative_error(&Real::new(*value));
            assert!(error < 4.5 * f64::EPSILON, "{s}: {error:e}");
        }
    }
}

#[test]
fn nothing_is_left_beyond_the_cut_off() {
    let edge = Edge::at(-1e9, [0.0; 3], &Deviation::new(1.0, [0, 0]));
    assert_eq!(tails::<_, 3>(&edge), [0.0; 3]);
    assert_eq!(tails::<_, 12>(&edge), [0.0; 12]);
}
