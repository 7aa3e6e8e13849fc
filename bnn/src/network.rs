//! The network of Eq. 1, x → Ax → g(Ax) → B g(Ax), with Normal weights, and the moments of its
//! output.

use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Int, Tensor, TensorData};

use crate::kernel::Kernel;
use crate::matrix::Matrix;
use crate::moments_op::{MomentsError, moments};
use crate::random::Random;
use crate::weights::NormalWeights;

/// The precisions (inverse variances) of the Normal priors on the weights, both > 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Of every weight in A.
    pub hidden: f64,
    /// Of every weight in B.
    pub output: f64,
}

/// The size of a network, its prior and where its posterior starts.
#[derive(Clone, Debug)]
pub struct NetworkConfig {
    /// D, the number of inputs, without the bias.
    pub inputs: usize,
    /// H, the number of hidden units, without the bias.
    pub hidden: usize,
    /// The priors of Eq. 2.
    pub prior: Prior,
    /// The standard deviation that every weight's posterior starts with.
    pub initial_sd: f64,
    /// β, the precision of the observations, at the start.
    pub initial_noise_precision: f64,
    /// Whether to compute in `f64`; otherwise in `f32`.
    pub double: bool,
    /// The seed of the weights' first means.
    pub seed: u64,
}

impl NetworkConfig {
    /// A network of `inputs` inputs and `hidden` hidden units in `f32`, with a prior of
    /// precision 10 on every weight, which is the one of published results for the UCI sets.
    #[must_use]
    pub fn new(inputs: usize, hidden: usize) -> Self {
        Self {
            inputs,
            hidden,
            prior: Prior { hidden: 10.0, output: 10.0 },
            initial_sd: 0.1,
            initial_noise_precision: 1.0,
            double: false,
            seed: 0,
        }
    }
}

/// Why a network could not be made or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A field of [`NetworkConfig`] is outside its domain.
    #[error("`{field}` must be a finite number above 0, but is {value}")]
    Config {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// The data has another number of inputs than the network.
    #[error("the network has {expected} inputs, but the data has {found} columns")]
    Inputs {
        /// The network's number of inputs.
        expected: usize,
        /// The data's number of columns.
        found: usize,
    },
    /// There is no row of data.
    #[error("there is no data: at least one row is needed")]
    Empty,
    /// A number in the data is infinite or NaN.
    #[error("row {row} holds {value}; every number must be finite")]
    NotFinite {
        /// The row's number, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// There are not as many targets as rows.
    #[error("there are {rows} rows of inputs but {targets} targets")]
    Targets {
        /// How many rows of inputs there are.
        rows: usize,
        /// How many targets there are.
        targets: usize,
    },
    /// The moments of the activation could not be taken.
    #[error(transparent)]
    Moments(#[from] MomentsError),
    /// A result could not be read back from its device.
    #[error("a tensor cannot be read back: {0}")]
    Read(String),
}

/// What is learned: q(A), q(B) and log β.
#[derive(Module, Debug)]
pub struct Parameters {
    /// q(A), of shape \[D + 1, H\]: a column for each hidden unit, the last row its bias.
    pub hidden: NormalWeights,
    /// q(B), of shape \[H + 1, 1\], the last row the bias.
    pub output: NormalWeights,
    log_beta: Param<Tensor<1>>,
}

/// A Bayesian network with one hidden layer of the activation `A` and one output.
///
/// Each layer's input is augmented with an element equal to 1 for the bias (footnote 2).
#[derive(Clone, Debug)]
pub struct Network<A> {
    activation: A,
    config: NetworkConfig,
    parameters: Parameters,
    device: Device,
}

/// Rows of inputs as the network takes them: with the 1 for the bias, and their squares.
#[derive(Clone, Debug)]
pub struct Inputs {
    x: Tensor<2>,
    squared: Tensor<2>,
}

impl Inputs {
    /// The rows with these numbers.
    pub(crate) fn select(&self, rows: &Tensor<1, Int>) -> Self {
        let [x, squared] = [&self.x, &self.squared].map(|t| t.clone().select(0, rows.clone()));
        Self { x, squared }
    }
}

/// The moments of the network's output before the observation noise, a row for each example,
/// all of shape \[N, 1\] and differentiable in the parameters.
#[derive(Clone, Debug)]
pub struct OutputMoments {
    /// ŷ = B₀ᵀΦ.
    pub mean: Tensor<2>,
    /// diag(Ξ) · (Υ − Φ ⊙ Φ), the variance from A.
    pub from_hidden: Tensor<2>,
    /// Φᵀ Σ_B Φ, the variance from B.
    pub from_output: Tensor<2>,
}

/// The predictive distribution of each row, N(mean, variance), with the three parts of the
/// variance as Eq. 44 has them. In the units of the target that the network was trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// ŷ(x).
    pub mean: Vec<f64>,
    /// The variance from A, ≥ 0.
    pub from_hidden: Vec<f64>,
    /// The variance from B, ≥ 0.
    pub from_output: Vec<f64>,
    /// 1/β > 0, the observation noise, the same for every row.
    pub noise: f64,
}

impl Prediction {
    /// The predictive variances, the sum of the three parts.
    #[must_use]
    pub fn variance(&self) -> Vec<f64> {
        let parts = self.from_hidden.iter().zip(&self.from_output);
        parts.map(|(a, b)| a + b + self.noise).collect()
    }
}

impl<A: Kernel> Network<A> {
    /// A network whose posterior means are drawn by the seed.
    ///
    /// # Errors
    ///
    /// [`NetworkError::Config`], if a size, a precision or the initial standard deviation is 0,
    /// negative or not finite.
    pub fn new(activation: A, config: NetworkConfig) -> Result<Self, NetworkError> {
        for (field, value) in [
            ("inputs", config.inputs as f64),
            ("hidden", config.hidden as f64),
            ("prior.hidden", config.prior.hidden),
            ("prior.output", config.prior.output),
            ("initial_sd", config.initial_sd),
            ("initial_noise_precision", config.initial_noise_precision),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(NetworkError::Config { field, value });
            }
        }
        let device = Device::flex();
        let tracked = device.clone().autodiff();
        let dtype = dtype(&config);
        let place = (&tracked, dtype);
        let mut random = Random::new(config.seed);
        let (inputs, hidden) = (config.inputs, config.hidden);
        // Pre-activations of variance about 1 for standardised inputs, outputs about as large.
        let shape = [inputs + 1, hidden];
        let spread = (inputs as f64).sqrt().recip();
        let a = NormalWeights::new(shape, spread, config.initial_sd, &mut random, place);
        let spread = (hidden as f64).sqrt().recip();
        let b = NormalWeights::new([hidden + 1, 1], spread, config.initial_sd, &mut random, place);
        let log_beta = TensorData::from([config.initial_noise_precision.ln()]);
        let log_beta = Param::from_tensor(Tensor::from_data(log_beta, place));
        let parameters = Parameters { hidden: a, output: b, log_beta };
        Ok(Self { activation, config, parameters, device })
    }

    /// The activation g.
    #[must_use]
    pub fn activation(&self) -> &A {
        &self.activation
    }

    /// The configuration that the network was made with.
    #[must_use]
    pub fn config(&self) -> &NetworkConfig {
        &self.config
    }

    /// What is learned.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Replaces what is learned, as an optimiser does.
    #[must_use]
    pub fn with_parameters(self, parameters: Parameters) -> Self {
        Self { parameters, ..self }
    }

    /// log β, of shape \[1\].
    #[must_use]
    pub fn log_beta(&self) -> Tensor<1> {
        self.parameters.log_beta.val()
    }

    /// The rows of `x`, ready for the network.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], if there is no row, a number is not finite, or the number of columns is
    /// not that of the network's inputs.
    pub fn inputs(&self, x: &Matrix) -> Result<Inputs, NetworkError> {
        if x.columns() != self.config.inputs {
            let (expected, found) = (self.config.inputs, x.columns());
            return Err(NetworkError::Inputs { expected, found });
        }
        if x.rows() == 0 {
            return Err(NetworkError::Empty);
        }
        let mut augmented = Vec::with_capacity(x.rows() * (x.columns() + 1));
        for (i, row) in x.iter().enumerate() {
            all_finite(i, row)?;
            augmented.extend_from_slice(row);
            augmented.push(1.0);
        }
        let data = TensorData::new(augmented, [x.rows(), x.columns() + 1]);
        let x = Tensor::<2>::from_data(data, (&self.device, dtype(&self.config)));
        Ok(Inputs { squared: x.clone().powi_scalar(2), x })
    }

    /// The targets `y` as a column, checked against the number of `rows` they belong to.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], if their number differs or one is not finite.
    pub fn targets(&self, y: &[f64], rows: usize) -> Result<Tensor<2>, NetworkError> {
        if y.len() != rows {
            return Err(NetworkError::Targets { rows, targets: y.len() });
        }
        for (i, value) in y.iter().enumerate() {
            all_finite(i, std::slice::from_ref(value))?;
        }
        let data = TensorData::new(y.to_vec(), [rows, 1]);
        Ok(Tensor::from_data(data, (&self.device, dtype(&self.config))))
    }

    /// The moments of the output for each row (Eq. 8, 9 and 12): with the kernel's mean Φ and
    /// variance Υ − Φ², which is never a difference here,
    /// ŷ = Σ b₀Φ and var = Σ (σ² + b₀²)(Υ − Φ²) + Σ σ²Φ², the bias counting as a unit with
    /// Φ = 1 and Υ − Φ² = 0.
    ///
    /// # Errors
    ///
    /// [`MomentsError`], if the parameters were put on a backend without the operation.
    pub fn output_moments(&self, inputs: &Inputs) -> Result<OutputMoments, MomentsError> {
        output_moments(&self.activation, &self.parameters, inputs)
    }

    /// The predictive distribution for each row of `x`.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], if `x` has no row, the wrong number of columns, or a number that is not
    /// finite.
    pub fn predict(&self, x: &Matrix) -> Result<Prediction, NetworkError> {
        let parameters = self.parameters.valid();
        let inputs = self.inputs(x)?;
        let out = output_moments(&self.activation, &parameters, &inputs)?;
        let log_beta = read(parameters.log_beta.val())?;
        Ok(Prediction {
            mean: read(out.mean)?,
            from_hidden: read(out.from_hidden)?,
            from_output: read(out.from_output)?,
            noise: log_beta.iter().map(|l| (-l).exp()).sum(),
        })
    }
}

fn output_moments<A: Kernel>(
    activation: &A,
    parameters: &Parameters,
    inputs: &Inputs,
) -> Result<OutputMoments, MomentsError> {
    let gamma = inputs.x.clone().matmul(parameters.hidden.mean());
    let xi2 = inputs.squared.clone().matmul(parameters.hidden.variance());
    let (phi, spread) = moments(activation, gamma, xi2)?;

    let units = phi.dims()[1];
    let (b0, sigma2) = (parameters.output.mean(), parameters.output.variance());
    let [bias, sigma2_bias] = [&b0, &sigma2].map(|t| t.clone().narrow(0, units, 1));
    let [b0, sigma2] = [b0, sigma2].map(|t| t.narrow(0, 0, units));
    let xi = sigma2.clone() + b0.clone().powi_scalar(2);
    Ok(OutputMoments {
        mean: phi.clone().matmul(b0) + bias,
        from_hidden: spread.matmul(xi),
        from_output: phi.powi_scalar(2).matmul(sigma2) + sigma2_bias,
    })
}

fn dtype(config: &NetworkConfig) -> DType {
    if config.double { DType::F64 } else { DType::F32 }
}

fn all_finite(row: usize, values: &[f64]) -> Result<(), NetworkError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(&value) => Err(NetworkError::NotFinite { row, value }),
        None => Ok(()),
    }
}

fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f64>, NetworkError> {
    let data = tensor.try_into_data().map_err(|e| NetworkError::Read(e.to_string()))?;
    data.try_into_vec_as::<f64>().map_err(|e| NetworkError::Read(format!("{e:?}")))
}
