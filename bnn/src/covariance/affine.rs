//! A linear layer as matrices on the host: W and b with their uncertainty.

use burn::tensor::Tensor;
use nalgebra::{DMatrix, DVector};

use crate::layer::{Linear, PassError, read};
use crate::posterior::Weight;

/// y = xW + b with random W and b.
pub(super) struct Affine {
    /// E\[W\], of shape \[inputs, outputs\].
    pub(super) weight: DMatrix<f64>,
    /// E\[b\].
    pub(super) bias: DVector<f64>,
    /// Whether the bias is the last row of W, and x has a 1 at its end.
    pub(super) joint: bool,
    spread: Spread,
    /// Var b.
    bias_variance: DVector<f64>,
}

/// The uncertainty of W: none, independent weights, or a covariance for each output.
enum Spread {
    None,
    /// The variance of each weight, of shape \[inputs, outputs\].
    Independent(DMatrix<f64>),
    /// The covariance of the weights into each output, of shape \[inputs, inputs\].
    Full(Vec<DMatrix<f64>>),
}

impl Affine {
    pub(super) fn of(layer: &Linear) -> Result<Self, PassError> {
        let weight = matrix(layer.weight().mean())?;
        let outputs = weight.ncols();
        let none = || DVector::zeros(outputs);
        let (bias, bias_variance) = match layer.bias() {
            None => (none(), none()),
            Some(bias) => (
                DVector::from_vec(read(bias.mean())?),
                bias.variance().map_or(Ok(none()), |v| read(v).map(DVector::from_vec))?,
            ),
        };
        let spread = match layer.weight() {
            Weight::Point(_) => Spread::None,
            Weight::MeanField(q) => Spread::Independent(matrix(q.variance())?),
            Weight::Full(q) => {
                let n = weight.nrows();
                let factors = read(q.cholesky())?;
                let covariance = |l: &[f64]| {
                    let l = DMatrix::from_row_slice(n, n, l);
                    &l * l.transpose()
                };
                Spread::Full(factors.chunks_exact(n * n).map(covariance).collect())
            }
        };
        Ok(Self { weight, bias, joint: layer.joint_bias, spread, bias_variance })
    }

    /// The variance that the weights into each output and its bias add, of shape \[outputs\], for inputs of mean `m`
    /// and covariance `c`.
    pub(super) fn added(&self, m: &DVector<f64>, c: &DMatrix<f64>) -> Vec<f64> {
        let of = |j: usize| match &self.spread {
            Spread::None => 0.0,
            Spread::Independent(variance) => {
                let column = variance.column(j);
                column.iter().enumerate().map(|(i, s2)| s2 * (m[i] * m[i] + c[(i, i)])).sum()
            }
            // For symmetric matrices the trace of the product is the sum of products of entries.
            Spread::Full(each) => each[j].dot(c) + m.dot(&(&each[j] * m)),
        };
        (0..self.weight.ncols()).map(|j| of(j) + self.bias_variance[j]).collect()
    }
}
fn matrix(tensor: Tensor<2>) -> Result<DMatrix<f64>, PassError> {
    let [rows, columns] = tensor.dims();
    Ok(DMatrix::from_row_slice(rows, columns, &read(tensor)?))
}
