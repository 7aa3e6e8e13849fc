//! Triple words against exact arithmetic.

mod oracle;

use gaussform_runtime::kernel::triple::{add, divide, multiply, negate};
use oracle::{Points, Real};

/// Enough for every sum and product of the words below, and few enough for `puremp` to round to `f64`.
const BITS: u64 = 700;

fn exact(words: [f64; 3]) -> Real {
    words.map(|word| Real::with_bits(word, BITS)).into_iter().reduce(|a, b| a + b).expect("words")
}

fn power(exponent: f64) -> f64 {
    2.0_f64.powi(exponent as i32)
}

/// A number of one, two or three words, with gaps between them.
fn number(points: &mut Points) -> [f64; 3] {
    let mut scale = power(points.between(-30.0, 30.0));
    let count = points.between(1.0, 4.0) as usize;
    let words = [0, 1, 2].map(|i| {
        let word = if i < count { points.between(-1.0, 1.0) * scale } else { 0.0 };
        scale = word.abs() * power(points.between(-60.0, -52.0));
        [word, 0.0, 0.0]
    });
    words.into_iter().reduce(add).expect("words")
}

/// The error of a result is below a relative one of so many bits and an absolute one.
fn check(value: [f64; 3], truth: &Real, bits: f64, absolute: f64) {
    let [high, middle, low] = value;
    assert!(high == high + middle && middle == middle + low, "{value:?} is not normal");
    let error = (exact(value) - truth.clone()).to_f64().abs();
    let stated = truth.to_f64().abs() * power(-bits) + absolute;
    assert!(error <= stated, "2^{} of 2^{}: {value:?}", error.log2(), stated.log2());
}

#[test]
fn errors_are_within_the_stated_bounds() {
    let mut points = Points::new(5);
    for _ in 0..20_000 {
        let (a, b) = (number(&mut points), number(&mut points));
        // Where three words cancel, of the terms.
        let absolute = power(-210.0) * a[0].abs().max(b[0].abs());
        check(add(a, b), &(exact(a) + exact(b)), 160.0, absolute);
        check(multiply(a, b), &(exact(a) * exact(b)), 157.0, 0.0);
        check(divide(a, b), &(exact(a) / exact(b)), 155.0, 0.0);
        // All but the last digits of a, and what they cancel to.
        let digits = power(points.between(-150.0, -1.0)) * a[0] / b[0];
        let beside = add(a, multiply(b, [digits, 0.0, 0.0]));
        check(add(a, negate(beside)), &(exact(a) - exact(beside)), 160.0, absolute);
    }
}

#[test]
fn what_fits_into_three_words_is_exact() {
    let mut points = Points::new(9);
    for _ in 0..2_000 {
        let [a, b, c] = [0; 3].map(|_| [points.between(-9.0, 9.0), 0.0, 0.0]);
        let truth = exact(a) * exact(b) * exact(c);
        let product = multiply(multiply(a, b), c);
        assert_eq!((exact(product) - truth).to_f64(), 0.0, "{a:?} {b:?} {c:?}");
        assert_eq!(add(product, negate(product)), [0.0; 3]);
        assert_eq!(divide(multiply(a, b), a), b, "{a:?} {b:?}");
    }
}

#[test]
fn what_overflows_is_a_plain_number() {
    let number = |value: f64| [value, 0.0, 0.0];
    let huge = number(f64::MAX);
    let infinite = number(f64::INFINITY);
    assert_eq!(add(huge, huge), infinite);
    assert_eq!(add(infinite, huge), infinite);
    assert_eq!(multiply(huge, number(2.0)), infinite);
    assert_eq!(multiply(huge, number(0.5)), number(f64::MAX / 2.0));
    assert_eq!(divide(number(1.0), number(0.0)), infinite);
    assert_eq!(divide(number(1.0), infinite), number(0.0));
    assert_eq!(divide(huge, number(1e300))[0], f64::MAX / 1e300);
    assert_eq!(divide(number(5e-324), number(3.0)), number(0.0));
    assert!(add(infinite, negate(infinite))[0].is_nan());
}
