//! Elements of tensors as numbers on the host.

use burn::tensor::Tensor;
use gaussform_bnn::ModelError;
use gaussform_bnn::layer::PassError;

/// The elements in f64, with the last axis fastest.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f64>, ModelError> {
    let problem = |e: String| ModelError::from(PassError::Read(e));
    let data = tensor.try_into_data().map_err(|e| problem(e.to_string()))?;
    data.try_into_vec_as::<f64>().map_err(|e| problem(format!("{e:?}")))
}
