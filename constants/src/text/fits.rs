//! `fits.rs`: where the backward recurrence starts.

use super::{header, list};
use crate::fit::{FitShape, Grid, Rational, fit};
use crate::format::Format;
use crate::literal::literal;
use crate::number::Real;
use crate::scale::{Samples, scale};

/// Fits for f64.
const F64: [FitShape; 4] = [
    FitShape { order: 2, start: 4, degree: 9 },
    FitShape { order: 4, start: 7, degree: 9 },
    FitShape { order: 6, start: 8, degree: 9 },
    FitShape { order: 8, start: 10, degree: 9 },
];
/// Fits for f32.
const F32: [FitShape; 4] = [
    FitShape { order: 2, start: 4, degree: 3 },
    FitShape { order: 4, start: 7, degree: 3 },
    FitShape { order: 6, start: 9, degree: 3 },
    FitShape { order: 8, start: 11, degree: 3 },
];
/// Fits in f64 of which the digits of f32 are wanted.
const RELAXED: [FitShape; 4] = [
    FitShape { order: 2, start: 5, degree: 4 },
    FitShape { order: 4, start: 7, degree: 4 },
    FitShape { order: 6, start: 9, degree: 4 },
    FitShape { order: 8, start: 11, degree: 4 },
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
//! then multiplied by the one of the factors 1 and 2^((i + ½)/64), i = 0 … 63, that makes the largest
//! rounding error of the tails least over a sample of 30 000 arguments, with multiplication and
//! addition fused; by 1 unless that error is ½ ulp less. The rounding errors stated are the largest over
//! another such sample. Those of
//! `RELAXED` have f64 to compute in and f32 to be right in: their factor is 1.
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
    let tasks = F64.iter().chain(&F32).chain(&RELAXED);
    let grid = Grid::new(tasks.map(|task| task.start).max().expect("there are fits"));
    [
        header(DOCUMENTATION),
        TYPE.to_owned(),
        table::<f64>(&grid, &F64),
        table::<f32>(&grid, &F32),
        relaxed(&grid, &RELAXED),
    ]
    .concat()
}

/// The fits for one precision, each with the factor that is best there.
fn table<T: Format>(grid: &Grid, tasks: &[FitShape]) -> String {
    let samples = Samples::<T>::new(tasks.iter().map(|task| task.order).max().unwrap_or(0));
    let fits: Vec<_> = tasks.iter().map(|&task| fit(grid, task)).collect();
    let scaled: Vec<_> =
        fits.iter().zip(tasks).map(|(fit, &task)| scale(fit, task, &samples)).collect();
    let roundings: Vec<_> = scaled.iter().map(|fit| format!("{:.1}", fit.error)).collect();
    let documentation = format!(
        "{};\n/// largest rounding errors {} ulp.\n",
        accuracy(tasks, &fits),
        enumeration(&roundings),
    );
    let rounded: Vec<_> = scaled.into_iter().map(|fit| [fit.p, fit.q]).collect();
    documentation + &array(&T::NAME.to_uppercase(), tasks, &rounded)
}

/// The fits in f64 that are good to fewer digits, so that rounding does not matter.
fn relaxed(grid: &Grid, tasks: &[FitShape]) -> String {
    let fits: Vec<_> = tasks.iter().map(|&task| fit(grid, task)).collect();
    let round = |c: &[Real]| c.iter().map(f64::nearest).collect::<Vec<_>>();
    let rounded: Vec<_> = fits.iter().map(|fit| [round(&fit.p), round(&fit.q)]).collect();
    format!("{}.\n{}", accuracy(tasks, &fits), array("RELAXED", tasks, &rounded))
}

fn accuracy(tasks: &[FitShape], fits: &[Rational]) -> String {
    let orders: Vec<_> = tasks.iter().map(|task| task.order.to_string()).collect();
    let errors: Vec<_> = fits.iter().map(|fit| format!("{:.0e}", fit.error)).collect();
    format!("\n/// Orders up to {}; errors {}", enumeration(&orders), enumeration(&errors))
}

fn array<T: Format>(table: &str, tasks: &[FitShape], fits: &[[Vec<T>; 2]]) -> String {
    let fit = |(task, [p, q]): (&FitShape, &[Vec<T>; 2])| {
        let coefficients = |name: &str, c: &[T]| {
            let c: Vec<_> = c.iter().map(|&c| literal(c)).collect();
            list(8, &format!("{name}: &"), ["[", "]"], &c, "")
        };
        let start = format!("start: {}", task.start);
        let fields = [start, coefficients("p", p), coefficients("q", q)];
        list(4, "Fit ", ["{", "}"], &fields, "")
    };
    let name = T::NAME;
    let before = format!("pub(crate) const {table}: [Fit<{name}>; {}] = ", fits.len());
    let fits: Vec<_> = tasks.iter().zip(fits).map(fit).collect();
    list(0, &before, ["[", "]"], &fits, ";") + "\n"
}

/// The items with commas and a final “and”.
fn enumeration(items: &[String]) -> String {
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => items.concat(),
    }
}
