//! The function with its first two derivatives at a number, recorded.
//!
//! Each piece is a polynomial around the nearest of its places, as in the function itself. On a knot a derivative is the mean of
//! both sides, or 0 where the function or a lower derivative jumps.

use gaussform_runtime::kernel::Lanes;
use gaussform_runtime::kernel::pieces::Table;
use gaussform_runtime::kernel::sum::Place;

use super::columns::{Columns, is_number};
use super::graph::{Graph, Style};
use super::routine::{self, KnotLimits, MOST_KNOTS, by_places, number, recorded};
use super::single_rows::SingleRows;

/// g(x), g′(x) and g″(x) of a table of degree 3 at most, in single precision, and the tables of the loops if there are some.
pub(crate) fn slopes(table: &Table<'_>) -> (Graph, Option<Columns>) {
    let knots = 0..table.knots.len();
    let on_knots = knots.filter(|i| is_number::<f32>(table.knots[*i])).map(|i| {
        let [value, slope, bend] = on_knot(table, i);
        vec![table.knots[i][0], value, slope, bend]
    });
    let on_knots: Vec<Vec<f64>> = on_knots.collect();
    let scaled = SingleRows::new(table);
    let table = scaled.table(table);
    let has_loops = table.knots.len() > MOST_KNOTS;
    let columns = has_loops.then(|| Columns::with_limits::<f32>(&table, on_knots.clone()));
    let graph =
        recorded::<f32>(&table, columns.as_ref(), 1, Style::Free, |table, columns, inputs| {
            let rows = columns.map_or(on_knots, |columns| columns.limits.clone());
            by_places(table, columns, inputs[0], KnotLimits { rows, columns }, around)
        });
    (graph, columns)
}

/// The polynomial around a place, and its derivatives.
fn around<V: Lanes>(place: &Place, x: V) -> [V; 3] {
    let Place { at, taylor, .. } = place.in_lanes::<V, true>();
    let distance = at.into_iter().flatten().fold(x, |distance, word| distance - word);
    let [slope, square, cube] = taylor.map(|coefficient| coefficient.unwrap_or(number(0.0)));
    let times = |factor: f64, coefficient: V| number::<V>(factor) * coefficient;
    let steepening = times(3.0, cube) * distance;
    [
        routine::around(place, x),
        (times(2.0, square) + steepening) * distance + slope,
        times(2.0, square + steepening),
    ]
}

/// g, g′ and g″ on a knot.
fn on_knot(table: &Table<'_>, knot: usize) -> [f64; 3] {
    let (count, scale) = (table.degree + 1, f64::from(table.exponent).exp2());
    let of = |side: usize, j: usize| {
        let coefficients = &table.sides[(2 * knot + side) * count..][..count];
        coefficients.get(j).map_or(0.0, |words| scale * (words[0] + words[1]))
    };
    let mean = |j: usize| 0.5 * of(0, j) + 0.5 * of(1, j);
    let value = table.values[knot];
    // A knot may have a value of its own, which is that of neither side.
    let jumps = of(0, 0) != of(1, 0) || value != of(1, 0);
    let bends = jumps || of(0, 1) != of(1, 1);
    [value, if jumps { 0.0 } else { mean(1) }, if bends { 0.0 } else { 2.0 * mean(2) }]
}
