//! Double words, and polynomials around a knot that is one.

mod oracle;

use gaussform_runtime::kernel::{number, polynomial_around, triple, word};
use oracle::{Points, Real};

fn exact([high, low]: [f64; 2]) -> Real {
    Real::new(high) + Real::new(low)
}

/// u² with u = 2⁻⁵³
const SQUARE: f64 = f64::EPSILON * f64::EPSILON / 4.0;

#[test]
fn errors_are_within_the_stated_bounds() {
    let mut points = Points::new(11);
    let mut word = || {
        let high = points.between(-1.0, 1.0) * 2.0_f64.powi(points.between(-30.0, 30.0) as i32);
        let low = points.between(-0.5, 0.5) * f64::EPSILON * high.abs() * 0.5;
        word::add([high, 0.0], [low, 0.0])
    };
    for _ in 0..20_000 {
        let (a, b) = (word(), word());
        let check = |value: [f64; 2], truth: Real, bound: f64| {
            let error = truth.relative_error(&exact(value));
            assert!(error <= bound * SQUARE, "{a:?} {b:?}: {} u²", error / SQUARE);
            assert_eq!(value[0], value[0] + value[1], "{value:?} is not normal");
        };
        check(word::add(a, b), exact(a) + exact(b), 3.1);
        check(word::multiply(a, b), exact(a) * exact(b), 7.0);
        check(word::divide(a, b), exact(a) / exact(b), 15.1);
    }
}

#[test]
fn differences_of_neighbours_are_exact() {
    let (a, b) = (0.3, 0.3_f64.next_up());
    assert_eq!(word::add([b, 0.0], word::negate([a, 0.0])), [b - a, 0.0]);
    // 1/3 + 2/3 − 1, where the quotients round differently.
    let third = word::divide([1.0, 0.0], [3.0, 0.0]);
    let sum = word::add(word::add(third, third), word::add(third, [-1.0, 0.0]));
    assert!(sum[0].abs() < 4.0 * SQUARE, "{sum:?}");
}

#[test]
fn constants_in_the_precision_of_a_kernel() {
    let third = word::divide([1.0, 0.0], [3.0, 0.0]);
    assert_eq!(number::<f64>(third[0]), third[0]);
    assert_eq!(word::round::<f64>(third), 1.0 / 3.0);
}

#[test]
fn what_overflows_is_a_plain_number() {
    let huge = [f64::MAX, 0.0];
    assert_eq!(word::add(huge, huge), [f64::INFINITY, 0.0]);
    assert_eq!(word::multiply(huge, [2.0, 0.0]), [f64::INFINITY, 0.0]);
    assert_eq!(word::multiply(huge, [0.5, 0.0]), [f64::MAX / 2.0, 0.0]);
    assert_eq!(word::divide([1.0, 0.0], [0.0, 0.0]), [f64::INFINITY, 0.0]);
    assert_eq!(word::divide(huge, [1e300, 0.0])[0], f64::MAX / 1e300);
}

#[test]
fn polynomials_around_a_knot() {
    // (x − t)³ + (x − t)/7 around t = 1/3.
    let knot = triple::divide([1.0, 0.0, 0.0], [3.0, 0.0, 0.0]);
    let seventh = word::divide([1.0, 0.0], [7.0, 0.0]);
    let coefficients = [[0.0; 2], seventh, [0.0; 2], [1.0, 0.0]];
    for x in [1.0 / 3.0, 0.333_333_4, 0.3, -5.0, 1e9] {
        let offset = Real::new(x) - (exact([knot[0], knot[1]]) + Real::new(knot[2]));
        let cube = offset.clone() * offset.clone() * offset.clone();
        let truth = cube + offset * exact(seventh);
        let value = polynomial_around(&coefficients, knot, x).round();
        let error = truth.relative_error(&Real::new(value));
        assert!(error <= 0.51 * f64::EPSILON, "{x}: {error:e}");
    }
    let infinite =
        [-f64::INFINITY, f64::INFINITY].map(|x| polynomial_around(&coefficients, knot, x).round());
    assert_eq!(infinite, [-f64::INFINITY, f64::INFINITY]);
}
