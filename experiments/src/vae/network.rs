//! Encoder and decoder, their bound, and their training:
//!
//! ```text
//! ELBO/N = E log p(x | z, W)/N − ½ 1/n Σ (m² + v − log v − 1) − KL(W)/N        z ~ N(m, v) from the encoder
//! ```

use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Int, Tensor};
use gaussform_bnn::layer::Sample;
use gaussform_bnn::{
    Blueprint, LayerSpec, LikelihoodKind, Matrix, ModelError, Network, Pass, PosteriorKind, Random,
    Signal, TrainError, WeightUse, bound,
};
use indicatif::ProgressBar;

use super::{VaePlan, Variant};
use crate::tensor::numbers;
use crate::training::relu;

/// An autoencoder. The encoder gives means and log variances of the latent numbers, and the decoder takes the latent
/// numbers.
#[derive(Module, Debug)]
pub(super) struct Vae {
    pub(super) encoder: Network,
    pub(super) decoder: Network,
}

impl Vae {
    fn new(
        variant: Variant,
        columns: usize,
        plan: &VaePlan,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let g = relu()?;
        // Two outputs for each latent number, as for a target with noise of its own.
        let latent = LikelihoodKind::NormalPerInput { targets: plan.latent };
        let encoder = Blueprint::new(&[columns], latent)
            .with_posterior(PosteriorKind::Point)
            .linear(plan.hidden)
            .activation(g.clone())
            .linear(plan.hidden)
            .activation(g.clone())
            .linear(2 * plan.latent);
        let decoder = Blueprint::new(&[plan.latent], LikelihoodKind::normal(columns));
        let decoder = match variant {
            Variant::V1 => decoder.with_posterior(PosteriorKind::Point).linear(plan.hidden),
            Variant::V2 => decoder.linear(plan.hidden).layer(LayerSpec::Sample),
            Variant::V3 => decoder.linear(plan.hidden),
        };
        let decoder = decoder.activation(g).linear(columns);
        let decoder = Blueprint { initial_sd: 0.01, ..decoder };
        let [encoder, decoder] = [encoder, decoder].map(|b| Network::new(&b, seed));
        let failed = |e| TrainError::from(ModelError::from(e));
        Ok(Self { encoder: encoder.map_err(failed)?, decoder: decoder.map_err(failed)? })
    }

    pub(super) fn latent(&self) -> usize {
        self.decoder.blueprint().columns()
    }

    /// Means and variances of q(z | x), each of shape \[n, latent numbers\].
    pub(super) fn posterior(&self, x: Tensor<2>) -> Result<[Tensor<2>; 2], TrainError> {
        let output = self.encoder.output(Signal::known(x), &mut Pass::moments())?.mean;
        let latent = self.latent();
        let means = output.clone().narrow(1, 0, latent);
        Ok([means, output.narrow(1, latent, latent).exp()])
    }

    /// The bound of a row in nats, estimated by a batch for `total` rows. The divergence of the decoder's weights
    /// counts `weights` times.
    fn bound(
        &self,
        x: Tensor<2>,
        total: usize,
        weights: f64,
        pass: &mut Pass,
    ) -> Result<Tensor<1>, TrainError> {
        let n = x.dims()[0] as f64;
        let [mean, variance] = self.posterior(x.clone())?;
        let log_variance = variance.clone().log();
        let terms = mean.clone().powi_scalar(2) + variance.clone() - log_variance;
        let divergence = terms.sub_scalar(1.0).sum().mul_scalar(0.5);
        let z = Sample.forward(Signal::normal(mean, variance), pass);
        let decoder = bound(&self.decoder, z, x, total, pass)?;
        let rows = total as f64;
        Ok(decoder.expected_log_likelihood.div_scalar(rows)
            - divergence.div_scalar(n)
            - decoder.divergence.value.mul_scalar(weights / rows))
    }
}

/// The variant after its best epoch by the validation rows, and the number of that epoch.
pub(super) fn trained(
    variant: Variant,
    [training, validation]: &[Matrix; 2],
    plan: &VaePlan,
    seed: u64,
    bar: &ProgressBar,
) -> Result<(Vae, usize), TrainError> {
    let mut vae = Vae::new(variant, training.columns(), plan, seed)?;
    let mut adam = AdamConfig::new().with_epsilon(1e-8).init();
    let (x, held_out) = (vae.encoder.tensor(training), vae.encoder.tensor(validation));
    let mut best: Option<(f64, Vae, usize)> = None;
    let mut step = 0;
    for epoch in 1..=plan.epochs {
        let order = Random::stream(seed, epoch as u64).permutation(training.rows());
        for rows in order.chunks(plan.batch) {
            let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
            let rows = Tensor::<1, Int>::from_data(rows.as_slice(), &x.device());
            // Orders have the streams of `seed`; samples have those of another one.
            let mut pass = Pass::new(WeightUse::Moments, !seed, step);
            let batch = x.clone().select(0, rows);
            let loss = vae.bound(batch, training.rows(), 1.0, &mut pass)?.neg();
            let gradients = GradientsParams::from_grads(loss.backward(), &vae);
            vae = adam.step(plan.learning_rate, vae, gradients);
            step += 1;
        }
        // The same samples after each epoch.
        let mut pass = Pass::new(WeightUse::Moments, seed, 0);
        let bound = vae.valid().bound(held_out.clone(), validation.rows(), 0.0, &mut pass)?;
        let score = numbers(bound)?.iter().sum::<f64>();
        if !score.is_finite() {
            return Err(TrainError::Diverged { epoch, elbo: score, parameter: None });
        }
        if best.as_ref().is_none_or(|(most, ..)| score > *most) {
            best = Some((score, vae.clone(), epoch));
        }
        bar.inc(1);
    }
    Ok(best.map_or((vae, plan.epochs), |(_, vae, epoch)| (vae, epoch)))
}
