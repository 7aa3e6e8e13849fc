//! Arithmetic of pairs against arbitrary precision.

mod oracle;

use gaussform_runtime::kernel::Pair;
use oracle::{Points, Real};

/// u²
const UNIT: f64 = 0.25 * f64::EPSILON * f64::EPSILON;

fn exact(pair: Pair<f64>) -> Real {
    let [high, low] = pair.words();
    Real::new(high) + Real::new(low)
}

fn pairs(count: usize) -> Vec<Pair<f64>> {
    let mut random = Points::new(5);
    let mut pair = || {
        let high = random.between(-2.0, 2.0);
        Pair::new(high, high * random.between(-1.0, 1.0) * f64::EPSILON)
    };
    (0..count).map(|_| pair()).collect()
}

#[test]
fn products_and_sums() {
    for two in pairs(2000).windows(2) {
        let [a, b] = [two[0], two[1]];
        let product = (exact(a) * exact(b)).relative_error(&exact(a * b));
        assert!(product < 16.0 * UNIT, "{a:?} {b:?} {product:e}");
        // Of the terms, not of what is left of them.
        for sum in [(exact(a) + exact(b)) - exact(a + b), (exact(a) - exact(b)) - exact(a - b)] {
            assert!(sum.to_f64().abs() < 16.0 * UNIT, "{a:?} {b:?} {sum:?}");
        }
    }
}

#[test]
fn what_cancels_in_the_first_word_is_left_in_the_second() {
    let third = Pair::new(1.0 / 3.0, 1.0 / 3.0 * f64::EPSILON / 4.0);
    let rest = third * Pair::exact(3.0) - Pair::exact(1.0);
    assert!(rest.round().abs() < 16.0 * UNIT, "{rest:?}");
    assert_eq!((-third).round(), -1.0 / 3.0);
    assert_eq!(Pair::select(true, third, rest).words(), third.words());
}
