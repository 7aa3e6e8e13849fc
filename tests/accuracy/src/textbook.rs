//! The closed forms as they are usually printed and programmed: Φ from erf, partial moments of the
//! Normal distribution, and the variance as E\[g²\] − E\[g\]².

use gaussform_accuracy::error::{Measure, Precision};
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::registry::{self, Entry};
use gaussform_accuracy_kernels::Kernels;

/// A precision with the functions that the closed forms need.
pub(crate) trait Plain: Precision {
    fn erf(self) -> Self;
    fn exp(self) -> Self;
}

impl Plain for f32 {
    fn erf(self) -> Self {
        libm::erff(self)
    }
    fn exp(self) -> Self {
        libm::expf(self)
    }
}

impl Plain for f64 {
    fn erf(self) -> Self {
        libm::erf(self)
    }
    fn exp(self) -> Self {
        libm::exp(self)
    }
}

/// Φ(z) and φ(z).
fn normal<T: Plain>(z: T) -> [T; 2] {
    let [half, tau] = [0.5, std::f64::consts::TAU].map(T::from_f64);
    let [two, one] = [2.0, 1.0].map(T::from_f64);
    [half * (one + (z / two.sqrt()).erf()), (-half * z * z).exp() / tau.sqrt()]
}

/// Mean and variance of max(0, u).
pub(crate) fn relu<T: Plain>(gamma: T, xi2: T) -> [T; 2] {
    let xi = xi2.sqrt();
    let [cdf, pdf] = normal(gamma / xi);
    let mean = gamma * cdf + xi * pdf;
    let second = (gamma * gamma + xi2) * cdf + gamma * xi * pdf;
    [mean, second - mean * mean]
}

/// Mean and variance of u clamped to \[−1, 1\].
pub(crate) fn hard_tanh<T: Plain>(gamma: T, xi2: T) -> [T; 2] {
    let xi = xi2.sqrt();
    let one = T::ONE;
    let [below, left] = normal((-one - gamma) / xi);
    let [to, right] = normal((one - gamma) / xi);
    let inside = to - below;
    let above = one - to;
    let mean = gamma * inside + xi * (left - right) - below + above;
    let edges = (gamma - one) * left - (gamma + one) * right;
    let second = (gamma * gamma + xi2) * inside + xi * edges + below + above;
    [mean, second - mean * mean]
}

/// Where the closed forms fail, as a Markdown table, with the kernels at the same points.
pub(crate) fn report() -> String {
    let oracle = Oracle::default();
    let head = ["| | f64 | f32 |", "| --- | ---: | ---: |"].map(str::to_owned);
    head.into_iter().chain(searches(&oracle)).chain(grids(&oracle)).collect::<Vec<_>>().join("\n")
}

fn row(what: &str, double: &str, single: &str) -> String {
    format!("| {what} | {double} | {single} |")
}

/// The rows that have the first place of a failure.
fn searches(oracle: &Oracle) -> Vec<String> {
    let mut rows = Vec::new();
    let [doubles, singles] =
        [of_relu::<f64>(oracle, &entry("relu")), of_relu::<f32>(oracle, &entry("relu"))];
    for (what, (double, single)) in [
        "ReLU, ξ = 1: first γ < 0 at which the mean is wrong by 100 %",
        "ReLU, ξ = 1: first γ < 0 with a negative variance",
        "ReLU, ξ = 1: first γ < 0 at which the true variance is below 10⁻⁶",
    ]
    .into_iter()
    .zip(doubles.iter().zip(&singles))
    {
        rows.push(row(what, double, single));
    }
    for (name, xi) in [("1", 1.0), ("10³", 1e3), ("10⁶", 1e6)] {
        rows.push(row(
            &format!("hard tanh, ξ = {name}: least γ/ξ > 0 with a negative variance"),
            &first_negative::<f64>(xi),
            &first_negative::<f32>(xi),
        ));
    }
    rows
}

/// The rows that have errors on a grid.
fn grids(oracle: &Oracle) -> Vec<String> {
    let [doubles, singles] = [grid::<f64>(oracle), grid::<f32>(oracle)];
    [
        "hard tanh, grid: median error of the closed variance, ulp",
        "hard tanh, grid: share of closed variances that are negative",
        "hard tanh, grid: largest error of the kernel's variance, ulp",
    ]
    .into_iter()
    .zip(doubles.iter().zip(&singles))
    .map(|(what, (double, single))| row(what, double, single))
    .collect()
}

/// The activation of this name.
pub(crate) fn entry(name: &str) -> Entry {
    let mut all = registry::all().into_iter();
    all.find(|entry| entry.function.name == name).expect("an activation of the registry")
}

/// Steps of the searches in γ/ξ.
const STEP: f64 = 1.0 / 128.0;

/// A variance at which some codes put a floor.
const FLOOR: f64 = 1e-6;

fn of_relu<T: Plain>(oracle: &Oracle, entry: &Entry) -> [String; 3] {
    let mut places = [None; 3];
    let mut gamma = 0.0;
    while gamma > -12.0 && places.contains(&None) {
        gamma -= STEP;
        let [mean, variance] = relu(T::from_f64(gamma), T::ONE);
        let values = Measure::new(&oracle.truth(&entry.function, gamma, 1.0)).values;
        let [true_mean, true_variance] = [0, 2].map(|quantity| values[quantity][0]);
        let here = [
            (mean.to_f64() - true_mean).abs() >= true_mean,
            variance < T::ZERO,
            true_variance < FLOOR,
        ];
        for (place, _) in places.iter_mut().zip(here).filter(|(_, here)| *here) {
            place.get_or_insert(gamma);
        }
    }
    places.map(|place| {
        place.map_or_else(|| "none".to_owned(), |z| format!("{z:.2}").replace('-', "−"))
    })
}

fn first_negative<T: Plain>(xi: f64) -> String {
    let xi2 = T::from_f64(xi * xi);
    let mut places = (0..4000).map(|i| f64::from(i) * STEP);
    let found = places.find(|z| hard_tanh(T::from_f64(z * xi), xi2)[1] < T::ZERO);
    found.map_or_else(|| "none".to_owned(), |z| format!("{z:.2}").replace('-', "−"))
}

/// γ/ξ from −20 to 20 and ξ from 10⁻³ to 10³, where the result is an ordinary number.
fn grid<T: Plain>(oracle: &Oracle) -> [String; 3] {
    let entry = entry("hard_tanh");
    let (mut gamma, mut xi2, mut measures) = (Vec::new(), Vec::new(), Vec::new());
    for decade in -12..=12 {
        let xi = libm::pow(10.0, f64::from(decade) / 4.0);
        for i in -160..=160 {
            let at = T::from_f64(f64::from(i) / 8.0 * xi);
            let by = T::from_f64(xi * xi);
            let truth = oracle.truth(&entry.function, at.to_f64(), by.to_f64());
            let measure = Measure::new(&truth);
            if !measure.is_extreme::<T>(by.to_f64()) {
                gamma.push(at);
                xi2.push(by);
                measures.push(measure);
            }
        }
    }
    let kernels: &dyn Kernels<T> = T::kernels(&entry);
    let [_, ours] = kernels.batch(&gamma, &xi2);
    let (mut errors, mut negative, mut largest) = (Vec::new(), 0_u32, 0.0_f64);
    for i in 0..gamma.len() {
        let plain = hard_tanh(gamma[i], xi2[i])[1];
        errors.push(distance(&measures[i], 2, plain));
        negative += u32::from(plain < T::ZERO);
        largest = largest.max(measures[i].error(2, ours[i]));
    }
    errors.sort_by(f64::total_cmp);
    #[allow(clippy::cast_precision_loss, reason = "some thousands")]
    let share = 100.0 * f64::from(negative) / errors.len() as f64;
    [format!("{:.1e}", errors[errors.len() / 2]), format!("{share:.1} %"), format!("{largest:.1}")]
}

/// The error in units in the last place; other than [`Measure::error`], also of what is negative.
pub(crate) fn distance<T: Precision>(measure: &Measure, quantity: usize, got: T) -> f64 {
    let [high, low] = measure.values[quantity];
    ((got.to_f64() - high) - low).abs() / measure.unit::<T>(quantity)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// README and the book have two of the rows, below a line that says of which function.
    #[test]
    fn the_documents_have_these_rows() {
        let rows = searches(&Oracle::default());
        let numerics = include_str!("../../../docs/numerics.md");
        for row in &rows {
            assert!(numerics.lines().any(|line| line == row), "docs/numerics.md lacks\n{row}");
        }
        let of_relu = rows.iter().filter_map(|row| row.strip_prefix("| ReLU, ξ = 1: "));
        for row in of_relu.take(2).map(|row| format!("| {row}")) {
            for (name, text) in [
                ("README.md", include_str!("../../../README.md")),
                ("docs/book/accuracy.md", include_str!("../../../docs/book/accuracy.md")),
            ] {
                assert!(text.lines().any(|line| line == row), "{name} lacks\n{row}");
            }
        }
    }
}
