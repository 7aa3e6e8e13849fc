//! The piece or the knot that a number lies on.

/// Where x lies among knots of three words in ascending order: 2i on piece i, 2i + 1 on knot i.
#[inline]
#[must_use]
pub fn place(x: f64, knots: &[[f64; 3]]) -> usize {
    for (i, knot) in knots.iter().enumerate() {
        // Words compare as their digits do: the lower words decide where x is the nearest number.
        if [x, 0.0, 0.0] < *knot {
            return 2 * i;
        }
        if [x, 0.0, 0.0] == *knot {
            return 2 * i + 1;
        }
    }
    2 * knots.len()
}
