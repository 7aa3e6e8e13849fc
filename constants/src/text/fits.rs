//! `fits.rs`: where the backward recurrence starts.

use super::{header, list};
use crate::fit::{Grid, Task, fit};
use crate::literal::literal;
use crate::scale::{Samples, scale};
use crate::word::Word;

/// Fits for f64.
const F64: [Task; 4] = [
    Task { order: 2, start: 4, degree: 9 },
    Task { order: 4, start: 7, degree: 9 },
    Task { order: 6, start: 8, degree: 9 },
    Task { order: 8, start: 10, degree: 9 },
];
/// Fits for f32.
const F32: [Task; 4] = [
    Task { order: 2, start: 5, degree: 3 },
    Task { order: 4, start: 7, degree: 3 },
    Task { order: 6, start: 9, degree: 3 },
    Task { order: 8, start: 11, degree: 3 },
];

const DOCUMENTATION: &str = "\
//! Where the backward recurrence starts: P/Q ≈ J_M/J_{M−1}, for orders up to a given one.
//!
//! Rational fits of J_M(s)/J_{M−1}(s) on s ∈ [0, ∞), P and Q monic before scaling, computed to
//! 60 digits: least squares for (P − fQ)/(fQ′) with Q′ the Q of the iteration before
//! (Sanathanan–Koerner) and Lawson's weights, which drive the fit to the minimax one, on 240
//! Chebyshev points mapped by s = 3(1 − x)/(1 + x). The error is weighted by what the backward
//! recurrence leaves of it in the orders wanted: δ log r_n = −(n + 1) r_{n+1} r_n δ log r_{n+1}
//! with r_n = J_n/J_{n−1}, summed up to the order. The errors stated are the largest after
//! that. All coefficients are positive, so that Horner's scheme loses nothing. P and Q were
//! then multiplied by the one of the factors 2^((i + ½)/64), i = 0 … 63, that makes the largest
//! rounding error of the tails least over a sample of 30 000 arguments, with multiplication and
//! addition fused. The rounding errors stated are the largest over another such sample.
";

const TYPE: &str = "
/// A start of the recurrence: numerator and denominator, constant term first.
#[derive(Clone, Copy, Debug)]
pub struct Fit<T: 'static> {
    /// The index M that the fit is for.
    pub start: usize,
    /// P, proportional to J_M.
    pub p: &'static [T],
    /// Q, proportional to J_{M−1}.
    pub q: &'static [T],
}
";

pub(crate) fn write() -> String {
    let tasks = F64.iter().chain(&F32);
    let grid = Grid::new(tasks.map(|task| task.start).max().expect("there are fits"));
    [header(DOCUMENTATION), TYPE.to_owned(), table::<f64>(&grid, &F64), table::<f32>(&grid, &F32)]
        .concat()
}

/// The fits for one precision.
fn table<T: Word>(grid: &Grid, tasks: &[Task]) -> String {
    let samples = Samples::<T>::new(tasks.iter().map(|task| task.order).max().unwrap_or(0));
    let (mut orders, mut errors, mut roundings, mut fits) = (vec![], vec![], vec![], vec![]);
    for &task in tasks {
        let exact = fit(grid, task);
        let scaled = scale(&exact, task, &samples);
        orders.push(task.order.to_string());
        errors.push(format!("{:.0e}", exact.error));
        roundings.push(format!("{:.1}", scaled.error));
        let coefficients = |name: &str, c: &[T]| {
            let c: Vec<_> = c.iter().map(|&c| literal(c)).collect();
            list(8, &format!("{name}: &"), ["[", "]"], &c, "")
        };
        let start = format!("start: {}", task.start);
        let fields = [start, coefficients("p", &scaled.p), coefficients("q", &scaled.q)];
        fits.push(list(4, "Fit ", ["{", "}"], &fields, ""));
    }
    let name = T::NAME;
    let before =
        format!("pub(crate) const {}: [Fit<{name}>; {}] = ", name.to_uppercase(), fits.len());
    format!(
        "\n/// Orders up to {}; errors {};\n/// largest rounding errors {} ulp.\n{}\n",
        enumeration(&orders),
        enumeration(&errors),
        enumeration(&roundings),
        list(0, &before, ["[", "]"], &fits, ";"),
    )
}

/// The items with commas and a final “and”.
fn enumeration(items: &[String]) -> String {
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => items.concat(),
    }
}
