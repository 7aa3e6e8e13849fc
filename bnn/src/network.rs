//! A network: a chain of layers and a likelihood, as a Burn module on one device.

use burn::module::Module;
use burn::tensor::{DType, Device, Tensor, TensorData};

use crate::blueprint::{Blueprint, BlueprintError, Covariances, Precision};
use crate::chain::{Chain, Initial};
use crate::data::Matrix;
use crate::layer::{LinearOutput, PassError};
use crate::likelihood::Likelihood;
use crate::posterior::Start;
use crate::random::Random;
use crate::signal::{Pass, Signal};

/// The layers and the likelihood of a [`Blueprint`], as a Burn module.
///
/// A network works on tensors in standardised units. [`Model`](crate::Model) works on data in the units of its user.
#[derive(Module, Debug)]
pub struct Network {
    pub(crate) chain: Chain,
    pub(crate) likelihood: Likelihood,
    #[module(skip)]
    pub(crate) blueprint: Blueprint,
    /// The device of all numbers, without autodiff.
    #[module(skip)]
    pub(crate) device: Device,
}

impl Network {
    /// The network of `blueprint`, with the means of its weights drawn by `seed`. Its numbers lie on Burn's Flex
    /// backend, tracked by autodiff; [`on`](Self::on) moves them.
    ///
    /// # Errors
    ///
    /// [`BlueprintError`] with the layer that does not fit.
    pub fn new(blueprint: &Blueprint, seed: u64) -> Result<Self, BlueprintError> {
        let place = || "the network".to_owned();
        for (field, value) in [("initial_sd", blueprint.initial_sd), ("gain", blueprint.gain)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(BlueprintError::Field { place: place(), field, value });
            }
        }
        if blueprint.input.is_empty() || blueprint.columns() == 0 {
            let needs = "an example of at least one number".to_owned();
            let (found, help) = (blueprint.input.clone(), "give it the shape of an example");
            return Err(BlueprintError::Shape { place: place(), needs, found, help });
        }
        blueprint.check_covariances()?;
        let device = Device::flex().autodiff();
        let mut random = Random::new(seed);
        let start = Start { device: &device, dtype: dtype(blueprint), random: &mut random };
        let mut initial = Initial { start, sd: blueprint.initial_sd, gain: blueprint.gain };
        let (chain, outputs) = Chain::new(&blueprint.layers, &blueprint.input, "", &mut initial)?;
        if outputs != [blueprint.likelihood.outputs()] {
            return Err(BlueprintError::Shape {
                place: "the likelihood".to_owned(),
                needs: format!("{} outputs", blueprint.likelihood.outputs()),
                found: outputs,
                help: "end with a linear layer of as many outputs",
            });
        }
        let likelihood = blueprint.likelihood.build(&mut initial.start);
        let device = device.inner();
        Ok(Self { chain, likelihood, blueprint: blueprint.clone(), device })
    }

    /// The network with its numbers on `device`, where it trains and predicts from then on. Burn's feature of that
    /// device has to be on. `ndarray` and `vulkan` are features of this crate too.
    ///
    /// Cards take the moments of functions up to degree 3 by one kernel. The moments of other functions, of activations with
    /// learned parameters, and all those of other devices than Flex and cards, are taken on the host.
    #[must_use]
    pub fn on(self, device: &Device) -> Self {
        let device = device.clone().inner();
        Self { device: device.clone(), ..self.fork(&device) }
    }

    /// The blueprint that the network was made from.
    #[must_use]
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The layers.
    #[must_use]
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The likelihood.
    #[must_use]
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
    }

    /// The outputs for a signal of shape \[n, inputs\], before the likelihood.
    ///
    /// # Errors
    ///
    /// [`PassError`], if an activation fails.
    pub fn output(&self, x: Signal<2>, pass: &mut Pass) -> Result<LinearOutput, PassError> {
        let covariance = self.likelihood.wants_covariance();
        match self.blueprint.covariances {
            Covariances::Independent => self.chain.output(x, covariance, pass),
            Covariances::Full => self.chain.joint_output(x, covariance, pass),
        }
    }

    /// The network with the variances of its noise multiplied by these factors, one for each target. A noise that depends on
    /// the input is an output, e^ℓ, and has its factor in the bias of that output; without a bias it stays.
    pub(crate) fn with_noise_scaled(self, factors: &[f64]) -> Self {
        if !matches!(self.likelihood, Likelihood::NormalPerInput(_)) {
            return Self { likelihood: self.likelihood.with_noise_scaled(factors), ..self };
        }
        let means = factors.iter().map(|_| 0.0);
        let shift: Vec<f64> = means.chain(factors.iter().map(|k| k.ln())).collect();
        Self { chain: self.chain.with_outputs_shifted(&shift), ..self }
    }

    /// The matrix as a tensor of shape \[rows, columns\] that no graph tracks.
    #[must_use]
    pub fn tensor(&self, x: &Matrix) -> Tensor<2> {
        let data = TensorData::new(x.values().to_vec(), [x.rows(), x.columns()]);
        Tensor::from_data(data, (&self.device, dtype(&self.blueprint)))
    }

    /// The network with its posterior as the prior of the next data (streaming). The prior has the marginal mean and
    /// variance of each weight.
    #[must_use]
    pub fn carried_over(self) -> Self {
        Self { chain: self.chain.carried_over(), ..self }
    }
}

pub(crate) fn dtype<F>(blueprint: &Blueprint<F>) -> DType {
    match blueprint.precision {
        Precision::Single => DType::F32,
        Precision::Double => DType::F64,
    }
}
