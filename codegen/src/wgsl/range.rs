//! The range of γ and ξ² in which a kernel is right in single precision.

use gaussform_runtime::kernel::SafeRange;
use gaussform_runtime::kernel::pieces::record::single;

use super::single_pieces::SinglePieces;
use crate::table::Table;

/// No term of ĝ at γ is larger than 2 to this, and γ neither.
const SIZE: i32 = 45;
/// No term of ĝ over a distance of ξ is larger than 2 to this, and 1/ξ neither.
const DEVIATION: i32 = 28;
/// No term of ĝ is larger than 2 to this, as far from γ as the density counts.
const FAR: i32 = 100;

/// The range of a table. Pieces without an end say how far terms are from overflow.
pub(super) fn of_table(scaled: &SinglePieces, table: &Table) -> SafeRange {
    let outer: Vec<usize> = match table.knots.len() {
        0 => (0..scaled.rows.len()).collect(),
        knots => vec![0, 2 * knots - 1],
    };
    let farthest = single::twice_all(table.degree).sqrt().log2().ceil() as i32;
    let is_curved = table.degree > 1;
    let far = if is_curved { scaled.reach(&outer, FAR) - farthest } else { DEVIATION };
    let deviation = DEVIATION.min(scaled.reach(&outer, DEVIATION)).min(far);
    SafeRange {
        size: SIZE.min(scaled.reach(&outer, SIZE)),
        least: -2 * DEVIATION,
        most: 2 * deviation,
    }
}
