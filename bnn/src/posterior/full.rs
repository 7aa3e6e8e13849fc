//! Weights with a full covariance within each unit: w ~ N(m_h, L_h L_hᵀ), and Var xᵀw = ‖L_hᵀx‖².

use burn::module::{Module, Param};
use burn::tensor::Tensor;

/// The weights into each unit h of a linear layer, its bias among them, are N(m_h, L_h L_hᵀ), and units are
/// independent. This is Jankowiak's q(a_h) of Eq. 3, and q(B) of Eq. 8 for an output layer.
#[derive(Module, Debug)]
pub struct FullCovariance {
    pub(crate) mean: Param<Tensor<2>>,
    pub(crate) factor: Param<Tensor<3>>,
}

impl FullCovariance {
    /// The posterior with means of shape \[inputs, units\] and a factor of shape \[units, inputs,
    /// inputs\]: below the diagonal the elements of L, on it the logarithms of L's diagonal. What
    /// stands above the diagonal is not used. `inputs` counts the bias, which is the last, if there
    /// is one.
    #[must_use]
    pub fn new(mean: Tensor<2>, factor: Tensor<3>) -> Self {
        Self { mean: Param::from_tensor(mean), factor: Param::from_tensor(factor) }
    }

    /// m, of shape \[inputs, units\].
    #[must_use]
    pub fn mean(&self) -> Tensor<2> {
        self.mean.val()
    }

    /// L, of shape \[units, inputs, inputs\].
    #[must_use]
    pub fn cholesky(&self) -> Tensor<3> {
        let factor = self.factor.val();
        let [_, inputs, _] = factor.dims();
        let eye = self.eye(inputs);
        // Zero off the diagonal before the exponential, so that nothing overflows there.
        let diagonal = (factor.clone() * eye.clone()).exp() * eye;
        factor.tril(-1) + diagonal
    }

    /// The marginal variances, of shape \[inputs, units\].
    #[must_use]
    pub fn variance(&self) -> Tensor<2> {
        let l = self.cholesky();
        let [units, inputs, _] = l.dims();
        l.powi_scalar(2).sum_dim(2).reshape([units, inputs]).transpose()
    }

    /// Var of xᵀw for rows x of shape \[n, inputs\], of shape \[n, units\]: ‖Lᵀx‖².
    #[must_use]
    pub fn variance_along(&self, x: Tensor<2>) -> Tensor<2> {
        let [n, inputs] = x.dims();
        let l = self.cholesky();
        let units = l.dims()[0];
        let projected = x.reshape([1, n, inputs]).repeat_dim(0, units).matmul(l);
        projected.powi_scalar(2).sum_dim(2).reshape([units, n]).transpose()
    }

    /// Σ log of the diagonal of all L, of shape \[1\].
    pub(crate) fn log_determinant(&self) -> Tensor<1> {
        let factor = self.factor.val();
        let inputs = factor.dims()[1];
        (factor * self.eye(inputs)).sum()
    }

    /// m + L ε for ε of shape \[units, inputs, 1\].
    pub(crate) fn at(&self, epsilon: Tensor<3>) -> Tensor<2> {
        let [units, inputs, _] = epsilon.dims();
        self.mean() + self.cholesky().matmul(epsilon).reshape([units, inputs]).transpose()
    }

    fn eye(&self, inputs: usize) -> Tensor<3> {
        let factor = self.factor.val();
        let (device, dtype) = (factor.device(), factor.dtype());
        Tensor::<2>::eye(inputs, &device).cast(dtype).unsqueeze::<3>()
    }
}
