//! Full covariance between the units of each layer, carried through a network.
//!
//! A [`Signal`](crate::Signal) has a variance for each unit and takes units to be independent. From the second layer on
//! they are not: they share the units below. Here the pre-activations of a layer are jointly Normal, with all
//! covariances (Wu et al. 2019, 3.1; their formulas for the ReLU and the step are replaced by what any activation has). What is
//! left of an approximation is that linear combinations of activations are taken to be Normal.

use burn::module::Module;

use crate::covariance::{CovarianceError, Layers, State};
use crate::data::{Matrix, TargetScale, check_noisy};
use crate::likelihood::{Likelihood, Noise, RowOutputs};
use crate::model::{Model, ModelError};
use crate::network::Network;
use crate::subnormals::keep_subnormals;
use crate::threads::each;

/// The outputs of a network for one example: jointly Normal, before the likelihood.
#[derive(Clone, Debug, PartialEq)]
pub struct JointMoments {
    /// The mean of each output.
    pub mean: Vec<f64>,
    /// The covariance of each two outputs, of shape \[outputs, outputs\]; symmetric.
    pub covariance: Matrix,
}

/// Why covariances could not be carried through a network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum JointError {
    /// A layer has no rule for them.
    #[error(
        "{place} is {kind}, and covariances go through linear layers, activations, noise, flattening and \
         residual sums alone; `Model::predict` takes variances through every layer"
    )]
    Layer {
        /// The layer, counted from 0.
        place: String,
        /// The kind of the layer.
        kind: &'static str,
    },
    /// The model cannot be asked.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl From<CovarianceError> for JointError {
    fn from(error: CovarianceError) -> Self {
        match error {
            CovarianceError::Layer { place, kind } => Self::Layer { place, kind },
            CovarianceError::Pass(error) => Self::Model(error.into()),
        }
    }
}

impl Model {
    /// Means and covariances of the outputs for each row of `x`, with the covariances between the units of every layer
    /// kept. `x_variance` are variances of the inputs, of the shape of `x`, if they were measured with noise.
    ///
    /// Outputs that are means of real targets are in the units of the data, or of its transform; others, such as the logits of classes, are
    /// as the network gives them. The noise of the likelihood is not added. Weights enter by their moments, also where
    /// training draws them.
    ///
    /// With one hidden layer the moments are exact. A layer of n units takes n²/2 covariances for each row, computed on
    /// the host in f64.
    ///
    /// # Errors
    ///
    /// [`JointError`], if the network has convolutions, pools or samples, or `x` does not fit it.
    pub fn propagate_full(
        &self,
        x: &Matrix,
        x_variance: Option<&Matrix>,
    ) -> Result<Vec<JointMoments>, JointError> {
        let columns = self.network().blueprint().columns();
        check_noisy(x, x_variance, columns).map_err(ModelError::from)?;
        let network = self.network().valid();
        let layers = Layers::of(network.chain())?;
        let noise = network.likelihood().noise().map_err(ModelError::from)?;
        let x = self.inputs().apply(x);
        let x_variance = x_variance.map(|v| self.inputs().apply_to_variances(v));
        let row = |(i, x): (usize, &[f64])| {
            let variance = x_variance.as_ref().and_then(|v| v.iter().nth(i));
            let out = layers.forward(State::new(x, variance));
            self.in_units(&network, noise.as_ref(), out, [x, variance.unwrap_or_default()])
        };
        Ok(each(x.iter().enumerate().collect(), |x| keep_subnormals(|| row(x))))
    }

    /// The outputs for inputs of standardised means `x` and variances `v`, in the units of the data.
    fn in_units(
        &self,
        network: &Network,
        noise: Option<&Noise>,
        out: State,
        [x, v]: [&[f64]; 2],
    ) -> JointMoments {
        let n = out.mean.len();
        let units = match (self.targets(), network.likelihood()) {
            (
                TargetScale::Real(units),
                Likelihood::Normal(_)
                | Likelihood::NormalPerInput(_)
                | Likelihood::StudentT(_)
                | Likelihood::Censored(_),
            ) => &units[..],
            _ => &[],
        };
        let sd = |i: usize| units.get(i).map_or(1.0, |unit| unit.scale.sd);
        let mean = |i: usize| {
            units.get(i).map_or(out.mean[i], |unit| unit.at(x).scale.invert(out.mean[i]))
        };
        let own: Vec<f64> = out.covariance.diagonal().iter().map(|v| v.max(0.0)).collect();
        let (known, mean_row) = (vec![0.0; n], out.mean.as_slice());
        let row = RowOutputs { mean: mean_row, below: &own, last: &known, covariance: None };
        let of_trend = |i: usize| match units.get(i).filter(|unit| unit.trend.is_some()) {
            Some(unit) => {
                let noise = noise.map_or(0.0, |noise| noise.mean(row, i, units.len()));
                unit.leverage_of_trend(x) * noise + unit.doubt_of_trend(v)
            }
            None => 0.0,
        };
        // Only one half is read, so that the other is its mirror image.
        let between = |i: usize, j: usize| {
            let more = if i == j { of_trend(i) } else { 0.0 };
            (out.covariance[(i.max(j), i.min(j))] + more) * sd(i) * sd(j)
        };
        let covariance = (0..n * n).map(|k| between(k / n, k % n)).collect();
        JointMoments {
            mean: (0..n).map(mean).collect(),
            covariance: Matrix::filled(n.max(1), covariance),
        }
    }
}
