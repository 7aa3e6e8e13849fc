//! Mean and full covariance of the units of one layer, for one example, and how a layer changes them.
//!
//! ```text
//! linear       E y = E[W]ᵀ m + E[b]         Cov y = E[W]ᵀ C E[W] + diag(variance of W and b)
//! activation   E g(u) and Cov(g(u_i), g(u_j)) of the kernels,     Cov(x, g(u)) = Cov(x, u) E[g′(u)]
//! ```

use nalgebra::{DMatrix, DVector};

use super::affine::Affine;
use crate::function::Bound;

/// How an activation maps jointly Normal numbers to their mean and covariance.
pub(super) enum Map {
    /// All moments by the kernels.
    Exact,
    /// The slope at the mean: Cov g(u) = diag(g′(m)) C diag(g′(m)).
    Linearised,
    /// One slope on either side of 0, chosen by a gate of this sharpness.
    Gated { sharpness: f64, slopes: [f64; 2] },
}

/// Jointly Normal numbers.
pub(crate) struct State {
    pub(crate) mean: DVector<f64>,
    pub(crate) covariance: DMatrix<f64>,
    /// For each residual sum that is open, from the outermost: the covariance of what it began with and what there is
    /// now, of shape \[units there, units here\].
    begun: Vec<DMatrix<f64>>,
}

impl State {
    /// Inputs, with independent noise or without.
    pub(crate) fn new(x: &[f64], variance: Option<&[f64]>) -> Self {
        let variance = variance.map_or(DVector::zeros(x.len()), DVector::from_row_slice);
        Self {
            mean: DVector::from_row_slice(x),
            covariance: DMatrix::from_diagonal(&variance),
            begun: Vec::new(),
        }
    }

    /// W is independent of x, hence Cov y = E\[W\]ᵀ Cov x E\[W\], and on the diagonal what W and b add.
    pub(super) fn through_linear(self, layer: &Affine) -> Self {
        let x = if layer.joint { self.with_one() } else { self };
        let Self { mean: m, covariance: c, begun } = x;
        let w = &layer.weight;
        let mut covariance = w.tr_mul(&c) * w;
        for (j, added) in layer.added(&m, &c).into_iter().enumerate() {
            covariance[(j, j)] += added;
        }
        Self {
            mean: w.tr_mul(&m) + &layer.bias,
            covariance,
            begun: begun.into_iter().map(|cross| cross * w).collect(),
        }
    }

    fn with_one(self) -> Self {
        let n = self.mean.len();
        Self {
            mean: self.mean.push(1.0),
            // The 1 before the bias is known, hence varies with nothing.
            covariance: self.covariance.resize(n + 1, n + 1, 0.0),
            begun: self.begun.into_iter().map(|cross| cross.insert_column(n, 0.0)).collect(),
        }
    }

    /// Cov(x, g(u)) = Cov(x, u) E\[g′(u)\] for jointly Normal x and u (Stein's lemma).
    pub(super) fn through_activation(self, g: &dyn Bound, map: &Map) -> Self {
        let Self { mean: m, covariance: c, begun } = self;
        let variance: Vec<f64> = c.diagonal().iter().map(|v| v.max(0.0)).collect();
        let n = m.len();
        // Of known numbers the function is taken as it is, as everywhere.
        let is_known = c.iter().all(|v| *v == 0.0);
        let map = if is_known { &Map::Linearised } else { map };
        let (mean, covariance, slope) = match map {
            Map::Exact => {
                let [mean, _, slope, ..] = gradients(g, m.as_slice(), &variance);
                let mut out = vec![0.0; n * n];
                g.covariances(m.as_slice(), &rounded(&c, &variance), &mut out);
                (mean, DMatrix::from_row_slice(n, n, &out), slope)
            }
            Map::Linearised => {
                let derivatives = g.pieces().derivatives();
                let slope: Vec<f64> = m.iter().map(|m| derivatives.at(*m)[0]).collect();
                let mut values = vec![0.0; n];
                g.values(m.as_slice(), &mut values);
                let covariance = scaled(&c, &slope);
                (values, covariance, slope)
            }
            Map::Gated { sharpness, slopes: [left, right] } => {
                let open: Vec<f64> =
                    m.iter().map(|m| 1.0 / (1.0 + (-sharpness * m).exp())).collect();
                let slope: Vec<f64> = open.iter().map(|p| left + p * (right - left)).collect();
                let mut covariance = scaled(&c, &slope);
                for (i, p) in open.iter().enumerate() {
                    // A gate of its own for each unit.
                    let spread = p * (1.0 - p) * (right - left).powi(2);
                    covariance[(i, i)] += spread * (variance[i] + m[i] * m[i]);
                }
                (slope.iter().zip(m.iter()).map(|(s, m)| s * m).collect(), covariance, slope)
            }
        };
        let slope = DMatrix::from_diagonal(&DVector::from_vec(slope));
        Self {
            mean: DVector::from_vec(mean),
            covariance,
            begun: begun.into_iter().map(|cross| cross * &slope).collect(),
        }
    }

    /// Independent noise.
    pub(super) fn with_noise(mut self, variance: f64) -> Self {
        for i in 0..self.mean.len() {
            self.covariance[(i, i)] += variance;
        }
        self
    }

    /// x + f(x), with the covariance of the two.
    pub(super) fn residual(self, f: impl FnOnce(Self) -> Self) -> Self {
        let mut begun = self.begun.clone();
        begun.push(self.covariance.clone());
        let mut y = f(Self { mean: self.mean.clone(), covariance: self.covariance.clone(), begun });
        // The innermost sum is this one: f leaves its covariance last.
        let Some(cross) = y.begun.pop() else { return y };
        let crosses = self.begun.into_iter().zip(y.begun);
        Self {
            mean: self.mean + y.mean,
            covariance: self.covariance + y.covariance + cross.transpose() + cross,
            // What an outer sum began with varies with both terms.
            begun: crosses.map(|(x, y)| x + y).collect(),
        }
    }
}

/// diag(s) C diag(s)
fn scaled(c: &DMatrix<f64>, s: &[f64]) -> DMatrix<f64> {
    DMatrix::from_fn(c.nrows(), c.ncols(), |i, j| s[i] * c[(i, j)] * s[j])
}

/// Row by row, without the rounding that makes a covariance larger than its variances allow.
fn rounded(c: &DMatrix<f64>, variance: &[f64]) -> Vec<f64> {
    let n = variance.len();
    let mut out = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let most = variance[i].sqrt() * variance[j].sqrt();
            out[i * n + j] = if i == j { variance[i] } else { c[(i, j)].clamp(-most, most) };
        }
    }
    out
}

/// Mean, variance and derivatives of each unit.
fn gradients(g: &dyn Bound, gamma: &[f64], xi2: &[f64]) -> [Vec<f64>; 6] {
    let mut rows: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; gamma.len()]);
    let out = gaussform_runtime::MomentsGradMut::new(rows.each_mut().map(|row| &mut row[..]));
    crate::function::Slices::<f64>::gradients(g, gamma, xi2, out);
    rows
}
