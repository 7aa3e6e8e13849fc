//! The function with its first two derivatives at a number, recorded.
//!
//! Each piece is a polynomial around the nearest of its places, as in the function itself. On a knot a derivative is the mean of
//! both sides, or 0 where the function or a lower derivative jumps.

use gaussform_runtime::kernel::Lanes;
use gaussform_runtime::kernel::pieces::Table;
use gaussform_runtime::kernel::sum::Place;

use super::columns::is_number;
use super::graph::{Graph, Style};
use super::lanes::record;
use super::routine::{self, number, raised, select_below};
use super::scaled::Scaled;

/// g(x), g′(x) and g″(x) of a table of degree 3 at most, in single precision and without loops.
pub(crate) fn slopes(table: &Table<'_>) -> Graph {
    let scaled = Scaled::new(table);
    let Table { rows, exponent, .. } = scaled.table(table);
    record::<f32>(1, Style::Free, |inputs| {
        let x = inputs[0];
        let mut results = around(&rows.places[0], x);
        for place in &rows.places[1..] {
            let next = around(place, x);
            for (result, next) in results.iter_mut().zip(next) {
                *result = select_below(x, place.from, *result, next);
            }
        }
        let mut results = results.map(|result| raised([result], exponent)[0]);
        for (i, knot) in table.knots.iter().enumerate().filter(|(_, knot)| is_number::<f32>(**knot))
        {
            let on = x.equals(number(knot[0]));
            for (result, limit) in results.iter_mut().zip(on_knot(table, i)) {
                *result = Lanes::select(on, number(limit), *result);
            }
        }
        results.map(|result| Lanes::select(x.equals(x), result, x)).to_vec()
    })
}

/// The polynomial around a place, and its derivatives.
fn around<V: Lanes>(place: &Place, x: V) -> [V; 3] {
    let [slope, square, cube] = place.taylor;
    let of = |constant: f64, taylor: [f64; 3]| {
        routine::around(&Place { value: [constant, 0.0], taylor, ..*place }, x)
    };
    [
        routine::around(place, x),
        of(slope, [2.0 * square, 3.0 * cube, 0.0]),
        of(2.0 * square, [6.0 * cube, 0.0, 0.0]),
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
    let jumps = of(0, 0) != of(1, 0) || value != of(1, 0);
    let bends = jumps || of(0, 1) != of(1, 1);
    [value, if jumps { 0.0 } else { mean(1) }, if bends { 0.0 } else { 2.0 * mean(2) }]
}
