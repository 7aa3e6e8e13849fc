//! The sum of truncated moments, recorded for a function: mean, variance and their derivatives as a graph of
//! operations.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::pieces;
use gaussform_runtime::kernel::record::{State, Step, Work, words};
use gaussform_runtime::kernel::sum::{self, Place, Rows};
use gaussform_runtime::kernel::{Lanes, Mask};

use super::columns::{Columns, knot_limits};
use super::graph::{Graph, Style};
use super::lanes::{Traced, record, record_loops};
use super::rows::NamedRows;
use super::single_rows::SingleRows;
use crate::kernel::Kernel;
use crate::run::array;
use crate::table::Numbers;

/// The most knots of a text without loops.
pub(crate) const MOST_KNOTS: usize = 5;

/// What a sum is recorded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantities {
    /// Mean and variance.
    Moments,
    /// Mean, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ².
    Gradients,
}

impl Quantities {
    /// How many there are.
    pub(crate) fn count(self) -> usize {
        match self {
            Self::Moments => 2,
            Self::Gradients => 6,
        }
    }

    /// The name of their routine.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Moments => "moments",
            Self::Gradients => "gradients",
        }
    }
}

/// The routine for rows with names in place of numbers.
pub(crate) fn with_names<T: Float>(
    rows: &NamedRows,
    degree: usize,
    of: Quantities,
    style: Style,
) -> Graph {
    record::<T>(2, style, |inputs| {
        sums::<_, false>(&rows.rows(), degree, of, [inputs[0], inputs[1]], 0)
    })
}

/// A function whose numbers are known, from which routines are recorded.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    numbers: Numbers,
    /// The rows in single precision, with coefficients near 1.
    single: SingleRows,
    /// Where there are too many knots for a text without loops, the tables in double and in single precision.
    columns: Option<[Columns; 2]>,
}

impl Recorder {
    /// Of numbers up to degree 3; `None` of others.
    pub(crate) fn new(numbers: Numbers) -> Option<Self> {
        let (knots, degree) = numbers.with(|table| (table.knots.len(), table.degree));
        if degree > sum::MAX_DEGREE {
            return None;
        }
        let single = numbers.with(SingleRows::new);
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
        Some(if T::IS_DOUBLE { double } else { single })
    }

    /// The routine for finite γ and ξ² ≥ 0, but for ξ² = 0 on a knot, with the bits of the runtime.
    pub(crate) fn strict(&self, of: Quantities) -> Graph {
        self.recorded::<f64>(2, Style::Strict, |table, _, inputs| {
            let inputs = [inputs[0], inputs[1]];
            let results = sums::<_, true>(&table.rows, table.degree, of, inputs, 0);
            raised(results, table.exponent)
        })
    }

    /// The routine with the limits for ξ² = 0 on knots, as short as it can be.
    pub(crate) fn routine<T: Float>(&self, of: Quantities, style: Style) -> Graph {
        self.recorded::<T>(2, style, |table, columns, inputs| {
            with_limits(table, columns, inputs, of)
        })
    }

    /// The function itself. Each piece is a polynomial around the nearest of its places. Terms that are known to be 0 are
    /// left out: a constant outer piece is right for infinite x too.
    pub(crate) fn value<T: Float>(&self) -> Graph {
        self.recorded::<T>(1, Style::Free, |table, columns, inputs| {
            let limits = KnotLimits::new::<T>(table, columns);
            by_places(table, columns, inputs[0], limits, |place, x| [around(place, x)])
        })
    }

    /// Records what is done with a table, whose rows stand for any where there are loops.
    fn recorded<T: Float>(
        &self,
        inputs: usize,
        style: Style,
        body: impl FnOnce(&pieces::Table<'_>, Option<&Columns>, &[Traced<T>]) -> Vec<Traced<T>>,
    ) -> Graph {
        self.numbers.with(|table| {
            let is_single = !T::IS_DOUBLE;
            let table = if is_single { self.single.table(table) } else { *table };
            recorded(&table, self.columns::<T>(), inputs, style, body)
        })
    }
}

/// The routine of a table of single precision, with the limits for ξ² = 0 on knots, and the tables of its loops if it has some.
pub(crate) fn of_table(table: &pieces::Table<'_>, of: Quantities) -> (Graph, Option<Columns>) {
    let scaled = SingleRows::new(table);
    let table = scaled.table(table);
    let columns = (table.knots.len() > MOST_KNOTS).then(|| Columns::new::<f32>(&table));
    let graph =
        recorded::<f32>(&table, columns.as_ref(), 2, Style::Free, |table, columns, inputs| {
            with_limits(table, columns, inputs, of)
        });
    (graph, columns)
}

/// Records what is done with a table, whose rows stand for any if they are given as columns.
pub(super) fn recorded<T: Float>(
    table: &pieces::Table<'_>,
    columns: Option<&Columns>,
    inputs: usize,
    style: Style,
    body: impl FnOnce(&pieces::Table<'_>, Option<&Columns>, &[Traced<T>]) -> Vec<Traced<T>>,
) -> Graph {
    match columns {
        None => record(inputs, style, |inputs| body(table, None, inputs)),
        Some(columns) => {
            let table = pieces::Table { rows: columns.rows(), ..*table };
            record_loops(inputs, style, |inputs| body(&table, Some(columns), inputs))
        }
    }
}

/// The results of a routine, with the limits for ξ² = 0 on knots.
fn with_limits<V: Lanes>(
    table: &pieces::Table<'_>,
    columns: Option<&Columns>,
    inputs: &[V],
    of: Quantities,
) -> Vec<V> {
    let inputs = [inputs[0], inputs[1]];
    let results = sums::<_, true>(&table.rows, table.degree, of, inputs, table.exponent);
    match of {
        Quantities::Moments => {
            AtZeroVariance::<_, 2> { table, columns, inputs, results: array(&results) }.selected()
        }
        Quantities::Gradients => {
            AtZeroVariance::<_, 6> { table, columns, inputs, results: array(&results) }.selected()
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
    // The high word comes first: near the place its difference is exact, so that the low words
    // count.
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
            // x has one word. At the high word of a place with a positive rest it is still below
            // the place.
            if low > V::Scalar::ZERO { x.le(place) } else { x.lt(place) }
        }
    };
    V::select(is_below, below, above)
}

/// What each place gives of a number x, by the place that is nearest to x: the polynomial around it, or that with derivatives. `limits`
/// stand for it on knots.
pub(super) fn by_places<V: Lanes, const N: usize>(
    table: &pieces::Table<'_>,
    columns: Option<&Columns>,
    x: V,
    limits: KnotLimits<'_>,
    around: impl Fn(&Place, V) -> [V; N] + Copy,
) -> Vec<V> {
    let places = table.rows.places;
    let next = Next { places, x, around };
    let (mut results, []) = V::repeat(1..places.len(), next, (around(&places[0], x), []));
    // In a row that stands for any, a coefficient has a name even where it is 0, and 0 times an infinite distance is NaN. So the last
    // place comes once more, with its own numbers.
    if let Some(columns) = columns {
        results = next.from(&columns.last, results);
    }
    // One by one: in a list the second result would be raised as a variance.
    let results = results.map(|result| raised(vec![result], table.exponent)[0]);
    let results = OnKnot { limits, at: x, first: 1 }.put(results);
    // Comparisons with NaN are false, and a constant piece would not pass it on.
    results.map(|result| V::select(x.equals(x), result, x)).to_vec()
}

/// The choice between what the places so far give and what the next one gives.
#[derive(Clone, Copy)]
struct Next<'a, V, F> {
    places: &'a [Place],
    x: V,
    around: F,
}

impl<V: Lanes, F> Next<'_, V, F> {
    /// Results, or what stands for them from a place on.
    fn from<const N: usize>(&self, place: &Place, before: [V; N]) -> [V; N]
    where
        F: Fn(&Place, V) -> [V; N],
    {
        let beyond = (self.around)(place, self.x);
        std::array::from_fn(|i| select_below(self.x, place.from, before[i], beyond[i]))
    }
}

impl<V: Lanes, F: Fn(&Place, V) -> [V; N], const N: usize> Step<V, N, 0> for Next<'_, V, F> {
    fn take(&self, i: usize, (results, []): State<V, N, 0>) -> (State<V, N, 0>, bool) {
        ((self.from(&self.places[i], results), []), true)
    }
}

/// The results of a routine for a function that is 2ᵉ times that of the rows. `KNOWN`: the numbers of the rows are known.
fn sums<V: Lanes, const KNOWN: bool>(
    rows: &Rows<'_>,
    degree: usize,
    of: Quantities,
    [gamma, xi2]: [V; 2],
    exponent: i32,
) -> Vec<V> {
    macro_rules! by_degree {
        ($sum:ident) => {
            match degree {
                0 | 1 => sum::$sum::<V, 0, 1, KNOWN>(rows, gamma, xi2, exponent).to_vec(),
                2 => sum::$sum::<V, 0, 2, KNOWN>(rows, gamma, xi2, exponent).to_vec(),
                _ => sum::$sum::<V, 0, 3, KNOWN>(rows, gamma, xi2, exponent).to_vec(),
            }
        };
    }
    match of {
        Quantities::Moments => by_degree!(moments),
        Quantities::Gradients => by_degree!(gradients),
    }
}

/// The results of a function that was divided by a power of two: means times this, variances times its square, in steps that
/// are numbers.
pub(super) fn raised<V: Lanes>(mut results: Vec<V>, exponent: i32) -> Vec<V> {
    for (at, result) in results.iter_mut().enumerate() {
        // These are the variance and its derivatives, in the order of the results.
        let is_of_variance = matches!(at, 1 | 4 | 5);
        let mut exponent = if is_of_variance { 2 * exponent } else { exponent };
        while exponent != 0 {
            // 2ᵉ itself may not be a number of single precision. These steps are.
            let step = exponent.clamp(-100, 100);
            *result = *result * V::splat(V::Scalar::from_f64(f64::from(step).exp2()));
            exponent -= step;
        }
    }
    results
}

/// Results, and what stands for them at ξ² = 0 on a knot that is a number of the precision.
struct AtZeroVariance<'a, V, const N: usize> {
    table: &'a pieces::Table<'a>,
    columns: Option<&'a Columns>,
    /// γ and ξ².
    inputs: [V; 2],
    results: [V; N],
}

impl<V: Lanes, const N: usize> AtZeroVariance<'_, V, N> {
    fn selected(self) -> Vec<V> {
        let (has_no_variance, results) = (self.inputs[1].equals(number(0.0)), self.results);
        V::if_any(has_no_variance, self, results).to_vec()
    }
}

impl<V: Lanes, const N: usize> Work for AtZeroVariance<'_, V, N> {
    type Output = [V; N];

    fn run(self) -> [V; N] {
        let limits = KnotLimits::new::<V::Scalar>(self.table, self.columns);
        // The row begins with the knot and the value of the function.
        OnKnot { limits, at: self.inputs[0], first: 2 }.put(self.results)
    }
}

/// The knots that are numbers of the precision, each with the numbers that hold on it.
pub(super) struct KnotLimits<'a> {
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) columns: Option<&'a Columns>,
}

impl<'a> KnotLimits<'a> {
    fn new<T: Float>(table: &pieces::Table<'_>, columns: Option<&'a Columns>) -> Self {
        let rows =
            columns.map_or_else(|| knot_limits::<T>(table), |columns| columns.limits.clone());
        Self { rows, columns }
    }
}

/// On a knot, the numbers of its row in place of results, from the one of number `first` on.
pub(super) struct OnKnot<'a, V> {
    pub(super) limits: KnotLimits<'a>,
    pub(super) at: V,
    pub(super) first: usize,
}

impl<V: Lanes> OnKnot<'_, V> {
    /// Results with the numbers of the row in their place on a knot.
    pub(super) fn put<const N: usize>(self, results: [V; N]) -> [V; N] {
        let (count, start) = (self.limits.rows.len(), (results, []));
        // A single row is no table: its numbers are known.
        let stands_for_any = self.limits.columns.is_some() && count > 1;
        let (results, []) = match stands_for_any {
            true => V::repeat(1..count, self, start),
            false => (0..count).fold(start, |state, i| self.take(i, state).0),
        };
        results
    }
}

impl<V: Lanes, const N: usize> Step<V, N, 0> for OnKnot<'_, V> {
    fn take(&self, i: usize, (mut results, []): State<V, N, 0>) -> (State<V, N, 0>, bool) {
        let number = |value: f64| match self.limits.columns {
            Some(columns) => columns.limit(value),
            None => number(value),
        };
        let row = &self.limits.rows[i];
        let on = self.at.equals(number(row[0]));
        for (result, limit) in results.iter_mut().zip(&row[self.first..]) {
            *result = V::select(on, number(*limit), *result);
        }
        ((results, []), true)
    }
}
