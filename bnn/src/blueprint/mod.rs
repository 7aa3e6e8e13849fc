//! The blueprint of a network as data: its layers with their posteriors and priors, its likelihood, and how its
//! numbers are scaled. `chain` makes the layers of it.

mod covariances;
mod data;

pub use covariances::Covariances;

use serde::{Deserialize, Serialize};

use crate::data::{Scaling, TransformChoice, TrendChoice};
use crate::function::{Function, FunctionError};
use crate::layer::Rule;
use crate::likelihood::LikelihoodKind;
use crate::posterior::PosteriorKind;
use crate::prior::Prior;
use crate::signal::WeightUse;

/// A layer of a [`Blueprint`], with its activations given as `F`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayerSpec<F = Function> {
    /// [`Linear`](crate::layer::Linear).
    Linear {
        /// Number of outputs.
        outputs: usize,
        /// Whether the layer has a bias.
        bias: bool,
        /// Posterior of the layer's weights.
        posterior: PosteriorKind,
        /// Prior of the layer's weights.
        prior: Prior,
    },
    /// [`Conv1d`](crate::layer::Conv1d) or [`Conv2d`](crate::layer::Conv2d), by the number of axes.
    Convolution {
        /// Number of output channels.
        channels: usize,
        /// Size of the kernel along each axis.
        kernel: Vec<usize>,
        /// Steps of the kernel along each axis.
        stride: Vec<usize>,
        /// Number of zeros on either side of each axis.
        padding: Vec<usize>,
        /// Number of groups that the channels are divided into.
        groups: usize,
        /// Whether the layer has a bias.
        bias: bool,
        /// Posterior of the layer's weights.
        posterior: PosteriorKind,
        /// Prior of the layer's weights.
        prior: Prior,
    },
    /// [`Activation`](crate::layer::Activation).
    Activation {
        /// The function g.
        function: F,
        /// How the mean and variance of g(u) are taken for Normal u.
        rule: Rule,
    },
    /// [`GateDivergence`](crate::layer::GateDivergence), right before an activation with one slope on
    /// either side of 0.
    GateDivergence {
        /// Sharpness C > 0 of the gates.
        sharpness: f64,
    },
    /// [`Sample`](crate::layer::Sample).
    Sample,
    /// [`Noise`](crate::layer::Noise).
    Noise {
        /// Variance of the noise, ≥ 0.
        variance: f64,
    },
    /// [`MaxPool`](crate::layer::MaxPool) over one axis or two.
    MaxPool {
        /// Size of the window along each axis.
        size: Vec<usize>,
        /// Steps of the window along each axis.
        stride: Vec<usize>,
        /// Rule for the moments of the largest element: exact, or linearised.
        rule: Rule,
    },
    /// [`MeanPool`](crate::layer::MeanPool) over one axis or two.
    MeanPool {
        /// Size of the window along each axis.
        size: Vec<usize>,
        /// Steps of the window along each axis.
        stride: Vec<usize>,
    },
    /// Joins all axes of an example into one.
    Flatten,
    /// x + f(x) for the layers f. x and f(x) are taken to be independent.
    Residual {
        /// The layers f.
        layers: Vec<LayerSpec<F>>,
    },
}

/// The floating-point type of a network's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// f32.
    #[default]
    Single,
    /// f64.
    Double,
}

/// A network as data, before its tensors exist. A method of a paper is a choice of these parts; [`crate::method`] has
/// them.
///
/// ```
/// use gaussform_bnn::{Blueprint, Function, LikelihoodKind, Network};
/// use gaussform::activations::HardTanh;
///
/// let blueprint = Blueprint::new(&[13], LikelihoodKind::normal(1))
///     .linear(50)
///     .activation(Function::new("hard_tanh", HardTanh))
///     .linear(1);
/// let network = Network::new(&blueprint, 0)?;
/// # Ok::<(), gaussform_bnn::BlueprintError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Blueprint<F = Function> {
    /// The shape of an example: `[columns]`, `[channels, length]` or `[channels, height, width]`.
    pub input: Vec<usize>,
    /// The layers, in order.
    pub layers: Vec<LayerSpec<F>>,
    /// The likelihood.
    pub likelihood: LikelihoodKind,
    /// The floating-point type of all tensors.
    pub precision: Precision,
    /// The standard deviation > 0 that every weight's posterior begins with.
    pub initial_sd: f64,
    /// The initial means of a layer's weights are drawn with the standard deviation gain/√(number of inputs).
    pub gain: f64,
    /// How weights enter the objective.
    pub weights: WeightUse,
    /// How the units of a layer vary together.
    #[serde(default, skip_serializing_if = "Covariances::is_independent")]
    pub covariances: Covariances,
    /// How inputs are scaled.
    pub scaling: Scaling,
    /// How real targets are transformed before they are scaled.
    #[serde(default)]
    pub target_transform: TransformChoice,
    /// Whether the linear part of real targets is learned before the network.
    #[serde(default, skip_serializing_if = "TrendChoice::is_none")]
    pub trend: TrendChoice,
    /// The rule of activations and pools that are added.
    pub rule: Rule,
    /// The posterior of layers that are added.
    pub posterior: PosteriorKind,
    /// The prior of layers that are added.
    pub prior: Prior,
}

/// Why a blueprint makes no network. Places count layers from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlueprintError {
    /// A number lies outside its domain.
    #[error("{place}: `{field}` must be a finite number above 0, but is {value}")]
    Field {
        /// The layer's place, or the network.
        place: String,
        /// The name of the number's field.
        field: &'static str,
        /// The number's value.
        value: f64,
    },
    /// A layer does not take what the layer before it gives.
    #[error("{place}: it takes {needs}, but is given {found:?}; {help}")]
    Shape {
        /// The layer's place, or the network.
        place: String,
        /// The input that the layer takes, such as the number of axes of an example.
        needs: String,
        /// The shape of an example at that place.
        found: Vec<usize>,
        /// The change that would make the blueprint valid.
        help: &'static str,
    },
    /// Two parts of the blueprint exclude each other.
    #[error("{place}: {problem}; {help}")]
    Parts {
        /// The layer's place, or the network.
        place: String,
        /// The two parts that exclude each other.
        problem: String,
        /// The change that would make the blueprint valid.
        help: &'static str,
    },
    /// An activation cannot be made.
    #[error(transparent)]
    Function(#[from] FunctionError),
}

impl LayerSpec {
    /// Whether the layer is an activation with one slope on either side of 0, as the gate of VBP needs.
    pub(crate) fn is_gate(&self) -> bool {
        matches!(self, Self::Activation { function, .. } if function.slopes().is_some())
    }
}

impl Blueprint {
    /// A blueprint without layers, for examples of the shape `input`, in f32.
    ///
    /// Layers that are added have mean-field weights with a Normal prior of precision 10, and the exact rule. Other
    /// defaults are set by [`with_posterior`](Self::with_posterior) and its neighbours.
    #[must_use]
    pub fn new(input: &[usize], likelihood: LikelihoodKind) -> Self {
        Self {
            input: input.to_vec(),
            layers: Vec::new(),
            likelihood,
            precision: Precision::Single,
            initial_sd: 0.1,
            gain: 1.0,
            weights: WeightUse::Moments,
            covariances: Covariances::Independent,
            scaling: Scaling::Columns,
            target_transform: TransformChoice::None,
            trend: TrendChoice::None,
            rule: Rule::Exact,
            posterior: PosteriorKind::MeanField,
            prior: Prior::default(),
        }
    }

    /// The posterior of the layers that are added from here on.
    #[must_use]
    pub fn with_posterior(self, posterior: PosteriorKind) -> Self {
        Self { posterior, ..self }
    }

    /// The prior of the layers that are added from here on.
    #[must_use]
    pub fn with_prior(self, prior: Prior) -> Self {
        Self { prior, ..self }
    }

    /// The rule of the activations and pools that are added from here on.
    #[must_use]
    pub fn with_rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    /// Sets the prior of all layers: those that are there, and those that are added.
    #[must_use]
    pub fn with_every_prior(mut self, prior: Prior) -> Self {
        fn set(layers: &mut [LayerSpec], to: Prior) {
            for layer in layers {
                match layer {
                    LayerSpec::Linear { prior, .. } | LayerSpec::Convolution { prior, .. } => {
                        *prior = to;
                    }
                    LayerSpec::Residual { layers } => set(layers, to),
                    _ => {}
                }
            }
        }
        set(&mut self.layers, prior);
        self.with_prior(prior)
    }

    /// The network in which only the last `count` layers with weights learn. The weights of the others keep their
    /// initial values ([`PosteriorKind::Fixed`]).
    #[must_use]
    pub fn with_last_learned(mut self, count: usize) -> Self {
        fn set(layers: &mut [LayerSpec], left: &mut usize) {
            for layer in layers.iter_mut().rev() {
                match layer {
                    LayerSpec::Linear { posterior, .. }
                    | LayerSpec::Convolution { posterior, .. } => match left {
                        0 => *posterior = PosteriorKind::Fixed,
                        _ => *left -= 1,
                    },
                    LayerSpec::Residual { layers } => set(layers, left),
                    _ => {}
                }
            }
        }
        let mut left = count;
        set(&mut self.layers, &mut left);
        self
    }

    /// Adds a layer.
    #[must_use]
    pub fn layer(mut self, layer: LayerSpec) -> Self {
        self.layers.push(layer);
        self
    }

    /// Adds a linear layer with a bias.
    #[must_use]
    pub fn linear(self, outputs: usize) -> Self {
        let (posterior, prior) = (self.posterior, self.prior);
        self.layer(LayerSpec::Linear { outputs, bias: true, posterior, prior })
    }

    /// Adds a convolution with a bias, along one axis or two; no padding, one group.
    #[must_use]
    pub fn convolution(self, channels: usize, kernel: &[usize], stride: &[usize]) -> Self {
        let (posterior, prior) = (self.posterior, self.prior);
        self.layer(LayerSpec::Convolution {
            channels,
            kernel: kernel.to_vec(),
            stride: stride.to_vec(),
            padding: vec![0; kernel.len()],
            groups: 1,
            bias: true,
            posterior,
            prior,
        })
    }

    /// Adds an activation.
    #[must_use]
    pub fn activation(self, function: Function) -> Self {
        let rule = self.rule;
        self.layer(LayerSpec::Activation { function, rule })
    }

    /// Adds a pool of the largest over windows that do not overlap.
    #[must_use]
    pub fn max_pool(self, size: &[usize]) -> Self {
        let (size, rule) = (size.to_vec(), self.rule);
        self.layer(LayerSpec::MaxPool { stride: size.clone(), size, rule })
    }

    /// Adds a pool of the mean over windows that do not overlap.
    #[must_use]
    pub fn mean_pool(self, size: &[usize]) -> Self {
        let size = size.to_vec();
        self.layer(LayerSpec::MeanPool { stride: size.clone(), size })
    }

    /// The network with the divergence of the gates (Haußmann et al., Eq. 11) before each of its activations.
    /// `sharpness` is the C > 0 of that equation.
    ///
    /// ```
    /// use gaussform_bnn::{Function, LikelihoodKind, Network, method};
    /// use gaussform::activations::Relu;
    ///
    /// let relu = Function::new("relu", Relu);
    /// let vbp = method::vbp(13, &[50], LikelihoodKind::normal(1), &relu);
    /// let network = Network::new(&vbp.with_gate_divergence(1.0), 0)?;
    /// # Ok::<(), gaussform_bnn::BlueprintError>(())
    /// ```
    #[must_use]
    pub fn with_gate_divergence(self, sharpness: f64) -> Self {
        fn add(layers: Vec<LayerSpec>, sharpness: f64) -> Vec<LayerSpec> {
            let mut out = Vec::with_capacity(layers.len());
            for layer in layers {
                match layer {
                    LayerSpec::Residual { layers } => {
                        out.push(LayerSpec::Residual { layers: add(layers, sharpness) });
                        continue;
                    }
                    LayerSpec::Activation { .. } => {
                        out.push(LayerSpec::GateDivergence { sharpness });
                    }
                    _ => {}
                }
                out.push(layer);
            }
            out
        }
        Self { layers: add(self.layers, sharpness), ..self }
    }

    /// Adds x + f(x) for the layers that `f` adds.
    #[must_use]
    pub fn residual(self, f: impl FnOnce(Self) -> Self) -> Self {
        let inner = f(Self { layers: Vec::new(), ..self.clone() });
        self.layer(LayerSpec::Residual { layers: inner.layers })
    }
}

impl<F> Blueprint<F> {
    /// The blueprint with each activation replaced by `f` of it, or the first error of `f`.
    pub(crate) fn try_map<G, E>(
        self,
        f: &mut impl FnMut(F) -> Result<G, E>,
    ) -> Result<Blueprint<G>, E> {
        Ok(Blueprint {
            input: self.input,
            layers: map_layers(self.layers, f)?,
            likelihood: self.likelihood,
            precision: self.precision,
            initial_sd: self.initial_sd,
            gain: self.gain,
            weights: self.weights,
            covariances: self.covariances,
            scaling: self.scaling,
            target_transform: self.target_transform,
            trend: self.trend,
            rule: self.rule,
            posterior: self.posterior,
            prior: self.prior,
        })
    }

    /// Whether a pass through the network draws random numbers.
    #[must_use]
    pub fn samples(&self) -> bool {
        let samples = |layer: &LayerSpec<F>| matches!(layer, LayerSpec::Sample);
        self.weights == WeightUse::Drawn || any(&self.layers, &samples)
    }

    /// Whether a layer's weights have full covariances.
    pub(crate) fn has_full_covariances(&self) -> bool {
        any(&self.layers, &|layer| {
            matches!(layer, LayerSpec::Linear { posterior: PosteriorKind::Full, .. })
        })
    }

    /// Number of inputs of an example.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.input.iter().product()
    }
}

/// Whether `is` holds for one of the layers, or for one within a residual sum.
fn any<F>(layers: &[LayerSpec<F>], is: &impl Fn(&LayerSpec<F>) -> bool) -> bool {
    layers.iter().any(|layer| match layer {
        LayerSpec::Residual { layers } => any(layers, is),
        layer => is(layer),
    })
}

fn map_layers<F, G, E>(
    layers: Vec<LayerSpec<F>>,
    f: &mut impl FnMut(F) -> Result<G, E>,
) -> Result<Vec<LayerSpec<G>>, E> {
    let map = |layer| {
        Ok(match layer {
            LayerSpec::Linear { outputs, bias, posterior, prior } => {
                LayerSpec::Linear { outputs, bias, posterior, prior }
            }
            LayerSpec::Convolution {
                channels,
                kernel,
                stride,
                padding,
                groups,
                bias,
                posterior,
                prior,
            } => LayerSpec::Convolution {
                channels,
                kernel,
                stride,
                padding,
                groups,
                bias,
                posterior,
                prior,
            },
            LayerSpec::Activation { function, rule } => {
                LayerSpec::Activation { function: f(function)?, rule }
            }
            LayerSpec::GateDivergence { sharpness } => LayerSpec::GateDivergence { sharpness },
            LayerSpec::Sample => LayerSpec::Sample,
            LayerSpec::Noise { variance } => LayerSpec::Noise { variance },
            LayerSpec::MaxPool { size, stride, rule } => LayerSpec::MaxPool { size, stride, rule },
            LayerSpec::MeanPool { size, stride } => LayerSpec::MeanPool { size, stride },
            LayerSpec::Flatten => LayerSpec::Flatten,
            LayerSpec::Residual { layers } => {
                LayerSpec::Residual { layers: map_layers(layers, f)? }
            }
        })
    };
    layers.into_iter().map(map).collect()
}
