//! Tables that are computed in high precision and committed: `gaussform-constants` makes them.

pub(crate) mod decay;
pub(crate) mod exponential;
pub(crate) mod fits;
pub(crate) mod rules;

/// The rows of a symmetric rule of N nodes on \[0, 1\], each a node in two words and its weight, from those of its lower half.
const fn mirrored<const HALF: usize, const N: usize>(lower: [[f64; 3]; HALF]) -> [[f64; 3]; N] {
    let mut rows = [[0.0; 3]; N];
    let mut i = 0;
    while i < HALF {
        let [high, low, weight] = lower[i];
        rows[i] = lower[i];
        // What rounding takes from 1 − high is a number, and so is what it takes from the sum.
        let sum = 1.0 - high;
        let rest = ((1.0 - sum) - high) - low;
        let rounded = sum + rest;
        rows[N - 1 - i] = [rounded, rest - (rounded - sum), weight];
        i += 1;
    }
    rows
}
