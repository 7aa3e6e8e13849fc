//! Which piece a number lies on, which pieces are integrated by quadrature, and which is the base.

use super::Edge;
use crate::Float;

/// Whether the piece between two edges is small enough in units of ξ to be integrated by
/// quadrature: narrower than 4 around γ, or with less than a factor e⁻⁸ between the density
/// at its two ends away from γ.
#[inline]
pub fn is_narrow<T: Float>(left: &Edge<T>, right: &Edge<T>) -> bool {
    // Two edges at the same infinity give NaN here, which no comparison below accepts.
    let omega = right.z - left.z;
    if left.z <= T::ZERO && T::ZERO <= right.z {
        omega < T::from_f64(4.0)
    } else {
        omega * (left.z + right.z).abs() < T::from_f64(16.0)
    }
}

/// The index of the piece nearest to γ that is not narrow.
///
/// `edges` are the knots in ascending order and `narrow[i]` says whether piece i, between
/// edges i − 1 and i, is narrow; the two unbounded pieces never are. A knot belongs to the
/// piece on its right, and of two pieces at the same distance the right one is taken.
#[inline]
pub fn base_piece<T: Float>(edges: &[Edge<T>], narrow: &[bool]) -> usize {
    debug_assert_eq!(narrow.len(), edges.len() + 1, "one flag for each piece");
    let mut home = 0;
    while home < edges.len() && edges[home].z <= T::ZERO {
        home += 1;
    }
    if !narrow[home] {
        return home;
    }
    let mut left = home - 1;
    while narrow[left] {
        left -= 1;
    }
    let mut right = home + 1;
    while narrow[right] {
        right += 1;
    }
    // Piece `left` ends at edge `left`, piece `right` begins at edge `right` − 1.
    if -edges[left].z < edges[right - 1].z { left } else { right }
}

/// Where x lies among knots `[hi, lo]` in ascending order: 2i on piece i, 2i + 1 on knot i.
#[inline]
pub fn place<T: Float>(x: T, knots: &[[T; 2]]) -> usize {
    for (i, knot) in knots.iter().enumerate() {
        // Words compare as their digits do: the low word decides where x is the nearest number.
        if [x, T::ZERO] < *knot {
            return 2 * i;
        }
        if [x, T::ZERO] == *knot {
            return 2 * i + 1;
        }
    }
    2 * knots.len()
}
