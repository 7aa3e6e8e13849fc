//! The sum of truncated moments, recorded for a function: mean, variance and their derivatives as a graph of
//! operations.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::pieces;
use gaussform_runtime::kernel::record::{State, Step, Work, words};
use gaussform_runtime::kernel::sum::{self, Place};
use gaussform_runtime::kernel::{Lanes, Mask};

use super::columns::{Columns, rests};
use super::graph::Graph;
use super::lanes::{Traced, record, record_loops};
use super::rows::NamedRows;
use super::scaled::Scaled;
use crate::kernel::Kernel;
use crate::table::Numbers;

/// The most knots of a text without loops.
pub(crate) const MOST_KNOTS: usize = 5;
/// The highest degree of a piece.
pub(crate) const MOST_DEGREE: usize = sum::MAX_DEGREE;

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

/// What is recorded of a function whose numbers are known.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    numbers: Numbers,
    /// The rows in single precision, with coefficients near 1.
    single: Scaled,
    /// Where there are too many knots for a text without loops, the tables in double and in single precision.
    columns: Option<[Columns; 2]>,
}

impl Recorder {
    /// Of numbers up to degree 3; `None` of others.
    pub(crate) fn new(numbers: Numbers) -> Option<Self> {
        let (knots, degree) = numbers.with(|table| (table.knots.len(), table.degree));
        if degree > MOST_DEGREE {
            return None;
        }
        let single = numbers.with(Scaled::new);
        let columns = || {
            numbers.with(|table| {
                [Columns::new::<f64>(table), Columns::new::<f32>(&single.table(table))]
            })
        };
        let columns = (knots > MOST_KNOTS).then(columns);
        Some(Self { numbers, single, columns })
    }

    /// Of a kernel without parameters up to degree 3; `None` of others.
    pub(crate) fn of(kernel: &Kernel) -> Option<Self> {
        if !kernel.activation().parameters.is_empty() {
            return None;
        }
        let numbers = match kernel.numbers() {
            Some(numbers) => numbers.clone(),
            None => Kernel::table_of(kernel.activation()).ok()?,
        };
        Self::new(numbers)
    }

    /// The tables of a precision, if there are loops.
    pub(crate) fn columns<T: Float>(&self) -> Option<&Columns> {
        let [double, single] = self.columns.as_ref()?;
        Some(if size_of::<T>() == size_of::<f32>() { single } else { double })
    }

    /// The routine for finite γ and ξ² ≥ 0, but for ξ² = 0 on a knot, with the bits of the runtime.
    pub(crate) fn strict(&self, routine: Routine) -> Graph {
        self.recorded::<f64, false>(2, false, |table, _, inputs| {
            let (gamma, xi2) = (inputs[0], inputs[1]);
            match routine {
                Routine::Moments => moments(table, gamma, xi2).to_vec(),
                Routine::Gradients => gradients(table, gamma, xi2).to_vec(),
            }
        })
    }

    /// The routine with the limits for ξ² = 0 on knots, as short as it can be.
    pub(crate) fn routine<T: Float, const FUSED: bool>(&self, routine: Routine) -> Graph {
        self.recorded::<T, FUSED>(2, true, |table, columns, inputs| {
            with_limits(table, columns, inputs, routine)
        })
    }

    /// The function itself. Each piece is a polynomial around the nearest of its places. Terms that are known to be 0 are
    /// left out: a constant outer piece is right for infinite x too.
    pub(crate) fn value<T: Float, const FUSED: bool>(&self) -> Graph {
        self.recorded::<T, FUSED>(1, true, |table, columns, inputs| {
            let x = inputs[0];
            let places = table.rows.places;
            let first = around(&places[0], x);
            let ([mut value], []) =
                Lanes::repeat(1..places.len(), Nearest { places, x }, ([first], []));
            if let Some(columns) = columns {
                let last = &columns.last;
                value = select_below(x, last.from, value, around(last, x));
            }
            let value = raised([value], table.exponent)[0];
            let rests = Rests::new::<T>(table, columns);
            let [value] = OnKnot { rests, at: x, first: 1 }.put([value]);
            vec![Lanes::select(x.equals(x), value, x)]
        })
    }

    /// Records what is done with a table, whose rows stand for any where there are loops.
    fn recorded<T: Float, const FUSED: bool>(
        &self,
        inputs: usize,
        is_free: bool,
        body: impl FnOnce(
            &pieces::Table<'_>,
            Option<&Columns>,
            &[Traced<T, FUSED>],
        ) -> Vec<Traced<T, FUSED>>,
    ) -> Graph {
        self.numbers.with(|table| {
            let is_single = size_of::<T>() == size_of::<f32>();
            let table = if is_single { self.single.table(table) } else { *table };
            match self.columns::<T>() {
                None => record(inputs, is_free, |inputs| body(&table, None, inputs)),
                Some(columns) => {
                    let table = pieces::Table { rows: columns.rows(), ..table };
                    record_loops(inputs, is_free, |inputs| body(&table, Some(columns), inputs))
                }
            }
        })
    }
}

/// The routine of a table of single precision without loops, with the limits for ξ² = 0 on knots.
pub(crate) fn of_table(table: &pieces::Table<'_>, routine: Routine) -> Graph {
    let scaled = Scaled::new(table);
    let table = scaled.table(table);
    record::<f32, false>(2, true, |inputs| with_limits(&table, None, inputs, routine))
}

/// The results of a routine, with the limits for ξ² = 0 on knots.
fn with_limits<V: Lanes>(
    table: &pieces::Table<'_>,
    columns: Option<&Columns>,
    inputs: &[V],
    routine: Routine,
) -> Vec<V> {
    let (gamma, xi2) = (inputs[0], inputs[1]);
    match routine {
        Routine::Moments => {
            let results = raised_moments(table, gamma, xi2);
            AtRest { table, columns, gamma, xi2, results }.selected().to_vec()
        }
        Routine::Gradients => {
            let results = raised_gradients(table, gamma, xi2);
            AtRest { table, columns, gamma, xi2, results }.selected().to_vec()
        }
    }
}

/// The nearest number of the precision.
pub(super) fn number<V: Lanes>(value: f64) -> V {
    V::splat(V::Scalar::from_f64(value))
}

/// The polynomial around a place.
pub(super) fn around<V: Lanes>(place: &sum::Place, x: V) -> V {
    let Place { at, value, taylor, .. } = place.in_lanes::<V, true>();
    let distance = at.into_iter().flatten().fold(x, |distance, word| distance - word);
    let mut sum: Option<V> = None;
    for coefficient in taylor.into_iter().rev() {
        sum = match (sum, coefficient) {
            (None, None) => None,
            (None, Some(coefficient)) => Some(coefficient * distance),
            (Some(sum), None) => Some(sum * distance),
            (Some(sum), Some(coefficient)) => Some((sum + coefficient) * distance),
        };
    }
    let constant = value[0].unwrap_or(number(0.0));
    sum.map_or(constant, |sum| sum + constant)
}

/// One number where x is less than a place in two words, another one elsewhere.
pub(super) fn select_below<V: Lanes>(x: V, from: [f64; 2], below: V, above: V) -> V {
    let is_below = match V::named_words([from[0], from[1], 0.0]) {
        Some([place, low, _]) => {
            let zero = number::<V>(0.0);
            let place = place.unwrap_or(zero);
            let is_less = x.lt(place);
            match low {
                Some(low) => is_less.or(x.equals(place).and(zero.lt(low))),
                None => is_less,
            }
        }
        None => {
            let [place, low, _] = words::<V::Scalar>([from[0], from[1], 0.0]);
            let place = V::splat(place);
            if low > V::Scalar::ZERO { x.le(place) } else { x.lt(place) }
        }
    };
    V::select(is_below, below, above)
}

/// The choice between the polynomial around the places so far and the one around the next place.
struct Nearest<'a, V> {
    places: &'a [Place],
    x: V,
}

impl<V: Lanes> Step<V, 1, 0> for Nearest<'_, V> {
    fn take(&self, i: usize, ([value], []): State<V, 1, 0>) -> (State<V, 1, 0>, bool) {
        let place = &self.places[i];
        let value = select_below(self.x, place.from, value, around(place, self.x));
        (([value], []), true)
    }
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

/// Mean and variance of a table, raised in its routine.
fn raised_moments<V: Lanes>(table: &pieces::Table<'_>, gamma: V, xi2: V) -> [V; 2] {
    let (rows, exponent) = (&table.rows, table.exponent);
    match table.degree {
        0 | 1 => sum::raised_moments::<V, 0, 1, true>(rows, gamma, xi2, exponent),
        2 => sum::raised_moments::<V, 0, 2, true>(rows, gamma, xi2, exponent),
        _ => sum::raised_moments::<V, 0, 3, true>(rows, gamma, xi2, exponent),
    }
}

/// The same with derivatives in γ and ξ².
fn raised_gradients<V: Lanes>(table: &pieces::Table<'_>, gamma: V, xi2: V) -> [V; 6] {
    let (rows, exponent) = (&table.rows, table.exponent);
    match table.degree {
        0 | 1 => sum::raised_gradients::<V, 0, 1, true>(rows, gamma, xi2, exponent),
        2 => sum::raised_gradients::<V, 0, 2, true>(rows, gamma, xi2, exponent),
        _ => sum::raised_gradients::<V, 0, 3, true>(rows, gamma, xi2, exponent),
    }
}

/// The results of a function that is less a power of two: means times this, variances times its square, in steps that
/// are numbers.
pub(super) fn raised<V: Lanes, const N: usize>(mut results: [V; N], exponent: i32) -> [V; N] {
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
    columns: Option<&'a Columns>,
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
        let rests = Rests::new::<V::Scalar>(self.table, self.columns);
        OnKnot { rests, at: self.gamma, first: 2 }.put(self.results)
    }
}

/// The knots that are numbers of the precision, with the value of the function and the limits of the results.
struct Rests<'a> {
    rows: Vec<[f64; 8]>,
    columns: Option<&'a Columns>,
}

impl<'a> Rests<'a> {
    fn new<T: Float>(table: &pieces::Table<'_>, columns: Option<&'a Columns>) -> Self {
        let rows = columns.map_or_else(|| rests::<T>(table), |columns| columns.rests.clone());
        Self { rows, columns }
    }
}

/// On a knot, the numbers of its row in place of results, from the one of number `first` on.
struct OnKnot<'a, V> {
    rests: Rests<'a>,
    at: V,
    first: usize,
}

impl<V: Lanes> OnKnot<'_, V> {
    /// Results with the numbers of the row in their place on a knot.
    fn put<const N: usize>(self, results: [V; N]) -> [V; N] {
        let (count, start) = (self.rests.rows.len(), (results, []));
        let stands_for_any = self.rests.columns.is_some() && count > 1;
        let (results, []) = match stands_for_any {
            true => V::repeat(1..count, self, start),
            false => (0..count).fold(start, |state, i| self.take(i, state).0),
        };
        results
    }
}

impl<V: Lanes, const N: usize> Step<V, N, 0> for OnKnot<'_, V> {
    fn take(&self, i: usize, (mut results, []): State<V, N, 0>) -> (State<V, N, 0>, bool) {
        let number = |value: f64| match self.rests.columns {
            Some(columns) => columns.limit(value),
            None => number(value),
        };
        let row = &self.rests.rows[i];
        let on = self.at.equals(number(row[0]));
        for (result, limit) in results.iter_mut().zip(&row[self.first..]) {
            *result = V::select(on, number(*limit), *result);
        }
        ((results, []), true)
    }
}
