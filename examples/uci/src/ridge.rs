//! Ridge regression, the yardstick: a linear model that costs nothing.

use gaussform_bnn::Matrix;

/// A linear model y ≈ b + wᵀx with Normal noise, fitted in closed form.
#[derive(Clone, Debug, PartialEq)]
pub struct Ridge {
    weights: Vec<f64>,
    centre: Vec<f64>,
    intercept: f64,
    noise: f64,
    penalty: f64,
}

/// Why a ridge regression could not be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RidgeError {
    /// There are not as many targets as rows, or fewer than two.
    #[error("{rows} rows and {targets} targets: there must be as many, and at least 2")]
    Size {
        /// How many rows of inputs there are.
        rows: usize,
        /// How many targets there are.
        targets: usize,
    },
    /// The penalty is not above 0, or a number in the data is not finite.
    #[error(
        "the normal equations have no solution: the data or the penalty is not finite or the penalty not above 0"
    )]
    Singular,
}

impl Ridge {
    /// The model that minimises Σ (y − b − wᵀx)² + λ |w|² for the λ, out of n · 10⁻⁶ to n · 10³
    /// in half decades, whose leave-one-out error is the least.
    ///
    /// That error needs no refitting: leaving out row i changes its residual r to r / (1 − hᵢ),
    /// with hᵢ the i-th diagonal element of the hat matrix.
    ///
    /// # Errors
    ///
    /// [`RidgeError`], if the sizes do not fit or a number is not finite.
    pub fn fit(x: &Matrix, y: &[f64]) -> Result<Self, RidgeError> {
        let n = y.len() as f64;
        let mut best: Option<(f64, Self)> = None;
        for half_decade in -12..=6 {
            let penalty = n * 10f64.powf(0.5 * f64::from(half_decade));
            let (error, model) = Self::fit_with(x, y, penalty)?;
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, model));
            }
        }
        best.map(|(_, model)| model).ok_or(RidgeError::Singular)
    }

    /// The model for a given λ = `penalty` > 0, and its mean squared leave-one-out error.
    ///
    /// # Errors
    ///
    /// [`RidgeError`], if the sizes do not fit, a number is not finite or the penalty not > 0.
    pub fn fit_with(x: &Matrix, y: &[f64], penalty: f64) -> Result<(f64, Self), RidgeError> {
        let (rows, columns) = (x.rows(), x.columns());
        if rows != y.len() || rows < 2 {
            return Err(RidgeError::Size { rows, targets: y.len() });
        }
        let n = rows as f64;
        // The intercept is not penalised: centring takes it out of the problem.
        let centre: Vec<f64> =
            (0..columns).map(|j| x.iter().map(|row| row[j]).sum::<f64>() / n).collect();
        let intercept = y.iter().sum::<f64>() / n;
        let centred: Vec<Vec<f64>> =
            x.iter().map(|row| row.iter().zip(&centre).map(|(v, c)| v - c).collect()).collect();

        let mut gram = vec![vec![0.0; columns]; columns];
        let mut moment = vec![0.0; columns];
        for (row, y) in centred.iter().zip(y) {
            for i in 0..columns {
                moment[i] += row[i] * (y - intercept);
                for j in 0..=i {
                    gram[i][j] += row[i] * row[j];
                }
            }
        }
        for (i, row) in gram.iter_mut().enumerate() {
            row[i] += penalty;
        }
        let factor = Cholesky::new(gram).filter(|_| penalty > 0.0).ok_or(RidgeError::Singular)?;
        let weights = factor.solve(&moment);

        let (mut squares, mut left_out) = (0.0, 0.0);
        for (row, y) in centred.iter().zip(y) {
            let residual = y - intercept - dot(&weights, row);
            let half = factor.forward(row);
            squares += residual.powi(2);
            left_out += (residual / (1.0 - 1.0 / n - dot(&half, &half))).powi(2);
        }
        if !(squares.is_finite() && left_out.is_finite()) {
            return Err(RidgeError::Singular);
        }
        // A perfect fit would have no noise, and so no density.
        let noise = (squares / n).max(f64::EPSILON);
        Ok((left_out / n, Self { weights, centre, intercept, noise, penalty }))
    }

    /// The predictive means for the rows of `x`.
    ///
    /// # Panics
    ///
    /// If `x` has not as many columns as the matrix that the model was fitted on.
    #[must_use]
    pub fn predict(&self, x: &Matrix) -> Vec<f64> {
        assert_eq!(x.columns(), self.weights.len(), "`x` differs in its number of columns");
        let offset = self.intercept - dot(&self.weights, &self.centre);
        x.iter().map(|row| offset + dot(&self.weights, row)).collect()
    }

    /// The predictive variance: the maximum-likelihood variance of the noise, which is the mean
    /// squared residual of the training rows.
    #[must_use]
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// λ.
    #[must_use]
    pub fn penalty(&self) -> f64 {
        self.penalty
    }

    /// w.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The lower triangle L of a positive definite matrix LLᵀ.
struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// Factors the matrix with this lower triangle, if it is positive definite.
    fn new(mut a: Vec<Vec<f64>>) -> Option<Self> {
        for i in 0..a.len() {
            for j in 0..=i {
                let rest = a[i][j] - dot(&a[i][..j], &a[j][..j]);
                if i > j {
                    a[i][j] = rest / a[j][j];
                } else if rest > 0.0 && rest.is_finite() {
                    a[i][i] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self(a))
    }

    /// L⁻¹b.
    fn forward(&self, b: &[f64]) -> Vec<f64> {
        let mut z = b.to_vec();
        for i in 0..z.len() {
            z[i] = (z[i] - dot(&self.0[i][..i], &z[..i])) / self.0[i][i];
        }
        z
    }

    /// (LLᵀ)⁻¹b.
    fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut z = self.forward(b);
        for i in (0..z.len()).rev() {
            z[i] /= self.0[i][i];
            for j in 0..i {
                z[j] -= self.0[i][j] * z[i];
            }
        }
        z
    }
}
