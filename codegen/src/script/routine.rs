//! The sum of truncated moments, recorded for a function: mean, variance and their derivatives as a graph of
//! operations.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::pieces::{self, Limits};
use gaussform_runtime::kernel::record::Work;
use gaussform_runtime::kernel::{Lanes, sum};

use super::graph::Graph;
use super::lanes::record;
use super::rows::NamedRows;
use crate::table::Numbers;

/// The most knots of a text without loops.
pub(crate) const MOST_KNOTS: usize = 5;
/// The highest degree of a piece.
pub(crate) const MOST_DEGREE: usize = sum::MAX_DEGREE;

/// The exponents of the largest coefficient whose powers single precision holds.
const EXPONENTS: [i32; 2] = [-60, 60];

/// Whether a table has few knots and a low degree, so that its text needs no loops.
pub(crate) fn is_short(table: &Numbers) -> bool {
    table.with(|table| table.knots.len() <= MOST_KNOTS && table.degree <= MOST_DEGREE)
}

/// Whether a text without loops serves in single precision: the numbers and their squares are far from its ends.
pub(crate) fn is_short_and_moderate(table: &Numbers) -> bool {
    let is_moderate = table.with(|table| {
        let centers = table.centers.iter().flat_map(|center| center.coefficients);
        let coefficients = table.sides.iter().chain(centers);
        let largest = coefficients.fold(0.0, |largest: f64, c| largest.max(c[0].abs()));
        let [least, most] = EXPONENTS.map(|exponent| 2.0_f64.powi(exponent));
        table.exponent == 0 && (largest == 0.0 || (least..most).contains(&largest))
    });
    is_moderate && is_short(table)
}

/// The results of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Routine {
    /// Mean and variance.
    Moments,
    /// Mean, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ².
    Gradients,
}

impl Routine {
    /// How many results there are.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Moments => 2,
            Self::Gradients => 6,
        }
    }

    /// The name of the routine.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Moments => "moments",
            Self::Gradients => "gradients",
        }
    }
}

/// The routine for finite γ and ξ² ≥ 0, but for ξ² = 0 on a knot, with the bits of the runtime.
pub(crate) fn strict(numbers: &Numbers, routine: Routine) -> Graph {
    record::<f64, false>(2, false, |inputs| {
        let (gamma, xi2) = (inputs[0], inputs[1]);
        numbers.with(|table| match routine {
            Routine::Moments => moments(table, gamma, xi2).to_vec(),
            Routine::Gradients => gradients(table, gamma, xi2).to_vec(),
        })
    })
}

/// The routine for rows with names in place of numbers. With `is_free`, the graph is as short as it can be, and its
/// bits may differ from those of the runtime.
pub(crate) fn with_names<T: Float, const FUSED: bool>(
    rows: &NamedRows,
    degree: usize,
    routine: Routine,
    is_free: bool,
) -> Graph {
    record::<T, FUSED>(2, is_free, |inputs| {
        let (gamma, xi2) = (inputs[0], inputs[1]);
        let rows = rows.rows();
        macro_rules! of {
            ($D:literal) => {
                match routine {
                    Routine::Moments => sum::moments::<_, 0, $D, false>(&rows, gamma, xi2).to_vec(),
                    Routine::Gradients => {
                        sum::gradients::<_, 0, $D, false>(&rows, gamma, xi2).to_vec()
                    }
                }
            };
        }
        match degree {
            0 | 1 => of!(1),
            2 => of!(2),
            _ => of!(3),
        }
    })
}

/// The routine with the limits for ξ² = 0 on knots, as short as it can be.
pub(crate) fn routine<T: Float, const FUSED: bool>(numbers: &Numbers, routine: Routine) -> Graph {
    record::<T, FUSED>(2, true, |inputs| {
        let (gamma, xi2) = (inputs[0], inputs[1]);
        numbers.with(|table| match routine {
            Routine::Moments => {
                let results = moments(table, gamma, xi2);
                AtRest { table, gamma, xi2, results }.selected().to_vec()
            }
            Routine::Gradients => {
                let results = gradients(table, gamma, xi2);
                AtRest { table, gamma, xi2, results }.selected().to_vec()
            }
        })
    })
}

/// The function itself. Each piece is a polynomial around the nearest of its places, of which terms that are 0 are left out:
/// a constant piece is right for infinite x too.
pub(crate) fn value<T: Float, const FUSED: bool>(numbers: &Numbers) -> Graph {
    record::<T, FUSED>(1, true, |inputs| {
        let x = inputs[0];
        numbers.with(|table| {
            let mut value = around(&table.rows.places[0], x);
            for place in &table.rows.places[1..] {
                value = select_below(x, place.from, value, around(place, x));
            }
            let mut value = raised([value], table.exponent)[0];
            for (knot, at_knot) in table.knots.iter().zip(table.values) {
                if is_number::<T>(*knot) {
                    let on = x.equals(number(knot[0]));
                    value = Lanes::select(on, number(*at_knot), value);
                }
            }
            vec![Lanes::select(x.equals(x), value, x)]
        })
    })
}

/// The nearest number of the precision.
fn number<V: Lanes>(value: f64) -> V {
    V::splat(V::Scalar::from_f64(value))
}

/// The polynomial around a place.
fn around<V: Lanes>(place: &sum::Place, x: V) -> V {
    let [high, low] = place.at;
    let rounded = V::Scalar::from_f64(high).to_f64();
    let mut distance = x - number(rounded);
    let rest = (high - rounded) + low;
    if rest != 0.0 {
        distance = distance - number(rest);
    }
    let mut sum: Option<V> = None;
    for coefficient in place.taylor.iter().rev() {
        sum = match sum {
            None if *coefficient == 0.0 => None,
            None => Some(number::<V>(*coefficient) * distance),
            Some(sum) if *coefficient == 0.0 => Some(sum * distance),
            Some(sum) => Some((sum + number(*coefficient)) * distance),
        };
    }
    let constant = number(place.value[0]);
    sum.map_or(constant, |sum| sum + constant)
}

/// One number where x is less than a place in two words, another one elsewhere.
fn select_below<V: Lanes>(x: V, [high, low]: [f64; 2], below: V, above: V) -> V {
    let rounded = V::Scalar::from_f64(high).to_f64();
    let is_above_rounded = (high - rounded) + low > 0.0;
    let place = number(rounded);
    let is_below = if is_above_rounded { x.le(place) } else { x.lt(place) };
    V::select(is_below, below, above)
}

/// Mean and variance of a table, from its rows.
fn moments<V: Lanes>(table: &pieces::Table<'_>, gamma: V, xi2: V) -> [V; 2] {
    let rows = &table.rows;
    let results = match table.degree {
        0 | 1 => sum::moments::<V, 0, 1, true>(rows, gamma, xi2),
        2 => sum::moments::<V, 0, 2, true>(rows, gamma, xi2),
        _ => sum::moments::<V, 0, 3, true>(rows, gamma, xi2),
    };
    raised(results, table.exponent)
}

/// Mean, variance and their derivatives in γ and ξ² of a table, from its rows.
fn gradients<V: Lanes>(table: &pieces::Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    let rows = &table.rows;
    let results = match table.degree {
        0 | 1 => sum::gradients::<V, 0, 1, true>(rows, gamma, xi2),
        2 => sum::gradients::<V, 0, 2, true>(rows, gamma, xi2),
        _ => sum::gradients::<V, 0, 3, true>(rows, gamma, xi2),
    };
    raised(results, table.exponent)
}

/// The results of a function that is less a power of two: means times this, variances times its square, in steps that
/// are numbers.
fn raised<V: Lanes, const N: usize>(mut results: [V; N], exponent: i32) -> [V; N] {
    for (at, result) in results.iter_mut().enumerate() {
        let is_of_variance = matches!(at, 1 | 4 | 5);
        let mut exponent = if is_of_variance { 2 * exponent } else { exponent };
        while exponent != 0 {
            let step = exponent.clamp(-100, 100);
            *result = *result * V::splat(V::Scalar::from_f64(f64::from(step).exp2()));
            exponent -= step;
        }
    }
    results
}

/// Results, and what stands for them at ξ² = 0 on a knot that is a number of the precision.
struct AtRest<'a, V, const N: usize> {
    table: &'a pieces::Table<'a>,
    gamma: V,
    xi2: V,
    results: [V; N],
}

impl<V: Lanes, const N: usize> AtRest<'_, V, N> {
    fn selected(self) -> [V; N] {
        let (rests, results) = (self.xi2.equals(V::splat(V::Scalar::ZERO)), self.results);
        V::if_any(rests, self, results)
    }
}

impl<V: Lanes, const N: usize> Work for AtRest<'_, V, N> {
    type Output = [V; N];

    fn run(self) -> [V; N] {
        let Limits::Given(limits) = self.table.limits else { unreachable!("numbers have limits") };
        let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
        let mut results = self.results;
        for (knot, row) in self.table.knots.iter().zip(limits) {
            if is_number::<V::Scalar>(*knot) {
                let on = self.gamma.equals(constant(knot[0]));
                for (result, limit) in results.iter_mut().zip(row) {
                    *result = V::select(on, constant(*limit), *result);
                }
            }
        }
        results
    }
}

/// Whether a sum of words is a number of the precision, so that it can be hit.
fn is_number<T: Float>([high, low, _]: [f64; 3]) -> bool {
    low == 0.0 && T::from_f64(high).to_f64() == high
}
