//! Numbers out of tensors.

use burn::tensor::Tensor;
use gaussform_bnn::ModelError;
use gaussform_bnn::layer::PassError;

/// The elements, the last axis first.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f64>, ModelError> {
    let problem = |e: String| ModelError::from(PassError::Read(e));
    let data = tensor.try_into_data().map_err(|e| problem(e.to_string()))?;
    data.try_into_vec_as::<f64>().map_err(|e| problem(format!("{e:?}")))
}
