//! Outputs for inputs that are known with a variance.
//!
//! All units of a layer see the same inputs, so that the doubt of an input makes them move together. Moments that flow unit
//! by unit miss that: they add the variances of the units alone. Here the mean and the covariance of the outputs are those
//! of known inputs, unit by unit, plus the difference that the variances of the inputs make with all covariances kept:
//!
//! ```text
//! out(m, v) = units(m, 0) + full(m, v) − full(m, 0)
//! ```
//!
//! With one hidden layer that is exact.

use burn::tensor::Tensor;

use super::layers::Layers;
use super::state::State;
use crate::blueprint::Covariances;
use crate::data::Matrix;
use crate::layer::{LinearOutput, PassError, read};
use crate::network::Network;
use crate::signal::{Pass, Signal};
use crate::subnormals::keep_subnormals;
use crate::threads::each;

/// The outputs of a network for a batch of inputs with variances. Layers without a rule for covariances
/// ([`CovarianceError::Layer`](super::CovarianceError::Layer)) take the variances unit by unit. A network that carries
/// covariances has those of its inputs anyway.
pub(crate) fn outputs(
    network: &Network,
    x: &Signal<2>,
    pass: &mut Pass,
) -> Result<LinearOutput, PassError> {
    if network.blueprint().covariances == Covariances::Full {
        return network.output(x.clone(), pass);
    }
    let (Some(variance), Ok(layers)) = (&x.variance, Layers::of(network.chain())) else {
        return network.output(x.clone(), pass);
    };
    let out = network.output(Signal::known(x.mean.clone()), pass)?;
    let [rows, inputs] = x.mean.dims();
    let [mean, variance] = [read(x.mean.clone())?, read(variance.clone())?];
    let n = out.mean.dims()[1];
    // Two passes by matrices for each row are dear, and without doubt their difference is 0.
    let doubtful: Vec<usize> = (0..rows)
        .filter(|row| variance[row * inputs..(row + 1) * inputs].iter().any(|v| *v != 0.0))
        .collect();
    let change = |row: usize| {
        let of = row * inputs..(row + 1) * inputs;
        let (m, v) = (&mean[of.clone()], &variance[of]);
        let [known, full] = [None, Some(v)].map(|v| layers.forward(State::new(m, v)));
        (row, full.mean - known.mean, full.covariance - known.covariance)
    };
    let mut shift = vec![0.0; rows * n];
    let mut added = vec![0.0; rows * n];
    let mut covariance = vec![0.0; rows * n * n];
    // `each` flushes subnormal numbers, which the kernels within need.
    for (row, of_mean, of_covariance) in each(doubtful, |row| keep_subnormals(|| change(row))) {
        for i in 0..n {
            shift[row * n + i] = of_mean[i];
            added[row * n + i] = of_covariance[(i, i)].max(0.0);
            for j in 0..n {
                covariance[(row * n + i) * n + j] = of_covariance[(i, j)];
            }
        }
    }
    let [shift, added] = [shift, added].map(|values| network.tensor(&Matrix::filled(n, values)));
    let covariance = network.tensor(&Matrix::filled(n, covariance));
    Ok(LinearOutput {
        mean: out.mean + shift,
        below: Some(match out.below {
            Some(below) => below + added,
            None => added,
        }),
        covariance: out.covariance.map(|c: Tensor<3>| c + covariance.reshape([rows, n, n])),
        own: out.own,
    })
}
