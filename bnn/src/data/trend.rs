//! The linear part of a target: least squares with a ridge on standardised inputs, in closed form.
//!
//! ```text
//! t(x) = (x, 1)ᵀ β      β ~ N(b, σ² F Fᵀ)      b = argmin Σ w (u − t(x))² + λ |β|², the constant without λ
//! F Fᵀ = (XᵀWX + λ)⁻¹ for the coefficients of centred inputs, 1/Σw for the constant
//! ```
//!
//! λ is the one under which the rows are predicted best, each by the others, among those that leave most of the freedom of the rows
//! or next to nothing of u: what is left tells the noise then. With the eigenvectors V of XᵀWX every λ costs as
//! much as a product of XV and a vector (Golub, Heath and Wahba 1979, "Generalized Cross-Validation as a Method for Choosing a
//! Good Ridge Parameter"). σ² is the noise that is left when a network has learned the rest.

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::Matrix;
use crate::random::Random;

/// Powers of 10 of λ by the number of rows, from one to the other in steps of a quarter.
const RIDGES: [i32; 2] = [-40, 8];
/// The share of the variance of a target that is next to nothing.
pub(super) const NOTHING: f64 = 1e-4;
/// The degrees of freedom of a trend that leaves more than [`NOTHING`], at most, by the number of rows: 1 of the constant, and
/// Σ s/(s + λ) over the eigenvalues s.
const FREEDOM: f64 = 1.0 / 3.0;
/// More inputs than these have no trend: its covariance has the square of their number.
const MOST_INPUTS: usize = 512;

/// The stream of a seed that draws come from; a network has the first one.
const DRAWS: u64 = 1;

/// Whether the linear part of real targets is learned before the network, in closed form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrendChoice {
    /// No: the network learns all of a target.
    #[default]
    None,
    /// Where it says much: the network learns what the [`Trend`] leaves of a target if that is little, and all of the
    /// target otherwise. For Normal and Student's noise.
    Auto,
}

impl TrendChoice {
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// A linear function of standardised inputs that is part of a target, with a Normal posterior of its coefficients.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// Number of inputs.
    pub(crate) inputs: usize,
    /// b, the constant last. A file has it as a tensor.
    #[serde(skip)]
    pub(crate) weights: Vec<f64>,
    /// F, of shape \[inputs + 1, columns\], row by row. A file has it as a tensor.
    #[serde(skip)]
    pub(crate) factor: Vec<f64>,
}

/// A trend, with what it leaves of the numbers that it was fitted to.
pub(super) struct Fitted {
    pub(super) trend: Trend,
    /// u − t(x) of each row.
    pub(super) residuals: Vec<f64>,
    /// The mean squared error of rows that are predicted by the others.
    pub(super) error: f64,
}

impl Trend {
    /// The trend of `u` in the standardised inputs `x`; none if there are too many inputs, or no ridge leaves the
    /// rows their freedom and has finite errors.
    pub(super) fn fit(x: &Matrix, u: &[f64], weights: Option<&[f64]>) -> Option<Fitted> {
        let (n, p) = (x.rows(), x.columns());
        if p > MOST_INPUTS || n < 3 {
            return None;
        }
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let total: f64 = (0..n).map(weight).sum();
        let mean =
            |of: &dyn Fn(usize) -> f64| (0..n).map(|i| weight(i) * of(i)).sum::<f64>() / total;
        let entry = |i: usize, j: usize| x.values()[i * p + j];
        let centre = DVector::from_fn(p, |j, _| mean(&|i| entry(i, j)));
        let middle = mean(&|i| u[i]);
        // Rows by the square roots of their weights, so that sums of squares are weighted.
        let root = |i: usize| weight(i).sqrt();
        let rows = DMatrix::from_fn(n, p, |i, j| root(i) * (entry(i, j) - centre[j]));
        let y = DVector::from_fn(n, |i, _| root(i) * (u[i] - middle));
        let SymmetricEigen { eigenvalues, eigenvectors } = SymmetricEigen::new(rows.tr_mul(&rows));
        let along = &rows * &eigenvectors;
        let along_squared = along.component_mul(&along);
        let product = along.tr_mul(&y);
        // Rounding may take an eigenvalue of 0 below it.
        let spread = |ridge: f64| eigenvalues.map(|s| 1.0 / (s.max(0.0) + ridge));
        let freedom = |ridge: f64| {
            1.0 + eigenvalues.iter().map(|s| s.max(0.0) / (s.max(0.0) + ridge)).sum::<f64>()
        };
        let error = |ridge: f64| {
            let inverse = spread(ridge);
            let fitted = &along * inverse.component_mul(&product);
            let leverages = &along_squared * &inverse;
            let squares = (0..n).filter(|i| weight(*i) > 0.0).map(|i| {
                let left = 1.0 - leverages[i] - weight(i) / total;
                // A row with leverage 1 is fitted whatever its target is: this would be 0/0.
                ((y[i] - fitted[i]) / left.max(1e-9)).powi(2)
            });
            squares.sum::<f64>() / total
        };
        let variance = y.norm_squared() / total;
        let ridges = (RIDGES[0]..=RIDGES[1]).map(|k| total * libm::exp10(0.25 * f64::from(k)));
        let (error, ridge) = ridges
            .map(|ridge| (error(ridge), ridge))
            .filter(|(error, ridge)| {
                let tells_noise = freedom(*ridge) <= FREEDOM * n as f64;
                error.is_finite() && (tells_noise || *error <= NOTHING * variance)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let inverse = spread(ridge);
        let b = &eigenvectors * inverse.component_mul(&product);
        let mut factor = eigenvectors;
        for (mut column, d) in factor.column_iter_mut().zip(inverse.iter()) {
            column *= d.sqrt();
        }
        // Of centred inputs, as one of inputs and a 1.
        let of_constant = -factor.tr_mul(&centre);
        let mut values = Vec::with_capacity((p + 1) * (p + 1));
        for row in factor.row_iter() {
            values.extend(row.iter());
            values.push(0.0);
        }
        values.extend(of_constant.iter());
        values.push(total.sqrt().recip());
        let constant = middle - centre.dot(&b);
        let weights = b.iter().copied().chain([constant]).collect();
        let trend = Self { inputs: p, weights, factor: values };
        let residuals = x.iter().zip(u).map(|(x, u)| u - trend.at(x)).collect();
        Some(Fitted { trend, residuals, error })
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The coefficient of each standardised input.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.weights[..self.inputs]
    }

    /// t(x) by the means of the coefficients.
    #[must_use]
    pub fn at(&self, x: &[f64]) -> f64 {
        dot(x, &self.weights) + self.weights[self.inputs]
    }

    /// The variance of t(x) that the coefficients bring, |Fᵀ(x, 1)|², where the noise has the variance 1.
    #[must_use]
    pub fn leverage(&self, x: &[f64]) -> f64 {
        self.along(x).iter().map(|v| v * v).sum()
    }

    /// The variance of t(x) that these variances of independent inputs bring.
    #[must_use]
    pub fn doubt(&self, variances: &[f64]) -> f64 {
        self.weights.iter().zip(variances).map(|(b, v)| b * b * v).sum()
    }

    /// How far t(x) lies from its mean where the coefficients are the draw number `seed` of their posterior and the noise has
    /// the variance 1.
    pub(crate) fn drawn(&self, x: &[f64], seed: u64) -> f64 {
        let mut random = Random::stream(seed, DRAWS);
        self.along(x).iter().map(|v| v * random.normal()).sum()
    }

    /// Fᵀ(x, 1).
    fn along(&self, x: &[f64]) -> Vec<f64> {
        let columns = self.inputs + 1;
        let mut out = vec![0.0; columns];
        for (row, x) in self.factor.chunks_exact(columns).zip(x.iter().chain(&[1.0])) {
            for (out, f) in out.iter_mut().zip(row) {
                *out += x * f;
            }
        }
        out
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::{Fitted, Trend};
    use crate::data::Matrix;
    use crate::random::Random;

    const INPUTS: usize = 3;

    /// Rows of three inputs that are not centred, a linear function of them with noise, and weights.
    fn rows(n: usize, noise: f64) -> (Matrix, Vec<f64>, Vec<f64>) {
        let mut random = Random::new(4);
        let x: Vec<f64> = (0..n * INPUTS).map(|_| 0.3 + random.normal()).collect();
        let line = |x: &[f64]| 2.0 + x[0] - 3.0 * x[1] + 0.5 * x[2];
        let u = x.chunks_exact(INPUTS).map(|x| line(x) + noise * random.normal()).collect();
        (Matrix::filled(INPUTS, x), u, (0..n).map(|i| 1.0 + (i % 3) as f64).collect())
    }

    /// Least squares by the normal equations with the constant as a column, and the inverse of their matrix.
    fn normal_equations(x: &Matrix, u: &[f64], w: &[f64]) -> (DVector<f64>, DMatrix<f64>) {
        let k = INPUTS + 1;
        let a = DMatrix::from_fn(x.rows(), k, |i, j| {
            w[i].sqrt() * if j < INPUTS { x.values()[i * INPUTS + j] } else { 1.0 }
        });
        let b = DVector::from_fn(x.rows(), |i, _| w[i].sqrt() * u[i]);
        let inverse = a.tr_mul(&a).try_inverse().unwrap();
        (&inverse * a.tr_mul(&b), inverse)
    }

    #[test]
    fn a_function_that_is_linear_but_for_little_noise_is_that_of_least_squares() {
        let (x, u, w) = rows(60, 1e-3);
        let Fitted { trend, residuals, error } = Trend::fit(&x, &u, Some(&w)).unwrap();
        let (b, inverse) = normal_equations(&x, &u, &w);
        for (found, truth) in trend.weights.iter().zip(b.iter()) {
            // Half of a standard error: the ridge that predicts best is a little above 0.
            assert!((found - truth).abs() < 5e-5, "{found} for {truth}");
        }
        assert!((0.5e-6..2e-6).contains(&error), "{error}");
        for (i, row) in x.iter().enumerate() {
            assert!((residuals[i] - (u[i] - trend.at(row))).abs() < 1e-12);
            let row = DVector::from_iterator(4, row.iter().copied().chain([1.0]));
            let truth = row.dot(&(&inverse * &row));
            let found = trend.leverage(&row.as_slice()[..INPUTS]);
            assert!((found / truth - 1.0).abs() < 1e-3, "{found} for {truth}");
        }
    }

    /// The error is that of fits without the row, with as much of a ridge.
    #[test]
    fn the_error_is_that_of_rows_left_out() {
        let (x, u, _) = rows(40, 1e-2);
        let error = Trend::fit(&x, &u, None).unwrap().error;
        let one = |left_out: usize| {
            let others: Vec<usize> = (0..40).filter(|i| *i != left_out).collect();
            let some: Vec<f64> = others.iter().map(|i| u[*i]).collect();
            let (b, _) = normal_equations(&x.select(&others).unwrap(), &some, &[1.0; 39]);
            let row = &x.values()[left_out * INPUTS..][..INPUTS];
            let mean = b[3] + row.iter().zip(b.iter()).map(|(x, b)| x * b).sum::<f64>();
            (u[left_out] - mean).powi(2)
        };
        let truth = (0..40).map(one).sum::<f64>() / 40.0;
        assert!((error / truth - 1.0).abs() < 1e-2, "{error} for {truth}");
    }

    /// But for the ridge, since one of two equal rows is predicted by the other.
    #[test]
    fn a_weight_of_two_is_the_row_twice() {
        let (x, u, _) = rows(30, 0.05);
        let twice: Vec<usize> = (0..30).flat_map(|i| vec![i; if i < 10 { 2 } else { 1 }]).collect();
        let weights: Vec<f64> = (0..30).map(|i| if i < 10 { 2.0 } else { 1.0 }).collect();
        let many: Vec<f64> = twice.iter().map(|i| u[*i]).collect();
        let once = Trend::fit(&x, &u, Some(&weights)).unwrap().trend;
        let twice = Trend::fit(&x.select(&twice).unwrap(), &many, None).unwrap().trend;
        for (a, b) in once.weights.iter().zip(&twice.weights) {
            assert!((a - b).abs() < 5e-3, "{a}, {b}");
        }
    }

    /// Columns that are copies share the coefficient, more of them than rows are no trouble, and draws have the variance.
    #[test]
    fn copies_of_columns_and_draws() {
        let (x, u, _) = rows(20, 0.1);
        let wide = Matrix::filled(30, x.iter().flat_map(|row| row.repeat(10)).collect());
        let trend = Trend::fit(&wide, &u, None).unwrap().trend;
        let of_first: f64 = trend.coefficients().iter().step_by(3).sum();
        assert!((of_first - 1.0).abs() < 0.2, "{of_first}");
        let at = [0.7; 30];
        let draws: Vec<f64> = (0..4000).map(|seed| trend.drawn(&at, seed)).collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        let variance = draws.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 4000.0;
        assert!((variance / trend.leverage(&at) - 1.0).abs() < 0.1);
        assert!(mean.abs() < 0.1 * variance.sqrt());
    }
}
