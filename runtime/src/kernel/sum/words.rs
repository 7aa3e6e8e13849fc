//! Numbers of a table in lanes: one word, two words or three of the precision.

use crate::Float;
use crate::kernel::number::{number, words as words_of};
use crate::lanes::Lanes;

/// A number of the table in lanes; `None` if the table is known and the number is 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn coefficient<V: Lanes, const KNOWN: bool>(value: f64) -> Option<V> {
    if let Some([word, ..]) = V::named_words([value, 0.0, 0.0]) {
        return word;
    }
    if KNOWN && value == 0.0 { None } else { Some(number(value)) }
}

/// Numbers of the table in lanes, each `None` if it is known to be 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn coefficients<V: Lanes, const KNOWN: bool, const N: usize>(
    values: [f64; N],
) -> [Option<V>; N] {
    let mut all = [None; N];
    for i in 0..N {
        all[i] = coefficient::<V, KNOWN>(values[i]);
    }
    all
}

/// A number of the table in three words of the precision, each `None` if it is known to be 0.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn triple<V: Lanes, const KNOWN: bool>(words: [f64; 3]) -> [Option<V>; 3] {
    if let Some(words) = V::named_words(words) {
        return words;
    }
    // In double precision these are the words already.
    if const { size_of::<V::Scalar>() == size_of::<f64>() } {
        return coefficients::<V, KNOWN, 3>(words);
    }
    let [high, low, lowest] = words_of::<V::Scalar>(words);
    coefficients::<V, KNOWN, 3>([high.to_f64(), low.to_f64(), lowest.to_f64()])
}

/// A number of the table in two words of the precision.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn pair_in_lanes<V: Lanes>(value: [f64; 2]) -> [V; 2] {
    let zero = V::splat(V::Scalar::ZERO);
    let [high, low, _] = triple::<V, false>([value[0], value[1], 0.0]);
    [high.unwrap_or(zero), low.unwrap_or(zero)]
}
