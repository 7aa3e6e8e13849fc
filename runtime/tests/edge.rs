//! Edges against arbitrary precision, in units of the machine epsilon.
//!
//! One number at a time; vectors are compared with it through the batched kernels.

mod oracle;

use gaussform_runtime::kernel::{Deviation, Edge, density_unit};
use oracle::{Points, Real};

/// Errors of z and of the density.
fn errors(gamma: f64, xi2: f64, knot: [f64; 3]) -> [f64; 2] {
    let edge = Edge::at(gamma, knot, &Deviation::new(xi2, [0, 0]));
    let real = Real::new;
    let d = real(knot[0]) - real(gamma) + real(knot[1]) + real(knot[2]);
    let z = d / real(xi2).sqrt();
    assert_eq!(edge.s, edge.z.abs());
    let density = real(edge.h) * real(density_unit());
    [
        z.relative_error(&real(edge.z)) / f64::EPSILON,
        z.density().relative_error(&density) / f64::EPSILON,
    ]
}

#[test]
fn within_two_ulp_everywhere() {
    let (furthest, magnitude) = (46.0, 150.0);
    let mut random = Points::new(7);
    let mut worst = [0.0_f64; 2];
    for i in 0..400 {
        let exponent = random.between(-magnitude, magnitude);
        let xi2 = random.between(1.0, 10.0) * 10_f64.powf(exponent);
        let xi = xi2.sqrt();
        let z = match i % 3 {
            0 => random.between(-4.0, 4.0),
            1 => random.between(-furthest, furthest),
            _ => furthest - random.unit(),
        };
        let t = [0.0, xi / 3.0, xi * random.between(-1e3, 1e3), xi * random.unit()][i % 4];
        let low = t * 0.5 * f64::EPSILON * random.between(-1.0, 1.0);
        let knot = [t, low, low * 0.5 * f64::EPSILON * random.between(-1.0, 1.0)];
        for (worst, error) in worst.iter_mut().zip(errors(t - z * xi, xi2, knot)) {
            *worst = worst.max(error);
        }
    }
    // measured with 40,000 points: 0.49, 0.99
    assert!(worst[0] < 0.51 && worst[1] < 1.0, "{worst:?}");
}

#[test]
fn density_at_37() {
    for (gamma, xi2) in [(-37.0, 1.0), (37.3, 1.0), (-1e100, 7.3e196), (1.1e-152, 9e-308)] {
        let [z, density] = errors(gamma, xi2, [0.0; 3]);
        assert!(z < 0.51 && density < 1.0, "{gamma} {xi2}: {z} {density}");
    }
}

#[test]
fn extremes_of_the_variance() {
    for xi2 in [5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX] {
        let deviation = Deviation::new(xi2, [0, 0]);
        let [z, density] = errors(-3.0 * deviation.xi, xi2, [0.0; 3]);
        assert!(z < 0.51 && density < 1.0, "{xi2}: {z} {density}");
    }
}

/// The cut-off, well beyond which the density is 0.
const CUT_OFF: f64 = 106.0;

#[test]
fn nothing_is_nan_far_away() {
    let (largest, least) = (f64::MAX, 5e-324);
    for (gamma, xi2) in [
        (largest, 1.0),
        (-largest, 1.0),
        (largest, least),
        (-largest, least),
        (2.0, least),
        (largest, largest),
        (0.0, f64::INFINITY),
        (1.0, f64::INFINITY),
    ] {
        for knot in [0.0, 1.0, -1.0, largest, -largest] {
            let edge = Edge::at(gamma, [knot, 0.0, 0.0], &Deviation::new(xi2, [0, 0]));
            assert!(!edge.z.is_nan(), "{gamma} {xi2} {knot}");
            assert!(edge.s <= CUT_OFF && edge.s == edge.s.abs(), "{gamma} {xi2} {knot}");
            assert!(edge.h >= 0.0 && edge.h * density_unit::<f64>() < 1.0, "{gamma} {xi2} {knot}");
            // In units of an infinite deviation every distance is 0.
            assert_eq!(edge.is_right(), knot > gamma && xi2.is_finite(), "{gamma} {xi2} {knot}");
            if edge.z.abs() > CUT_OFF {
                assert!(edge.s == CUT_OFF && edge.h == 0.0, "{gamma} {xi2} {knot}");
            }
        }
    }
}

#[test]
fn without_variance_every_knot_is_infinitely_far() {
    let deviation = Deviation::new(0.0, [0, 0]);
    for (gamma, knot) in [(0.0, 1e-300), (1.0, -1e300), (5e-324, 0.0)] {
        let edge = Edge::at(gamma, [knot, 0.0, 0.0], &deviation);
        let side = if knot > gamma { f64::INFINITY } else { f64::NEG_INFINITY };
        assert_eq!([edge.z, edge.s, edge.h], [side, CUT_OFF, 0.0], "{gamma} {knot}");
    }
    // The low word of a knot decides on which side a γ lies that is its nearest number.
    for (low, side) in [(1e-20, f64::INFINITY), (-1e-20, f64::NEG_INFINITY)] {
        assert_eq!(Edge::at(1.0, [1.0, low, 0.0], &deviation).z, side);
    }
}

#[test]
fn without_variance_the_side_is_known_even_if_the_distance_overflows() {
    let deviation = Deviation::new(0.0, [0, 0]);
    let side = |gamma: f64| Edge::at(gamma, [-gamma, 0.0, 0.0], &deviation).z;
    assert_eq!([-f64::MAX, f64::MAX].map(side), [f64::INFINITY, f64::NEG_INFINITY]);
}

#[test]
fn the_score_has_the_sign_of_z() {
    let deviation = Deviation::new(1.0, [0, 0]);
    let score = |gamma: f64| Edge::at(gamma, [0.0; 3], &deviation).score();
    assert_eq!([-1e9, -2.0, 0.0, 2.0, 1e9].map(score), [CUT_OFF, 2.0, 0.0, -2.0, -CUT_OFF]);
}

#[test]
fn the_density_underflows_where_no_power_of_xi_raises_it() {
    let deviation = Deviation::new(1.0, [0, 0]);
    let density = |s: f64| Edge::at(-s, [0.0; 3], &deviation).h;
    assert!(density(46.0) > f64::MIN_POSITIVE);
    assert_eq!(density(46.0) * density_unit::<f64>(), 0.0);
    assert_eq!(density(47.0), 0.0);
    assert_eq!(density(106.0), 0.0);
}
